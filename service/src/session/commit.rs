//! The way to the writer's thread and back: one hand-over per group of records in each direction, not one per record.

use std::sync::Arc;

use tokio::sync::{Notify, mpsc};

use super::Error;
use super::cache::Cache;
use super::live::{LiveGame, Reply};
use super::step::Step;
use crate::store::{Append, AppendError, Durability, Writer};

/// Hands records to the writer and wakes it once for all that are ready together.
///
/// Requests arrive in bursts: the runtime reads what many callers sent, and their actions are done one after another. The
/// writer is woken when the burst is over, so that it syncs all of it at once.
#[derive(Clone)]
pub struct Outbox {
    writer: Writer<Ticket>,
    filled: Arc<Notify>,
}

impl Outbox {
    /// Must be made inside the runtime.
    pub(super) fn new(writer: Writer<Ticket>) -> Outbox {
        let filled = Arc::new(Notify::new());
        let outbox = Outbox { writer: writer.clone(), filled: Arc::clone(&filled) };
        tokio::spawn(async move {
            loop {
                filled.notified().await;
                // Runs again when every task that is ready now has had its turn.
                tokio::task::yield_now().await;
                writer.wake();
            }
        });
        outbox
    }

    /// Queues a record for the next group.
    #[allow(clippy::result_large_err, reason = "a refusal hands the append back")]
    pub(super) fn send(&self, append: Append<Ticket>) -> Result<(), AppendError<Ticket>> {
        self.writer.queue(append)?;
        self.filled.notify_one();
        Ok(())
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
