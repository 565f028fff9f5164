//! Checking a log in this process, without trusting whoever sent it.

use divelog_proto::v1::{LogHeader, StoredRecord, VerifyGameResponse, verify_failure::Fault};

use crate::errors::CliError;

/// What a check done here covers, for people.
pub const CHECKS: &str =
    "hash chain, head hash, seed and chance commitments, nonces, and every action replayed by the rules";

/// Checks a whole log: the chain of hashes, the commitments and the rules' own answer to every action.
///
/// A log that does not verify is an answer, not an error: `verified` is false and `failure` says where.
pub fn verify_log(_header: &LogHeader, _records: &[StoredRecord]) -> Result<VerifyGameResponse, CliError> {
    Err(CliError::Unsupported("checking a log in the client is not linked yet; use --on-server".into()))
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
    use crate::errors::Exit;
    use divelog_proto::v1::VerifyFailure;

    #[test]
    fn only_a_clean_verdict_is_success() {
        let good = VerifyGameResponse { verified: true, ..Default::default() };
        assert!(judge(&good).is_ok());
        let silent = VerifyGameResponse::default();
        assert_eq!(judge(&silent).unwrap_err().exit(), Exit::Unverified);
        let failure = VerifyFailure { sequence: 3, fault: Fault::HashDiffers.into(), message: "m".into() };
        let contradictory = VerifyGameResponse { verified: true, failure: Some(failure), ..Default::default() };
        let error = judge(&contradictory).unwrap_err();
        assert_eq!(error.to_string(), "verification failed at record 3 (hash differs): m");
    }
}
