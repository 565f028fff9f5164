//! Budgets by themselves: no sockets, no time.

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

fn take(share: &Arc<Share>, bytes: usize, place: &mut Option<WaitTicket>, woken: &Arc<Woken>) -> Option<Held> {
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
    let mut bytes = share.take(5).with(Bytes::from_static(b"hello"), crate::transport::Progress::default().unread());
    let part = bytes.split_to(2);
    drop(bytes);
    assert_eq!((pool.held.load(SeqCst), part.as_ref()), (5, b"he".as_slice()));
    drop(part);
    assert_eq!(pool.held.load(SeqCst), 0);
}
