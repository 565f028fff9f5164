//! The tree `refusals`: game id ‖ u64 number → an opaque value; game id → u64, the number that the next one gets.

use std::collections::VecDeque;

use sled::{Batch, Tree};

use super::{Database, failed, game_key, u64_of};
use crate::store::GameId;
use crate::store::error::StoreError;
use crate::store::refusals::KEPT_PER_GAME;

const TREE: &str = "refusals";
const OPENING: &str = "opening the tree of refusals";
const READING: &str = "reading refusals";
const WRITING: &str = "writing refusals";

/// Refusals of a game with their numbers, oldest first.
type NumberedRefusals = Vec<(u64, Vec<u8>)>;

impl Database {
    /// Adds refusals of a game, at most as many as are kept, behind those that are there and `skipped` others; drops those
    /// that are more than are kept.
    pub fn put_refusals(&self, game: GameId, skipped: u64, values: &VecDeque<Vec<u8>>) -> Result<(), StoreError> {
        let tree = self.tree(TREE, OPENING)?;
        let first = next_number(&tree, game)?.saturating_add(skipped);
        let mut batch = Batch::default();
        for (number, value) in (first..).zip(values) {
            batch.insert(&game_key(game, number), value.as_slice());
        }
        let next = first + values.len() as u64;
        batch.insert(&game.0, &next.to_be_bytes());
        let oldest = next.saturating_sub(KEPT_PER_GAME as u64);
        for item in tree.range(game_key(game, 0)..game_key(game, oldest)) {
            batch.remove(item.map_err(failed(WRITING))?.0);
        }
        tree.apply_batch(batch).map_err(failed(WRITING))?;
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
}

fn next_number(tree: &Tree, game: GameId) -> Result<u64, StoreError> {
    let stored = tree.get(game.0).map_err(failed(READING))?;
    Ok(stored.and_then(|bytes| u64_of(&bytes)).unwrap_or(0))
}
