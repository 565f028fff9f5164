//! Whether the other end of a connection takes what it is sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// What a connection has sent, and what it still has to.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    unread: AtomicUsize,
    written: AtomicU64,
}

/// An answer, or a piece of one, that the socket has not taken.
#[derive(Debug)]
pub struct Unread(Arc<Counts>);

impl Progress {
    /// Counts an answer as unread, until what is returned is dropped.
    pub fn unread(&self) -> Unread {
        self.0.unread.fetch_add(1, Relaxed);
        Unread(Arc::clone(&self.0))
    }

    /// Whether any answer is unread.
    pub fn has_unread(&self) -> bool {
        self.0.unread.load(Relaxed) > 0
    }

    /// Notes that the socket has taken bytes.
    pub fn note_written(&self, bytes: usize) {
        self.0.written.fetch_add(bytes as u64, Relaxed);
    }

    /// How many bytes the socket has taken.
    pub fn written(&self) -> u64 {
        self.0.written.load(Relaxed)
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        self.0.unread.fetch_sub(1, Relaxed);
    }
}
