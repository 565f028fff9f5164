//! Which task has the processor next.
//!
//! The tasks of one connection, and what the server does for its calls, are a *flow*. Processor time is divided among flows,
//! not among tasks: whoever sends a million requests, opens a thousand calls or has ten thousand watches waits behind those
//! who ask for little. It is divided among origins first, so whoever opens a thousand connections gains nothing by it either.
//! The runtime's own queue gives every task its turn, so the more somebody asks for the more they get.
//!
//! A task cannot be interrupted. Tasks that have much to do ask [`turn_is_over`] and go on in their next turn.
//!
//! | module | what it is for |
//! |---|---|
//! | `queue` | the order in which flows are served |
//! | `pace` | what is left free while somebody plays who asks for little |
//! | `task` | a future that is polled when it was woken |
//!
//! Written by hand because the executors that there are serve tasks in the order in which they were woken.

mod pace;
mod queue;
mod task;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use slab::Slab;
use tokio::task::JoinSet;
use tokio::time::Sleep;

use self::pace::Pace;
use self::queue::{Demand, Queue, Turn};
use self::task::{Polled, Task};
use crate::access::Origin;
use crate::lock::lock;
use crate::processors;

/// How long tasks run before the runtime looks at sockets, timers and what other threads hand over.
const LOOK_EVERY: Duration = Duration::from_micros(100);
/// How long a task should run before it lets others run.
const TASK_TURN: Duration = Duration::from_micros(50);

/// Runs the tasks of all flows. Ends when it is dropped.
pub struct Scheduler(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    begun: Instant,
}

struct State {
    queue: Queue<Arc<Task>>,
    /// All that are not done, so that they can be dropped at the end, whoever could still wake them.
    tasks: Slab<Arc<Task>>,
    /// None where processors are not scarce.
    pace: Option<Pace>,
    /// The workers that have nothing to do.
    idle: Vec<(usize, Waker)>,
    closed: bool,
}

/// Tasks that share one part of the processor.
#[derive(Clone)]
pub struct Flow(Arc<Member>);

struct Member {
    shared: Arc<Shared>,
    flow: usize,
}

thread_local! {
    /// The flow whose task runs on this thread.
    static RUNNING: RefCell<Option<Flow>> = const { RefCell::new(None) };
    /// When the task that runs on this thread should let others run.
    static TURN_END: Cell<Option<Instant>> = const { Cell::new(None) };
}

impl Scheduler {
    /// Starts so many workers, one for each thread of the runtime, which must be there. Also returns what is done when one
    /// of them has ended, which is a bug.
    pub fn start(workers: usize) -> (Scheduler, impl Future<Output = ()>) {
        let shared = Shared::new(processors::are_scarce(workers).then(|| Pace::new(workers)));
        let mut all = JoinSet::new();
        for worker in 0..workers {
            // Tasks take turns by our own measure. The runtime's would count the work of all of them as one task's.
            all.spawn(tokio::task::unconstrained(work(worker, Arc::clone(&shared))));
        }
        let ended = async move { drop(all.join_next().await) };
        (Scheduler(shared), ended)
    }

    /// A flow without tasks.
    pub fn flow(&self, origin: Origin) -> Flow {
        let now = self.0.begun.elapsed();
        let flow = lock(&self.0.state).queue.add_flow(origin, now);
        Flow(Arc::new(Member { shared: Arc::clone(&self.0), flow }))
    }
}

impl Drop for Scheduler {
    /// Nothing runs any more, and every task is dropped, each by itself: whoever wakes a task may hold a lock that the task
    /// needs when it is dropped, as h2 does, so a wake-up after the end does nothing.
    fn drop(&mut self) {
        let (tasks, queued, idle) = {
            let mut state = lock(&self.0.state);
            state.closed = true;
            (std::mem::take(&mut state.tasks), state.queue.drain(), std::mem::take(&mut state.idle))
        };
        idle.into_iter().for_each(|(_, worker)| worker.wake());
        drop(queued);
        tasks.iter().for_each(|(_, task)| task.cancel());
    }
}

impl Flow {
    /// Runs a task in this flow.
    pub fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        let shared = &self.0.shared;
        let now = shared.begun.elapsed();
        let mut state = lock(&shared.state);
        if state.closed {
            drop(state);
            return drop(future);
        }
        let place = state.tasks.vacant_entry();
        let task = Task::new(self.clone(), place.key(), Box::pin(future));
        place.insert(Arc::clone(&task));
        state.queue(task, now).into_iter().for_each(Waker::wake);
    }

    /// Queues a task that has been woken.
    fn queue(task: Arc<Task>) {
        let shared = Arc::clone(&task.flow.0.shared);
        let now = shared.begun.elapsed();
        let mut state = lock(&shared.state);
        let idle = if state.closed { None } else { state.queue(Arc::clone(&task), now) };
        drop(state);
        idle.into_iter().for_each(Waker::wake);
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        // Every task holds its flow, so none is queued.
        lock(&self.shared.state).queue.remove_flow(self.flow);
    }
}

impl<F: Future<Output = ()> + Send + 'static> hyper::rt::Executor<F> for Flow {
    fn execute(&self, future: F) {
        self.spawn(future);
    }
}

/// Runs a task in the flow of the task that runs now, or on the runtime if that belongs to none.
pub fn spawn(future: impl Future<Output = ()> + Send + 'static) {
    match RUNNING.with_borrow(Clone::clone) {
        Some(flow) => flow.spawn(future),
        None => drop(tokio::spawn(future)),
    }
}

/// Whether flows that ask for much are held back now, on the thread of a task that runs.
pub fn holds_back() -> bool {
    let shared = RUNNING.with_borrow(|flow| flow.as_ref().map(|flow| Arc::clone(&flow.0.shared)));
    shared.is_some_and(|shared| {
        let now = shared.begun.elapsed();
        lock(&shared.state).pace.as_ref().is_some_and(|pace| pace.holds_back(now))
    })
}

/// When the task that runs now should let others run, if it belongs to a flow. Differs from turn to turn.
pub fn turn_end() -> Option<Instant> {
    TURN_END.get()
}

/// Whether the task that runs now should let others run: wake itself and return.
pub fn turn_is_over() -> bool {
    turn_end().is_some_and(|end| Instant::now() >= end)
}

/// Runs tasks until the scheduler ends.
async fn work(worker: usize, shared: Arc<Shared>) {
    let mut rest = None;
    poll_fn(|context| shared.poll_work(worker, &mut rest, context)).await;
}

/// What a worker does next.
enum Next {
    Run(Arc<Task>, Turn, Demand),
    /// There is more to do, and the runtime should look at everything else first.
    Look,
    /// Nothing is to be done.
    Idle,
    /// Only flows that must wait so long have anything to do.
    Rest(Duration),
}

/// What came of a task that has run.
struct Ran {
    turn: Turn,
    demand: Demand,
    used: Duration,
    /// Its place among all tasks, if it is done.
    done: Option<usize>,
}

impl Shared {
    fn new(pace: Option<Pace>) -> Arc<Shared> {
        let state = State { queue: Queue::new(), tasks: Slab::new(), pace, idle: Vec::new(), closed: false };
        Arc::new(Shared { state: Mutex::new(state), begun: Instant::now() })
    }

    /// Runs tasks until there are none, until those that there are must wait, or until the runtime should look at everything
    /// else.
    fn poll_work(&self, worker: usize, rest: &mut Option<Pin<Box<Sleep>>>, context: &mut Context<'_>) -> Poll<()> {
        let began = Instant::now();
        let (mut now, mut last): (_, Option<Ran>) = (began, None);
        *rest = None;
        loop {
            let (next, done) = {
                let mut state = lock(&self.state);
                if state.closed {
                    return Poll::Ready(());
                }
                let done = last.as_ref().and_then(|last| last.done).map(|task| state.tasks.remove(task));
                let next = state.next(last.take(), now - self.begun, now - began >= LOOK_EVERY);
                if matches!(next, Next::Idle | Next::Rest(_)) {
                    state.set_idle(worker, context.waker());
                }
                (next, done)
            };
            // With the last task of a flow goes the flow, which needs the lock.
            drop(done);
            let (task, turn, demand) = match next {
                Next::Run(task, turn, demand) => (task, turn, demand),
                Next::Idle => return Poll::Pending,
                Next::Look => {
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Next::Rest(time) => {
                    let mut sleep = Box::pin(tokio::time::sleep(time));
                    if sleep.as_mut().poll(context).is_ready() {
                        context.waker().wake_by_ref();
                    }
                    *rest = Some(sleep);
                    return Poll::Pending;
                }
            };
            let place = task.place;
            let polled = run(task, now + TASK_TURN);
            let used = now.elapsed();
            now += used;
            last = Some(Ran { turn, demand, used, done: (polled == Polled::Done).then_some(place) });
        }
    }
}

impl State {
    /// What is next after a task, which took so long.
    fn next(&mut self, last: Option<Ran>, now: Duration, is_over: bool) -> Next {
        if let Some(Ran { turn, demand, used, .. }) = last {
            if let (Some(pace), Demand::Much) = (&mut self.pace, demand) {
                pace.used(used);
            }
            match is_over {
                true => self.queue.end(turn, used),
                false => {
                    if let Some((task, turn)) = self.queue.more(turn, used) {
                        return Next::Run(task, turn, demand);
                    }
                }
            }
        }
        let Some(demand) = self.queue.next_demand(now) else { return Next::Idle };
        if is_over {
            return Next::Look;
        }
        if let Some(pace) = &mut self.pace {
            match demand {
                Demand::Little => pace.light(now),
                Demand::Some => {}
                Demand::Much => {
                    if let Some(time) = pace.rest(now) {
                        return Next::Rest(time);
                    }
                }
            }
        }
        match self.queue.next() {
            Some((task, turn)) => Next::Run(task, turn, demand),
            None => Next::Idle,
        }
    }

    /// Queues a task. Also returns who is to be woken.
    fn queue(&mut self, task: Arc<Task>, now: Duration) -> Option<Waker> {
        self.queue.push(task.flow.0.flow, task, now);
        self.idle.pop().map(|(_, worker)| worker)
    }

    fn set_idle(&mut self, worker: usize, waker: &Waker) {
        self.idle.retain(|(idle, _)| *idle != worker);
        self.idle.push((worker, waker.clone()));
    }
}

/// Runs a task, which knows its flow and when its turn ends.
fn run(task: Arc<Task>, turn_end: Instant) -> Polled {
    RUNNING.set(Some(task.flow.clone()));
    TURN_END.set(Some(turn_end));
    let polled = task.run();
    RUNNING.set(None);
    TURN_END.set(None);
    polled
}
