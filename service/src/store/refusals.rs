//! Refused requests: the newest of each game, apart from the records and from the chain.
//!
//! A refusal must cost play nothing. It is put into a bounded buffer in memory and written by the housekeeper, so one that
//! came in the last second before a power cut may be lost; a record never is. A flood drops the oldest in the buffer and
//! counts them.
//!
//! Tree `refusals`: game id ‖ u64 number → an opaque value; game id → u64, the number that the next one gets.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use super::GameId;
use super::core::{Core, lock};
use super::error::StoreError;

/// How many refusals of one game are kept.
pub const KEPT_PER_GAME: usize = 256;
/// How many refusals of all games wait for the housekeeper at most.
const MAX_PENDING: usize = 2_048;
/// How many games may have refusals that wait, dropped ones included.
const MAX_GAMES: usize = 2_048;
/// The most bytes of one kept refusal; a larger one is only counted.
pub const MAX_REFUSAL_BYTES: usize = 8 * 1024;

const TREE: &str = "refusals";

/// Where refusals are handed in. Clones share the buffer; none of them keeps the folder locked.
#[derive(Clone, Default)]
pub struct Refusals(Arc<Shared>);

#[derive(Default)]
struct Shared {
    pending: Mutex<Pending>,
    /// Held while refusals move from the buffer to the tree, so that a reader finds each of them once.
    moving: Mutex<()>,
}

#[derive(Default)]
struct Pending {
    games: HashMap<GameId, Waiting>,
    /// Whose refusals came when, oldest first.
    order: VecDeque<GameId>,
    /// Refusals of which not even the number could be kept.
    uncounted: u64,
}

/// One game's refusals that wait.
#[derive(Clone, Default)]
struct Waiting {
    /// Dropped before the first of `values`.
    skipped: u64,
    values: VecDeque<Vec<u8>>,
}

impl Waiting {
    fn drop_oldest(&mut self) {
        if self.values.pop_front().is_some() {
            self.skipped += 1;
        }
    }
}

/// What is kept of a game's refusals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptRefusals {
    /// Number and value, newest first.
    pub newest_first: Vec<(u64, Vec<u8>)>,
    /// How many older ones are gone.
    pub dropped: u64,
}

impl Refusals {
    /// Takes one refusal of a game. Never waits for the disk.
    pub fn keep(&self, game: GameId, value: Vec<u8>) {
        let mut pending = lock(&self.0.pending);
        let Pending { games, order, uncounted } = &mut *pending;
        if value.len() > MAX_REFUSAL_BYTES || games.len() >= MAX_GAMES && !games.contains_key(&game) {
            *uncounted += 1;
            return;
        }
        if order.len() >= MAX_PENDING
            && let Some(oldest) = order.pop_front()
            && let Some(waiting) = games.get_mut(&oldest)
        {
            waiting.drop_oldest();
        }
        let waiting = games.entry(game).or_default();
        if waiting.values.len() >= KEPT_PER_GAME {
            waiting.drop_oldest();
        }
        waiting.values.push_back(value);
        order.push_back(game);
    }
}

/// Writes what waits. Answers whether anything was written.
pub(super) fn write(core: &Core) -> Result<bool, StoreError> {
    let _moving = lock(&core.refusals.0.moving);
    let Pending { games, uncounted, .. } = std::mem::take(&mut *lock(&core.refusals.0.pending));
    if uncounted > 0 {
        tracing::warn!(uncounted, "refusals of too many games came at once; these were not kept");
    }
    let mut written = false;
    for (game, waiting) in games {
        // Of a game that does not exist anybody may ask anything; nothing of it is kept.
        if core.entry(game).is_ok_and(|entry| entry.is_some()) {
            let bytes = write_game(&tree(core)?, game, &waiting)?;
            core.wrote(2 * waiting.values.len() + 1, bytes)?;
            written = true;
        }
    }
    Ok(written)
}

/// Answers with the bytes that were written.
fn write_game(tree: &sled::Tree, game: GameId, waiting: &Waiting) -> Result<usize, StoreError> {
    let engine = || StoreError::engine("writing refusals");
    let first = next_number(tree, game)?.saturating_add(waiting.skipped);
    let mut batch = sled::Batch::default();
    for (number, value) in (first..).zip(&waiting.values) {
        batch.insert(&key(game, number), value.as_slice());
    }
    let next = first + waiting.values.len() as u64;
    batch.insert(&game.0, &next.to_be_bytes());
    // No more than this wait, so all of the new ones stay.
    let oldest = next.saturating_sub(KEPT_PER_GAME as u64);
    for item in tree.range(key(game, 0)..key(game, oldest)) {
        batch.remove(item.map_err(engine())?.0);
    }
    tree.apply_batch(batch).map_err(engine())?;
    Ok(waiting.values.iter().map(|value| key(game, 0).len() + value.len()).sum())
}

/// What is kept of a game, on disk or on its way there.
pub(super) fn list(core: &Core, game: GameId) -> Result<KeptRefusals, StoreError> {
    let _moving = lock(&core.refusals.0.moving);
    let waiting = lock(&core.refusals.0.pending).games.get(&game).cloned().unwrap_or_default();
    let tree = tree(core)?;
    let mut kept = Vec::new();
    for item in tree.range(key(game, 0)..=key(game, u64::MAX)) {
        let (key, value) = item.map_err(StoreError::engine("reading refusals"))?;
        let number = key.get(16..).and_then(|number| Some(u64::from_be_bytes(number.try_into().ok()?)));
        kept.extend(number.map(|number| (number, value.to_vec())));
    }
    let first = next_number(&tree, game)?.saturating_add(waiting.skipped);
    kept.extend((first..).zip(waiting.values));
    let count = kept.last().map_or(first, |(newest, _)| (newest + 1).max(first));
    kept.reverse();
    kept.truncate(KEPT_PER_GAME);
    Ok(KeptRefusals { dropped: count - kept.len() as u64, newest_first: kept })
}

fn tree(core: &Core) -> Result<sled::Tree, StoreError> {
    core.db.open_tree(TREE).map_err(StoreError::engine("opening the tree of refusals"))
}

fn next_number(tree: &sled::Tree, game: GameId) -> Result<u64, StoreError> {
    let stored = tree.get(game.0).map_err(StoreError::engine("reading refusals"))?;
    Ok(stored.and_then(|bytes| Some(u64::from_be_bytes(bytes.as_ref().try_into().ok()?))).unwrap_or(0))
}

fn key(game: GameId, number: u64) -> [u8; 24] {
    let mut key = [0; 24];
    key[..16].copy_from_slice(&game.0);
    key[16..].copy_from_slice(&number.to_be_bytes());
    key
}
