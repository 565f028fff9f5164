//! `divelogd serve --repair`: what an operator does by hand with a damaged folder, in one step. A new store is made of the
//! folder by [`restore`], beside it; then the two change names, so that there is a whole folder under the name at every
//! moment. The damaged one is kept.
//!
//! | file | what it holds |
//! |---|---|
//! | `folder` | the folder's name and those beside it; one repair at a time |

mod folder;

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use self::folder::{RepairFolder, Seen};
use super::report::{LogReport, Report};
use super::signing::LogOptions;
use super::{Progress, RecoveryError, restore, source};
use crate::files;
use crate::store::JOURNAL_BYTES;
use crate::transparency::CHECKPOINT;

/// What is repaired, and how.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Where the transparency log is published.
    pub publish: &'a Path,
    /// Go on also where not everything comes back.
    pub accept_loss: bool,
}

/// The right to repair a folder: as long as it is held nobody else does. Whoever has it asks again whether the store is
/// damaged, and keeps it until the repaired one is open.
pub struct Repair {
    folder: RepairFolder,
}

impl Repair {
    /// Takes the right.
    pub fn begin(data: &Path) -> Result<Repair, RecoveryError> {
        Ok(Repair { folder: RepairFolder::lock(data)? })
    }

    /// Puts a repaired folder in the place of the damaged one. Answers with where the damaged one is now.
    pub fn run(&self, options: Options<'_>) -> Result<PathBuf, RecoveryError> {
        let data = &self.folder.data;
        if !source::may_have_blocks(data) {
            return Err(RecoveryError::NoSource { path: data.clone() });
        }
        // No server begins on the damaged folder before it is set aside.
        let seen = Seen::hold(data)?;
        self.folder.clear_leftovers()?;
        let new = self.folder.free_name("repaired")?;
        tracing::warn!(from = %data.display(), to = %new.display(), "repair: making a new store of what can be read");
        let report = restore::restore_under(
            restore::Options {
                from: std::slice::from_ref(data),
                data: &new,
                tiles: published_elsewhere(data, options.publish).then_some(options.publish),
                log: LogOptions::default(),
                journal_bytes: JOURNAL_BYTES,
            },
            &self.folder.making(),
            &Progress::hidden(),
        )?;
        for line in report.to_table().lines() {
            tracing::warn!("repair: {line}");
        }
        let put = check_report(&report, options.accept_loss)
            .and_then(|()| folder::take_over_permissions(data, &new))
            .and_then(|()| seen.check())
            .and_then(|()| self.folder.put(&new));
        let aside = match put {
            Ok(aside) => aside,
            Err(error) => {
                // Nothing rests on it: it can be made again.
                fs::remove_dir_all(&new).map_err(RecoveryError::io("removing", &new))?;
                return Err(error);
            }
        };
        let parent = self.folder.parent();
        files::sync_dir(parent).map_err(RecoveryError::io("syncing", parent))?;
        tracing::warn!(
            data = %data.display(),
            damaged = %aside.display(),
            "repair: done; the damaged folder is kept under another name, delete it when nobody needs it any more. The refused \
             requests that were kept of its games are not in the new store"
        );
        Ok(aside)
    }
}

/// Whether the log is published outside of the folder. Where that folder is not, nothing is published there.
fn published_elsewhere(data: &Path, publish: &Path) -> bool {
    let Ok(publish) = fs::canonicalize(publish) else { return false };
    !publish.starts_with(data) && publish.join(CHECKPOINT).exists()
}

/// Whether the server may go on with what was restored.
fn check_report(report: &Report, accept_loss: bool) -> Result<(), RecoveryError> {
    if let Some(LogReport { sentence, .. }) = report.log.as_ref().filter(|log| log.new) {
        // Those who follow the log must learn of its key, and only the operator can tell them.
        return Err(RecoveryError::Log { problem: format!("{sentence}; use `divelogd restore` by hand") });
    }
    if let Some(database) = report.database.as_ref().filter(|database| !database.sound) {
        // Not a loss that anybody could accept: the new store is as doubtful as the damaged one.
        return Err(RecoveryError::Unsound { problem: database.sentence.clone() });
    }
    if report.whole || accept_loss {
        return Ok(());
    }
    Err(RecoveryError::NotAll { report: report.to_table() })
}
