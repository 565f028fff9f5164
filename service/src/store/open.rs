//! Opening a store: is it ours, is it whole, and what does the index lack?
//!
//! Nothing of ours is written before all checks that may refuse have passed. The
//! engine is another matter: where a checksum of its newest segment fails, opening
//! discards what follows. Its file cannot be looked at without opening it, so the
//! only checks that come before are for a file that is absent, empty, or shorter
//! than it was when the store was closed.

use std::fs::{self, File};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use super::block::Block;
use super::core::{Core, Counters, Failure, KEY_THROUGH, Overlay, lock};
use super::database::blocks::Blocks;
use super::database::clean_shutdown;
use super::database::sled_file::{self, SledFile};
use super::error::{StoreError, catch_panic};
use super::log::files::numbers::{self, Numbers};
use super::log::files::{self as journal, Found, Frame, Journal, StoreId};
use super::refusals::Refusals;
use super::settle::{self, Value};
use super::watermark::{self, Watermark, sync_dir};
use super::{Options, housekeeping, recover};

/// The format of everything in the folder. 1 had no journal; in 2 every key of the blocks' tree had a block.
const FORMAT: u32 = 3;
const KEY_FORMAT: &[u8] = b"format";
/// What the journal's files name too.
const KEY_STORE_ID: &[u8] = b"store";
/// Blocks up to this one may be damaged or missing: the operator has said so.
const KEY_ACCEPTED: &[u8] = b"accepted";
/// See [`Core::unknown_block`].
const KEY_UNKNOWN: &[u8] = b"unknown";

/// A file that says that the engine found nothing in a file that had contents.
const EMPTIED: &str = "emptied";

const TREE_META: &str = "meta";
pub(super) const TREE_BLOCKS: &str = "blocks";
pub(super) const TREE_SECRETS: &str = "secrets";
const TREE_GAMES: &str = "games";

/// The engine's segment size. Items over a quarter of it go to separate files
/// that the engine never syncs: a power cut would lose them. An item can be a
/// whole leaf page, which is split at more than 16 values whatever their size:
/// 17 blocks of 60 KiB are just over 1 MiB, so a quarter must be well above that.
pub(super) const SEGMENT_BYTES: usize = 8 * 1024 * 1024;
const _: () = assert!(18 * super::block::MAX_BLOCK_BYTES < SEGMENT_BYTES / 4);

/// How long to wait for the folder's lock: the engine's own threads may hold it
/// for some milliseconds after a store was closed.
pub(super) const LOCK_PATIENCE: Duration = Duration::from_millis(500);
pub(super) const LOCK_RETRY: Duration = Duration::from_millis(10);

/// An open store without its threads.
pub(super) struct Opened {
    pub core: Core,
    pub journal: Journal,
    pub next_block: u64,
}

/// The checked past of a store.
struct History {
    mark: Option<Watermark>,
    /// The newest block, in the engine or in the journal.
    last: Option<u64>,
    through: Option<u64>,
    /// See [`Found::settled`].
    settled: Option<u64>,
    /// Something was lost, and the operator goes on without it.
    lost: bool,
    /// After an accepted loss: all numbers below may have been given out.
    numbers_end: Option<u64>,
}

pub(super) fn open(options: &Options) -> Result<Opened, StoreError> {
    catch_panic("opening the store", || open_unguarded(options)).map_err(|error| match error {
        StoreError::EnginePanic { detail, .. } => StoreError::Unopenable { dir: options.dir.clone(), detail },
        error => error,
    })
}

fn open_unguarded(options: &Options) -> Result<Opened, StoreError> {
    let dir = options.dir.as_path();
    fs::create_dir_all(dir).map_err(StoreError::io("creating the folder", dir))?;
    // Not even --accept-loss: a start would overwrite the journal on the strength of what may be in memory only.
    sled_file::check_note(dir)?;
    let mark = read_watermark(options)?;
    let file_bytes = fs::metadata(dir.join("db")).map_or(0, |file| file.len());
    // Asked before the engine runs: it would create a new file.
    if let (Some(mark), 0, false) = (mark, file_bytes, options.accept_loss) {
        return Err(StoreError::NoFile { dir: dir.to_path_buf(), expected_block: mark.block });
    }
    let shortened = clean_shutdown::read(dir).filter(|closed_bytes| file_bytes < *closed_bytes);
    if let Some(closed_bytes) = shortened {
        accept_or(options, StoreError::Shortened { dir: dir.to_path_buf(), file_bytes, closed_bytes })?;
    }
    let note = dir.join(EMPTIED);
    if note.exists() {
        accept_or(options, emptied(dir))?;
    }
    clean_shutdown::remove(dir)?;
    // Before the engine touches it, and held while it does: an error that was told to the engine alone would be forgotten.
    let file = dir.join("db").exists().then(|| SledFile::open(dir)).transpose()?;
    let db = open_engine(options).inspect_err(|_| {
        // Says itself what it finds.
        file.as_ref().map(SledFile::sync_file);
    })?;
    // Once more under the lock: a server that was still going may have written these meanwhile.
    sled_file::check_note(dir)?;
    clean_shutdown::remove(dir)?;
    let file = file.map_or_else(|| SledFile::open(dir), Ok)?;
    if file_bytes > 0 && !db.was_recovered() && mark.is_none() && !options.accept_loss {
        // By now the engine has made a new store of it; the note keeps the next
        // start from taking that for the truth.
        File::create(&note).and_then(|file| file.sync_all()).map_err(StoreError::io("noting the loss in", &note))?;
        sync_dir(dir)?;
        return Err(emptied(dir));
    }
    let emptied_before = note.exists() || file_bytes > 0 && !db.was_recovered();
    check_format(dir, &db)?;
    let store_id = read_store_id(&db)?;
    let in_engine = existing_blocks(&db)?.map_or(Ok(None), |blocks| blocks.last())?;
    let found = journal::read(options, store_id.as_ref(), in_engine, |frame| lacks(&db, frame))?;
    let mut history = check_past(options, &db, mark, in_engine, &found)?;
    // Whatever was lost, its numbers may be known elsewhere.
    let unmarked = options.accept_loss && watermark::read(dir).is_err();
    if history.lost || found.lost || unmarked || shortened.is_some() || emptied_before {
        history.numbers_end = Some(numbers_end(dir, &history, found.set_aside));
    }

    let tree = |name: &str| db.open_tree(name).map_err(StoreError::engine("opening a tree of the store"));
    let (meta, blocks, games) = (tree(TREE_META)?, Blocks::open(tree(TREE_BLOCKS)?)?, tree(TREE_GAMES)?);
    let (secrets, creations) = (tree(TREE_SECRETS)?, tree("creations")?);
    put(&meta, KEY_FORMAT, &FORMAT.to_be_bytes())?;
    let store_id = store_id.map_or_else(new_store_id, Ok)?;
    // The engine keeps the order of writes; where it has not, its index may be anything too.
    let out_of_order = found.frames.keys().next().copied().filter(|first| Some(*first) <= in_engine);
    if let Some(first) = out_of_order {
        tracing::warn!(
            first,
            last = in_engine,
            "the store lacks blocks before its last; they are taken from the journal"
        );
    }
    let through = if history.lost || out_of_order.is_some() { None } else { history.through };
    if through.is_none() {
        // Before anything that would keep the next start from building the index anew, and in the same order on disk: a
        // crash must not leave half an index, or an old one, that calls itself whole.
        games.remove(KEY_THROUGH).map_err(StoreError::engine("clearing the index"))?;
    }
    let accepted = accept_loss(options, &meta, &history)?;
    let numbered = [history.last, history.mark.map(|mark| mark.block), history.settled, accepted];
    let next_block = numbered.into_iter().max().flatten().map_or(0, |last| last.saturating_add(1));
    let numbers = Arc::new(Numbers::open(dir, next_block)?);
    let core = Core {
        dir: dir.to_path_buf(),
        store_id,
        first_block: next_block,
        db,
        blocks,
        secrets,
        games,
        creations,
        unknown_block: Mutex::new(get_u64(&meta, KEY_UNKNOWN)?),
        overlay: Mutex::new(Overlay { durable: through, through, ..Overlay::default() }),
        wake: Condvar::new(),
        room: Condvar::new(),
        housekeeping: Mutex::new(()),
        watermark: Mutex::new(mark.map(|mark| mark.block)),
        failure: Arc::new(Failure::default()),
        refusals: Refusals::default(),
        counters: Counters::default(),
        numbers: Arc::clone(&numbers),
        file,
    };
    // What a killed process wrote may be in memory only; from here on every
    // block that is found is also synced.
    for (number, frame) in &found.frames {
        let value = Value { block: frame.block.as_slice().into(), secrets: frame.secrets.as_slice().into() };
        settle::insert(&core, *number, &value)?;
    }
    core.sync()?;
    sync_names(dir)?;
    let journal = Journal::open(options, store_id, &found, numbers)?;
    // Only now: a store that knows its journal's id has the files.
    put(&meta, KEY_STORE_ID, &store_id)?;

    recover::index(&core, through, options.describe, accepted, |block| {
        let mut unknown = lock(&core.unknown_block);
        *unknown = unknown.max(Some(block));
        // Written at once: the scan may write a `through` that passes this block.
        put(&meta, KEY_UNKNOWN, &unknown.unwrap_or(block).to_be_bytes())
    })?;
    core.overlay().durable = history.last;
    housekeeping::write_index(&core)?;
    core.sync()?;
    renew_watermark(&core, options, &history)?;
    if note.exists() {
        fs::remove_file(&note).map_err(StoreError::io("removing", &note))?;
        sync_dir(dir)?;
    }

    Ok(Opened { core, journal, next_block })
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

pub(super) fn open_engine(options: &Options) -> Result<sled::Db, StoreError> {
    let config = sled::Config::new()
        .path(&options.dir)
        .segment_size(SEGMENT_BYTES)
        .cache_capacity(options.sled_cache_bytes)
        .mode(sled::Mode::HighThroughput)
        // The writer syncs each group itself.
        .flush_every_ms(None);
    let give_up = Instant::now() + LOCK_PATIENCE;
    loop {
        return match config.open() {
            Ok(db) => Ok(db),
            // The engine wraps the failure of its flock in a text.
            Err(sled::Error::Io(error)) if error.to_string().contains("acquire lock") => {
                if Instant::now() < give_up {
                    std::thread::sleep(LOCK_RETRY);
                    continue;
                }
                let dir = options.dir.clone();
                Err(StoreError::InUse { dir })
            }
            Err(source @ sled::Error::Io(_)) => Err(StoreError::Engine { doing: "opening the store", source }),
            Err(other) => Err(StoreError::Unopenable { dir: options.dir.clone(), detail: other.to_string() }),
        };
    }
}

/// A tree that exists; opening one that does not would create it.
fn existing(db: &sled::Db, name: &str) -> Result<Option<sled::Tree>, StoreError> {
    if !db.tree_names().iter().any(|tree| tree == name.as_bytes()) {
        return Ok(None);
    }
    let tree = db.open_tree(name);
    tree.map(Some).map_err(StoreError::engine("opening a tree of the store"))
}

fn existing_blocks(db: &sled::Db) -> Result<Option<Blocks>, StoreError> {
    existing(db, TREE_BLOCKS)?.map(Blocks::open).transpose()
}

/// Whether the engine lacks something of a block that the journal holds.
fn lacks(db: &sled::Db, frame: &Frame) -> Result<bool, StoreError> {
    let Some(blocks) = existing_blocks(db)? else { return Ok(true) };
    if blocks.get(frame.number)?.is_none() {
        return Ok(true);
    }
    let Some(secrets) = existing(db, TREE_SECRETS)? else { return Ok(!frame.secrets.is_empty()) };
    let stored = secrets.contains_key(frame.number.to_be_bytes()).map_err(StoreError::engine("reading secrets"))?;
    Ok(!stored && !frame.secrets.is_empty())
}

fn check_format(dir: &Path, db: &sled::Db) -> Result<(), StoreError> {
    let Some(meta) = existing(db, TREE_META)? else {
        return Ok(());
    };
    let stored = meta.get(KEY_FORMAT).map_err(StoreError::engine("reading the format"))?;
    match stored.and_then(|bytes| Some(u32::from_be_bytes(bytes.as_ref().try_into().ok()?))) {
        Some(found) if found > FORMAT => {
            Err(StoreError::NewerFormat { dir: dir.to_path_buf(), found, supported: FORMAT })
        }
        _ => Ok(()),
    }
}

fn read_store_id(db: &sled::Db) -> Result<Option<StoreId>, StoreError> {
    let Some(meta) = existing(db, TREE_META)? else {
        return Ok(None);
    };
    let stored = meta.get(KEY_STORE_ID).map_err(StoreError::engine("reading the store's settings"))?;
    Ok(stored.and_then(|bytes| bytes.as_ref().try_into().ok()))
}

fn new_store_id() -> Result<StoreId, StoreError> {
    let mut id = StoreId::default();
    getrandom::fill(&mut id).map_err(|error| StoreError::NoRandomness { detail: error.to_string() })?;
    Ok(id)
}

/// Compares the store with its journal, its watermark and its own index.
fn check_past(
    options: &Options,
    db: &sled::Db,
    mark: Option<Watermark>,
    in_engine: Option<u64>,
    found: &Found,
) -> Result<History, StoreError> {
    let dir = options.dir.as_path();
    let newest_frame = found.frames.last_key_value().map(|(number, _)| *number);
    let last = in_engine.max(newest_frame);
    let through = match existing(db, TREE_GAMES)? {
        Some(games) => get_u64(&games, KEY_THROUGH)?,
        None => None,
    };
    let mut history = History { mark, last, through, settled: found.settled(), lost: false, numbers_end: None };
    if through > last {
        // The index knows of blocks that are gone.
        accept_or(options, lost(dir, through.unwrap_or_default(), last))?;
        history.lost = true;
    }
    if history.settled > in_engine.max(accepted_before(db)?) {
        // The journal goes on after blocks that are gone.
        accept_or(options, lost(dir, history.settled.unwrap_or_default(), in_engine))?;
        history.lost = true;
    }
    let Some(mark) = mark else {
        if last.is_some() {
            tracing::warn!(dir = %dir.display(), "no watermark file: a loss before this start cannot be noticed");
        }
        return Ok(history);
    };
    let value = match (found.frames.get(&mark.block), existing_blocks(db)?) {
        (Some(frame), _) => Some(frame.block.as_slice().into()),
        (None, Some(blocks)) => blocks.get(mark.block)?,
        (None, None) => None,
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

/// Up to which block an earlier start has accepted a loss.
fn accepted_before(db: &sled::Db) -> Result<Option<u64>, StoreError> {
    existing(db, TREE_META)?.map_or(Ok(None), |meta| get_u64(&meta, KEY_ACCEPTED))
}

fn is_sound(number: u64, value: &[u8]) -> bool {
    Block::parse(number, value).is_ok_and(|block| block.records().all(|item| item.record(value).is_some()))
}

/// Keeps the operator's decision, so that later starts do not find the same
/// loss again. Answers with the newest block that a decision covers.
fn accept_loss(options: &Options, meta: &sled::Tree, history: &History) -> Result<Option<u64>, StoreError> {
    let mut accepted = get_u64(meta, KEY_ACCEPTED)?;
    if options.accept_loss {
        tracing::warn!("started with --accept-loss: damage up to now is accepted; leave it out next time");
        let numbers = history.numbers_end.and_then(|end| end.checked_sub(1));
        let newest =
            [accepted, history.last, history.through, history.settled, history.mark.map(|mark| mark.block), numbers];
        accepted = newest.into_iter().max().flatten();
        if let Some(block) = accepted {
            put(meta, KEY_ACCEPTED, &block.to_be_bytes())?;
        }
        meta.remove(KEY_UNKNOWN).map_err(StoreError::engine("writing the store's settings"))?;
    }
    Ok(accepted)
}

fn renew_watermark(core: &Core, options: &Options, history: &History) -> Result<(), StoreError> {
    let marked = history.mark.map(|mark| mark.block);
    match history.last {
        Some(last) if history.lost || marked < Some(last) => housekeeping::write_watermark(core, last),
        None if options.accept_loss => {
            *lock(&core.watermark) = None;
            watermark::remove(&core.dir)
        }
        _ => Ok(()),
    }
}

fn get_u64(tree: &sled::Tree, key: &[u8]) -> Result<Option<u64>, StoreError> {
    let value = tree.get(key).map_err(StoreError::engine("reading the store's settings"))?;
    Ok(value.and_then(|bytes| Some(u64::from_be_bytes(bytes.as_ref().try_into().ok()?))))
}

fn put(tree: &sled::Tree, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
    tree.insert(key, value).map(|_| ()).map_err(StoreError::engine("writing the store's settings"))
}

/// Makes the files' names survive a power cut; the engine does not.
fn sync_names(dir: &Path) -> Result<(), StoreError> {
    for name in ["db", "conf"] {
        let path = dir.join(name);
        File::open(&path).and_then(|file| file.sync_all()).map_err(StoreError::io("syncing", &path))?;
    }
    sync_dir(dir)?;
    let absolute = fs::canonicalize(dir).map_err(StoreError::io("resolving", dir))?;
    absolute.parent().map_or(Ok(()), sync_dir)
}
