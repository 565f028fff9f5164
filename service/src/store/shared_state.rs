//! What the writer, the housekeeper and the readers share: the database,
//! and the overlay of blocks that are synced in the log but not yet in the
//! database, and of index entries that are not yet written to the index.
//!
//! The overlay is changed only after a block is synced. Readers look into it
//! first and into the database second, so they see what is synced at once, and
//! never what is not.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};

use bytes::Bytes;

use super::GameId;
use super::database::Database;
use super::database::index::{CreationKey, creation_key};
use super::error::StoreError;
use super::log::files::StoreId;
use super::log::files::numbers::Numbers;
use super::presence::Presence;
use super::refusals::Refusals;
use super::settle::{self, Unsettled};
use super::types::{GameEntry, Stats};
use crate::lock::{lock, wait};

/// Dirty entries at which the housekeeper starts before its second is over.
pub(super) const URGENT_DIRTY: usize = 8_192;
/// Dirty entries at which the writer waits for the housekeeper.
pub(super) const MAX_DIRTY: usize = 65_536;

/// The first failure of the storage, which is permanent.
#[derive(Default)]
pub(super) struct Failure {
    error: OnceLock<Arc<StoreError>>,
    /// Called when it comes.
    listeners: Mutex<Vec<Listener>>,
}

type Listener = Box<dyn FnOnce() + Send>;

impl Failure {
    pub fn get(&self) -> Option<Arc<StoreError>> {
        self.error.get().cloned()
    }

    /// Keeps the first error; answers with the one that is kept.
    pub fn set(&self, error: StoreError) -> Arc<StoreError> {
        let error = Arc::new(error);
        if self.error.set(Arc::clone(&error)).is_ok() {
            tracing::error!(%error, "the store has failed; it takes no more records until it is opened again");
            let listeners = std::mem::take(&mut *lock(&self.listeners));
            for listener in listeners {
                listener();
            }
        }
        self.get().unwrap_or(error)
    }

    /// Calls the listener when the failure comes, or at once if it has come.
    pub fn listen(&self, listener: Listener) {
        let mut listeners = lock(&self.listeners);
        // Under the lock: a failure that is not set yet will find this listener.
        match self.get() {
            None => listeners.push(listener),
            Some(_) => {
                drop(listeners);
                listener();
            }
        }
    }
}

#[derive(Default)]
pub(super) struct Overlay {
    pub dirty: BTreeMap<GameId, Arc<GameEntry>>,
    pub dirty_creations: HashMap<CreationKey, GameId>,
    /// Taken by the housekeeper, visible until they are in the trees.
    pub writing: Arc<BTreeMap<GameId, Arc<GameEntry>>>,
    pub writing_creations: Arc<HashMap<CreationKey, GameId>>,
    /// The newest synced block, in the database or in the log; everything above
    /// reflects the blocks up to it.
    pub durable: Option<u64>,
    pub through: Option<u64>,
    pub unsettled: Unsettled,
    /// Whether the writer waits: for room in the journal, or until fewer entries are dirty.
    pub awaited: bool,
    pub stop: bool,
}

impl Overlay {
    fn entry(&self, id: GameId) -> Option<&Arc<GameEntry>> {
        self.dirty.get(&id).or_else(|| self.writing.get(&id))
    }

    /// All blocks below this number are in the database, synced.
    pub fn first_unsettled(&self) -> u64 {
        self.unsettled.first().unwrap_or_else(|| self.durable.map_or(0, |last| last.saturating_add(1)))
    }

    /// Whether the housekeeper should start before its second is over.
    pub fn is_urgent(&self) -> bool {
        self.awaited || self.dirty.len() >= URGENT_DIRTY || self.unsettled.is_urgent()
    }
}

#[derive(Default)]
pub(super) struct Counters {
    pub blocks: AtomicU64,
    pub records: AtomicU64,
    pub bytes: AtomicU64,
}

pub(super) struct SharedState {
    pub dir: PathBuf,
    /// Ties the journal to this store.
    pub store_id: StoreId,
    /// The first block that this run may write: frames of earlier ones are never looked at again.
    pub first_block: u64,
    /// The newest block whose games are unknown because it is unreadable:
    /// a game that was running and has no later record may lack its end.
    pub unknown_block: Mutex<Option<u64>>,
    pub overlay: Mutex<Overlay>,
    /// Wakes the housekeeper: much is dirty or unsettled, or `stop`.
    pub wake: Condvar,
    /// Wakes the writer: the housekeeper has taken the dirty entries, or settled blocks.
    pub room: Condvar,
    /// Held while blocks are settled and the index and the watermark are written.
    pub housekeeping: Mutex<()>,
    /// The block that the watermark file names.
    pub watermark: Mutex<Option<u64>>,
    /// How often in a row the watermark could not be written.
    pub watermark_tries: AtomicU32,
    /// The files as they were opened.
    pub presence: OnceLock<Presence>,
    pub failure: Arc<Failure>,
    /// Refused requests that the housekeeper has not written yet.
    pub refusals: Refusals,
    pub counters: Counters,
    /// Shared with the journal.
    pub numbers: Arc<Numbers>,
    pub database: Database,
}

impl SharedState {
    pub fn overlay(&self) -> MutexGuard<'_, Overlay> {
        lock(&self.overlay)
    }

    /// Keeps the failure, and wakes whoever waits for work that will not be done.
    pub fn fail(&self, error: StoreError) -> Arc<StoreError> {
        let error = self.failure.set(error);
        // The kernel reports a write that the disk refused once to each descriptor: our own gets it too, when it syncs, and
        // notes it for the next start.
        drop(self.database.sync_file());
        let _overlay = self.overlay();
        self.wake.notify_all();
        self.room.notify_all();
        error
    }

    /// Shows readers what a synced block has changed, and the block itself if it is in the journal only.
    pub fn publish(
        &self,
        block: u64,
        value: Option<settle::Value>,
        entries: impl IntoIterator<Item = Arc<GameEntry>>,
        creations: impl IntoIterator<Item = (CreationKey, GameId)>,
    ) {
        let mut overlay = self.overlay();
        let entries = entries.into_iter().map(|entry| (entry.id, entry));
        overlay.dirty.extend(entries);
        overlay.dirty_creations.extend(creations);
        overlay.durable = Some(block);
        if let Some(value) = value {
            overlay.unsettled.push(block, value);
        }
        if overlay.is_urgent() {
            self.wake.notify_one();
        }
    }

    /// Bounds the overlay's memory: waits while too much is dirty, as long as
    /// there is a housekeeper to wait for.
    pub fn wait_for_room(&self) {
        let mut overlay = self.overlay();
        while overlay.dirty.len() > MAX_DIRTY && !overlay.stop && self.failure.get().is_none() {
            overlay.awaited = true;
            self.wake.notify_one();
            overlay = wait(&self.room, overlay);
            overlay.awaited = false;
        }
    }

    /// The value of a synced block, wherever it is.
    pub fn block(&self, number: u64) -> Result<Option<Bytes>, StoreError> {
        if let Some(value) = self.overlay().unsettled.get(number) {
            return Ok(Some(value.block.clone()));
        }
        self.database.block(number)
    }

    /// The number of the first synced block from this one on.
    pub fn block_from(&self, number: u64) -> Result<Option<u64>, StoreError> {
        let unsettled = {
            let overlay = self.overlay();
            match overlay.unsettled.get(number) {
                Some(_) => return Ok(Some(number)),
                None => overlay.unsettled.first().filter(|first| *first > number),
            }
        };
        let settled = self.database.block_from(number)?;
        Ok(settled.into_iter().chain(unsettled).min())
    }

    /// The secrets of the games that a synced block creates; empty if it creates none.
    pub fn secrets_of(&self, number: u64) -> Result<Bytes, StoreError> {
        if let Some(value) = self.overlay().unsettled.get(number) {
            return Ok(value.secrets.clone());
        }
        self.database.secrets(number)
    }

    pub fn entry(&self, id: GameId) -> Result<Option<Arc<GameEntry>>, StoreError> {
        if let Some(entry) = self.overlay().entry(id) {
            return Ok(Some(Arc::clone(entry)));
        }
        Ok(self.database.entry(id)?.map(Arc::new))
    }

    pub fn creation(&self, request_id: &str) -> Result<Option<GameId>, StoreError> {
        if request_id.is_empty() {
            return Ok(None);
        }
        let key = creation_key(request_id);
        {
            let overlay = self.overlay();
            let dirty = overlay.dirty_creations.get(&key);
            if let Some(game) = dirty.or_else(|| overlay.writing_creations.get(&key)) {
                return Ok(Some(*game));
            }
        }
        self.database.creation(key)
    }

    /// The overlay's entries before a game, newest first, at most `most`.
    pub fn overlay_before(&self, before: Option<GameId>, most: usize) -> Vec<Arc<GameEntry>> {
        let overlay = self.overlay();
        let end = before.map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded);
        let range = (std::ops::Bound::Unbounded, end);
        let mut dirty = overlay.dirty.range(range).rev().peekable();
        let mut writing = overlay.writing.range(range).rev().peekable();
        let mut merged = Vec::new();
        while merged.len() < most {
            let newer = match (dirty.peek(), writing.peek()) {
                (Some((d, _)), Some((w, _))) if d == w => {
                    writing.next();
                    dirty.next()
                }
                (Some((d, _)), Some((w, _))) if d < w => writing.next(),
                (Some(_), _) => dirty.next(),
                (None, _) => writing.next(),
            };
            let Some((_, entry)) = newer else { break };
            merged.push(Arc::clone(entry));
        }
        merged
    }

    pub fn stats(&self) -> Stats {
        Stats {
            blocks: self.counters.blocks.load(Ordering::Relaxed),
            records: self.counters.records.load(Ordering::Relaxed),
            bytes: self.counters.bytes.load(Ordering::Relaxed),
            last_durable_block: self.overlay().durable,
            watermark: *lock(&self.watermark),
        }
    }
}
