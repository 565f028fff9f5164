//! Work that waits for the disk or takes long, off the runtime's thread, in pools with a bound each: however many audits
//! are asked for, play does not queue behind them, and in each pool callers take turns.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tokio::sync::oneshot;

use super::Error;
use super::runtime::{Runtime, Work};
use super::share::{FairShare, Permit, Waiter};
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
    pub play: WorkerPool,
    /// What watchers wait for who are behind. On the threads of audits: there may be ten thousand of them.
    pub watch: WorkerPool,
    /// What somebody who looks at the past waits for.
    pub audit: WorkerPool,
}

impl Pools {
    pub fn new(runtime: &Arc<dyn Runtime>) -> Pools {
        Pools {
            play: WorkerPool::new(runtime, PLAY, MAX_PLAY),
            watch: WorkerPool::new(runtime, AUDIT, MAX_WATCHES),
            audit: WorkerPool::new(runtime, AUDIT, MAX_AUDITS),
        }
    }
}

const PLAY: Hand = |runtime, work| runtime.run_blocking(work);
const AUDIT: Hand = |runtime, work| runtime.run_audit(work);

/// Hands work to the threads of a pool.
type Hand = fn(&dyn Runtime, Work);

/// A bounded share of the threads that may wait.
#[derive(Clone)]
pub(super) struct WorkerPool {
    runtime: Arc<dyn Runtime>,
    hand: Hand,
    share: FairShare,
}

impl WorkerPool {
    pub fn new(runtime: &Arc<dyn Runtime>, hand: Hand, most: usize) -> WorkerPool {
        WorkerPool { runtime: Arc::clone(runtime), hand, share: FairShare::new(most) }
    }

    /// Waits for room, then for the work. The work begins by itself when there is room, whether or not anybody polls this
    /// then, and goes on when nobody waits any more.
    pub async fn run<R: Send + 'static>(
        &self,
        caller: Caller,
        work: impl FnOnce() -> Result<R, Error> + Send + 'static,
    ) -> Result<R, Error> {
        let (sender, done) = oneshot::channel();
        let begun = Arc::new(AtomicBool::new(false));
        let job = Job {
            runtime: Arc::clone(&self.runtime),
            hand: self.hand,
            begun: Arc::clone(&begun),
            work: move || catch_unwind(AssertUnwindSafe(work)),
            sender,
        };
        let mut waiting = Waiting { share: &self.share, done, begun };
        self.share.queue(caller, Box::new(job));
        match (&mut waiting.done).await {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => resume_unwind(panic),
            // The runtime ends before the work has begun.
            Err(_) => Err(Error::ShuttingDown),
        }
    }
}

/// Work that waits for room.
struct Job<W, R> {
    runtime: Arc<dyn Runtime>,
    hand: Hand,
    begun: Arc<AtomicBool>,
    work: W,
    sender: oneshot::Sender<R>,
}

impl<R: Send + 'static, W: FnOnce() -> R + Send + 'static> Waiter for Job<W, R> {
    fn has_gone(&self) -> bool {
        self.sender.is_closed()
    }

    fn take(self: Box<Self>, place: Permit) -> Result<(), Permit> {
        if self.has_gone() {
            return Err(place);
        }
        let Job { runtime, hand, begun, work, sender } = *self;
        begun.store(true, Relaxed);
        let work = move || {
            let result = work();
            drop(place);
            // The caller may have gone away.
            drop(sender.send(result));
        };
        hand(runtime.as_ref(), Box::new(work));
        Ok(())
    }
}

/// Somebody who waits for a job.
struct Waiting<'a, R> {
    share: &'a FairShare,
    done: oneshot::Receiver<R>,
    begun: Arc<AtomicBool>,
}

impl<R> Drop for Waiting<'_, R> {
    fn drop(&mut self) {
        self.done.close();
        if !self.begun.load(Relaxed) {
            self.share.note_gone();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::mpsc;
    use std::task::{Context, Waker};

    use super::super::runtime::{LastPlay, TokioRuntime};
    use super::*;

    /// An audit that does not end leaves the threads of play alone; one more than the bound waits for its turn.
    #[tokio::test]
    async fn play_does_not_wait_for_audits() {
        let runtime: Arc<dyn Runtime> = Arc::new(TokioRuntime::new(&LastPlay::new()).unwrap());
        let pool = |hand, most| WorkerPool::new(&runtime, hand, most);
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

    /// Polls something that has to wait.
    fn poll<R>(waiting: Pin<&mut impl Future<Output = R>>) -> bool {
        waiting.poll(&mut Context::from_waker(Waker::noop())).is_pending()
    }

    /// A client that does not read is not polled: what it waits for must keep no room from others.
    #[tokio::test]
    async fn work_begins_and_ends_also_if_nobody_polls_who_waits_for_it() {
        let runtime: Arc<dyn Runtime> = Arc::new(TokioRuntime::new(&LastPlay::new()).unwrap());
        for hand in [PLAY, AUDIT] {
            let pool = WorkerPool::new(&runtime, hand, 1);
            let caller = |port: u16| Caller::from_address(Some(([127, 0, 0, 1], port).into()));
            let (gate, opened) = mpsc::channel::<()>();
            let mut first = Box::pin(pool.run(caller(1), move || Ok(opened.recv().is_err())));
            // It is queued by the first poll.
            assert!(poll(first.as_mut()));
            let mut unpolled: Vec<_> = (2..20).map(|port| Box::pin(pool.run(caller(port), || Ok(())))).collect();
            for waiting in &mut unpolled {
                assert!(poll(waiting.as_mut()));
            }
            drop(gate);
            assert_eq!(pool.run(caller(20), || Ok(7)).await.unwrap(), 7);
            drop((first, unpolled));
            assert_eq!(pool.run(caller(21), || Ok(8)).await.unwrap(), 8);
        }
    }

    #[tokio::test]
    async fn work_goes_on_and_keeps_its_room_when_its_caller_has_gone() {
        let runtime: Arc<dyn Runtime> = Arc::new(TokioRuntime::new(&LastPlay::new()).unwrap());
        let pool = WorkerPool::new(&runtime, PLAY, 1);
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
