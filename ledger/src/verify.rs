//! Whether a whole log is what it claims to be.

use bytes::Bytes;
use divelog_engine::Outcome;
use divelog_proto::v1 as pb;
use prost::Message;

use crate::{FaultKind, GameId, Hash, LogFault, Position, Replayed, RequestIds, Secret, Status, hash_record};

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

/// Re-executes a log from record 0: chain, commitments, nonces, each action's legality, each digest, no request id
/// twice, and what is known from elsewhere.
pub fn verify(
    game_id: GameId,
    secret: &Secret,
    records: &[Bytes],
    expected: Expectation,
) -> Result<Verified, LogFault> {
    let Some((first, rest)) = records.split_first() else {
        return Err(LogFault::malformed(0, "the log is empty"));
    };
    let mut request_ids = RequestIds::default();
    let mut accept = |replayed: Replayed, bytes: &Bytes| {
        request_ids.note(&replayed.record, bytes)?;
        Ok(replayed.position)
    };
    let blame = |fault| altered_or(fault, records, expected);
    let mut position = accept(Position::open(game_id, first, secret).map_err(blame)?, first)?;
    for record in rest {
        position = accept(position.replay(record).map_err(blame)?, record)?;
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

/// A record that does not replay and whose hash is not the one that was kept of it was altered: that is no matter of the
/// rules.
fn altered_or(fault: LogFault, records: &[Bytes], expected: Expectation) -> LogFault {
    if fault.kind != FaultKind::ReplayDiffers {
        return fault;
    }
    let at = usize::try_from(fault.sequence).unwrap_or(usize::MAX);
    let Some(bytes) = records.get(at) else { return fault };
    let altered = match records.get(at + 1).map(|next| pb::Record::decode(next.clone())) {
        Some(Ok(next)) => *next.previous_hash != hash_record(bytes),
        Some(Err(_)) => false,
        None => {
            let is_last = expected.revision.is_none_or(|revision| revision == records.len() as u64);
            is_last && expected.head_hash.is_some_and(|kept| kept != hash_record(bytes))
        }
    };
    if !altered {
        return fault;
    }
    let message = format!("its hash is not the one that was kept of it: it was altered ({})", fault.message);
    LogFault { kind: FaultKind::HashDiffers, message, ..fault }
}
