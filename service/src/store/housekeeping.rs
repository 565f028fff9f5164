//! The housekeeper: brings blocks from the log to the database, and writes the
//! index and the watermark, about once a second, beside the writer, so that no
//! record waits for any of it.
//!
//! Everything it writes can be had again from the journal and the blocks; a crash
//! in between costs only a longer scan at the next start.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::GameId;
use super::database::catch_panic;
use super::database::index::CreationKey;
use super::error::StoreError;
use super::shared_state::{Overlay, SharedState, URGENT_DIRTY};
use super::types::GameEntry;
use super::watermark::{self, Watermark};
use super::{refusals, settle};
use crate::lock::{lock, wait_while};

const PERIOD: Duration = Duration::from_secs(1);

/// How often in a row the watermark may fail to be written, about once a second.
const WATERMARK_TRIES: u32 = 120;

/// All that the thread does: ends with `stop` or with the store's failure.
pub(super) fn run(shared: &SharedState) {
    let mut index_due = Instant::now() + PERIOD;
    loop {
        let (stop, index) = wait(shared, index_due);
        if shared.failure.get().is_some() {
            return;
        }
        if index && let Some(error) = gone(shared) {
            shared.fail(error);
            save(shared);
            return;
        }
        let done = catch_panic("writing the index", || match index {
            true => run_once(shared),
            false => settle::settle(shared),
        });
        if let Err(error) = done {
            shared.fail(error);
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

/// Whether a file is not there any more.
fn gone(shared: &SharedState) -> Option<StoreError> {
    let (path, how) = shared.presence.get()?.gone()?;
    Some(StoreError::Gone { path: path.to_path_buf(), how, only_copy: shared.database.is_deleted() })
}

/// Brings what only the journal held to the database, whose file may still have its name.
pub(super) fn save(shared: &SharedState) {
    if let Err(error) = catch_panic("writing blocks", || settle::settle(shared)) {
        tracing::error!(%error, "what only the journal held cannot be brought to the database");
    }
}

/// Waits until there is something to do; answers with `stop`, and whether the index has its turn.
fn wait(shared: &SharedState, index_due: Instant) -> (bool, bool) {
    let calm = |overlay: &mut Overlay| !overlay.stop && !overlay.is_urgent() && shared.failure.get().is_none();
    let timeout = index_due.saturating_duration_since(Instant::now());
    let overlay = wait_while(&shared.wake, shared.overlay(), timeout, calm);
    (overlay.stop, overlay.stop || overlay.dirty.len() >= URGENT_DIRTY || Instant::now() >= index_due)
}

/// Brings the database, the index and the watermark up to the newest synced block.
/// Touches the disk only if something has changed, or to say once in a while that nothing has: see [`refusals`].
pub(super) fn run_once(shared: &SharedState) -> Result<(), StoreError> {
    let _alone = lock(&shared.housekeeping);
    let settled = settle::insert_all(shared)?;
    // The index may know of blocks that only the journal holds: they are as durable,
    // and the next start takes them from there before it compares.
    let through = write_index(shared)?;
    let refused = refusals::write(shared, settled.is_some() || through.is_some())?;
    if settled.is_some() || through.is_some() || refused {
        shared.database.sync()?;
    }
    if let Some(settled) = settled {
        settle::release(shared, settled);
    }
    renew_watermark(shared)
}

/// Has the watermark name the newest block that the index reflects. Nobody was answered on the strength of it, so where
/// the system refuses for a while it is tried again.
fn renew_watermark(shared: &SharedState) -> Result<(), StoreError> {
    let Some(through) = shared.overlay().through else { return Ok(()) };
    let marked = *lock(&shared.watermark);
    if marked >= Some(through) {
        if watermark::is_there(&shared.dir) {
            return Ok(());
        }
        tracing::error!(dir = %shared.dir.display(), "somebody has deleted the watermark of a running store; it is written again");
    }
    match write_watermark(shared, through.max(marked.unwrap_or(0))) {
        Err(error) if error.is_transient() && shared.watermark_tries.load(Ordering::Relaxed) < WATERMARK_TRIES => {
            if shared.watermark_tries.fetch_add(1, Ordering::Relaxed) == 0 {
                tracing::warn!(%error, "the watermark cannot be written now; this is tried again");
            }
            Ok(())
        }
        Err(error) => Err(error),
        Ok(()) => {
            shared.watermark_tries.store(0, Ordering::Relaxed);
            Ok(())
        }
    }
}

/// Writes all dirty entries to the database; answers with the block that the index
/// now reflects, if that has changed. The caller is alone in doing so.
pub(super) fn write_index(shared: &SharedState) -> Result<Option<u64>, StoreError> {
    let Some((entries, creations, through)) = take(shared) else {
        return Ok(None);
    };
    shared.database.put_index(creations.iter(), entries.values(), through)?;
    let mut overlay = shared.overlay();
    overlay.writing = Arc::default();
    overlay.writing_creations = Arc::default();
    overlay.through = Some(through);
    Ok(Some(through))
}

type Taken = (Arc<BTreeMap<GameId, Arc<GameEntry>>>, Arc<HashMap<CreationKey, GameId>>, u64);

/// Moves the dirty entries to where they stay visible while they are written.
fn take(shared: &SharedState) -> Option<Taken> {
    let mut overlay = shared.overlay();
    let through = overlay.durable?;
    if overlay.through == Some(through) {
        return None;
    }
    overlay.writing = Arc::new(std::mem::take(&mut overlay.dirty));
    overlay.writing_creations = Arc::new(std::mem::take(&mut overlay.dirty_creations));
    shared.room.notify_all();
    Some((Arc::clone(&overlay.writing), Arc::clone(&overlay.writing_creations), through))
}

/// Names a block that is synced in the watermark file.
pub(super) fn write_watermark(shared: &SharedState, block: u64) -> Result<(), StoreError> {
    let Some(value) = shared.block(block)? else {
        return Err(StoreError::Lost { dir: shared.dir.clone(), expected_block: block, found_last: None });
    };
    watermark::write(&shared.dir, Watermark::of(block, &value))?;
    *lock(&shared.watermark) = Some(block);
    Ok(())
}
