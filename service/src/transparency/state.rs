//! What the sealer has done so far: a small file in the data folder, wherever the log is published.
//!
//! ```text
//! divelog-tlog 1
//! key NAME+HASH+DATA
//! size N                  leaves in the tree, all of them in tiles on disk
//! root HEX
//! next_block N            the first block whose records are not in it
//! last_block HEX          SHA-256 of the block before that; zeros if it could not be read
//! promised N HEX          the largest tree that may have been signed: less must never be signed again
//! crc HEX                 CRC-32 of everything before this line
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use divelog_ledger::Hash;

use super::files::{WriteError, write_atomically};
use crate::files::{Readers, hash_from_hex};

const NAME: &str = "tlog-state";
const HEAD: &str = "divelog-tlog 1";
/// A state is much shorter; more is not ours.
const MAX_BYTES: usize = 4 * 1024;

/// A tree of which somebody may know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    pub size: u64,
    pub root: Hash,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// The text of the public key.
    pub key: String,
    pub tree: Point,
    pub next_block: u64,
    pub last_block: Hash,
    pub promised: Point,
}

pub(crate) fn path(data: &Path) -> PathBuf {
    data.join(NAME)
}

/// None: there is no such file. An error is a phrase.
pub(crate) fn read(data: &Path) -> Result<Option<State>, String> {
    let bytes = match fs::read(path(data)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if bytes.len() > MAX_BYTES {
        return Err("it is too long".into());
    }
    let text = String::from_utf8(bytes).map_err(|_| "it is not text")?;
    let state = State::parse(&text).ok_or("it is not as it was written")?;
    // There is one way to write a state, so writing it again checks the checksum and every other byte.
    if state.to_text() == text { Ok(Some(state)) } else { Err("it fails its checksum".into()) }
}

pub(crate) fn write(data: &Path, state: &State) -> Result<(), WriteError> {
    write_atomically(&path(data), &data.join("tlog-state.new"), state.to_text().as_bytes(), Readers::Owner)
}

impl State {
    fn to_text(&self) -> String {
        let State { key, tree, next_block, last_block, promised } = self;
        let text = format!(
            "{HEAD}\nkey {key}\nsize {}\nroot {}\nnext_block {next_block}\nlast_block {}\npromised {} {}\n",
            tree.size,
            hex::encode(tree.root),
            hex::encode(last_block),
            promised.size,
            hex::encode(promised.root),
        );
        let crc = crc32fast::hash(text.as_bytes());
        format!("{text}crc {crc:08x}\n")
    }

    fn parse(text: &str) -> Option<State> {
        let mut lines = text.lines();
        let mut word = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        word("divelog-tlog")?;
        let state = State {
            key: word("key")?.to_owned(),
            tree: Point { size: word("size")?.parse().ok()?, root: hash_from_hex(word("root")?)? },
            next_block: word("next_block")?.parse().ok()?,
            last_block: hash_from_hex(word("last_block")?)?,
            promised: {
                let (size, root) = word("promised")?.split_once(' ')?;
                Point { size: size.parse().ok()?, root: hash_from_hex(root)? }
            },
        };
        Some(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_byte_of_the_state_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let point = |size| Point { size, root: [size as u8; 32] };
        let key = "divelog-test+0123abcd+AQID".to_owned();
        let state = State { key, tree: point(7), next_block: 9, last_block: [3; 32], promised: point(8) };
        assert_eq!(read(dir.path()), Ok(None));
        write(dir.path(), &state).unwrap();
        assert_eq!(read(dir.path()), Ok(Some(state)));
        let whole = fs::read(path(dir.path())).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(path(dir.path()), &bytes).unwrap();
            assert!(read(dir.path()).is_err(), "byte {at}");
            fs::write(path(dir.path()), &whole[..at]).unwrap();
            assert!(read(dir.path()).is_err(), "cut at {at}");
        }
    }
}
