//! A folder without a store: a first start, or a store that has gone?
//!
//! Where a volume is not mounted, or a folder was moved or deleted, the server would silently begin an empty store in its
//! place. That cannot always be told from a first start, but much shows it: what else lies in the folder, the
//! published log, and a note that the server leaves beside the folder (not in it: it must outlive the folder).

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use rustix::io::Errno;

use crate::files::{self, Readers};
use crate::transparency::CHECKPOINT;

/// Files of a data folder that are made after `db`, and never without it.
const LATER: [&str; 6] = ["numbers", "sync-state", "journal-0", "journal-1", "tlog-state", "closed"];

/// Files of a data folder that are written in their place.
const WRITTEN: [&str; 4] = ["db", "journal-0", "journal-1", "sync-state"];
/// Those that are only read, or replaced by others.
const READ: [&str; 6] = ["conf", "watermark", "numbers", "closed", "tlog-state", "previous-log"];

/// Why no new store is begun.
#[derive(Debug, thiserror::Error)]
pub enum NoStore {
    /// The folder holds what only a store leaves.
    #[error(
        "the folder {dir} has the file `{name}` of a store, but not `db`. Nothing was changed. Put the store back, or make one \
         from a backup (`divelogd restore`); to begin an empty store, empty the folder, or start once with --accept-loss",
        dir = .dir.display()
    )]
    Leftover { dir: PathBuf, name: &'static str },
    /// The log that was published is of a store.
    #[error(
        "there is no store in {dir}, but a transparency log was published in {publish}: is the folder moved, or its volume not \
         mounted? Nothing was changed. Put the store back, or make one from a backup (`divelogd restore`); to begin an empty \
         store with a new log, move the published folder away, or start once with --accept-loss",
        dir = .dir.display(), publish = .publish.display()
    )]
    Published { dir: PathBuf, publish: PathBuf },
    /// A server has served from the folder before.
    #[error(
        "there is no store in {dir}, where there was one before: is the folder moved, or its volume not mounted? Nothing was \
         changed. Put the store back, or make one from a backup (`divelogd restore`); to begin an empty store, delete the note \
         {note}, or start once with --accept-loss",
        dir = .dir.display(), note = .note.display()
    )]
    Vanished { dir: PathBuf, note: PathBuf },
    /// A folder cannot be made or written in.
    #[error(
        "the folder {dir} cannot be used: {path}: {source}{advice}. Nothing was changed",
        dir = .dir.display(), path = .path.display(), advice = files::advice(.source)
    )]
    Unusable { dir: PathBuf, path: PathBuf, source: io::Error },
    /// The operator says that there is a store.
    #[error(
        "there is no store in {dir}, and --existing says that there is one: is the folder moved, or its volume not mounted? \
         Nothing was changed",
        dir = .dir.display()
    )]
    NotThere { dir: PathBuf },
}

/// Refuses folders that cannot be made or written in, before anything is made. Where there is a store, games go on without the
/// published folder, and the sealer says what is wrong with it.
pub fn check_folders(data: &Path, publish: &Path) -> Result<(), NoStore> {
    let check = |dir: &Path| {
        files::check_folder(dir).map_err(|(path, source)| NoStore::Unusable { dir: dir.to_path_buf(), path, source })
    };
    check(data)?;
    check_files(data)?;
    if data.join("db").exists() { Ok(()) } else { check(publish) }
}

/// Refuses a store with files that cannot be read, or written where they are written in their place: the database would
/// not say which.
fn check_files(data: &Path) -> Result<(), NoStore> {
    let names = WRITTEN.iter().map(|name| (*name, Access::READ_OK | Access::WRITE_OK));
    for (name, wanted) in names.chain(READ.iter().map(|name| (*name, Access::READ_OK))) {
        let path = data.join(name);
        match rustix::fs::access(&path, wanted) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(NoStore::Unusable { dir: data.to_path_buf(), path, source: error.into() }),
        }
    }
    Ok(())
}

/// Refuses to begin a new store where there should be one.
pub fn check(data: &Path, publish: &Path, existing: bool) -> Result<(), NoStore> {
    // What is wrong with a store that is there, or that a watermark speaks of, the store says itself.
    if data.join("db").exists() || data.join("watermark").exists() {
        return Ok(());
    }
    let dir = data.to_path_buf();
    if let Some(name) = LATER.into_iter().find(|name| data.join(name).exists()) {
        return Err(NoStore::Leftover { dir, name });
    }
    if let Some(note) = note_path(data).filter(|note| note.exists()) {
        return Err(NoStore::Vanished { dir, note });
    }
    if publish.join(CHECKPOINT).exists() {
        return Err(NoStore::Published { dir, publish: publish.to_path_buf() });
    }
    if existing {
        return Err(NoStore::NotThere { dir });
    }
    Ok(())
}

/// Leaves the note. Where nobody may write beside the folder there is none.
pub fn note(data: &Path) {
    let Some(path) = note_path(data).filter(|path| !path.exists()) else { return };
    let text = format!(
        "A divelogd has served from {}. If that folder is gone, divelogd begins no empty store in its place. To begin one, \
         delete this file.\n",
        data.display()
    );
    let written = files::create(&path, Readers::Owner).and_then(|mut file| file.write_all(text.as_bytes()));
    if let Err(error) = written {
        tracing::debug!(path = %path.display(), %error, "there is no note beside the data folder");
    }
}

/// Beside the folder, hidden.
fn note_path(data: &Path) -> Option<PathBuf> {
    let data = std::path::absolute(data).ok()?;
    let name = data.file_name()?.to_str()?;
    Some(data.with_file_name(format!(".{name}.divelog-store")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_first_start_is_told_from_a_store_that_has_gone() {
        let dir = tempfile::tempdir().unwrap();
        let (data, publish) = (dir.path().join("data"), dir.path().join("published"));
        let found = || check(&data, &publish, false);
        assert!(found().is_ok(), "a first start");
        assert!(matches!(check(&data, &publish, true), Err(NoStore::NotThere { .. })));
        fs::create_dir_all(&data).unwrap();
        fs::write(data.join("signing-key"), "put there before the first start").unwrap();
        assert!(found().is_ok(), "an empty volume");

        fs::write(data.join("db"), "").unwrap();
        note(&data);
        assert!(found().is_ok() && check(&data, &publish, true).is_ok());
        fs::remove_dir_all(&data).unwrap();
        assert!(matches!(found(), Err(NoStore::Vanished { .. })));
        fs::create_dir(&data).unwrap();
        let Err(NoStore::Vanished { note, .. }) = found() else { panic!("a volume that is not mounted") };
        fs::remove_file(note).unwrap();
        assert!(found().is_ok());

        fs::create_dir(&publish).unwrap();
        fs::write(publish.join(CHECKPOINT), "signed").unwrap();
        assert!(matches!(found(), Err(NoStore::Published { .. })));
        fs::write(data.join("numbers"), "").unwrap();
        assert!(matches!(found(), Err(NoStore::Leftover { name: "numbers", .. })));
    }
}
