//! Where a folder is repaired: its own name, the names beside it, and the lock that lets one process at a time do so.
//!
//! The lock is a file beside the folder, because the folder under the name changes. It is never removed: a process that waits
//! for a file that was removed would hold another lock than the next one.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, lchown};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FlockOperation, RenameFlags, flock, renameat_with};

use super::super::{RecoveryError, source};

/// A folder that nobody else repairs.
pub(super) struct RepairFolder {
    /// The folder itself, where its name is a link.
    pub data: PathBuf,
    name: OsString,
    _lock: File,
}

impl RepairFolder {
    pub fn lock(data: &Path) -> Result<RepairFolder, RecoveryError> {
        let data = fs::canonicalize(data).map_err(RecoveryError::io("resolving", data))?;
        let is_root = || io::Error::other("it is the root of a file system");
        let name = data.file_name().ok_or_else(|| RecoveryError::io("naming a folder beside", &data)(is_root()))?;
        let path = data.with_file_name(dotted(name, ".divelog-repair"));
        let opened = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
        let lock = opened.map_err(RecoveryError::io("making the lock of a repair,", &path))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(RepairFolder { name: name.to_os_string(), data, _lock: lock }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(RecoveryError::UnderRepair { dir: data }),
            Err(error) => Err(RecoveryError::io("locking", &path)(error.into())),
        }
    }

    pub fn parent(&self) -> &Path {
        self.data.parent().unwrap_or(Path::new("/"))
    }

    /// How the names begin under which a store is made here.
    pub fn making(&self) -> OsString {
        dotted(&self.name, ".divelog-repair-")
    }

    /// Removes what repairs that were killed have left half made, and names what they have left whole: it may be the damaged
    /// folder, if the kill came between the two steps of the end.
    pub fn clear_leftovers(&self) -> Result<(), RecoveryError> {
        let (making, repaired) = (self.making(), appended(&self.name, ".repaired-"));
        let begins = |name: &OsStr, with: &OsStr| name.as_encoded_bytes().starts_with(with.as_encoded_bytes());
        let parent = self.parent();
        for entry in fs::read_dir(parent).map_err(RecoveryError::io("reading", parent))? {
            let entry = entry.map_err(RecoveryError::io("reading", parent))?;
            let (path, name) = (entry.path(), entry.file_name());
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            if begins(&name, &making) {
                tracing::warn!(path = %path.display(), "repair: removing what an earlier one has left half made");
                fs::remove_dir_all(&path).map_err(RecoveryError::io("removing", &path))?;
            } else if begins(&name, &repaired) {
                tracing::warn!(
                    path = %path.display(),
                    "repair: an earlier one was killed and has left this folder, a restored store or the damaged one; delete \
                     it when nobody needs it any more"
                );
            }
        }
        Ok(())
    }

    /// A name beside the folder that nothing has.
    pub fn free_name(&self, what: &str) -> Result<PathBuf, RecoveryError> {
        let names = (1_u64..).map(|number| appended(&self.name, &format!(".{what}-{number}")));
        for name in names {
            let path = self.data.with_file_name(name);
            match fs::symlink_metadata(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path),
                Err(error) => return Err(RecoveryError::io("naming a folder beside", &self.data)(error)),
                Ok(_) => {}
            }
        }
        Err(RecoveryError::io("naming a folder beside", &self.data)(io::Error::other("there is no free name")))
    }

    /// Puts a new folder in the place of this one; answers with where this one is now. An error: both are where they were.
    pub fn put(&self, new: &Path) -> Result<PathBuf, RecoveryError> {
        let (data, aside) = (&self.data, self.free_name("damaged")?);
        let failed = RecoveryError::io("putting the repaired folder in the place of", data);
        match renameat_with(CWD, data, CWD, new, RenameFlags::EXCHANGE) {
            Ok(()) => {}
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::OPNOTSUPP) => {
                return in_two_steps(data, new, &aside).map(|()| aside).map_err(failed);
            }
            Err(error) => return Err(failed(error.into())),
        }
        match fs::rename(new, &aside) {
            Ok(()) => Ok(aside),
            Err(error) => {
                tracing::warn!(%error, "repair: the damaged folder keeps the name of the repaired one");
                Ok(new.to_path_buf())
            }
        }
    }
}

/// Where the file system does not exchange two names: there is a moment without a folder.
pub(super) fn in_two_steps(data: &Path, new: &Path, aside: &Path) -> io::Result<()> {
    fs::rename(data, aside)?;
    fs::rename(new, data).or_else(|error| {
        fs::rename(aside, data)?;
        Err(error)
    })
}

/// The folder and its file as they were read. While this is held no server opens the file.
pub(super) struct Seen {
    data: PathBuf,
    identities: [Option<Identity>; 2],
    _database: Option<File>,
}

/// Device and number.
type Identity = (u64, u64);

impl Seen {
    pub fn hold(data: &Path) -> Result<Seen, RecoveryError> {
        let path = data.join(source::DATABASE_FILE);
        let database = match File::open(&path) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(RecoveryError::io("opening", &path)(error)),
        };
        if let Some(file) = &database {
            source::lock(data, file)?;
        }
        Ok(Seen { identities: identities(data)?, data: data.to_path_buf(), _database: database })
    }

    /// Refuses if another folder or file is there by now.
    pub fn check(&self) -> Result<(), RecoveryError> {
        match identities(&self.data)? == self.identities {
            true => Ok(()),
            false => Err(RecoveryError::Changed { dir: self.data.clone() }),
        }
    }
}

fn identities(data: &Path) -> Result<[Option<Identity>; 2], RecoveryError> {
    let identity = |path: &Path| match fs::metadata(path) {
        Ok(found) => Ok(Some((found.dev(), found.ino()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(RecoveryError::io("looking for", path)(error)),
    };
    Ok([identity(data)?, identity(&data.join(source::DATABASE_FILE))?])
}

/// Gives a new folder the owner and the group of an old one, and its mode, but for what that allowed to others than the owner.
pub(super) fn take_over_permissions(old: &Path, new: &Path) -> Result<(), RecoveryError> {
    let old = fs::metadata(old).map_err(RecoveryError::io("reading", old))?;
    let taken = give(new, old.uid(), old.gid())
        .and_then(|()| fs::set_permissions(new, fs::Permissions::from_mode(old.mode() & 0o7700)));
    taken.map_err(RecoveryError::io("taking over owner and mode of the data folder for", new))
}

/// Changes owner and group of everything in a folder, and of itself at last, where they differ.
fn give(path: &Path, owner: u32, group: u32) -> io::Result<()> {
    let found = fs::symlink_metadata(path)?;
    if found.is_dir() {
        for entry in fs::read_dir(path)? {
            give(&entry?.path(), owner, group)?;
        }
    }
    match (found.uid(), found.gid()) == (owner, group) {
        true => Ok(()),
        false => lchown(path, Some(owner), Some(group)),
    }
}

fn appended(name: &OsStr, end: &str) -> OsString {
    let mut name = name.to_os_string();
    name.push(end);
    name
}

/// Hidden.
fn dotted(name: &OsStr, end: &str) -> OsString {
    let mut dotted = OsString::from(".");
    dotted.push(name);
    dotted.push(end);
    dotted
}
