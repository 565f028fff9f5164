use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

use super::*;

mod queue {
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
}

mod pace {
    use super::super::pace::Pace;
    use super::*;

    const STEP: Duration = Duration::from_micros(50);

    /// How much heavy flows get of so much time, if somebody who asks for little is served every so often.
    fn heavy_part(time: Duration, light_every: Duration) -> Duration {
        let mut pace = Pace::new(1);
        let (mut now, mut next_light, mut used) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
        while now < time {
            if now >= next_light {
                pace.light(now);
                next_light += light_every;
            }
            match pace.rest(now) {
                // Timers are late.
                Some(rest) => now += rest + Duration::from_micros(300),
                None => {
                    pace.used(STEP);
                    (now, used) = (now + STEP, used + STEP);
                }
            }
        }
        used
    }

    #[test]
    fn heavy_flows_have_a_third_of_the_time_beside_light_ones() {
        let part = heavy_part(Duration::from_secs(10), Duration::from_millis(10)).as_millis();
        assert!((3_000..=3_450).contains(&part), "{part} ms of 10,000");
    }

    #[test]
    fn heavy_flows_have_all_of_the_time_when_nobody_else_is_there() {
        let part = heavy_part(Duration::from_secs(10), Duration::from_secs(60)).as_millis();
        assert!((9_900..=10_000).contains(&part), "{part} ms of 10,000");
    }

    #[test]
    fn a_task_that_took_long_is_waited_for() {
        let mut pace = Pace::new(1);
        pace.light(Duration::ZERO);
        assert_eq!(pace.rest(Duration::ZERO), None);
        // One of these is saved up, the others are owed.
        pace.used(Duration::from_millis(5));
        let rest = pace.rest(Duration::ZERO).expect("it has used more than it had");
        let paid = Duration::from_millis(12);
        assert!(rest > paid, "a rest lasts until something is saved up again: {rest:?}");
        assert!(pace.rest(paid - STEP).is_some(), "woken earlier it goes on resting while anything is owed");
        assert_eq!(pace.rest(rest), None);
    }
}

/// Beside a flow that asks for little, others do not have all of the time; it is served at once, also while they rest. The
/// time is the test's.
#[test]
fn where_processors_are_scarce_a_flood_leaves_time_free() {
    const STEP: Duration = Duration::from_micros(50);
    const LIGHT_EVERY: Duration = Duration::from_millis(10);
    let rig = Rig { scheduler: Scheduler(Shared::new(Some(Pace::new(1)))), woken: Arc::default() };
    let flow = |port| rig.scheduler.flow(Origin::of(Some(([10, 0, 0, port], 1).into())));
    let (flood, rare) = (flow(1), flow(2));
    let task = |flow: &Flow| Task::new(flow.clone(), 0, Box::pin(async {}));
    let mut state = lock(&rig.scheduler.0.state);
    // The connections are not new any more.
    let mut now = Duration::from_secs(10);
    let (begun, mut next_light) = (now, now + 20 * LIGHT_EVERY);
    let (mut used_by_flood, mut waited, mut last) = (Duration::ZERO, Duration::ZERO, None);
    state.queue(task(&flood), now);
    while now < begun + Duration::from_secs(2) {
        if now >= next_light {
            state.queue(task(&rare), now);
            waited = waited.max(now - next_light);
            next_light += LIGHT_EVERY;
        }
        match state.next(last.take(), now, false) {
            Next::Run(ran, turn, demand) => {
                if ran.flow.0.flow == flood.0.flow {
                    state.queue(task(&flood), now);
                    used_by_flood += STEP;
                }
                now += STEP;
                last = Some(Ran { turn, demand, used: STEP, done: None });
            }
            // Whoever comes meanwhile wakes the worker.
            Next::Rest(time) => now = (now + time).min(next_light.max(now + STEP)),
            Next::Look | Next::Idle => now += STEP,
        }
    }
    drop(state);
    let part = used_by_flood.as_millis();
    // All of the first 200 ms, then a third.
    assert!((760..=880).contains(&part), "{part} ms of 2,000");
    assert!(waited <= 2 * STEP, "{waited:?}");
}

#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A scheduler whose one worker the test polls.
struct Rig {
    scheduler: Scheduler,
    woken: Arc<Woken>,
}

impl Rig {
    fn new() -> Rig {
        Rig { scheduler: Scheduler(Shared::new(None)), woken: Arc::default() }
    }

    /// Works until nothing is to be done.
    fn work(&self) {
        let waker = Waker::from(Arc::clone(&self.woken));
        loop {
            let before = self.woken.0.load(Ordering::SeqCst);
            let polled = self.scheduler.0.poll_work(0, &mut None, &mut Context::from_waker(&waker));
            assert!(polled.is_pending());
            if self.woken.0.load(Ordering::SeqCst) == before {
                return;
            }
        }
    }
}

/// A future that counts how often it is polled, shows its waker, and is never done.
fn endless(polls: &Arc<AtomicUsize>, waker: &Arc<Mutex<Option<Waker>>>) -> impl Future<Output = ()> + Send + 'static {
    let (polls, waker) = (Arc::clone(polls), Arc::clone(waker));
    poll_fn(move |context| {
        polls.fetch_add(1, Ordering::SeqCst);
        *lock(&waker) = Some(context.waker().clone());
        Poll::Pending
    })
}

#[test]
fn a_task_is_polled_once_for_all_that_wakes_it_before() {
    let rig = Rig::new();
    let (polls, waker) = Default::default();
    rig.scheduler.flow(Origin::default()).spawn(endless(&polls, &waker));
    rig.work();
    assert_eq!(polls.load(Ordering::SeqCst), 1);
    let task = lock(&waker).clone().expect("it was polled");
    (0..3).for_each(|_| task.wake_by_ref());
    rig.work();
    assert_eq!(polls.load(Ordering::SeqCst), 2);
}

#[test]
fn a_task_that_is_woken_while_it_runs_runs_again() {
    let rig = Rig::new();
    let polls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&polls);
    rig.scheduler.flow(Origin::default()).spawn(poll_fn(move |context| {
        context.waker().wake_by_ref();
        match counted.fetch_add(1, Ordering::SeqCst) {
            4 => Poll::Ready(()),
            _ => Poll::Pending,
        }
    }));
    rig.work();
    assert_eq!(polls.load(Ordering::SeqCst), 5);
}

#[test]
fn an_idle_worker_is_woken_once() {
    let rig = Rig::new();
    rig.work();
    let flow = rig.scheduler.flow(Origin::default());
    flow.spawn(async {});
    assert_eq!(rig.woken.0.load(Ordering::SeqCst), 1);
    flow.spawn(async {});
    assert_eq!(rig.woken.0.load(Ordering::SeqCst), 1, "it is on its way");
    rig.work();
}

#[test]
fn a_panic_ends_its_own_task_only() {
    let rig = Rig::new();
    let flow = rig.scheduler.flow(Origin::default());
    let done = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&done);
    flow.spawn(async { panic!("planted") });
    flow.spawn(async move {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    rig.work();
    assert_eq!(done.load(Ordering::SeqCst), 1);
    assert_eq!(Arc::strong_count(&done), 1);
}

#[test]
fn a_task_spawns_into_its_own_flow_and_knows_when_its_turn_is_over() {
    let rig = Rig::new();
    let flow = rig.scheduler.flow(Origin::default());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let shown = Arc::clone(&seen);
    flow.spawn(async move {
        let own = RUNNING.with_borrow(Clone::clone).map(|flow| flow.0.flow);
        let inner = Arc::clone(&shown);
        spawn(async move { lock(&inner).push(RUNNING.with_borrow(Clone::clone).map(|flow| flow.0.flow)) });
        lock(&shown).push(own);
        assert!(!turn_is_over() || TURN_END.get().is_some_and(|end| Instant::now() >= end));
        while !turn_is_over() {
            std::hint::spin_loop();
        }
    });
    rig.work();
    assert_eq!(*lock(&seen), [Some(flow.0.flow); 2]);
    assert!(!turn_is_over(), "nothing runs");
}

#[test]
fn nothing_is_left_of_tasks_after_the_end() {
    let rig = Rig::new();
    let (polls, waker) = Default::default();
    let flow = rig.scheduler.flow(Origin::default());
    flow.spawn(endless(&polls, &waker));
    rig.work();
    // One that is queued, and one that nobody could wake any more.
    flow.spawn(endless(&polls, &Arc::default()));
    assert_eq!(Arc::strong_count(&polls), 3);
    drop(rig.scheduler);
    assert_eq!(Arc::strong_count(&polls), 1);
    lock(&waker).take().expect("it was polled").wake();
    assert_eq!(polls.load(Ordering::SeqCst), 1);
    flow.spawn(async { unreachable!("nothing runs any more") });
}

/// h2 wakes tasks under a lock that they need when they are dropped.
#[test]
fn a_task_is_woken_after_the_end_by_somebody_who_holds_what_it_needs() {
    struct NeedsLock(Arc<Mutex<()>>);
    impl Drop for NeedsLock {
        fn drop(&mut self) {
            drop(self.0.try_lock().expect("nobody holds it while tasks are dropped"));
        }
    }
    let rig = Rig::new();
    let (polls, waker) = Default::default();
    let shared = Arc::new(Mutex::new(()));
    let (needs, waits) = (NeedsLock(Arc::clone(&shared)), endless(&polls, &waker));
    rig.scheduler.flow(Origin::default()).spawn(async move {
        let _needs = needs;
        waits.await;
    });
    rig.work();
    let task = lock(&waker).take().expect("it was polled");
    {
        let state = Arc::clone(&rig.scheduler.0);
        lock(&state.state).closed = true;
        let _held = lock(&shared);
        task.wake();
    }
    drop(rig.scheduler);
    assert_eq!(Arc::strong_count(&polls), 1);
}

#[test]
fn a_flow_is_gone_with_its_last_task() {
    let rig = Rig::new();
    for _ in 0..3 {
        rig.scheduler.flow(Origin::default()).spawn(async {});
    }
    rig.work();
    assert_eq!(lock(&rig.scheduler.0.state).queue.flows(), 0);
}

#[test]
fn tasks_of_many_threads_are_all_done() {
    const TASKS: usize = 2_000;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_all().build();
    let runtime = runtime.expect("a runtime starts");
    let done = Arc::new(AtomicUsize::new(0));
    runtime.block_on(async {
        let (scheduler, _ended) = Scheduler::start(3);
        let flows: Vec<Flow> = (0..7).map(|_| scheduler.flow(Origin::default())).collect();
        for number in 0..TASKS {
            let done = Arc::clone(&done);
            let (ask, asked) = tokio::sync::oneshot::channel();
            flows[number % flows.len()].spawn(async move {
                tokio::task::yield_now().await;
                drop(asked.await);
                done.fetch_add(1, Ordering::SeqCst);
            });
            tokio::task::spawn_blocking(move || ask.send(()));
        }
        while done.load(Ordering::SeqCst) < TASKS {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
}
