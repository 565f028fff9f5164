//! What sled's file was like when the store was last closed in good order.
//!
//! Sled opens a file that was changed or shortened as a smaller store, and writes to it as it does so. A file that is another
//! one than was left is therefore noticed before sled sees it. The note is there only between a close and the next opening.
//!
//! One line of text: `divelog-closed 3 <bytes of db> <hex CRC-32 of the heads of its segments> <end of its newest message>
//! <hex number of the run> <hex CRC-32 of the line before>`. The run is what the mark in the database names too, so that the
//! note shows whether this database is the one that was closed last ([`crate::store::refusals`]). Version 2 has no run: an
//! earlier version has left it, or somebody who has served nobody. Version 1 has no shape either. To earlier versions a note
//! of version 3 says nothing: they start as after a kill.

use std::fs;
use std::path::Path;

use super::reading::Shape;
use crate::files::{self, Readers};
use crate::store::error::StoreError;
use crate::store::sync_dir;

const NAME: &str = "closed";

/// What the note says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) struct Closed {
    pub bytes: u64,
    /// None in a note of version 1.
    pub shape: Option<Shape>,
    /// The run of the server that has ended; none in a note of version 1 or 2.
    pub run: Option<u64>,
}

impl Closed {
    fn line(&self) -> String {
        let bytes = self.bytes;
        let text = match (self.shape, self.run) {
            (Some(Shape { heads, end, .. }), Some(run)) => {
                format!("divelog-closed 3 {bytes} {heads:08x} {end} {run:016x} ")
            }
            (Some(Shape { heads, end, .. }), None) => format!("divelog-closed 2 {bytes} {heads:08x} {end} "),
            (None, _) => format!("divelog-closed 1 {bytes} "),
        };
        let crc = crc32fast::hash(text.as_bytes());
        format!("{text}{crc:08x}\n")
    }
}

/// What was noted. A note that cannot be read says nothing: the watermark is the check that must not fail.
pub(in crate::store) fn read(dir: &Path) -> Option<Closed> {
    let text = fs::read_to_string(dir.join(NAME)).ok()?;
    let words: Vec<&str> = text.split(' ').collect();
    let bytes = words.get(2)?.parse().ok()?;
    let shape =
        |heads, end: &str| Some(Shape { bytes, heads: u32::from_str_radix(heads, 16).ok()?, end: end.parse().ok()? });
    let (shape, run) = match words[..] {
        [_, "3", _, heads, end, run, _] => (Some(shape(heads, end)?), Some(u64::from_str_radix(run, 16).ok()?)),
        [_, "2", _, heads, end, _] => (Some(shape(heads, end)?), None),
        _ => (None, None),
    };
    let closed = Closed { bytes, shape, run };
    (closed.line() == text).then_some(closed)
}

/// Notes what the file is like. The caller has synced it and will not write to it again.
pub(in crate::store) fn write(dir: &Path, run: Option<u64>) -> Result<(), StoreError> {
    let db = dir.join("db");
    let shape = Shape::of(&db).map_err(StoreError::io("reading", &db))?;
    let closed = Closed { bytes: shape.bytes, shape: Some(shape), run };
    let path = dir.join(NAME);
    files::write(&path, closed.line().as_bytes(), Readers::Owner).map_err(StoreError::io("writing", &path))?;
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
