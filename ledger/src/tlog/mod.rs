//! The transparency log: one RFC 6962 Merkle tree over the heads of all games, and signed checkpoints of it.
//!
//! Formats are public ones: C2SP signed notes and checkpoints, and tiles in the tlog-tiles layout. The tree's arithmetic is
//! `tlog_tiles`', the notes' is `signed_note`'s; here is what divelog puts into them. Nothing here does I/O: tiles are
//! read through [`ReadTile`], and what is to be written is returned. `docs/transparency.md` describes every byte.

mod checkpoint;
mod key;
mod leaf;
mod previous;
mod proof;
mod root;
mod tile;
mod tree;

pub use checkpoint::{Checkpoint, MAX_CHECKPOINT_BYTES};
pub use key::{SigningKey, VerifierKey};
pub use leaf::{LEAF_BYTES, LEAF_INTERVAL, Leaf};
pub use previous::PreviousLog;
pub use proof::{MAX_PROOF_HASHES, verify_consistency, verify_inclusion};
pub use root::GrowingRoot;
pub use tile::{ENTRIES_PER_FILE, ReadTile, entries_paths, read_entries};
pub use tree::{MAX_TREE_SIZE, Tree};

#[cfg(test)]
mod tests;

/// What can be wrong with a part of the transparency log.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TlogError {
    /// Bytes that are not a leaf.
    #[error("the bytes are not a leaf of the log: {0}")]
    Leaf(&'static str),
    /// A text that is not a key.
    #[error("{0}")]
    Key(&'static str),
    /// Bytes that are not a checkpoint.
    #[error("the bytes are not a checkpoint: {0}")]
    Checkpoint(&'static str),
    /// Bytes that are not a note about a previous log.
    #[error("the bytes are not a note about a previous log: {0}")]
    Previous(&'static str),
    /// A checkpoint that the key did not sign.
    #[error("the checkpoint is not signed by {origin}: {message}")]
    Signature {
        /// The name of the key that was asked for.
        origin: String,
        /// What is wrong.
        message: String,
    },
    /// A file of the log that cannot be read.
    #[error("{path}: {message}")]
    Unreadable {
        /// The file, relative to the log's folder.
        path: String,
        /// Why, as the reader said.
        message: String,
    },
    /// A file of the log that does not fit the tree.
    #[error("{path}: {message}")]
    Damaged {
        /// The file, relative to the log's folder.
        path: String,
        /// What does not fit.
        message: &'static str,
    },
    /// A place or size that the tree does not have.
    #[error("{0}")]
    OutOfRange(String),
    /// A proof that proves nothing.
    #[error("{0}")]
    Proof(&'static str),
}
