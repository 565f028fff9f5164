//! Before the database opens its file: is that safe?
//!
//! The database changes what it opens. A file that is damaged, or is not the one that was left here, must be left as it is:
//! whatever can be saved of it is found by reading. So the file is read first ([`super::database::reading`]), and where
//! anything about it is doubtful the database opens a copy. Only if the copy gives everything back that reading finds, it
//! opens the original. A refused start changes nothing.
//!
//! After a stop in good order, and after a kill, the file is as the database leaves it, and reading is all that is done, as
//! fast as the disk gives the file. A copy is made after a power cut that has torn the newest writes, and after damage.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::TempDir;

use super::database::reading::{self, Reading};
use super::database::{self, Unchecked, catch_panic, clean_shutdown, is_corruption, lock_file};
use super::error::StoreError;
use super::log::LogKind;
use super::log::files::{FILES, Frame, numbers};
use super::watermark::Watermark;
use super::{Options, open};

/// How the folder of a copy begins.
const COPY: &str = ".divelog-trial-";

/// Refuses a folder of whose file the database would lose something. Nothing is changed. Returns whether there was a problem
/// with the file that a copy has dispelled.
pub(super) fn check(options: &Options, log: &LogKind, mark: Option<Watermark>) -> Result<bool, StoreError> {
    let dir = options.dir.as_path();
    let db = dir.join("db");
    if !db.exists() {
        return Ok(false);
    }
    // Nobody writes to it meanwhile. Released before the database takes it.
    let _lock = lock_file(dir)?;
    remove_copies(dir);
    let failed = |doing| StoreError::io(doing, &db);
    let mut found = reading::read(&db, mark.as_ref()).map_err(failed("reading"))?;
    let Some(problem) = problem(dir, mark, &mut found)? else { return Ok(false) };
    if found.shape.bytes == 0 {
        // There is nothing to lose in it; what should be there is missed by what else the folder holds.
        return Ok(true);
    }
    tracing::warn!(dir = %dir.display(), problem, "the file db is not as it was left; a copy is opened first");
    let copy = copy(dir).map_err(|source| StoreError::CopyFailed {
        dir: dir.to_path_buf(),
        problem: problem.clone(),
        source,
    })?;
    let of_copy = Options { dir: copy.path().to_path_buf(), ..options.clone() };
    let opened = catch_panic("opening a copy of the store", || check_copy(options, &of_copy, log, mark));
    opened.map_err(|error| of_the_store(dir, copy.path(), &problem, error))?;
    tracing::warn!(dir = %dir.display(), problem, "a copy of the file db gives everything back that is in it; going on");
    Ok(true)
}

/// What an error of the copy says of the store itself.
fn of_the_store(dir: &Path, copy: &Path, problem: &str, error: StoreError) -> StoreError {
    let detail = match error {
        StoreError::DatabasePanic { detail, .. } | StoreError::Unopenable { detail, .. } => detail,
        StoreError::Database { doing, source } if is_corruption(source.as_ref()) => format!("{doing}: {source}"),
        error => return error,
    };
    let detail = detail.replace(&*copy.to_string_lossy(), &dir.to_string_lossy());
    StoreError::Unopenable { dir: dir.to_path_buf(), detail: format!("{problem}; {detail}") }
}

/// Why the database must not open the file itself.
fn problem(dir: &Path, mark: Option<Watermark>, found: &mut Reading) -> Result<Option<String>, StoreError> {
    if let Some(problem) = found.problem.take() {
        return Ok(Some(problem));
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

/// Everything that a start checks, on the copy; and whether the database gives back what reading finds.
fn check_copy(options: &Options, of_copy: &Options, log: &LogKind, mark: Option<Watermark>) -> Result<(), StoreError> {
    let dir = options.dir.as_path();
    let database = Unchecked::open(of_copy)?;
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

/// Copies what the database opens. Where the file system can, it takes neither time nor room.
fn copy(dir: &Path) -> io::Result<TempDir> {
    let owner_only = fs::Permissions::from_mode(0o700);
    let copy = tempfile::Builder::new().prefix(COPY).permissions(owner_only).tempdir_in(dir)?;
    database::copy_files(dir, copy.path())?;
    Ok(copy)
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
    use super::super::database::raw;
    use super::*;

    #[test]
    fn damage_that_shows_only_when_the_copy_is_read_is_damage_and_a_full_disk_is_not() {
        let (dir, copy, doing) = (Path::new("/store"), Path::new("/store/copy"), "reading the format");
        let of_the_store = |error| of_the_store(dir, copy, "it is doubtful", error);
        let damaged = of_the_store(raw::corruption(doing));
        assert!(damaged.is_damage() && damaged.to_string().contains("it is doubtful; reading the format"), "{damaged}");
        assert!(!of_the_store(raw::io_error(doing, io::ErrorKind::StorageFull.into())).is_damage());
    }
}
