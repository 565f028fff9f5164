//! Bytes that the server holds because the other side has not sent or taken the rest: a bound for each connection, and one
//! for all of them together.
//!
//! A first part of what each connection holds does not count against the bound of all, so whoever fills that one cannot stop
//! a connection that takes little. Bytes are taken when they come to be and given back when the last copy of them is gone.
//! Who must wait for room waits in line behind those of the same connection, but what fits into its first part never behind
//! one that lacks room in all: that one waits for what others hold. Taking and giving back is one or two atomic
//! additions as long as nobody waits; tokio's semaphore would lock for each, and knows no second bound behind the first.
//!
//! `service/models` tries the interleavings of threads over this file.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

use super::Unread;
use crate::lock::lock;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Mutex, Weak};

#[cfg(test)]
mod tests;

/// How many connections that wait for room in all are asked again when there is some.
const ASKED_AT_ONCE: usize = 4;

/// What all connections may hold together, beyond the first part of each.
#[derive(Debug)]
pub struct Pool {
    limit: usize,
    held: AtomicUsize,
    /// Connections where somebody waits for room in all.
    waiting: AtomicUsize,
    line: Mutex<VecDeque<Weak<Share>>>,
}

impl Pool {
    /// With so many bytes.
    pub fn new(limit: usize) -> Arc<Pool> {
        Arc::new(Pool { limit, held: AtomicUsize::new(0), waiting: AtomicUsize::new(0), line: Mutex::default() })
    }

    /// Counts bytes if they fit.
    fn try_take(&self, bytes: usize) -> bool {
        let fits = |held: usize| held.checked_add(bytes).filter(|held| *held <= self.limit);
        self.held.fetch_update(SeqCst, SeqCst, fits).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.held.fetch_sub(bytes, SeqCst);
        self.wake();
    }

    fn is_full(&self) -> bool {
        self.held.load(SeqCst) >= self.limit
    }

    fn wake(&self) {
        for _ in 0..ASKED_AT_ONCE {
            if self.waiting.load(SeqCst) == 0 {
                return;
            }
            let Some(share) = lock(&self.line).pop_front() else { return };
            self.waiting.fetch_sub(1, SeqCst);
            if let Some(share) = share.upgrade() {
                share.registered.store(false, SeqCst);
                share.wake_first();
            }
        }
    }
}

/// What one connection may hold.
#[derive(Debug)]
pub struct Share {
    pool: Arc<Pool>,
    limit: usize,
    /// So many bytes do not count against the pool.
    first: usize,
    held: AtomicUsize,
    waiting: AtomicUsize,
    line: Mutex<WaitQueue>,
    /// Whether it stands in the pool's line.
    registered: AtomicBool,
}

#[derive(Debug, Default)]
struct WaitQueue {
    next: u64,
    /// Those who may come to fit into the first part.
    small: VecDeque<(u64, Waker)>,
    /// All others.
    large: VecDeque<(u64, Waker)>,
}

impl WaitQueue {
    fn of(&mut self, small: bool) -> &mut VecDeque<(u64, Waker)> {
        if small { &mut self.small } else { &mut self.large }
    }

    fn turn(&self, place: &WaitTicket) -> Turn {
        let [small, large] = [&self.small, &self.large].map(|line| line.front().map(|(number, _)| *number));
        let first = small.into_iter().chain(large).min();
        match Some(place.number) {
            number if number == first => Turn::First,
            number if number == small => Turn::FirstOfSmall,
            _ => Turn::None,
        }
    }
}

/// What one who stands in line may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    None,
    /// What fits into the first part: whoever is before it needs more than that.
    FirstOfSmall,
    First,
}

impl Share {
    /// A connection's share of a pool.
    pub fn new(pool: &Arc<Pool>, limit: usize, first: usize) -> Arc<Share> {
        Arc::new(Share {
            pool: Arc::clone(pool),
            limit,
            first,
            held: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            line: Mutex::default(),
            registered: AtomicBool::new(false),
        })
    }

    /// What is held.
    #[cfg(test)]
    pub fn held(&self) -> usize {
        self.held.load(SeqCst)
    }

    /// Takes bytes if there is room. Whoever is alone always fits the connection's own bound.
    pub fn try_take(self: &Arc<Self>, bytes: usize) -> Option<Held> {
        let taken = self.take_if_it_fits(bytes);
        if taken.is_none() {
            // Somebody may have seen bytes here that were not to stay.
            self.wake_first();
        }
        taken
    }

    /// As above; whoever calls this is the first in line, or wakes whoever is.
    fn take_if_it_fits(self: &Arc<Self>, bytes: usize) -> Option<Held> {
        let fits = |held: usize| (held == 0 || held + bytes <= self.limit).then_some(held + bytes);
        let before = self.held.fetch_update(SeqCst, SeqCst, fits).ok()?;
        let beyond = self.beyond(before + bytes) - self.beyond(before);
        if beyond > 0 && !self.pool.try_take(beyond) {
            self.roll_back(bytes, beyond);
            return None;
        }
        Some(Held { share: Arc::clone(self), bytes })
    }

    /// Takes bytes that need nothing of the pool. Nobody sees bytes here that are not to stay.
    fn take_of_first(self: &Arc<Self>, bytes: usize) -> Option<Held> {
        let fits = |held: usize| (held + bytes <= self.first.min(self.limit)).then_some(held + bytes);
        self.held.fetch_update(SeqCst, SeqCst, fits).ok()?;
        Some(Held { share: Arc::clone(self), bytes })
    }

    /// Takes back bytes that were counted here, and for which the pool had no room.
    fn roll_back(&self, bytes: usize, beyond: usize) {
        let before = self.held.fetch_sub(bytes, SeqCst);
        let counted = self.beyond(before) - self.beyond(before - bytes);
        // What others have taken and given back meanwhile was counted on top of bytes that are not in the pool.
        self.pool.held.fetch_add(beyond.wrapping_sub(counted), SeqCst);
        if counted > beyond {
            // So there was less room in the pool than there is.
            self.pool.wake();
        }
        // They may have seen these bytes. Whoever is first in all lines is the one that has tried.
        self.wake_small_behind_large();
    }

    /// Takes bytes that are there already.
    pub fn take(self: &Arc<Self>, bytes: usize) -> Held {
        self.count(bytes);
        Held { share: Arc::clone(self), bytes }
    }

    /// Takes bytes when there is room.
    pub fn poll_take(
        self: &Arc<Self>,
        bytes: usize,
        place: &mut Option<WaitTicket>,
        context: &mut Context<'_>,
    ) -> Poll<Held> {
        if place.is_none()
            && self.waiting.load(SeqCst) == 0
            && let Some(held) = self.try_take(bytes)
        {
            return Poll::Ready(held);
        }
        let small = bytes <= self.first;
        match self.stand_in_line(small, place, context.waker()) {
            Turn::First => self.attempt(place, || self.take_if_it_fits(bytes)),
            Turn::FirstOfSmall => ready(place, self.take_of_first(bytes)),
            Turn::None => Poll::Pending,
        }
    }

    /// Waits until anything fits.
    pub fn poll_room(self: &Arc<Self>, place: &mut Option<WaitTicket>, context: &mut Context<'_>) -> Poll<()> {
        let room = || {
            let held = self.held.load(SeqCst);
            (held < self.limit && (held < self.first || !self.pool.is_full())).then_some(())
        };
        if place.is_none() && self.waiting.load(SeqCst) == 0 && room().is_some() {
            return Poll::Ready(());
        }
        match self.stand_in_line(false, place, context.waker()) {
            Turn::First => self.attempt(place, room),
            Turn::FirstOfSmall | Turn::None => Poll::Pending,
        }
    }

    /// What the first one in line does.
    fn attempt<R>(self: &Arc<Self>, place: &mut Option<WaitTicket>, attempt: impl Fn() -> Option<R>) -> Poll<R> {
        // Again once it is known here and in the pool that somebody waits: what is given back from now on wakes this one.
        let result = attempt().or_else(|| {
            self.wait_for_pool();
            attempt()
        });
        ready(place, result)
    }

    /// Takes a place, unless there is one, and says what may be taken there.
    fn stand_in_line(self: &Arc<Self>, small: bool, place: &mut Option<WaitTicket>, waker: &Waker) -> Turn {
        let mut line = lock(&self.line);
        if let Some(place) = place {
            let known = line.of(place.small).iter_mut().find(|(number, _)| *number == place.number);
            if let Some((_, known)) = known {
                known.clone_from(waker);
            }
            return line.turn(place);
        }
        let number = line.next;
        line.next += 1;
        line.of(small).push_back((number, waker.clone()));
        self.waiting.fetch_add(1, SeqCst);
        line.turn(place.insert(WaitTicket { share: Arc::clone(self), number, small }))
    }

    fn wait_for_pool(self: &Arc<Self>) {
        if !self.registered.swap(true, SeqCst) {
            lock(&self.pool.line).push_back(Arc::downgrade(self));
            self.pool.waiting.fetch_add(1, SeqCst);
        }
    }

    fn count(&self, bytes: usize) {
        let before = self.held.fetch_add(bytes, SeqCst);
        self.pool.held.fetch_add(self.beyond(before + bytes) - self.beyond(before), SeqCst);
    }

    fn give_back(&self, bytes: usize) {
        let before = self.held.fetch_sub(bytes, SeqCst);
        let back = self.beyond(before) - self.beyond(before - bytes);
        if back > 0 {
            self.pool.give_back(back);
        }
        self.wake_first();
    }

    fn beyond(&self, held: usize) -> usize {
        held.saturating_sub(self.first)
    }

    /// Wakes whoever may take something.
    fn wake_first(&self) {
        if self.waiting.load(SeqCst) > 0 {
            let line = lock(&self.line);
            for (_, first) in line.small.front().into_iter().chain(line.large.front()) {
                first.wake_by_ref();
            }
        }
    }

    fn wake_small_behind_large(&self) {
        if self.waiting.load(SeqCst) > 0 {
            let line = lock(&self.line);
            if let (Some((number, small)), Some((first, _))) = (line.small.front(), line.large.front())
                && first < number
            {
                small.wake_by_ref();
            }
        }
    }
}

fn ready<R>(place: &mut Option<WaitTicket>, result: Option<R>) -> Poll<R> {
    let Some(result) = result else { return Poll::Pending };
    *place = None;
    Poll::Ready(result)
}

/// A place in the line of a connection; given up when it is dropped, and then the next one is asked.
#[derive(Debug)]
pub struct WaitTicket {
    share: Arc<Share>,
    number: u64,
    small: bool,
}

impl Drop for WaitTicket {
    fn drop(&mut self) {
        let mut line = lock(&self.share.line);
        let waiting = line.of(self.small);
        if let Some(at) = waiting.iter().position(|(number, _)| *number == self.number) {
            waiting.remove(at);
            self.share.waiting.fetch_sub(1, SeqCst);
        }
        drop(line);
        self.share.wake_first();
        self.share.pool.wake();
    }
}

/// Bytes that are held.
#[derive(Debug)]
pub struct Held {
    share: Arc<Share>,
    bytes: usize,
}

impl Held {
    /// How many.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes more, if there is room.
    pub fn try_grow(&mut self, bytes: usize) -> bool {
        let Some(mut more) = self.share.try_take(bytes) else { return false };
        self.bytes += std::mem::take(&mut more.bytes);
        true
    }

    /// Counts what there really is.
    pub fn correct(&mut self, bytes: usize) {
        if bytes > self.bytes {
            self.share.count(bytes - self.bytes);
        } else if bytes < self.bytes {
            self.share.give_back(self.bytes - bytes);
        }
        self.bytes = bytes;
    }

    /// Bytes that are given back, and unread no more, when their last copy is gone.
    pub fn with(self, bytes: Bytes, unread: Unread) -> Bytes {
        Bytes::from_owner(Counted { bytes, _held: self, _unread: unread })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.share.give_back(self.bytes);
        }
    }
}

struct Counted {
    bytes: Bytes,
    _held: Held,
    _unread: Unread,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
