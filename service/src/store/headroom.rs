//! Room ahead of the engine in its file.
//!
//! A sync of a file that grows waits for the file system's journal as well, which a kernel thread of its own commits: on
//! a busy machine that thread comes late, and every record of the group waits for it. Overwriting has no such cost. So
//! the writer fills the file with zeros ahead of the engine, some MiB at a time. Zeros are what the engine itself writes
//! into a segment that is free: it reads them as the end of its log, and cuts free segments off when it is opened.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::TryLockError;

use super::core::Core;

/// How far the file is filled ahead: so little that the writer is not held up for long, so much that it is seldom.
pub(super) const AHEAD_BYTES: u64 = 16 * 1024 * 1024;
/// What is written at once.
const CHUNK: usize = 1024 * 1024;

/// Keeps the file ahead of the engine.
pub(super) struct Headroom {
    /// The end of what was filled last. The engine has used it up when the file is longer.
    filled_to: u64,
}

impl Headroom {
    /// Room for a store just opened. What an earlier process has filled is used up first.
    pub(super) fn of(core: &Core) -> Headroom {
        Headroom { filled_to: core.db_file.metadata().map_or(0, |file| file.len()) }
    }

    /// Fills room if the engine has used up what there was. To be called by the writer between two groups: then only the
    /// housekeeper could make the engine write, and its lock keeps it from that. Without room everything works, only
    /// slower, so a failure (a full disk, say) is no reason to stop.
    pub(super) fn keep(&mut self, core: &Core) {
        let Ok(length) = core.db_file.metadata().map(|file| file.len()) else { return };
        if length <= self.filled_to {
            return;
        }
        let _alone = match core.housekeeping.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // After the next group, then.
            Err(TryLockError::WouldBlock) => return,
        };
        // Not tried again before the file has grown by as much.
        self.filled_to = length + AHEAD_BYTES;
        if let Err(error) = fill(core, length, self.filled_to) {
            tracing::debug!(%error, "no room ahead in the store's file");
        }
    }
}

fn fill(core: &Core, from: u64, to: u64) -> io::Result<()> {
    let file: File = OpenOptions::new().write(true).open(core.dir.join("db"))?;
    let zeros = vec![0; CHUNK];
    let filled = (from..to).step_by(CHUNK).try_for_each(|at| {
        let size = CHUNK.min(usize::try_from(to - at).unwrap_or(CHUNK));
        file.write_all_at(&zeros[..size], at)
    });
    if filled.is_err() {
        // The last room of a disk is for records.
        file.set_len(from)?;
    }
    // Now the length and the places on the disk are known to the file system for good.
    filled.and(file.sync_all())
}
