//! The bytes of an index entry: the value of the tree `games`.
//!
//! ```text
//! u8 version (2 of a fork, else 1) | u32 kind | u8 seats | u8 status | u64 created_ms | u64 updated_ms
//! u64 revision | head hash 32 | u64 last block
//! u32 label count | count x { u32 length | key | u32 length | value }
//! version 2: id of the game it was forked from 16
//! u32 CRC-32 of the game id (the key) and everything before
//! ```

use super::types::{GameEntry, status_byte, status_from_byte};
use super::{GameId, Revision};

const VERSION: u8 = 1;
/// Only a fork's entry has it: all others can be read by earlier versions too.
const VERSION_FORK: u8 = 2;

/// Most bytes that a game's labels and request id may have together. It keeps
/// index entries small: the database packs up to 17 of them into one page.
pub const MAX_CREATION_TEXT_BYTES: usize = 8 * 1024;

pub(super) fn encode(entry: &GameEntry) -> Vec<u8> {
    let mut out = Vec::with_capacity(96);
    out.push(if entry.fork_of.is_some() { VERSION_FORK } else { VERSION });
    out.extend_from_slice(&entry.kind.to_be_bytes());
    out.push(entry.seats);
    out.push(status_byte(entry.status));
    out.extend_from_slice(&entry.created_ms.to_be_bytes());
    out.extend_from_slice(&entry.updated_ms.to_be_bytes());
    out.extend_from_slice(&entry.revision.get().to_be_bytes());
    out.extend_from_slice(&entry.head_hash);
    out.extend_from_slice(&entry.last_block.to_be_bytes());
    put_length(&mut out, entry.labels.len());
    for (key, value) in &entry.labels {
        for text in [key, value] {
            put_length(&mut out, text.len());
            out.extend_from_slice(text.as_bytes());
        }
    }
    if let Some(source) = entry.fork_of {
        out.extend_from_slice(&source.0);
    }
    let crc = checksum(entry.id, &out);
    out.extend_from_slice(&crc.to_be_bytes());
    out
}

/// An error is a phrase that says what is wrong.
pub(super) fn decode(id: GameId, bytes: &[u8]) -> Result<GameEntry, &'static str> {
    const SHORT: &str = "it is cut short";
    let (body, crc) = bytes.split_last_chunk::<4>().ok_or(SHORT)?;
    if checksum(id, body) != u32::from_be_bytes(*crc) {
        return Err("it fails its checksum");
    }
    let mut input = Input(body);
    let is_fork = match input.array::<1>().ok_or(SHORT)?[0] {
        VERSION => false,
        VERSION_FORK => true,
        _ => return Err("it has another version"),
    };
    read(id, &mut input, is_fork).ok_or("its contents make no sense")
}

fn read(id: GameId, input: &mut Input<'_>, is_fork: bool) -> Option<GameEntry> {
    let entry = GameEntry {
        id,
        kind: u32::from_be_bytes(input.array()?),
        seats: input.array::<1>()?[0],
        status: status_from_byte(input.array::<1>()?[0])?,
        created_ms: u64::from_be_bytes(input.array()?),
        updated_ms: u64::from_be_bytes(input.array()?),
        revision: Revision::new(u64::from_be_bytes(input.array()?)),
        head_hash: input.array()?,
        last_block: u64::from_be_bytes(input.array()?),
        labels: {
            let count = input.length()?;
            let mut labels = Vec::new();
            for _ in 0..count {
                labels.push((input.text()?, input.text()?));
            }
            labels
        },
        fork_of: if is_fork { Some(GameId(input.array()?)) } else { None },
    };
    input.0.is_empty().then_some(entry)
}

fn checksum(id: GameId, body: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&id.0);
    crc.update(body);
    crc.finalize()
}

fn put_length(out: &mut Vec<u8>, length: usize) {
    let length = u32::try_from(length).expect("labels come from a record of at most 32 KiB");
    out.extend_from_slice(&length.to_be_bytes());
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(u32::from_be_bytes(self.array()?)).ok()
    }

    fn text(&mut self) -> Option<String> {
        let length = self.length()?;
        let (head, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(head.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Status;

    #[test]
    fn an_entry_is_read_as_it_was_written_and_only_a_fork_has_the_new_version() {
        let id = GameId([3; 16]);
        let entry = GameEntry {
            id,
            kind: 2,
            seats: 4,
            labels: vec![("table".into(), "9".into())],
            fork_of: None,
            created_ms: 5,
            updated_ms: 6,
            status: Status::Finished,
            revision: Revision::new(7),
            head_hash: [8; 32],
            last_block: 9,
        };
        let bytes = encode(&entry);
        assert_eq!((bytes[0], decode(id, &bytes)), (VERSION, Ok(entry.clone())));
        let fork = GameEntry { fork_of: Some(GameId([1; 16])), ..entry };
        let bytes = encode(&fork);
        assert_eq!((bytes[0], decode(id, &bytes)), (VERSION_FORK, Ok(fork)));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert!(decode(id, &damaged).is_err(), "byte {at}");
        }
    }
}
