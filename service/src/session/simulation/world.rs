//! One seed: runs of a server on one disk, callers who come and go, crashes, and final checks without faults, in which
//! everything is asked once more.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use divelog_ledger::Revision;
use tokio::sync::{mpsc, watch};

use super::super::commit::Ticket;
use super::super::reader::Reader;
use super::super::runtime::Runtime;
use super::super::{ForkRequest, Games, describe};
use super::calls::{Caller, creation};
use super::history::{Counts, Finding, History, Making};
use super::scheduler::{Scheduler, SimulatedRuntime};
use super::{Defect, injected};
use crate::store::manual_writer::{self, ManualWriter};
use crate::store::{Disk, Durability};
use crate::test_rng::TestRng;

/// More steps than any seed needs: whoever is not done by then never will be.
const MAX_STEPS: u64 = 200_000;

/// What differs between seeds beside the order of things.
struct Plan {
    calls: usize,
    at_once: usize,
    cache_games: usize,
    queue: usize,
    /// How likely each is to go on: a task, a read of the disk, the writer.
    weights: [usize; 3],
    /// Once in so many polls of a call it goes away.
    cancel: usize,
    /// Once in so many steps of the writer, and of anything else, the machine crashes.
    crash_at_writer: usize,
    crash: usize,
    /// Once in so many groups the disk fails.
    fail: usize,
    /// Once in so many groups the log refuses one late.
    depose: usize,
}

impl Plan {
    fn draw(rng: &TestRng) -> Plan {
        Plan {
            calls: 8 + rng.below(32),
            at_once: 1 + rng.below(8),
            cache_games: rng.pick(&[1, 2, 100]),
            queue: rng.pick(&[2, 8, 1_000]),
            weights: [rng.pick(&[1, 4, 16]), rng.pick(&[1, 4, 16]), rng.pick(&[1, 4, 16])],
            cancel: rng.pick(&[0, 4, 16]),
            crash_at_writer: rng.pick(&[0, 10, 40]),
            crash: rng.pick(&[0, 0, 200]),
            fail: rng.pick(&[0, 0, 30]),
            depose: rng.pick(&[0, 0, 10]),
        }
    }
}

/// One run of the server, from a start to a crash.
struct ServerRun {
    scheduler: Scheduler,
    games: Games,
    writer: ManualWriter<Ticket>,
    groups: mpsc::UnboundedSender<(Vec<Ticket>, Durability)>,
    calls: BTreeMap<u64, Call>,
}

/// A call under way.
#[derive(Clone, Copy)]
struct Call {
    what: &'static str,
    /// A watcher's number; it has no end of its own.
    watcher: Option<u64>,
}

/// What became of a seed.
pub struct Outcome {
    pub findings: Vec<Finding>,
    pub counts: Counts,
}

struct World {
    rng: TestRng,
    plan: Plan,
    disk: Disk,
    runtime: Arc<SimulatedRuntime>,
    history: Arc<Mutex<History>>,
    server: ServerRun,
    calls_made: u64,
    /// Whether callers go away, machines crash and disks fail.
    faults_enabled: bool,
    steps: u64,
}

/// Runs one seed.
pub fn run(seed: u64) -> Outcome {
    let rng = TestRng::new(seed);
    let (plan, disk) = (Plan::draw(&rng), Disk::default());
    let runtime = Arc::new(SimulatedRuntime::new(rng.clone()));
    let server = ServerRun::begin(&plan, &disk, &runtime);
    let history = Arc::default();
    let mut world = World { rng, plan, disk, runtime, history, server, calls_made: 0, faults_enabled: true, steps: 0 };
    world.play();
    world.faults_enabled = false;
    world.settle("after the load");
    if world.history().disk_failed {
        world.crash();
    }
    world.ask_again("without faults");
    world.crash();
    world.ask_again("after a restart");
    let reader = world.server.games.shared.reader.clone();
    let mut history = world.history();
    history.check(&reader);
    history.counts.steps = world.steps;
    Outcome { findings: std::mem::take(&mut history.findings), counts: history.counts.clone() }
}

impl ServerRun {
    fn begin(plan: &Plan, disk: &Disk, runtime: &Arc<SimulatedRuntime>) -> ServerRun {
        let (store, writer, mut manual) = manual_writer::open(disk, describe, plan.queue);
        manual.unchecked = injected(Defect::TwoCopies);
        let (sender, groups) = mpsc::unbounded_channel();
        // The session watches for a failure that the simulation brings about by answers alone.
        let (_, failed) = watch::channel(false);
        let scheduler = Scheduler::new(Arc::clone(runtime));
        let runtime: Arc<dyn Runtime> = Arc::clone(runtime) as Arc<dyn Runtime>;
        let games = Games::start(runtime, Reader::Simulated(store), writer, groups, failed, plan.cache_games);
        let games = games.expect("a simulation has chance");
        ServerRun { scheduler, games, writer: manual, groups: sender, calls: BTreeMap::new() }
    }
}

impl World {
    fn history(&self) -> std::sync::MutexGuard<'_, History> {
        self.history.lock().unwrap()
    }

    fn caller(&self) -> Caller {
        Caller { games: self.server.games.clone(), history: Arc::clone(&self.history), rng: self.rng.clone() }
    }

    /// The load: calls come until there were enough, and everything happens that can.
    fn play(&mut self) {
        let mut left = self.plan.calls;
        while left > 0 {
            let running = self.server.calls.values().filter(|call| call.watcher.is_none()).count();
            if running < self.plan.at_once && (self.rng.once_in(4) || !self.can_step()) {
                self.begin_call();
                left -= 1;
            } else if !self.step() {
                // Calls hang: the final checks say so.
                return;
            }
            if self.history().disk_failed && self.rng.once_in(20) {
                self.crash();
            }
        }
    }

    fn can_step(&mut self) -> bool {
        let server = &mut self.server;
        server.scheduler.ready() + server.scheduler.work() > 0 || server.writer.is_ready()
    }

    /// Lets one thing go on. False: nothing can.
    fn step(&mut self) -> bool {
        self.steps += 1;
        let [task, read, write] = self.plan.weights;
        let server = &mut self.server;
        let (tasks, reads) = (server.scheduler.ready() * task, server.scheduler.work() * read);
        let writes = if server.writer.is_ready() { write } else { 0 };
        if tasks + reads + writes == 0 || self.steps > MAX_STEPS {
            return false;
        }
        let choice = self.rng.below(tasks + reads + writes);
        let mut crash = self.plan.crash;
        if choice < tasks {
            self.poll(choice / task);
        } else if choice < tasks + reads {
            server.scheduler.do_work((choice - tasks) / read);
        } else {
            self.write();
            crash = self.plan.crash_at_writer;
        }
        if self.faults_enabled && self.rng.once_in(crash) {
            self.crash();
        }
        true
    }

    fn poll(&mut self, place: usize) {
        let (task, done) = self.server.scheduler.poll(place);
        let Some(call) = self.server.calls.get(&task).copied() else { return };
        if done {
            self.server.calls.remove(&task);
        } else if self.faults_enabled && self.rng.once_in(self.plan.cancel) {
            self.server.scheduler.cancel(task);
            self.server.calls.remove(&task);
            let mut history = self.history();
            history.counts.cancelled += 1;
            call.watcher.map(|number| history.watches.remove(&number));
        }
    }

    fn write(&mut self) {
        let sender = self.server.groups.clone();
        let mut on_group = move |tickets, durability| drop(sender.send((tickets, durability)));
        if self.faults_enabled && self.server.writer.is_proposed() {
            if self.rng.once_in(self.plan.fail) {
                if self.rng.once_in(2) {
                    self.server.writer.sync_silently();
                }
                self.server.writer.fail(&mut on_group);
                let mut history = self.history();
                history.disk_failed = true;
                history.counts.failures += 1;
                return;
            }
            if self.rng.once_in(self.plan.depose) {
                self.server.writer.depose();
                self.history().counts.deposed += 1;
            }
        }
        let most = self.rng.pick(&[1, 3, 100]);
        self.server.writer.step(most, &mut on_group);
    }

    /// Everything that is not durable is gone; the server starts again.
    fn crash(&mut self) {
        // First what is under way: the next server begins with tasks of its own.
        self.server.scheduler.crash();
        self.server = ServerRun::begin(&self.plan, &self.disk, &self.runtime);
        let mut history = self.history();
        history.counts.crashes += 1;
        history.disk_failed = false;
        history.watches.clear();
    }

    /// Goes on until nothing can: then nobody may wait any more.
    fn settle(&mut self, when: &str) {
        while self.step() {}
        if self.steps > MAX_STEPS {
            self.history().find("endless", when);
        }
        let mut hanging = Vec::new();
        let calls: Vec<Call> = self.server.calls.values().copied().collect();
        for call in calls {
            let at = call.watcher.map(|number| self.history().watches.get(&number).copied());
            match at {
                Some(Some((game, cursor))) => {
                    let entry = self.server.games.shared.reader.entry(game).expect("an entry in memory");
                    let revision = entry.map_or(Revision::NONE, |entry| entry.revision);
                    if cursor != revision && !self.history().disk_failed {
                        let detail = format!("game {game} is at {revision}, a watcher of it at {cursor}");
                        self.history().find("watch-stopped", detail);
                    }
                }
                _ => hanging.push(call.what),
            }
        }
        if !hanging.is_empty() {
            self.history().find("hang", format!("{when} these calls wait, and nothing goes on: {hanging:?}"));
        }
    }

    /// Asks everything again that has a request id: each has its answer, and always the same.
    fn ask_again(&mut self, when: &str) {
        let (acts, makings) = {
            let history = self.history();
            (history.acts.keys().cloned().collect::<Vec<_>>(), history.makings.values().cloned().collect::<Vec<_>>())
        };
        for making in makings {
            let caller = self.caller();
            match making {
                Making::Create(request) => self.begin("create", None, caller.create(*request)),
                Making::Fork(request) => self.begin("fork", None, caller.fork(request)),
            }
            // One after the other: together they may be more than the queue takes.
            while self.step() {}
        }
        for (game, request_id) in acts {
            let caller = self.caller();
            self.begin("repeat", None, caller.repeat(game, request_id));
            while self.step() {}
        }
        self.settle(when);
    }

    fn begin(&mut self, what: &'static str, watcher: Option<u64>, call: impl Future<Output = ()> + Send + 'static) {
        let task = self.server.scheduler.add(Box::pin(call));
        self.server.calls.insert(task, Call { what, watcher });
        self.calls_made += 1;
    }

    /// A call of some kind, to some game.
    fn begin_call(&mut self) {
        let (rng, caller, number) = (self.rng.clone(), self.caller(), self.calls_made);
        let known = self.history().games.clone();
        if known.is_empty() || rng.once_in(6) {
            return self.begin_creation();
        }
        let game = rng.pick(&known);
        match rng.below(20) {
            0 => self.begin("abandon", None, caller.abandon(game)),
            1 | 2 => {
                let request_id = rng.pick(&["", "fork-1", "fork-2"]).to_owned();
                let mut request = ForkRequest {
                    game_id: game,
                    at_revision: None,
                    same_seed: rng.once_in(2),
                    labels: Default::default(),
                    request_id: request_id.clone(),
                };
                if !request_id.is_empty() {
                    // Under one id always the same fork, from the moment that it is first meant.
                    let mut history = self.history();
                    let first = history.makings.entry(request_id).or_insert(Making::Fork(request.clone()));
                    if let Making::Fork(first) = first {
                        request = first.clone();
                    }
                }
                self.begin("fork", None, caller.fork(request));
            }
            3 | 4 => self.begin("read", None, caller.read(game)),
            5 | 6 => self.begin("watch", Some(number), caller.watch(number, game, rng.once_in(2))),
            7 | 8 => {
                let acts: Vec<_> = self.history().acts.keys().cloned().collect();
                if !acts.is_empty() {
                    let (game, request_id) = rng.pick(&acts);
                    self.begin("repeat", None, caller.repeat(game, request_id));
                }
            }
            other => {
                let request_id = if other == 9 { String::new() } else { format!("act-{number}") };
                self.begin("act", None, caller.act(game, request_id, rng.once_in(2)));
            }
        }
    }

    fn begin_creation(&mut self) {
        let (rng, caller) = (self.rng.clone(), self.caller());
        let request = match rng.below(4) {
            0 => creation(3, "", None),
            1 | 2 => {
                let seats = if rng.once_in(8) { 4 } else { 3 };
                creation(seats, rng.pick(&["new-1", "new-2"]), None)
            }
            _ => {
                let prepared = self.server.games.prepare();
                // From now on others may ask for it.
                self.history().know(prepared.game_id);
                let request_id = if rng.once_in(2) { String::new() } else { format!("kept-{}", self.calls_made) };
                let request = creation(3, &request_id, Some(prepared));
                if rng.once_in(3) {
                    self.begin("create", None, self.caller().create(request.clone()));
                }
                request
            }
        };
        self.begin("create", None, caller.create(request));
    }
}
