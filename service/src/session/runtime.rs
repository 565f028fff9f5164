//! What the session needs of the process around it: tasks, threads that may wait for the disk, time and chance.
//!
//! A seam: the server's is tokio and the system, the simulation's is a scheduler on one thread with a seed.

use std::pin::Pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use divelog_ledger::{GameId, Secret};

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
pub(super) struct TokioRuntime;

impl Runtime for TokioRuntime {
    fn spawn(&self, task: Task) {
        tokio::spawn(task);
    }

    fn run_blocking(&self, work: Work) {
        tokio::task::spawn_blocking(work);
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
