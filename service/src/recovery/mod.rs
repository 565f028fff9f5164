//! Backup, check and restore: what an operator has when a disk has lied.
//!
//! | file | what it holds |
//! |---|---|
//! | `backup` | the backup file's format, and the client that writes one while a server serves |
//! | `raw`, `catalog` | blocks found in the raw bytes of any file, without the database |
//! | `carve` | secrets and records recognised without the block around them |
//! | `rebuild_game` | one game out of all that was found of it |
//! | `journals` | whether the journal of a data folder can be used |
//! | `published` | the transparency log, to find what is missing |
//! | `source`, `inventory` | data folders, backups and bundles together, and what they amount to |
//! | `signing` | whether the transparency log may go on under its key |
//! | `fsck`, `open_copy`, `restore` | the two commands, and the check by the database on a copy |
//! | `repair` | a restored store in the place of a damaged one, for a server that is asked to |
//! | `report`, `command` | the report, and the commands as they are typed |
//!
//! Two promises: a source is never written to, and the database never opens one; and whatever is left out is named.

pub mod backup;
mod carve;
mod catalog;
pub mod command;
pub mod fsck;
mod inventory;
mod journals;
mod open_copy;
mod progress;
mod published;
mod raw;
mod rebuild_game;
pub mod repair;
mod report;
pub mod restore;
pub mod signing;
mod source;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use progress::Progress;
pub use report::{GameProblem, LeftOut, Problem, Report, Why};

use crate::files;
use crate::store::StoreError;

/// Why a command could not do its work at all. What is wrong with a store is in the [`Report`] instead.
#[derive(Debug, thiserror::Error)]
pub enum RecoveryError {
    /// A file could not be read or written.
    #[error("{doing} {path}: {source}{advice}", path = .path.display(), advice = files::advice(.source))]
    Io { doing: &'static str, path: PathBuf, source: std::io::Error },
    /// The new store could not be written or opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// How far the transparency log had come could not be written.
    #[error(transparent)]
    State(#[from] crate::transparency::WriteError),
    /// A server has the folder open.
    #[error("the store in {dir} is in use by a server; stop it first, or take a backup with `divelogd backup`", dir = .dir.display())]
    InUse { dir: PathBuf },
    /// Another process repairs the folder.
    #[error("the store in {dir} is being repaired by another `divelogd serve --repair`", dir = .dir.display())]
    UnderRepair { dir: PathBuf },
    /// The folder that was read is not the one that is there.
    #[error(
        "the folder {dir} or the file `db` in it was replaced while it was being repaired; nothing was changed",
        dir = .dir.display()
    )]
    Changed { dir: PathBuf },
    /// The restored store cannot take the damaged one's place.
    #[error("the store cannot be repaired, so nothing was changed, and --accept-loss does not help: {problem}")]
    Unsound { problem: String },
    /// The named place holds nothing that could be a source.
    #[error("{path} is neither a data folder nor a backup nor a bundle, nor a folder of these", path = .path.display())]
    NoSource { path: PathBuf },
    /// A repair would lose something.
    #[error(
        "the store cannot be repaired without a loss, so nothing was changed; add a backup by hand (`divelogd restore`), or start \
         once with --repair and --accept-loss to go on with what is left:\n{report}"
    )]
    NotAll { report: String },
    /// The folder to restore to holds something.
    #[error("{dir} is not empty; restore writes to a new folder only", dir = .dir.display())]
    NotEmpty { dir: PathBuf },
    /// The published log cannot be compared with.
    #[error("the published log in {dir} cannot be used: {problem}", dir = .dir.display())]
    Published { dir: PathBuf, problem: String },
    /// The transparency log cannot go on as it was asked for.
    #[error("the transparency log: {problem}")]
    Log { problem: String },
    /// A backup file cannot be continued.
    #[error("the backup {path}: {problem}", path = .path.display())]
    Backup { path: PathBuf, problem: String },
    /// The server could not be asked.
    #[error("the server at {server}: {problem}")]
    Server { server: String, problem: String },
}

impl RecoveryError {
    fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> RecoveryError + use<> {
        let path = path.to_path_buf();
        move |source| RecoveryError::Io { doing, path, source }
    }
}
