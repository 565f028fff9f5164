//! Whether the server drains, for a stream that asks at every poll.

use std::pin::Pin;
use std::task::{Context, Waker};

use tokio::sync::watch;

use crate::api::watch::drained;

/// Whether the server drains: a state that costs next to nothing to ask for, and a wake-up when it changes. The wake-up is
/// prepared once for each task that polls, because the wait for it is what costs.
pub(super) struct Drained {
    draining: watch::Receiver<bool>,
    /// Wakes the stream's task when the answer changes.
    change: Pin<Box<dyn Future<Output = ()> + Send>>,
    task: Option<Waker>,
}

impl Drained {
    pub fn new(draining: watch::Receiver<bool>) -> Drained {
        let mut changing = draining.clone();
        // Not held back by what the task has done before: a poll that was would leave nobody to wake.
        let change = Box::pin(tokio::task::unconstrained(async move { drained(&mut changing).await }));
        Drained { draining, change, task: None }
    }

    /// Whether it has begun. If not, the task is woken when it does.
    pub fn poll(&mut self, context: &mut Context<'_>) -> bool {
        if self.has_begun() {
            return true;
        }
        if self.task.as_ref().is_some_and(|task| task.will_wake(context.waker())) {
            return false;
        }
        self.task = Some(context.waker().clone());
        self.change.as_mut().poll(context).is_ready()
    }

    pub fn has_begun(&self) -> bool {
        // The server says it once, and a server that is gone has drained too.
        self.draining.has_changed().unwrap_or(true)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::test_waker::WakeUps;

    struct Rig {
        server: Option<watch::Sender<bool>>,
        drained: Drained,
        waker: Waker,
        wake_ups: Arc<WakeUps>,
    }

    fn rig() -> Rig {
        let (server, draining) = watch::channel(false);
        let wake_ups = Arc::new(WakeUps::default());
        let waker = Waker::from(Arc::clone(&wake_ups));
        Rig { server: Some(server), drained: Drained::new(draining), waker, wake_ups }
    }

    impl Rig {
        fn poll(&mut self) -> bool {
            self.drained.poll(&mut Context::from_waker(&self.waker))
        }

        fn drain(&self) {
            self.server.as_ref().unwrap().send_replace(true);
        }
    }

    #[test]
    fn a_drain_before_the_first_poll_is_found() {
        let mut rig = rig();
        assert!(!rig.drained.has_begun());
        rig.drain();
        assert!(rig.drained.has_begun() && rig.poll());
    }

    /// However often it was polled by the same task before.
    #[test]
    fn a_drain_after_a_poll_wakes_the_task_which_finds_it() {
        for polls in 1..4 {
            let mut rig = rig();
            for _ in 0..polls {
                assert!(!rig.poll());
            }
            assert_eq!(rig.wake_ups.count(), 0);
            rig.drain();
            assert_eq!(rig.wake_ups.count(), 1, "after {polls} polls");
            assert!(rig.poll() && rig.poll(), "a state, not an event");
        }
    }

    #[test]
    fn the_task_that_polled_last_is_woken() {
        let mut rig = rig();
        assert!(!rig.poll());
        let other = Arc::new(WakeUps::default());
        let waker = Waker::from(Arc::clone(&other));
        assert!(!rig.drained.poll(&mut Context::from_waker(&waker)));
        rig.drain();
        assert_eq!((rig.wake_ups.count(), other.count()), (0, 1));
        assert!(rig.drained.has_begun());
    }

    #[test]
    fn a_server_that_is_gone_has_drained() {
        let mut rig = rig();
        assert!(!rig.poll());
        rig.server = None;
        assert_eq!(rig.wake_ups.count(), 1);
        assert!(rig.poll());
    }

    /// A stream that is opened while the server drains already: its receiver comes from one that has seen nothing.
    #[test]
    fn a_stream_that_is_opened_late_finds_that_the_server_drains() {
        let (server, draining) = watch::channel(false);
        server.send_replace(true);
        let mut late = Drained::new(draining.clone());
        assert!(late.has_begun());
        for task in [Waker::noop().clone(), Waker::from(Arc::new(WakeUps::default()))] {
            assert!(late.poll(&mut Context::from_waker(&task)), "whichever task asks");
        }
    }
}
