//! A leaf: one game's head at one revision.

use tlog_tiles::record_hash;

use super::TlogError;
use crate::{GameId, Hash, Revision, Status};

/// A running game enters the log again after this many records.
pub const LEAF_INTERVAL: u64 = 64;
/// The length of a leaf.
pub const LEAF_BYTES: usize = TAG.len() + 16 + 8 + 32 + 1;

const TAG: &[u8; 15] = b"divelog/leaf/v1";

/// A game's head, as the log holds it. The record's hash is blinded by its nonce, so a leaf reveals nothing of what happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The game.
    pub game: GameId,
    /// How many records it has.
    pub revision: Revision,
    /// The hash of the last of them; it covers all before it.
    pub record_hash: Hash,
    /// How far the game is.
    pub status: Status,
}

impl Leaf {
    /// Whether a game enters the log at this revision: when it begins, at intervals, and when it is over.
    pub fn is_due(revision: Revision, status: Status) -> bool {
        let at_interval = revision != Revision::NONE && revision.get().is_multiple_of(LEAF_INTERVAL);
        revision == Revision::BEGUN || at_interval || status != Status::Running
    }

    /// The leaf's bytes.
    pub fn encode(&self) -> [u8; LEAF_BYTES] {
        let status: u8 = match self.status {
            Status::Running => 1,
            Status::Finished => 2,
            Status::Abandoned => 3,
        };
        let parts: [&[u8]; 5] = [TAG, &self.game.0, &self.revision.get().to_be_bytes(), &self.record_hash, &[status]];
        let mut leaf = [0; LEAF_BYTES];
        let mut at = 0;
        for part in parts {
            leaf[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        leaf
    }

    /// Reads a leaf's bytes.
    pub fn decode(bytes: &[u8]) -> Result<Leaf, TlogError> {
        let rest = bytes.strip_prefix(TAG).ok_or(TlogError::Leaf("they do not begin with divelog/leaf/v1"))?;
        let wrong_length = TlogError::Leaf("they are not 72 bytes");
        let (game, rest) = rest.split_first_chunk().ok_or(wrong_length.clone())?;
        let (revision, rest) = rest.split_first_chunk().ok_or(wrong_length.clone())?;
        let (record_hash, rest) = rest.split_first_chunk().ok_or(wrong_length.clone())?;
        let status = match rest {
            [1] => Status::Running,
            [2] => Status::Finished,
            [3] => Status::Abandoned,
            [_] => return Err(TlogError::Leaf("there is no such status")),
            _ => return Err(wrong_length),
        };
        let revision = Revision::new(u64::from_be_bytes(*revision));
        if revision == Revision::NONE {
            return Err(TlogError::Leaf("a game without records has no head"));
        }
        Ok(Leaf { game: GameId(*game), revision, record_hash: *record_hash, status })
    }

    /// The leaf's hash in the tree: RFC 6962's.
    pub fn hash(&self) -> Hash {
        record_hash(&self.encode()).0
    }
}
