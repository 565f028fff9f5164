//! Opening a store: is it ours, is it whole, and what does the index lack?
//!
//! Nothing is written before all checks that may refuse have passed; the database opens its file only where it will find
//! nothing to discard in it: see [`super::open_check`].

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Condvar, Mutex, OnceLock};

use bytes::Bytes;

use super::block::Block;
use super::database::clean_shutdown::{self, Closed};
use super::database::{self, Database, Unchecked, catch_panic};
use super::error::StoreError;
use super::log::files::numbers::{self, Numbers};
use super::log::files::{Frame, LogContents, StoreId};
use super::log::{Log, LogKind};
use super::presence::Presence;
use super::refusals::{self, LastEnd, Refusals};
use super::shared_state::{Counters, Failure, Overlay, SharedState};
use super::sync_dir;
use super::watermark::{self, Watermark};
use super::{Options, Purpose, housekeeping, open_check, recover};
use crate::files::{self, Readers};
use crate::lock::lock;

/// A file that says that the database found nothing in a file that had contents. Earlier versions have left it.
const EMPTIED: &str = "emptied";

/// An open store without its threads.
pub(super) struct Opened {
    pub shared: SharedState,
    pub log: Box<dyn Log>,
}

/// The checked past of a store.
pub(super) struct History {
    mark: Option<Watermark>,
    /// The newest block, in the database or in the journal.
    last: Option<u64>,
    through: Option<u64>,
    /// See [`LogContents::settled`].
    settled: Option<u64>,
    /// Something was lost, and the operator goes on without it.
    lost: bool,
    /// After an accepted loss: all numbers below may have been given out.
    numbers_end: Option<u64>,
}

pub(super) fn open(options: &Options, log: &LogKind, purpose: Purpose) -> Result<Opened, StoreError> {
    catch_panic("opening the store", || open_unguarded(options, log, purpose)).map_err(|error| match error {
        StoreError::DatabasePanic { detail, .. } => StoreError::Unopenable { dir: options.dir.clone(), detail },
        error => error.within(&options.dir),
    })
}

fn open_unguarded(options: &Options, log: &LogKind, purpose: Purpose) -> Result<Opened, StoreError> {
    let dir = options.dir.as_path();
    files::create_folder(dir, Readers::Owner).map_err(StoreError::io("creating the folder", dir))?;
    // Not even --accept-loss: a start would overwrite the journal on the strength of what may be in memory only.
    database::check_sync_note(dir)?;
    let mark = read_watermark(options)?;
    let file_bytes = database::file_bytes(dir);
    // Asked before the database runs: it would create a new file.
    if let (Some(mark), 0, false) = (mark, file_bytes, options.accept_loss) {
        return Err(StoreError::NoFile { dir: dir.to_path_buf(), expected_block: mark.block });
    }
    let closed = clean_shutdown::read(dir);
    let shortened = closed.map(|closed| closed.bytes).filter(|closed_bytes| file_bytes < *closed_bytes);
    if let Some(closed_bytes) = shortened {
        accept_or(options, StoreError::Shortened { dir: dir.to_path_buf(), file_bytes, closed_bytes })?;
    }
    let note = dir.join(EMPTIED);
    if note.exists() {
        accept_or(options, emptied(dir))?;
    }
    // A torn end is what a power cut leaves; a file that was closed in good order and is not as it was has been changed.
    let doubtful = options.accept_loss || open_check::check(options, log, mark)? && closed.is_some();
    let database = Unchecked::open(options)?;
    let emptied_before = note.exists() || file_bytes > 0 && !database.was_recovered();
    database.check_format(dir)?;
    let store_id = database.store_id()?;
    let in_database = database.last_block()?;
    let lacks = |frame: &Frame| database.lacks(frame.number, !frame.secrets.is_empty());
    let found = log.read(options, store_id.as_ref(), in_database, lacks)?;
    let mut history = check_past(options, &database, mark, in_database, &found)?;
    // Whatever was lost, its numbers may be known elsewhere.
    let unmarked = options.accept_loss && watermark::read(dir).is_err();
    if history.lost || found.lost || unmarked || shortened.is_some() || emptied_before {
        history.numbers_end = Some(numbers_end(dir, &history, found.set_aside));
    }

    let database = database.into_checked()?;
    let store_id = store_id.map_or_else(new_store_id, Ok)?;
    // The database keeps the order of writes; where it has not, its index may be anything too.
    let out_of_order = found.frames.keys().next().copied().filter(|first| Some(*first) <= in_database);
    if let Some(first) = out_of_order {
        tracing::warn!(
            first,
            last = in_database,
            "the store lacks blocks before its last; they are taken from the journal"
        );
    }
    let through = if history.lost || out_of_order.is_some() { None } else { history.through };
    if through.is_none() {
        // Before anything that would keep the next start from building the index again, and in the same order on disk: a
        // crash must not leave half an index, or an old one, that calls itself whole.
        database.remove_through()?;
    }
    let accepted = accept_loss(options, &database, &history)?;
    let numbered = [history.last, history.mark.map(|mark| mark.block), history.settled, accepted];
    let next_block = numbered.into_iter().max().flatten().map_or(0, |last| last.saturating_add(1));
    let numbers = Arc::new(Numbers::open(dir, next_block)?);
    let shared = SharedState {
        dir: dir.to_path_buf(),
        store_id,
        first_block: next_block,
        unknown_block: Mutex::new(database.unknown()?),
        overlay: Mutex::new(Overlay { durable: through, through, ..Overlay::default() }),
        wake: Condvar::new(),
        room: Condvar::new(),
        housekeeping: Mutex::new(()),
        watermark: Mutex::new(mark.map(|mark| mark.block)),
        watermark_tries: AtomicU32::new(0),
        presence: OnceLock::new(),
        failure: Arc::new(Failure::default()),
        refusals: Refusals::default(),
        counters: Counters::default(),
        numbers: Arc::clone(&numbers),
        database,
    };
    // What a killed process wrote may be in memory only; from here on every
    // block that is found is also synced.
    for (number, frame) in &found.frames {
        shared.database.put_block(*number, &frame.block, &frame.secrets)?;
    }
    shared.database.sync()?;
    database::sync_names(dir)?;
    let log = log.open(options, store_id, &found, numbers, next_block)?;
    // Only now: a store that knows its journal's id has the files.
    shared.database.put_store_id(&store_id)?;

    recover::index(&shared, through, options.describe, accepted, |block| {
        let mut unknown = lock(&shared.unknown_block);
        *unknown = unknown.max(Some(block));
        // Written at once: the scan may write a `through` that passes this block.
        shared.database.put_unknown(unknown.unwrap_or(block))
    })?;
    shared.overlay().durable = history.last;
    housekeeping::write_index(&shared)?;
    if purpose == Purpose::Serve {
        refusals::begin(&shared, last_end(closed, doubtful))?;
    }
    shared.database.sync()?;
    renew_watermark(&shared, options, &history)?;
    // Now all files are there.
    let presence = Presence::of(dir)?;
    shared.presence.get_or_init(|| presence);
    if note.exists() {
        fs::remove_file(&note).map_err(StoreError::io("removing", &note))?;
        sync_dir(dir)?;
    }

    Ok(Opened { shared, log })
}

fn last_end(closed: Option<Closed>, doubtful: bool) -> LastEnd {
    match closed {
        _ if doubtful => LastEnd::Doubtful,
        None => LastEnd::NotClosed,
        Some(Closed { run: Some(run), .. }) => LastEnd::Closed { run },
        Some(Closed { run: None, .. }) => LastEnd::ClosedWithoutRun,
    }
}

fn emptied(dir: &Path) -> StoreError {
    StoreError::Emptied { dir: dir.to_path_buf() }
}

fn lost(dir: &Path, expected_block: u64, found_last: Option<u64>) -> StoreError {
    StoreError::Lost { dir: dir.to_path_buf(), expected_block, found_last }
}

/// Passes an error over if the operator has asked for it.
fn accept_or(options: &Options, error: StoreError) -> Result<(), StoreError> {
    if !options.accept_loss {
        return Err(error);
    }
    tracing::warn!(%error, "a loss is accepted; going on with what is there");
    Ok(())
}

fn read_watermark(options: &Options) -> Result<Option<Watermark>, StoreError> {
    watermark::read(&options.dir).or_else(|error| accept_or(options, error).map(|()| None))
}

fn new_store_id() -> Result<StoreId, StoreError> {
    let mut id = StoreId::default();
    getrandom::fill(&mut id).map_err(|error| StoreError::NoRandomness { detail: error.to_string() })?;
    Ok(id)
}

/// Compares the store with its journal, its watermark and its own index.
pub(super) fn check_past(
    options: &Options,
    database: &Unchecked,
    mark: Option<Watermark>,
    in_database: Option<u64>,
    found: &LogContents,
) -> Result<History, StoreError> {
    let dir = options.dir.as_path();
    let newest_frame = found.frames.last_key_value().map(|(number, _)| *number);
    let last = in_database.max(newest_frame);
    let through = database.through()?;
    let mut history = History { mark, last, through, settled: found.settled(), lost: false, numbers_end: None };
    if through > last {
        // The index knows of blocks that are gone.
        accept_or(options, lost(dir, through.unwrap_or_default(), last))?;
        history.lost = true;
    }
    if history.settled > in_database.max(database.accepted()?) {
        // The journal goes on after blocks that are gone.
        accept_or(options, lost(dir, history.settled.unwrap_or_default(), in_database))?;
        history.lost = true;
    }
    let Some(mark) = mark else {
        if last.is_some() {
            tracing::warn!(dir = %dir.display(), "no watermark file: a loss before this start cannot be noticed");
        }
        return Ok(history);
    };
    let value = match found.frames.get(&mark.block) {
        Some(frame) => Some(Bytes::copy_from_slice(&frame.block)),
        None => database.block(mark.block)?,
    };
    match value {
        Some(value) if Watermark::of(mark.block, &value) == mark => {}
        Some(value) if is_sound(mark.block, &value) => {
            let block = mark.block;
            accept_or(options, StoreError::Replaced { dir: dir.to_path_buf(), block })?;
            history.lost = true;
        }
        // Damage, not loss: its games say so when they are read.
        Some(_) => tracing::error!(block = mark.block, "the block that the watermark names is damaged"),
        None => {
            accept_or(options, lost(dir, mark.block, last))?;
            history.lost = true;
        }
    }
    Ok(history)
}

/// Behind every number that may ever have been given out: by the numbers taken ahead, and by everybody who knows of one.
fn numbers_end(dir: &Path, history: &History, set_aside: Option<u64>) -> u64 {
    let known = [history.last, history.through, history.settled, history.mark.map(|mark| mark.block), set_aside];
    let known = known.into_iter().flatten().max().map_or(0, |newest| newest.saturating_add(1));
    // What was sealed was given out.
    let sealed = crate::transparency::state::read(dir).ok().flatten().map_or(0, |state| state.next_block);
    let known = known.max(sealed);
    match numbers::read(dir) {
        Some(end) => end.max(known),
        None => known.saturating_add(numbers::STEP),
    }
}

fn is_sound(number: u64, value: &[u8]) -> bool {
    Block::parse(number, value).is_ok_and(|block| block.records().all(|item| item.record(value).is_some()))
}

/// Keeps the operator's decision, so that later starts do not find the same
/// loss again. Answers with the newest block that a decision covers.
fn accept_loss(options: &Options, database: &Database, history: &History) -> Result<Option<u64>, StoreError> {
    let mut accepted = database.accepted()?;
    if options.accept_loss {
        tracing::warn!("started with --accept-loss: damage up to now is accepted; leave it out next time");
        let numbers = history.numbers_end.and_then(|end| end.checked_sub(1));
        let newest =
            [accepted, history.last, history.through, history.settled, history.mark.map(|mark| mark.block), numbers];
        accepted = newest.into_iter().max().flatten();
        if let Some(block) = accepted {
            database.put_accepted(block)?;
        }
        database.remove_unknown()?;
    }
    Ok(accepted)
}

fn renew_watermark(shared: &SharedState, options: &Options, history: &History) -> Result<(), StoreError> {
    let marked = history.mark.map(|mark| mark.block);
    match history.last {
        Some(last) if history.lost || marked < Some(last) => housekeeping::write_watermark(shared, last),
        None if options.accept_loss => {
            *lock(&shared.watermark) = None;
            watermark::remove(&shared.dir)
        }
        _ => Ok(()),
    }
}
