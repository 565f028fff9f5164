//! What the session reads of the store.

use divelog_ledger::GameId;

use super::Error;
#[cfg(test)]
use crate::store::manual_writer::SimulatedStore;
use crate::store::{GameEntry, KeptRefusals, Page, Refusals, Store, StoreError, StoredGame};

/// Reads a store. Clones share it.
#[derive(Clone)]
pub(super) enum Reader {
    /// The store on disk.
    Disk(Store),
    /// The simulation's, in memory.
    #[cfg(test)]
    Simulated(SimulatedStore),
}

/// The same call, whichever store it is.
macro_rules! read {
    ($reader:expr, $store:ident => $call:expr) => {
        match $reader {
            Reader::Disk($store) => $call,
            #[cfg(test)]
            Reader::Simulated($store) => $call,
        }
    };
}

impl Reader {
    /// The store on disk. A simulation has none, and nothing in it asks.
    pub fn disk(&self) -> &Store {
        match self {
            Reader::Disk(store) => store,
            #[cfg(test)]
            Reader::Simulated(_) => panic!("a simulation has no store on disk"),
        }
    }

    /// A game's records and secret.
    pub fn game(&self, id: GameId) -> Result<StoredGame, Error> {
        let stored = read!(self, store => store.read_game(id));
        stored.map_err(Error::reading)?.ok_or(Error::NotFound(id))
    }

    /// See [`Store::entry`].
    pub fn entry(&self, id: GameId) -> Result<Option<GameEntry>, StoreError> {
        read!(self, store => store.entry(id))
    }

    /// See [`Store::creation`].
    pub fn creation(&self, request_id: &str) -> Result<Option<GameId>, StoreError> {
        read!(self, store => store.creation(request_id))
    }

    /// See [`Store::list`].
    pub fn list(
        &self,
        before: Option<GameId>,
        scan_limit: usize,
        keep: impl FnMut(&GameEntry) -> bool,
        page: usize,
    ) -> Result<Page, StoreError> {
        read!(self, store => store.list(before, scan_limit, keep, page))
    }

    /// See [`Store::durable_block`].
    pub fn durable_block(&self) -> Option<u64> {
        read!(self, store => store.durable_block())
    }

    /// See [`Store::refusals`].
    pub fn refusals(&self) -> Refusals {
        read!(self, store => store.refusals())
    }

    /// See [`Store::list_refusals`].
    pub fn list_refusals(&self, id: GameId) -> Result<KeptRefusals, StoreError> {
        read!(self, store => store.list_refusals(id))
    }
}
