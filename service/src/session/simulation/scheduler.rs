//! Tasks that are polled one at a time, in any order; reads of the disk that are done when the scheduler wants; time that
//! stands still unless it is asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use divelog_ledger::{GameId, Secret};

use super::super::runtime::{Runtime, Task, Work};
use crate::test_rng::TestRng;

/// The session's runtime in a simulation.
pub struct SimulatedRuntime {
    rng: TestRng,
    clock_ms: AtomicU64,
    games: AtomicU64,
    spawned: Mutex<Vec<Task>>,
    work: Mutex<Vec<Work>>,
}

impl SimulatedRuntime {
    pub fn new(rng: TestRng) -> SimulatedRuntime {
        SimulatedRuntime {
            rng,
            clock_ms: AtomicU64::new(1_700_000_000_000),
            games: AtomicU64::new(1),
            spawned: Mutex::default(),
            work: Mutex::default(),
        }
    }
}

impl Runtime for SimulatedRuntime {
    fn spawn(&self, task: Task) {
        self.spawned.lock().unwrap().push(task);
    }

    fn run_blocking(&self, work: Work) {
        self.work.lock().unwrap().push(work);
    }

    fn run_audit(&self, work: Work) {
        self.run_blocking(work);
    }

    fn pause(&self, _time: Duration) -> Task {
        Box::pin(tokio::task::yield_now())
    }

    fn now_ms(&self) -> u64 {
        self.clock_ms.fetch_add(1, Ordering::Relaxed)
    }

    fn new_id(&self) -> GameId {
        let number = u128::from(self.games.fetch_add(1, Ordering::Relaxed));
        GameId((number << 64 | u128::from(self.rng.next())).to_be_bytes())
    }

    fn random_secret(&self) -> Option<Secret> {
        let mut secret = [0; 32];
        for part in secret.chunks_mut(8) {
            part.copy_from_slice(&self.rng.next().to_le_bytes());
        }
        Some(Secret(secret))
    }
}

/// The numbers of tasks that can go on. Ordered, so that a seed finds them in the same order again.
type Ready = Arc<Mutex<BTreeSet<u64>>>;

struct ReadyAgain {
    task: u64,
    ready: Ready,
}

impl Wake for ReadyAgain {
    fn wake(self: Arc<Self>) {
        self.ready.lock().unwrap().insert(self.task);
    }
}

/// All tasks of one run of the server, and the calls to it.
pub struct Scheduler {
    pub runtime: Arc<SimulatedRuntime>,
    tasks: BTreeMap<u64, Task>,
    ready: Ready,
    next: u64,
}

impl Scheduler {
    pub fn new(runtime: Arc<SimulatedRuntime>) -> Scheduler {
        Scheduler { runtime, tasks: BTreeMap::new(), ready: Ready::default(), next: 0 }
    }

    /// Nothing of what was under way goes on.
    pub fn crash(&mut self) {
        self.tasks.clear();
        self.runtime.spawned.lock().unwrap().clear();
        let work = std::mem::take(&mut *self.runtime.work.lock().unwrap());
        drop(work);
    }

    /// Adds a task, which can go on at once.
    pub fn add(&mut self, task: Task) -> u64 {
        let number = self.next;
        self.next += 1;
        self.tasks.insert(number, task);
        self.ready.lock().unwrap().insert(number);
        number
    }

    fn adopt_spawned(&mut self) {
        let spawned = std::mem::take(&mut *self.runtime.spawned.lock().unwrap());
        for task in spawned {
            self.add(task);
        }
    }

    /// How many tasks can go on.
    pub fn ready(&mut self) -> usize {
        self.adopt_spawned();
        let mut ready = self.ready.lock().unwrap();
        ready.retain(|task| self.tasks.contains_key(task));
        ready.len()
    }

    /// How many reads of the disk wait to be done.
    pub fn work(&self) -> usize {
        self.runtime.work.lock().unwrap().len()
    }

    /// Lets one of the ready tasks go on. Answers with its number, and whether it is done.
    pub fn poll(&mut self, place: usize) -> (u64, bool) {
        let number = *self.ready.lock().unwrap().iter().nth(place).expect("a ready task");
        self.ready.lock().unwrap().remove(&number);
        let waker = Waker::from(Arc::new(ReadyAgain { task: number, ready: Arc::clone(&self.ready) }));
        let task = self.tasks.get_mut(&number).expect("ready tasks exist");
        let done = task.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
        if done {
            self.tasks.remove(&number);
        }
        (number, done)
    }

    /// Does one of the reads.
    pub fn do_work(&mut self, place: usize) {
        let work = self.runtime.work.lock().unwrap().remove(place);
        work();
    }

    /// Drops a task where it waits, as a caller does who goes away.
    pub fn cancel(&mut self, task: u64) {
        self.tasks.remove(&task);
    }
}
