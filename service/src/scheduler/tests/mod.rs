mod pace;
mod queue;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

use super::*;

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
