//! Bringing blocks from the log to the database, many at once and beside the
//! writer. Until then they are kept in memory, where every reader finds them.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;

use super::database::catch_panic;
use super::error::StoreError;
use super::shared_state::SharedState;
use crate::lock::{lock, wait};

/// Bytes of unsettled blocks at which the housekeeper starts before its second is over.
pub(super) const URGENT_BYTES: usize = 1024 * 1024;

/// A block that is synced in the journal, and its secrets (empty: it creates no game).
#[derive(Clone)]
pub(super) struct Value {
    pub block: Bytes,
    pub secrets: Bytes,
}

/// Blocks that are synced in the journal and not known to be synced in the database.
/// The journal's two files bound them.
#[derive(Default)]
pub(super) struct Unsettled {
    /// The number of the first.
    first: u64,
    /// Of consecutive numbers.
    values: VecDeque<Value>,
    bytes: usize,
}

impl Unsettled {
    /// Numbers grow by one within a run; the first of a run may be any.
    pub fn push(&mut self, number: u64, value: Value) {
        if self.values.is_empty() {
            self.first = number;
        }
        debug_assert_eq!(number, self.first + self.values.len() as u64, "blocks are numbered without gaps");
        self.bytes += value.block.len() + value.secrets.len();
        self.values.push_back(value);
    }

    pub fn get(&self, number: u64) -> Option<&Value> {
        let at = number.checked_sub(self.first)?;
        self.values.get(usize::try_from(at).ok()?)
    }

    pub fn first(&self) -> Option<u64> {
        (!self.values.is_empty()).then_some(self.first)
    }

    /// Whether somebody should not wait for the second to be over.
    pub fn is_urgent(&self) -> bool {
        self.bytes >= URGENT_BYTES
    }

    fn release(&mut self, through: u64) {
        while self.first <= through
            && let Some(value) = self.values.pop_front()
        {
            self.first += 1;
            self.bytes -= value.block.len() + value.secrets.len();
        }
    }
}

/// Puts everything that is unsettled into the database; answers with the newest. The
/// caller holds the housekeeping lock, syncs, and then calls [`release`].
pub(super) fn insert_all(shared: &SharedState) -> Result<Option<u64>, StoreError> {
    let (first, values) = {
        let unsettled = &shared.overlay().unsettled;
        (unsettled.first, unsettled.values.clone())
    };
    if let Err(error) = shared.numbers.take_ahead(first + values.len() as u64) {
        // Whoever needs a number takes it then.
        if !error.is_transient() {
            return Err(error);
        }
        tracing::warn!(%error, "block numbers cannot be taken ahead now; this is tried again");
    }
    let mut newest = None;
    for (number, value) in (first..).zip(&values) {
        shared.database.put_block(number, &value.block, &value.secrets)?;
        newest = Some(number);
    }
    Ok(newest)
}

/// Forgets blocks that are synced in the database: readers find them there, and the
/// writer may overwrite their frames.
pub(super) fn release(shared: &SharedState, through: u64) {
    let mut overlay = shared.overlay();
    overlay.unsettled.release(through);
    overlay.awaited = false;
    drop(overlay);
    shared.room.notify_all();
}

/// Brings everything that is unsettled to the database, and nothing else.
pub(super) fn settle(shared: &SharedState) -> Result<(), StoreError> {
    let _alone = lock(&shared.housekeeping);
    if let Some(newest) = insert_all(shared)? {
        shared.database.sync()?;
        release(shared, newest);
    }
    Ok(())
}

/// Waits until a block is in the database, because its frame is in the way.
pub(super) fn wait_for(shared: &SharedState, number: u64) -> Result<(), Arc<StoreError>> {
    let mut overlay = shared.overlay();
    while overlay.unsettled.get(number).is_some() {
        if let Some(error) = shared.failure.get() {
            return Err(error);
        }
        if overlay.stop {
            // The store was dropped by this very thread: there is no housekeeper any more.
            drop(overlay);
            catch_panic("writing blocks", || settle(shared)).map_err(|error| shared.fail(error))?;
            return Ok(());
        }
        overlay.awaited = true;
        shared.wake.notify_one();
        overlay = wait(&shared.room, overlay);
    }
    Ok(())
}
