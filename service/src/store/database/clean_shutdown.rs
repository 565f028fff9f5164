//! How long sled's file was when the store was last closed in good order.
//!
//! Sled opens a shortened file as a smaller store, and writes to it as it does so. A file that has become shorter
//! while nobody had it open is therefore refused before sled sees it. The note is there only between a close and
//! the next opening: a file that is in use may also shrink.
//!
//! One line of text: `divelog-closed 1 <bytes of db> <hex CRC-32 of the line before>`

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use crate::files;
use crate::store::error::StoreError;
use crate::store::sync_dir;

const NAME: &str = "closed";

fn line(bytes: u64) -> String {
    let text = format!("divelog-closed 1 {bytes} ");
    let crc = crc32fast::hash(text.as_bytes());
    format!("{text}{crc:08x}\n")
}

/// The length that was noted. A note that cannot be read says nothing: the watermark is the check that must not fail.
pub(in crate::store) fn read(dir: &Path) -> Option<u64> {
    let text = fs::read_to_string(dir.join(NAME)).ok()?;
    let bytes = text.split(' ').nth(2)?.parse().ok()?;
    (line(bytes) == text).then_some(bytes)
}

/// Notes the length of the file. The caller has synced it and will not write to it again.
pub(in crate::store) fn write(dir: &Path) -> Result<(), StoreError> {
    let db = dir.join("db");
    let bytes = fs::metadata(&db).map_err(StoreError::io("measuring", &db))?.len();
    let path = dir.join(NAME);
    File::create(&path)
        .and_then(|mut file| file.write_all(line(bytes).as_bytes()).and_then(|()| file.sync_all()))
        .map_err(StoreError::io("writing", &path))?;
    sync_dir(dir)
}

/// Removes the note, before sled opens its file.
pub(in crate::store) fn remove(dir: &Path) -> Result<(), StoreError> {
    let path = dir.join(NAME);
    match files::remove(&path).map_err(StoreError::io("removing", &path))? {
        true => sync_dir(dir),
        false => Ok(()),
    }
}
