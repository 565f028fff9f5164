//! The log's folder: files that are whole or not there, in the tlog-tiles layout.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use divelog_ledger::tlog::ReadTile;

use crate::files::{self, Readers, sync_dir};

/// The newest checkpoint.
pub(crate) const CHECKPOINT: &str = "checkpoint";
/// The public key that checkpoints are signed with.
pub(super) const VERIFIER_KEY: &str = "verifier-key";
/// Every hash tile and bundle of entries lies below.
const TILES: &str = "tile";
/// The one file that may be found half written.
const TEMPORARY: &str = ".new";

/// Why files were not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A failure of the system, which may be temporary.
    #[error("{path}: {source}{advice}", path = .path.display(), advice = files::advice(.source))]
    Io { path: PathBuf, source: io::Error },
    /// A tile never changes, but another one is there.
    #[error("{path} is there with other contents than the store's records give", path = .path.display())]
    Differs { path: PathBuf },
}

/// The folder that is published.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    dir: PathBuf,
}

impl Folder {
    pub fn new(dir: PathBuf) -> Folder {
        Folder { dir }
    }

    pub fn path(&self) -> &Path {
        &self.dir
    }

    pub fn has_tiles(&self) -> bool {
        self.dir.join(TILES).is_dir()
    }

    /// The published checkpoint; none before the first.
    pub fn checkpoint(&self) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.dir.join(CHECKPOINT)) {
            Ok(note) => Ok(Some(note)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes tiles and entries so that all of them survive a power cut. One that is there already must be the same.
    pub fn put_tiles(&self, files: &[(String, Vec<u8>)]) -> Result<(), WriteError> {
        let mut folders = BTreeSet::new();
        for (name, bytes) in files {
            let path = self.dir.join(name);
            let failed = |source| WriteError::Io { path: path.clone(), source };
            match fs::read(&path) {
                Ok(found) if found == *bytes => {}
                Ok(_) => return Err(WriteError::Differs { path }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let parent = path.parent().unwrap_or(&self.dir);
                    files::create_folder(parent, Readers::Everybody).map_err(failed)?;
                    replace(&self.dir.join(TEMPORARY), &path, bytes).map_err(failed)?;
                }
                Err(error) => return Err(failed(error)),
            }
            // Also where it was there before: a crash may have come before its folder was synced.
            let above = path.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.dir));
            folders.extend(above.map(Path::to_path_buf));
        }
        for folder in folders {
            sync_dir(&folder).map_err(|source| WriteError::Io { path: folder.clone(), source })?;
        }
        for (name, _) in files.iter().filter(|(name, _)| !name.contains(".p/")) {
            self.remove_partial(name);
        }
        Ok(())
    }

    /// Writes games that are over. One that is there from before is replaced: another version may have written it.
    pub fn put_games(&self, files: &[(String, Vec<u8>)]) -> Result<(), WriteError> {
        let Some((first, _)) = files.first() else { return Ok(()) };
        let parent = self.dir.join(first).parent().map_or_else(|| self.dir.clone(), Path::to_path_buf);
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            |source| WriteError::Io { path, source }
        };
        files::create_folder(&parent, Readers::Everybody).map_err(failed(&parent))?;
        for (name, bytes) in files {
            let path = self.dir.join(name);
            replace(&self.dir.join(TEMPORARY), &path, bytes).map_err(failed(&path))?;
        }
        sync_dir(&parent).and_then(|()| sync_dir(&self.dir)).map_err(failed(&parent))
    }

    /// Takes the partial tiles away whose full tile is there: the layout lets readers look for that instead.
    fn remove_partial(&self, full: &str) {
        let path = self.dir.join(format!("{full}.p"));
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(path = %path.display(), %error, "partial tiles stay although the full one is there");
            }
            _ => {}
        }
    }

    /// Replaces a file that changes: after a crash the old or the new one is there, whole.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        write_atomically(&self.dir.join(name), &self.dir.join(TEMPORARY), bytes, Readers::Everybody)
    }
}

impl ReadTile for Folder {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        fs::read(self.dir.join(path)).map_err(|error| error.to_string())
    }
}

/// Replaces a file by way of a temporary one in the same file system.
pub(super) fn write_atomically(
    path: &Path,
    temporary: &Path,
    bytes: &[u8],
    readers: Readers,
) -> Result<(), WriteError> {
    let parent = path.parent().unwrap_or(Path::new("."));
    let written = files::create_folder(parent, readers)
        .and_then(|()| files::replace(path, temporary, bytes, readers))
        .and_then(|()| sync_dir(parent));
    written.map_err(|source| WriteError::Io { path: path.to_path_buf(), source })
}

fn replace(temporary: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    files::replace(path, temporary, bytes, Readers::Everybody)
}
