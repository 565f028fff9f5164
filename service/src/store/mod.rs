//! The block store: opaque records of games, made durable in groups.
//!
//! A database keeps them, with a log of our own in front; neither knows anything of
//! what a record says. Appended records wait in a bounded queue; one writer thread
//! takes all that wait, has the log make one block of them durable, and
//! answers all of them at once. A housekeeping thread brings the blocks to the database
//! and writes the index of games and the watermark, about once a second.
//!
//! | file | what it holds |
//! |---|---|
//! | `types` | games, appends, entries, pages |
//! | `block`, `entry`, `watermark` | the bytes on disk, each with its checksum |
//! | `queue`, `writer` | from `append` to the answer |
//! | `log` | where a group becomes durable; block numbers are never used twice |
//! | `database` | where everything is kept: blocks, secrets, the index, refusals, leaves |
//! | `shared_state`, `settle`, `housekeeping` | what is synced but not yet in the database and its index; writing it there |
//! | `open_check` | whether the database may open its file, or a copy of it first |
//! | `open`, `recover` | checks at start, and the scan of blocks the index lacks |
//! | `presence` | whether the files are still where they were opened |
//! | `read` | one game by its chain of blocks, many by the index |
//! | `refusals` | refused requests, apart from the records, and when some may have been lost |
//! | `leaves` | what the sealer of the transparency log remembers here |
//! | `rebuild` | a store written again from blocks that were found elsewhere |
//!
//! Three promises: nobody is shown what is not synced; what is synced is shown
//! at once; a game that cannot be read back whole is an error, never a shorter game.

pub(crate) mod block;
mod database;
mod entry;
mod error;
mod housekeeping;
mod leaves;
mod log;
mod open;
mod open_check;
mod presence;
mod queue;
mod read;
pub(crate) mod rebuild;
mod recover;
mod refusals;
mod settle;
mod shared_state;
mod types;
pub(crate) mod watermark;
mod writer;

#[cfg(test)]
pub(crate) mod manual_writer;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use self::database::catch_panic;
use self::log::LogKind;
use self::queue::Queue;
use self::shared_state::SharedState;

pub use self::block::MAX_RECORD_BYTES;
pub(crate) use self::database::LOG_TARGET as DATABASE_LOG_TARGET;
pub use self::database::{LeafPlace, Sealed};
pub use self::entry::MAX_CREATION_TEXT_BYTES;
pub use self::error::{AppendError, StoreError};
pub use self::log::files::JOURNAL_BYTES;
pub(crate) use self::log::files::{FILES as JOURNALS, inspect as inspect_journal};
#[cfg(test)]
pub(crate) use self::log::memory::Disk;
pub use self::refusals::{GameGaps, GapCause, KEPT_PER_GAME, KeptRefusals, MAX_REFUSAL_BYTES, RefusalGap, Refusals};
pub use self::types::{
    Append, BlockRecord, CreationFacts, Durability, GameEntry, NewGameData, Page, RawBlock, RecordFacts, Stats,
    StoredGame, StoredRecord,
};
pub use self::writer::Writer;
use crate::lock::lock;
pub use divelog_ledger::{GameId, Hash, Revision, Sequence, Status};

/// Extracts what the index needs to know about a record, when it is rebuilt.
pub type Describe = fn(&[u8]) -> Result<RecordFacts, String>;

/// How to open a store.
#[derive(Clone, Debug)]
pub struct Options {
    /// Created if absent.
    pub dir: PathBuf,
    pub describe: Describe,
    /// Records that may wait for the writer at most.
    pub queue: usize,
    pub cache_bytes: u64,
    /// The length of each of the journal's two files, when they are made; [`JOURNAL_BYTES`] unless there is a reason.
    pub journal_bytes: u64,
    /// Go on with what is there although the store is missing committed blocks. For one
    /// start only: it silences the checks that notice a loss.
    pub accept_loss: bool,
}

/// Opens the store and starts its two threads.
///
/// `on_group` is called on the writer thread, once for each group, with the
/// tickets in the order of their appends; an append that fails alone is a group
/// of its own. It must be quick, and must not panic.
pub fn open<T: Send + 'static>(
    options: Options,
    on_group: impl FnMut(Vec<T>, Durability) + Send + 'static,
) -> Result<(Store, Writer<T>), StoreError> {
    open_with(&options, LogKind::Files, Purpose::Serve, on_group)
}

/// Opens a store to look at it: nobody's requests are refused there, so nothing is noted of refusals. When it is served for
/// the first time these are known from then on.
pub(crate) fn open_to_check(options: &Options) -> Result<Store, StoreError> {
    let (store, _writer) = open_with(options, LogKind::Files, Purpose::Check, |_: Vec<()>, _: Durability| {})?;
    Ok(store)
}

/// The same with a log in memory, which survives the store as a journal would.
#[cfg(test)]
pub(crate) fn open_in_memory<T: Send + 'static>(
    options: &Options,
    disk: &Disk,
    on_group: impl FnMut(Vec<T>, Durability) + Send + 'static,
) -> Result<(Store, Writer<T>), StoreError> {
    open_with(options, LogKind::Memory(disk.clone()), Purpose::Serve, on_group)
}

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Serve,
    Check,
}

/// The same with any log.
fn open_with<T: Send + 'static>(
    options: &Options,
    log: LogKind,
    purpose: Purpose,
    on_group: impl FnMut(Vec<T>, Durability) + Send + 'static,
) -> Result<(Store, Writer<T>), StoreError> {
    let opened = open::open(options, &log, purpose)?;
    let shared = Arc::new(opened.shared);
    let queue = Arc::new(Queue::new(options.queue));
    let work = writer::Work::new(Arc::clone(&shared), Arc::clone(&queue), opened.log, on_group);
    let spawn = |name: &str, body: Box<dyn FnOnce() + Send>| {
        std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(body)
            .map_err(StoreError::io("starting a thread for", &options.dir))
    };
    let housekeeper = {
        let shared = Arc::clone(&shared);
        spawn("store-index", Box::new(move || housekeeping::run(&shared)))?
    };
    // From here on an early return closes what has been started.
    let handle = Arc::new(Handle {
        shared: Arc::clone(&shared),
        log,
        close_queue: {
            let queue = Arc::clone(&queue);
            Box::new(move || queue.close())
        },
        writer: Mutex::new(None),
        housekeeper: Mutex::new(Some(housekeeper)),
    });
    let thread = spawn("store-writer", Box::new(move || work.run()))?;
    *lock(&handle.writer) = Some(thread);
    let writer = Writer::new(queue, Arc::clone(&shared.failure));
    Ok((Store(handle), writer))
}

/// Reads the store. Clones share it; when the last one is dropped it is closed.
#[derive(Clone)]
pub struct Store(Arc<Handle>);

struct Handle {
    shared: Arc<SharedState>,
    log: LogKind,
    close_queue: Box<dyn Fn() + Send + Sync>,
    writer: Mutex<Option<JoinHandle<()>>>,
    housekeeper: Mutex<Option<JoinHandle<()>>>,
}

impl Store {
    /// All records of a game, from 0 without gaps, checked against the index.
    pub fn read_game(&self, id: GameId) -> Result<Option<StoredGame>, StoreError> {
        catch_panic("reading a game", || read::game(&self.0.shared, id))
    }

    /// What the index knows of a game.
    pub fn entry(&self, id: GameId) -> Result<Option<GameEntry>, StoreError> {
        let entry = catch_panic("reading the index", || self.0.shared.entry(id))?;
        Ok(entry.map(Arc::unwrap_or_clone))
    }

    /// Games that `keep` wants, newest first, from those created before `before`.
    /// Looks at no more than `scan_limit` entries, so a page may be short, even
    /// empty, and still have a `next`. Limits of 0 count as 1.
    pub fn list(
        &self,
        before: Option<GameId>,
        scan_limit: usize,
        keep: impl FnMut(&GameEntry) -> bool,
        page: usize,
    ) -> Result<Page, StoreError> {
        catch_panic("listing games", || read::list(&self.0.shared, before, scan_limit, keep, page))
    }

    /// Which game a creation's request id made. The index keeps a hash of the
    /// id: the caller compares it with the one in record 0.
    pub fn creation(&self, request_id: &str) -> Result<Option<GameId>, StoreError> {
        catch_panic("reading the index", || self.0.shared.creation(request_id))
    }

    /// The newest block that is synced; none in an empty store.
    pub fn durable_block(&self) -> Option<u64> {
        self.0.shared.overlay().durable
    }

    /// One synced block, byte for byte, damaged or not.
    pub fn read_block(&self, number: u64) -> Result<Option<RawBlock>, StoreError> {
        catch_panic("reading a block", || read::raw_block(&self.0.shared, number))
    }

    /// Where refused requests are handed in.
    pub fn refusals(&self) -> Refusals {
        self.0.shared.refusals.clone()
    }

    /// What is kept of a game's refused requests.
    pub fn list_refusals(&self, game: GameId) -> Result<KeptRefusals, StoreError> {
        catch_panic("reading refusals", || refusals::list(&self.0.shared, game))
    }

    /// The first failure of the storage. It stays until the store is opened again.
    pub fn failure(&self) -> Option<Arc<StoreError>> {
        self.0.shared.failure.get()
    }

    /// Calls `listener` once when the storage fails, on whatever thread notices. That need not be the writer's: the index
    /// can fail while nobody appends, and then no group is there to say so.
    pub fn on_failure(&self, listener: impl FnOnce() + Send + 'static) {
        self.0.shared.failure.listen(Box::new(listener));
    }

    pub fn stats(&self) -> Stats {
        self.0.shared.stats()
    }

    /// Writes what is queued, brings it to the database, writes the index and the
    /// watermark, and ends both threads. Writers that still exist answer `Closed`;
    /// other clones of the store can still read, and keep the folder locked. When
    /// the last of them is dropped the journal is marked as done: not before, because
    /// the database writes once more when it goes.
    pub fn close(self) {
        self.0.close();
    }

    #[cfg(test)]
    fn housekeep(&self) -> Result<(), StoreError> {
        housekeeping::run_once(&self.0.shared)
    }
}

impl Handle {
    fn close(&self) {
        (self.close_queue)();
        join(lock(&self.writer).take());
        {
            let mut overlay = self.shared.overlay();
            overlay.stop = true;
            self.shared.wake.notify_all();
            self.shared.room.notify_all();
        }
        let Some(housekeeper) = lock(&self.housekeeper).take() else { return };
        join(Some(housekeeper));
        match self.shared.failure.get() {
            // Nothing is written after this.
            None => {
                let next = self.shared.overlay().first_unsettled().max(self.shared.first_block);
                let (log, dir, store_id) = (self.log.clone(), self.shared.dir.clone(), self.shared.store_id);
                let run = self.shared.refusals.run();
                self.shared.database.end_in_good_order(run, move || log.mark_settled(&dir, &store_id, next));
            }
            // A group that was being synced when the housekeeper noticed it was acknowledged after the housekeeper's last
            // word, and the journal that has it may be deleted.
            Some(error) if matches!(*error, StoreError::Gone { .. }) => housekeeping::save(&self.shared),
            // A failed store does not end in good order.
            Some(_) => {}
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.close();
    }
}

fn join(thread: Option<JoinHandle<()>>) {
    let Some(thread) = thread else { return };
    // The last store may be dropped by `on_group`, on the writer thread itself.
    if thread.thread().id() == std::thread::current().id() {
        return;
    }
    if thread.join().is_err() {
        tracing::error!("a thread of the store has panicked");
    }
}

/// Makes the names in a folder survive a power cut.
pub(crate) fn sync_dir(dir: &std::path::Path) -> Result<(), StoreError> {
    crate::files::sync_dir(dir).map_err(StoreError::io("syncing the folder", dir))
}
