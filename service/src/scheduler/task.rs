//! One task: a future, and whether it is to be polled.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use super::Flow;
use crate::lock::lock;

type Future = Pin<Box<dyn std::future::Future<Output = ()> + Send>>;

/// Nobody has woken it since it was polled.
const ASLEEP: u8 = 0;
/// It is in the queue.
const QUEUED: u8 = 1;
/// It is being polled.
const RUNNING: u8 = 2;
/// It is being polled, and was woken meanwhile.
const WOKEN: u8 = 3;

/// What came of a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Polled {
    Pending,
    /// It is not to be polled again.
    Done,
}

/// A task of a flow.
pub(super) struct Task {
    pub flow: Flow,
    /// Its place among all that are not done.
    pub place: usize,
    state: AtomicU8,
    /// None when it is done. Locked by whoever polls it only, because its state lets one at a time do so.
    future: Mutex<Option<Future>>,
}

impl Task {
    /// A task that is to be queued.
    pub fn new(flow: Flow, place: usize, future: Future) -> Arc<Task> {
        Arc::new(Task { flow, place, state: AtomicU8::new(QUEUED), future: Mutex::new(Some(future)) })
    }

    /// Polls it. It must have come from the queue.
    pub fn run(self: Arc<Task>) -> Polled {
        self.state.store(RUNNING, Ordering::Release);
        let waker = Waker::from(Arc::clone(&self));
        let mut future = lock(&self.future);
        if let Some(running) = future.as_mut() {
            let poll = || running.as_mut().poll(&mut Context::from_waker(&waker));
            // A panic ends its own task only; it has been reported where it happened.
            let polled = catch_unwind(AssertUnwindSafe(poll));
            if !matches!(polled, Ok(Poll::Pending)) {
                let done = future.take();
                drop(future);
                drop(catch_unwind(AssertUnwindSafe(|| drop(done))));
                return Polled::Done;
            }
        }
        drop(future);
        let asleep = self.state.compare_exchange(RUNNING, ASLEEP, Ordering::AcqRel, Ordering::Acquire);
        if asleep.is_err() {
            self.state.store(QUEUED, Ordering::Release);
            Flow::queue(self);
        }
        Polled::Pending
    }

    /// Drops what is left of it: nobody will poll it any more.
    pub fn cancel(&self) {
        let future = lock(&self.future).take();
        drop(catch_unwind(AssertUnwindSafe(|| drop(future))));
    }
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let mut state = self.state.load(Ordering::Acquire);
        loop {
            let next = match state {
                ASLEEP => QUEUED,
                RUNNING => WOKEN,
                _ => return,
            };
            match self.state.compare_exchange_weak(state, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) if next == QUEUED => return Flow::queue(self),
                Ok(_) => return,
                Err(now) => state = now,
            }
        }
    }

    fn wake_by_ref(self: &Arc<Self>) {
        Arc::clone(self).wake();
    }
}
