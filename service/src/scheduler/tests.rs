use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

use super::*;

mod queue {
    use super::super::queue::{Queue, Turn};
    use super::*;

    const STEP: Duration = Duration::from_micros(20);

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
        let flows = [queue.add_flow(), queue.add_flow(), queue.add_flow()];
        for (flow, items) in flows.into_iter().zip([1_000, 100_000, 3_000]) {
            (0..items).for_each(|_| queue.push(flow, flow));
        }
        let served = serve(&mut queue, 2_100, STEP);
        for share in shares(&served, 3) {
            assert!((690..=710).contains(&share), "{share} of 700");
        }
    }

    #[test]
    fn who_wants_little_is_next_when_they_come() {
        let mut queue = Queue::new();
        let (busy, rare) = (queue.add_flow(), queue.add_flow());
        (0..100_000).for_each(|_| queue.push(busy, busy));
        for _ in 0..100 {
            serve(&mut queue, 50, STEP);
            queue.push(rare, rare);
            assert_eq!(serve(&mut queue, 1, STEP), [rare]);
        }
    }

    #[test]
    fn who_was_idle_for_long_has_not_saved_it_up() {
        let mut queue = Queue::new();
        let (busy, late) = (queue.add_flow(), queue.add_flow());
        (0..1_000_000).for_each(|_| queue.push(busy, busy));
        serve(&mut queue, 500_000, STEP);
        (0..100_000).for_each(|_| queue.push(late, late));
        let served = shares(&serve(&mut queue, 10_000, STEP), 2);
        assert!(served[busy] > 4_900 && served[late] > 4_900, "{served:?}");
    }

    #[test]
    fn everything_is_served_once_and_in_its_flow_in_order() {
        let mut queue = Queue::new();
        let flows: Vec<usize> = (0..10).map(|_| queue.add_flow()).collect();
        for number in 0..1_000 {
            queue.push(flows[number % 7], number);
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
        let (ended, other) = (queue.add_flow(), queue.add_flow());
        queue.push(ended, ended);
        let Some((_, turn)) = queue.next() else { panic!("something is queued") };
        queue.remove_flow(ended);
        queue.push(other, other);
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

/// Beside a flow that asks for little, others do not have all of the time, and are served in the end.
#[tokio::test]
async fn where_processors_are_scarce_a_flood_leaves_time_free() {
    let shared = Shared::new(Some(Pace::new(1)));
    tokio::spawn(tokio::task::unconstrained(work(0, Arc::clone(&shared))));
    let scheduler = Scheduler(shared);
    let (flood, rare) = (scheduler.flow(), scheduler.flow());
    let busy = Arc::new(Mutex::new(Duration::ZERO));
    let counted = Arc::clone(&busy);
    flood.spawn(async move {
        loop {
            let begun = Instant::now();
            while begun.elapsed() < TASK_TURN {
                std::hint::spin_loop();
            }
            *lock(&counted) += begun.elapsed();
            tokio::task::yield_now().await;
        }
    });
    // Let it run ahead, then ask for little again and again.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let (begun, before) = (Instant::now(), *lock(&busy));
    for _ in 0..100 {
        let (sender, done) = tokio::sync::oneshot::channel();
        rare.spawn(async move {
            sender.send(()).ok();
        });
        done.await.expect("it is served");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let (time, used) = (begun.elapsed(), *lock(&busy) - before);
    assert!(!used.is_zero(), "the flood goes on");
    // A third, and what it had before the first of these came. A busy machine gives it less.
    assert!(used < time * 3 / 5, "{used:?} of {time:?}");
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
    rig.scheduler.flow().spawn(endless(&polls, &waker));
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
    rig.scheduler.flow().spawn(poll_fn(move |context| {
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
    let flow = rig.scheduler.flow();
    flow.spawn(async {});
    assert_eq!(rig.woken.0.load(Ordering::SeqCst), 1);
    flow.spawn(async {});
    assert_eq!(rig.woken.0.load(Ordering::SeqCst), 1, "it is on its way");
    rig.work();
}

#[test]
fn a_panic_ends_its_own_task_only() {
    let rig = Rig::new();
    let flow = rig.scheduler.flow();
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
    let flow = rig.scheduler.flow();
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
    let flow = rig.scheduler.flow();
    flow.spawn(endless(&polls, &waker));
    rig.work();
    flow.spawn(endless(&polls, &Arc::default()));
    drop(rig.scheduler);
    // The queued one is gone, the other when something wakes it.
    assert_eq!(Arc::strong_count(&polls), 2);
    let task = lock(&waker).take().expect("it was polled");
    task.wake();
    assert_eq!(Arc::strong_count(&polls), 1);
    assert_eq!(polls.load(Ordering::SeqCst), 1);
    flow.spawn(async { unreachable!("nothing runs any more") });
}

#[test]
fn a_flow_is_gone_with_its_last_task() {
    let rig = Rig::new();
    for _ in 0..3 {
        rig.scheduler.flow().spawn(async {});
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
        let flows: Vec<Flow> = (0..7).map(|_| scheduler.flow()).collect();
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
