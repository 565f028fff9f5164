//! The bytes of a frame: one block and its secrets, as the journal holds them.
//!
//! ```text
//! magic "DLF1" | u32 CRC-32 | u64 block number | u32 length of the secrets | u32 length of the block
//! the secrets | the block | zeros up to a multiple of 8
//! ```
//! All integers are big-endian. The checksum is over the store's id and then over
//! everything between itself and the zeros: bytes of another store, or of a player
//! who writes what looks like a frame into a record, do not pass for a frame.

use std::fmt;

use bytes::Bytes;

use crate::store::block::{MAX_BLOCK_BYTES, MAX_SECRETS_BYTES};
use crate::store::log::Group;

/// What ties frames and files to the store they belong to.
pub(in crate::store) type StoreId = [u8; 16];

const MAGIC: &[u8; 4] = b"DLF1";
/// Where the checksummed part begins.
const CHECKED: usize = 8;
const HEAD: usize = CHECKED + 8 + 4 + 4;
/// Frames begin at multiples of this.
pub(super) const ALIGN: usize = 8;
/// So many zeros hold no frame; a multiple of `ALIGN`.
const NOTHING: [u8; 4_096] = [0; 4_096];
/// Most bytes of a frame.
pub(super) const MAX_FRAME_BYTES: usize = (HEAD + MAX_SECRETS_BYTES + MAX_BLOCK_BYTES).next_multiple_of(ALIGN);

/// A frame whose checksum holds.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::store) struct Frame {
    pub number: u64,
    pub secrets: Vec<u8>,
    pub block: Vec<u8>,
}

/// By hand: no message and no log line shows the secrets of games, or what was played.
impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Frame { number, secrets, block } = self;
        let (secrets, block) = (secrets.len(), block.len());
        write!(f, "frame {number} with {secrets} bytes of secrets and a block of {block} bytes")
    }
}

/// A frame as it is written. The group's block and secrets are a part of it: readers get them from here, without a copy.
pub(super) struct Encoded {
    pub bytes: Bytes,
    pub block: Bytes,
    pub secrets: Bytes,
}

/// The length of a group's frame.
pub(super) fn size(group: &Group) -> usize {
    (HEAD + group.secrets_size() + group.block_size()).next_multiple_of(ALIGN)
}

/// Makes the frame of a group under this number. Each record's bytes are copied once, to where they are written from.
pub(super) fn encode(store: &StoreId, number: u64, group: &Group) -> Encoded {
    let (secrets, block) = (group.secrets_size(), group.block_size());
    let length = |bytes: usize| u32::try_from(bytes).expect("blocks and secrets are bounded").to_be_bytes();
    let mut buffer = Vec::with_capacity(size(group));
    buffer.extend_from_slice(MAGIC);
    buffer.extend_from_slice(&[0; 4]);
    buffer.extend_from_slice(&number.to_be_bytes());
    buffer.extend_from_slice(&length(secrets));
    buffer.extend_from_slice(&length(block));
    group.write_secrets(&mut buffer, number);
    group.write_block(&mut buffer, number);
    debug_assert_eq!(buffer.len(), HEAD + secrets + block, "the sizes are those of what was written");
    let crc = checksum(store, &buffer[CHECKED..]);
    buffer[4..CHECKED].copy_from_slice(&crc.to_be_bytes());
    buffer.resize(size(group), 0);
    let bytes = Bytes::from(buffer);
    let part = |from: usize, length: usize| bytes.slice(from..from + length);
    Encoded { block: part(HEAD + secrets, block), secrets: part(HEAD, secrets), bytes }
}

/// Every whole frame in the bytes of a file, in the order of their places.
///
/// The frames of one lap follow each other without gaps. Behind the newest lie the
/// rest of an older frame that it has partly overwritten, and then whole frames of
/// the lap before; behind a damaged frame lie sound ones. Both are found by looking
/// at every place where a frame may begin.
pub(super) fn scan(bytes: &[u8], store: &StoreId) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        match decode(rest, store) {
            Some((frame, length)) => {
                frames.push(frame);
                at += length.next_multiple_of(ALIGN);
            }
            // Room that was never used: most of a young file.
            None if rest.starts_with(&NOTHING) => at += NOTHING.len(),
            None => at += ALIGN,
        }
    }
    frames
}

/// The frame at the beginning of the bytes, and its length without the zeros.
fn decode(bytes: &[u8], store: &StoreId) -> Option<(Frame, usize)> {
    if !bytes.starts_with(MAGIC) || bytes.len() < HEAD {
        return None;
    }
    let (secrets, block) = (be_u32(bytes, 16), be_u32(bytes, 20));
    if secrets > MAX_SECRETS_BYTES || block > MAX_BLOCK_BYTES {
        return None;
    }
    let length = HEAD + secrets + block;
    let checked = bytes.get(CHECKED..length)?;
    if checksum(store, checked) as usize != be_u32(bytes, 4) {
        return None;
    }
    let number = u64::from_be_bytes(bytes[8..16].try_into().expect("8 bytes"));
    let (secrets, block) = bytes[HEAD..length].split_at(secrets);
    Some((Frame { number, secrets: secrets.to_vec(), block: block.to_vec() }, length))
}

pub(super) fn checksum(store: &StoreId, bytes: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(store);
    crc.update(bytes);
    crc.finalize()
}

fn be_u32(bytes: &[u8], at: usize) -> usize {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("4 bytes")) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::log::{Before, GroupRecord};
    use crate::store::{GameId, Sequence, Status};

    const STORE: StoreId = [7; 16];

    /// A group that creates one game, whose record 0 is this.
    fn frame(number: u64, record: &'static [u8]) -> Vec<u8> {
        let mut group = Group::default();
        let (game, before, status) = (GameId([1; 16]), Before::Nowhere, Status::Running);
        let sequence = Sequence::SETUP;
        group.push(GroupRecord { game, before, sequence, status, record: Bytes::from_static(record) });
        group.secrets.push((game, [9; 32]));
        let encoded = encode(&STORE, number, &group);
        let [frame] = &scan(&encoded.bytes, &STORE)[..] else { panic!("it is not one frame") };
        assert_eq!(
            (frame.number, &frame.secrets[..], &frame.block[..]),
            (number, &encoded.secrets[..], &encoded.block[..])
        );
        encoded.bytes.to_vec()
    }

    #[test]
    fn every_changed_bit_and_every_cut_of_a_frame_is_noticed() {
        let bytes = frame(9, b"a block of some bytes");
        let whole = HEAD + be_u32(&bytes, 16) + be_u32(&bytes, 20);
        assert_eq!(scan(&bytes, &STORE).len(), 1);
        assert!(scan(&bytes, &[8; 16]).is_empty(), "another store's");
        for at in 0..whole {
            assert!(scan(&bytes[..at], &STORE).is_empty(), "cut at {at}");
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << bit;
                assert!(scan(&flipped, &STORE).is_empty(), "byte {at}, bit {bit}");
            }
        }
    }

    #[test]
    fn what_is_said_of_a_frame_holds_neither_its_secrets_nor_its_block() {
        let frame = Frame { number: 4, secrets: vec![0x99; 32], block: vec![0x77; 5] };
        assert_eq!(format!("{frame:?}"), "frame 4 with 32 bytes of secrets and a block of 5 bytes");
        let contents = super::super::file::Contents { frames: vec![frame], ..Default::default() };
        let text = format!("{contents:?}");
        assert!(!text.contains("153") && !text.contains("119"), "{text}");
    }

    #[test]
    fn frames_behind_a_damaged_one_and_behind_rubbish_are_found() {
        let mut bytes = [frame(1, b"one"), frame(2, &[0xAA; 300]), frame(3, b"three"), vec![0; 64]].concat();
        let second = frame(1, b"one").len();
        bytes[second + 100] ^= 1;
        bytes.extend_from_slice(b"DLF1DLF1");
        bytes.extend_from_slice(&frame(4, b"four"));
        let numbers: Vec<u64> = scan(&bytes, &STORE).iter().map(|frame| frame.number).collect();
        assert_eq!(numbers, [1, 3, 4]);
    }
}
