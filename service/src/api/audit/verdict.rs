//! What VerifyGame says of a game.

use bytes::Bytes;
use divelog_ledger::{Expectation, GameId, Secret, Sequence, convert, verify};
use divelog_proto::v1 as pb;

use crate::store::StoredGame;

fn failed(failure: pb::VerifyFailure) -> pb::VerifyGameResponse {
    let records_verified = Sequence::new(failure.sequence).revision_before().get();
    pb::VerifyGameResponse { verified: false, records_verified, failure: Some(failure), ..Default::default() }
}

/// The store's own fault: there are no bytes to point at.
pub(super) fn damaged(sequence: Sequence, message: String) -> pb::VerifyGameResponse {
    let fault = pb::verify_failure::Fault::Damaged.into();
    failed(pb::VerifyFailure { sequence: sequence.get(), fault, message, ..Default::default() })
}

/// Re-executes a game.
pub(super) fn verdict(id: GameId, stored: &StoredGame) -> pb::VerifyGameResponse {
    let Some(secret) = stored.secret else {
        return damaged(Sequence::SETUP, "the game's secret is missing".into());
    };
    let records: Vec<Bytes> = stored.records.iter().map(|record| record.bytes.clone()).collect();
    let revision = Some(stored.head.revision);
    let expected = Expectation { revision, head_hash: Some(stored.head.head_hash) };
    match verify(id, &Secret(secret), &records, expected) {
        Ok(verified) => pb::VerifyGameResponse {
            verified: true,
            records_verified: verified.revision.get(),
            head_hash: Bytes::copy_from_slice(&verified.head_hash),
            outcome: verified.outcome.as_ref().map(convert::outcome_to_proto),
            failure: None,
        },
        Err(fault) => failed(convert::fault_to_proto(&fault)),
    }
}
