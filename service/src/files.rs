//! Files that are whole or not there, and names that survive a power cut.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use divelog_ledger::Hash;

/// Who may read a file that is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readers {
    /// Whoever the process's umask lets.
    Everybody,
    /// Its owner alone, at every moment.
    Owner,
}

/// Replaces a file by way of a temporary one in the same file system: after a crash the old or the new one is there, whole.
/// Which of them, is certain once the folder is synced.
pub(crate) fn replace(path: &Path, temporary: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    // One that a crash has left may have other permissions.
    remove(temporary)?;
    let mode = if readers == Readers::Owner { 0o600 } else { 0o666 };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(temporary)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| fs::rename(temporary, path));
    written.inspect_err(|_| {
        // On a full disk the half-made file would stand in the way of everything else.
        fs::remove_file(temporary).ok();
    })
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
    use std::os::unix::fs::PermissionsExt;

    use super::*;

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
        replace(&path, &temporary, b"secret", Readers::Owner).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read(&path).unwrap(), b"secret");
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
