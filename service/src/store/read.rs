//! Reading games back: one game by its chain of blocks, many by the index.

use std::sync::Arc;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::block::{self, Block, NO_BLOCK};
use super::database::index::StoredEntry;
use super::error::StoreError;
use super::shared_state::SharedState;
use super::types::{GameEntry, Page, RawBlock, StoredGame, StoredRecord};
use super::{GameId, Revision, Sequence, Status};
use crate::lock::lock;

/// All records of a game, or the place where they stop to be what was written.
pub(super) fn game(shared: &SharedState, id: GameId) -> Result<Option<StoredGame>, StoreError> {
    let Some(head) = shared.entry(id)? else {
        return Ok(None);
    };
    let head = Arc::unwrap_or_clone(head);
    if let Some(unknown) = *lock(&shared.unknown_block)
        && head.status == Status::Running
        && head.last_block < unknown
    {
        return Err(StoreError::Damaged {
            game: id,
            sequence: Some(head.revision.next_record()),
            block: unknown,
            detail: "this block is unreadable and may hold the game's next records".to_owned(),
        });
    }
    let (records, first_block) = walk(shared, &head)?;
    let secret = block::find_secret(first_block, &shared.secrets_of(first_block)?, id);
    Ok(Some(StoredGame { records, secret, head }))
}

/// The block of a game's first record.
pub(super) fn first_block(shared: &SharedState, id: GameId) -> Result<Option<u64>, StoreError> {
    let Some(head) = shared.entry(id)? else {
        return Ok(None);
    };
    walk(shared, &head).map(|(_, first_block)| Some(first_block))
}

/// Follows the chain from the last record to the first.
fn walk(shared: &SharedState, head: &GameEntry) -> Result<(Vec<StoredRecord>, u64), StoreError> {
    let mut records = Vec::new();
    let mut block = head.last_block;
    // What is still to be found; each step lowers it, so the walk ends.
    let mut missing = head.revision;
    loop {
        let damaged = |sequence: Option<Sequence>, detail: &str| StoreError::Damaged {
            game: head.id,
            sequence,
            block,
            detail: detail.to_owned(),
        };
        let wanted = missing.last_record();
        let value = shared.block(block)?.ok_or_else(|| damaged(wanted, "the block is missing"))?;
        let parsed = Block::parse(block, &value).map_err(|detail| damaged(wanted, detail))?;
        let items = parsed.records_of(head.id);
        if items.is_empty() {
            return Err(damaged(wanted, "the block holds no record of the game"));
        }
        let mut previous = block;
        for item in items.iter().rev() {
            let sequence = Some(item.sequence);
            if previous != block {
                return Err(damaged(sequence, "records of one block do not follow each other"));
            }
            if sequence != missing.last_record() {
                return Err(damaged(missing.last_record(), "the record is missing"));
            }
            let bytes = item.record(&value).ok_or_else(|| damaged(sequence, "the record fails its checksum"))?;
            if records.is_empty() && Sha256::digest(bytes)[..] != head.head_hash {
                return Err(damaged(sequence, "the record is not the one the index names"));
            }
            records.push(StoredRecord { bytes: Bytes::copy_from_slice(bytes), block });
            missing = item.sequence.revision_before();
            previous = item.previous_block;
        }
        match (missing, previous) {
            (Revision::NONE, NO_BLOCK) => break,
            (Revision::NONE, _) => return Err(damaged(Some(Sequence::SETUP), "the first record has one before it")),
            (_, previous) if previous >= block => {
                return Err(damaged(Some(missing.next_record()), "the record before is not in an earlier block"));
            }
            (_, previous) => block = previous,
        }
    }
    records.reverse();
    Ok((records, block))
}

/// One block and its secrets as stored.
pub(super) fn raw_block(shared: &SharedState, number: u64) -> Result<Option<RawBlock>, StoreError> {
    let Some(block) = shared.block(number)? else { return Ok(None) };
    let secrets = shared.secrets_of(number)?;
    Ok(Some(RawBlock { number, block, secrets }))
}

/// A page of the list of games, newest first.
pub(super) fn list(
    shared: &SharedState,
    before: Option<GameId>,
    scan_limit: usize,
    mut keep: impl FnMut(&GameEntry) -> bool,
    page: usize,
) -> Result<Page, StoreError> {
    let (scan_limit, page) = (scan_limit.max(1), page.max(1));
    // The overlay first: what leaves it afterwards is in the tree by then.
    let overlay = shared.overlay_before(before, scan_limit.saturating_add(1));
    let mut overlay = overlay.into_iter().peekable();
    let mut tree = shared.database.entries_before(before).peekable();

    let mut entries = Vec::new();
    let mut last = None;
    for _ in 0..scan_limit {
        // An iterator of the database that has failed goes on failing: stop.
        if let Some(Err(error)) = tree.next_if(Result::is_err) {
            return Err(error);
        }
        let stored = tree.peek().and_then(|item| item.as_ref().ok());
        let stored = stored.map(|stored| stored.id);
        let fresh = overlay.peek().map(|entry| entry.id);
        let Some(id) = stored.max(fresh) else {
            return Ok(Page { entries, next: None });
        };
        if entries.len() == page {
            break;
        }
        let fresh = overlay.next_if(|entry| entry.id == id);
        let stored = match tree.next_if(|item| matches!(item, Ok(stored) if stored.id == id)) {
            Some(item) => decode(&item?),
            None => None,
        };
        last = Some(id);
        let fresh = fresh.map(Arc::unwrap_or_clone);
        // Both are synced; the later one is nearer to now.
        let newer = match (fresh, stored) {
            (Some(fresh), Some(stored)) if stored.revision > fresh.revision => Some(stored),
            (Some(fresh), _) => Some(fresh),
            (None, stored) => stored,
        };
        entries.extend(newer.filter(|entry| keep(entry)));
    }
    let more = overlay.peek().is_some() || tree.peek().is_some();
    Ok(Page { entries, next: last.filter(|_| more) })
}

/// A damaged entry is left out of lists; asking for the game names the damage.
fn decode(stored: &StoredEntry) -> Option<GameEntry> {
    match stored.decode() {
        Ok(entry) => Some(entry),
        Err(detail) => {
            tracing::error!(game = %stored.id, detail, "an index entry is damaged; the list leaves it out");
            None
        }
    }
}
