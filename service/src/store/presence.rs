//! Whether the store's files are still where they were opened.
//!
//! A file that is deleted, or replaced by another of its name, goes on for whoever has it open: everything would be
//! acknowledged and synced, and be gone at the next start. So somebody looks about once a second.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::error::StoreError;

/// What is found again under its name only as long as nobody has moved, deleted or replaced it.
const FILES: [&str; 3] = ["db", "journal-0", "journal-1"];

pub(super) struct Presence(Vec<OpenedFile>);

struct OpenedFile {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl Presence {
    /// The folder and the files as they are now, just opened.
    pub fn of(dir: &Path) -> Result<Presence, StoreError> {
        let paths = std::iter::once(dir.to_path_buf()).chain(FILES.iter().map(|name| dir.join(name)));
        let mut known = Vec::new();
        for path in paths {
            match fs::metadata(&path) {
                Ok(found) => known.push(OpenedFile { path, device: found.dev(), inode: found.ino() }),
                // A log that has no files.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(StoreError::io("looking for", &path)(error)),
            }
        }
        Ok(Presence(known))
    }

    /// The first of them that is not there any more, and what is there instead. What cannot be asked is taken to be there.
    pub fn gone(&self) -> Option<(&Path, &'static str)> {
        self.0.iter().find_map(|known| {
            let how = match fs::metadata(&known.path) {
                Ok(found) if (found.dev(), found.ino()) == (known.device, known.inode) => return None,
                Ok(_) => "is another one now",
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                    "is not there any more"
                }
                Err(_) => return None,
            };
            Some((known.path.as_path(), how))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_deleted_moved_or_replaced_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("data");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("db"), "one").unwrap();
        let presence = Presence::of(&folder).unwrap();
        assert!(presence.gone().is_none());
        fs::write(folder.join("db"), "the same file with other contents").unwrap();
        assert!(presence.gone().is_none());
        fs::write(folder.join("new"), "another file").unwrap();
        fs::rename(folder.join("new"), folder.join("db")).unwrap();
        assert_eq!(presence.gone(), Some((folder.join("db").as_path(), "is another one now")));
        fs::remove_file(folder.join("db")).unwrap();
        assert_eq!(presence.gone(), Some((folder.join("db").as_path(), "is not there any more")));
        fs::rename(&folder, dir.path().join("moved")).unwrap();
        assert_eq!(presence.gone(), Some((folder.as_path(), "is not there any more")));
    }
}
