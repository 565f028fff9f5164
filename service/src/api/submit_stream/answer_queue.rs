//! Answers that their stream has not taken yet; never more than it may have unanswered.
//!
//! Two sides under one lock: whoever answers puts, the stream's task takes. The task sleeps only when it has found nothing,
//! and the next answer after that wakes it; what it finds is a state, so answers that come together, or before it looks,
//! need no wake-up of their own.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};
use std::task::Waker;

pub(super) struct AnswerQueue<A>(Mutex<State<A>>);

struct State<A> {
    answers: VecDeque<A>,
    /// The stream's task. Kept when it runs, because it is mostly the same.
    stream: Option<Waker>,
    /// Whether it sleeps: one wake-up serves all answers that come together.
    asleep: bool,
}

impl<A> Default for AnswerQueue<A> {
    fn default() -> Self {
        AnswerQueue(Mutex::new(State { answers: VecDeque::new(), stream: None, asleep: false }))
    }
}

impl<A> AnswerQueue<A> {
    fn lock(&self) -> MutexGuard<'_, State<A>> {
        crate::lock::lock(&self.0)
    }

    pub fn put(&self, answer: A) {
        let mut state = self.lock();
        state.answers.push_back(answer);
        if std::mem::take(&mut state.asleep)
            && let Some(stream) = &state.stream
        {
            stream.wake_by_ref();
        }
    }

    pub fn take(&self) -> Option<A> {
        self.lock().answers.pop_front()
    }

    /// Takes an answer, or has the stream's task woken by the next one.
    pub fn take_or_wake(&self, stream: &Waker) -> Option<A> {
        let mut state = self.lock();
        let answer = state.answers.pop_front();
        if answer.is_none() {
            state.asleep = true;
            if !state.stream.as_ref().is_some_and(|known| known.will_wake(stream)) {
                state.stream = Some(stream.clone());
            }
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::test_waker::WakeUps;

    fn task() -> (Waker, Arc<WakeUps>) {
        let wake_ups = Arc::new(WakeUps::default());
        (Waker::from(Arc::clone(&wake_ups)), wake_ups)
    }

    #[test]
    fn an_answer_that_comes_before_the_stream_looks_is_taken_without_a_wake_up() {
        let (queue, (waker, wake_ups)) = (AnswerQueue::default(), task());
        queue.put(1);
        assert_eq!((queue.take_or_wake(&waker), queue.take()), (Some(1), None));
        queue.put(2);
        assert_eq!((queue.take(), wake_ups.count()), (Some(2), 0), "it has not slept");
    }

    #[test]
    fn an_answer_that_comes_after_the_stream_has_looked_wakes_it_once() {
        let (queue, (waker, wake_ups)) = (AnswerQueue::default(), task());
        assert_eq!(queue.take_or_wake(&waker), None);
        queue.put(1);
        queue.put(2);
        assert_eq!(wake_ups.count(), 1);
        assert_eq!((queue.take_or_wake(&waker), queue.take_or_wake(&waker)), (Some(1), Some(2)));
        assert_eq!(queue.take_or_wake(&waker), None);
        queue.put(3);
        assert_eq!(wake_ups.count(), 2, "it sleeps again, and is woken again");
    }

    /// Between the first look of a poll, which does not sleep, and the last one, which does.
    #[test]
    fn an_answer_that_comes_while_the_stream_reads_requests_is_found_at_the_end_of_the_poll() {
        let (queue, (waker, wake_ups)) = (AnswerQueue::default(), task());
        assert_eq!(queue.take(), None);
        queue.put(1);
        assert_eq!((queue.take_or_wake(&waker), wake_ups.count()), (Some(1), 0));
    }

    #[test]
    fn the_task_that_polled_last_is_woken() {
        let (queue, (first, of_first), (second, of_second)) = (AnswerQueue::default(), task(), task());
        assert_eq!((queue.take_or_wake(&first), queue.take_or_wake(&second)), (None, None));
        queue.put(1);
        assert_eq!((of_first.count(), of_second.count()), (0, 1));
    }

    /// Every order of a few steps of both sides: the stream never sleeps beside an answer, unless it was woken for it.
    #[test]
    fn in_no_order_of_events_a_wake_up_is_lost() {
        const STEPS: usize = 3;
        const LENGTH: u32 = 8;
        for order in 0..STEPS.pow(LENGTH) {
            let (queue, (waker, wake_ups)) = (AnswerQueue::default(), task());
            // Answers that are there, and the wake-ups of the time when the stream last fell asleep.
            let (mut there, mut asleep_since) = (0, None);
            for at in 0..LENGTH {
                match order / STEPS.pow(at) % STEPS {
                    0 => {
                        queue.put(());
                        there += 1;
                    }
                    1 => {
                        there -= usize::from(queue.take().is_some());
                        asleep_since = None;
                    }
                    _ => match queue.take_or_wake(&waker) {
                        Some(()) => (there, asleep_since) = (there - 1, None),
                        None => asleep_since = Some(wake_ups.count()),
                    },
                }
                let woken = asleep_since.is_none_or(|before| wake_ups.count() > before);
                assert!(there == 0 || woken, "step {at} of order {order}: the stream sleeps beside an answer");
            }
        }
    }
}
