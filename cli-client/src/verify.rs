//! Checking a log in this process, without trusting whoever sent it.

use divelog_ledger::{Expectation, FaultKind, GameId, Hash, LogFault, Secret, convert, hash_record, verify};
use divelog_proto::v1::{LogHeader, StoredRecord, VerifyFailure, VerifyGameResponse, verify_failure::Fault};

use crate::errors::CliError;

/// What a check done here covers, for people.
pub const CHECKS: &str =
    "hash chain, head hash, seed and chance commitments, nonces, and every action replayed by the rules";

/// Checks a whole log: the chain of hashes, the commitments and the rules' own answer to every action.
///
/// A log that does not verify is an answer, not an error: `verified` is false and `failure` says where. The error is
/// for a log that cannot be judged because its secret is not part of it.
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
    let secret = header.secret.as_ref().try_into().map_err(|_| malformed("the secret is not of its right length"))?;
    let head_hash: Hash =
        header.head_hash.as_ref().try_into().map_err(|_| malformed("the head hash is not a SHA-256"))?;
    // The ledger chains the hashes that it computes; those that came with the records are compared here.
    for (sequence, stored) in (0u64..).zip(records) {
        if stored.hash.as_ref() != hash_record(&stored.record) {
            let message = "the hash beside it is not the hash of its bytes: it was altered".into();
            return Err(VerifyFailure { sequence, fault: Fault::HashDiffers.into(), message, ..Default::default() });
        }
    }
    let bytes: Vec<_> = records.iter().map(|stored| stored.record.clone()).collect();
    let expected = Expectation { revision: Some(header.revision), head_hash: Some(head_hash) };
    let verified = verify(game_id, &Secret(secret), &bytes, expected).map_err(to_failure)?;
    Ok(VerifyGameResponse {
        verified: true,
        records_verified: verified.revision,
        head_hash: verified.head_hash.to_vec().into(),
        outcome: verified.outcome.as_ref().map(convert::outcome_to_proto),
        failure: None,
    })
}

/// The verdict on a log of which the records before the failure are good.
fn failed(failure: VerifyFailure, records: &[StoredRecord]) -> VerifyGameResponse {
    let good = usize::try_from(failure.sequence).unwrap_or(usize::MAX).min(records.len());
    let head_hash = records[..good].last().map(|stored| hash_record(&stored.record).to_vec());
    VerifyGameResponse {
        verified: false,
        records_verified: failure.sequence,
        head_hash: head_hash.unwrap_or_default().into(),
        outcome: None,
        failure: Some(failure),
    }
}

fn malformed(message: &str) -> VerifyFailure {
    VerifyFailure { fault: Fault::Malformed.into(), message: message.into(), ..Default::default() }
}

fn to_failure(fault: LogFault) -> VerifyFailure {
    let kind = match fault.kind {
        FaultKind::Malformed => Fault::Malformed,
        FaultKind::HashDiffers => Fault::HashDiffers,
        FaultKind::ReplayDiffers => Fault::ReplayDiffers,
    };
    VerifyFailure { sequence: fault.sequence, fault: kind.into(), message: fault.message, ..Default::default() }
}

/// Turns the verdict into the command's own success or failure.
pub fn judge(response: &VerifyGameResponse) -> Result<(), CliError> {
    match &response.failure {
        None if response.verified => Ok(()),
        None => Err(CliError::Unverified {
            sequence: response.records_verified,
            fault: fault_name(Fault::Unspecified).into(),
            message: "no reason was given".into(),
        }),
        // A failure that is named counts, whatever `verified` says.
        Some(failure) => Err(CliError::Unverified {
            sequence: failure.sequence,
            fault: fault_name(failure.fault()).into(),
            message: failure.message.clone(),
        }),
    }
}

fn fault_name(fault: Fault) -> &'static str {
    match fault {
        Fault::Unspecified => "unknown fault",
        Fault::Damaged => "damaged",
        Fault::Malformed => "malformed",
        Fault::HashDiffers => "hash differs",
        Fault::ReplayDiffers => "replay differs",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{errors::Exit, logfile::Log};
    use bytes::Bytes;
    use divelog_ledger::{NewGame, Position, SECRET_BYTES, Stamp};
    use divelog_proto::v1::{GameKind, Player};

    /// A game of a few records, each with the first of its legal actions.
    fn log() -> Log {
        let game_id = GameId([7; 16]);
        let secret = Secret([42; SECRET_BYTES]);
        let options = crate::options::options(GameKind::DeepSeaAdventure, None, &[]).unwrap();
        let new = NewGame {
            game_id,
            rules_version: 1,
            options: convert::options_from_proto(Some(&options)).unwrap(),
            players: vec![Player::default(); 2],
            labels: Default::default(),
        };
        let stamp = Stamp { time_ms: 1_000, request_id: "" };
        let mut advance = Position::create(new, &secret, stamp).unwrap();
        let mut records = vec![advance.record.clone()];
        for _ in 0..5 {
            let seat = advance.position.to_act().iter().next().unwrap();
            let action = advance.position.game().legal_actions(seat)[0].nth(0);
            advance = advance.position.act(seat, &action, stamp).unwrap();
            records.push(advance.record.clone());
        }
        let stored = |record: Bytes| StoredRecord { hash: hash_record(&record).to_vec().into(), record };
        Log {
            header: LogHeader {
                game_id: game_id.to_string(),
                revision: advance.position.revision(),
                head_hash: advance.position.head_hash().to_vec().into(),
                secret: secret.0.to_vec().into(),
            },
            records: records.into_iter().map(stored).collect(),
        }
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
            assert_eq!(judge(&response).unwrap_err().exit(), Exit::Unverified, "{what}");
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
        assert!(judge(&good).is_ok());
        let silent = VerifyGameResponse::default();
        assert_eq!(judge(&silent).unwrap_err().exit(), Exit::Unverified);
        let failure = VerifyFailure { sequence: 3, fault: Fault::HashDiffers.into(), message: "m".into(), ..Default::default() };
        let contradictory = VerifyGameResponse { verified: true, failure: Some(failure), ..Default::default() };
        let error = judge(&contradictory).unwrap_err();
        assert_eq!(error.to_string(), "verification failed at record 3 (hash differs): m");
    }
}
