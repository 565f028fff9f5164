//! Refused requests: the newest of each game, apart from the records and from the chain.
//!
//! A refusal must cost play nothing. It is put into a bounded buffer in memory and written by the housekeeper, so one that
//! came in the last second before a kill or a power cut may be lost; a record never is. `noted` knows when that can have
//! happened, and `gaps` which games it concerns. A flood drops the oldest in the buffer and counts them; so what is handed in
//! is encoded when it is written or read, not before.

mod gaps;
mod noted;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

pub(super) use self::gaps::Gaps;
pub use self::gaps::{GameGaps, GapCause, RefusalGap};
pub(super) use self::noted::{LastEnd, Mark, begin};
use self::noted::{Noted, Now, now_ms};
use super::GameId;
use super::error::StoreError;
use super::read;
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
    moving: Mutex<Noted>,
}

#[derive(Default)]
struct Pending {
    games: HashMap<GameId, Waiting>,
    /// Whose refusals came when, oldest first: as many entries as refusals.
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
    /// How many others were counted and are gone.
    pub dropped: u64,
    /// How many of these belong to the newest [`KEPT_PER_GAME`]: more came at once than can wait, or they were too large.
    pub overflowed: u64,
    /// When others may have been answered that were not even counted, in this game or another.
    pub gaps: GameGaps,
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
        if let Some(waiting) = games.get_mut(&game).filter(|waiting| waiting.values.len() >= KEPT_PER_GAME) {
            // It takes the place of its game's oldest: one game's flood pushes out nobody else's.
            waiting.drop_oldest();
            waiting.values.push_back(value);
            return;
        }
        if order.len() >= MAX_PENDING
            && let Some(oldest) = order.pop_front()
            && let Some(waiting) = games.get_mut(&oldest)
        {
            waiting.drop_oldest();
        }
        games.entry(game).or_default().values.push_back(value);
        order.push_back(game);
    }

    fn note(&self, noted: Noted) {
        *lock(&self.0.moving) = noted;
    }

    /// Which run of the server this is, for the note of its end; none where nobody is served.
    pub(super) fn run(&self) -> Option<u64> {
        lock(&self.0.moving).run()
    }

    /// Holds the housekeeper back from them.
    #[cfg(test)]
    pub(super) fn hold(&self) -> impl Drop + '_ {
        struct Held<'a>(#[expect(dead_code, reason = "held")] std::sync::MutexGuard<'a, Noted>);
        impl Drop for Held<'_> {
            fn drop(&mut self) {}
        }
        Held(lock(&self.0.moving))
    }
}

/// Writes what waits, and up to when that is everything; `beside`: whether something else is synced now. Answers whether
/// anything was written.
pub(super) fn write(shared: &SharedState, beside: bool) -> Result<bool, StoreError> {
    let closing = shared.overlay().stop;
    let mut noted = lock(&shared.refusals.0.moving);
    // Until all of it is written: where that fails, what was taken is nowhere.
    noted.unwritten = true;
    // Before they are taken: whatever was answered by then is among them.
    let taken_ms = now_ms();
    let Pending { games, uncounted, .. } = std::mem::take(&mut *lock(&shared.refusals.0.pending));
    // After they are taken: those that were not counted are of games that were there before.
    if noted.overflowed(uncounted, Now::of(shared)) {
        tracing::warn!(uncounted, "refusals of too many games came at once; these were not kept");
        shared.database.put_refusal_gaps(&noted.gaps)?;
    }
    let mut written = uncounted > 0;
    let mut unattributed = 0;
    for (game, waiting) in games {
        let count = waiting.skipped + waiting.values.len() as u64;
        match shared.entry(game) {
            // Of a game that does not exist anybody may ask anything; nothing of it is kept.
            Ok(None) => continue,
            Ok(Some(_)) => {}
            // It is not known whether there is such a game.
            Err(_) => {
                unattributed += count;
                continue;
            }
        }
        let mut values = encoded(&waiting.values);
        values.retain(|value| value.len() <= MAX_REFUSAL_BYTES);
        let too_large = (waiting.values.len() - values.len()) as u64;
        shared.database.put_refusals(game, waiting.skipped + too_large, &values)?;
        written = true;
    }
    if noted.overflowed(unattributed, Now::of(shared)) {
        tracing::warn!(
            count = unattributed,
            "refusals were not kept: the index does not say whether their games are there"
        );
        shared.database.put_refusal_gaps(&noted.gaps)?;
        written = true;
    }
    noted.taken(taken_ms);
    if (written || beside || closing || noted.is_due(taken_ms))
        && let Some(mark) = noted.written(taken_ms)
    {
        // The database keeps the order of writes: where the mark is, what it speaks of is too.
        shared.database.put_refusal_mark(mark)?;
        written = true;
    }
    noted.unwritten = false;
    Ok(written)
}

/// What is kept of a game, on disk or on its way there.
pub(super) fn list(shared: &SharedState, game: GameId) -> Result<KeptRefusals, StoreError> {
    let (gaps, waiting, (mut kept, next)) = {
        let noted = lock(&shared.refusals.0.moving);
        let (waiting, uncounted) = {
            let pending = lock(&shared.refusals.0.pending);
            (pending.games.get(&game).cloned().unwrap_or_default(), pending.uncounted)
        };
        let gaps = noted.up_to(Now::of(shared), uncounted, shared.failure.get().is_some());
        (gaps, waiting, shared.database.refusals(game)?)
    };
    let first = next.saturating_add(waiting.skipped);
    kept.extend((first..).zip(encoded(&waiting.values)));
    let count = first.saturating_add(waiting.values.len() as u64);
    let newest = count.min(KEPT_PER_GAME as u64);
    kept.retain(|(number, _)| *number >= count - newest);
    kept.reverse();
    let dropped = count - kept.len() as u64;
    let overflowed = newest.saturating_sub(kept.len() as u64);
    let gaps = gaps.of_game(began_before(shared, game));
    Ok(KeptRefusals { dropped, overflowed, gaps, newest_first: kept })
}

/// Whether a game's first record is in an earlier block than a given one. In doubt it is.
fn began_before(shared: &SharedState, game: GameId) -> impl FnMut(u64) -> bool {
    let last_block = shared.entry(game).ok().flatten().map(|entry| entry.last_block);
    // Read only where the last block does not show it, and once.
    let mut first_block = None;
    move |block| match last_block {
        Some(last) if last >= block && block > 0 => first_block
            .get_or_insert_with(|| read::first_block(shared, game).ok().flatten())
            .is_none_or(|it| it < block),
        Some(_) => block > 0,
        None => true,
    }
}
