//! The order in which flows are served.

use super::super::queue::{Queue, Turn};
use super::*;

const STEP: Duration = Duration::from_micros(20);
/// When the connections of the tests are no longer new.
const LATER: Duration = Duration::from_secs(10);

/// A flow of no known origin.
fn own(queue: &mut Queue<usize>) -> usize {
    queue.add_flow(Origin::default(), Duration::ZERO)
}

fn origin(number: u32) -> Origin {
    Origin::of(Some((std::net::Ipv4Addr::from_bits(number), 1).into()))
}

/// Serves so many items that each take so long; the flows that they were of, and the last one's turn.
fn serve(queue: &mut Queue<usize>, count: usize, took: Duration) -> Vec<usize> {
    let mut last: Option<(Turn, Duration)> = None;
    let mut served = Vec::new();
    while served.len() < count {
        let next = match last.take() {
            Some((turn, used)) => queue.more(turn, used).or_else(|| queue.next()),
            None => queue.next(),
        };
        let Some((item, turn)) = next else { break };
        served.push(item);
        last = Some((turn, took));
    }
    if let Some((turn, used)) = last {
        queue.end(turn, used);
    }
    served
}

fn shares(served: &[usize], flows: usize) -> Vec<usize> {
    (0..flows).map(|flow| served.iter().filter(|item| **item == flow).count()).collect()
}

#[test]
fn flows_share_time_however_much_each_wants() {
    let mut queue = Queue::new();
    let flows = [own(&mut queue), own(&mut queue), own(&mut queue)];
    for (number, items) in [1_000, 100_000, 3_000].into_iter().enumerate() {
        (0..items).for_each(|_| queue.push(flows[number], number, LATER));
    }
    let served = serve(&mut queue, 2_100, STEP);
    for share in shares(&served, 3) {
        assert!((690..=710).contains(&share), "{share} of 700");
    }
}

#[test]
fn origins_share_time_however_many_connections_each_has() {
    let mut queue = Queue::new();
    let flows: Vec<usize> =
        (0..31).map(|number| queue.add_flow(origin(if number == 0 { 1 } else { 2 }), Duration::ZERO)).collect();
    for (number, flow) in flows.iter().enumerate() {
        (0..10_000).for_each(|_| queue.push(*flow, number, LATER));
    }
    let served = shares(&serve(&mut queue, 6_000, STEP), 31);
    assert!((2_800..=3_200).contains(&served[0]), "{} of 3,000", served[0]);
    assert!(served[1..].iter().all(|share| (80..=120).contains(share)), "{served:?}");
}

/// Whoever opens one connection after another, and closes each after one call, gets no more than their part.
#[test]
fn new_connections_of_an_origin_are_one_flow_that_outlives_them() {
    const NEW: usize = usize::MAX;
    let mut queue = Queue::new();
    let (busy, rare) = (own(&mut queue), own(&mut queue));
    (0..100_000).for_each(|_| queue.push(busy, busy, LATER));
    let (mut of_new, mut of_busy) = (0, 0);
    for round in 0..1_000 {
        let now = LATER + STEP * round;
        for _ in 0..20 {
            let new = queue.add_flow(origin(7), now);
            queue.push(new, NEW, now);
            queue.remove_flow(new);
        }
        for served in serve(&mut queue, 20, STEP) {
            match served {
                NEW => of_new += 1,
                _ => of_busy += 1,
            }
        }
        if round % 10 == 9 {
            queue.push(rare, rare, now);
            // The other origin's turn may come before.
            let served = serve(&mut queue, 4, STEP);
            assert!(served.contains(&rare), "who asks for little is next in round {round}: {served:?}");
        }
    }
    assert!((9_000..=11_000).contains(&of_new), "{of_new} of 10,000, and {of_busy}");
}

/// The same from one address after another: nobody starves, and what is remembered is bounded.
#[test]
fn new_connections_of_ever_new_origins_starve_nobody() {
    const NEW: usize = usize::MAX;
    let mut queue = Queue::new();
    let busy = own(&mut queue);
    (0..100_000).for_each(|_| queue.push(busy, busy, LATER));
    let (mut of_busy, mut number) = (0, 0);
    let mut waits = false;
    for _ in 0..50_000 {
        if !waits {
            let new = queue.add_flow(origin(number), LATER);
            queue.push(new, NEW, LATER);
            queue.remove_flow(new);
            (waits, number) = (true, number + 1);
        }
        match serve(&mut queue, 1, STEP)[..] {
            [NEW] => waits = false,
            _ => of_busy += 1,
        }
    }
    assert!(number > 2 * super::super::queue::MAX_ORIGINS as u32, "{number} origins");
    assert!(of_busy > 25_000, "{of_busy} of 50,000");
    assert!(queue.origins() <= super::super::queue::MAX_ORIGINS + 1, "{}", queue.origins());
}

#[test]
fn who_wants_little_is_next_when_they_come() {
    let mut queue = Queue::new();
    let (busy, rare) = (own(&mut queue), own(&mut queue));
    (0..100_000).for_each(|_| queue.push(busy, busy, LATER));
    for _ in 0..100 {
        serve(&mut queue, 50, STEP);
        queue.push(rare, rare, LATER);
        assert_eq!(serve(&mut queue, 1, STEP), [rare]);
    }
}

#[test]
fn who_was_idle_for_long_has_not_saved_it_up() {
    let mut queue = Queue::new();
    let (busy, late) = (own(&mut queue), own(&mut queue));
    (0..1_000_000).for_each(|_| queue.push(busy, 0, LATER));
    serve(&mut queue, 500_000, STEP);
    (0..100_000).for_each(|_| queue.push(late, 1, LATER));
    let served = shares(&serve(&mut queue, 10_000, STEP), 2);
    assert!(served.iter().all(|share| *share > 4_900), "{served:?}");
}

#[test]
fn everything_is_served_once_and_in_its_flow_in_order() {
    let mut queue = Queue::new();
    let flows: Vec<usize> = (0..10).map(|_| own(&mut queue)).collect();
    for number in 0..1_000 {
        queue.push(flows[number % 7], number, LATER);
    }
    let served = serve(&mut queue, usize::MAX, STEP);
    assert_eq!(served.len(), 1_000);
    for flow in 0..7 {
        let own: Vec<usize> = served.iter().copied().filter(|number| number % 7 == flow).collect();
        assert!(own.is_sorted(), "{own:?}");
    }
    assert!(queue.is_empty());
    flows.into_iter().for_each(|flow| queue.remove_flow(flow));
    assert_eq!(queue.flows(), 0);
}

#[test]
fn a_flow_that_ends_in_its_turn_is_forgotten_after_it() {
    let mut queue = Queue::new();
    let (ended, other) = (own(&mut queue), own(&mut queue));
    queue.push(ended, ended, LATER);
    let Some((_, turn)) = queue.next() else { panic!("something is queued") };
    queue.remove_flow(ended);
    queue.push(other, other, LATER);
    assert_eq!(queue.flows(), 2, "its place is not given to another one while it is served");
    assert!(queue.more(turn, STEP).is_none(), "nothing more of it is queued");
    let Some((item, turn)) = queue.next() else { panic!("something is queued") };
    assert_eq!((item, queue.flows()), (other, 1));
    queue.end(turn, STEP);
}
