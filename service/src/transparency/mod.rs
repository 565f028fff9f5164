//! The transparency log: one Merkle tree over the heads of all games, signed and published.
//!
//! A thread of its own, the sealer, follows the store's durable blocks about once a second. Play never waits for it.
//!
//! | file | what it holds |
//! |---|---|
//! | `key` | the operator's signing key |
//! | `files` | the published folder, in the tlog-tiles layout |
//! | `games` | games that are over, published whole |
//! | `previous` | the log whose place this one has taken, if there was one |
//! | `state` | what was sealed so far, in the data folder |
//! | `sealer` | from blocks to a signed checkpoint, and the checks before the first signature of a run |
//! | `sealer_handle` | the sealer's thread, and those who wait for it |
//! | `proofs` | inclusion and consistency, from the tiles |

mod files;
mod games;
mod key;
mod previous;
mod proofs;
mod sealer;
mod sealer_handle;
pub(crate) mod state;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use divelog_ledger::Hash;

pub use self::files::WriteError;
pub use self::games::evidence;
pub use self::key::KeyError;
pub use self::sealer_handle::Transparency;

pub(crate) use self::files::CHECKPOINT;
pub(crate) use self::key::make as make_key;
pub(crate) use self::previous::PREVIOUS_LOG;

/// How the log is kept.
#[derive(Clone, Debug)]
pub struct TransparencyOptions {
    /// The data folder: the state, and the key if none is given.
    pub data: PathBuf,
    /// The folder that is published.
    pub publish: PathBuf,
    /// Whether games that are over are published there too.
    pub games: bool,
    /// A signing key that lies elsewhere.
    pub signing_key: Option<PathBuf>,
    /// The log's name, for a new key.
    pub origin: Option<String>,
    /// How often new blocks are sealed.
    pub interval: Duration,
}

/// A published checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// How many leaves it covers.
    pub size: u64,
    /// The root of the tree.
    pub root: Hash,
    /// The signed note.
    pub note: Bytes,
}

/// Why nothing is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SealError {
    /// Something does not agree: nothing is signed until the operator has fixed it and restarted the server.
    Broken(Arc<str>),
    /// The disk or the store fails: it is tried again.
    Failing(Arc<str>),
}

impl SealError {
    fn broken(message: impl Into<Arc<str>>) -> SealError {
        SealError::Broken(message.into())
    }
}
