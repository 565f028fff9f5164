//! The writer thread: takes all records that wait, proposes them to the log as one group, applies what the log gives back,
//! and answers all of a group by one call.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::block::{self, MAX_BLOCK_BYTES, MAX_RECORD_BYTES, MAX_RECORDS, NO_BLOCK};
use super::database::catch_panic;
use super::database::index::{CreationKey, creation_key};
use super::entry::MAX_CREATION_TEXT_BYTES;
use super::error::{AppendError, StoreError};
use super::log::{Before, Group, GroupRecord, Log, NextError, Ordered, ProposalId};
use super::queue::{NotQueued, Queue};
use super::settle;
use super::shared_state::{Failure, SharedState};
use super::types::{Append, CreationFacts, Durability, GameEntry, GameMap, NewGameData};
use super::{GameId, Revision};

/// How long the log is waited for at a time.
const LOG_WAIT: Duration = Duration::from_millis(100);
/// Entries in each of the two generations of the writer's own cache.
const RECENT: usize = 16_384;

/// Where records are handed in. When the last clone is dropped the writer
/// thread ends, after it has written what waits.
pub struct Writer<T>(Arc<Handle<T>>);

struct Handle<T> {
    queue: Arc<Queue<Append<T>>>,
    // Not the whole shared state: a forgotten writer must not keep the folder locked.
    failure: Arc<Failure>,
}

impl<T> Clone for Writer<T> {
    fn clone(&self) -> Self {
        Writer(Arc::clone(&self.0))
    }
}

impl<T> Drop for Handle<T> {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl<T> Writer<T> {
    pub(super) fn new(queue: Arc<Queue<Append<T>>>, failure: Arc<Failure>) -> Writer<T> {
        Writer(Arc::new(Handle { queue, failure }))
    }

    /// Queues a record and wakes the writer; never waits for the disk. What
    /// becomes of it is said to the `on_group` of [`super::open`].
    #[allow(clippy::result_large_err, reason = "a refusal hands the append back to be tried again")]
    pub fn append(&self, append: Append<T>) -> Result<(), AppendError<T>> {
        self.queue(append)?;
        self.wake();
        Ok(())
    }

    /// Whether the queue takes another record. Others may be quicker.
    pub fn has_room(&self) -> bool {
        self.0.queue.has_room()
    }

    /// Wakes the writer for everything queued so far.
    pub fn wake(&self) {
        self.0.queue.wake();
    }

    /// Queues a record of which more may follow at once: the caller promises to
    /// [`Writer::wake`] the writer soon. A writer that is woken for the first of
    /// many would sync that one alone, and let the others wait for it. With enough
    /// of them it is woken here.
    #[allow(clippy::result_large_err, reason = "a refusal hands the append back to be tried again")]
    pub fn queue(&self, append: Append<T>) -> Result<(), AppendError<T>> {
        if let Some(error) = self.0.failure.get() {
            return Err(AppendError::Failed(append, error));
        }
        let text = append.new_game.as_ref().map_or(0, |new_game| new_game.creation.text_bytes());
        for (what, size, most) in [
            ("the record", append.record.len(), MAX_RECORD_BYTES),
            ("the text of labels and request id", text, MAX_CREATION_TEXT_BYTES),
        ] {
            if size > most {
                return Err(AppendError::TooLarge { append, what, size, most });
            }
        }
        match self.0.queue.push(append) {
            Ok(()) => Ok(()),
            Err(NotQueued::Full(append)) => Err(AppendError::Full(append)),
            Err(NotQueued::Closed(append)) => Err(match self.0.failure.get() {
                Some(error) => AppendError::Failed(append, error),
                None => AppendError::Closed(append),
            }),
        }
    }
}

/// The state of the writer thread.
pub(super) struct Work<T, F> {
    pub shared: Arc<SharedState>,
    pub queue: Arc<Queue<Append<T>>>,
    pub on_group: F,
    pub log: Box<dyn Log>,
    /// What was proposed, and has not come back.
    pub proposed: VecDeque<(ProposalId, Effects<T>)>,
    /// What is on its way from the queue to the log and back. Here and not in a function, so that a panic loses no ticket.
    pub in_flight: InFlight<T>,
    pub recent: EntryCache,
}

/// What the writer has in hand.
pub(super) struct InFlight<T> {
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

/// What a group changes once it is durable, and who waits for that.
pub(super) struct Effects<T> {
    /// The games as they are after it. Their newest block has no number yet: see [`Work::apply`].
    pub entries: GameMap<GameEntry>,
    creations: Vec<(CreationKey, GameId)>,
    pub tickets: Vec<T>,
    records: u64,
    bytes: u64,
}

/// A group in the making.
pub(super) struct Staged<T> {
    pub group: Group,
    pub effects: Effects<T>,
}

impl<T, F: FnMut(Vec<T>, Durability)> Work<T, F> {
    /// The thread's whole life.
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

    /// After a panic: whoever waits is told, and the store takes nothing any more. What was proposed may be on disk or not.
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

/// A game that the log has.
pub(super) struct KnownGame {
    pub entry: GameEntry,
    pub last_record: Before,
}

/// Where a record belongs: what its game was before it, and where the record before it is.
pub(super) struct Predecessor {
    pub entry: GameEntry,
    pub before: Before,
}

impl<T> Staged<T> {
    pub fn with_capacity(appends: usize) -> Staged<T> {
        let tickets = Vec::with_capacity(appends);
        let effects = Effects { entries: GameMap::default(), creations: Vec::new(), tickets, records: 0, bytes: 0 };
        Staged { group: Group::default(), effects }
    }

    /// Whether the append continues its game.
    pub fn check(&self, known: Option<KnownGame>, append: &Append<T>) -> Result<Predecessor, StoreError> {
        let Append { game, sequence, .. } = *append;
        expect_continues(known.as_ref().map(|known| &known.entry), append)?;
        let invalid = |detail| StoreError::InvalidAppend { game, sequence, detail };
        match (known, append.new_game.as_deref()) {
            (None, Some(NewGameData { creation, .. })) => {
                Ok(Predecessor { entry: created(game, creation, append.time_ms), before: Before::Nowhere })
            }
            (Some(KnownGame { entry, last_record }), None) => Ok(Predecessor { entry, before: last_record }),
            (None, None) => Err(invalid("record 0 needs a creation and a secret")),
            (Some(_), Some(_)) => Err(invalid("only record 0 has a creation and a secret")),
        }
    }

    pub fn push(&mut self, append: Append<T>, predecessor: Predecessor) {
        let Append { game, sequence, record, hash, status, time_ms, new_game, ticket, .. } = append;
        let Predecessor { entry, before } = predecessor;
        if let Some(new_game) = new_game {
            let NewGameData { creation, secret } = *new_game;
            self.group.secrets.push((game, secret));
            if !creation.request_id.is_empty() {
                self.effects.creations.push((creation_key(&creation.request_id), game));
            }
        }
        let revision = sequence.revision_after();
        let entry = GameEntry { updated_ms: time_ms, status, revision, head_hash: hash, ..entry };
        self.effects.records += 1;
        self.effects.bytes += record.len() as u64;
        self.group.push(GroupRecord { game, before, sequence, status, record });
        self.effects.entries.insert(game, entry);
        self.effects.tickets.push(ticket);
    }
}

/// Refuses a record that does not continue its game's log.
pub(super) fn expect_continues<T>(known: Option<&GameEntry>, append: &Append<T>) -> Result<(), StoreError> {
    let Append { game, sequence, .. } = *append;
    let expected = known.map_or(Revision::NONE, |entry| entry.revision);
    if sequence != expected.next_record() {
        return Err(StoreError::OutOfSequence { game, given: sequence, expected });
    }
    // The last guard of one history: also a second copy of a game in memory can only be refused here.
    if append.previous != known.map_or([0; 32], |entry| entry.head_hash) {
        return Err(StoreError::OtherHistory { game, given: sequence });
    }
    Ok(())
}

/// The entry of a new game, before its first record is counted.
pub(super) fn created(id: GameId, creation: &CreationFacts, time_ms: u64) -> GameEntry {
    GameEntry {
        id,
        kind: creation.kind,
        seats: creation.seats,
        labels: creation.labels.clone(),
        fork_of: creation.fork_of,
        created_ms: time_ms,
        updated_ms: time_ms,
        status: super::Status::Running,
        revision: Revision::NONE,
        head_hash: [0; 32],
        last_block: NO_BLOCK,
    }
}

/// The writer's bounded memory of games: two generations, the older dropped
/// when the younger is full. Only the writer changes games, so it is never stale.
#[derive(Default)]
pub(super) struct EntryCache {
    young: GameMap<Arc<GameEntry>>,
    old: GameMap<Arc<GameEntry>>,
}

impl EntryCache {
    fn find(&mut self, shared: &SharedState, id: GameId) -> Result<Option<GameEntry>, StoreError> {
        if let Some(entry) = self.young.get(&id).or_else(|| self.old.get(&id)) {
            return Ok(Some(entry.as_ref().clone()));
        }
        Ok(shared.entry(id)?.map(|entry| entry.as_ref().clone()))
    }

    fn put(&mut self, entry: Arc<GameEntry>) {
        if self.young.len() >= RECENT {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(entry.id, entry);
    }
}

fn writer_panicked() -> StoreError {
    StoreError::DatabasePanic {
        doing: "writing and answering appended records",
        detail: "the writer thread panicked".to_owned(),
    }
}

/// If the caller's `on_group` panics when it is told of a panic the thread is lost: then later appends must be refused with a
/// reason, not wait for ever.
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
