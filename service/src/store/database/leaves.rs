//! Which leaf of the transparency log stands for which revision of a game, and how far the log was published.
//!
//! The sealer writes both, without a sync of their own: what a crash takes is had again from the log's files.
//!
//! Tree `leaves`: game id ‖ u64 revision → u64 index; `through` → u64, all leaves below this index are in it.
//! Tree `meta`: `sealed` → SHA-256 of the verifier key's text ‖ u64 size ‖ root.

use crate::store::core::Core;
use crate::store::error::{StoreError, catch_panic};
use crate::store::{GameId, Hash, Store};

const TREE: &str = "leaves";
/// Shorter than a game id, so that it cannot collide with one.
const KEY_THROUGH: &[u8] = b"through";
const TREE_META: &str = "meta";
const KEY_SEALED: &[u8] = b"sealed";
const KEY_ACCEPTED: &[u8] = b"accepted";

/// A leaf's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafPlace {
    pub game: GameId,
    pub revision: u64,
    pub index: u64,
}

/// A published tree: whose it is, how large, and its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sealed {
    pub key_hash: Hash,
    pub size: u64,
    pub root: Hash,
}

impl Store {
    /// Notes where leaves are; from now on all below `through` are known.
    pub fn put_leaves(&self, leaves: &[LeafPlace], through: u64) -> Result<(), StoreError> {
        let mut batch = sled::Batch::default();
        for leaf in leaves {
            batch.insert(&key(leaf.game, leaf.revision), &leaf.index.to_be_bytes());
        }
        batch.insert(KEY_THROUGH, &through.to_be_bytes());
        self.on_tree(TREE, "writing the index of leaves", |tree| tree.apply_batch(batch))?;
        self.wrote(leaves.len() + 1, size_of_val(leaves))
    }

    /// How many leaves are in the index.
    pub fn leaves_through(&self) -> Result<u64, StoreError> {
        let stored = self.on_tree(TREE, "reading the index of leaves", |tree| tree.get(KEY_THROUGH))?;
        Ok(stored.and_then(|bytes| u64_of(&bytes)).unwrap_or(0))
    }

    /// Forgets all leaves: the log is built anew.
    pub fn clear_leaves(&self) -> Result<(), StoreError> {
        let core: &Core = &self.0.core;
        let doing = "clearing the index of leaves";
        catch_panic(doing, || core.clear(&core.db.open_tree(TREE).map_err(StoreError::engine(doing))?))
    }

    /// The game's first leaf at or after a revision.
    pub fn leaf_from(&self, game: GameId, revision: u64) -> Result<Option<LeafPlace>, StoreError> {
        self.on_tree(TREE, "reading the index of leaves", |tree| {
            tree.range(key(game, revision)..=key(game, u64::MAX)).next().transpose()
        })
        .map(|item| item.and_then(place))
    }

    /// The game's last leaf up to a revision.
    pub fn leaf_up_to(&self, game: GameId, revision: u64) -> Result<Option<LeafPlace>, StoreError> {
        self.on_tree(TREE, "reading the index of leaves", |tree| {
            tree.range(key(game, 0)..=key(game, revision)).next_back().transpose()
        })
        .map(|item| item.and_then(place))
    }

    /// The newest tree that was published, as the store remembers it.
    pub fn sealed(&self) -> Result<Option<Sealed>, StoreError> {
        let stored = self.on_tree(TREE_META, "reading the store's settings", |meta| meta.get(KEY_SEALED))?;
        Ok(stored.and_then(|bytes| {
            let (key_hash, rest) = bytes.split_first_chunk::<32>()?;
            let (size, root) = rest.split_first_chunk::<8>()?;
            Some(Sealed { key_hash: *key_hash, size: u64::from_be_bytes(*size), root: root.try_into().ok()? })
        }))
    }

    /// Remembers a published tree.
    pub fn put_sealed(&self, sealed: Sealed) -> Result<(), StoreError> {
        let value = [&sealed.key_hash[..], &sealed.size.to_be_bytes(), &sealed.root].concat();
        let bytes = value.len();
        self.on_tree(TREE_META, "writing the store's settings", |meta| meta.insert(KEY_SEALED, value))?;
        self.wrote(1, bytes)
    }

    fn wrote(&self, values: usize, bytes: usize) -> Result<(), StoreError> {
        catch_panic("syncing the store", || self.0.core.wrote(values, bytes))
    }

    /// The number of the first synced block from this one on.
    pub fn block_from(&self, number: u64) -> Result<Option<u64>, StoreError> {
        catch_panic("finding a block", || self.0.core.block_from(number))
    }

    /// Blocks up to this one may be damaged or missing: the operator has said so.
    pub fn accepted_block(&self) -> Result<Option<u64>, StoreError> {
        let stored = self.on_tree(TREE_META, "reading the store's settings", |meta| meta.get(KEY_ACCEPTED))?;
        Ok(stored.and_then(|bytes| u64_of(&bytes)))
    }

    fn on_tree<R>(
        &self,
        name: &str,
        doing: &'static str,
        work: impl FnOnce(&sled::Tree) -> sled::Result<R>,
    ) -> Result<R, StoreError> {
        let core: &Core = &self.0.core;
        catch_panic(doing, || core.db.open_tree(name).and_then(|tree| work(&tree)).map_err(StoreError::engine(doing)))
    }
}

fn key(game: GameId, revision: u64) -> [u8; 24] {
    let mut key = [0; 24];
    key[..16].copy_from_slice(&game.0);
    key[16..].copy_from_slice(&revision.to_be_bytes());
    key
}

fn place((key, value): (sled::IVec, sled::IVec)) -> Option<LeafPlace> {
    let (game, revision) = key.split_first_chunk::<16>()?;
    Some(LeafPlace { game: GameId(*game), revision: u64_of(revision)?, index: u64_of(&value)? })
}

fn u64_of(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(bytes.try_into().ok()?))
}
