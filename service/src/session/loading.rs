//! Games come into memory by a replay of their log, once for all who ask.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use divelog_ledger::{GameId, Secret};

use super::cache::{Cache, Slot};
use super::followers::FanOut;
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
        let slot = self.shared.cache.slot(id);
        let reader = self.shared.reader.clone();
        let fan_out = self.shared.fan_out.clone();
        // Whoever asks waits for a turn of their own, not for that of somebody who has asked for the same game before.
        let place = self.shared.pools.play.place(self.caller).await;
        let unless_loaded = ForgetUnlessLoaded { cache: &self.shared.cache, id, slot: &slot };
        let work = || self.shared.pools.play.run_in(place, move || load(&reader, fan_out, id).map(Arc::new));
        let loaded = slot.get_or_try_init(work).await.cloned();
        drop(unless_loaded);
        loaded
    }
}

/// Takes a place in the cache away that nothing came into: also where the caller has gone away meanwhile.
struct ForgetUnlessLoaded<'a> {
    cache: &'a Cache,
    id: GameId,
    slot: &'a Arc<Slot>,
}

impl Drop for ForgetUnlessLoaded<'_> {
    fn drop(&mut self) {
        self.cache.forget(self.id, self.slot);
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
