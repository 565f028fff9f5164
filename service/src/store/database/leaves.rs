//! Which leaf of the transparency log stands for which revision of a game, and how far the log was published.
//!
//! The sealer writes both, without a sync of their own: what a crash takes is had again from the log's files.
//!
//! Tree `leaves`: game id ‖ u64 revision → u64 index; `through` → u64, all leaves below this index are in it.
//! Tree `meta`: `sealed` → SHA-256 of the verifier key's text ‖ u64 size ‖ root.

use sled::IVec;

use crate::store::Revision;

use super::{Database, READING_SETTINGS, WRITING_SETTINGS, failed, game_key, u64_of};
use crate::store::error::StoreError;
use crate::store::{GameId, Hash};

const TREE: &str = "leaves";
/// Shorter than a game id, so that it cannot collide with one.
const KEY_THROUGH: &[u8] = b"through";
const KEY_SEALED: &[u8] = b"sealed";

const READING: &str = "reading the index of leaves";
const WRITING: &str = "writing the index of leaves";

/// A leaf's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafPlace {
    pub game: GameId,
    pub revision: Revision,
    pub index: u64,
}

/// A published tree: whose it is, how large, and its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sealed {
    pub key_hash: Hash,
    pub size: u64,
    pub root: Hash,
}

impl Database {
    pub fn put_leaves(&self, leaves: &[LeafPlace], through: u64) -> Result<(), StoreError> {
        let tree = self.tree(TREE, WRITING)?;
        for leaf in leaves {
            tree.insert(game_key(leaf.game, leaf.revision.get()), &leaf.index.to_be_bytes())
                .map_err(failed(WRITING))?;
        }
        // Last: whoever finds `through` may rely on all that it stands for.
        tree.insert(KEY_THROUGH, &through.to_be_bytes()).map_err(failed(WRITING))?;
        self.wrote(leaves.len() + 1, size_of_val(leaves))
    }

    pub fn leaves_through(&self) -> Result<u64, StoreError> {
        let stored = self.tree(TREE, READING)?.get(KEY_THROUGH).map_err(failed(READING))?;
        Ok(stored.and_then(|bytes| u64_of(&bytes)).unwrap_or(0))
    }

    pub fn clear_leaves(&self) -> Result<(), StoreError> {
        self.clear(&self.tree(TREE, "clearing the index of leaves")?)
    }

    pub fn leaf_from(&self, game: GameId, revision: Revision) -> Result<Option<LeafPlace>, StoreError> {
        let range = self.tree(TREE, READING)?.range(game_key(game, revision.get())..=game_key(game, u64::MAX)).next();
        Ok(range.transpose().map_err(failed(READING))?.and_then(place))
    }

    pub fn leaf_up_to(&self, game: GameId, revision: Revision) -> Result<Option<LeafPlace>, StoreError> {
        let range = self.tree(TREE, READING)?.range(game_key(game, 0)..=game_key(game, revision.get())).next_back();
        Ok(range.transpose().map_err(failed(READING))?.and_then(place))
    }

    pub fn sealed(&self) -> Result<Option<Sealed>, StoreError> {
        let stored = self.meta.get(KEY_SEALED).map_err(failed(READING_SETTINGS))?;
        Ok(stored.and_then(|bytes| {
            let (key_hash, rest) = bytes.split_first_chunk::<32>()?;
            let (size, root) = rest.split_first_chunk::<8>()?;
            Some(Sealed { key_hash: *key_hash, size: u64::from_be_bytes(*size), root: root.try_into().ok()? })
        }))
    }

    pub fn put_sealed(&self, sealed: Sealed) -> Result<(), StoreError> {
        let value = [&sealed.key_hash[..], &sealed.size.to_be_bytes(), &sealed.root].concat();
        let bytes = value.len();
        self.meta.insert(KEY_SEALED, value).map_err(failed(WRITING_SETTINGS))?;
        self.wrote(1, bytes)
    }
}

fn place((key, value): (IVec, IVec)) -> Option<LeafPlace> {
    let (game, revision) = key.split_first_chunk::<16>()?;
    Some(LeafPlace { game: GameId(*game), revision: Revision::new(u64_of(revision)?), index: u64_of(&value)? })
}
