//! The way to the writer's thread and back: one hand-over per group of records in each direction, not one per record.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Poll, Waker};

use bytes::Bytes;
use divelog_ledger::{Hash, Position};
use tokio::sync::{mpsc, oneshot, watch};

use super::Error;
use super::cache::Cache;
use super::claims::Claim;
use super::live::LiveGame;
use super::runtime::Runtime;
use super::step::Step;
use crate::store::{Append, AppendError, Durability, GameId, NewGameData, Writer};

/// Hands records to the writer and wakes it once for all that are ready together.
///
/// Requests arrive in bursts: the runtime reads what many callers sent, and their actions are done one after another. The
/// writer is woken when the burst is over, or has brought enough (which its queue knows): a sync costs the same for one
/// record as for many, and answers that go out together cost the connections less.
#[derive(Clone)]
pub struct AppendHandle {
    writer: Writer<Ticket>,
    burst: Arc<Burst>,
}

/// Records that the writer was not woken for.
///
/// Their number changes only together with what it counts, under one lock: a record is queued and counted in one step, and
/// the writer is woken and the count begun anew in one step. So whatever threads do, a record that was queued is followed
/// by a wake-up.
#[derive(Default)]
struct Burst(Mutex<Unserved>);

#[derive(Default)]
struct Unserved {
    records: u64,
    /// Who waits for the first of them.
    waiting: Option<Waker>,
}

impl Burst {
    fn lock(&self) -> MutexGuard<'_, Unserved> {
        crate::lock::lock(&self.0)
    }

    /// Queues a record and counts it, unless it is refused.
    fn add<E>(&self, queue: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let waiting = {
            let mut unserved = self.lock();
            queue()?;
            unserved.records += 1;
            unserved.waiting.take()
        };
        if let Some(waiting) = waiting {
            waiting.wake();
        }
        Ok(())
    }

    /// Wakes the writer for everything that was counted.
    fn serve(&self, wake: impl FnOnce()) {
        let mut unserved = self.lock();
        unserved.records = 0;
        wake();
    }

    fn records(&self) -> u64 {
        self.lock().records
    }

    /// Waits until there is a record.
    async fn begun(&self) -> u64 {
        poll_fn(|context| {
            let mut unserved = self.lock();
            if unserved.records == 0 {
                unserved.waiting = Some(context.waker().clone());
                return Poll::Pending;
            }
            Poll::Ready(unserved.records)
        })
        .await
    }

    /// Done when there are records, every task that was ready has had its turn, and none of them brought another.
    async fn over(&self) {
        let mut before = self.begun().await;
        loop {
            tokio::task::yield_now().await;
            let now = self.records();
            if now == before {
                return;
            }
            before = now;
        }
    }
}

impl AppendHandle {
    /// Must be made inside the runtime.
    pub(super) fn new(writer: Writer<Ticket>, runtime: &dyn Runtime) -> AppendHandle {
        let appends = AppendHandle { writer, burst: Arc::default() };
        runtime.spawn(Box::pin(appends.clone().wake_after_bursts()));
        appends
    }

    /// Queues a record for the next group.
    #[allow(clippy::result_large_err, reason = "a refusal hands the append back")]
    pub(super) fn send(&self, append: Append<Ticket>) -> Result<(), AppendError<Ticket>> {
        self.burst.add(|| self.writer.queue(append))
    }

    /// Whether a record would be queued.
    pub(super) fn has_room(&self) -> bool {
        self.writer.has_room()
    }

    async fn wake_after_bursts(self) {
        loop {
            self.burst.over().await;
            #[cfg(test)]
            if super::simulation::injected(super::simulation::Defect::LostWakeUp) {
                // As if it were counted what the writer was woken for: what comes meanwhile counts as served.
                self.writer.wake();
                tokio::task::yield_now().await;
                self.burst.serve(|| {});
                continue;
            }
            self.burst.serve(|| self.writer.wake());
        }
    }
}

/// What goes with a record to disk and back. It names its record: an answer is never given to another one.
pub enum Ticket {
    /// A record of a live game.
    Advance(Arc<LiveGame>, Arc<Step>),
    /// A new game, which becomes live when it is there.
    Create(Box<Creation>),
}

/// A game on its way to its first record.
pub struct Creation {
    pub(super) live: Arc<LiveGame>,
    pub(super) step: Arc<Step>,
    /// Of a promised game: nobody else may create it meanwhile.
    pub(super) claim: Option<Claim>,
    pub(super) reply: oneshot::Sender<Result<Arc<Step>, Error>>,
}

/// A record for the writer.
pub(super) fn append_of(
    game: GameId,
    previous: Hash,
    position: &Position,
    record: Bytes,
    new_game: Option<NewGameData>,
    ticket: Ticket,
) -> Append<Ticket> {
    Append {
        game,
        sequence: position.last_record(),
        previous,
        record,
        hash: position.head_hash(),
        status: position.status(),
        time_ms: position.time_ms(),
        new_game: new_game.map(Box::new),
        ticket,
    }
}

/// What to answer when the writer takes no record, and the ticket it gave back.
pub(super) fn not_queued(error: AppendError<Ticket>) -> (Error, Ticket) {
    match error {
        AppendError::Full(append) => (Error::Busy("the store's queue is full"), append.ticket),
        AppendError::Failed(append, error) => (Error::StoreFailed(error), append.ticket),
        AppendError::Closed(append) => (Error::ShuttingDown, append.ticket),
        AppendError::TooLarge { append, what, size, most } => {
            let description = format!("{what} has {size} bytes in the log, at most {most} fit");
            (Error::invalid("request", description), append.ticket)
        }
    }
}

/// Groups that the writer has finished.
pub(super) type Groups = mpsc::UnboundedReceiver<(Vec<Ticket>, Durability)>;

/// Answers each finished group until the store is closed, and says up to which block that is done, and after each group,
/// whatever became of it, that there may be room for more.
///
/// The channel has no bound of its own: what is in it was let in by the store's bounded queue.
pub(super) async fn answer_groups(
    mut groups: Groups,
    cache: Arc<Cache>,
    answered: watch::Sender<Option<u64>>,
    count: watch::Sender<u64>,
) {
    while let Some((tickets, durability)) = groups.recv().await {
        match durability {
            Durability::Durable { block } => {
                tickets.into_iter().for_each(|ticket| written(ticket, &cache));
                answered.send_replace(Some(block));
            }
            Durability::Failed(error) => {
                tracing::error!(%error, records = tickets.len(), "records were not written");
                let answer = |_| Error::StoreFailed(Arc::clone(&error));
                tickets.into_iter().for_each(|ticket| not_written(ticket, answer, &cache));
            }
            Durability::Refused(error) => {
                match error.is_conflict() {
                    true => tracing::warn!(%error, "a record was refused"),
                    false => tracing::error!(%error, "a record was refused, which is a bug of the server"),
                }
                // Nothing was written, and the copy that it was judged by is given up: the next one is read from the log.
                tickets.into_iter().for_each(|ticket| not_written(ticket, Error::Conflict, &cache));
            }
        }
        count.send_modify(|count| *count += 1);
    }
}

fn written(ticket: Ticket, cache: &Cache) {
    match ticket {
        Ticket::Advance(live, step) => {
            live.advanced(&step);
            retire_if_done(&live, cache);
        }
        Ticket::Create(creation) => {
            let Creation { live, step, claim, reply } = *creation;
            cache.created(live);
            drop(claim);
            // The caller may have gone away: the game is there all the same.
            drop(reply.send(Ok(step)));
        }
    }
}

fn not_written(ticket: Ticket, answer: impl Fn(GameId) -> Error, cache: &Cache) {
    match ticket {
        Ticket::Advance(live, step) => {
            live.failed(&step, &answer(live.id()));
            retire_if_done(&live, cache);
        }
        Ticket::Create(creation) => {
            let game = creation.step.position.header().game_id;
            drop(creation.reply.send(Err(answer(game))));
        }
    }
}

/// Takes a copy away of which a record was not written, once everything that it has sent is answered: until then it
/// answers in the order of the requests.
fn retire_if_done(live: &Arc<LiveGame>, cache: &Cache) {
    if live.is_done() {
        cache.retire(live);
        live.retire();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Context, Wake};

    use super::*;

    /// Counts how often a task was woken.
    #[derive(Default)]
    struct WakeUps(AtomicUsize);

    impl Wake for WakeUps {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    impl WakeUps {
        fn count(&self) -> usize {
            self.0.load(Ordering::SeqCst)
        }
    }

    fn add(burst: &Burst) {
        assert_eq!(burst.add(|| Ok::<(), ()>(())), Ok(()));
    }

    #[test]
    fn a_burst_is_over_when_a_turn_of_all_tasks_brings_no_record() {
        let (burst, wake_ups) = (Burst::default(), Arc::new(WakeUps::default()));
        let waker = Waker::from(Arc::clone(&wake_ups));
        let mut context = Context::from_waker(&waker);
        let mut over = pin!(burst.over());
        assert!(over.as_mut().poll(&mut context).is_pending());
        assert_eq!(wake_ups.count(), 0, "nothing is there");
        add(&burst);
        assert_eq!(wake_ups.count(), 1, "the first record wakes");
        add(&burst);
        assert_eq!(wake_ups.count(), 1, "the second does not");
        assert!(over.as_mut().poll(&mut context).is_pending(), "the others have their turn");
        assert_eq!(wake_ups.count(), 2, "and then it is asked again");
        add(&burst);
        assert!(over.as_mut().poll(&mut context).is_pending(), "another record came");
        assert!(over.as_mut().poll(&mut context).is_ready());
    }

    #[test]
    fn a_record_after_the_end_of_a_burst_is_served_by_its_wake_up_or_followed_by_another() {
        let (burst, wake_ups) = (Burst::default(), Arc::new(WakeUps::default()));
        let waker = Waker::from(Arc::clone(&wake_ups));
        let mut context = Context::from_waker(&waker);
        add(&burst);
        {
            let mut over = pin!(burst.over());
            assert!(over.as_mut().poll(&mut context).is_pending());
            assert!(over.as_mut().poll(&mut context).is_ready());
        }
        // Between the end and the wake-up: the queue has it when the writer is woken.
        add(&burst);
        let mut woken = 0;
        burst.serve(|| woken += 1);
        assert_eq!((woken, burst.records()), (1, 0));
        // After the wake-up, before anybody waits again.
        add(&burst);
        let mut over = pin!(burst.over());
        assert!(over.as_mut().poll(&mut context).is_pending());
        assert!(over.as_mut().poll(&mut context).is_ready(), "it is not forgotten");
    }

    #[test]
    fn a_refused_record_is_not_counted() {
        let burst = Burst::default();
        assert_eq!(burst.add(|| Err("full")), Err("full"));
        assert_eq!(burst.records(), 0);
    }

    /// The writer is woken under the lock that records are queued under: none is queued but not counted meanwhile.
    #[test]
    fn records_are_queued_and_served_under_one_lock() {
        let burst = Burst::default();
        let queue = || if burst.0.try_lock().is_err() { Ok(()) } else { Err("the lock is free") };
        assert_eq!(burst.add(queue), Ok(()));
        burst.serve(|| assert!(burst.0.try_lock().is_err()));
    }
}
