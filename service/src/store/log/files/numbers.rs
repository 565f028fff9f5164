//! Block numbers are given out once, also after a loss: sealed blocks, backups and the index of another folder know blocks
//! by their numbers.
//!
//! The file `numbers` says below which number all may have been given out. It is written ahead in steps, outside the
//! database and the journal: a store that has lost its newest blocks, and with them the knowledge of how many there were,
//! goes on behind it. What lies between is a gap whose loss was accepted.
//!
//! One line of text: `divelog-numbers 1 <number> <hex CRC-32 of the line before>`

use std::fs::{self};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::files::{self, Readers};
use crate::lock::lock;
use crate::store::error::StoreError;
use crate::store::sync_dir;

const NAME: &str = "numbers";
/// How far ahead numbers are taken; also what is left out where the file itself is lost. One write of the file for so many
/// groups, so that it costs play nothing; no more, because everybody who counts blocks meets the gap.
pub(in crate::store) const STEP: u64 = 16_384;

/// How often, and how long apart, it is tried again to take numbers that are needed now: callers wait meanwhile.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(200);

fn line(end: u64) -> String {
    let text = format!("divelog-numbers 1 {end} ");
    let crc = crc32fast::hash(text.as_bytes());
    format!("{text}{crc:08x}\n")
}

/// All numbers below may have been given out; none where nobody knows.
pub(in crate::store) fn read(dir: &Path) -> Option<u64> {
    let text = fs::read_to_string(dir.join(NAME)).ok()?;
    let end = text.split(' ').nth(2)?.parse().ok()?;
    (line(end) == text).then_some(end)
}

/// The numbers that may be given out without asking the disk.
pub(in crate::store) struct Numbers {
    dir: PathBuf,
    end: AtomicU64,
    writing: Mutex<()>,
}

impl Numbers {
    pub fn open(dir: &Path, next: u64) -> Result<Numbers, StoreError> {
        let end = AtomicU64::new(read(dir).unwrap_or(0));
        let numbers = Numbers { dir: dir.to_path_buf(), end, writing: Mutex::new(()) };
        numbers.take_ahead(next)?;
        Ok(numbers)
    }

    /// Before a number is used. Asks the disk only where [`Numbers::take_ahead`] was too slow.
    pub fn take(&self, number: u64) -> Result<(), StoreError> {
        for _ in 0..TRIES {
            if number < self.end.load(Ordering::Acquire) {
                return Ok(());
            }
            // Nothing was acknowledged under this number yet.
            match self.take_ahead(number) {
                Err(error) if error.is_transient() => {
                    tracing::warn!(%error, "block numbers cannot be taken now; this is tried again");
                    std::thread::sleep(PAUSE);
                }
                taken => return taken,
            }
        }
        self.take_ahead(number)
    }

    /// Takes the next step early: half of the last one is left.
    pub fn take_ahead(&self, next: u64) -> Result<(), StoreError> {
        if next.saturating_add(STEP / 2) < self.end.load(Ordering::Acquire) {
            return Ok(());
        }
        let _alone = lock(&self.writing);
        let end = next.saturating_add(STEP);
        if self.end.load(Ordering::Acquire) >= end {
            return Ok(());
        }
        let (path, temporary) = (self.dir.join(NAME), self.dir.join("numbers.new"));
        files::replace(&path, &temporary, line(end).as_bytes(), Readers::Owner)
            .map_err(StoreError::io("writing", &path))?;
        sync_dir(&self.dir)?;
        self.end.store(end, Ordering::Release);
        Ok(())
    }
}
