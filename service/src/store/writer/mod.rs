//! The writer thread: takes all records that wait, proposes them to the log as one group, applies what the log gives back,
//! and answers all of a group by one call.
//!
//! | file | what it holds |
//! |---|---|
//! | this one | the thread, from the queue to the answer |
//! | `handle` | where records are handed in |
//! | `staged` | which records may come into a group, and what it changes |
//! | `entry_cache` | the games that were written lately |

mod entry_cache;
mod handle;
mod staged;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use self::entry_cache::EntryCache;
use super::GameId;
use super::block::{self, MAX_BLOCK_BYTES, MAX_RECORDS};
use super::database::catch_panic;
use super::error::StoreError;
use super::log::{Before, Log, NextError, Ordered, ProposalId};
use super::queue::Queue;
use super::settle;
use super::shared_state::SharedState;
use super::types::{Append, Durability, GameEntry};

pub use self::handle::Writer;
#[cfg(test)]
pub(super) use self::staged::Predecessor;
pub(super) use self::staged::{Effects, KnownGame, Staged, created};

/// How long the log is waited for at a time.
const LOG_WAIT: Duration = Duration::from_millis(100);

/// The state of the writer thread.
pub(super) struct Work<T, F> {
    shared: Arc<SharedState>,
    queue: Arc<Queue<Append<T>>>,
    on_group: F,
    log: Box<dyn Log>,
    /// What was proposed, and has not come back.
    proposed: VecDeque<(ProposalId, Effects<T>)>,
    /// What is on its way from the queue to the log and back. Here and not in a function, so that a panic loses no ticket.
    in_flight: InFlight<T>,
    recent: EntryCache,
}

/// What the writer works on.
struct InFlight<T> {
    /// Taken from the queue, and not looked at.
    waiting: VecDeque<Append<T>>,
    staged: Staged<T>,
    /// Handed to the log, or given back by it, and not answered.
    unanswered: Vec<T>,
}

impl<T> Default for InFlight<T> {
    fn default() -> Self {
        InFlight { waiting: VecDeque::new(), staged: Staged::with_capacity(0), unanswered: Vec::new() }
    }
}

impl<T, F: FnMut(Vec<T>, Durability)> Work<T, F> {
    pub fn new(shared: Arc<SharedState>, queue: Arc<Queue<Append<T>>>, log: Box<dyn Log>, on_group: F) -> Work<T, F> {
        let (proposed, in_flight, recent) = Default::default();
        Work { shared, queue, on_group, log, proposed, in_flight, recent }
    }

    /// All that the thread does.
    pub fn run(mut self) {
        let _panic_guard = PanicGuard { shared: Arc::clone(&self.shared), queue: Arc::clone(&self.queue) };
        if catch_unwind(AssertUnwindSafe(|| self.serve())).is_err() {
            self.fail_everything();
        }
    }

    /// Until the queue is closed and empty.
    fn serve(&mut self) {
        loop {
            let waiting = self.take();
            if waiting.is_empty() {
                return;
            }
            match self.shared.failure.get() {
                Some(error) => self.fail_all(waiting, &error),
                None => self.write(waiting),
            }
            self.shared.wait_for_room();
        }
    }

    /// After a panic: whoever waits is answered, and the store takes nothing any more. What was proposed may be on disk or not.
    fn fail_everything(&mut self) {
        let error = self.shared.fail(writer_panicked());
        self.queue.close();
        let InFlight { waiting, staged, unanswered } = std::mem::take(&mut self.in_flight);
        self.fail_tickets(unanswered, &error);
        self.fail_proposed(&error);
        self.fail_tickets(staged.effects.tickets, &error);
        self.fail_all(waiting, &error);
        loop {
            let waiting = self.take();
            if waiting.is_empty() {
                return;
            }
            self.fail_all(waiting, &error);
        }
    }

    fn fail_all(&mut self, waiting: impl IntoIterator<Item = Append<T>>, error: &Arc<StoreError>) {
        self.fail_tickets(waiting.into_iter().map(|append| append.ticket).collect(), error);
    }

    fn fail_tickets(&mut self, tickets: Vec<T>, error: &Arc<StoreError>) {
        if !tickets.is_empty() {
            (self.on_group)(tickets, Durability::Failed(Arc::clone(error)));
        }
    }

    fn take(&self) -> Vec<Append<T>> {
        let (mut records, mut bytes) = (0, 0);
        self.queue.take(|append: &Append<T>| {
            records += 1;
            bytes += append.record.len();
            records <= MAX_RECORDS && block::size(records, bytes) <= MAX_BLOCK_BYTES
        })
    }

    fn write(&mut self, waiting: Vec<Append<T>>) {
        self.in_flight.staged = Staged::with_capacity(waiting.len());
        self.in_flight.waiting = waiting.into();
        while let Some(append) = self.in_flight.waiting.front() {
            // Each failure is its append's own: the entry of another game, or a
            // bug of the caller, says nothing about the rest of the group.
            let game = append.game;
            let known = self.known(game);
            let InFlight { waiting, staged, .. } = &mut self.in_flight;
            let Some(append) = waiting.front() else { break };
            let predecessor = known.and_then(|known| staged.check(known, append));
            let Some(append) = waiting.pop_front() else { break };
            match predecessor {
                Ok(predecessor) => staged.push(append, predecessor),
                Err(error) => {
                    let durability = match error {
                        StoreError::Database { .. } | StoreError::DatabasePanic { .. } => {
                            Durability::Failed(self.shared.fail(error))
                        }
                        error if error.is_refusal() => Durability::Refused(Arc::new(error)),
                        error => Durability::Failed(Arc::new(error)),
                    };
                    (self.on_group)(vec![append.ticket], durability);
                }
            }
        }
        if !self.in_flight.staged.group.records.is_empty() {
            self.propose();
            // What comes next is judged by what these have changed.
            while !self.proposed.is_empty() {
                self.apply_next();
            }
        }
    }

    /// A game as it will be after what is staged.
    fn known(&mut self, game: GameId) -> Result<Option<KnownGame>, StoreError> {
        if let Some(entry) = self.in_flight.staged.effects.entries.get(&game) {
            return Ok(Some(KnownGame { entry: entry.clone(), last_record: Before::SameGroup }));
        }
        let (shared, recent) = (&self.shared, &mut self.recent);
        let entry = catch_panic("reading the index", || recent.find(shared, game))?;
        Ok(entry.map(|entry| KnownGame { last_record: Before::Block(entry.last_block), entry }))
    }

    /// Hands the group that was staged to the log.
    fn propose(&mut self) {
        let staged = std::mem::replace(&mut self.in_flight.staged, Staged::with_capacity(0));
        let Staged { group, mut effects } = staged;
        self.in_flight.unanswered = std::mem::take(&mut effects.tickets);
        // Also when reading the index has failed for one of this group.
        let proposed = match self.shared.failure.get() {
            Some(error) => Err(error),
            None => self.log.propose(group).map_err(|error| self.shared.fail(error)),
        };
        let tickets = std::mem::take(&mut self.in_flight.unanswered);
        match proposed {
            Ok(proposal) => self.proposed.push_back((proposal, Effects { tickets, ..effects })),
            Err(error) => (self.on_group)(tickets, Durability::Failed(error)),
        }
    }

    /// Waits for one thing to happen to what was proposed.
    fn apply_next(&mut self) {
        match self.log.next(LOG_WAIT) {
            Ok(Some(ordered)) => self.apply(ordered),
            Ok(None) => {}
            Err(NextError::Full { until }) => {
                let settled = settle::wait_for(&self.shared, until)
                    .and_then(|()| self.log.settled(until).map_err(|error| self.shared.fail(error)));
                if let Err(error) = settled {
                    self.fail_proposed(&error);
                }
            }
            Err(NextError::Failed(error)) => {
                let error = self.shared.fail(error);
                self.fail_proposed(&error);
            }
        }
        for proposal in self.log.deposed() {
            if let Some(effects) = self.take_proposed(proposal) {
                (self.on_group)(effects.tickets, Durability::Refused(Arc::new(StoreError::Deposed)));
            }
        }
    }

    /// Shows what a durable group has changed, and answers those who wait for it.
    fn apply(&mut self, ordered: Ordered) {
        let Ordered { at, block, secrets, mine } = ordered;
        let Some(effects) = mine.and_then(|proposal| self.take_proposed(proposal)) else {
            // No log of one machine gives back what nobody here has proposed.
            let error = self.shared.fail(StoreError::ForeignGroup { dir: self.shared.dir.clone(), block: at });
            return self.fail_proposed(&error);
        };
        let Effects { entries, creations, tickets, records, bytes } = effects;
        self.in_flight.unanswered = tickets;
        let entries: Vec<Arc<GameEntry>> =
            entries.into_values().map(|entry| Arc::new(GameEntry { last_block: at, ..entry })).collect();
        for entry in &entries {
            self.recent.put(Arc::clone(entry));
        }
        let counters = &self.shared.counters;
        counters.blocks.fetch_add(1, Ordering::Relaxed);
        counters.records.fetch_add(records, Ordering::Relaxed);
        counters.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.shared.publish(at, Some(settle::Value { block, secrets }), entries, creations);
        let tickets = std::mem::take(&mut self.in_flight.unanswered);
        (self.on_group)(tickets, Durability::Durable { block: at });
    }

    fn take_proposed(&mut self, proposal: ProposalId) -> Option<Effects<T>> {
        let at = self.proposed.iter().position(|(proposed, _)| *proposed == proposal)?;
        self.proposed.remove(at).map(|(_, effects)| effects)
    }

    fn fail_proposed(&mut self, error: &Arc<StoreError>) {
        for (_, effects) in std::mem::take(&mut self.proposed) {
            self.fail_tickets(effects.tickets, error);
        }
    }
}

fn writer_panicked() -> StoreError {
    StoreError::DatabasePanic {
        doing: "writing and answering appended records",
        detail: "the writer thread panicked".to_owned(),
    }
}

/// If the caller's `on_group` panics again when it hears of a panic the thread is lost: then later appends must be refused
/// with a reason, and not wait without end.
struct PanicGuard<T> {
    shared: Arc<SharedState>,
    queue: Arc<Queue<Append<T>>>,
}

impl<T> Drop for PanicGuard<T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.fail(writer_panicked());
        }
        self.queue.close();
    }
}
