//! The housekeeper: brings blocks from the log to the database, and writes the
//! index and the watermark, about once a second, beside the writer, so that no
//! record waits for any of it.
//!
//! Everything it writes can be had again from the journal and the blocks; a crash
//! in between costs only a longer scan at the next start.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::GameId;
use super::core::{Core, Overlay, URGENT_DIRTY};
use super::database::catch_panic;
use super::database::index::CreationKey;
use super::error::StoreError;
use super::types::GameEntry;
use super::watermark::{self, Watermark};
use super::{refusals, settle};
use crate::lock::{lock, wait_while};

const PERIOD: Duration = Duration::from_secs(1);

/// The thread's whole life: ends with `stop` or with the store's failure.
pub(super) fn run(core: &Core) {
    let mut index_due = Instant::now() + PERIOD;
    loop {
        let (stop, index) = wait(core, index_due);
        if core.failure.get().is_some() {
            return;
        }
        let done = catch_panic("writing the index", || match index {
            true => run_once(core),
            false => settle::settle(core),
        });
        if let Err(error) = done {
            core.fail(error);
            return;
        }
        if stop {
            return;
        }
        if index {
            index_due = Instant::now() + PERIOD;
        }
    }
}

/// Waits until there is something to do; answers with `stop`, and whether the index has its turn.
fn wait(core: &Core, index_due: Instant) -> (bool, bool) {
    let calm = |overlay: &mut Overlay| !overlay.stop && !overlay.is_urgent() && core.failure.get().is_none();
    let patience = index_due.saturating_duration_since(Instant::now());
    let overlay = wait_while(&core.wake, core.overlay(), patience, calm);
    (overlay.stop, overlay.stop || overlay.dirty.len() >= URGENT_DIRTY || Instant::now() >= index_due)
}

/// Brings the database, the index and the watermark up to the newest synced block.
/// Touches the disk only if something has changed.
pub(super) fn run_once(core: &Core) -> Result<(), StoreError> {
    let _alone = lock(&core.housekeeping);
    let settled = settle::insert_all(core)?;
    // The index may know of blocks that only the journal holds: they are as durable,
    // and the next start takes them from there before it compares.
    let through = write_index(core)?;
    let refused = refusals::write(core)?;
    if settled.is_some() || through.is_some() || refused {
        core.database.sync()?;
    }
    if let Some(settled) = settled {
        settle::release(core, settled);
    }
    through.map_or(Ok(()), |through| write_watermark(core, through))
}

/// Writes all dirty entries to the database; answers with the block that the index
/// now reflects, if that has changed. The caller is alone in doing so.
pub(super) fn write_index(core: &Core) -> Result<Option<u64>, StoreError> {
    let Some((entries, creations, through)) = take(core) else {
        return Ok(None);
    };
    core.database.put_index(creations.iter(), entries.values(), through)?;
    let mut overlay = core.overlay();
    overlay.writing = Arc::default();
    overlay.writing_creations = Arc::default();
    overlay.through = Some(through);
    Ok(Some(through))
}

type Taken = (Arc<BTreeMap<GameId, Arc<GameEntry>>>, Arc<HashMap<CreationKey, GameId>>, u64);

/// Moves the dirty entries to where they stay visible while they are written.
fn take(core: &Core) -> Option<Taken> {
    let mut overlay = core.overlay();
    let through = overlay.durable?;
    if overlay.through == Some(through) {
        return None;
    }
    overlay.writing = Arc::new(std::mem::take(&mut overlay.dirty));
    overlay.writing_creations = Arc::new(std::mem::take(&mut overlay.dirty_creations));
    core.room.notify_all();
    Some((Arc::clone(&overlay.writing), Arc::clone(&overlay.writing_creations), through))
}

/// Names a block that is synced in the watermark file.
pub(super) fn write_watermark(core: &Core, block: u64) -> Result<(), StoreError> {
    let Some(value) = core.block(block)? else {
        return Err(StoreError::Lost { dir: core.dir.clone(), expected_block: block, found_last: None });
    };
    watermark::write(&core.dir, Watermark::of(block, &value))?;
    *lock(&core.watermark) = Some(block);
    Ok(())
}
