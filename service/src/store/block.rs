//! The bytes of a block: one group of records under one checksummed header.
//!
//! ```text
//! magic "DLB1" | u64 block number | u32 count
//! count x { game id 16 | u64 block of the game's record before | u32 sequence
//!         | u32 record length | u8 status after | u32 CRC-32 of the record }
//! u32 CRC-32 of everything before
//! the records' bytes, one after another
//! ```
//! All integers are big-endian. The header has its own checksum and each record
//! has one, so that a flipped bit in a record damages that record alone, and a
//! reader of one record need not checksum the others.

use super::types::{status_byte, status_from_byte};
use super::{GameId, Sequence, Status};

pub(crate) const MAGIC: &[u8; 4] = b"DLB1";
const PREFIX: usize = 4 + 8 + 4;
const ITEM: usize = 16 + 8 + 4 + 4 + 1 + 4;
const CRC: usize = 4;

/// The value of "block before" for a game's first record.
pub(crate) const NO_BLOCK: u64 = u64::MAX;
/// Most bytes of a block. See [`super::database`] for what bounds it.
pub(crate) const MAX_BLOCK_BYTES: usize = 60 * 1024;
/// Most records of a block.
pub(crate) const MAX_RECORDS: usize = 512;
/// Most bytes of a record.
pub const MAX_RECORD_BYTES: usize = 32 * 1024;

const _: () = assert!(PREFIX + ITEM + CRC + MAX_RECORD_BYTES <= MAX_BLOCK_BYTES);

/// Where and what a record of a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub game: GameId,
    pub previous_block: u64,
    pub sequence: Sequence,
    pub status: Status,
    crc: u32,
    start: usize,
    end: usize,
}

impl Item {
    /// The record's bytes if their checksum holds. `value` is the block that
    /// this item was decoded from.
    pub fn record<'v>(&self, value: &'v [u8]) -> Option<&'v [u8]> {
        let record = self.record_unchecked(value);
        (crc32fast::hash(record) == self.crc).then_some(record)
    }

    /// Where the record's bytes lie in the block.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.start..self.end
    }

    /// The record's bytes, damaged or not.
    pub fn record_unchecked<'v>(&self, value: &'v [u8]) -> &'v [u8] {
        value.get(self.start..self.end).unwrap_or_default()
    }
}

/// A record and its place in a block.
#[derive(Clone, Copy)]
pub(crate) struct Placed<R> {
    pub game: GameId,
    pub previous_block: u64,
    pub sequence: Sequence,
    pub status: Status,
    pub record: R,
}

impl<R: AsRef<[u8]>> Placed<R> {
    fn borrowed(&self) -> Placed<&[u8]> {
        let Placed { game, previous_block, sequence, status, ref record } = *self;
        Placed { game, previous_block, sequence, status, record: record.as_ref() }
    }
}

/// Writes a block behind what the buffer holds. The header names the lengths of all records, so they are gone through twice.
pub(crate) fn write<'r>(
    buffer: &mut Vec<u8>,
    number: u64,
    records: impl ExactSizeIterator<Item = Placed<&'r [u8]>> + Clone,
) {
    let start = buffer.len();
    buffer.extend_from_slice(MAGIC);
    buffer.extend_from_slice(&number.to_be_bytes());
    buffer.extend_from_slice(&u32::try_from(records.len()).expect("at most MAX_RECORDS").to_be_bytes());
    for placed in records.clone() {
        let length = u32::try_from(placed.record.len()).expect("a record is at most MAX_RECORD_BYTES");
        let sequence = u32::try_from(placed.sequence.get()).expect("no game has 2^32 records");
        buffer.extend_from_slice(&placed.game.0);
        buffer.extend_from_slice(&placed.previous_block.to_be_bytes());
        buffer.extend_from_slice(&sequence.to_be_bytes());
        buffer.extend_from_slice(&length.to_be_bytes());
        buffer.push(status_byte(placed.status));
        buffer.extend_from_slice(&crc32fast::hash(placed.record).to_be_bytes());
    }
    let crc = crc32fast::hash(&buffer[start..]);
    buffer.extend_from_slice(&crc.to_be_bytes());
    for placed in records {
        buffer.extend_from_slice(placed.record);
    }
}

/// The bytes of a block of these records.
pub(crate) fn encode<R: AsRef<[u8]>>(number: u64, records: &[Placed<R>]) -> Vec<u8> {
    let bytes = records.iter().map(|placed| placed.record.as_ref().len()).sum();
    let mut block = Vec::with_capacity(size(records.len(), bytes));
    write(&mut block, number, records.iter().map(Placed::borrowed));
    block
}

/// Bytes that a block takes with this many records of this many bytes in all.
pub(crate) fn size(records: usize, record_bytes: usize) -> usize {
    PREFIX + ITEM * records + CRC + record_bytes
}

/// A block whose header is sound.
#[derive(Debug)]
pub(crate) struct Block<'v> {
    value: &'v [u8],
    count: usize,
}

impl<'v> Block<'v> {
    /// Checks the header. An error is a phrase that says what is wrong.
    pub fn parse(number: u64, value: &'v [u8]) -> Result<Block<'v>, &'static str> {
        let (count, header) = split(value).ok_or("the block is cut short")?;
        let stored = be_u32(value, header);
        if crc32fast::hash(&value[..header]) != stored {
            return Err("the block's header fails its checksum");
        }
        // From here on the bytes are what some writer wrote; they may still be
        // in the wrong place or of another kind.
        if &value[..4] != MAGIC {
            return Err("the block has another format");
        }
        if be_u64(value, 4) != number {
            return Err("the block carries another number");
        }
        let block = Block { value, count };
        let mut end = header + CRC;
        for item in block.items() {
            end = item.ok_or("the block names an unknown status")?.end;
        }
        if end != value.len() {
            return Err("the block's length is not that of its records");
        }
        Ok(block)
    }

    /// The records in order. None stands for a status that this version does
    /// not know, which `parse` has excluded.
    fn items(&self) -> impl Iterator<Item = Option<Item>> + use<'v> {
        items(self.value, self.count)
    }

    /// All records of the block.
    pub fn records(&self) -> impl Iterator<Item = Item> + use<'v> {
        self.items().flatten()
    }

    /// The records of one game, in order of their sequence.
    pub fn records_of(&self, game: GameId) -> Vec<Item> {
        self.records().filter(|item| item.game == game).collect()
    }
}

/// What the header of a damaged block seems to say, if its lengths fit the
/// value. For guesses that are compared with other knowledge, never for reading
/// records.
pub(super) fn salvage(value: &[u8]) -> Option<Vec<Item>> {
    let (count, _) = split(value)?;
    let items: Vec<Item> = items(value, count).collect::<Option<_>>()?;
    (items.last()?.end == value.len()).then_some(items)
}

/// A block met in raw bytes, where nobody says where one begins or ends.
pub(crate) struct BlockCandidate {
    pub number: u64,
    /// Bytes of the checksummed header, its checksum included. It holds every record's checksum, so two blocks with one
    /// header are one block.
    pub header_bytes: usize,
    /// Bytes of the whole block, which may be more than were there to be looked at.
    pub bytes: usize,
    pub items: Vec<Item>,
}

/// The block that begins here, if its header is sound. Its records may be damaged or cut off: [`Item::record`] says so.
pub(crate) fn probe(bytes: &[u8]) -> Option<BlockCandidate> {
    if !bytes.starts_with(MAGIC) {
        return None;
    }
    let (count, header) = split(bytes)?;
    if crc32fast::hash(&bytes[..header]) != be_u32(bytes, header) {
        return None;
    }
    let items: Vec<Item> = items(bytes, count).collect::<Option<_>>()?;
    let end = items.last().map_or(header + CRC, |item| item.end);
    let fits = end <= MAX_BLOCK_BYTES;
    fits.then_some(BlockCandidate { number: be_u64(bytes, 4), header_bytes: header + CRC, bytes: end, items })
}

/// The record count and the length of the checksummed header.
fn split(value: &[u8]) -> Option<(usize, usize)> {
    let count = usize::try_from(u32::from_be_bytes(value.get(12..16)?.try_into().ok()?)).ok()?;
    if count > MAX_RECORDS {
        return None;
    }
    let header = PREFIX + ITEM * count;
    (value.len() >= header + CRC).then_some((count, header))
}

fn items(value: &[u8], count: usize) -> impl Iterator<Item = Option<Item>> + use<'_> {
    let mut end = PREFIX + ITEM * count + CRC;
    value[PREFIX..PREFIX + ITEM * count].chunks_exact(ITEM).map(move |item| {
        let start = end;
        // A length of a damaged header may be anything up to 4 GiB.
        end = start.saturating_add(be_u32(item, 28) as usize);
        Some(Item {
            game: GameId(item[..16].try_into().expect("16 bytes")),
            previous_block: be_u64(item, 16),
            sequence: Sequence::new(be_u32(item, 24).into()),
            status: status_from_byte(item[32])?,
            crc: be_u32(item, 33),
            start,
            end,
        })
    })
}

fn be_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("4 bytes"))
}

fn be_u64(bytes: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
}

pub(crate) const SECRETS_MAGIC: &[u8; 4] = b"DLS1";
const PAIR: usize = 16 + 32;
/// Most bytes of a value of the tree `secrets`.
pub(crate) const MAX_SECRETS_BYTES: usize = PREFIX + PAIR * MAX_RECORDS + CRC;

/// Bytes that the secrets of so many games take.
pub(crate) fn secrets_size(games: usize) -> usize {
    if games == 0 { 0 } else { PREFIX + PAIR * games + CRC }
}

/// Writes the secrets of the games that a block creates, as the tree `secrets` holds them, behind what the buffer holds:
/// `magic "DLS1" | u64 block number | u32 count | count x (game id 16 | secret 32) | u32 CRC-32 of everything before`.
/// Nothing without games.
pub(crate) fn write_secrets(buffer: &mut Vec<u8>, number: u64, pairs: &[SecretPair]) {
    if pairs.is_empty() {
        return;
    }
    let start = buffer.len();
    buffer.extend_from_slice(SECRETS_MAGIC);
    buffer.extend_from_slice(&number.to_be_bytes());
    buffer.extend_from_slice(&u32::try_from(pairs.len()).expect("at most MAX_RECORDS").to_be_bytes());
    for (game, secret) in pairs {
        buffer.extend_from_slice(&game.0);
        buffer.extend_from_slice(secret);
    }
    let crc = crc32fast::hash(&buffer[start..]);
    buffer.extend_from_slice(&crc.to_be_bytes());
}

/// The same as a value of its own.
pub(crate) fn encode_secrets(number: u64, pairs: &[SecretPair]) -> Vec<u8> {
    let mut value = Vec::with_capacity(secrets_size(pairs.len()));
    write_secrets(&mut value, number, pairs);
    value
}

/// A game and its secret.
pub(crate) type SecretPair = (GameId, [u8; 32]);

/// The secrets that begin here in raw bytes, if their checksum holds, and the number of bytes they take.
pub(crate) fn probe_secrets(bytes: &[u8]) -> Option<(usize, Vec<SecretPair>)> {
    if !bytes.starts_with(SECRETS_MAGIC) {
        return None;
    }
    let count = usize::try_from(u32::from_be_bytes(bytes.get(12..16)?.try_into().ok()?)).ok()?;
    if count > MAX_RECORDS {
        return None;
    }
    let end = PREFIX + PAIR * count;
    let crc = bytes.get(end..end + CRC)?;
    if crc32fast::hash(&bytes[..end]).to_be_bytes() != crc {
        return None;
    }
    let pairs = bytes[PREFIX..end].chunks_exact(PAIR).map(|pair| {
        let (game, secret) = pair.split_at(16);
        (GameId(game.try_into().expect("16 bytes")), secret.try_into().expect("32 bytes"))
    });
    Some((end + CRC, pairs.collect()))
}

/// Finds a game's secret in a value of the tree `secrets`.
///
/// A value that fails its checksum is searched nevertheless: one changed bit must
/// not take all its games down, and each game's record 0 commits to its own secret.
pub(super) fn find_secret(number: u64, value: &[u8], game: GameId) -> Option<[u8; 32]> {
    let mut pairs = secret_pairs(number, value).chunks_exact(PAIR);
    pairs.find(|pair| pair[..16] == game.0).and_then(|pair| pair[16..].try_into().ok())
}

/// The pairs of a value: with its frame, or bare, as stores of format 1 hold them.
fn secret_pairs(number: u64, value: &[u8]) -> &[u8] {
    // The lengths tell them apart: 20 bytes of frame are no multiple of a pair.
    if value.len() % PAIR != (PREFIX + CRC) % PAIR {
        return value;
    }
    let (contents, crc) = value.split_at(value.len() - CRC);
    if crc32fast::hash(contents).to_be_bytes() != crc
        || !contents.starts_with(SECRETS_MAGIC)
        || be_u64(contents, 4) != number
    {
        tracing::error!(block = number, "the secrets of a block fail their checksum");
    }
    &contents[PREFIX..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_with_their_frame_and_bare() {
        let games = [GameId([1; 16]), GameId([2; 16])];
        let value = encode_secrets(7, &games.map(|game| (game, [game.0[0] + 10; 32])));
        assert_eq!((&value[..4], value.len()), (&b"DLS1"[..], 4 + 8 + 4 + 2 * 48 + 4));
        let bare = &value[16..value.len() - 4];
        for value in [&value[..], bare] {
            for game in games {
                assert_eq!(find_secret(7, value, game), Some([game.0[0] + 10; 32]));
            }
            assert_eq!(find_secret(7, value, GameId([3; 16])), None);
        }
        let mut flipped = value.clone();
        flipped[16 + 20] ^= 1;
        assert_eq!(find_secret(7, &flipped, games[1]), Some([12; 32]), "the other game's is whole");
        assert_eq!(find_secret(7, &[], games[0]), None);
        assert!(encode_secrets(7, &[]).is_empty());
    }
}
