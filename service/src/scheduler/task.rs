//! One task: a future, and whether it is to be polled.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use super::Flow;
use crate::lock::lock;

#[cfg(test)]
mod tests;

type Future = Pin<Box<dyn std::future::Future<Output = ()> + Send>>;

/// Whether it is to be polled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nobody has woken it since it was polled.
    Asleep,
    /// It is in the queue.
    Queued,
    /// It is being polled, or done.
    Running,
    /// It is being polled, or done, and was woken meanwhile.
    Woken,
}

impl State {
    /// After somebody has woken it.
    fn woken(self) -> State {
        match self {
            State::Asleep => State::Queued,
            State::Running => State::Woken,
            State::Queued | State::Woken => self,
        }
    }

    /// After a poll, unless it is done.
    fn polled(self) -> State {
        if self == State::Woken { State::Queued } else { State::Asleep }
    }
}

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
    /// Locked for one step only, in which nothing is queued, polled or dropped: whoever wakes it may hold a lock that these
    /// need, as h2 does.
    state: Mutex<State>,
    /// None when it is done. Locked by whoever polls it only, because its state lets one at a time do so.
    future: Mutex<Option<Future>>,
}

impl Task {
    /// A task that is to be queued.
    pub fn new(flow: Flow, place: usize, future: Future) -> Arc<Task> {
        Arc::new(Task { flow, place, state: Mutex::new(State::Queued), future: Mutex::new(Some(future)) })
    }

    /// Polls it. It must have come from the queue.
    pub fn run(self: Arc<Task>) -> Polled {
        self.change(|_| State::Running);
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
        if self.change(State::polled) == State::Woken {
            Flow::queue(self);
        }
        Polled::Pending
    }

    /// Goes from one state to the next. Returns the one before.
    fn change(&self, next: impl FnOnce(State) -> State) -> State {
        let mut state = lock(&self.state);
        let before = *state;
        *state = next(before);
        before
    }

    /// Drops what is left of it: nobody will poll it any more.
    pub fn cancel(&self) {
        let future = lock(&self.future).take();
        drop(catch_unwind(AssertUnwindSafe(|| drop(future))));
    }
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        if self.change(State::woken) == State::Asleep {
            Flow::queue(self);
        }
    }

    fn wake_by_ref(self: &Arc<Self>) {
        Arc::clone(self).wake();
    }
}
