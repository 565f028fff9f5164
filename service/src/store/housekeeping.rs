//! The housekeeper: writes the index and the watermark, about once a second,
//! beside the writer, so that no record waits for either.
//!
//! Everything it writes can be had again from the blocks; a crash in between
//! costs only a longer scan at the next start.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::GameId;
use super::core::{Core, CreationKey, DIRTY_URGENT, KEY_THROUGH, lock};
use super::entry;
use super::error::{StoreError, guarded};
use super::refusals;
use super::types::GameEntry;
use super::watermark::{self, Watermark};

const PERIOD: Duration = Duration::from_secs(1);
/// Index entries written in one batch: a longer one would hold up readers.
const BATCH: usize = 256;

/// The thread's whole life: ends with `stop` or with the store's failure.
pub(super) fn run(core: &Core) {
    loop {
        let stop = {
            let calm = |overlay: &mut super::core::Overlay| {
                !overlay.stop && overlay.dirty.len() < DIRTY_URGENT && core.failure.get().is_none()
            };
            let (overlay, _) =
                core.wake.wait_timeout_while(core.overlay(), PERIOD, calm).unwrap_or_else(PoisonError::into_inner);
            overlay.stop
        };
        if core.failure.get().is_some() {
            return;
        }
        if let Err(error) = guarded("writing the index", || run_once(core)) {
            core.fail(error);
            return;
        }
        // The writer has ended before `stop` is set, so nothing can follow.
        if stop {
            return;
        }
    }
}

/// Brings the index and the watermark up to the newest synced block. Touches
/// the disk only if something has changed.
pub(super) fn run_once(core: &Core) -> Result<(), StoreError> {
    let _alone = lock(&core.housekeeping);
    let refused = refusals::write(core)?;
    if let Some(through) = write_index(core)? {
        // The index's own writes become durable here; they also carry any block
        // that the writer has inserted meanwhile, which is no harm.
        core.sync()?;
        write_watermark(core, through)?;
    } else if refused {
        core.sync()?;
    }
    Ok(())
}

/// Writes all dirty entries to the trees; answers with the block that the index
/// now reflects, if that has changed. The caller is alone in doing so.
pub(super) fn write_index(core: &Core) -> Result<Option<u64>, StoreError> {
    let Some((entries, creations, through)) = take(core) else {
        return Ok(None);
    };
    let engine = || StoreError::engine("writing the index");
    for (key, game) in creations.iter() {
        core.creations.insert(key, &game.0).map_err(engine())?;
    }
    let mut entries = entries.values().peekable();
    while entries.peek().is_some() {
        let mut batch = sled::Batch::default();
        for entry in entries.by_ref().take(BATCH) {
            batch.insert(&entry.id.0, entry::encode(entry));
        }
        core.games.apply_batch(batch).map_err(engine())?;
    }
    // Last: whoever finds `through` may rely on all that it stands for.
    core.games.insert(KEY_THROUGH, &through.to_be_bytes()).map_err(engine())?;
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
    let stored = core.blocks.get(block.to_be_bytes());
    let stored = stored.map_err(StoreError::engine("reading a block"))?;
    let Some(value) = stored else {
        return Err(StoreError::Lost { dir: core.dir.clone(), expected_block: block, found_last: None });
    };
    watermark::write(&core.dir, Watermark::of(block, &value))?;
    *lock(&core.watermark) = Some(block);
    Ok(())
}
