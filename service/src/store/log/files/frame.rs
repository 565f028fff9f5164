//! The bytes of a frame: one block and its secrets, as the journal holds them.
//!
//! ```text
//! magic "DLF1" | u32 CRC-32 | u64 block number | u32 length of the secrets | u32 length of the block
//! the secrets | the block | zeros up to a multiple of 8
//! ```
//! All integers are big-endian. The checksum is over the store's id and then over
//! everything between itself and the zeros: bytes of another store, or of a player
//! who writes what looks like a frame into a record, do not pass for a frame.

use crate::store::block::{MAX_BLOCK_BYTES, MAX_SECRETS_BYTES};

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) struct Frame {
    pub number: u64,
    pub secrets: Vec<u8>,
    pub block: Vec<u8>,
}

/// Puts a frame into the buffer, which is emptied first.
pub(super) fn encode(buffer: &mut Vec<u8>, store: &StoreId, number: u64, secrets: &[u8], block: &[u8]) {
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).expect("blocks and secrets are bounded").to_be_bytes();
    buffer.clear();
    buffer.extend_from_slice(MAGIC);
    buffer.extend_from_slice(&[0; 4]);
    buffer.extend_from_slice(&number.to_be_bytes());
    buffer.extend_from_slice(&length(secrets));
    buffer.extend_from_slice(&length(block));
    buffer.extend_from_slice(secrets);
    buffer.extend_from_slice(block);
    let crc = checksum(store, &buffer[CHECKED..]);
    buffer[4..CHECKED].copy_from_slice(&crc.to_be_bytes());
    buffer.resize(buffer.len().next_multiple_of(ALIGN), 0);
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

    const STORE: StoreId = [7; 16];

    fn frame(number: u64, block: &[u8]) -> Vec<u8> {
        let mut buffer = Vec::new();
        encode(&mut buffer, &STORE, number, b"secrets", block);
        buffer
    }

    #[test]
    fn every_changed_bit_and_every_cut_of_a_frame_is_noticed() {
        let bytes = frame(9, b"a block of some bytes");
        let whole = HEAD + 7 + 21;
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
