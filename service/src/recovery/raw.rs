//! A file as raw bytes: read in windows of bounded size, whatever its length and however damaged.

use std::cell::Cell;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::RecoveryError;

/// Bytes that are looked through before the next are read.
const WINDOW: usize = 4 * 1024 * 1024;
/// Bytes after a find that its reader may want to see: more than any block has.
pub(super) const LOOK_AHEAD: usize = 64 * 1024;
/// Bytes before a find that its reader may want to see.
pub(super) const LOOK_BACK: usize = 64;
/// What a disk gives or refuses as one piece.
const PAGE: usize = 4096;

const _: () = assert!(LOOK_AHEAD > crate::store::block::MAX_BLOCK_BYTES);

/// An open file of a source.
pub(super) struct RawFile {
    pub path: PathBuf,
    file: File,
    pub bytes: u64,
    /// Set once the disk has refused a page.
    unreadable: Cell<bool>,
}

/// A place in a file at which something was found.
pub(super) struct Find<'w> {
    pub offset: u64,
    /// What precedes it, at most [`LOOK_BACK`] bytes.
    pub before: &'w [u8],
    /// What begins there, at least [`LOOK_AHEAD`] bytes unless the file ends earlier.
    pub bytes: &'w [u8],
}

impl RawFile {
    pub fn open(path: &Path) -> Result<RawFile, RecoveryError> {
        let file = File::open(path).map_err(RecoveryError::io("opening", path))?;
        let bytes = file.metadata().map_err(RecoveryError::io("reading", path))?.len();
        Ok(RawFile { path: path.to_path_buf(), file, bytes, unreadable: Cell::new(false) })
    }

    pub fn handle(&self) -> &File {
        &self.file
    }

    /// Whether the disk has refused a page so far.
    pub fn is_partly_unreadable(&self) -> bool {
        self.unreadable.get()
    }

    /// Some bytes of the file; fewer at its end.
    pub fn read(&self, offset: u64, length: usize) -> Vec<u8> {
        let left = usize::try_from(self.bytes.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; length.min(left)];
        self.fill(offset, &mut bytes);
        bytes
    }

    /// Reads what the disk gives. A page that it refuses reads as zeros: what lies in it is lost, what follows is not.
    fn fill(&self, offset: u64, bytes: &mut [u8]) {
        if self.file.read_exact_at(bytes, offset).is_ok() {
            return;
        }
        for (page, part) in bytes.chunks_mut(PAGE).enumerate() {
            let at = offset + (page * PAGE) as u64;
            if let Err(error) = self.file.read_exact_at(part, at) {
                tracing::warn!(path = %self.path.display(), at, %error, "a page cannot be read");
                part.fill(0);
                self.unreadable.set(true);
            }
        }
    }

    /// Whether something is anywhere in the file. What is looked for is shorter than [`LOOK_AHEAD`].
    pub fn any(&self, is_there: impl Fn(&[u8]) -> bool) -> bool {
        let starts = (0..self.bytes).step_by(WINDOW);
        starts.into_iter().any(|start| is_there(&self.read(start, WINDOW + LOOK_AHEAD)))
    }

    /// Goes through the whole file. `next` says where in the bytes it is given something begins; `found` takes it, and
    /// answers with the number of bytes to pass over, at least one. `progress` gets the number of bytes that are done.
    pub fn search(
        &self,
        next: impl Fn(&[u8]) -> Option<usize>,
        mut found: impl FnMut(Find<'_>) -> usize,
        mut progress: impl FnMut(u64),
    ) {
        let mut buffer = Vec::new();
        let mut done = 0;
        while done < self.bytes {
            let back = usize::try_from(done.min(LOOK_BACK as u64)).unwrap_or(LOOK_BACK);
            let start = done - back as u64;
            let left = usize::try_from(self.bytes - start).unwrap_or(usize::MAX);
            buffer.resize(left.min(back + WINDOW + LOOK_AHEAD), 0);
            self.fill(start, &mut buffer);
            // What begins after this is found in the next window, with enough behind it.
            let end = buffer.len().min(back + WINDOW);
            let mut at = back;
            while at < end
                && let Some(hit) = next(&buffer[at..]).map(|hit| at + hit).filter(|hit| *hit < end)
            {
                let before = &buffer[hit.saturating_sub(LOOK_BACK)..hit];
                let find = Find { offset: start + hit as u64, before, bytes: &buffer[hit..] };
                at = hit + found(find).max(1);
            }
            done = start + at.max(end) as u64;
            progress(done);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RawFile;

    #[test]
    fn what_the_disk_refuses_reads_as_zeros_and_is_remembered() {
        let dir = tempfile::tempdir().unwrap();
        // A folder opens like a file, and gives nothing.
        let refused = RawFile::open(dir.path()).unwrap();
        assert!(!refused.is_partly_unreadable());
        assert!(refused.read(0, 10).iter().all(|byte| *byte == 0));
        assert!(refused.is_partly_unreadable() || refused.bytes == 0);
        let path = dir.path().join("file");
        std::fs::write(&path, "bytes").unwrap();
        let given = RawFile::open(&path).unwrap();
        assert_eq!(given.read(1, 10), b"ytes");
        assert!(!given.is_partly_unreadable());
    }
}
