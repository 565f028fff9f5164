//! Which task has the processor next.
//!
//! The tasks of one connection, and what the server does for its calls, are a *flow*. Processor time is divided among flows,
//! not among tasks: whoever sends a million requests, opens a thousand calls or has ten thousand watches waits behind those
//! who ask for little. The runtime's own queue gives every task its turn, so the more somebody asks for the more they get.
//!
//! A task cannot be interrupted. Tasks that have much to do ask [`turn_is_over`] and go on in their next turn.
//!
//! | module | what it is for |
//! |---|---|
//! | `queue` | the order in which flows are served |
//! | `task` | a future that is polled when it was woken |
//!
//! Written by hand because the executors that there are serve tasks in the order in which they were woken.

mod queue;
mod task;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use self::queue::Queue;
use self::task::Task;
use crate::lock::lock;

/// How long tasks run before the runtime looks at sockets, timers and what other threads hand over.
const LOOK_EVERY: Duration = Duration::from_micros(100);
/// How long a task should run before it lets others run.
const TASK_TURN: Duration = Duration::from_micros(50);

/// Runs the tasks of all flows. Ends when it is dropped.
pub struct Scheduler(Arc<Shared>);

struct Shared(Mutex<State>);

struct State {
    queue: Queue<Arc<Task>>,
    /// The workers that have nothing to do.
    idle: Vec<(usize, Waker)>,
    closed: bool,
}

/// Tasks that share one part of the processor.
#[derive(Clone)]
pub struct Flow(Arc<Member>);

struct Member {
    shared: Arc<Shared>,
    flow: usize,
}

thread_local! {
    /// The flow whose task runs on this thread.
    static RUNNING: RefCell<Option<Flow>> = const { RefCell::new(None) };
    /// When the task that runs on this thread should let others run.
    static TURN_END: Cell<Option<Instant>> = const { Cell::new(None) };
}

impl Scheduler {
    /// Starts so many workers, one for each thread of the runtime, which must be there. Also returns what is done when one
    /// of them has ended, which is a bug.
    pub fn start(workers: usize) -> (Scheduler, impl Future<Output = ()>) {
        let shared = Shared::new();
        let mut all = JoinSet::new();
        for worker in 0..workers {
            // Tasks take turns by our own measure. The runtime's would count the work of all of them as one task's.
            all.spawn(tokio::task::unconstrained(work(worker, Arc::clone(&shared))));
        }
        let ended = async move { drop(all.join_next().await) };
        (Scheduler(shared), ended)
    }

    /// A flow without tasks.
    pub fn flow(&self) -> Flow {
        let flow = lock(&self.0.0).queue.add_flow();
        Flow(Arc::new(Member { shared: Arc::clone(&self.0), flow }))
    }
}

impl Drop for Scheduler {
    /// Nothing runs any more. What is queued is dropped now, and everything else when it would be woken.
    fn drop(&mut self) {
        let (tasks, idle) = {
            let mut state = lock(&self.0.0);
            state.closed = true;
            (state.queue.drain(), std::mem::take(&mut state.idle))
        };
        idle.into_iter().for_each(|(_, worker)| worker.wake());
        tasks.iter().for_each(|task| task.cancel());
    }
}

impl Flow {
    /// Runs a task in this flow.
    pub fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        Flow::queue(Task::new(self.clone(), Box::pin(future)));
    }

    /// Queues a task that has been woken.
    fn queue(task: Arc<Task>) {
        let flow = task.flow.0.flow;
        let shared = Arc::clone(&task.flow.0.shared);
        let mut state = lock(&shared.0);
        if state.closed {
            drop(state);
            return task.cancel();
        }
        state.queue.push(flow, task);
        let idle = state.idle.pop();
        drop(state);
        if let Some((_, worker)) = idle {
            worker.wake();
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        // Every task holds its flow, so none is queued.
        lock(&self.shared.0).queue.remove_flow(self.flow);
    }
}

impl<F: Future<Output = ()> + Send + 'static> hyper::rt::Executor<F> for Flow {
    fn execute(&self, future: F) {
        self.spawn(future);
    }
}

/// Runs a task in the flow of the task that runs now, or on the runtime if that belongs to none.
pub fn spawn(future: impl Future<Output = ()> + Send + 'static) {
    match RUNNING.with_borrow(Clone::clone) {
        Some(flow) => flow.spawn(future),
        None => drop(tokio::spawn(future)),
    }
}

/// When the task that runs now should let others run, if it belongs to a flow. Differs from turn to turn.
pub fn turn_end() -> Option<Instant> {
    TURN_END.get()
}

/// Whether the task that runs now should let others run: wake itself and return.
pub fn turn_is_over() -> bool {
    turn_end().is_some_and(|end| Instant::now() >= end)
}

/// Runs tasks until the scheduler ends.
async fn work(worker: usize, shared: Arc<Shared>) {
    poll_fn(|context| shared.poll_work(worker, context)).await;
}

impl Shared {
    fn new() -> Arc<Shared> {
        Arc::new(Shared(Mutex::new(State { queue: Queue::new(), idle: Vec::new(), closed: false })))
    }

    /// Runs tasks until there are none, or until the runtime should look at everything else.
    fn poll_work(&self, worker: usize, context: &mut Context<'_>) -> Poll<()> {
        let began = Instant::now();
        let (mut now, mut last) = (began, None);
        loop {
            let next = {
                let mut state = lock(&self.0);
                if state.closed {
                    return Poll::Ready(());
                }
                let next = match last.take() {
                    Some((turn, used)) if now - began >= LOOK_EVERY => {
                        state.queue.end(turn, used);
                        None
                    }
                    Some((turn, used)) => state.queue.next_after(turn, used),
                    None => state.queue.next(),
                };
                if next.is_none() {
                    match state.queue.is_empty() {
                        true => state.set_idle(worker, context.waker()),
                        false => context.waker().wake_by_ref(),
                    }
                }
                next
            };
            let Some((task, turn)) = next else { return Poll::Pending };
            run(task, now + TASK_TURN);
            let used = now.elapsed();
            now += used;
            last = Some((turn, used));
        }
    }
}

impl State {
    fn set_idle(&mut self, worker: usize, waker: &Waker) {
        self.idle.retain(|(idle, _)| *idle != worker);
        self.idle.push((worker, waker.clone()));
    }
}

/// Runs a task, which knows its flow and when its turn ends.
fn run(task: Arc<Task>, turn_end: Instant) {
    RUNNING.set(Some(task.flow.clone()));
    TURN_END.set(Some(turn_end));
    task.run();
    RUNNING.set(None);
    TURN_END.set(None);
}
