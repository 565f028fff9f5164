//! Bytes that the server holds because the other side has not sent or taken the rest: a bound for each connection, and one
//! for all of them together.
//!
//! A first part of what each connection holds does not count against the bound of all, so whoever fills that one cannot stop
//! a connection that takes little. Bytes are taken when they come to be and given back when the last copy of them is gone.
//! Who must wait for room waits in line behind those of the same connection, but what fits into its first part never behind
//! one that lacks room in all: that one waits for what others hold. Taking and giving back is one or two atomic
//! additions as long as nobody waits; tokio's semaphore would lock for each, and knows no second bound behind the first.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

use crate::lock::lock;

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
    line: Mutex<Line>,
    /// Whether it stands in the pool's line.
    registered: AtomicBool,
}

#[derive(Debug, Default)]
struct Line {
    next: u64,
    /// Those who may come to fit into the first part.
    small: VecDeque<(u64, Waker)>,
    /// All others.
    large: VecDeque<(u64, Waker)>,
}

impl Line {
    fn of(&mut self, small: bool) -> &mut VecDeque<(u64, Waker)> {
        if small { &mut self.small } else { &mut self.large }
    }

    fn turn(&self, place: &Place) -> Turn {
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
        place: &mut Option<Place>,
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
    pub fn poll_room(self: &Arc<Self>, place: &mut Option<Place>, context: &mut Context<'_>) -> Poll<()> {
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
    fn attempt<R>(self: &Arc<Self>, place: &mut Option<Place>, attempt: impl Fn() -> Option<R>) -> Poll<R> {
        // Again once it is known here and in the pool that somebody waits: what is given back from now on wakes this one.
        let result = attempt().or_else(|| {
            self.wait_for_pool();
            attempt()
        });
        ready(place, result)
    }

    /// Takes a place, unless there is one, and says what may be taken there.
    fn stand_in_line(self: &Arc<Self>, small: bool, place: &mut Option<Place>, waker: &Waker) -> Turn {
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
        line.turn(place.insert(Place { share: Arc::clone(self), number, small }))
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

fn ready<R>(place: &mut Option<Place>, result: Option<R>) -> Poll<R> {
    let Some(result) = result else { return Poll::Pending };
    *place = None;
    Poll::Ready(result)
}

/// A place in the line of a connection; given up when it is dropped, and then the next one is asked.
#[derive(Debug)]
pub struct Place {
    share: Arc<Share>,
    number: u64,
    small: bool,
}

impl Drop for Place {
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

    /// Bytes that are given back when their last copy is gone.
    pub fn with(self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(Counted { bytes, _held: self })
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
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A waker that says whether it was woken.
    #[derive(Default)]
    struct Woken(AtomicBool);

    impl std::task::Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, SeqCst);
        }
    }

    impl Woken {
        fn take(&self) -> bool {
            self.0.swap(false, SeqCst)
        }
    }

    fn take(share: &Arc<Share>, bytes: usize, place: &mut Option<Place>, woken: &Arc<Woken>) -> Option<Held> {
        let waker = Waker::from(Arc::clone(woken));
        match share.poll_take(bytes, place, &mut Context::from_waker(&waker)) {
            Poll::Ready(held) => Some(held),
            Poll::Pending => None,
        }
    }

    #[test]
    fn a_connection_holds_its_bound_and_one_that_is_alone_more() {
        let pool = Pool::new(1_000);
        let share = Share::new(&pool, 100, 10);
        let alone = share.try_take(500).unwrap();
        assert!(share.try_take(1).is_none());
        drop(alone);
        let held = share.try_take(60).unwrap();
        assert!(share.try_take(41).is_none());
        let mut more = share.try_take(40).unwrap();
        assert!(!more.try_grow(1));
        more.correct(30);
        assert!(more.try_grow(10));
        assert_eq!(pool.held.load(SeqCst), 90);
        drop((held, more));
        assert_eq!((pool.held.load(SeqCst), share.held.load(SeqCst)), (0, 0));
    }

    #[test]
    fn a_full_pool_leaves_each_connection_its_first_part() {
        let pool = Pool::new(50);
        let (greedy, modest) = (Share::new(&pool, 100, 10), Share::new(&pool, 100, 10));
        let held = greedy.try_take(60).unwrap();
        assert!(modest.try_take(11).is_none(), "nothing is left in all");
        let first = modest.try_take(10).unwrap();
        assert!(modest.try_take(1).is_none());
        drop(held);
        assert!(modest.try_take(1).is_some());
        drop(first);
    }

    #[test]
    fn who_waits_comes_in_order_and_one_that_leaves_lets_the_next_one_in() {
        let pool = Pool::new(1_000);
        let share = Share::new(&pool, 100, 10);
        let held = share.try_take(100).unwrap();
        let woken: Vec<_> = (0..3).map(|_| Arc::<Woken>::default()).collect();
        let mut places = [None, None, None];
        for (place, woken) in places.iter_mut().zip(&woken) {
            assert!(take(&share, 90, place, woken).is_none());
        }
        drop(held);
        assert!(woken[0].take() && !woken[1].take());
        let mut late = None;
        assert!(take(&share, 11, &mut late, &woken[2]).is_none(), "nobody passes those who wait for the same");
        drop(late);
        woken[2].take();
        let first = take(&share, 90, &mut places[0], &woken[0]).unwrap();
        assert!(places[0].is_none() && woken[1].take());
        assert!(take(&share, 90, &mut places[1], &woken[1]).is_none());
        drop(first);
        assert!(woken[1].take());
        // It was woken, and goes away without looking.
        places[1] = None;
        assert!(woken[2].take());
        assert!(take(&share, 90, &mut places[2], &woken[2]).is_some());
    }

    #[test]
    fn who_waits_for_the_pool_is_woken_by_another_connection() {
        let pool = Pool::new(50);
        let (greedy, patient) = (Share::new(&pool, 100, 10), Share::new(&pool, 100, 10));
        let held = greedy.try_take(60).unwrap();
        let (mut place, woken) = (None, Arc::<Woken>::default());
        assert!(take(&patient, 30, &mut place, &woken).is_none());
        assert!(!woken.take());
        drop(held);
        assert!(woken.take());
        assert!(take(&patient, 30, &mut place, &woken).is_some());
    }

    #[test]
    fn what_fits_into_the_first_part_does_not_wait_behind_one_that_lacks_the_pool() {
        let pool = Pool::new(50);
        let (greedy, share) = (Share::new(&pool, 100, 10), Share::new(&pool, 100, 10));
        let held = greedy.try_take(60).unwrap();
        let woken: Vec<_> = (0..4).map(|_| Arc::<Woken>::default()).collect();
        let mut places = [None, None, None, None];
        assert!(take(&share, 40, &mut places[0], &woken[0]).is_none());
        let small = take(&share, 8, &mut places[1], &woken[1]).expect("nobody else holds its first part");
        assert!(places[1].is_none());
        assert!(take(&share, 4, &mut places[2], &woken[2]).is_none(), "it is full");
        assert!(take(&share, 1, &mut places[3], &woken[3]).is_none(), "in order");
        for woken in &woken {
            woken.take();
        }
        drop(small);
        assert!(woken[2].take(), "the first part is free");
        let small = take(&share, 4, &mut places[2], &woken[2]).unwrap();
        assert!(woken[3].take());
        let smallest = take(&share, 1, &mut places[3], &woken[3]).unwrap();
        assert!(take(&share, 40, &mut places[0], &woken[0]).is_none());
        woken[0].take();
        drop(held);
        assert!(woken[0].take());
        let large = take(&share, 40, &mut places[0], &woken[0]).unwrap();
        assert_eq!(pool.held.load(SeqCst), 35);
        drop((small, smallest, large));
        assert_eq!((pool.held.load(SeqCst), share.held.load(SeqCst), share.waiting.load(SeqCst)), (0, 0, 0));
    }

    #[test]
    fn bytes_that_did_not_stay_leave_nobody_waiting_for_them() {
        let pool = Pool::new(50);
        let [trying, other] = [10, 0].map(|first| Share::new(&pool, 100, first));
        // As within `take_if_it_fits`, between counting here and finding no room in the pool.
        trying.held.fetch_add(60, SeqCst);
        let held = trying.try_take(10).unwrap();
        let (mut place, woken) = (None, Arc::<Woken>::default());
        assert!(take(&other, 45, &mut place, &woken).is_none());
        trying.roll_back(60, 50);
        assert!(pool.held.load(SeqCst) == 0, "ten bytes are in the first part");
        assert!(woken.take());
        assert!(take(&other, 45, &mut place, &woken).is_some());
        drop(held);
    }

    #[test]
    fn answers_are_held_until_their_last_copy_is_gone() {
        let pool = Pool::new(1_000);
        let share = Share::new(&pool, 100, 0);
        let mut bytes = share.take(5).with(Bytes::from_static(b"hello"));
        let part = bytes.split_to(2);
        drop(bytes);
        assert_eq!((pool.held.load(SeqCst), part.as_ref()), (5, b"he".as_slice()));
        drop(part);
        assert_eq!(pool.held.load(SeqCst), 0);
    }
}
