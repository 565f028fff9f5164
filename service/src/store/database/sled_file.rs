//! Sled's file as we hold it beside sled: when it is synced, what a failed sync means, and its end.
//!
//! **How often.** Sled frees a segment of its file when what replaces it has gone through `sync_file_range`, and uses
//! it again; and its recovery skips what is damaged below the newest position that a segment's header calls stable. Neither
//! survives a power cut after which the disk has some later writes and lacks some earlier ones. Both need a whole segment
//! of sled's log between the write that is lost and the write that hurts, so less than a segment is written between
//! two syncs of ours, by whoever writes: everybody says how much it was ([`SledFile::wrote`]).
//!
//! **A failed sync.** After it the kernel calls the pages clean, whether they are on the disk or not: the same file, read
//! again, shows what a power cut would take away, and the next sync succeeds. So one failure is permanent: no later sync of
//! this run succeeds, and a note says so to the next start, which refuses the folder before anything of the journal is
//! overwritten. The note's room is taken beforehand, so that it is written without allocating anything. If even that cannot
//! be synced it is still in memory, where the doubtful pages are; and a machine that has lost them shows what is on the disk.
//!
//! The note `sync-state`: one line, `divelog-sync 1 sound` or `divelog-sync 1 FAILS`.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use rustix::fs::FlockOperation;

use super::clean_shutdown;
use super::error::failed;
use super::opening::{LOCK_RETRY, LOCK_TIMEOUT, SEGMENT_BYTES};
use crate::files::{self, Readers};
use crate::lock::lock;
use crate::store::error::StoreError;
use crate::store::sync_dir;

/// What may be written to sled before it is synced.
const SYNC_BYTES: usize = 4 * 1024 * 1024;
const _: () = assert!(2 * SYNC_BYTES <= SEGMENT_BYTES);
/// A small value costs its own bytes, a head, and its share of the page that is written again every tenth time and at every
/// split: about four times its bytes. Of a large one this is the part that counts four times.
const SMALL_VALUE_BYTES: usize = 4_096;
const HEAD_BYTES: usize = 128;

const NOTE: &str = "sync-state";
const SOUND: &[u8; 21] = b"divelog-sync 1 sound\n";
const FAILED: &[u8; 21] = b"divelog-sync 1 FAILS\n";

pub(in crate::store) struct SledFile {
    dir: PathBuf,
    /// Our own descriptor: it still gets errors that the kernel has reported to another one.
    file: File,
    /// The note, open to be overwritten.
    note: File,
    failed: AtomicBool,
    /// Written since the last sync began.
    unsynced: AtomicUsize,
    /// Set when the store ends in good order.
    end: Mutex<Option<End>>,
}

/// The end of a store in good order.
struct End {
    /// The run that ends, for the note.
    run: Option<u64>,
    /// Called when sled has let go of its file.
    last: Box<dyn FnOnce() -> Result<(), StoreError> + Send>,
}

/// Refuses a folder of whose file a sync has once failed.
pub(in crate::store) fn check_note(dir: &Path) -> Result<(), StoreError> {
    let path = dir.join(NOTE);
    match fs::read(&path) {
        Ok(bytes) if bytes == SOUND => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // Whatever else it says was not written in good order.
        Ok(_) => Err(StoreError::Unsynced { dir: dir.to_path_buf() }),
        Err(error) => Err(StoreError::io("reading", &path)(error)),
    }
}

impl SledFile {
    /// Opens the file; it is there. Syncs it, so that what a killed process left in memory is on disk or known not to be.
    pub fn open(dir: &Path) -> Result<SledFile, StoreError> {
        let path = dir.join("db");
        let file = File::open(&path).map_err(StoreError::io("opening", &path))?;
        let note = open_note(dir)?;
        let opened = SledFile {
            dir: dir.to_path_buf(),
            file,
            note,
            failed: AtomicBool::new(false),
            unsynced: AtomicUsize::new(0),
            end: Mutex::new(None),
        };
        opened.sync_file()?;
        Ok(opened)
    }

    /// Makes everything written so far survive a power cut.
    ///
    /// sled's `flush` ends in `sync_file_range`, which neither flushes the
    /// disk's cache nor writes the file's metadata: fdatasync does both.
    pub fn sync(&self, db: &sled::Db) -> Result<(), StoreError> {
        self.unsynced.store(0, Ordering::Relaxed);
        let flushed = db.flush().map_err(failed("flushing the store"));
        // Also where that has failed: only our own descriptor says whether pages were given up.
        let synced = self.sync_file();
        flushed.and(synced)
    }

    /// Counts values that were written to sled, and syncs if that is due.
    pub fn wrote(&self, db: &sled::Db, values: usize, bytes: usize) -> Result<(), StoreError> {
        let cost = bytes + 3 * bytes.min(values * SMALL_VALUE_BYTES) + values * HEAD_BYTES;
        if self.unsynced.fetch_add(cost, Ordering::Relaxed) + cost >= SYNC_BYTES {
            self.sync(db)?;
        }
        Ok(())
    }

    /// Without sled's flush. A failure is permanent, whoever has caused the sync.
    pub fn sync_file(&self) -> Result<(), StoreError> {
        let path = self.dir.join("db");
        let doing = "syncing";
        if self.failed.load(Ordering::SeqCst) {
            let source = io::Error::other("an earlier sync has failed");
            return Err(StoreError::Io { doing, path, source });
        }
        self.sync_data().map_err(|source| {
            self.failed.store(true, Ordering::SeqCst);
            let noted = self.note.write_all_at(FAILED, 0).and_then(|()| self.note.sync_data());
            if let Err(error) = noted {
                tracing::error!(%error, "not even the note of a failed sync can be synced: do not restart on this disk");
            }
            StoreError::Io { doing, path, source }
        })
    }

    /// Whether the file has no name any more: its contents go when we do.
    pub fn is_deleted(&self) -> bool {
        self.file.metadata().is_ok_and(|file| file.nlink() == 0)
    }

    #[cfg(not(test))]
    fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    #[cfg(test)]
    fn sync_data(&self) -> io::Result<()> {
        hooks::call(&self.dir, hooks::Moment::Before)?;
        self.file.sync_data()?;
        hooks::call(&self.dir, hooks::Moment::After)
    }

    /// From now on nothing of ours is written: when sled lets go of its file, `last` is called, and the end is noted.
    pub fn end_in_good_order(&self, run: Option<u64>, last: impl FnOnce() -> Result<(), StoreError> + Send + 'static) {
        *lock(&self.end) = Some(End { run, last: Box::new(last) });
    }

    /// Waits for sled, whose threads may hold the file for some milliseconds and still write to it; then calls
    /// what the end was given, and notes the file's length.
    fn note_end(&self, end: End) -> Result<(), StoreError> {
        let path = self.dir.join("db");
        let file = File::open(&path).map_err(StoreError::io("opening", &path))?;
        let give_up = Instant::now() + LOCK_TIMEOUT;
        while let Err(error) = rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            if Instant::now() >= give_up {
                // Somebody has opened it again: it is theirs. Or sled has failed at its last sync.
                self.sync_file()?;
                return Err(StoreError::io("waiting for", &path)(error.into()));
            }
            std::thread::sleep(LOCK_RETRY);
        }
        self.sync_file()?;
        (end.last)()?;
        clean_shutdown::write(&self.dir, end.run)
    }
}

/// As the last field of its owner it is dropped when sled is.
impl Drop for SledFile {
    fn drop(&mut self) {
        // Also where the store has failed, or was never wholly opened: what sled has learned of must not be forgotten.
        if let Err(error) = self.sync_file() {
            tracing::error!(%error, "the store does not end in good order");
            return;
        }
        let Some(end) = lock(&self.end).take() else { return };
        if let Err(error) = self.note_end(end) {
            // The next start does what it does after a crash.
            tracing::warn!(%error, "the store's end is not noted");
        }
    }
}

/// Opens the note; makes it where there is none.
fn open_note(dir: &Path) -> Result<File, StoreError> {
    let path = dir.join(NOTE);
    let open = || File::options().write(true).open(&path);
    let made = match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // Under another name first: a file with the right name is whole.
            let temporary = dir.join("sync-state.new");
            files::replace(&path, &temporary, SOUND, Readers::Owner).and_then(|()| open())
        }
        opened => return opened.map_err(StoreError::io("opening", &path)),
    };
    let note = made.map_err(StoreError::io("making", &path))?;
    sync_dir(dir)?;
    Ok(note)
}

/// What tests do to a sync, by the folder.
#[cfg(test)]
pub(in crate::store) mod hooks {
    use super::*;
    use std::collections::HashMap;
    use std::sync::{Arc, LazyLock};

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Moment {
        Before,
        After,
    }

    type Hook = dyn Fn(Moment) -> io::Result<()> + Send + Sync;

    static HOOKS: LazyLock<Mutex<HashMap<PathBuf, Arc<Hook>>>> = LazyLock::new(Mutex::default);

    /// Calls `hook` around every sync in this folder, until the answer is dropped.
    pub fn set(dir: &Path, hook: impl Fn(Moment) -> io::Result<()> + Send + Sync + 'static) -> Set {
        lock(&HOOKS).insert(dir.to_path_buf(), Arc::new(hook));
        Set(dir.to_path_buf())
    }

    pub struct Set(PathBuf);

    impl Drop for Set {
        fn drop(&mut self) {
            lock(&HOOKS).remove(&self.0);
        }
    }

    pub fn call(dir: &Path, moment: Moment) -> io::Result<()> {
        let hook = lock(&HOOKS).get(dir).cloned();
        hook.map_or(Ok(()), |hook| hook(moment))
    }
}
