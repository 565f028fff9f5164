//! Work that waits for the disk or takes long, off the runtime's thread, in pools with a bound each: however many audits
//! are asked for, play does not queue behind them, and in each pool callers take turns.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use tokio::sync::oneshot;

use super::Error;
use super::runtime::{Runtime, Work};
use super::share::{FairShare, Place};
use crate::access::Caller;

/// Loads and creations that may be under way at once: they wait for the disk more than they compute.
const MAX_PLAY: usize = 12;
/// Replays, logs, proofs, bundles and lists that may be under way at once: they compute more than they wait, on fewer
/// threads where there are few processors.
pub(super) const MAX_AUDITS: usize = 4;
/// Parts of logs that may be read for watchers at once. In turn with audits on their threads, a part at a time.
const MAX_WATCHES: usize = 4;
/// Threads that the runtime needs for play at its bound. Audits have threads of their own, of low priority.
pub const BLOCKING_THREADS: usize = MAX_PLAY;

/// The pools.
#[derive(Clone)]
pub(super) struct Pools {
    /// What somebody who plays waits for.
    pub play: Pool,
    /// What watchers wait for who are behind. On the threads of audits: there may be ten thousand of them.
    pub watch: Pool,
    /// What somebody who looks at the past waits for.
    pub audit: Pool,
}

impl Pools {
    pub fn new(runtime: &Arc<dyn Runtime>) -> Pools {
        Pools {
            play: Pool::new(runtime, PLAY, MAX_PLAY),
            watch: Pool::new(runtime, AUDIT, MAX_WATCHES),
            audit: Pool::new(runtime, AUDIT, MAX_AUDITS),
        }
    }
}

const PLAY: Hand = |runtime, work| runtime.run_blocking(work);
const AUDIT: Hand = |runtime, work| runtime.run_audit(work);

/// Hands work to the threads of a pool.
type Hand = fn(&dyn Runtime, Work);

/// A bounded share of the threads that may wait.
#[derive(Clone)]
pub(super) struct Pool {
    runtime: Arc<dyn Runtime>,
    hand: Hand,
    share: FairShare,
}

impl Pool {
    pub fn new(runtime: &Arc<dyn Runtime>, hand: Hand, most: usize) -> Pool {
        Pool { runtime: Arc::clone(runtime), hand, share: FairShare::new(most) }
    }

    /// Waits for room, then for the work. Work that has begun goes on, and keeps its room, when nobody waits any more.
    pub async fn run<R: Send + 'static>(
        &self,
        caller: Caller,
        work: impl FnOnce() -> Result<R, Error> + Send + 'static,
    ) -> Result<R, Error> {
        let place = self.place(caller).await;
        self.run_in(place, work).await
    }

    /// Waits for room.
    pub async fn place(&self, caller: Caller) -> Place {
        self.share.place(caller).await
    }

    /// Waits for the work, which has room already.
    pub async fn run_in<R: Send + 'static>(
        &self,
        place: Place,
        work: impl FnOnce() -> Result<R, Error> + Send + 'static,
    ) -> Result<R, Error> {
        let (sender, done) = oneshot::channel();
        let work = move || {
            let result = catch_unwind(AssertUnwindSafe(work));
            drop(place);
            // The caller may have gone away.
            drop(sender.send(result));
        };
        (self.hand)(self.runtime.as_ref(), Box::new(work));
        match done.await {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => resume_unwind(panic),
            // The runtime ends before the work has begun.
            Err(_) => Err(Error::ShuttingDown),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::super::runtime::{LastPlay, TokioRuntime};
    use super::*;

    /// An audit that takes for ever leaves the threads of play alone; one more than the bound waits for its turn.
    #[tokio::test]
    async fn play_does_not_wait_for_audits() {
        let runtime: Arc<dyn Runtime> = Arc::new(TokioRuntime::new(&LastPlay::new()).unwrap());
        let pool = |hand, most| Pool::new(&runtime, hand, most);
        let pools = Pools { play: pool(PLAY, 2), watch: pool(AUDIT, 1), audit: pool(AUDIT, 1) };
        let (begun, beginnings) = mpsc::channel();
        let mut gates = Vec::new();
        let audits: Vec<_> = (0..2)
            .map(|_| {
                let (gate, opened) = mpsc::channel::<()>();
                gates.push(gate);
                let (pool, begun) = (pools.audit.clone(), begun.clone());
                tokio::spawn(async move {
                    let work = move || {
                        begun.send(()).ok();
                        opened.recv().ok();
                        Ok(())
                    };
                    pool.run(Caller::default(), work).await
                })
            })
            .collect();
        let one_begun = tokio::task::spawn_blocking(move || {
            beginnings.recv().unwrap();
            beginnings
        });
        let beginnings = one_begun.await.unwrap();
        assert_eq!(pools.play.run(Caller::default(), || Ok(7)).await.unwrap(), 7);
        assert!(beginnings.try_recv().is_err(), "the second audit has not begun");
        drop(gates);
        for audit in audits {
            audit.await.unwrap().unwrap();
        }
    }

    #[tokio::test]
    async fn work_goes_on_and_keeps_its_room_when_its_caller_has_gone() {
        let runtime: Arc<dyn Runtime> = Arc::new(TokioRuntime::new(&LastPlay::new()).unwrap());
        let pool = Pool::new(&runtime, PLAY, 1);
        let (gate, opened) = mpsc::channel::<()>();
        let mut work = Box::pin(pool.run(Caller::default(), move || {
            opened.recv().ok();
            Ok(())
        }));
        assert!(std::future::poll_fn(|context| std::task::Poll::Ready(work.as_mut().poll(context))).await.is_pending());
        drop(work);
        let mut next = Box::pin(pool.run(Caller::default(), || Ok(7)));
        assert!(std::future::poll_fn(|context| std::task::Poll::Ready(next.as_mut().poll(context))).await.is_pending());
        drop(gate);
        assert_eq!(next.await.unwrap(), 7);
    }
}
