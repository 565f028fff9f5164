//! Refused requests: the newest of each game, apart from the records and from the chain.
//!
//! A refusal must cost play nothing. It is put into a bounded buffer in memory and written by the housekeeper, so one that
//! came in the last second before a power cut may be lost; a record never is. A flood drops the oldest in the buffer and
//! counts them; so what is handed in is encoded when it is written or read, not before.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use super::GameId;
use super::error::StoreError;
use super::shared_state::SharedState;
use crate::lock::lock;

/// How many refusals of one game are kept.
pub const KEPT_PER_GAME: usize = 256;
/// How many refusals of all games wait for the housekeeper at most.
const MAX_PENDING: usize = 2_048;
/// How many games may have refusals that wait, dropped ones included.
const MAX_GAMES: usize = 2_048;
/// The most bytes of one kept refusal; a larger one is only counted.
pub const MAX_REFUSAL_BYTES: usize = 8 * 1024;

/// Where refusals are handed in. Clones share the buffer; none of them keeps the folder locked.
#[derive(Clone, Default)]
pub struct Refusals(Arc<Shared>);

#[derive(Default)]
struct Shared {
    pending: Mutex<Pending>,
    /// Held while refusals move from the buffer to the database, so that a reader finds each of them once.
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
    values: VecDeque<Value>,
}

/// Makes a refusal's bytes.
type Value = Arc<dyn Fn() -> Vec<u8> + Send + Sync>;

fn encoded(values: &VecDeque<Value>) -> VecDeque<Vec<u8>> {
    values.iter().map(|value| value()).collect()
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
    #[cfg(test)]
    pub fn keep(&self, game: GameId, value: Vec<u8>) {
        self.keep_later(game, move || value.clone());
    }

    /// Takes what makes the bytes of one refusal of a game, which itself takes no more than [`MAX_REFUSAL_BYTES`] or so. Never
    /// waits for the disk.
    pub fn keep_later(&self, game: GameId, value: impl Fn() -> Vec<u8> + Send + Sync + 'static) {
        let value: Value = Arc::new(value);
        let mut pending = lock(&self.0.pending);
        let Pending { games, order, uncounted } = &mut *pending;
        if games.len() >= MAX_GAMES && !games.contains_key(&game) {
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
pub(super) fn write(shared: &SharedState) -> Result<bool, StoreError> {
    let _moving = lock(&shared.refusals.0.moving);
    let Pending { games, uncounted, .. } = std::mem::take(&mut *lock(&shared.refusals.0.pending));
    if uncounted > 0 {
        tracing::warn!(uncounted, "refusals of too many games came at once; these were not kept");
    }
    let mut written = false;
    for (game, waiting) in games {
        // Of a game that does not exist anybody may ask anything; nothing of it is kept.
        if shared.entry(game).is_ok_and(|entry| entry.is_some()) {
            let mut values = encoded(&waiting.values);
            values.retain(|value| value.len() <= MAX_REFUSAL_BYTES);
            let too_large = (waiting.values.len() - values.len()) as u64;
            shared.database.put_refusals(game, waiting.skipped + too_large, &values)?;
            written = true;
        }
    }
    Ok(written)
}

/// What is kept of a game, on disk or on its way there.
pub(super) fn list(shared: &SharedState, game: GameId) -> Result<KeptRefusals, StoreError> {
    let _moving = lock(&shared.refusals.0.moving);
    let waiting = lock(&shared.refusals.0.pending).games.get(&game).cloned().unwrap_or_default();
    let (mut kept, next) = shared.database.refusals(game)?;
    let first = next.saturating_add(waiting.skipped);
    kept.extend((first..).zip(encoded(&waiting.values)));
    let count = kept.last().map_or(first, |(newest, _)| (newest + 1).max(first));
    kept.reverse();
    kept.truncate(KEPT_PER_GAME);
    Ok(KeptRefusals { dropped: count - kept.len() as u64, newest_first: kept })
}
