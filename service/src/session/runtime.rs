//! What the session needs of the process around it: tasks, threads that may wait for the disk, time and chance.
//!
//! A seam: the server's is tokio and the system, the simulation's is a scheduler on one thread with a seed.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use divelog_ledger::{GameId, Secret};

use crate::lock::lock;
use crate::{processors, scheduler};

/// Something that goes on by itself.
pub(super) type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Something that waits for the disk or takes long.
pub(super) type Work = Box<dyn FnOnce() + Send>;

/// Tasks, threads, time and chance.
pub(super) trait Runtime: Send + Sync {
    /// Runs a task, whoever else goes away.
    fn spawn(&self, task: Task);

    /// Runs something off the thread that tasks run on.
    fn run_blocking(&self, work: Work);

    /// The same for what computes much, where it takes no processor from those who play.
    fn run_audit(&self, work: Work);

    /// Is done after a while.
    fn pause(&self, time: Duration) -> Task;

    /// Milliseconds since 1970.
    fn now_ms(&self) -> u64;

    /// An id that no game has, higher than those before.
    fn new_id(&self) -> GameId;

    /// 32 bytes that nobody can guess; none where the system has no such bytes.
    fn random_secret(&self) -> Option<Secret>;
}

/// The runtime that a server runs on. Everything must be called from inside it.
pub(super) struct TokioRuntime {
    /// None when it ends.
    audits: Option<mpsc::Sender<Work>>,
    threads: Vec<JoinHandle<()>>,
}

/// How much audits give way to everything else that wants a processor.
const NICENESS: i32 = 10;
/// The most threads that audits keep busy.
const MAX_AUDIT_THREADS: usize = 4;
/// However long one audit took.
const MAX_REST: Duration = Duration::from_millis(50);
/// How long after a record was written play counts as going on.
const PLAY_GOES_ON: Duration = Duration::from_millis(100);

/// When a record was written last.
#[derive(Clone)]
pub(super) struct LastPlay {
    begun: Instant,
    /// Milliseconds later; 0 is never.
    at_ms: Arc<AtomicU64>,
}

impl LastPlay {
    pub fn new() -> LastPlay {
        LastPlay { begun: Instant::now(), at_ms: Arc::default() }
    }

    /// Notes that a record was written now.
    pub fn note(&self) {
        self.at_ms.store(self.now_ms(), Ordering::Relaxed);
    }

    fn now_ms(&self) -> u64 {
        // From 1 on.
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(1)
    }

    fn goes_on(&self) -> bool {
        let at = self.at_ms.load(Ordering::Relaxed);
        at != 0 && u128::from(self.now_ms().saturating_sub(at)) < PLAY_GOES_ON.as_millis()
    }
}

impl TokioRuntime {
    /// Starts the threads for audits, which end with it. They take half of the processors, and where there are few they rest
    /// twice as long as they work while play goes on: two busy processors delay each hand-over of an action by milliseconds.
    pub fn new(play: &LastPlay) -> std::io::Result<TokioRuntime> {
        // No more than the pool of audits lets in is ever in it.
        let (audits, work) = mpsc::channel();
        let count = (processors::count() / 2).clamp(1, MAX_AUDIT_THREADS);
        let rests = processors::are_scarce(count);
        let work = Arc::new(Mutex::new(work));
        let start = |number| {
            let work = Arc::clone(&work);
            let play = rests.then(|| play.clone());
            std::thread::Builder::new().name(format!("audit-{number}")).spawn(move || run_audits(&work, play.as_ref()))
        };
        let threads = (0..count).map(start).collect::<Result<_, _>>()?;
        Ok(TokioRuntime { audits: Some(audits), threads })
    }
}

/// Waits for what is under way: it may be the last that holds the store.
impl Drop for TokioRuntime {
    fn drop(&mut self) {
        self.audits = None;
        let this = std::thread::current().id();
        for thread in self.threads.drain(..).filter(|thread| thread.thread().id() != this) {
            // A panic has reached whoever asked for the work.
            drop(thread.join());
        }
    }
}

fn run_audits(work: &Mutex<mpsc::Receiver<Work>>, rests_beside: Option<&LastPlay>) {
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!(%error, "audits run at the priority of play");
    }
    loop {
        let next = lock(work).recv();
        match next {
            Ok(work) => {
                let begun = Instant::now();
                work();
                if rests_beside.is_some_and(LastPlay::goes_on) {
                    std::thread::sleep((begun.elapsed() * 2).min(MAX_REST));
                }
            }
            Err(_) => return,
        }
    }
}

impl Runtime for TokioRuntime {
    fn spawn(&self, task: Task) {
        // What the server does for a call takes its caller's share of the processor.
        scheduler::spawn(task);
    }

    fn run_blocking(&self, work: Work) {
        tokio::task::spawn_blocking(work);
    }

    fn run_audit(&self, work: Work) {
        // The threads live as long as this.
        if let Some(audits) = &self.audits {
            drop(audits.send(work));
        }
    }

    fn pause(&self, time: Duration) -> Task {
        Box::pin(tokio::time::sleep(time))
    }

    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn new_id(&self) -> GameId {
        GameId(uuid::Uuid::now_v7().into_bytes())
    }

    fn random_secret(&self) -> Option<Secret> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).ok()?;
        Some(Secret(secret))
    }
}
