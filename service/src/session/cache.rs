//! The bounded set of live games, and games that are being created.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use divelog_ledger::GameId;
use lru::LruCache;
use tokio::sync::OnceCell;

use super::Error;
use super::commit::Creation;
use super::live::{LiveGame, Reply};
use super::step::Step;

/// How many of the least recently used games are looked at for one that nobody holds.
const EVICTION_TRIES: usize = 16;

/// A place for a live game: it is loaded once, however many ask for it.
pub(super) type Slot = OnceCell<Arc<LiveGame>>;

/// Somebody who repeated a creation that is on its way, and what they asked for.
pub(super) type CreationWaiter = (Box<dyn FnOnce(&Step) -> bool + Send>, Reply);

/// The live games.
pub(super) struct Cache {
    games: Mutex<LruCache<GameId, Arc<Slot>>>,
    capacity: usize,
    /// Creations on their way to disk, by request id.
    creating: Mutex<HashMap<String, Vec<CreationWaiter>>>,
    /// Prepared games on their way to disk: nobody else may create them.
    claimed: Mutex<HashSet<GameId>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cache {
    pub fn new(capacity: usize) -> Cache {
        Cache {
            // Bounded by hand: an entry that somebody holds must not be evicted.
            games: Mutex::new(LruCache::unbounded()),
            capacity: NonZeroUsize::new(capacity).map_or(1, NonZeroUsize::get),
            creating: Mutex::default(),
            claimed: Mutex::default(),
        }
    }

    /// Whether a prepared game may be created now: nobody else is doing it.
    pub fn claim(&self, id: GameId) -> bool {
        lock(&self.claimed).insert(id)
    }

    /// A prepared game is on disk, or was not created.
    pub fn unclaim(&self, id: GameId) {
        lock(&self.claimed).remove(&id);
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

    /// Takes away a place whose game could not be loaded.
    pub fn forget(&self, id: GameId) {
        let mut games = lock(&self.games);
        if games.peek(&id).is_some_and(|slot| slot.get().is_none()) {
            games.pop(&id);
        }
    }

    /// Evicts until there is room, but never a game that a watcher, a call or a record on its way holds: a second copy of
    /// it would not hear of the first one's records.
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

    /// Registers a creation. If one with this request id is on its way, the caller waits for that one instead.
    pub fn begin_creation(&self, request_id: &str, waiter: CreationWaiter) -> Result<Reply, ()> {
        let mut creating = lock(&self.creating);
        match creating.get_mut(request_id) {
            Some(waiters) => {
                waiters.push(waiter);
                Err(())
            }
            None => {
                creating.insert(request_id.to_owned(), Vec::new());
                Ok(waiter.1)
            }
        }
    }

    /// A creation that did not even begin, or has ended.
    pub fn end_creation(&self, request_id: &str, result: &Result<Arc<Step>, Error>) {
        let waiters = lock(&self.creating).remove(request_id).unwrap_or_default();
        for (is_same, reply) in waiters {
            reply(match result {
                Ok(step) if !is_same(step) => Err(Error::RequestIdReused(request_id.to_owned())),
                result => result.clone(),
            });
        }
    }

    /// A new game is on disk.
    pub fn created(&self, creation: Creation) {
        let Creation { live, step, request_id, reply } = creation;
        self.unclaim(step.position.header().game_id);
        {
            let mut games = lock(&self.games);
            self.make_room(&mut games);
            games.put(step.position.header().game_id, Arc::new(Slot::new_with(Some(live))));
        }
        let result = Ok(step);
        self.end_creation(&request_id, &result);
        reply(result);
    }

    /// A new game could not be written.
    pub fn not_created(&self, creation: Creation, error: &Error) {
        let result = Err(error.clone());
        self.unclaim(creation.step.position.header().game_id);
        self.end_creation(&creation.request_id, &result);
        (creation.reply)(result);
    }
}
