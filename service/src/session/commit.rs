//! The way to the writer's thread and back: one hand-over per group of records in each direction, not one per record.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{Notify, mpsc};

use super::Error;
use super::cache::Cache;
use super::live::{LiveGame, Reply};
use super::step::Step;
use crate::store::{Append, AppendError, Durability, Writer};

/// With so many records queued the writer is woken although more may follow at once: it syncs these while the next are
/// computed.
const ENOUGH: u64 = 64;

/// Hands records to the writer and wakes it once for all that are ready together.
///
/// Requests arrive in bursts: the runtime reads what many callers sent, and their actions are done one after another. The
/// writer is woken when the burst is over, or has brought enough: a sync costs the same for one record as for many, and
/// answers that go out together cost the connections less.
#[derive(Clone)]
pub struct Outbox {
    writer: Writer<Ticket>,
    queued: Arc<Queued>,
}

#[derive(Default)]
struct Queued {
    /// The records so far.
    count: AtomicU64,
    /// The writer was woken for so many of them.
    woken: AtomicU64,
    /// There is a record that the writer was not woken for.
    more: Notify,
}

impl Outbox {
    /// Must be made inside the runtime.
    pub(super) fn new(writer: Writer<Ticket>) -> Outbox {
        let outbox = Outbox { writer, queued: Arc::default() };
        tokio::spawn(outbox.clone().wake_after_bursts());
        outbox
    }

    /// Queues a record for the next group.
    #[allow(clippy::result_large_err, reason = "a refusal hands the append back")]
    pub(super) fn send(&self, append: Append<Ticket>) -> Result<(), AppendError<Ticket>> {
        self.writer.queue(append)?;
        let count = self.queued.count.fetch_add(1, Ordering::SeqCst) + 1;
        match count.saturating_sub(self.queued.woken.load(Ordering::SeqCst)) {
            1 => self.queued.more.notify_one(),
            ENOUGH.. => self.wake(count),
            // Whoever was told of the first one wakes the writer for all of them.
            _ => {}
        }
        Ok(())
    }

    fn wake(&self, count: u64) {
        // Before the wake-up: a record that comes after it finds that it is a first one.
        self.queued.woken.fetch_max(count, Ordering::SeqCst);
        self.writer.wake();
    }

    /// Wakes the writer whenever every task that was ready has had its turn and none of them brought another record.
    async fn wake_after_bursts(self) {
        let count = || self.queued.count.load(Ordering::SeqCst);
        loop {
            self.queued.more.notified().await;
            let mut before = count();
            loop {
                tokio::task::yield_now().await;
                let now = count();
                if now == before {
                    break;
                }
                before = now;
            }
            if self.queued.woken.load(Ordering::SeqCst) < before {
                self.wake(before);
            }
        }
    }
}

/// What goes with a record to disk and back.
pub enum Ticket {
    /// The oldest record on its way of a live game.
    Advance(Arc<LiveGame>),
    /// A new game, which becomes live when it is there.
    Create(Box<Creation>),
}

/// A game on its way to its first record.
pub struct Creation {
    pub(super) live: Arc<LiveGame>,
    pub(super) step: Arc<Step>,
    pub(super) request_id: String,
    pub(super) reply: Reply,
}

/// Groups that the writer has finished.
pub(super) type Groups = mpsc::UnboundedReceiver<(Vec<Ticket>, Durability)>;

/// Answers each finished group until the store is closed.
///
/// The channel has no bound of its own: what is in it was let in by the store's bounded queue.
pub(super) async fn answer_groups(mut groups: Groups, cache: Arc<Cache>) {
    while let Some((tickets, durability)) = groups.recv().await {
        let error = match durability {
            Durability::Durable { .. } => None,
            Durability::Failed(error) => {
                tracing::error!(%error, records = tickets.len(), "records were not written");
                Some(Error::StoreFailed(error))
            }
        };
        for ticket in tickets {
            match (ticket, &error) {
                (Ticket::Advance(live), None) => live.advanced(),
                (Ticket::Advance(live), Some(error)) => live.failed(error),
                (Ticket::Create(creation), None) => cache.created(*creation),
                (Ticket::Create(creation), Some(error)) => cache.not_created(*creation, error),
            }
        }
    }
}
