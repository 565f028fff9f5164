//! The watermark: a small file beside the database's, naming a block that must
//! be there. By it a store that is missing committed blocks differs from a new one: the
//! database opens a shortened file as a smaller or empty store without a word.
//!
//! One line of text:
//! `divelog-watermark 1 <block> <hex SHA-256 of the block> <hex CRC-32 of the line before>`

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::Hash;
use super::error::StoreError;
use super::sync_dir;
use crate::files::{self, Readers, hash_from_hex};

const NAME: &str = "watermark";
/// A whole line has at most 117 bytes; more is not ours.
const MAX_BYTES: u64 = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watermark {
    pub block: u64,
    pub hash: Hash,
}

impl Watermark {
    pub fn of(block: u64, value: &[u8]) -> Watermark {
        Watermark { block, hash: Sha256::digest(value).into() }
    }

    fn to_line(self) -> String {
        let text = format!("divelog-watermark 1 {} {} ", self.block, hex::encode(self.hash));
        let crc = crc32fast::hash(text.as_bytes());
        format!("{text}{crc:08x}\n")
    }

    fn parse(text: &str) -> Result<Watermark, &'static str> {
        let line = text.strip_suffix('\n').ok_or("the line has no end")?;
        let parts: Vec<&str> = line.split(' ').collect();
        let [name, version, block, hash, _crc] = parts[..] else {
            return Err("it does not have five words");
        };
        if name != "divelog-watermark" {
            return Err("it does not begin with `divelog-watermark`");
        }
        if version != "1" {
            return Err("it has another version");
        }
        let mark = Watermark {
            block: block.parse().map_err(|_| "the block is not a number")?,
            hash: hash_from_hex(hash).ok_or("the hash is not 64 hex digits")?,
        };
        // There is one way to write a watermark, so writing it again checks the
        // checksum and every other byte.
        if mark.to_line() != text {
            return Err("it fails its checksum");
        }
        Ok(mark)
    }
}

pub(super) fn path(dir: &Path) -> PathBuf {
    dir.join(NAME)
}

/// Whether there is a watermark. Where that is not known, there is.
pub(super) fn is_there(dir: &Path) -> bool {
    path(dir).try_exists().unwrap_or(true)
}

/// None: there is no such file.
pub(crate) fn read(dir: &Path) -> Result<Option<Watermark>, StoreError> {
    let path = path(dir);
    let unreadable = |detail: String| StoreError::WatermarkUnreadable { path: path.clone(), detail };
    let denied = |error| StoreError::io("reading the watermark", &path)(error);
    match fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        // Nothing is wrong with the file: no restore and no accepted loss would fix it.
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return Err(denied(error)),
        Err(error) => return Err(unreadable(error.to_string())),
        Ok(file) if file.len() > MAX_BYTES => return Err(unreadable("it is too long".into())),
        Ok(_) => {}
    }
    let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::PermissionDenied => denied(error),
        _ => unreadable(error.to_string()),
    })?;
    match Watermark::parse(&text) {
        Ok(mark) => Ok(Some(mark)),
        Err(detail) => Err(unreadable(detail.to_owned())),
    }
}

/// Replaces the file so that after a power cut either the old or the new one
/// is there, whole. The caller has synced the block.
pub(super) fn write(dir: &Path, mark: Watermark) -> Result<(), StoreError> {
    let path = path(dir);
    let temporary = dir.join("watermark.new");
    files::replace(&path, &temporary, mark.to_line().as_bytes(), Readers::Owner)
        .map_err(StoreError::io("writing the watermark as", &temporary))?;
    sync_dir(dir)
}

/// Removes the file, for a store that went on empty after an accepted loss.
pub(super) fn remove(dir: &Path) -> Result<(), StoreError> {
    let path = path(dir);
    files::remove(&path).map_err(StoreError::io("removing the watermark", &path))?;
    sync_dir(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_byte_is_noticed() {
        let mark = Watermark::of(42, b"a block");
        let line = mark.to_line();
        assert_eq!(Watermark::parse(&line), Ok(mark));
        for at in 0..line.len() {
            for bit in 0..7 {
                let mut bytes = line.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let text = String::from_utf8(bytes).expect("still ASCII");
                assert!(Watermark::parse(&text).is_err(), "{text:?}");
            }
            assert!(Watermark::parse(&line[..at]).is_err(), "cut at {at}");
        }
    }
}
