//! Games come into memory by a replay of their log, once for all who ask.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use divelog_ledger::{GameId, Secret};

use super::cache::Slot;
use super::followers::FanOut;
use super::games::Shared;
use super::live::LiveGame;
use super::reader::Reader;
use super::step::replay_stored;
use super::{Error, Games};

impl Games {
    /// A game that is in memory already.
    pub fn in_memory(&self, id: GameId) -> Option<Arc<LiveGame>> {
        self.shared.cache.get(id)
    }

    /// A game in memory, loaded from the log if need be.
    pub async fn live(&self, id: GameId) -> Result<Arc<LiveGame>, Error> {
        if let Some(live) = self.shared.cache.get(id) {
            return Ok(live);
        }
        let (reader, fan_out) = (self.shared.reader.clone(), self.shared.fan_out.clone());
        let place = CachePlace { shared: Arc::clone(&self.shared), id, slot: self.shared.cache.slot(id) };
        // Each who asks waits for a turn of their own, not for that of somebody who has asked for the same game before. What
        // waits is the work, not the call: a call whose answers nobody reads is not polled, and must keep nobody from a game.
        let work = move || match place.slot.get() {
            Some(live) => Ok(Arc::clone(live)),
            None => load(&reader, fan_out, id).map(|live| place.fill(live)),
        };
        self.shared.pools.play.run(self.caller, work).await
    }
}

/// A place in the cache into which a game may come. Dropped without one it is taken away, unless somebody else waits for it.
struct CachePlace {
    shared: Arc<Shared>,
    id: GameId,
    slot: Arc<Slot>,
}

impl CachePlace {
    /// Puts a game there, unless somebody else has: the game that is there now.
    fn fill(&self, live: LiveGame) -> Arc<LiveGame> {
        let live = Arc::new(live);
        match self.slot.set(Arc::clone(&live)) {
            Ok(()) => live,
            Err(_) => self.slot.get().map_or(live, Arc::clone),
        }
    }
}

impl Drop for CachePlace {
    fn drop(&mut self) {
        self.shared.cache.forget(self.id, &self.slot);
    }
}

/// Loads a game by replaying its log.
pub(super) fn load(reader: &Reader, fan_out: FanOut, id: GameId) -> Result<LiveGame, Error> {
    let stored = reader.game(id)?;
    let mut requests = HashMap::new();
    let mut newest = None;
    replay_stored(id, &stored, |step, request_id| {
        if !request_id.is_empty() {
            requests.insert(request_id, step.position.last_record());
        }
        newest = Some(step);
        ControlFlow::Continue(())
    })?;
    let (newest, secret) = newest.zip(stored.secret).ok_or(Error::NotFound(id))?;
    let position = newest.position.clone();
    Ok(LiveGame::new(position, Some(Arc::new(newest)), Secret(secret), requests, reader.refusals(), fan_out))
}
