//! Everything that the sources hold, found in their raw bytes.
//!
//! The database's file, the journals and backup files hold blocks as they were written, in one piece each, and often several
//! copies of a block. Each begins with the same four bytes and has its own checksums, so all of them can be found without
//! the database, which may refuse a damaged file, lose part of it, or change it. From a copy that is damaged in
//! part, the rest is used.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use divelog_ledger::{GameId, Sequence, Status, hash_record};
use memchr::memmem;

use super::Progress;
use super::raw::RawFile;
use crate::store::block::{self, BlockCandidate, NO_BLOCK};

/// Numbers of blocks lie at most this far apart from the next: a larger one is not a block of ours, whatever it looks like.
pub(super) const MAX_LOST: u64 = 16 * 1024 * 1024;

/// Where a record was found, and what the block around it says.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordRef {
    pub sequence: Sequence,
    pub length: u32,
    pub file: u32,
    pub offset: u64,
    /// The block that holds it; [`NO_BLOCK`] if it was found outside one.
    pub block: u64,
    /// Which of several blocks of that number.
    pub variant: u32,
    /// The block of the game's record before.
    pub previous_block: u64,
    pub status: Option<Status>,
    pub proof: Proof,
}

/// Why a record's bytes can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// They fit the checksum in their block.
    Checksum,
    /// They come from a bundle: the chain and the rules must confirm them.
    Bundle,
    /// They look like a record: the hash in the record after them, or in the published log, must confirm them.
    Unverified,
    /// Their block names them, but they are damaged in every copy.
    Damaged,
}

/// One block, of which there may be copies.
struct Variant {
    header_hash: [u8; 32],
    /// Items that no copy seen so far could give.
    damaged: Vec<usize>,
    records: usize,
    /// Where a copy lies whose header is sound.
    file: u32,
    offset: u64,
    bytes: usize,
    /// Whether all of that copy is: several damaged copies can give all records together, and no block.
    whole: bool,
}

#[derive(Default)]
pub(super) struct Catalog {
    pub files: Vec<RawFile>,
    blocks: BTreeMap<u64, Vec<Variant>>,
    pub games: BTreeMap<GameId, Vec<RecordRef>>,
    /// As found: what record 0 says must confirm them.
    pub secrets: BTreeSet<(GameId, [u8; 32])>,
}

impl Catalog {
    /// Looks through a file and adds its blocks.
    pub fn add_file(&mut self, file: RawFile, progress: &Progress) {
        let number = u32::try_from(self.files.len()).expect("fewer files than 2^32");
        // What the magics of blocks and of secrets have in common.
        let finder = memmem::Finder::new(&block::MAGIC[..2]);
        let bytes = file.bytes;
        progress.begin(format!("looking for blocks in {}", file.path.display()), bytes);
        file.search(
            |window| finder.find(window),
            |find| match block::probe(find.bytes) {
                Some(candidate) if plausible(&candidate, find.bytes) => {
                    let whole = self.add_block(number, find.offset, &candidate, find.bytes);
                    // What looks like a block inside a sound one is somebody's text.
                    if whole { candidate.bytes } else { candidate.header_bytes }
                }
                _ => match block::probe_secrets(find.bytes) {
                    Some((bytes, pairs)) => {
                        self.secrets.extend(pairs);
                        bytes
                    }
                    None => 1,
                },
            },
            |done| progress.at(done),
        );
        self.files.push(file);
    }

    /// Adds what one copy of a block has that no other copy had. True if this copy is whole.
    fn add_block(&mut self, file: u32, offset: u64, candidate: &BlockCandidate, bytes: &[u8]) -> bool {
        let header_hash = hash_record(&bytes[..candidate.header_bytes]);
        let sound = |item: &block::Item| item.record(bytes).is_some();
        let variants = self.blocks.entry(candidate.number).or_default();
        let known = variants.iter().position(|variant| variant.header_hash == header_hash);
        let at = known.unwrap_or(variants.len());
        if known.is_none() {
            let damaged = (0..candidate.items.len()).collect();
            let records = candidate.items.len();
            variants.push(Variant {
                header_hash,
                damaged,
                records,
                file,
                offset,
                bytes: candidate.bytes,
                whole: false,
            });
        }
        let variant = &mut variants[at];
        let damaged_here: Vec<usize> = (0..candidate.items.len()).filter(|at| !sound(&candidate.items[*at])).collect();
        if damaged_here.is_empty() && !variant.whole {
            (variant.file, variant.offset, variant.whole) = (file, offset, true);
        }
        let gained: Vec<usize> = variant.damaged.iter().copied().filter(|at| !damaged_here.contains(at)).collect();
        variant.damaged.retain(|at| damaged_here.contains(at));
        let reference = |item: &block::Item, proof| RecordRef {
            sequence: item.sequence,
            length: u32::try_from(item.range().len()).expect("a block is smaller than 64 KiB"),
            file,
            offset: offset + item.range().start as u64,
            block: candidate.number,
            variant: u32::try_from(at).expect("fewer variants than 2^32"),
            previous_block: item.previous_block,
            status: Some(item.status),
            proof,
        };
        for index in gained {
            let item = &candidate.items[index];
            let records = self.games.entry(item.game).or_default();
            records.push(reference(item, Proof::Checksum));
        }
        if known.is_none() {
            for index in &damaged_here {
                let item = &candidate.items[*index];
                self.games.entry(item.game).or_default().push(reference(item, Proof::Damaged));
            }
        }
        damaged_here.is_empty()
    }

    /// The record's bytes.
    pub fn read(&self, record: &RecordRef) -> Bytes {
        let length = usize::try_from(record.length).unwrap_or_default();
        self.files.get(record.file as usize).map(|file| file.read(record.offset, length)).unwrap_or_default().into()
    }

    /// The bytes of the block that is taken for the one of its number, if some copy of it is whole.
    pub fn read_block(&self, number: u64) -> Option<Vec<u8>> {
        let variant = self.blocks.get(&number)?.get(self.primary(number)? as usize)?;
        if !variant.whole {
            return None;
        }
        Some(self.files.get(variant.file as usize)?.read(variant.offset, variant.bytes))
    }

    /// What the block that is taken for the one of its number consists of.
    pub fn primary_items(&self, number: u64) -> Option<Vec<block::Item>> {
        let variant = self.blocks.get(&number)?.get(self.primary(number)? as usize)?;
        let bytes = self.files.get(variant.file as usize)?.read(variant.offset, variant.bytes);
        Some(block::probe(&bytes)?.items)
    }

    /// A record of that block, from whichever copy has it sound.
    pub fn record_in(&self, number: u64, item: &block::Item) -> Option<Bytes> {
        let variant = self.primary(number)?;
        let same = |record: &&RecordRef| {
            (record.block, record.variant, record.sequence, record.proof)
                == (number, variant, item.sequence, Proof::Checksum)
        };
        self.games.get(&item.game)?.iter().find(same).map(|record| self.read(record))
    }

    /// Every block of this number that is whole.
    pub fn whole_variants(&self, number: u64) -> impl Iterator<Item = Vec<u8>> + '_ {
        let variants = self.blocks.get(&number).into_iter().flatten().filter(|variant| variant.whole);
        variants.filter_map(|variant| Some(self.files.get(variant.file as usize)?.read(variant.offset, variant.bytes)))
    }

    /// Which of several blocks of a number is taken for the one: that with the most sound records, the first of those.
    pub fn primary(&self, number: u64) -> Option<u32> {
        let variants = self.blocks.get(&number)?;
        let sound = |variant: &Variant| variant.records - variant.damaged.len();
        let best = (0..variants.len()).rev().max_by_key(|at| sound(&variants[*at]))?;
        u32::try_from(best).ok()
    }

    pub fn block_numbers(&self) -> impl Iterator<Item = u64> + '_ {
        self.blocks.keys().copied()
    }

    /// Blocks of which there are different ones of the same number.
    pub fn conflicting_blocks(&self) -> impl Iterator<Item = u64> + '_ {
        self.blocks.iter().filter(|(_, variants)| variants.len() > 1).map(|(number, _)| *number)
    }

    /// Blocks that have records which no copy gives back.
    pub fn damaged_blocks(&self) -> impl Iterator<Item = (u64, usize)> + '_ {
        let damaged = |variants: &Vec<Variant>| variants.iter().map(|variant| variant.damaged.len()).min().unwrap_or(0);
        self.blocks.iter().map(move |(number, variants)| (*number, damaged(variants))).filter(|(_, count)| *count > 0)
    }

    pub fn last_block(&self) -> Option<u64> {
        self.blocks.last_key_value().map(|(number, _)| *number)
    }

    /// Ranges of numbers, both ends included, of which there is no block up to `last`.
    pub fn missing_blocks(&self, last: Option<u64>) -> Vec<(u64, u64)> {
        let mut missing = Vec::new();
        let mut expected = 0;
        for number in self.block_numbers() {
            if number > expected {
                missing.push((expected, number - 1));
            }
            expected = number.saturating_add(1);
        }
        if let Some(last) = last.filter(|last| *last >= expected) {
            missing.push((expected, last));
        }
        missing
    }

    /// Forgets blocks whose numbers lie far from all others: a forgery in somebody's text, or a checksum that
    /// fits by chance. Answers with how many.
    pub fn drop_outliers(&mut self) -> usize {
        let mut expected = 0u64;
        let mut first_outlier = None;
        for number in self.blocks.keys() {
            if number.saturating_sub(expected) > MAX_LOST {
                first_outlier = Some(*number);
                break;
            }
            expected = number.saturating_add(1);
        }
        let Some(first) = first_outlier else { return 0 };
        let dropped = self.blocks.split_off(&first).len();
        for records in self.games.values_mut() {
            records.retain(|record| record.block < first || record.block == NO_BLOCK);
        }
        self.games.retain(|_, records| !records.is_empty());
        dropped
    }
}

/// Whether each record that is there is of the game that the header names: what a record begins with.
fn plausible(candidate: &BlockCandidate, bytes: &[u8]) -> bool {
    candidate.number != NO_BLOCK
        && candidate.items.iter().all(|item| match item.record(bytes) {
            Some(record) => super::carve::begins_record_of(record, item.game),
            None => true,
        })
}
