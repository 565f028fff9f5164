//! The nouns of the store: games, appends, index entries, pages.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

use bytes::Bytes;
use divelog_ledger::{GameId, Hash, Revision, Sequence, Status};

/// A map by game, for the writer, which looks up each record's game several times.
pub(super) type GameMap<V> = HashMap<GameId, V, BuildHasherDefault<GameHasher>>;

/// Hashes a game id by folding it: the server draws ids itself, and half of each is random, so nobody can choose them
/// to collide.
#[derive(Default)]
pub(super) struct GameHasher(u64);

impl Hasher for GameHasher {
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            // The multiplier of Fibonacci hashing: spreads the low bits over the whole word.
            self.0 = (self.0.rotate_left(23) ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// What the index needs to know of a record; the store never parses records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordFacts {
    pub time_ms: u64,
    /// Some exactly for record 0.
    pub creation: Option<CreationFacts>,
}

/// What the index needs to know of a new game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreationFacts {
    pub kind: u32,
    pub seats: u8,
    /// Empty: the game cannot be found by request id.
    pub request_id: String,
    pub labels: Vec<(String, String)>,
    /// The game it was forked from.
    pub fork_of: Option<GameId>,
}

impl CreationFacts {
    /// Bytes of text that the index has to carry for this game.
    pub(super) fn text_bytes(&self) -> usize {
        let labels = self.labels.iter();
        self.request_id.len() + labels.map(|(k, v)| k.len() + v.len()).sum::<usize>()
    }
}

/// A status as the byte that blocks and the index hold.
pub(super) fn status_byte(status: Status) -> u8 {
    match status {
        Status::Running => 1,
        Status::Finished => 2,
        Status::Abandoned => 3,
    }
}

/// The status that a byte stands for.
pub(super) fn status_from_byte(byte: u8) -> Option<Status> {
    match byte {
        1 => Some(Status::Running),
        2 => Some(Status::Finished),
        3 => Some(Status::Abandoned),
        _ => None,
    }
}

/// What only record 0 brings.
pub struct NewGameData {
    pub creation: CreationFacts,
    pub secret: [u8; 32],
}

/// One record to be made durable.
pub struct Append<T> {
    pub game: GameId,
    /// Must be the place behind the records that the game has so far.
    pub sequence: Sequence,
    /// Must be the hash of the game's last record; zeros for record 0. With the sequence it makes an append a
    /// compare-and-swap: whatever its maker believed, a record that does not continue the log is refused.
    pub previous: Hash,
    pub record: Bytes,
    /// SHA-256 of `record`. The store takes the caller's word for it (the
    /// caller has just computed it for the chain) and checks it on reading.
    pub hash: Hash,
    pub status: Status,
    /// When it was written. This and the creation must be what [`super::Options::describe`] says of `record`.
    pub time_ms: u64,
    /// Some exactly for record 0. Apart, because every record is moved to another thread, and only few have it.
    pub new_game: Option<Box<NewGameData>>,
    /// Handed back when the record is durable, or cannot become so.
    pub ticket: T,
}

/// Says which record it is; not its bytes, and never the secret.
impl<T> fmt::Debug for Append<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Append")
            .field("game", &self.game)
            .field("sequence", &self.sequence.get())
            .field("record_bytes", &self.record.len())
            .finish_non_exhaustive()
    }
}

/// What became of a group of appends.
#[derive(Clone, Debug)]
pub enum Durability {
    /// Synced to the disk, all in this block.
    Durable { block: u64 },
    /// Not acknowledged. After a storage failure a record may still be found
    /// when the store is opened again: what became of it is unknown, not "refused".
    Failed(std::sync::Arc<super::StoreError>),
    /// Refused alone, and not written: see [`super::StoreError::is_refusal`]. The store and the rest of its group are sound.
    Refused(std::sync::Arc<super::StoreError>),
}

/// The index's knowledge of a game: enough to list it and to find its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameEntry {
    pub id: GameId,
    pub kind: u32,
    pub seats: u8,
    pub labels: Vec<(String, String)>,
    /// The game it was forked from.
    pub fork_of: Option<GameId>,
    pub created_ms: u64,
    pub updated_ms: u64,
    pub status: Status,
    /// Number of records.
    pub revision: Revision,
    /// Hash of the last record.
    pub head_hash: Hash,
    /// The block that holds the last record.
    pub last_block: u64,
}

/// A record as it was appended, and the block that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    pub bytes: Bytes,
    pub block: u64,
}

/// All records of a game, from sequence 0 without gaps.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredGame {
    pub records: Vec<StoredRecord>,
    /// None only if the database lost it: record 0 is never written without it.
    pub secret: Option<[u8; 32]>,
    pub head: GameEntry,
}

/// Never prints the secret.
impl fmt::Debug for StoredGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredGame")
            .field("records", &self.records.len())
            .field("has_secret", &self.secret.is_some())
            .field("head", &self.head)
            .finish()
    }
}

/// A block as it is stored, with the secrets of the games it creates.
#[derive(Clone, PartialEq, Eq)]
pub struct RawBlock {
    pub number: u64,
    pub block: Bytes,
    /// The value of the tree `secrets`; empty if the block creates no game.
    pub secrets: Bytes,
}

/// One record of a block, as the block's header names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockRecord {
    pub game: GameId,
    pub sequence: Sequence,
    /// The game's status after the record.
    pub status: Status,
    item: super::block::Item,
}

impl RawBlock {
    /// The block's records in order. An error is a phrase that says what is wrong with the block as a whole.
    pub fn records(&self) -> Result<impl Iterator<Item = BlockRecord> + '_, &'static str> {
        let block = super::block::Block::parse(self.number, &self.block)?;
        Ok(block.records().map(|item| BlockRecord {
            game: item.game,
            sequence: item.sequence,
            status: item.status,
            item,
        }))
    }

    /// A record's bytes; none if they fail their checksum.
    pub fn bytes_of(&self, record: &BlockRecord) -> Option<Bytes> {
        record.item.record(&self.block).map(|bytes| self.block.slice_ref(bytes))
    }
}

/// Never prints the secrets.
impl fmt::Debug for RawBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawBlock").field("number", &self.number).field("bytes", &self.block.len()).finish()
    }
}

/// A part of the list of games, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub entries: Vec<GameEntry>,
    /// Where to go on (`before` of the next call); None: there are no more.
    pub next: Option<GameId>,
}

/// Counters for telemetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Stats {
    /// Blocks made durable since the store was opened.
    pub blocks: u64,
    /// Records made durable since the store was opened.
    pub records: u64,
    /// Bytes of these records, without framing.
    pub bytes: u64,
    /// The newest synced block, of this run or an earlier one.
    pub last_durable_block: Option<u64>,
    /// The block that the watermark file names.
    pub watermark: Option<u64>,
}
