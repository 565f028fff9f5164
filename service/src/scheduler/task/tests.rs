//! A task in each order of events. No worker runs: a test takes from the queue itself.

use std::future::{Future, pending, poll_fn};
use std::time::Duration;

use super::super::{Scheduler, Shared};
use super::*;
use crate::access::Origin;

fn scheduler() -> (Scheduler, Flow) {
    let scheduler = Scheduler(Shared::new(None));
    let flow = scheduler.flow(Origin::default());
    (scheduler, flow)
}

/// The next task of the queue.
fn next(flow: &Flow) -> Option<Arc<Task>> {
    let mut state = lock(&flow.0.shared.state);
    let (task, turn) = state.queue.next()?;
    state.queue.end(turn, Duration::ZERO);
    Some(task)
}

/// A task that has been taken from the queue.
fn taken(flow: &Flow, future: impl Future<Output = ()> + Send + 'static) -> Arc<Task> {
    flow.spawn(future);
    next(flow).expect("a new task is queued")
}

/// A task that sleeps.
fn asleep(flow: &Flow, future: impl Future<Output = ()> + Send + 'static) -> Arc<Task> {
    let task = taken(flow, future);
    assert_eq!(run(&task), Polled::Pending);
    assert!(next(flow).is_none());
    task
}

fn run(task: &Arc<Task>) -> Polled {
    Arc::clone(task).run()
}

fn wake(task: &Arc<Task>) {
    Arc::clone(task).wake();
}

/// Wakes its own task so often in each poll, by when it is not in the queue, and is then ready or not.
fn waking(flow: &Flow, times: usize, then: Poll<()>) -> impl Future<Output = ()> + Send + 'static {
    let flow = flow.clone();
    poll_fn(move |context| {
        (0..times).for_each(|_| context.waker().wake_by_ref());
        assert!(next(&flow).is_none(), "it is queued while it runs");
        then
    })
}

/// Wakes a task when it is dropped, as streams of h2 do.
struct WakesWhenDropped(Arc<Mutex<Option<Arc<Task>>>>);

impl Drop for WakesWhenDropped {
    fn drop(&mut self) {
        lock(&self.0).iter().for_each(wake);
    }
}

#[test]
fn woken_while_asleep_it_is_queued_once() {
    let (_scheduler, flow) = scheduler();
    for wakes in [1, 2] {
        let task = asleep(&flow, pending());
        (0..wakes).for_each(|_| wake(&task));
        assert!(Arc::ptr_eq(&next(&flow).unwrap(), &task));
        assert!(next(&flow).is_none(), "woken {wakes} times");
    }
}

#[test]
fn woken_while_queued_it_is_queued_once() {
    let (_scheduler, flow) = scheduler();
    let task = asleep(&flow, pending());
    wake(&task);
    let queued = next(&flow).unwrap();
    wake(&queued);
    assert!(next(&flow).is_none(), "who has taken it is about to poll it");
    assert_eq!(run(&queued), Polled::Pending);
    assert!(next(&flow).is_none(), "the poll came after the wake-up");
    wake(&task);
    assert!(next(&flow).is_some());
}

#[test]
fn woken_while_it_runs_it_is_queued_once_afterwards() {
    let (_scheduler, flow) = scheduler();
    for wakes in [1, 2] {
        let task = taken(&flow, waking(&flow, wakes, Poll::Pending));
        for _ in 0..3 {
            assert_eq!(run(&task), Polled::Pending);
            assert!(Arc::ptr_eq(&next(&flow).unwrap(), &task));
            assert!(next(&flow).is_none(), "woken {wakes} times");
        }
    }
}

#[test]
fn woken_by_another_thread_while_it_runs_it_is_queued_afterwards() {
    let (_scheduler, flow) = scheduler();
    let task = taken(
        &flow,
        poll_fn(|context| {
            let waker = context.waker().clone();
            std::thread::spawn(|| waker.wake()).join().unwrap();
            Poll::Pending
        }),
    );
    assert_eq!(run(&task), Polled::Pending);
    assert!(next(&flow).is_some());
}

#[test]
fn woken_in_its_last_poll_or_later_it_is_never_queued() {
    let (_scheduler, flow) = scheduler();
    for wakes in 0..3 {
        let task = taken(&flow, waking(&flow, wakes, Poll::Ready(())));
        assert_eq!(run(&task), Polled::Done);
        (0..wakes).for_each(|_| wake(&task));
        assert!(next(&flow).is_none(), "woken {wakes} times");
    }
}

#[test]
fn after_a_panic_it_is_done() {
    let (_scheduler, flow) = scheduler();
    let task = taken(&flow, async { panic!("a panic of a test") });
    assert_eq!(run(&task), Polled::Done);
    wake(&task);
    assert!(next(&flow).is_none());
}

#[test]
fn woken_after_it_is_cancelled_it_is_not_queued() {
    let (scheduler, flow) = scheduler();
    let running = taken(&flow, waking(&flow, 1, Poll::Pending));
    let sleeping = asleep(&flow, pending());
    drop(scheduler);
    for task in [running, sleeping] {
        assert!(lock(&task.future).is_none(), "what is left of it is dropped");
        wake(&task);
        assert_eq!(run(&task), Polled::Pending);
        wake(&task);
        assert!(next(&flow).is_none());
    }
}

#[test]
fn it_can_be_woken_by_what_it_drops() {
    for cancelled in [false, true] {
        let (scheduler, flow) = scheduler();
        let known = Arc::default();
        let drops = WakesWhenDropped(Arc::clone(&known));
        let mut polls = 0;
        let task = asleep(
            &flow,
            poll_fn(move |_| {
                let _ = &drops;
                polls += 1;
                if polls == 2 { Poll::Ready(()) } else { Poll::Pending }
            }),
        );
        *lock(&known) = Some(Arc::clone(&task));
        if cancelled {
            drop(scheduler);
        } else {
            assert_eq!(run(&task), Polled::Done);
        }
        assert!(lock(&task.future).is_none() && next(&flow).is_none());
        *lock(&known) = None;
    }
}
