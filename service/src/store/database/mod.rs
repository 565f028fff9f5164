//! The database: where blocks, secrets, the index and everything else are kept for long. It is sled 0.34, which is named
//! in this folder alone.
//!
//! | file | what it holds |
//! |---|---|
//! | `opening` | opening sled's file, and looking at it before anything of ours is written |
//! | `blocks`, `index`, `refusals`, `leaves` | the trees, one by one |
//! | `reading` | sled's file read without sled: is it as sled leaves it? |
//! | `sled_file`, `clean_shutdown` | when sled's file is synced, what a failed sync means, and its end |
//! | `error` | sled's errors and panics as the store's |
//!
//! Tree `meta`: `format` → u32; `store` → the store's id; `accepted`, `unknown` → u64, see the methods; `sealed`, see
//! `leaves`; `refusals-through`, `refusal-gaps`, see `refusals`. Tree `secrets`: u64 block number → the secrets of the games that the block creates.

mod blocks;
pub(super) mod clean_shutdown;
mod error;
pub(super) mod index;
mod leaves;
mod opening;
pub(super) mod reading;
mod refusals;
mod sled_file;

use bytes::Bytes;
use sled::{Db, IVec, Tree};

use self::blocks::Blocks;
use self::error::failed;
use self::sled_file::SledFile;
use super::error::StoreError;
use super::log::files::StoreId;

pub(super) use self::error::{advice_on, catch_panic, is_corruption};
pub use self::leaves::{LeafPlace, Sealed};
pub(super) use self::opening::{BlocksOnly, Unchecked, copy_files, file_bytes, lock_file, sync_names};
pub(super) use self::sled_file::check_note as check_sync_note;
#[cfg(test)]
pub(super) use self::sled_file::hooks as sync_hooks;

/// What sled names its log lines after.
pub(crate) const LOG_TARGET: &str = "sled";

const TREE_META: &str = "meta";
const TREE_BLOCKS: &str = "blocks";
const TREE_SECRETS: &str = "secrets";
const TREE_GAMES: &str = "games";
const TREE_CREATIONS: &str = "creations";

/// The format of everything in the folder. 1 had no journal; in 2 every key of the blocks' tree had a block.
const FORMAT: u32 = 3;
const KEY_FORMAT: &[u8] = b"format";
/// What the journal's files name too.
const KEY_STORE_ID: &[u8] = b"store";
const KEY_ACCEPTED: &[u8] = b"accepted";
const KEY_UNKNOWN: &[u8] = b"unknown";

const READING_SETTINGS: &str = "reading the store's settings";
const WRITING_SETTINGS: &str = "writing the store's settings";

/// An open database. What is written is counted, and synced often enough: see [`SledFile`].
pub(super) struct Database {
    meta: Tree,
    blocks: Blocks,
    secrets: Tree,
    games: Tree,
    creations: Tree,
    db: Db,
    /// Last, so that it is dropped when sled is: see [`SledFile`].
    file: SledFile,
}

impl Database {
    /// Makes everything written so far survive a power cut.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.file.sync(&self.db)
    }

    /// Syncs what has come to the file, without asking sled for more.
    pub fn sync_file(&self) -> Result<(), StoreError> {
        self.file.sync_file()
    }

    /// Whether its file was deleted: then its contents are there only as long as it is open.
    pub fn is_deleted(&self) -> bool {
        self.file.is_deleted()
    }

    /// From now on nothing of ours is written: when sled lets go of its file, `note` is called, and the file's length noted.
    pub fn end_in_good_order(&self, run: Option<u64>, last: impl FnOnce() -> Result<(), StoreError> + Send + 'static) {
        self.file.end_in_good_order(run, last);
    }

    /// Whoever writes says so, after every value or small batch: it is synced often enough.
    fn wrote(&self, values: usize, bytes: usize) -> Result<(), StoreError> {
        self.file.wrote(&self.db, values, bytes)
    }

    /// A block's value.
    pub fn block(&self, number: u64) -> Result<Option<Bytes>, StoreError> {
        Ok(self.blocks.get(number)?.map(shared))
    }

    /// The number of the first block from this one on.
    pub fn block_from(&self, number: u64) -> Result<Option<u64>, StoreError> {
        Ok(self.blocks.since(number).next().transpose()?.map(|(number, _)| number))
    }

    /// All blocks from a number on. Must not be used after its first error: sled's iterators go on failing.
    pub fn blocks_since(&self, number: u64) -> impl Iterator<Item = Result<(u64, Bytes), StoreError>> {
        self.blocks.since(number).map(|item| item.map(|(number, value)| (number, shared(value))))
    }

    /// The secrets of the games that a block creates; empty if it creates none.
    pub fn secrets(&self, number: u64) -> Result<Bytes, StoreError> {
        let stored = self.secrets.get(number.to_be_bytes()).map_err(failed("reading secrets"))?;
        Ok(stored.map(shared).unwrap_or_default())
    }

    /// Puts a block and its secrets, not synced, except where much has come together. One thread at a time, in the order
    /// of the numbers.
    pub fn put_block(&self, number: u64, block: &[u8], secrets: &[u8]) -> Result<(), StoreError> {
        // Before the block: sled's log keeps the order of writes, so after a
        // crash a record 0 is never there without its secret.
        if !secrets.is_empty() {
            self.secrets.insert(number.to_be_bytes(), secrets).map_err(failed("writing secrets"))?;
        }
        self.blocks.put(number, block)?;
        self.wrote(2, secrets.len() + block.len())
    }

    pub fn put_store_id(&self, id: &StoreId) -> Result<(), StoreError> {
        put(&self.meta, KEY_STORE_ID, id)
    }

    /// Blocks up to this one may be damaged or missing: the operator has accepted it.
    pub fn accepted(&self) -> Result<Option<u64>, StoreError> {
        get_u64(&self.meta, KEY_ACCEPTED)
    }

    pub fn put_accepted(&self, block: u64) -> Result<(), StoreError> {
        put(&self.meta, KEY_ACCEPTED, &block.to_be_bytes())
    }

    /// See [`super::shared_state::SharedState::unknown_block`].
    pub fn unknown(&self) -> Result<Option<u64>, StoreError> {
        get_u64(&self.meta, KEY_UNKNOWN)
    }

    pub fn put_unknown(&self, block: u64) -> Result<(), StoreError> {
        put(&self.meta, KEY_UNKNOWN, &block.to_be_bytes())
    }

    pub fn remove_unknown(&self) -> Result<(), StoreError> {
        self.meta.remove(KEY_UNKNOWN).map(|_| ()).map_err(failed(WRITING_SETTINGS))
    }

    fn tree(&self, name: &str, doing: &'static str) -> Result<Tree, StoreError> {
        self.db.open_tree(name).map_err(failed(doing))
    }

    /// For tests that write what nobody else would.
    #[cfg(test)]
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    #[cfg(test)]
    pub fn games(&self) -> &Tree {
        &self.games
    }
}

/// The same bytes: sled's values are counted references too.
fn shared(value: IVec) -> Bytes {
    Bytes::from_owner(value)
}

fn u64_of(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(bytes.try_into().ok()?))
}

fn get_u64(tree: &Tree, key: &[u8]) -> Result<Option<u64>, StoreError> {
    let value = tree.get(key).map_err(failed(READING_SETTINGS))?;
    Ok(value.and_then(|bytes| u64_of(&bytes)))
}

fn put(tree: &Tree, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
    tree.insert(key, value).map(|_| ()).map_err(failed(WRITING_SETTINGS))
}

/// The key of a game's value with a number: they lie together, in order.
fn game_key(game: super::GameId, number: u64) -> [u8; 24] {
    let mut key = [0; 24];
    key[..16].copy_from_slice(&game.0);
    key[16..].copy_from_slice(&number.to_be_bytes());
    key
}

/// Sled without the store, to do what the store never does.
#[cfg(test)]
pub(super) mod raw {
    pub use super::index::KEY_THROUGH;
    pub use super::opening::open_sled as open;
    use crate::store::error::StoreError;
    pub use sled::{Db, Tree};

    /// What the store says when sled finds damage.
    pub fn corruption(doing: &'static str) -> StoreError {
        super::failed(doing)(sled::Error::Corruption { at: None, bt: () })
    }

    /// What the store says when sled says that the disk has refused something.
    pub fn io_error(doing: &'static str, error: std::io::Error) -> StoreError {
        super::failed(doing)(sled::Error::Io(error))
    }
}
