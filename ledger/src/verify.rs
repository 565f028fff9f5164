//! Whether a whole log is what it claims to be.

use bytes::Bytes;
use divelog_engine::Outcome;

use crate::{GameId, Hash, LogFault, Position, Secret, Status};

/// What is known of a log from elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expectation {
    /// How many records there must be.
    pub revision: Option<u64>,
    /// The hash that the last one must have.
    pub head_hash: Option<Hash>,
}

/// A log in which everything agrees.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The number of records.
    pub revision: u64,
    /// The hash of the last one.
    pub head_hash: Hash,
    /// How far the game is.
    pub status: Status,
    /// The result that the rules give.
    pub outcome: Option<Outcome>,
}

/// Re-executes a log from record 0: chain, commitments, nonces, each action's legality, each digest, and what is known
/// from elsewhere.
pub fn verify(
    game_id: GameId,
    secret: &Secret,
    records: &[Bytes],
    expected: Expectation,
) -> Result<Verified, LogFault> {
    let Some((first, rest)) = records.split_first() else {
        return Err(LogFault::malformed(0, "the log is empty"));
    };
    let mut position = Position::open(game_id, first, secret)?.position;
    for record in rest {
        position = position.replay(record)?.position;
    }
    if expected.revision.is_some_and(|revision| revision != position.revision()) {
        let message = format!("the log ends after {} records, which is not all of it", position.revision());
        return Err(LogFault::malformed(position.revision(), message));
    }
    if expected.head_hash.is_some_and(|hash| hash != position.head_hash()) {
        let message = "its hash is not the one that was kept apart from the log: it was altered";
        return Err(LogFault::hash_differs(position.revision() - 1, message));
    }
    Ok(Verified {
        revision: position.revision(),
        head_hash: position.head_hash(),
        status: position.status(),
        outcome: position.outcome(),
    })
}
