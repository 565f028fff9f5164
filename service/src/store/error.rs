//! What can go wrong in the store. Every text is written for the operator who
//! reads it in a log: it names the folder or game, and says what to do next.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Append, GameId, Revision, Sequence, database};
use crate::files::advice;

/// A failure of the store or of one request to it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file beside or under the database could not be read, written or synced.
    #[error("{doing} {path}: {source}{advice}", path = .path.display(), advice = advice(.source))]
    Io { doing: &'static str, path: PathBuf, source: std::io::Error },
    /// The database returned an error.
    #[error("{doing}: {source}")]
    Database { doing: &'static str, source: Box<dyn std::error::Error + Send + Sync> },
    /// The same, with the folder.
    #[error("the store in {dir}: {doing}: {source}{advice}", dir = .dir.display(), advice = database::advice_on(.source.as_ref()))]
    DatabaseIn { dir: PathBuf, doing: &'static str, source: Box<dyn std::error::Error + Send + Sync> },
    /// The database panicked: it does so on many kinds of damage.
    #[error("{doing}: the database gave up: {detail}")]
    DatabasePanic { doing: &'static str, detail: String },
    /// The database cannot make sense of the folder at all.
    #[error(
        "the store in {dir} cannot be opened, its files are damaged ({detail}). Nothing was changed. Keep the \
         folder as it is, and restore its games and those of a backup to a new folder{commands}",
        dir = .dir.display(),
        commands = Commands(.dir)
    )]
    Unopenable { dir: PathBuf, detail: String },
    /// The database's file is doubtful, and no copy of it could be made to be opened first.
    #[error(
        "the store in {dir} is opened only after a copy of its file `db`, because the file is not as it was left: {problem}. The \
         copy cannot be made: {source}. Nothing was changed. Make room for a second `db` in the folder and start again{commands}",
        dir = .dir.display(),
        commands = Commands(.dir)
    )]
    CopyFailed { dir: PathBuf, problem: String, source: std::io::Error },
    /// Another process, or another handle of this one, has the folder open.
    #[error(
        "the store in {dir} is in use by another process; stop it, or choose another folder",
        dir = .dir.display()
    )]
    InUse { dir: PathBuf },
    /// The folder was written by a later version.
    #[error(
        "the store in {dir} has format {found}, this version reads up to {supported}; start the version \
         that wrote it, or a later one",
        dir = .dir.display()
    )]
    NewerFormat { dir: PathBuf, found: u32, supported: u32 },
    /// Blocks that are known to have been written are not there.
    #[error(
        "the store in {dir} is missing committed blocks: block {expected_block} was written and must be \
         there, but {found}. Restore the folder from a \
         backup{commands}; or start once with --accept-loss to go on with what is there",
        dir = .dir.display(),
        commands = Commands(.dir),
        found = Last(.found_last)
    )]
    Lost { dir: PathBuf, expected_block: u64, found_last: Option<u64> },
    /// The same, and there is not even a file to look into.
    #[error(
        "the store in {dir} is missing committed blocks: block {expected_block} was written and must be \
         there, but the file `db` is missing or empty. Nothing was changed. Put `db` back, or \
         restore the folder from a backup{commands}; or start once with --accept-loss to begin again \
         with an empty store",
        dir = .dir.display(),
        commands = Commands(.dir)
    )]
    NoFile { dir: PathBuf, expected_block: u64 },
    /// The same, seen by the file's length alone.
    #[error(
        "the store in {dir} is missing committed blocks: its file `db` has {file_bytes} bytes, but had {closed_bytes} when the \
         store was closed. Nothing was changed. Restore the folder from a backup{commands}; or start once with \
         --accept-loss to go on with what is there",
        dir = .dir.display(),
        commands = Commands(.dir)
    )]
    Shortened { dir: PathBuf, file_bytes: u64, closed_bytes: u64 },
    /// The database's file has contents, and the database found nothing in it.
    #[error(
        "the store in {dir} reads as empty although its file `db` had contents. Restore the folder \
         from a backup{commands}; or start once with --accept-loss to go on with an empty store",
        dir = .dir.display(),
        commands = Commands(.dir)
    )]
    Emptied { dir: PathBuf },
    /// The block that the watermark names is sound, but it is another one.
    #[error(
        "the store in {dir} is not the one its watermark was written for: block {block} is sound \
         but has other contents. Restore `db` and `watermark` from \
         the same backup, or start once with --accept-loss to go on with what is there",
        dir = .dir.display()
    )]
    Replaced { dir: PathBuf, block: u64 },
    /// A sync of the database's file has failed, in this run or an earlier one.
    #[error(
        "the store in {dir} was once not synced: the disk has refused what was written to `db`, so what is read from it \
         may be in memory only. Nothing was changed, and the journal still holds what `db` may lack. Do not delete \
         anything, check the disk, and make a new folder from this one, before a reboot if possible{commands}; \
         --accept-loss does not help",
        dir = .dir.display(),
        commands = Commands(.dir)
    )]
    Unsynced { dir: PathBuf },
    /// A journal file is absent, cut short, or not known from another.
    #[error(
        "the store in {dir} cannot use its file `journal-{which}`: {detail}. Records that were acknowledged \
         before the last stop may be in it alone. Put it back, or restore the folder from a backup; \
         or start once with --accept-loss to go on with what is there",
        dir = .dir.display()
    )]
    JournalDamaged { dir: PathBuf, which: usize, detail: &'static str },
    /// A journal file holds blocks of another store.
    #[error(
        "the store in {dir} has a file `journal-{which}` that belongs to another store. Nothing was changed. \
         Put this store's own journal back, or restore the folder from a backup; without either, \
         move the file away and start once with --accept-loss",
        dir = .dir.display()
    )]
    ForeignJournal { dir: PathBuf, which: usize },
    /// A file of a running store was deleted, moved or replaced.
    #[error(
        "{path} {how}: somebody has deleted, moved or replaced it while the server had it open. No more records are taken, \
         because no later start would find them. {advice}",
        path = .path.display(),
        advice = if *.only_copy { ONLY_COPY } else { ELSEWHERE }
    )]
    Gone {
        path: PathBuf,
        how: &'static str,
        /// Whether everything that was acknowledged is in this process alone.
        only_copy: bool,
    },
    /// Secrets could not be drawn.
    #[error("the system gives no random bytes: {detail}")]
    NoRandomness { detail: String },
    /// Threads could not be started.
    #[error("the system gives no threads: {source}")]
    NoThreads { source: std::io::Error },
    /// The watermark file is there and makes no sense.
    #[error(
        "the watermark file {path} is unreadable ({detail}), so nobody can say whether the store \
         is whole; restore it from a backup, or start once with --accept-loss to go on with \
         what is there",
        path = .path.display()
    )]
    WatermarkUnreadable { path: PathBuf, detail: String },
    /// A game's records cannot all be read back as they were written.
    #[error(
        "game {game} is damaged in block {block}{record}: {detail}",
        record = Record(.sequence)
    )]
    Damaged { game: GameId, sequence: Option<Sequence>, block: u64, detail: String },
    /// An index entry does not decode; removing the index makes the store rebuild it.
    #[error("the index entry of game {game} is damaged: {detail}")]
    IndexDamaged { game: GameId, detail: String },
    /// A record does not continue its game as the log has it: nothing was written.
    #[error("game {game} has {expected} records, so record {given} cannot be appended")]
    OutOfSequence { game: GameId, given: Sequence, expected: Revision },
    /// A record continues another history of its game than the log's: nothing was written.
    #[error("record {given} of game {game} does not name the record before it, so it cannot be appended")]
    OtherHistory { game: GameId, given: Sequence },
    /// Somebody else has taken over the shard before the group of this append came into the log: nothing was written.
    #[error("another server has taken over this game's log before the record came into it")]
    Deposed,
    /// The log gave back a group that nobody here has proposed.
    #[error(
        "the log of the store in {dir} has a group, block {block}, that this server has not written: another process writes \
         to it. Stop one of them",
        dir = .dir.display()
    )]
    ForeignGroup { dir: PathBuf, block: u64 },
    /// An append contradicts itself: a bug of the caller.
    #[error("record {sequence} of game {game} cannot be appended: {detail}")]
    InvalidAppend { game: GameId, sequence: Sequence, detail: &'static str },
}

const ONLY_COPY: &str = "What was acknowledged goes when this process ends, so it stays up to be read: take a backup of it now \
                         (`divelogd backup --to FILE`), then stop it and make a new store from that (`divelogd restore`)";
const ELSEWHERE: &str = "Put it back under its name, or restore the folder, and start again";

impl StoreError {
    /// Whether the failure is temporary, with nothing wrong with the store. For work of which nobody has been answered yet.
    pub(super) fn is_transient(&self) -> bool {
        let StoreError::Io { source, .. } = self else { return false };
        let Some(errno) = rustix::io::Errno::from_io_error(source) else { return false };
        use rustix::io::Errno;
        [Errno::MFILE, Errno::NFILE, Errno::INTR, Errno::AGAIN, Errno::NOMEM, Errno::NOSPC, Errno::DQUOT]
            .contains(&errno)
    }

    /// Whether what was acknowledged is lost when this process ends.
    pub fn is_only_copy(&self) -> bool {
        matches!(self, StoreError::Gone { only_copy: true, .. })
    }

    /// Whether it says that a folder cannot be opened because something in it is damaged or missing.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            StoreError::Unopenable { .. }
                | StoreError::Lost { .. }
                | StoreError::NoFile { .. }
                | StoreError::Shortened { .. }
                | StoreError::Emptied { .. }
                | StoreError::Replaced { .. }
                | StoreError::Unsynced { .. }
                | StoreError::JournalDamaged { .. }
                | StoreError::WatermarkUnreadable { .. }
        )
    }

    /// Whether it says of one append that it cannot be taken: nothing was written, and nothing is wrong with the store.
    pub fn is_refusal(&self) -> bool {
        self.is_conflict() || matches!(self, StoreError::InvalidAppend { .. })
    }

    /// Whether an append was refused because the game has gone on without it; the store itself is sound.
    pub fn is_conflict(&self) -> bool {
        matches!(self, StoreError::OutOfSequence { .. } | StoreError::OtherHistory { .. } | StoreError::Deposed)
    }

    /// Names the folder, where the error does not yet.
    pub(super) fn within(self, dir: &Path) -> StoreError {
        match self {
            StoreError::Database { doing, source } => StoreError::DatabaseIn { dir: dir.to_path_buf(), doing, source },
            error => error,
        }
    }

    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> StoreError + use<> {
        let path = path.to_path_buf();
        move |source| StoreError::Io { doing, path, source }
    }
}

/// What an operator runs next: one command that only looks, and one that writes elsewhere.
struct Commands<'a>(&'a Path);

impl fmt::Display for Commands<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dir = self.0.display();
        write!(
            f,
            " (`divelogd fsck --data {dir}` says what is there and what is missing, `divelogd restore --from {dir} \
             --from BACKUP --data NEWDIR` makes a sound store of it, and `divelogd serve --repair` does so by itself where \
             nothing is missing)"
        )
    }
}

struct Last<'a>(&'a Option<u64>);

impl fmt::Display for Last<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(last) => write!(f, "it is missing; the last block found is {last}"),
            None => write!(f, "the store is empty"),
        }
    }
}

struct Record<'a>(&'a Option<Sequence>);

impl fmt::Display for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(sequence) => write!(f, ", record {sequence}"),
            None => Ok(()),
        }
    }
}

/// Why an append was not queued. Each variant hands the append back.
#[derive(Debug, thiserror::Error)]
pub enum AppendError<T> {
    /// As many records wait as the queue may hold: try again later.
    #[error("the store's queue is full")]
    Full(Append<T>),
    /// The store has failed earlier; it stays so until it is opened again.
    #[error("the store has failed: {1}")]
    Failed(Append<T>, Arc<StoreError>),
    /// The store was closed.
    #[error("the store is closed")]
    Closed(Append<T>),
    /// The record or its index facts exceed a limit of the format.
    #[error("record {} of game {} is too large: {what} has {size} bytes, the most is {most}",
        .append.sequence, .append.game)]
    TooLarge { append: Append<T>, what: &'static str, size: usize, most: usize },
}
