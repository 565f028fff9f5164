//! `divelogd serve --repair`: what an operator does by hand with a damaged folder, in one go. A new store is made of the
//! folder by [`restore`], beside it; then the two change names, so that there is a whole folder under the name at every
//! moment. The damaged one is kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::restore::{self, restore};
use super::signing::LogOptions;
use super::{Progress, RecoveryError, Report};
use crate::files;
use crate::store::JOURNAL_BYTES;
use crate::transparency::CHECKPOINT;

/// What is repaired.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The damaged data folder.
    pub data: &'a Path,
    /// Where the transparency log is published.
    pub publish: &'a Path,
    /// Go on also where not everything comes back.
    pub accept_loss: bool,
}

/// Puts a repaired folder in the place of a damaged one. Answers with where the damaged one is now.
pub fn repair(options: Options<'_>) -> Result<PathBuf, RecoveryError> {
    let data = std::path::absolute(options.data).map_err(RecoveryError::io("resolving", options.data))?;
    let new = free_name(&data, "repaired")?;
    tracing::warn!(from = %data.display(), to = %new.display(), "repair: making a new store of what can be read");
    let elsewhere = !options.publish.starts_with(options.data) && options.publish.join(CHECKPOINT).exists();
    let report = restore(
        restore::Options {
            from: std::slice::from_ref(&data),
            data: &new,
            tiles: elsewhere.then_some(options.publish),
            log: LogOptions::default(),
            journal_bytes: JOURNAL_BYTES,
        },
        &Progress::hidden(),
    )?;
    for line in report.to_table().lines() {
        tracing::warn!("repair: {line}");
    }
    if let Err(error) = judge(&report, options.accept_loss) {
        // Nothing rests on it: it can be made again.
        fs::remove_dir_all(&new).map_err(RecoveryError::io("removing", &new))?;
        return Err(error);
    }
    let aside = free_name(&data, "damaged")?;
    exchange(&data, &new).map_err(RecoveryError::io("putting the repaired folder in the place of", &data))?;
    fs::rename(&new, &aside).map_err(RecoveryError::io("setting the damaged folder aside as", &aside))?;
    let parent = data.parent().unwrap_or(Path::new("/"));
    files::sync_dir(parent).map_err(RecoveryError::io("syncing", parent))?;
    tracing::warn!(
        data = %data.display(),
        damaged = %aside.display(),
        "repair: done; the damaged folder is kept under another name, delete it when nobody needs it any more"
    );
    Ok(aside)
}

/// Whether the server may go on with what was restored.
fn judge(report: &Report, accept_loss: bool) -> Result<(), RecoveryError> {
    if let Some(log) = report.log.as_ref().filter(|log| log.new) {
        // Its key must be told to those who follow the log: nobody but the operator can.
        return Err(RecoveryError::Log { problem: format!("{}; use `divelogd restore` by hand", log.sentence) });
    }
    if report.whole || accept_loss {
        return Ok(());
    }
    Err(RecoveryError::NotAll { report: report.to_table() })
}

/// A name beside the folder that nothing has.
fn free_name(data: &Path, what: &str) -> Result<PathBuf, RecoveryError> {
    let problem = |error: io::Error| RecoveryError::io("naming a folder beside", data)(error);
    let name = data.file_name().ok_or_else(|| problem(io::Error::other("it is the root of a file system")))?;
    let names = (1..).map(|number| {
        let mut name = name.to_os_string();
        name.push(format!(".{what}-{number}"));
        data.with_file_name(name)
    });
    for name in names {
        match fs::symlink_metadata(&name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(name),
            Err(error) => return Err(problem(error)),
            Ok(_) => {}
        }
    }
    Err(problem(io::Error::other("there is no free name")))
}

/// Lets two folders change names in one step. Where the file system cannot, in two.
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::OPNOTSUPP) => {
            let between = one.with_extension("being-exchanged");
            fs::rename(one, &between)?;
            fs::rename(other, one)?;
            fs::rename(&between, other)
        }
        Err(error) => Err(error.into()),
    }
}
