//! One of the journal's two files: made once at its full size, written over and over.
//!
//! ```text
//! at 0      magic "DLJ1" | store id 16 | u32 which of the two | u64 length of the file | u32 CRC-32 of everything before
//! at 4096   magic "DLM1" | store id 16 | u64 floor | u32 CRC-32 of everything before, or zeros
//! at 8192   frames
//! ```
//! All blocks below the floor were in the database, synced, when the store was last
//! closed in good order: frames of them are not looked at any more.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::frame::{self, Frame, StoreId};
use crate::files::{self, Readers};
use crate::store::error::StoreError;

const HEADER_MAGIC: &[u8; 4] = b"DLJ1";
const HEADER_BYTES: usize = 4 + 16 + 4 + 8 + 4;
const MARK_MAGIC: &[u8; 4] = b"DLM1";
const MARK_AT: u64 = 4_096;
const MARK_BYTES: usize = 4 + 16 + 8 + 4;
/// Where the frames begin.
pub(super) const FRAMES_AT: u64 = 8_192;
/// The zeros that a new file is filled with are written in pieces of this size.
const ZEROS: usize = 64 * 1024;

/// What is wrong with a file that should be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Missing,
    /// What is missing is not known.
    Damaged(&'static str),
    /// Its header is sound and names another store.
    Foreign,
}

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub fault: Option<Fault>,
    pub floor: Option<u64>,
    pub frames: Vec<Frame>,
}

pub(super) fn path(dir: &Path, which: usize) -> PathBuf {
    dir.join(format!("journal-{which}"))
}

/// Makes the file, filled with zeros and synced, under another name first: a file
/// with the right name is whole. The caller syncs the folder.
pub(super) fn create(dir: &Path, which: usize, store: &StoreId, bytes: u64) -> Result<(), StoreError> {
    let temporary = dir.join(format!("journal-{which}.new"));
    let made = write_new(&temporary, which, store, bytes);
    made.map_err(StoreError::io("making the journal", &temporary)).inspect_err(|_| {
        // On a full disk the half-made file would stand in the way of everything else.
        fs::remove_file(&temporary).ok();
    })?;
    let path = path(dir, which);
    fs::rename(&temporary, &path).map_err(StoreError::io("making the journal", &path))
}

fn write_new(path: &Path, which: usize, store: &StoreId, bytes: u64) -> std::io::Result<()> {
    let mut file = files::create(path, Readers::Owner)?;
    // Written, not only reserved: the first write to reserved room would change the
    // file's extents, and each sync would have to wait for the file system's journal.
    let zeros = vec![0; ZEROS];
    let mut left = bytes;
    while left > 0 {
        let piece = left.min(ZEROS as u64);
        file.write_all(&zeros[..piece as usize])?;
        left -= piece;
    }
    file.write_all_at(&header(which, store, bytes), 0)?;
    file.sync_all()
}

fn header(which: usize, store: &StoreId, bytes: u64) -> Vec<u8> {
    let mut header = Vec::with_capacity(HEADER_BYTES);
    header.extend_from_slice(HEADER_MAGIC);
    header.extend_from_slice(store);
    header.extend_from_slice(&(which as u32).to_be_bytes());
    header.extend_from_slice(&bytes.to_be_bytes());
    with_checksum(header)
}

fn mark(store: &StoreId, floor: u64) -> Vec<u8> {
    let mut mark = Vec::with_capacity(MARK_BYTES);
    mark.extend_from_slice(MARK_MAGIC);
    mark.extend_from_slice(store);
    mark.extend_from_slice(&floor.to_be_bytes());
    with_checksum(mark)
}

fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let crc = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&crc.to_be_bytes());
    bytes
}

/// Says durably that all blocks below the floor are in the database.
pub(super) fn write_mark(path: &Path, store: &StoreId, floor: u64) -> Result<(), StoreError> {
    let written = File::options().write(true).open(path).and_then(|file| {
        file.write_all_at(&mark(store, floor), MARK_AT)?;
        file.sync_data()
    });
    written.map_err(StoreError::io("marking the journal", path))
}

/// The store that the file's header names, and what is wrong with the file.
pub(super) fn inspect(dir: &Path, which: usize) -> Result<(Option<StoreId>, Option<Fault>), StoreError> {
    let path = path(dir, which);
    match fs::read(&path) {
        Ok(bytes) => Ok(check_header(&bytes, which, None)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok((None, Some(Fault::Missing))),
        Err(error) => Err(StoreError::io("reading the journal", &path)(error)),
    }
}

/// Reads a whole file: what is wrong with it, and all that is known nevertheless.
/// Without a `store` to compare with, the file's own word counts.
pub(super) fn read(dir: &Path, which: usize, store: Option<&StoreId>) -> Result<Contents, StoreError> {
    let path = path(dir, which);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Contents { fault: Some(Fault::Missing), ..Contents::default() });
        }
        Err(error) => return Err(StoreError::io("reading the journal", &path)(error)),
    };
    let (named, fault) = check_header(&bytes, which, store);
    let Some(store) = store.copied().or(named) else {
        return Ok(Contents { fault, ..Contents::default() });
    };
    let frames = bytes.get(FRAMES_AT as usize..).map(|bytes| frame::scan(bytes, &store)).unwrap_or_default();
    Ok(Contents { fault, floor: read_mark(&bytes, &store), frames })
}

/// The store that a header names, and what is wrong with the file.
fn check_header(bytes: &[u8], which: usize, store: Option<&StoreId>) -> (Option<StoreId>, Option<Fault>) {
    let sound = bytes.get(..HEADER_BYTES).filter(|header| {
        let (contents, crc) = header.split_at(HEADER_BYTES - 4);
        contents.starts_with(HEADER_MAGIC) && crc32fast::hash(contents).to_be_bytes() == crc
    });
    let Some(header) = sound else {
        return (None, Some(Fault::Damaged("its header is damaged")));
    };
    let named: StoreId = header[4..20].try_into().expect("16 bytes");
    let fault = if store.is_some_and(|store| *store != named) {
        Some(Fault::Foreign)
    } else if header[20..24] != (which as u32).to_be_bytes() {
        Some(Fault::Damaged("it is the other of the two files"))
    } else if header[24..32] != (bytes.len() as u64).to_be_bytes() {
        Some(Fault::Damaged("it does not have the length that it was made with"))
    } else {
        None
    };
    (Some(named), fault)
}

/// None also for a damaged mark: then frames count that need not, which is no harm,
/// because the database's own blocks come first.
fn read_mark(bytes: &[u8], store: &StoreId) -> Option<u64> {
    let at = MARK_AT as usize;
    let found = bytes.get(at..at + MARK_BYTES)?;
    let floor = u64::from_be_bytes(found[20..28].try_into().ok()?);
    (mark(store, floor) == found).then_some(floor)
}
