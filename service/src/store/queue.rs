//! The bounded queue in front of the writer thread.
//!
//! Not a channel: the writer takes a whole group under one lock, leaves in the
//! queue what does not fit the block, and `close` must end it while senders live.

use crate::lock::wait;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};

/// With so many items the taker is woken although more may follow at once: it works on these meanwhile.
const WAKE_AT_LEN: usize = 64;

pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    filled: Condvar,
    most: usize,
}

struct State<T> {
    waiting: VecDeque<T>,
    closed: bool,
    /// Whether the taker sleeps: only then a wake-up costs anything.
    sleeping: bool,
    /// Whether somebody has said that what waits is worth taking.
    woken: bool,
}

pub(super) enum NotQueued<T> {
    Full(T),
    Closed(T),
}

impl<T> Queue<T> {
    pub fn new(most: usize) -> Queue<T> {
        Queue {
            state: Mutex::new(State { waiting: VecDeque::new(), closed: false, sleeping: false, woken: false }),
            filled: Condvar::new(),
            most: most.max(1),
        }
    }

    /// Never blocks on the taker's work, and does not wake the taker before there is enough to take: [`Queue::wake`]
    /// does, for one item or for many.
    pub fn push(&self, item: T) -> Result<(), NotQueued<T>> {
        let mut state = self.lock();
        if state.closed {
            return Err(NotQueued::Closed(item));
        }
        if state.waiting.len() >= self.most {
            return Err(NotQueued::Full(item));
        }
        state.waiting.push_back(item);
        if state.waiting.len() >= WAKE_AT_LEN {
            self.wake_taker(&mut state);
        }
        Ok(())
    }

    /// Whether [`Queue::push`] would take an item now, or refuse it for another reason than that it is full.
    pub fn has_room(&self) -> bool {
        let state = self.lock();
        state.closed || state.waiting.len() < self.most
    }

    /// Says that what waits should be taken now.
    pub fn wake(&self) {
        self.wake_taker(&mut self.lock());
    }

    fn wake_taker(&self, state: &mut State<T>) {
        state.woken = true;
        if std::mem::take(&mut state.sleeping) {
            self.filled.notify_one();
        }
    }

    /// Waits for an item, then takes it and those after it while `fits` says so.
    /// Nothing taken: the queue is closed and empty.
    pub fn take(&self, mut fits: impl FnMut(&T) -> bool) -> Vec<T> {
        let mut state = self.lock();
        while !state.closed && (state.waiting.is_empty() || !state.woken) {
            state.sleeping = true;
            state = wait(&self.filled, state);
        }
        state.sleeping = false;
        state.woken = false;
        let mut taken = Vec::new();
        while let Some(item) = state.waiting.pop_front() {
            if !fits(&item) && !taken.is_empty() {
                state.waiting.push_front(item);
                break;
            }
            taken.push(item);
        }
        // What did not fit was worth taking too.
        state.woken |= !state.waiting.is_empty();
        taken
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
        !state.waiting.is_empty() && (state.woken || state.closed)
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        crate::lock::lock(&self.state)
    }
}
