//! The writer thread: takes all records that wait, writes them as one block to the
//! journal, syncs once, and answers all of them by one call.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::GameId;
use super::block::{self, Builder, MAX_BLOCK_BYTES, MAX_RECORD_BYTES, MAX_RECORDS, NO_BLOCK, Secrets};
use super::core::{Core, Failure};
use super::database::catch_panic;
use super::database::index::{CreationKey, creation_key};
use super::entry::MAX_CREATION_TEXT_BYTES;
use super::error::{AppendError, StoreError};
use super::log::files::Journal;
use super::queue::{Queue, Refused};
use super::settle;
use super::types::{Append, Creation, Durability, GameEntry, GameMap, NewGameData};

/// Entries in each of the two generations of the writer's own cache.
const RECENT: usize = 16_384;

/// Where records are handed in. When the last clone is dropped the writer
/// thread ends, after it has written what waits.
pub struct Writer<T>(Arc<Handle<T>>);

struct Handle<T> {
    queue: Arc<Queue<Append<T>>>,
    // Not the whole core: a forgotten writer must not keep the folder locked.
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
            Err(Refused::Full(append)) => Err(AppendError::Full(append)),
            Err(Refused::Closed(append)) => Err(match self.0.failure.get() {
                Some(error) => AppendError::Failed(append, error),
                None => AppendError::Closed(append),
            }),
        }
    }
}

/// The state of the writer thread.
pub(super) struct Work<T, F> {
    pub core: Arc<Core>,
    pub queue: Arc<Queue<Append<T>>>,
    pub on_group: F,
    pub journal: Journal,
    pub next_block: u64,
    pub recent: EntryCache,
}

/// A group on its way to the disk.
struct Group<T> {
    block: Builder,
    secrets: Secrets,
    entries: GameMap<GameEntry>,
    creations: Vec<(CreationKey, GameId)>,
    tickets: Vec<T>,
}

impl<T, F: FnMut(Vec<T>, Durability)> Work<T, F> {
    /// The thread's whole life.
    pub fn run(mut self) {
        let _last_word = PanicGuard { core: Arc::clone(&self.core), queue: Arc::clone(&self.queue) };
        loop {
            let waiting = self.take();
            if waiting.is_empty() {
                return;
            }
            match self.core.failure.get() {
                Some(error) => {
                    let tickets = waiting.into_iter().map(|append| append.ticket).collect();
                    (self.on_group)(tickets, Durability::Failed(error));
                }
                None => self.write(waiting),
            }
            self.core.wait_for_room();
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
        let mut group = Group {
            block: Builder::new(self.next_block),
            secrets: Secrets::default(),
            entries: GameMap::default(),
            creations: Vec::new(),
            tickets: Vec::with_capacity(waiting.len()),
        };
        for append in waiting {
            // Each failure is its append's own: the entry of another game, or a
            // bug of the caller, says nothing about the rest of the group.
            let core = &self.core;
            let recent = &mut self.recent;
            let known = group.entries.get(&append.game).cloned();
            let known = match known {
                Some(entry) => Ok(Some(entry)),
                None => catch_panic("reading the index", || recent.find(core, append.game)),
            };
            match known.and_then(|known| stage(&mut group, known, &append, self.next_block)) {
                Ok(()) => group.tickets.push(append.ticket),
                Err(error) => {
                    let durability = match error {
                        StoreError::Database { .. } | StoreError::DatabasePanic { .. } => {
                            Durability::Failed(self.core.fail(error))
                        }
                        error if error.is_refusal() => Durability::Refused(Arc::new(error)),
                        error => Durability::Failed(Arc::new(error)),
                    };
                    (self.on_group)(vec![append.ticket], durability);
                }
            }
        }
        if !group.block.is_empty() {
            self.commit(group);
        }
    }

    fn commit(&mut self, group: Group<T>) {
        let Group { block, secrets, entries, creations, tickets } = group;
        let (records, bytes) = (u64::from(block.count()), block.record_bytes() as u64);
        let number = self.next_block;
        let durability = match self.make_durable(block.finish(), secrets.finish(number)) {
            Err(error) => Durability::Failed(error),
            Ok(value) => {
                self.next_block += 1;
                let entries: Vec<Arc<GameEntry>> = entries.into_values().map(Arc::new).collect();
                for entry in &entries {
                    self.recent.put(Arc::clone(entry));
                }
                let counters = &self.core.counters;
                counters.blocks.fetch_add(1, Ordering::Relaxed);
                counters.records.fetch_add(records, Ordering::Relaxed);
                counters.bytes.fetch_add(bytes, Ordering::Relaxed);
                self.core.publish(number, Some(value), entries, creations);
                Durability::Durable { block: number }
            }
        };
        (self.on_group)(tickets, durability);
    }

    /// Syncs the next block in the journal; answers with it as readers get it from now on.
    fn make_durable(&mut self, block: Vec<u8>, secrets: Vec<u8>) -> Result<settle::Value, Arc<StoreError>> {
        // Also when reading the index has failed for one of this group.
        if let Some(error) = self.core.failure.get() {
            return Err(error);
        }
        if let Some(in_the_way) = self.journal.prepare(self.next_block, &secrets, &block) {
            settle::wait_for(&self.core, in_the_way)?;
        }
        self.journal.write(self.next_block).map_err(|error| self.core.fail(error))?;
        Ok(settle::Value { block: block.into(), secrets: secrets.into() })
    }
}

/// Refuses a record that does not continue its game's log.
pub(super) fn expect_continues<T>(known: Option<&GameEntry>, append: &Append<T>) -> Result<(), StoreError> {
    let Append { game, sequence, .. } = *append;
    let expected = known.map_or(0, |entry| entry.revision);
    if u64::from(sequence) != expected {
        return Err(StoreError::OutOfSequence { game, given: sequence, expected });
    }
    // The last guard of one history: also a second copy of a game in memory can only be refused here.
    if append.previous != known.map_or([0; 32], |entry| entry.head_hash) {
        return Err(StoreError::OtherHistory { game, given: sequence });
    }
    Ok(())
}

/// Adds a record to the group, if it continues its game.
fn stage<T>(group: &mut Group<T>, known: Option<GameEntry>, append: &Append<T>, block: u64) -> Result<(), StoreError> {
    let Append { game, sequence, .. } = *append;
    expect_continues(known.as_ref(), append)?;
    let invalid = |detail| StoreError::InvalidAppend { game, sequence, detail };
    let time_ms = append.time_ms;
    let (entry, previous) = match (known, append.new_game.as_deref()) {
        (None, Some(NewGameData { creation, secret })) => {
            group.secrets.push(game, secret);
            if !creation.request_id.is_empty() {
                let key = creation_key(&creation.request_id);
                group.creations.push((key, game));
            }
            (created(game, creation, time_ms), NO_BLOCK)
        }
        (Some(entry), None) => {
            let previous = entry.last_block;
            (entry, previous)
        }
        (None, None) => return Err(invalid("record 0 needs a creation and a secret")),
        (Some(_), Some(_)) => return Err(invalid("only record 0 has a creation and a secret")),
    };
    group.block.push(game, previous, sequence, append.status, &append.record);
    let entry = GameEntry {
        updated_ms: time_ms,
        status: append.status,
        revision: u64::from(sequence) + 1,
        head_hash: append.hash,
        last_block: block,
        ..entry
    };
    group.entries.insert(game, entry);
    Ok(())
}

/// The entry of a new game, before its first record is counted.
pub(super) fn created(id: GameId, creation: &Creation, time_ms: u64) -> GameEntry {
    GameEntry {
        id,
        kind: creation.kind,
        seats: creation.seats,
        labels: creation.labels.clone(),
        fork_of: creation.fork_of,
        created_ms: time_ms,
        updated_ms: time_ms,
        status: super::Status::Running,
        revision: 0,
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
    fn find(&mut self, core: &Core, id: GameId) -> Result<Option<GameEntry>, StoreError> {
        if let Some(entry) = self.young.get(&id).or_else(|| self.old.get(&id)) {
            return Ok(Some(entry.as_ref().clone()));
        }
        Ok(core.entry(id)?.map(|entry| entry.as_ref().clone()))
    }

    fn put(&mut self, entry: Arc<GameEntry>) {
        if self.young.len() >= RECENT {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(entry.id, entry);
    }
}

/// If the caller's `on_group` panics the thread is lost: then later appends
/// must be refused with a reason, not wait for ever.
struct PanicGuard<T> {
    core: Arc<Core>,
    queue: Arc<Queue<Append<T>>>,
}

impl<T> Drop for PanicGuard<T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.core.fail(StoreError::DatabasePanic {
                doing: "answering appended records",
                detail: "the writer thread panicked".to_owned(),
            });
        }
        self.queue.close();
    }
}
