//! Byte budgets under loom: two or three threads. Whoever sleeps with nobody left to wake it ends a model as a deadlock.
//!
//! A thread is interrupted at most [`PREEMPTIONS`] times; `LOOM_MAX_PREEMPTIONS` tries more.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use divelog_models::budget::{Held, Pool, Share, WaitTicket};
use loom::sync::Notify;
use loom::thread::{self, JoinHandle};

const PREEMPTIONS: usize = 2;

fn model(threads: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(PREEMPTIONS);
    builder.check(threads);
}

/// Wakes a thread that sleeps until a poll can go on.
struct Thread(Notify);

impl Wake for Thread {
    fn wake(self: Arc<Self>) {
        self.0.notify();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.notify();
    }
}

/// Polls whenever it is woken.
fn wait<T>(mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> T {
    let thread = Arc::new(Thread(Notify::new()));
    let waker = Waker::from(Arc::clone(&thread));
    loop {
        if let Poll::Ready(value) = poll(&mut Context::from_waker(&waker)) {
            return value;
        }
        thread.0.wait();
    }
}

fn wait_to_take(share: &Arc<Share>, bytes: usize) -> Held {
    let mut place = None;
    wait(|context| share.poll_take(bytes, &mut place, context))
}

/// The place of one that asks once, which is refused, and never looks again.
fn place(share: &Arc<Share>, bytes: usize) -> WaitTicket {
    let mut place = None;
    assert!(share.poll_take(bytes, &mut place, &mut Context::from_waker(Waker::noop())).is_pending());
    place.expect("who is refused has a place")
}

fn give_back(held: Held) -> JoinHandle<()> {
    thread::spawn(move || drop(held))
}

fn join<T>(thread: JoinHandle<T>) -> T {
    thread.join().expect("a panic ends the model")
}

/// Nothing is counted any more, in the share or in the pool. Whoever is alone may take all that there is, and one byte that
/// was left anywhere would be in its way.
fn assert_empty(share: &Arc<Share>, first: usize, pool: usize) {
    drop(share.try_take(first + pool).expect("all has been given back"));
    assert!(share.try_take(first + pool + 1).is_none(), "less is counted than nothing");
}

/// What one connection gives back wakes whoever is about to wait at it.
#[test]
fn room_in_a_share_wakes_who_is_about_to_wait() {
    model(|| {
        let share = Share::new(&Pool::new(9), 2, 2);
        let held = share.try_take(2).unwrap();
        let other = give_back(held);
        drop(wait_to_take(&share, 2));
        join(other);
        assert_empty(&share, 2, 9);
    });
}

#[test]
fn room_in_a_share_wakes_who_is_about_to_wait_for_anything() {
    model(|| {
        let share = Share::new(&Pool::new(9), 2, 2);
        let held = share.try_take(2).unwrap();
        let other = give_back(held);
        let mut place = None;
        wait(|context| share.poll_room(&mut place, context));
        join(other);
    });
}

/// What another connection gives back wakes whoever is about to wait for the pool.
#[test]
fn room_in_the_pool_wakes_who_is_about_to_wait() {
    model(|| {
        let pool = Pool::new(2);
        let [full, share] = [0, 1].map(|first| Share::new(&pool, 9, first));
        let other = give_back(full.try_take(2).unwrap());
        drop(wait_to_take(&share, 2));
        join(other);
        assert_empty(&share, 1, 2);
    });
}

/// Two connections want all that a third one gives back: each has it in the end.
#[test]
fn of_those_who_compete_for_the_pool_none_is_lost() {
    model(|| {
        let pool = Pool::new(2);
        let [full, one, two] = [0; 3].map(|first| Share::new(&pool, 9, first));
        let held = full.try_take(2).unwrap();
        let other = {
            let two = Arc::clone(&two);
            thread::spawn(move || drop(wait_to_take(&two, 2)))
        };
        let giving = give_back(held);
        drop(wait_to_take(&one, 2));
        join(other);
        join(giving);
        assert_empty(&one, 0, 2);
        assert_empty(&two, 0, 2);
    });
}

/// The first in the line of a connection goes away while bytes are given back there.
#[test]
fn one_that_goes_away_leaves_its_share_to_the_next() {
    model(|| {
        let share = Share::new(&Pool::new(9), 2, 2);
        let held = share.try_take(2).unwrap();
        let first = place(&share, 2);
        let leaving = thread::spawn(move || drop(first));
        let giving = give_back(held);
        drop(wait_to_take(&share, 2));
        join(leaving);
        join(giving);
        assert_empty(&share, 2, 9);
    });
}

/// As many connections as are asked at once go away while bytes are given back to the pool, and another one waits.
#[test]
fn those_who_go_away_leave_the_pool_to_the_next() {
    model(|| {
        let pool = Pool::new(2);
        let full = Share::new(&pool, 9, 0);
        let held = full.try_take(2).unwrap();
        let places: Vec<WaitTicket> = (0..4).map(|_| place(&Share::new(&pool, 9, 0), 2)).collect();
        let leaving = thread::spawn(move || drop(places));
        let giving = give_back(held);
        let share = Share::new(&pool, 9, 0);
        drop(wait_to_take(&share, 2));
        join(leaving);
        join(giving);
        assert_empty(&share, 0, 2);
    });
}

/// Takes at one connection, of which some find no room in the pool, beside takes at another.
#[test]
fn what_is_given_back_is_counted_no_more() {
    model(|| {
        let pool = Pool::new(3);
        let [one, two] = [1; 2].map(|first| Share::new(&pool, 9, first));
        let beside = {
            let one = Arc::clone(&one);
            thread::spawn(move || drop(one.try_take(3)))
        };
        let other = {
            let two = Arc::clone(&two);
            thread::spawn(move || drop(two.try_take(3)))
        };
        let mut held = one.take(1);
        held.correct(2);
        held.try_grow(1);
        drop(held);
        join(beside);
        join(other);
        assert_empty(&one, 1, 3);
        assert_empty(&two, 1, 3);
    });
}

/// A take that is counted and then rolled back is in the way of one that waits at the same connection.
#[test]
fn bytes_that_did_not_stay_leave_nobody_waiting_at_their_share() {
    model(|| {
        let pool = Pool::new(2);
        let [full, share] = [0; 2].map(|first| Share::new(&pool, 2, first));
        let held = full.try_take(2).unwrap();
        let trying = {
            let share = Arc::clone(&share);
            thread::spawn(move || drop(share.try_take(2)))
        };
        let giving = give_back(held);
        drop(wait_to_take(&share, 2));
        join(trying);
        join(giving);
        assert_empty(&share, 0, 2);
    });
}

/// What is taken on top of bytes that are rolled back is counted in the pool until then, and in the way of others there.
#[test]
fn bytes_that_did_not_stay_leave_nobody_waiting_for_the_pool() {
    model(|| {
        let pool = Pool::new(5);
        let [share, other] = [1, 0].map(|first| Share::new(&pool, 9, first));
        let [trying, small] = [6, 1].map(|bytes| {
            let share = Arc::clone(&share);
            thread::spawn(move || share.try_take(bytes).filter(|held| held.bytes() == 1))
        });
        drop(wait_to_take(&other, 5));
        drop((join(trying), join(small)));
        assert_empty(&share, 1, 5);
        assert_empty(&other, 0, 5);
    });
}

/// One that waits for the pool tries, and is in the way of one behind it that fits into the first part.
#[test]
fn bytes_that_did_not_stay_leave_nobody_waiting_for_the_first_part() {
    model(|| {
        let pool = Pool::new(2);
        let [full, share] = [0, 1].map(|first| Share::new(&pool, 9, first));
        let held = full.try_take(2).unwrap();
        let mut large = Some(place(&share, 3));
        let trying = {
            let share = Arc::clone(&share);
            thread::spawn(move || {
                assert!(share.poll_take(3, &mut large, &mut Context::from_waker(Waker::noop())).is_pending());
                large
            })
        };
        drop(wait_to_take(&share, 1));
        drop(join(trying));
        drop(held);
        assert_empty(&share, 1, 2);
    });
}
