//! The way to the writer's thread and back: one hand-over per group of records in each direction, not one per record.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Notify, mpsc, oneshot, watch};

use super::Error;
use super::cache::Cache;
use super::claims::Claim;
use super::live::LiveGame;
use super::step::Step;
use crate::store::{Append, AppendError, Durability, StoreError, Writer};

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

/// Whether there are records that the writer was not woken for.
///
/// A flag, not a count: it is raised after each record and lowered before the wake-up that serves it, so whatever happens in
/// between, a record that the flag was raised for is followed by a wake-up.
#[derive(Default)]
struct Burst {
    raised: AtomicBool,
    more: Notify,
}

impl Burst {
    /// There is one more record.
    fn raise(&self) {
        if !self.raised.swap(true, Ordering::SeqCst) {
            self.more.notify_one();
        }
    }

    /// Done when every task that was ready has had its turn and none of them brought another record.
    async fn over(&self) {
        self.more.notified().await;
        loop {
            self.raised.store(false, Ordering::SeqCst);
            tokio::task::yield_now().await;
            if !self.raised.load(Ordering::SeqCst) {
                return;
            }
        }
    }
}

impl AppendHandle {
    /// Must be made inside the runtime.
    pub(super) fn new(writer: Writer<Ticket>) -> AppendHandle {
        let appends = AppendHandle { writer, burst: Arc::default() };
        tokio::spawn(appends.clone().wake_after_bursts());
        appends
    }

    /// Queues a record for the next group.
    #[allow(clippy::result_large_err, reason = "a refusal hands the append back")]
    pub(super) fn send(&self, append: Append<Ticket>) -> Result<(), AppendError<Ticket>> {
        self.writer.queue(append)?;
        self.burst.raise();
        Ok(())
    }

    async fn wake_after_bursts(self) {
        loop {
            self.burst.over().await;
            self.writer.wake();
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

/// Groups that the writer has finished.
pub(super) type Groups = mpsc::UnboundedReceiver<(Vec<Ticket>, Durability)>;

/// Answers each finished group until the store is closed, and says up to which block that is done.
///
/// The channel has no bound of its own: what is in it was let in by the store's bounded queue.
pub(super) async fn answer_groups(mut groups: Groups, cache: Arc<Cache>, answered: watch::Sender<Option<u64>>) {
    while let Some((tickets, durability)) = groups.recv().await {
        match durability {
            Durability::Durable { block } => {
                tickets.into_iter().for_each(|ticket| written(ticket, &cache));
                answered.send_replace(Some(block));
            }
            Durability::Failed(error) => {
                tracing::error!(%error, records = tickets.len(), "records were not written");
                tickets.into_iter().for_each(|ticket| not_written(ticket, &error, &cache));
            }
        }
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

fn not_written(ticket: Ticket, error: &Arc<StoreError>, cache: &Cache) {
    let answer = |game| match error.is_conflict() {
        true => Error::Conflict(game),
        false => Error::StoreFailed(Arc::clone(error)),
    };
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
    use std::time::Duration;

    use super::*;

    /// The order that lost a wake-up when records were counted: one comes between the end of a burst and the wake-up, when
    /// the flag was lowered already.
    #[tokio::test]
    async fn a_record_between_the_end_of_a_burst_and_its_wake_up_is_followed_by_another() {
        let burst = Burst::default();
        burst.raise();
        burst.over().await;
        // Here the writer takes everything; then one more record comes, before anybody waits again.
        burst.raise();
        tokio::time::timeout(Duration::from_secs(60), burst.over()).await.expect("it is not forgotten");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn every_record_is_followed_by_a_wake_up_whatever_the_threads_do() {
        use std::sync::atomic::AtomicU64;
        let (burst, sent, served) = (Arc::new(Burst::default()), Arc::new(AtomicU64::new(0)), AtomicU64::new(0));
        let wake = async {
            while served.load(Ordering::SeqCst) < 40_000 {
                burst.over().await;
                // The wake-up serves what was sent before it.
                served.store(sent.load(Ordering::SeqCst), Ordering::SeqCst);
            }
        };
        for _ in 0..4 {
            let (burst, sent) = (Arc::clone(&burst), Arc::clone(&sent));
            tokio::spawn(async move {
                for _ in 0..10_000 {
                    sent.fetch_add(1, Ordering::SeqCst);
                    burst.raise();
                    tokio::task::yield_now().await;
                }
            });
        }
        tokio::time::timeout(Duration::from_secs(120), wake).await.expect("no record waits for ever");
    }
}
