//! Asks the database what it makes of a store: on a copy, because it changes what it opens.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use divelog_ledger::{GameId, Hash, Revision};

use super::report::DatabaseCheck;
use super::{Progress, RecoveryError};
use crate::files::{self, Readers};
use crate::session;
use crate::store::{self, Store, StoreError};

const CACHE_BYTES: u64 = 64 * 1024 * 1024;

/// Opens a copy of the folder as a server would, and compares the games. The copy lies where temporary files do
/// (`TMPDIR`), and is removed.
pub(super) fn on_a_copy(
    data: &Path,
    heads: &BTreeMap<GameId, (Revision, Hash)>,
    progress: &Progress,
) -> Result<DatabaseCheck, RecoveryError> {
    let owner_only = std::fs::Permissions::from_mode(0o700);
    let copy = tempfile::Builder::new().prefix("divelog-fsck-").permissions(owner_only).tempdir();
    let copy = copy.map_err(RecoveryError::io("creating a folder in", &std::env::temp_dir()))?;
    for entry in std::fs::read_dir(data).map_err(RecoveryError::io("reading", data))? {
        let path = entry.map_err(RecoveryError::io("reading", data))?.path();
        let (Some(name), true) = (path.file_name(), path.is_file()) else { continue };
        files::copy(&path, &copy.path().join(name), Readers::Owner)
            .map_err(RecoveryError::io("copying to a temporary folder", &path))?;
    }
    let database = match open(copy.path(), store::JOURNAL_BYTES) {
        Ok(store) => {
            let differing = compare(&store, heads, progress);
            store.close();
            match differing {
                0 => DatabaseCheck {
                    sound: true,
                    sentence: format!("opens a copy, and gives all {} games back", heads.len()),
                },
                count => DatabaseCheck {
                    sound: false,
                    sentence: format!("opens a copy, but does not give {count} of {} games back", heads.len()),
                },
            }
        }
        Err(error) => {
            // The message names the copy; what matters is the original.
            let sentence = error.to_string().replace(&copy.path().display().to_string(), &data.display().to_string());
            DatabaseCheck { sound: false, sentence: format!("refuses a copy: {sentence}") }
        }
    };
    progress.end();
    Ok(database)
}

/// Opens a store to be read.
pub(super) fn open(dir: &Path, journal_bytes: u64) -> Result<Store, StoreError> {
    let options = store::Options {
        dir: dir.to_path_buf(),
        describe: session::describe,
        queue: 1,
        cache_bytes: CACHE_BYTES,
        journal_bytes,
        accept_loss: false,
    };
    store::open_to_check(&options)
}

/// How many games the store does not give back as they were found.
pub(super) fn compare(store: &Store, heads: &BTreeMap<GameId, (Revision, Hash)>, progress: &Progress) -> usize {
    progress.begin("reading games back from the store".into(), heads.len() as u64);
    let differs = |(done, (game, (revision, hash))): (u64, (&GameId, &(Revision, Hash)))| {
        progress.at(done);
        match store.read_game(*game) {
            Ok(Some(stored)) => Revision::of(&stored.records) != *revision || stored.head.head_hash != *hash,
            Ok(None) | Err(_) => true,
        }
    };
    (0..).zip(heads).filter(|game| differs(*game)).count()
}
