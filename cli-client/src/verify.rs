//! Checking a log in this process, without trusting whoever sent it.

use std::fmt::{self, Display, Formatter};

use divelog_ledger::{Expectation, GameId, Hash, LogFault, Revision, Secret, Sequence, convert, hash_record, verify};
use divelog_proto::v1::{ByteRange, LogHeader, StoredRecord, VerifyFailure, VerifyGameResponse, verify_failure::Fault};

use crate::errors::CliError;

/// What a check done here covers, for people.
pub const CHECKS: &str =
    "hash chain, head hash, seed and chance commitments, nonces, and every action replayed by the rules";

/// Checks a whole log: the chain of hashes, the commitments and the rules' own answer to every action.
///
/// A log that does not verify is an answer, not an error: `verified` is false and `failure` says where. The error is
/// for a log that cannot be checked because its secret is not part of it.
pub fn verify_log(header: &LogHeader, records: &[StoredRecord]) -> Result<VerifyGameResponse, CliError> {
    if header.secret.is_empty() {
        return Err(CliError::usage_with(
            "the log does not hold the game's secret, without which nothing can be replayed",
            "a running game's log has it with `divelog log show GAME --include-secret -o json`",
        ));
    }
    Ok(match replay(header, records) {
        Ok(response) => response,
        Err(failure) => failed(failure, records),
    })
}

fn replay(header: &LogHeader, records: &[StoredRecord]) -> Result<VerifyGameResponse, VerifyFailure> {
    let game_id: GameId = header.game_id.parse().map_err(|_| malformed("the header has no game id"))?;
    let secret = header.secret.as_ref().try_into().map_err(|_| malformed("the secret has the wrong length"))?;
    let head_hash: Hash =
        header.head_hash.as_ref().try_into().map_err(|_| malformed("the head hash is not a SHA-256"))?;
    // The ledger chains the hashes that it computes; those that came with the records are compared here.
    for (sequence, stored) in Sequence::SETUP.onward().zip(records) {
        if stored.hash.as_ref() != hash_record(&stored.record) {
            let message = "the hash beside it is not the hash of its bytes: it was altered".into();
            let sequence = sequence.get();
            return Err(VerifyFailure { sequence, fault: Fault::HashDiffers.into(), message, ..Default::default() });
        }
    }
    let bytes: Vec<_> = records.iter().map(|stored| stored.record.clone()).collect();
    let expected = Expectation { revision: Some(Revision::new(header.revision)), head_hash: Some(head_hash) };
    let verified =
        verify(game_id, &Secret(secret), &bytes, expected).map_err(|fault| convert::fault_to_proto(&fault))?;
    Ok(VerifyGameResponse {
        verified: true,
        records_verified: verified.revision.get(),
        head_hash: verified.head_hash.to_vec().into(),
        outcome: verified.outcome.as_ref().map(convert::outcome_to_proto),
        failure: None,
    })
}

/// The verdict on a log of which the records before the failure are good.
fn failed(failure: VerifyFailure, records: &[StoredRecord]) -> VerifyGameResponse {
    let good = Sequence::new(failure.sequence).revision_before();
    let last = good.min(Revision::of(records)).last_record();
    let head_hash = last.map(|last| hash_record(&records[last.index()].record).to_vec());
    VerifyGameResponse {
        verified: false,
        records_verified: good.get(),
        head_hash: head_hash.unwrap_or_default().into(),
        outcome: None,
        failure: Some(failure),
    }
}

fn malformed(message: &str) -> VerifyFailure {
    VerifyFailure { fault: Fault::Malformed.into(), message: message.into(), ..Default::default() }
}

/// The first thing that is wrong with a log, for a message: which record, where in it, what kind of fault.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FailedVerification(VerifyFailure);

impl FailedVerification {
    /// The verdict on a fault that the ledger found.
    pub fn of(fault: &LogFault) -> Self {
        Self(convert::fault_to_proto(fault))
    }

    /// A name for programs.
    pub fn name(&self) -> &'static str {
        match self.0.fault() {
            Fault::Unspecified => "unknown fault",
            Fault::Damaged => "damaged",
            Fault::Malformed => "malformed",
            Fault::HashDiffers => "hash differs",
            Fault::ReplayDiffers => "replay differs",
        }
    }

    /// What such a fault means. That somebody changed the log, and that the rules give another game, are matters for
    /// different people.
    fn meaning(&self) -> &'static str {
        match self.0.fault() {
            Fault::Unspecified => "the log does not verify",
            Fault::Damaged => "the store cannot give the record as it was written",
            Fault::Malformed => "the service would not have written this record here",
            Fault::HashDiffers => "the log was altered",
            Fault::ReplayDiffers => "the hashes fit, but the rules of this build give another game",
        }
    }

    /// Whether it is the rules that differ, while the log is intact.
    pub fn rules_differ(&self) -> bool {
        self.0.fault() == Fault::ReplayDiffers
    }

    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self.0.fault() {
            Fault::ReplayDiffers => {
                "compare `divelog --version` with the version that played it; `divelog log impact` shows what else differs"
            }
            Fault::Damaged => "`divelogd fsck` shows what the store has lost, and `divelogd restore` brings it back",
            _ => "keep this log as it is, and compare it with a copy or with a head hash that was kept elsewhere",
        }
    }
}

impl Display for FailedVerification {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let VerifyFailure { sequence, message, field, bytes, .. } = &self.0;
        write!(f, "record {sequence}")?;
        if !field.is_empty() {
            write!(f, ", field {field}")?;
        }
        if let Some(ByteRange { start, end }) = bytes {
            write!(f, ", bytes {start}..{end}")?;
        }
        write!(f, " ({}): {}: {message}", self.name(), self.meaning())
    }
}

/// The error of a fault that the ledger found.
pub fn unverified(fault: LogFault) -> CliError {
    CliError::Unverified(FailedVerification::of(&fault))
}

/// The verdict as the command's own success or failure.
pub fn to_result(response: &VerifyGameResponse) -> Result<(), CliError> {
    match &response.failure {
        None if response.verified => Ok(()),
        None => Err(CliError::Unverified(FailedVerification(VerifyFailure {
            sequence: Revision::new(response.records_verified).next_record().get(),
            message: "no reason was given".into(),
            ..Default::default()
        }))),
        // A failure that is named counts, whatever `verified` says.
        Some(failure) => Err(CliError::Unverified(FailedVerification(failure.clone()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{errors::Exit, log_file::Log};
    use bytes::Bytes;

    /// A game of a few records.
    fn log() -> Log {
        crate::fixtures::game(7, 5).log()
    }

    fn verdict(change: impl FnOnce(&mut Log)) -> VerifyGameResponse {
        let mut log = log();
        change(&mut log);
        verify_log(&log.header, &log.records).unwrap()
    }

    #[test]
    fn a_true_log_verifies() {
        let response = verdict(|_| ());
        assert!(response.verified, "{response:?}");
        assert_eq!(response.records_verified, 6);
        assert_eq!(response.head_hash, log().header.head_hash);
    }

    #[test]
    fn whatever_is_changed_is_found() {
        let flip = |bytes: &Bytes| {
            let mut bytes = bytes.to_vec();
            bytes[0] ^= 1;
            Bytes::from(bytes)
        };
        let cases: [(&str, u64, VerifyGameResponse); 7] = [
            ("record", 2, verdict(|log| log.records[2].record = flip(&log.records[2].record))),
            ("hash", 3, verdict(|log| log.records[3].hash = flip(&log.records[3].hash))),
            ("order", 1, verdict(|log| log.records.swap(1, 2))),
            ("end", 5, verdict(|log| drop(log.records.pop()))),
            ("head", 5, verdict(|log| log.header.head_hash = flip(&log.header.head_hash))),
            ("secret", 0, verdict(|log| log.header.secret = flip(&log.header.secret))),
            ("id", 0, verdict(|log| log.header.game_id = GameId([8; 16]).to_string())),
        ];
        for (what, sequence, response) in cases {
            assert_eq!(to_result(&response).unwrap_err().exit(), Exit::Unverified, "{what}");
            assert_eq!(response.failure.unwrap().sequence, sequence, "{what}");
            assert_eq!(response.records_verified, sequence, "{what}");
        }
    }

    #[test]
    fn a_header_that_makes_no_sense_is_malformed() {
        for response in [
            verdict(|log| log.header.game_id.clear()),
            verdict(|log| log.header.secret = Bytes::from_static(b"short")),
            verdict(|log| log.header.head_hash.clear()),
            verdict(|log| log.records.clear()),
        ] {
            assert_eq!(response.failure.unwrap().fault(), Fault::Malformed);
        }
    }

    #[test]
    fn without_the_secret_there_is_no_verdict() {
        let mut log = log();
        log.header.secret.clear();
        assert_eq!(verify_log(&log.header, &log.records).unwrap_err().exit(), Exit::Usage);
    }

    #[test]
    fn only_a_clean_verdict_is_success() {
        let good = VerifyGameResponse { verified: true, ..Default::default() };
        assert!(to_result(&good).is_ok());
        let silent = VerifyGameResponse::default();
        assert_eq!(to_result(&silent).unwrap_err().exit(), Exit::Unverified);
        let failure =
            VerifyFailure { sequence: 3, fault: Fault::HashDiffers.into(), message: "m".into(), ..Default::default() };
        let contradictory = VerifyGameResponse { verified: true, failure: Some(failure), ..Default::default() };
        let error = to_result(&contradictory).unwrap_err();
        assert_eq!(error.to_string(), "verification failed at record 3 (hash differs): the log was altered: m");
    }

    #[test]
    fn a_verdict_names_record_field_bytes_and_kind() {
        let failure = |fault: Fault| VerifyFailure {
            sequence: 3,
            fault: fault.into(),
            message: "m".into(),
            field: "move.action".into(),
            bytes: Some(ByteRange { start: 20, end: 27 }),
        };
        assert_eq!(
            FailedVerification(failure(Fault::ReplayDiffers)).to_string(),
            "record 3, field move.action, bytes 20..27 (replay differs): \
             the hashes fit, but the rules of this build give another game: m"
        );
        let altered = FailedVerification(failure(Fault::HashDiffers));
        assert!(altered.to_string().contains("(hash differs): the log was altered: m"), "{altered}");
        assert_ne!(altered.hint(), FailedVerification(failure(Fault::ReplayDiffers)).hint());
    }
}
