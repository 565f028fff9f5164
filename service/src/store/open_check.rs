//! Before sled opens a folder's file: is that safe?
//!
//! Sled changes what it opens. A file that is damaged, or is not the one that was left here, must be left as it is: whatever
//! can be saved of it is found by reading. So the file is read first ([`super::database::reading`]), and where anything
//! about it is doubtful sled opens a copy. Only if the copy gives everything back that reading finds, sled opens the
//! original. A refused start changes nothing.
//!
//! After a stop in good order, and after a kill, the file is as sled leaves it, and reading is all that is done, as fast as
//! the disk gives the file. A copy is made after a power cut that has torn sled's newest writes, and after damage.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::database::reading::{self, Reading};
use super::database::{Unchecked, catch_panic, clean_shutdown, is_corruption, lock_file};
use super::error::StoreError;
use super::log::LogKind;
use super::log::files::{FILES, Frame, numbers};
use super::watermark::Watermark;
use super::{Options, open};
use crate::files::{self, Readers};

/// How the folder of a copy begins.
const COPY: &str = ".divelog-trial-";

/// Refuses a folder whose file sled would lose something of. Nothing is changed. Answers whether there is a doubt about the
/// file that a copy has dispelled.
pub(super) fn check(options: &Options, log: &LogKind, mark: Option<Watermark>) -> Result<bool, StoreError> {
    let dir = options.dir.as_path();
    let db = dir.join("db");
    if !db.exists() {
        return Ok(false);
    }
    // Nobody writes to it meanwhile. Given back before sled takes it.
    let _lock = lock_file(dir)?;
    remove_copies(dir);
    let failed = |doing| StoreError::io(doing, &db);
    let mut found = reading::read(&db, mark.as_ref()).map_err(failed("reading"))?;
    let Some(doubt) = doubt(dir, mark, &mut found)? else { return Ok(false) };
    if found.shape.bytes == 0 {
        // There is nothing to lose in it; what should be there is missed by what else the folder holds.
        return Ok(true);
    }
    tracing::warn!(dir = %dir.display(), doubt, "the file db is not as it was left; a copy is tried first");
    let copy =
        copy(dir).map_err(|source| StoreError::NoTrial { dir: dir.to_path_buf(), doubt: doubt.clone(), source })?;
    let trial = Options { dir: copy.path().to_path_buf(), ..options.clone() };
    let opened = catch_panic("opening a copy of the store", || try_copy(options, &trial, log, mark));
    opened.map_err(|error| of_the_store(dir, copy.path(), &doubt, error))?;
    tracing::warn!(dir = %dir.display(), doubt, "a copy of the file db gives everything back that is in it; going on");
    Ok(true)
}

/// What an error of the copy says of the store itself.
fn of_the_store(dir: &Path, copy: &Path, doubt: &str, error: StoreError) -> StoreError {
    let detail = match error {
        StoreError::DatabasePanic { detail, .. } | StoreError::Unopenable { detail, .. } => detail,
        StoreError::Database { doing, source } if is_corruption(source.as_ref()) => format!("{doing}: {source}"),
        error => return error,
    };
    let detail = detail.replace(&*copy.to_string_lossy(), &dir.to_string_lossy());
    StoreError::Unopenable { dir: dir.to_path_buf(), detail: format!("{doubt}; {detail}") }
}

/// Why sled must not open the file itself.
fn doubt(dir: &Path, mark: Option<Watermark>, found: &mut Reading) -> Result<Option<String>, StoreError> {
    if let Some(doubt) = found.doubt.take() {
        return Ok(Some(doubt));
    }
    let closed = clean_shutdown::read(dir).and_then(|closed| closed.shape);
    if closed.is_some_and(|closed| closed != found.shape) {
        return Ok(Some("it was changed while no server had it open".to_owned()));
    }
    let Some(mark) = mark else { return Ok(None) };
    for which in 0..FILES {
        let path = dir.join(format!("journal-{which}"));
        match fs::read(&path) {
            Ok(bytes) => reading::add_blocks(&bytes, Some(&mark), found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(StoreError::io("reading the journal", &path)(error)),
        }
    }
    if !found.is_marked_block_there {
        return Ok(Some(format!("block {}, which the watermark names, is not in it", mark.block)));
    }
    // After a stop in good order nothing has come or gone, and what is missing was missing before.
    let missing = if closed.is_some() { None } else { found.blocks.first_missing(mark.block) };
    Ok(missing.map(|number| format!("block {number} is not in it")))
}

/// Everything that a start checks, on the copy; and whether sled gives back what reading finds.
fn try_copy(options: &Options, trial: &Options, log: &LogKind, mark: Option<Watermark>) -> Result<(), StoreError> {
    let dir = options.dir.as_path();
    let database = Unchecked::open(trial)?;
    if !database.was_recovered() && mark.is_none() {
        return Err(StoreError::Emptied { dir: dir.to_path_buf() });
    }
    database.check_format(dir)?;
    let in_database = database.last_block()?;
    let lacks = |frame: &Frame| database.lacks(frame.number, !frame.secrets.is_empty());
    let found = log.read(options, database.store_id()?.as_ref(), in_database, lacks)?;
    open::check_past(options, &database, mark, in_database, &found)?;
    let accepted = database.accepted()?;
    // Numbers that nobody has given out are no blocks, whatever they look like.
    let end = numbers::read(dir).unwrap_or(u64::MAX);
    let mut withheld: Result<Option<u64>, StoreError> = Ok(None);
    let db = dir.join("db");
    reading::for_each_block(&db, |number| {
        let asked = number < end && Some(number) > accepted && !found.frames.contains_key(&number);
        if asked && let Ok(None) = withheld {
            withheld = database.lacks(number, false).map(|lacks| lacks.then_some(number));
        }
    })
    .map_err(StoreError::io("reading", &db))?;
    if let Some(number) = withheld? {
        let detail = format!("block {number} is in it, and the database does not give it back");
        return Err(StoreError::Unopenable { dir: dir.to_path_buf(), detail });
    }
    database.read_everything()
}

/// Copies what sled opens. Where the file system can, it takes neither time nor room.
fn copy(dir: &Path) -> io::Result<TempDir> {
    let owner_only = fs::Permissions::from_mode(0o700);
    let copy = tempfile::Builder::new().prefix(COPY).permissions(owner_only).tempdir_in(dir)?;
    for path in engine_files(dir)? {
        let Some(name) = path.file_name() else { continue };
        files::copy(&path, &copy.path().join(name), Readers::Owner)?;
    }
    let blobs = dir.join("blobs");
    if blobs.is_dir() {
        files::create_folder(&copy.path().join("blobs"), Readers::Owner)?;
        for blob in fs::read_dir(&blobs)? {
            let blob = blob?;
            files::copy(&blob.path(), &copy.path().join("blobs").join(blob.file_name()), Readers::Owner)?;
        }
    }
    Ok(copy)
}

/// Sled's own files: the log, its settings, and its newest summary of the log.
fn engine_files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_file() && (name == "db" || name == "conf" || name.starts_with("snap.")) {
            files.push(path);
        }
    }
    Ok(files)
}

/// Removes what a start that was killed has left.
fn remove_copies(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(COPY)) {
            fs::remove_dir_all(entry.path()).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sled_notices_only_when_it_reads_the_copy_is_damage_and_a_full_disk_is_not() {
        let (dir, copy) = (Path::new("/store"), Path::new("/store/copy"));
        let told = |source| {
            let error = StoreError::Database { doing: "reading the format", source: Box::new(source) };
            of_the_store(dir, copy, "it is doubtful", error)
        };
        let damaged = told(sled::Error::Corruption { at: None, bt: () });
        assert!(damaged.is_damage() && damaged.to_string().contains("it is doubtful; reading the format"), "{damaged}");
        assert!(!told(sled::Error::Io(io::ErrorKind::StorageFull.into())).is_damage());
    }
}
