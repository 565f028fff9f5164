//! The journal: where a group of records is made durable before anybody is answered.
//!
//! It lies in front of the database, because the database's own flush is expensive: it wakes
//! several threads and makes its file grow, so that each sync also commits the file
//! system's journal. Here a group costs one write and one fdatasync into room that
//! the file has had from the beginning. The blocks go to the database later, many at
//! once (see [`crate::store::settle`]); then their frames may be overwritten.
//!
//! There are two files. The writer fills one while the blocks of the other are
//! brought to the database, and waits where that is not done in time.

mod file;
mod frame;
pub(in crate::store) mod numbers;

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use self::file::{FRAMES_AT, Fault};
use self::numbers::Numbers;
use super::{Group, Log, NextError, Ordered, ProposalId};
use crate::store::Options;
use crate::store::error::StoreError;
use crate::store::sync_dir;

pub(in crate::store) use self::frame::{Frame, StoreId};

/// The length of each of the two files.
pub const JOURNAL_BYTES: u64 = 16 * 1024 * 1024;
/// The least length that is taken: room for some frames of the largest size.
pub const MIN_JOURNAL_BYTES: u64 = FRAMES_AT + 2 * frame::MAX_FRAME_BYTES as u64;

pub(crate) const FILES: usize = 2;

/// What the files of a closed store hold.
pub(in crate::store) struct LogContents {
    /// Blocks that the database lacks, by number.
    pub frames: BTreeMap<u64, Frame>,
    /// The first of them after the database's newest block.
    next: Option<u64>,
    /// All blocks below it were in the database when the store was last closed.
    floor: Option<u64>,
    /// Whether both files can be used as they are.
    sound: bool,
    /// Whether something was lost with a file, which the operator has accepted.
    pub lost: bool,
    /// The newest block of files that were set aside.
    pub set_aside: Option<u64>,
}

impl LogContents {
    /// Frames, as far as the database lacks them. `last` is the database's newest block.
    pub fn new(
        frames: BTreeMap<u64, Frame>,
        last: Option<u64>,
        lacks: impl Fn(&Frame) -> Result<bool, StoreError>,
    ) -> Result<LogContents, StoreError> {
        let after = last.map_or(0, |last| last.saturating_add(1));
        let next = frames.range(after..).next().map(|(number, _)| *number);
        let mut found =
            LogContents { frames: BTreeMap::new(), next, floor: None, sound: true, lost: false, set_aside: None };
        // What the database has, it has.
        for (number, frame) in frames {
            if number >= after || lacks(&frame)? {
                found.frames.insert(number, frame);
            }
        }
        Ok(found)
    }

    /// The newest block that must be in the database: everything below the floor was
    /// there, and frames are only overwritten when their blocks are.
    pub fn settled(&self) -> Option<u64> {
        [self.floor, self.next].into_iter().flatten().filter_map(|next| next.checked_sub(1)).max()
    }
}

/// Reads both files. `store` is the id that the database holds: none in a new store, or
/// in one that had no journal yet; `last` is the database's newest block, and `lacks` says what it lacks, also before that
/// one. Changes nothing, except that files of a store that is not there any more are moved aside when the operator accepts
/// that loss.
pub(in crate::store) fn read(
    options: &Options,
    store: Option<&StoreId>,
    last: Option<u64>,
    lacks: impl Fn(&Frame) -> Result<bool, StoreError>,
) -> Result<LogContents, StoreError> {
    let mut frames = BTreeMap::new();
    let (mut sound, mut lost, mut floor, mut newest_aside) = (store.is_some(), false, None, None);
    for which in 0..FILES {
        let contents = file::read(&options.dir, which, store)?;
        let needed = contents.frames.into_iter().filter(|frame| Some(frame.number) >= contents.floor);
        if store.is_none() {
            // Without an id nothing was ever appended: what is here is somebody else's.
            if let Some(newest) = needed.map(|frame| frame.number).max() {
                set_aside(options, which)?;
                lost = true;
                newest_aside = newest_aside.max(Some(newest));
            }
            continue;
        }
        frames.extend(needed.map(|frame| (frame.number, frame)));
        floor = floor.max(contents.floor);
        if let Some(fault) = contents.fault {
            refuse_or_accept(options, which, fault)?;
            sound = false;
            lost = true;
        }
    }
    // Also below a floor that only the other file knows.
    let frames = frames.split_off(&floor.unwrap_or(0));
    Ok(LogContents { floor, sound, lost, set_aside: newest_aside, ..LogContents::new(frames, last, lacks)? })
}

fn refuse_or_accept(options: &Options, which: usize, fault: Fault) -> Result<(), StoreError> {
    let detail = match fault {
        // Not even --accept-loss: what is in it is another store's acknowledged past.
        Fault::Foreign => return Err(foreign(options, which)),
        Fault::Missing => "it is missing",
        Fault::Damaged(detail) => detail,
    };
    let error = StoreError::JournalDamaged { dir: options.dir.clone(), which, detail };
    if !options.accept_loss {
        return Err(error);
    }
    tracing::warn!(%error, "a loss is accepted; going on with what is there");
    Ok(())
}

fn foreign(options: &Options, which: usize) -> StoreError {
    StoreError::ForeignJournal { dir: options.dir.clone(), which }
}

/// Moves a file with frames out of the way of a store that it does not belong to.
fn set_aside(options: &Options, which: usize) -> Result<(), StoreError> {
    if !options.accept_loss {
        return Err(foreign(options, which));
    }
    let path = file::path(&options.dir, which);
    // A free name: what was set aside before may be the only copy of acknowledged records.
    let names = std::iter::once("old".to_owned()).chain((1..).map(|number| format!("old.{number}")));
    let mut names = names.map(|name| path.with_extension(name)).filter(|aside| !aside.exists());
    let aside = names.next().unwrap_or_else(|| path.with_extension("old"));
    tracing::warn!(from = %path.display(), to = %aside.display(), "a journal of another store is set aside");
    std::fs::rename(&path, &aside).map_err(StoreError::io("setting aside", &path))?;
    sync_dir(&options.dir)
}

/// What one of the files says by itself.
pub(crate) struct Inspected {
    pub path: PathBuf,
    pub is_missing: bool,
    /// The store that its header names.
    pub store: Option<[u8; 16]>,
    /// What is wrong with it, as a phrase.
    pub problem: Option<&'static str>,
}

/// Looks at one of the files without knowing the store. Changes nothing.
pub(crate) fn inspect(dir: &Path, which: usize) -> Result<Inspected, StoreError> {
    let (store, fault) = file::inspect(dir, which)?;
    let is_missing = fault == Some(Fault::Missing);
    let problem = fault.map(|fault| match fault {
        Fault::Missing => "it is missing",
        Fault::Damaged(detail) => detail,
        Fault::Foreign => "it belongs to another store",
    });
    Ok(Inspected { path: file::path(dir, which), is_missing, store, problem })
}

/// The open journal; the writer's own. A block has its number from the moment it is written here.
pub(in crate::store) struct Journal {
    store: StoreId,
    numbers: Arc<Numbers>,
    files: [OpenFile; FILES],
    /// The file that is being filled, and where its next frame begins.
    current: usize,
    at: u64,
    /// The number of the next block.
    next: u64,
    /// The newest block that is in the database.
    settled: Option<u64>,
    /// What waits to be written. The writer asks for what it has proposed before it proposes more than a group or two.
    proposed: VecDeque<(ProposalId, Group)>,
    proposals: u64,
}

struct OpenFile {
    path: PathBuf,
    file: File,
    bytes: u64,
    /// The newest block in it, of this run: it must be settled before the file is filled again.
    newest: Option<u64>,
}

impl Journal {
    /// Opens both files to be filled from their beginning; makes those that are not
    /// whole. The caller has brought everything that was found in them to the database.
    pub fn open(
        options: &Options,
        store: StoreId,
        found: &LogContents,
        numbers: Arc<Numbers>,
        next: u64,
    ) -> Result<Journal, StoreError> {
        let dir = options.dir.as_path();
        if !found.sound {
            for which in 0..FILES {
                file::create(dir, which, &store, options.journal_bytes.max(MIN_JOURNAL_BYTES))?;
            }
            sync_dir(dir)?;
        }
        let open = |which: usize| -> Result<OpenFile, StoreError> {
            let path = file::path(dir, which);
            let opened = File::options().write(true).open(&path).and_then(|file| Ok((file.metadata()?.len(), file)));
            let (bytes, file) = opened.map_err(StoreError::io("opening the journal", &path))?;
            Ok(OpenFile { path, file, bytes, newest: None })
        };
        let files = [open(0)?, open(1)?];
        let (settled, proposed) = (None, VecDeque::new());
        Ok(Journal { store, numbers, files, current: 0, at: FRAMES_AT, next, settled, proposed, proposals: 0 })
    }

    /// Goes to the other file where this one has no room for so many bytes. Everything in that must be settled.
    fn make_room(&mut self, bytes: u64) -> Result<(), NextError> {
        if self.at + bytes <= self.files[self.current].bytes {
            return Ok(());
        }
        let other = (self.current + 1) % FILES;
        match self.files[other].newest {
            Some(until) if self.settled < Some(until) => Err(NextError::Full { until }),
            _ => {
                (self.current, self.at) = (other, FRAMES_AT);
                Ok(())
            }
        }
    }

    /// Writes a frame and syncs it.
    fn write(&mut self, frame: &[u8]) -> Result<(), StoreError> {
        self.numbers.take(self.next)?;
        let file = &mut self.files[self.current];
        let written = file.file.write_all_at(frame, self.at).and_then(|()| file.file.sync_data());
        written.map_err(StoreError::io("writing the journal", &file.path))?;
        file.newest = Some(self.next);
        self.at += frame.len() as u64;
        Ok(())
    }
}

impl Log for Journal {
    fn propose(&mut self, group: Group) -> Result<ProposalId, StoreError> {
        debug_assert!(group.is_of_one_machine(), "a frame names neither shard nor epoch");
        let proposal = ProposalId(self.proposals);
        self.proposals += 1;
        self.proposed.push_back((proposal, group));
        Ok(proposal)
    }

    /// Writes the oldest proposal; never waits for anybody else.
    fn next(&mut self, _wait: Duration) -> Result<Option<Ordered>, NextError> {
        let Some((_, group)) = self.proposed.front() else { return Ok(None) };
        self.make_room(frame::size(group) as u64)?;
        let Some((proposal, group)) = self.proposed.pop_front() else { return Ok(None) };
        let frame = frame::encode(&self.store, self.next, &group);
        self.write(&frame.bytes).map_err(NextError::Failed)?;
        let ordered = Ordered { at: self.next, block: frame.block, secrets: frame.secrets, mine: Some(proposal) };
        self.next += 1;
        Ok(Some(ordered))
    }

    /// Nobody else writes to these files.
    fn deposed(&mut self) -> Vec<ProposalId> {
        Vec::new()
    }

    fn settled(&mut self, at: u64) -> Result<(), StoreError> {
        self.settled = self.settled.max(Some(at));
        Ok(())
    }
}

/// Notes that all blocks below `next` are in the database, synced: nothing in the
/// journal is needed any more. For a store that is closed in good order.
pub(in crate::store) fn mark_settled(dir: &Path, store: &StoreId, next: u64) -> Result<(), StoreError> {
    (0..FILES).try_for_each(|which| file::write_mark(&file::path(dir, which), store, next))
}
