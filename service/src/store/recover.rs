//! Bringing the index up to the blocks at start: after a crash those since the
//! last written `through`, all of them if that is not there.
//!
//! Damage never stops it. A game whose newest record is in a damaged place keeps
//! a head that points there, so that reading it finds the damage instead of an
//! earlier end.

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::Describe;
use super::block::{self, Block, Item, NO_BLOCK};
use super::database::index::{CreationKey, creation_key};
use super::error::StoreError;
use super::shared_state::{SharedState, URGENT_DIRTY};
use super::types::GameEntry;
use super::{GameId, Sequence, Status};
use super::{housekeeping, writer};

/// Scans the blocks after `through` into the overlay, and writes it to the index
/// whenever it grows large. `note` gets each block that may hold records of
/// games that cannot be named, unless the operator has `accepted` it.
pub(super) fn index(
    shared: &SharedState,
    through: Option<u64>,
    describe: Describe,
    accepted: Option<u64>,
    mut note: impl FnMut(u64) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    if through.is_none() {
        // What is left of an index without `through` may be anything.
        shared.database.clear_index()?;
    }
    let mut expected = through.map_or(0, |through| through.saturating_add(1));
    for item in shared.database.blocks_since(expected) {
        let (number, value) = item?;
        if number > expected {
            let last_missing = number - 1;
            if accepted < Some(last_missing) {
                tracing::error!(first = expected, last = last_missing, "blocks are missing");
                note(last_missing)?;
            }
        }
        expected = number.saturating_add(1);
        let mut found = IndexChanges::default();
        match Block::parse(number, &value) {
            Ok(block) => {
                for item in block.records() {
                    found.record(shared, describe, number, &item, &value);
                }
            }
            Err(detail) => {
                tracing::error!(block = number, detail, "a block is damaged");
                if !found.salvage(shared, number, &value) && accepted < Some(number) {
                    note(number)?;
                }
            }
        }
        let entries = found.entries.into_values().map(Arc::new);
        shared.publish(number, None, entries, found.creations);
        if shared.overlay().dirty.len() >= URGENT_DIRTY {
            housekeeping::write_index(shared)?;
        }
    }
    Ok(())
}

/// What one block changes in the index.
#[derive(Default)]
struct IndexChanges {
    entries: HashMap<GameId, GameEntry>,
    creations: Vec<(CreationKey, GameId)>,
}

impl IndexChanges {
    fn entry(&self, shared: &SharedState, id: GameId) -> Option<GameEntry> {
        if let Some(entry) = self.entries.get(&id) {
            return Some(entry.clone());
        }
        match shared.entry(id) {
            Ok(entry) => entry.map(Arc::unwrap_or_clone),
            Err(error) => {
                tracing::error!(%error, "the scan cannot use an index entry");
                None
            }
        }
    }

    /// A record of a block whose header is sound.
    fn record(&mut self, shared: &SharedState, describe: Describe, number: u64, item: &Item, value: &[u8]) {
        let (game, sequence) = (item.game, item.sequence);
        let facts = match item.record(value) {
            Some(record) => describe(record),
            None => Err("it fails its checksum".to_owned()),
        };
        let facts = facts.inspect_err(|detail| {
            tracing::error!(%game, sequence = sequence.get(), block = number, detail, "a record is damaged");
        });
        let creation = facts.as_ref().ok().and_then(|facts| facts.creation.as_ref());
        let time_ms = facts.as_ref().ok().map(|facts| facts.time_ms);
        let entry = match (self.entry(shared, game), creation) {
            // Already reflected: a crash came between the entries and `through`.
            (Some(entry), _) if entry.revision.includes(sequence) => return,
            (Some(entry), _) => entry,
            (None, Some(creation)) if sequence == Sequence::SETUP => {
                if !creation.request_id.is_empty() {
                    self.creations.push((creation_key(&creation.request_id), game));
                }
                writer::created(game, creation, time_ms.unwrap_or_default())
            }
            (None, _) => {
                let why = "its first record is unreadable";
                tracing::error!(%game, sequence = sequence.get(), block = number, why, "a game is left out of the index");
                return;
            }
        };
        // If records are missing before this one, reading will find the gap by
        // the sequence numbers and the block that this one names before it.
        self.entries.insert(
            game,
            GameEntry {
                updated_ms: time_ms.unwrap_or(entry.updated_ms),
                status: item.status,
                revision: sequence.revision_after(),
                head_hash: Sha256::digest(item.record_unchecked(value)).into(),
                last_block: number,
                ..entry
            },
        );
    }

    /// Points the games that a damaged header seems to name at this block, where
    /// reading them will fail. False if it may hold records of other games too.
    fn salvage(&mut self, shared: &SharedState, number: u64, value: &[u8]) -> bool {
        let Some(items) = block::salvage(value) else {
            return false;
        };
        let mut all_known = true;
        for item in items {
            match self.entry(shared, item.game) {
                // Revision and block must both fit: a flipped id may name another game.
                Some(entry)
                    if entry.revision == item.sequence.revision_before() && entry.last_block == item.previous_block =>
                {
                    let entry = GameEntry {
                        // Reading must not take the damaged end for a true one.
                        status: Status::Running,
                        revision: entry.revision.next(),
                        last_block: number,
                        ..entry
                    };
                    self.entries.insert(item.game, entry);
                }
                // A game that began here, or one more record of it: there is no
                // earlier part of it that could pass for the whole.
                None if item.sequence == Sequence::SETUP && item.previous_block == NO_BLOCK => {}
                None if item.previous_block == number => {}
                _ => all_known = false,
            }
        }
        all_known
    }
}
