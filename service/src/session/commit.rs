//! The way to the writer's thread and back: one hand-over per group of records in each direction, not one per record.

use std::future::poll_fn;
use std::sync::Arc;

use bytes::Bytes;
use divelog_ledger::{Hash, Position};
use tokio::sync::{mpsc, watch};

use super::cache::Cache;
use super::claims::Claim;
use super::live::{LiveGame, Reply};
use super::runtime::Runtime;
use super::step::Step;
use super::{Accepted, Error};
use crate::store::{Append, AppendError, Durability, GameId, NewGameData, Writer};

/// Hands records to the writer, which is woken once for all that are ready together.
///
/// Requests arrive in bursts: the runtime reads what many callers sent, and their actions are done one after another. The
/// writer is woken when the burst is over, or has brought many (which its queue knows): a sync costs the same for one
/// record as for many, and answers that go out together cost the connections less.
#[derive(Clone)]
pub struct AppendHandle {
    writer: Writer<Ticket>,
}

impl AppendHandle {
    /// Must be made inside the runtime.
    pub(super) fn new(writer: Writer<Ticket>, runtime: &dyn Runtime) -> AppendHandle {
        runtime.spawn(Box::pin(wake_after_bursts(writer.clone())));
        AppendHandle { writer }
    }

    /// Queues a record for the next group.
    #[allow(clippy::result_large_err, reason = "a refusal hands the append back")]
    pub(super) fn send(&self, append: Append<Ticket>) -> Result<(), AppendError<Ticket>> {
        self.writer.queue(append)
    }

    /// Whether a record would be queued.
    pub(super) fn has_room(&self) -> bool {
        self.writer.has_room()
    }
}

/// Wakes the writer after each burst of records. A task of its own, which does not end.
///
/// Nothing is counted here: which records the writer was not woken for is under the lock of its queue, where they are.
async fn wake_after_bursts<T>(writer: Writer<T>) {
    loop {
        burst_over(&writer).await;
        writer.wake();
        #[cfg(test)]
        if super::simulation::injected(super::simulation::Defect::LostWakeUp) {
            // What comes before this looks again is taken to be served by the wake-up: only what is queued later counts.
            tokio::task::yield_now().await;
            let seen = writer.queued();
            poll_fn(|context| writer.poll_queued_after(seen, context)).await;
        }
    }
}

/// Done when records wait that the writer was not woken for, every task that was ready has had its turn, and none of them
/// brought another.
async fn burst_over<T>(writer: &Writer<T>) {
    let mut before = poll_fn(|context| writer.poll_since_wake(context)).await;
    loop {
        tokio::task::yield_now().await;
        let now = writer.queued();
        if now == before {
            return;
        }
        before = now;
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
    pub(super) reply: Reply,
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
            reply(Ok(Accepted::Done(step)));
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
            (creation.reply)(Err(answer(game)));
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
    use std::task::{Context, Waker};

    use super::*;
    use crate::store::manual_writer::{self, ManualWriter};
    use crate::store::{Disk, Sequence, Status};
    use crate::test_waker::WakeUps;

    fn writer() -> (Writer<()>, ManualWriter<()>) {
        let describe = |_: &[u8]| Err("nothing is read".to_owned());
        let (_, writer, manual) = manual_writer::open(&Disk::default(), describe, 10);
        (writer, manual)
    }

    fn queue(writer: &Writer<()>) {
        let append = Append {
            game: GameId([1; 16]),
            sequence: Sequence::SETUP,
            previous: [0; 32],
            record: Bytes::new(),
            hash: [0; 32],
            status: Status::Running,
            time_ms: 0,
            new_game: None,
            ticket: (),
        };
        assert!(writer.queue(append).is_ok());
    }

    #[test]
    fn a_burst_is_over_when_a_turn_of_all_tasks_brings_no_record() {
        let ((writer, _), wake_ups) = (writer(), Arc::new(WakeUps::default()));
        let waker = Waker::from(Arc::clone(&wake_ups));
        let mut context = Context::from_waker(&waker);
        let mut over = pin!(burst_over(&writer));
        assert!(over.as_mut().poll(&mut context).is_pending());
        assert_eq!(wake_ups.count(), 0, "nothing is there");
        queue(&writer);
        assert_eq!(wake_ups.count(), 1, "the first record wakes");
        queue(&writer);
        assert_eq!(wake_ups.count(), 1, "the second does not");
        assert!(over.as_mut().poll(&mut context).is_pending(), "the others have their turn");
        assert_eq!(wake_ups.count(), 2, "and then it looks again");
        queue(&writer);
        assert!(over.as_mut().poll(&mut context).is_pending(), "another record came");
        assert!(over.as_mut().poll(&mut context).is_ready());
    }

    /// Whenever a record comes, a few turns later the writer was woken for it.
    #[test]
    fn the_writer_is_woken_for_a_record_that_comes_at_any_moment_of_a_burst() {
        for moment in 0..8 {
            let (writer, manual) = writer();
            let waker = Waker::noop();
            let mut waking = pin!(wake_after_bursts(writer.clone()));
            queue(&writer);
            for turn in 0..16 {
                if turn == moment {
                    queue(&writer);
                }
                assert!(waking.as_mut().poll(&mut Context::from_waker(waker)).is_pending());
            }
            assert!(manual.is_ready());
            assert!(writer.poll_since_wake(&Context::from_waker(waker)).is_pending(), "a record came at turn {moment}");
        }
    }

    #[test]
    fn a_record_that_the_writer_has_taken_needs_no_wake_up() {
        let (writer, mut manual) = writer();
        let mut context = Context::from_waker(Waker::noop());
        queue(&writer);
        writer.wake();
        manual.step(10, &mut |_, _| {});
        let mut over = pin!(burst_over(&writer));
        assert!(over.as_mut().poll(&mut context).is_pending());
        queue(&writer);
        assert!(over.as_mut().poll(&mut context).is_pending());
        assert!(over.as_mut().poll(&mut context).is_ready());
    }
}
