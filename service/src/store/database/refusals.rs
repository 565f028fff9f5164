//! The tree `refusals`: game id ‖ u64 number → an opaque value; game id → u64, the number that the next one gets. What is
//! known of those that may be missing stands in the tree `meta`.

use std::collections::VecDeque;

use sled::Tree;

use super::{Database, READING_SETTINGS, WRITING_SETTINGS, failed, game_key, u64_of};
use crate::store::GameId;
use crate::store::error::StoreError;
use crate::store::refusals::{Gaps, KEPT_PER_GAME, Mark};

const TREE: &str = "refusals";
const OPENING: &str = "opening the tree of refusals";
const READING: &str = "reading refusals";
const WRITING: &str = "writing refusals";

const KEY_MARK: &[u8] = b"refusals-through";
const KEY_GAPS: &[u8] = b"refusal-gaps";

/// Refusals of a game with their numbers, oldest first.
type NumberedRefusals = Vec<(u64, Vec<u8>)>;

impl Database {
    /// Adds refusals of a game, at most as many as are kept, behind those that are there and `skipped` others; drops those
    /// that are more than are kept.
    pub fn put_refusals(&self, game: GameId, skipped: u64, values: &VecDeque<Vec<u8>>) -> Result<(), StoreError> {
        let tree = self.tree(TREE, OPENING)?;
        let first = next_number(&tree, game)?.saturating_add(skipped);
        let next = first + values.len() as u64;
        // First: what a crash takes of those that follow counts as no longer kept.
        tree.insert(game.0, &next.to_be_bytes()).map_err(failed(WRITING))?;
        for (number, value) in (first..).zip(values) {
            tree.insert(game_key(game, number), value.as_slice()).map_err(failed(WRITING))?;
        }
        let oldest = next.saturating_sub(KEPT_PER_GAME as u64);
        for item in tree.range(game_key(game, 0)..game_key(game, oldest)) {
            tree.remove(item.map_err(failed(WRITING))?.0).map_err(failed(WRITING))?;
        }
        let bytes = values.iter().map(|value| game_key(game, 0).len() + value.len()).sum();
        self.wrote(2 * values.len() + 1, bytes)
    }

    /// The refusals of a game with their numbers, oldest first, and the number that the next one gets.
    pub fn refusals(&self, game: GameId) -> Result<(NumberedRefusals, u64), StoreError> {
        let tree = self.tree(TREE, OPENING)?;
        let mut kept = Vec::new();
        for item in tree.range(game_key(game, 0)..=game_key(game, u64::MAX)) {
            let (key, value) = item.map_err(failed(READING))?;
            let number = key.get(16..).and_then(u64_of);
            kept.extend(number.map(|number| (number, value.to_vec())));
        }
        Ok((kept, next_number(&tree, game)?))
    }

    /// Up to when all refusals are written; none if that is not known.
    pub fn refusal_mark(&self) -> Result<Option<Mark>, StoreError> {
        let value = self.meta.get(KEY_MARK).map_err(failed(READING_SETTINGS))?;
        Ok(value.and_then(|value| Mark::decode(&value)))
    }

    pub fn put_refusal_mark(&self, mark: Mark) -> Result<(), StoreError> {
        self.put_note(KEY_MARK, mark.encode())
    }

    /// When refusals may have been lost; none if that is not known.
    pub fn refusal_gaps(&self) -> Result<Option<Gaps>, StoreError> {
        let value = self.meta.get(KEY_GAPS).map_err(failed(READING_SETTINGS))?;
        Ok(value.and_then(|value| Gaps::decode(&value)))
    }

    pub fn put_refusal_gaps(&self, gaps: &Gaps) -> Result<(), StoreError> {
        self.put_note(KEY_GAPS, gaps.encode())
    }

    fn put_note(&self, key: &[u8], value: Vec<u8>) -> Result<(), StoreError> {
        let bytes = key.len() + value.len();
        self.meta.insert(key, value).map_err(failed(WRITING_SETTINGS))?;
        self.wrote(1, bytes)
    }
}

fn next_number(tree: &Tree, game: GameId) -> Result<u64, StoreError> {
    let stored = tree.get(game.0).map_err(failed(READING))?;
    Ok(stored.and_then(|bytes| u64_of(&bytes)).unwrap_or(0))
}
