//! The bounded queue in front of the writer thread.
//!
//! Not a channel: the taker takes a whole group under one lock, leaves in the queue what does not fit the block, and
//! `close` must end it while senders live.
//!
//! Items arrive in bursts, and a taker that is woken for the first of many works on that one alone while the others wait.
//! So an item wakes the taker only where many wait. For fewer somebody else, the announcer, waits until the burst is over
//! and wakes the taker then ([`Queue::poll_since_wake`], [`Queue::wake`]).
//!
//! Both wait for a state under the one lock, not for an event: the taker must work as long as items wait that it was woken
//! for, the announcer must act as long as items wait that the taker was not woken for. Whoever looks late finds the state
//! as it is, and whoever sleeps is woken when it changes, so no order of threads loses a wake-up.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use crate::lock::wait;

/// With so many items the taker is woken although more may follow at once: it works on these meanwhile.
const WAKE_AT_LEN: usize = 64;

pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    filled: Condvar,
    most: usize,
}

struct State<T> {
    waiting: VecDeque<T>,
    /// How many of those that wait, the newest, have come since the taker was woken or has taken.
    since_wake: usize,
    /// How many items have ever been queued.
    queued: u64,
    closed: bool,
    /// Whether the taker sleeps: only then a wake-up costs anything.
    sleeping: bool,
    /// Set while the announcer sleeps.
    announcer: Option<Waker>,
}

pub(super) enum NotQueued<T> {
    Full(T),
    Closed(T),
}

impl<T> Queue<T> {
    pub fn new(most: usize) -> Queue<T> {
        let waiting = VecDeque::new();
        let state = State { waiting, since_wake: 0, queued: 0, closed: false, sleeping: false, announcer: None };
        Queue { state: Mutex::new(state), filled: Condvar::new(), most: most.max(1) }
    }

    /// Never blocks on the taker's work, and does not wake the taker before many items wait: [`Queue::wake`] does, for
    /// one item or for many.
    pub fn push(&self, item: T) -> Result<(), NotQueued<T>> {
        let announcer = {
            let mut state = self.lock();
            if state.closed {
                return Err(NotQueued::Closed(item));
            }
            if state.waiting.len() >= self.most {
                return Err(NotQueued::Full(item));
            }
            state.waiting.push_back(item);
            state.queued += 1;
            state.since_wake += 1;
            if state.waiting.len() >= WAKE_AT_LEN {
                self.wake_taker(&mut state);
                return Ok(());
            }
            state.announcer.take()
        };
        if let Some(announcer) = announcer {
            announcer.wake();
        }
        Ok(())
    }

    /// Whether [`Queue::push`] would take an item now, or refuse it for another reason than that it is full.
    pub fn has_room(&self) -> bool {
        let state = self.lock();
        state.closed || state.waiting.len() < self.most
    }

    /// Wakes the taker for everything that waits.
    pub fn wake(&self) {
        self.wake_taker(&mut self.lock());
    }

    fn wake_taker(&self, state: &mut State<T>) {
        state.since_wake = 0;
        if state.is_ready() && std::mem::take(&mut state.sleeping) {
            self.filled.notify_one();
        }
    }

    /// For the announcer: ready as long as items wait that the taker was not woken for, with the number of items that were
    /// queued so far. One task at a time.
    pub fn poll_since_wake(&self, context: &Context<'_>) -> Poll<u64> {
        let mut state = self.lock();
        if state.since_wake > 0 {
            return Poll::Ready(state.queued);
        }
        state.announcer = Some(context.waker().clone());
        Poll::Pending
    }

    /// How many items were queued so far, whatever has become of them.
    pub fn queued(&self) -> u64 {
        self.lock().queued
    }

    /// Waits for an item that the taker was woken for, then takes all that wait while `fits` says so, the first in any case.
    /// Nothing taken: the queue is closed and empty.
    pub fn take(&self, mut fits: impl FnMut(&T) -> bool) -> Vec<T> {
        let mut state = self.lock();
        loop {
            match state.take_ready(&mut fits) {
                Some(taken) => return taken,
                None => state = wait(&self.filled, state),
            }
        }
    }

    /// Refuses all later items; those waiting can still be taken.
    pub fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        self.filled.notify_all();
    }

    /// Whether [`Queue::take`] would not wait, and take something.
    #[cfg(test)]
    pub fn is_ready(&self) -> bool {
        let state = self.lock();
        !state.waiting.is_empty() && state.is_ready()
    }

    /// Ready when more items were queued than these: an event where [`Queue::poll_since_wake`] is a state. For a defect
    /// that a simulation must find.
    #[cfg(test)]
    pub fn poll_queued_after(&self, seen: u64, context: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if state.queued > seen {
            return Poll::Ready(());
        }
        state.announcer = Some(context.waker().clone());
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        crate::lock::lock(&self.state)
    }
}

impl<T> State<T> {
    /// Whether the taker has something to do.
    fn is_ready(&self) -> bool {
        self.closed || self.waiting.len() > self.since_wake
    }

    /// What the taker takes. None: it must sleep.
    fn take_ready(&mut self, mut fits: impl FnMut(&T) -> bool) -> Option<Vec<T>> {
        self.sleeping = !self.is_ready();
        if self.sleeping {
            return None;
        }
        let mut taken = Vec::new();
        while let Some(item) = self.waiting.pop_front() {
            if !fits(&item) && !taken.is_empty() {
                self.waiting.push_front(item);
                break;
            }
            taken.push(item);
        }
        // The taker has seen what it leaves, and comes back for it.
        self.since_wake = 0;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::test_waker::WakeUps;

    fn push(queue: &Queue<u64>, item: u64) {
        assert!(queue.push(item).is_ok());
    }

    /// What a taker finds that looks now.
    fn look(queue: &Queue<u64>) -> Option<Vec<u64>> {
        queue.lock().take_ready(|_| true)
    }

    fn sleeps(queue: &Queue<u64>) -> bool {
        queue.lock().sleeping
    }

    fn since_wake(queue: &Queue<u64>) -> Option<u64> {
        match queue.poll_since_wake(&Context::from_waker(Waker::noop())) {
            Poll::Ready(queued) => Some(queued),
            Poll::Pending => None,
        }
    }

    #[test]
    fn an_item_that_comes_before_the_taker_looks_is_found() {
        let queue = Queue::new(10);
        push(&queue, 1);
        queue.wake();
        assert_eq!(look(&queue), Some(vec![1]));
    }

    #[test]
    fn an_item_that_comes_after_the_taker_has_looked_wakes_it() {
        let queue = Queue::new(10);
        assert!(look(&queue).is_none() && sleeps(&queue));
        push(&queue, 1);
        assert!(sleeps(&queue) && !queue.is_ready(), "more may follow at once");
        push(&queue, 2);
        queue.wake();
        assert!(!sleeps(&queue));
        assert_eq!(look(&queue), Some(vec![1, 2]));
    }

    #[test]
    fn an_item_that_comes_while_the_taker_works_waits_for_its_own_wake_up() {
        let queue = Queue::new(10);
        push(&queue, 1);
        queue.wake();
        assert_eq!(look(&queue), Some(vec![1]));
        push(&queue, 2);
        assert!(look(&queue).is_none(), "the wake-up before was for the item before");
        queue.wake();
        assert_eq!(look(&queue), Some(vec![2]));
    }

    #[test]
    fn a_wake_up_for_nothing_is_none() {
        let queue = Queue::new(10);
        assert!(look(&queue).is_none());
        queue.wake();
        assert!(sleeps(&queue));
        push(&queue, 1);
        assert!(look(&queue).is_none(), "it was queued after that");
    }

    #[test]
    fn the_announcer_finds_items_until_the_taker_was_woken_or_has_taken_them() {
        let queue = Queue::new(10);
        assert_eq!(since_wake(&queue), None);
        push(&queue, 1);
        push(&queue, 2);
        assert_eq!((since_wake(&queue), since_wake(&queue)), (Some(2), Some(2)), "a state, not an event");
        queue.wake();
        assert_eq!(since_wake(&queue), None);
        push(&queue, 3);
        assert_eq!(since_wake(&queue), Some(3));
        assert_eq!(look(&queue), Some(vec![1, 2, 3]), "the taker takes all that wait");
        assert_eq!((since_wake(&queue), queue.queued()), (None, 3));
    }

    #[test]
    fn the_first_item_wakes_the_announcer_and_the_next_does_not() {
        let (queue, wake_ups) = (Queue::new(10), Arc::new(WakeUps::default()));
        let waker = Waker::from(Arc::clone(&wake_ups));
        assert!(queue.poll_since_wake(&Context::from_waker(&waker)).is_pending());
        push(&queue, 1);
        push(&queue, 2);
        assert_eq!(wake_ups.count(), 1);
    }

    #[test]
    fn many_items_wake_the_taker_by_themselves() {
        let queue = Queue::new(2 * WAKE_AT_LEN);
        assert!(look(&queue).is_none());
        for item in 1..WAKE_AT_LEN as u64 {
            push(&queue, item);
        }
        assert!(sleeps(&queue));
        push(&queue, 0);
        assert!(!sleeps(&queue) && queue.is_ready());
        assert_eq!(since_wake(&queue), None, "there is nothing left to announce");
        assert_eq!(look(&queue).map(|taken| taken.len()), Some(WAKE_AT_LEN));
    }

    #[test]
    fn what_does_not_fit_is_taken_next_without_a_wake_up() {
        let queue = Queue::new(10);
        (1..=3).for_each(|item| push(&queue, item));
        queue.wake();
        assert_eq!(queue.take(|item| *item < 2), [1]);
        assert_eq!(queue.take(|item| *item < 2), [2], "the first fits in any case");
        assert_eq!(queue.take(|_| true), [3]);
    }

    #[test]
    fn a_refused_item_is_neither_counted_nor_announced() {
        let queue = Queue::new(1);
        push(&queue, 1);
        assert!(!queue.has_room());
        assert!(matches!(queue.push(2), Err(NotQueued::Full(2))));
        assert_eq!(queue.queued(), 1);
        queue.close();
        assert!(matches!(queue.push(3), Err(NotQueued::Closed(3))));
        assert_eq!((queue.take(|_| true), queue.take(|_| true)), (vec![1], vec![]));
        assert_eq!(queue.queued(), 1);
    }

    /// Every order of a few steps of all three: nobody sleeps who has something to do.
    #[test]
    fn in_no_order_of_events_a_wake_up_is_lost() {
        type Step = fn(&Queue<u64>);
        let steps: [Step; 4] = [
            |queue| drop(queue.push(0)),
            |queue| queue.wake(),
            |queue| drop(look(queue)),
            |queue| {
                since_wake(queue);
            },
        ];
        const LENGTH: u32 = 7;
        for order in 0..steps.len().pow(LENGTH) {
            let queue = Queue::new(3);
            for at in 0..LENGTH {
                steps[order / steps.len().pow(at) % steps.len()](&queue);
                let state = queue.lock();
                assert!(!(state.sleeping && state.is_ready()), "step {at} of order {order}: the taker sleeps");
                let announcer_sleeps = state.announcer.is_some();
                assert!(
                    !(announcer_sleeps && state.since_wake > 0),
                    "step {at} of order {order}: the announcer sleeps"
                );
            }
        }
    }

    /// The same with a thread that really sleeps.
    #[test]
    fn a_taker_on_its_own_thread_gets_every_item() {
        let queue = Arc::new(Queue::new(10));
        let (sender, taken) = mpsc::channel();
        let taker = {
            let queue = Arc::clone(&queue);
            std::thread::spawn(move || {
                loop {
                    let items = queue.take(|_| true);
                    if items.is_empty() {
                        return;
                    }
                    items.into_iter().for_each(|item| sender.send(item).expect("the test listens"));
                }
            })
        };
        for item in 0..1_000 {
            push(&queue, item);
            queue.wake();
            assert_eq!(taken.recv_timeout(Duration::from_secs(60)), Ok(item));
        }
        queue.close();
        taker.join().unwrap();
    }
}
