//! The games that the writer has written lately.

use std::sync::Arc;

use crate::store::GameId;
use crate::store::error::StoreError;
use crate::store::shared_state::SharedState;
use crate::store::types::{GameEntry, GameMap};

/// Entries in each of the two generations.
const MAX_ENTRIES: usize = 16_384;

/// The writer's bounded memory of games: two generations, the older dropped when the younger is full. Only the writer
/// changes games, so it is never stale.
#[derive(Default)]
pub(in crate::store) struct EntryCache {
    young: GameMap<Arc<GameEntry>>,
    old: GameMap<Arc<GameEntry>>,
}

impl EntryCache {
    pub fn find(&mut self, shared: &SharedState, id: GameId) -> Result<Option<GameEntry>, StoreError> {
        if let Some(entry) = self.young.get(&id).or_else(|| self.old.get(&id)) {
            return Ok(Some(entry.as_ref().clone()));
        }
        Ok(shared.entry(id)?.map(|entry| entry.as_ref().clone()))
    }

    pub fn put(&mut self, entry: Arc<GameEntry>) {
        if self.young.len() >= MAX_ENTRIES {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(entry.id, entry);
    }
}
