//! The bounded set of live games, each in memory once.
//!
//! A game has one place here as long as anybody holds it or waits for it: a load and a creation fill the same place, whoever
//! comes first, and nothing takes a place away that is shared. A second copy of a game would not know of the first one's
//! records.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, OnceLock};

use divelog_ledger::GameId;
use lru::LruCache;

use super::live::LiveGame;
use crate::lock::lock;

/// How many of the least recently used games are looked at for one that nobody holds.
const EVICTION_TRIES: usize = 16;

/// A place for a live game: the first copy that is loaded is the one that all get.
pub(super) type Slot = OnceLock<Arc<LiveGame>>;

/// The live games.
pub(super) struct Cache {
    games: Mutex<LruCache<GameId, Arc<Slot>>>,
    capacity: usize,
}

impl Cache {
    pub fn new(capacity: usize) -> Cache {
        Cache {
            // Bounded by hand: an entry that somebody holds must not be evicted.
            games: Mutex::new(LruCache::unbounded()),
            capacity: NonZeroUsize::new(capacity).map_or(1, NonZeroUsize::get),
        }
    }

    /// A game that is in memory already.
    pub fn get(&self, id: GameId) -> Option<Arc<LiveGame>> {
        lock(&self.games).get(&id)?.get().cloned()
    }

    /// The place of a game, which may still have to be loaded into it.
    pub fn slot(&self, id: GameId) -> Arc<Slot> {
        let mut games = lock(&self.games);
        if let Some(slot) = games.get(&id) {
            return Arc::clone(slot);
        }
        let slot = Arc::new(Slot::new());
        self.make_room(&mut games);
        games.put(id, Arc::clone(&slot));
        slot
    }

    /// Takes away a place whose game could not be loaded, unless somebody else waits for it.
    pub fn forget(&self, id: GameId, slot: &Arc<Slot>) {
        let mut games = lock(&self.games);
        let in_place = games.peek(&id).is_some_and(|found| Arc::ptr_eq(found, slot));
        // Under the lock nobody can join: it is held by this map and by the caller alone.
        if in_place && slot.get().is_none() && Arc::strong_count(slot) == 2 {
            games.pop(&id);
        }
    }

    /// Evicts until there is room, but never a game that a watcher, a call or a record on its way holds.
    fn make_room(&self, games: &mut LruCache<GameId, Arc<Slot>>) {
        let mut tries = EVICTION_TRIES;
        while games.len() >= self.capacity && tries > 0 {
            tries -= 1;
            let Some((id, slot)) = games.pop_lru() else { return };
            let held = Arc::strong_count(&slot) > 1 || slot.get().is_some_and(|live| Arc::strong_count(live) > 1);
            if held {
                games.put(id, slot);
            }
        }
    }

    /// A new game is on disk. It is visible there before this is called: whoever has found and loaded it meanwhile may
    /// have acted in it, so their copy stays. (Their records are answered after this one, so it is not evicted before.)
    pub fn created(&self, live: Arc<LiveGame>) {
        let mut games = lock(&self.games);
        #[cfg(test)]
        if super::simulation::injected(super::simulation::Defect::TwoCopies) {
            games.put(live.id(), Arc::new(Slot::from(live)));
            return;
        }
        match games.get(&live.id()) {
            // Also while it is being loaded: what comes from the log then is the same, and is not used.
            Some(slot) => drop(slot.set(live)),
            None => {
                self.make_room(&mut games);
                games.put(live.id(), Arc::new(Slot::from(live)));
            }
        }
    }

    /// Takes a copy away that takes nothing any more: the next one who asks loads the game again.
    pub fn retire(&self, live: &Arc<LiveGame>) {
        let mut games = lock(&self.games);
        let in_place = games.peek(&live.id()).and_then(|slot| slot.get()).is_some_and(|found| Arc::ptr_eq(found, live));
        if in_place {
            games.pop(&live.id());
        }
    }
}
