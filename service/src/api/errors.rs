//! The one table from cause to gRPC status. `docs/errors.md` lists every reason.

use std::collections::{BTreeMap, HashMap};

use divelog_ledger::{FaultKind, convert};
use divelog_proto::v1 as pb;
use prost::Message;
use tonic::{Code, Status};
use tonic_types::pb as google;

use crate::session::{Error, Refused, Which, cut};

/// The domain of every ErrorInfo.
pub const DOMAIN: &str = "divelog";
/// How many legal actions a refusal carries at most.
const MAX_LEGAL: usize = 64;
/// When to try again after being turned away for load.
const RETRY_AFTER: prost_types::Duration = prost_types::Duration { seconds: 0, nanos: 100_000_000 };

/// What a cause becomes on the wire.
struct Answer {
    code: Code,
    reason: &'static str,
    metadata: BTreeMap<String, String>,
    refusal: Option<pb::Refusal>,
}

fn answer(error: &Error) -> Answer {
    let mut metadata = BTreeMap::new();
    let mut add = |key: &str, value: String| drop(metadata.insert(key.to_owned(), value));
    let mut refusal = None;
    let (code, reason) = match error {
        Error::Refused(refused) => {
            add("rule", refused.violation.rule.into());
            add("revision", refused.revision.to_string());
            refusal = Some(refusal_of(refused));
            let code = match refused.violation.rule {
                "MALFORMED" => Code::InvalidArgument,
                _ => Code::FailedPrecondition,
            };
            (code, refused.violation.reason)
        }
        Error::Stale { expected, actual } => {
            add("rule", "REVISION".into());
            add("expected_revision", expected.to_string());
            add("revision", actual.to_string());
            refusal = Some(pb::Refusal {
                rule: "REVISION".into(),
                reason: "STALE_REVISION".into(),
                sentence: error.to_string(),
                revision: actual.get(),
                ..Default::default()
            });
            (Code::Aborted, "STALE_REVISION")
        }
        Error::Ahead { actual, .. } => {
            add("revision", actual.to_string());
            (Code::OutOfRange, "REVISION_AHEAD")
        }
        Error::Invalid { field, .. } => {
            add("field", (*field).into());
            (Code::InvalidArgument, "INVALID_FIELD")
        }
        Error::DrawToCome { sequence, revision } => {
            add("record", sequence.to_string());
            add("revision", revision.to_string());
            (Code::FailedPrecondition, "DRAW_TO_COME")
        }
        Error::NotPrepared(game) => {
            add("game_id", game.to_string());
            (Code::FailedPrecondition, "NOT_PREPARED")
        }
        Error::AlreadyPrepared(game) => {
            add("game_id", game.to_string());
            (Code::AlreadyExists, "PREPARED_GAME_EXISTS")
        }
        Error::ForkIncomplete { revision, wanted } => {
            add("revision", revision.to_string());
            add("fork_revision", wanted.to_string());
            (Code::FailedPrecondition, "FORK_INCOMPLETE")
        }
        Error::ForkAbandoned { revision, wanted } => {
            add("revision", revision.to_string());
            add("fork_revision", wanted.to_string());
            (Code::FailedPrecondition, "FORK_ABANDONED")
        }
        Error::NoLeaf { game, revision } => {
            add("game_id", game.to_string());
            add("revision", revision.to_string());
            (Code::NotFound, "LEAF_NOT_FOUND")
        }
        Error::TreeSizeAhead { size, .. } => {
            add("tree_size", size.to_string());
            (Code::OutOfRange, "TREE_SIZE_AHEAD")
        }
        Error::LogBroken(_) => (Code::FailedPrecondition, "TRANSPARENCY_LOG_BROKEN"),
        Error::SealingFailed(_) => (Code::Unavailable, "SEALING_FAILED"),
        Error::LogNotReady => (Code::Unavailable, "TRANSPARENCY_LOG_NOT_READY"),
        Error::NotFound(game) => {
            add("game_id", game.to_string());
            (Code::NotFound, "GAME_NOT_FOUND")
        }
        Error::RequestIdReused(request_id) => {
            add("request_id", cut(request_id.clone()));
            (Code::AlreadyExists, "REQUEST_ID_REUSED")
        }
        Error::Conflict(game) => {
            add("game_id", game.to_string());
            (Code::Aborted, "CONFLICT")
        }
        Error::Busy(_) => (Code::ResourceExhausted, "BUSY"),
        Error::Incomplete => (Code::DeadlineExceeded, "REQUEST_INCOMPLETE"),
        Error::DeadlinePassed => (Code::DeadlineExceeded, "DEADLINE_PASSED"),
        Error::DeadlineExceeded => (Code::DeadlineExceeded, "DEADLINE_EXCEEDED"),
        Error::StoreFailed(_) => (Code::Unavailable, "STORE_FAILED"),
        Error::ShuttingDown => (Code::Unavailable, "SHUTTING_DOWN"),
        Error::Unreadable { which, .. } => {
            add_which(&mut add, *which);
            (Code::InvalidArgument, "UNREADABLE_REQUEST")
        }
        Error::TooLarge { which, bytes, most } => {
            add_which(&mut add, *which);
            add("bytes", bytes.to_string());
            add("most", most.to_string());
            (Code::InvalidArgument, "REQUEST_TOO_LARGE")
        }
        Error::BundleTooLarge { game, bytes, most } => {
            add("game_id", game.to_string());
            add("bytes", bytes.to_string());
            add("most", most.to_string());
            (Code::FailedPrecondition, "BUNDLE_TOO_LARGE")
        }
        Error::Damaged { game, sequence, kind, .. } => {
            add("game_id", game.to_string());
            if let Some(sequence) = sequence {
                add("record", sequence.to_string());
            }
            let reason = match kind {
                Some(FaultKind::ReplayDiffers) => "REPLAY_DIFFERS",
                Some(FaultKind::HashDiffers) => "HASH_DIFFERS",
                Some(FaultKind::Malformed) | None => "LOG_DAMAGED",
            };
            (Code::DataLoss, reason)
        }
    };
    Answer { code, reason, metadata, refusal }
}

fn add_which(add: &mut impl FnMut(&str, String), which: Which) {
    match which {
        Which::Request => {}
        Which::Message(number) => add("message", number.to_string()),
    }
}

fn refusal_of(refused: &Refused) -> pb::Refusal {
    pb::Refusal {
        rule: refused.violation.rule.into(),
        reason: refused.violation.reason.into(),
        sentence: refused.violation.sentence.clone(),
        revision: refused.revision.get(),
        to_act: convert::seats_to_proto(refused.to_act),
        legal_actions: refused.legal.iter().take(MAX_LEGAL).map(convert::offer_to_proto).collect(),
        legal_actions_truncated: refused.legal.len() > MAX_LEGAL,
    }
}

/// A message as a detail of a status.
fn any(name: &str, message: &impl Message) -> prost_types::Any {
    prost_types::Any { type_url: format!("type.googleapis.com/{name}"), value: message.encode_to_vec() }
}

/// A cause as the status of a call.
pub fn status(error: &Error) -> Status {
    let Answer { code, reason, metadata, refusal } = answer(error);
    let info = google::ErrorInfo {
        reason: reason.into(),
        domain: DOMAIN.into(),
        metadata: metadata.into_iter().collect::<HashMap<_, _>>(),
    };
    let mut details = vec![any("google.rpc.ErrorInfo", &info)];
    details.extend(refusal.map(|refusal| any("divelog.v1.Refusal", &refusal)));
    match error {
        Error::Invalid { field, description } => {
            let violation = google::bad_request::FieldViolation {
                field: (*field).into(),
                description: cut(description.clone()),
                ..Default::default()
            };
            let request = google::BadRequest { field_violations: vec![violation] };
            details.push(any("google.rpc.BadRequest", &request));
        }
        Error::Busy(_) | Error::Conflict(_) | Error::ShuttingDown | Error::SealingFailed(_) | Error::LogNotReady => {
            details.push(any("google.rpc.RetryInfo", &google::RetryInfo { retry_delay: Some(RETRY_AFTER) }));
        }
        _ => {}
    }
    let message = cut(error.to_string());
    let whole = google::Status { code: code.into(), message: message.clone(), details };
    Status::with_details(code, message, whole.encode_to_vec().into())
}

/// A cause as the answer to one request of a stream that goes on.
pub fn failure(error: &Error) -> pb::Failure {
    let Answer { code, reason, metadata, refusal } = answer(error);
    pb::Failure { code: code.into(), message: cut(error.to_string()), reason: reason.into(), metadata, refusal }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clients take about 8 KiB of heads, and the server holds what they do not read.
    #[test]
    fn a_status_is_small_whatever_a_caller_wrote() {
        let long = "ä".repeat(100_000);
        for error in [Error::invalid("labels", long.clone()), Error::RequestIdReused(long.clone())] {
            let status = status(&error);
            let bytes = status.message().len() + status.details().len();
            assert!(bytes < 4_096, "{bytes}");
            let failure = failure(&error);
            assert!(failure.encoded_len() < 4_096, "{}", failure.encoded_len());
        }
    }
}
