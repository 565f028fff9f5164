//! Whether a whole log is what it claims to be.

use std::{borrow::Cow, collections::HashSet};

use bytes::Bytes;
use divelog_engine::Outcome;
use divelog_proto::v1 as pb;
use prost::Message;

use crate::record::{USUAL_EFFECTS, read_plain_move};
use crate::{
    FaultKind, GameId, Hash, LogFault, Position, Replayed, RequestIds, Revision, Secret, Sequence, Status, hash_record,
};

/// What is known of a log from elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expectation {
    /// How many records there must be.
    pub revision: Option<Revision>,
    /// The hash that the last one must have.
    pub head_hash: Option<Hash>,
}

/// A log in which everything agrees.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The number of records.
    pub revision: Revision,
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
    // What is wrong, the other way finds out: it looks at each record by itself.
    let position = match replay_quickly(game_id, secret, records) {
        Some(position) => position,
        None => replay(game_id, secret, records).map_err(|fault| altered_or(fault, records, expected))?,
    };
    if expected.revision.is_some_and(|revision| revision != position.revision()) {
        let message = format!("the log ends after {} records, which is not all of it", position.revision());
        return Err(LogFault::malformed(position.revision().next_record(), message));
    }
    if expected.head_hash.is_some_and(|hash| hash != position.head_hash()) {
        let message = "its hash is not the one that was kept apart from the log: it was altered";
        return Err(LogFault::hash_differs(position.last_record(), message));
    }
    Ok(Verified {
        revision: position.revision(),
        head_hash: position.head_hash(),
        status: position.status(),
        outcome: position.outcome(),
    })
}

/// The game after a log in which everything agrees, on one state and with as few copies as possible.
fn replay_quickly(game_id: GameId, secret: &Secret, records: &[Bytes]) -> Option<Position> {
    let (first, rest) = records.split_first()?;
    let Replayed { mut position, record, .. } = Position::open(game_id, first, secret).ok()?;
    let mut request_ids: HashSet<Cow<'_, str>> = HashSet::new();
    request_ids.insert(record.request_id.into());
    let mut effects = Vec::with_capacity(USUAL_EFFECTS);
    for bytes in rest {
        let id = if let Some(plain) = read_plain_move(bytes) {
            if !position.replay_in_place(&plain, bytes, &mut effects) {
                return None;
            }
            Cow::Borrowed(plain.frame.request_id)
        } else {
            let replayed = position.replay(bytes).ok()?;
            position = replayed.position;
            Cow::Owned(replayed.record.request_id)
        };
        if !id.is_empty() && !request_ids.insert(id) {
            return None;
        }
    }
    Some(position)
}

/// The same, record by record: for the sake of the fault that it names.
fn replay(game_id: GameId, secret: &Secret, records: &[Bytes]) -> Result<Position, LogFault> {
    let (first, rest) =
        records.split_first().ok_or_else(|| LogFault::malformed(Sequence::SETUP, "the log is empty"))?;
    let mut request_ids = RequestIds::default();
    let mut accept = |replayed: Replayed, bytes: &Bytes| {
        request_ids.note(&replayed.record, bytes)?;
        Ok(replayed.position)
    };
    let mut position = accept(Position::open(game_id, first, secret)?, first)?;
    for record in rest {
        position = accept(position.replay(record)?, record)?;
    }
    Ok(position)
}

/// A record that does not replay and whose hash is not the one that was kept of it was altered: that is no matter of the
/// rules.
fn altered_or(fault: LogFault, records: &[Bytes], expected: Expectation) -> LogFault {
    if fault.kind != FaultKind::ReplayDiffers {
        return fault;
    }
    let Some(bytes) = records.get(fault.sequence.index()) else { return fault };
    let altered = match records.get(fault.sequence.next().index()).map(|next| pb::Record::decode(next.clone())) {
        Some(Ok(next)) => *next.previous_hash != hash_record(bytes),
        Some(Err(_)) => false,
        None => {
            let is_last = expected.revision.is_none_or(|revision| revision == Revision::of(records));
            is_last && expected.head_hash.is_some_and(|kept| kept != hash_record(bytes))
        }
    };
    if !altered {
        return fault;
    }
    let message = format!("its hash is not the one that was kept of it: it was altered ({})", fault.message);
    LogFault { kind: FaultKind::HashDiffers, message, ..fault }
}
