//! Files that are whole or not there, names that survive a power cut, and who may read them.
//!
//! A data folder holds the secrets of all games: what is made in it is its owner's alone. What is published is for everybody,
//! whatever the umask of the process: a web server of another user gives it out.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use divelog_ledger::Hash;
use rustix::fs::{Access, Mode};

/// Who may read a file or a folder that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// Everybody, whatever the umask is.
    Everybody,
    /// Its owner alone, at every moment.
    Owner,
}

impl Readers {
    fn of_file(self) -> u32 {
        if self == Readers::Owner { 0o600 } else { 0o644 }
    }

    fn of_folder(self) -> u32 {
        if self == Readers::Owner { 0o700 } else { 0o755 }
    }
}

/// From now on everything that the process makes is its owner's alone, unless it says otherwise ([`Readers::Everybody`]).
/// The database takes no mode for its files; only the umask reaches them.
pub fn make_private() {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
}

/// Replaces a file by way of a temporary one in the same file system: after a crash the old or the new one is there, whole.
/// Which of them, is certain once the folder is synced.
pub(crate) fn replace(path: &Path, temporary: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    write(temporary, bytes, readers).and_then(|()| fs::rename(temporary, path)).inspect_err(|_| {
        // On a full disk the half-made file would stand in the way of everything else.
        fs::remove_file(temporary).ok();
    })
}

/// A new file in the place of one that may be there, synced. After a crash it may be there in part.
pub(crate) fn write(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let mut file = create(path, readers)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// A new, empty file in the place of one that may be there.
pub(crate) fn create(path: &Path, readers: Readers) -> io::Result<File> {
    // One that a crash has left may have other permissions.
    remove(path)?;
    let file = OpenOptions::new().write(true).create_new(true).mode(readers.of_file()).open(path)?;
    if readers == Readers::Everybody {
        // The umask has taken from the mode.
        file.set_permissions(fs::Permissions::from_mode(readers.of_file()))?;
    }
    Ok(file)
}

/// Makes a folder and what is missing above it. What is there keeps its permissions.
pub(crate) fn create_folder(path: &Path, readers: Readers) -> io::Result<()> {
    let is_there = |error: &io::Error| error.kind() == io::ErrorKind::AlreadyExists && path.is_dir();
    let create = || DirBuilder::new().mode(readers.of_folder()).create(path);
    let mut created = create();
    if let Err(error) = &created
        && error.kind() == io::ErrorKind::NotFound
        && let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty())
    {
        create_folder(parent, readers)?;
        // Once more only: some folders take no others although they are there, such as a deleted one.
        created = create();
    }
    match created {
        Ok(()) => {}
        Err(error) if is_there(&error) => return Ok(()),
        Err(error) => return Err(error),
    }
    match readers {
        Readers::Everybody => fs::set_permissions(path, fs::Permissions::from_mode(readers.of_folder())),
        Readers::Owner => Ok(()),
    }
}

/// Copies a file's bytes. Where the file system can, the two share them.
pub(crate) fn copy(from: &Path, to: &Path, readers: Readers) -> io::Result<File> {
    let mut source = File::open(from)?;
    let mut target = create(to, readers)?;
    io::copy(&mut source, &mut target)?;
    Ok(target)
}

/// What an operator can do about a failure, as the end of a sentence about a path.
pub(crate) fn advice(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            let user = rustix::process::geteuid().as_raw();
            format!(
                "; divelogd runs as user {user}: give that user the file or folder (chown), or run divelogd as its owner"
            )
        }
        io::ErrorKind::NotFound => "; check the path".to_owned(),
        io::ErrorKind::NotADirectory => {
            "; a part of the path is a file: name a folder, or move the file away".to_owned()
        }
        io::ErrorKind::ReadOnlyFilesystem => "; mount the file system so that it can be written".to_owned(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "; make room there".to_owned(),
        _ => String::new(),
    }
}

/// Whether a folder can be written in, or can be made where it is not there. Makes nothing. An error comes with the path that
/// it is about.
pub(crate) fn check_folder(folder: &Path) -> Result<(), (PathBuf, io::Error)> {
    for path in folder.ancestors() {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let failed = |error| (path.to_path_buf(), error);
        match fs::metadata(path) {
            Ok(found) if !found.is_dir() => return Err(failed(io::ErrorKind::NotADirectory.into())),
            Ok(_) => {
                let wanted = Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK;
                return rustix::fs::access(path, wanted).map_err(|error| failed(error.into()));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(())
}

/// A hash from the 64 digits that the small text files of a data folder hold.
pub(crate) fn hash_from_hex(text: &str) -> Option<Hash> {
    let mut hash = Hash::default();
    hex::decode_to_slice(text, &mut hash).ok().map(|()| hash)
}

/// Removes a file; says whether it was there.
pub(crate) fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Makes the names in a folder survive a power cut.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    /// Not every folder takes another one, and not every folder that is deleted is gone for those who are in it.
    #[test]
    fn a_folder_that_cannot_be_made_is_an_error() {
        for path in ["/proc/nope", "/proc/nope/further/down", "/proc/self/fd/nope"] {
            assert!(create_folder(Path::new(path), Readers::Owner).is_err(), "{path}");
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("one/two/three");
        create_folder(&path, Readers::Owner).unwrap();
        create_folder(&path, Readers::Owner).unwrap();
        assert_eq!((mode(&path), mode(&dir.path().join("one"))), (0o700, 0o700));
    }

    #[test]
    fn a_file_is_replaced_whole_and_a_failure_leaves_the_old_one_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let (path, temporary) = (dir.path().join("file"), dir.path().join("file.new"));
        replace(&path, &temporary, b"old", Readers::Everybody).unwrap();
        replace(&path, &temporary, b"new", Readers::Everybody).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        // A folder with something in it cannot be replaced by a file.
        let taken = dir.path().join("taken");
        fs::create_dir_all(taken.join("full")).unwrap();
        assert!(replace(&taken, &temporary, b"newer", Readers::Everybody).is_err());
        assert!(taken.join("full").is_dir() && !temporary.exists());
    }

    #[test]
    fn a_private_file_is_its_owners_also_where_a_crash_has_left_an_open_one() {
        let dir = tempfile::tempdir().unwrap();
        let (path, temporary) = (dir.path().join("key"), dir.path().join("key.new"));
        fs::write(&temporary, "left behind").unwrap();
        fs::set_permissions(&temporary, fs::Permissions::from_mode(0o666)).unwrap();
        replace(&path, &temporary, b"secret", Readers::Owner).unwrap();
        assert_eq!(mode(&path), 0o600);
        assert_eq!(fs::read(&path).unwrap(), b"secret");
    }

    #[test]
    fn a_copy_has_the_permissions_of_its_place_and_not_those_of_what_was_copied() {
        let dir = tempfile::tempdir().unwrap();
        let (open, private) = (dir.path().join("open"), dir.path().join("private"));
        drop(create(&open, Readers::Everybody).unwrap().write_all(b"bytes"));
        drop(copy(&open, &private, Readers::Owner).unwrap());
        drop(copy(&private, &dir.path().join("published"), Readers::Everybody).unwrap());
        assert_eq!((mode(&open), mode(&private), mode(&dir.path().join("published"))), (0o644, 0o600, 0o644));
        assert_eq!(fs::read(dir.path().join("published")).unwrap(), b"bytes");
    }

    #[test]
    fn folders_are_made_with_what_is_missing_above_them_and_those_that_are_there_stay_as_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let above = dir.path().join("above");
        fs::create_dir(&above).unwrap();
        fs::set_permissions(&above, fs::Permissions::from_mode(0o750)).unwrap();
        create_folder(&above.join("a/b"), Readers::Owner).unwrap();
        create_folder(&above.join("c/d"), Readers::Everybody).unwrap();
        create_folder(&above, Readers::Owner).unwrap();
        let modes = ["", "a", "a/b", "c", "c/d"].map(|name| mode(&above.join(name)));
        assert_eq!(modes, [0o750, 0o700, 0o700, 0o755, 0o755]);
        fs::write(above.join("file"), "").unwrap();
        assert!(create_folder(&above.join("file"), Readers::Owner).is_err());
        assert!(create_folder(&above.join("file/below"), Readers::Owner).is_err());
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named_and_nothing_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        for bad in [file.clone(), file.join("below/it")] {
            let (path, error) = check_folder(&bad).unwrap_err();
            assert!(path.starts_with(&file), "{path:?}");
            assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
            assert!(advice(&error).contains("name a folder"));
        }
        for good in [dir.path().to_path_buf(), dir.path().join("to/be/made")] {
            check_folder(&good).unwrap();
        }
        assert!(!dir.path().join("to").exists());
    }

    #[test]
    fn what_is_not_there_needs_no_removing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        assert!(!remove(&path).unwrap());
        fs::write(&path, "").unwrap();
        assert!(remove(&path).unwrap());
        assert!(remove(dir.path()).is_err(), "a folder is no file");
    }
}
