//! The way back from the writer's thread: one hand-over per group of records, not one per record.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use super::Error;
use super::cache::Cache;
use super::live::{LiveGame, Reply};
use super::step::Step;
use crate::store::Durability;

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
pub(super) async fn answer_groups(mut groups: Groups, cache: Arc<Cache>, failed: watch::Sender<bool>) {
    while let Some((tickets, durability)) = groups.recv().await {
        let error = match durability {
            Durability::Durable { .. } => None,
            Durability::Failed(error) => {
                tracing::error!(%error, "the store failed: no action is taken until the server is restarted");
                failed.send_replace(true);
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
