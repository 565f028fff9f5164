//! The index of games: the trees `games` (game id → an entry, see [`crate::store::entry`]) and `creations` (see
//! [`creation_key`] → game id).

use std::sync::Arc;

use sha2::{Digest, Sha256};
use sled::{IVec, Tree};

use super::{Database, failed};
use crate::store::GameId;
use crate::store::entry;
use crate::store::error::StoreError;
use crate::store::types::GameEntry;

/// In the tree `games`: all blocks up to this one are reflected in the index.
/// Shorter than a game id, so that it cannot collide with one.
pub const KEY_THROUGH: &[u8] = b"through";

const READING: &str = "reading the index";
const WRITING: &str = "writing the index";
const CLEARING: &str = "clearing the index";

pub(in crate::store) type CreationKey = [u8; 16];

/// What a creation is found by: the index keeps a hash of its request id.
pub(in crate::store) fn creation_key(request_id: &str) -> CreationKey {
    let hash: [u8; 32] = Sha256::digest(request_id.as_bytes()).into();
    *hash.first_chunk().expect("a hash has 32 bytes")
}

/// An entry as it is stored, damaged or not.
pub(in crate::store) struct StoredEntry {
    pub id: GameId,
    value: IVec,
}

impl StoredEntry {
    /// An error is a phrase that says what is wrong.
    pub fn decode(&self) -> Result<GameEntry, &'static str> {
        entry::decode(self.id, &self.value)
    }
}

impl Database {
    pub fn entry(&self, id: GameId) -> Result<Option<GameEntry>, StoreError> {
        let stored = self.games.get(id.0).map_err(failed(READING))?;
        let entry = stored.map(|value| StoredEntry { id, value }.decode()).transpose();
        entry.map_err(|detail| StoreError::IndexDamaged { game: id, detail: detail.to_owned() })
    }

    /// The entries of the games before this one, newest first. Must not be used after its first error.
    pub fn entries_before(&self, before: Option<GameId>) -> impl Iterator<Item = Result<StoredEntry, StoreError>> {
        let range = match before {
            Some(before) => self.games.range(..before.0),
            None => self.games.iter(),
        };
        range.rev().filter_map(|item| match item {
            // The key `through` is the one that is not a game's.
            Ok((key, value)) => Some(Ok(StoredEntry { id: GameId(key.as_ref().try_into().ok()?), value })),
            Err(error) => Some(Err(failed("listing games")(error))),
        })
    }

    pub fn creation(&self, key: CreationKey) -> Result<Option<GameId>, StoreError> {
        let stored = self.creations.get(key).map_err(failed(READING))?;
        Ok(stored.and_then(|bytes| Some(GameId(bytes.as_ref().try_into().ok()?))))
    }

    /// From now on the index counts as not there.
    pub fn remove_through(&self) -> Result<(), StoreError> {
        self.games.remove(KEY_THROUGH).map(|_| ()).map_err(failed(CLEARING))
    }

    /// Writes what the blocks up to `through` have changed.
    pub fn put_index<'e>(
        &self,
        creations: impl Iterator<Item = (&'e CreationKey, &'e GameId)>,
        entries: impl Iterator<Item = &'e Arc<GameEntry>>,
        through: u64,
    ) -> Result<(), StoreError> {
        for (key, game) in creations {
            self.creations.insert(key, &game.0).map_err(failed(WRITING))?;
            self.wrote(1, key.len() + game.0.len())?;
        }
        for entry in entries {
            let value = entry::encode(entry);
            let bytes = entry.id.0.len() + value.len();
            self.games.insert(entry.id.0, value).map_err(failed(WRITING))?;
            self.wrote(1, bytes)?;
        }
        // Last: whoever finds `through` may rely on all that it stands for.
        self.games.insert(KEY_THROUGH, &through.to_be_bytes()).map(|_| ()).map_err(failed(WRITING))
    }

    /// Removes the whole index.
    pub fn clear_index(&self) -> Result<(), StoreError> {
        [&self.games, &self.creations].into_iter().try_for_each(|tree| self.clear(tree))
    }

    /// Removes all that is in a tree.
    pub(super) fn clear(&self, tree: &Tree) -> Result<(), StoreError> {
        for item in tree {
            let (key, _) = item.map_err(failed(CLEARING))?;
            tree.remove(&key).map_err(failed(CLEARING))?;
            self.wrote(1, key.len())?;
        }
        Ok(())
    }
}
