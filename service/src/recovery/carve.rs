//! What can be recognised without the block around it: a game's secret, because record 0 commits to it; and a record,
//! because it begins with its game's id and ends where its fields end.
//!
//! This is the second look at the files, for games that lack something after the first.

use std::collections::{HashMap, HashSet};

use divelog_ledger::{GameId, Hash, SECRET_BYTES, Secret, Sequence};
use prost::encoding::{WireType, decode_key, decode_varint};

use super::Progress;
use super::catalog::{Catalog, Proof, RecordRef};
use super::raw::{Find, RawFile};
use crate::store::MAX_RECORD_BYTES;
use crate::store::block::NO_BLOCK;

/// How a record begins: field 1, 16 bytes, the game's id.
const RECORD_START: [u8; 2] = [0x0a, 16];
const ID_BYTES: usize = 16;
/// The most records that are kept although no block confirms them, copies included: a bound for memory.
const MAX_UNVERIFIED: usize = 1 << 20;

/// Whether these bytes begin as a record of the game does.
pub(super) fn begins_record_of(record: &[u8], game: GameId) -> bool {
    record.strip_prefix(&RECORD_START).is_some_and(|rest| rest.starts_with(&game.0))
}

/// What is looked for.
pub(super) struct Wanted {
    /// Games whose secret is missing, with what record 0 says of it.
    pub secrets: HashMap<GameId, Hash>,
    /// Games that lack records.
    pub records: HashSet<GameId>,
}

/// Looks through all files of the catalog for secrets and records. The records are added to it.
pub(super) fn scan(catalog: &mut Catalog, mut wanted: Wanted, progress: &Progress) -> HashMap<GameId, [u8; 32]> {
    let mut secrets = HashMap::new();
    let mut records: Vec<(GameId, RecordRef)> = Vec::new();
    for (number, file) in (0..).zip(&catalog.files) {
        if wanted.secrets.is_empty() && wanted.records.is_empty() {
            break;
        }
        let ids = wanted.secrets.keys().chain(&wanted.records).copied().collect();
        let filter = Filter::new(ids);
        progress.begin(format!("looking for lost pieces in {}", file.path.display()), file.bytes);
        file.search(
            |window| filter.next(window),
            |find| {
                let game = GameId(find.bytes[..ID_BYTES].try_into().expect("the filter finds whole ids"));
                if let Some(secret) = secret_at(&wanted, game, &find) {
                    wanted.secrets.remove(&game);
                    secrets.insert(game, secret);
                } else if wanted.records.contains(&game)
                    && records.len() < MAX_UNVERIFIED
                    && let Some(record) = record_at(number, file, &find)
                {
                    records.push((game, record));
                }
                1
            },
            |done| progress.at(done),
        );
    }
    for (game, record) in records {
        catalog.games.entry(game).or_default().push(record);
    }
    secrets
}

fn secret_at(wanted: &Wanted, game: GameId, find: &Find<'_>) -> Option<[u8; SECRET_BYTES]> {
    let commitment = wanted.secrets.get(&game)?;
    let secret: [u8; SECRET_BYTES] = find.bytes.get(ID_BYTES..ID_BYTES + SECRET_BYTES)?.try_into().ok()?;
    (Secret(secret).commitment(game) == *commitment).then_some(secret)
}

fn record_at(file: u32, raw: &RawFile, find: &Find<'_>) -> Option<RecordRef> {
    if !find.before.ends_with(&RECORD_START) {
        return None;
    }
    let offset = find.offset - RECORD_START.len() as u64;
    let bytes = raw.read(offset, MAX_RECORD_BYTES);
    let (sequence, length) = measure(&bytes)?;
    Some(RecordRef {
        sequence,
        length: u32::try_from(length).ok()?,
        file,
        offset,
        block: NO_BLOCK,
        variant: 0,
        previous_block: NO_BLOCK,
        status: None,
        proof: Proof::Unverified,
    })
}

/// The sequence and length of the record that begins here. Its fields stand in ascending order; the last one is the hash
/// of the record before, which record 0 does not have: that one ends with its nonce.
fn measure(bytes: &[u8]) -> Option<(Sequence, usize)> {
    const SEQUENCE: u32 = 2;
    const NONCE: u32 = 10;
    const PREVIOUS_HASH: u32 = 11;
    let mut rest = bytes;
    let mut last_field = 0;
    let mut sequence = Sequence::SETUP;
    loop {
        let (field, wire) = decode_key(&mut rest).ok()?;
        if field <= last_field || field > PREVIOUS_HASH {
            return None;
        }
        last_field = field;
        let value = decode_varint(&mut rest).ok()?;
        match wire {
            WireType::Varint if field == SEQUENCE => sequence = Sequence::new(u32::try_from(value).ok()?.into()),
            WireType::Varint => {}
            WireType::LengthDelimited => rest = rest.get(usize::try_from(value).ok()?..)?,
            WireType::SixtyFourBit | WireType::StartGroup | WireType::EndGroup | WireType::ThirtyTwoBit => return None,
        }
        if field == PREVIOUS_HASH || (field == NONCE && sequence == Sequence::SETUP) {
            return Some((sequence, bytes.len() - rest.len()));
        }
    }
}

/// Finds any of many ids in bytes, in one pass.
struct Filter {
    ids: HashSet<GameId>,
    /// A bit for each value that the last bytes of an id can have, so that most places are passed over at once.
    bits: Vec<u64>,
}

const FILTER_BITS: usize = 1 << 22;

impl Filter {
    fn new(ids: HashSet<GameId>) -> Filter {
        let mut bits = vec![0; FILTER_BITS / 64];
        for id in &ids {
            let bit = Filter::bit(&id.0[ID_BYTES - 4..]);
            bits[bit / 64] |= 1 << (bit % 64);
        }
        Filter { ids, bits }
    }

    fn bit(last: &[u8]) -> usize {
        u32::from_be_bytes([last[0], last[1], last[2], last[3]]) as usize % FILTER_BITS
    }

    fn next(&self, bytes: &[u8]) -> Option<usize> {
        bytes.windows(ID_BYTES).position(|id| {
            let bit = Filter::bit(&id[ID_BYTES - 4..]);
            self.bits[bit / 64] >> (bit % 64) & 1 == 1
                && id.try_into().is_ok_and(|id: [u8; ID_BYTES]| self.ids.contains(&GameId(id)))
        })
    }
}
