//! One call: how long it may take, and what its end means.

use std::future::Future;
use std::time::Duration;

use divelog_ledger::Hash;
use divelog_proto::v1 as pb;
use tonic::{Code, Request, Response, Status};
use tonic_types::StatusExt;

use crate::Dice;
use crate::history::{Outcome, Refused, Unclear};

/// How long a call may take under load before that is a finding: far longer than on a busy machine.
pub(super) const LIMIT: Duration = Duration::from_secs(60);
/// The same when the server has nothing else to do.
pub(super) const QUIET_LIMIT: Duration = Duration::from_secs(60);

/// How long a caller waits.
#[derive(Clone, Copy, Debug)]
pub(super) enum Patience {
    /// Until the limit.
    Full(Duration),
    /// Until a deadline that the server is told of.
    Deadline(Duration),
    /// Goes away after some time, without a word.
    Leaves(Duration),
}

impl Patience {
    /// Mostly full, sometimes a deadline or a departure within some milliseconds.
    pub fn draw(dice: &mut Dice, hasty_percent: u64) -> Patience {
        if !dice.percent(hasty_percent) {
            return Patience::Full(LIMIT);
        }
        let soon = Duration::from_micros(*dice.pick(&[50, 200, 500, 1_000, 2_000, 4_000, 8_000]));
        if dice.percent(50) { Patience::Deadline(soon) } else { Patience::Leaves(soon) }
    }
}

/// Makes a call. Whatever is no answer is an outcome already.
pub(super) async fn call<T, R, F>(
    patience: Patience,
    message: T,
    send: impl FnOnce(Request<T>) -> F,
) -> Result<R, Outcome>
where
    F: Future<Output = Result<Response<R>, Status>>,
{
    let mut request = Request::new(message);
    let limit = match patience {
        Patience::Full(limit) => limit,
        Patience::Deadline(deadline) => {
            request.set_timeout(deadline);
            LIMIT
        }
        Patience::Leaves(after) => after,
    };
    match (tokio::time::timeout(limit, send(request)).await, patience) {
        (Ok(Ok(response)), _) => Ok(response.into_inner()),
        (Ok(Err(status)), _) => Err(outcome_of(&status)),
        (Err(_), Patience::Leaves(_)) => Err(Outcome::Unclear(Unclear::Cancelled)),
        (Err(_), _) => Err(Outcome::Hung { limit_ms: limit.as_millis() as u64 }),
    }
}

/// What an error means for what was asked.
pub(super) fn outcome_of(status: &Status) -> Outcome {
    let info = status.get_details_error_info();
    let reason = info.as_ref().map(|info| info.reason.as_str()).unwrap_or_default();
    let revision = info.as_ref().and_then(|info| info.metadata.get("revision")?.parse().ok());
    let from_transport = std::error::Error::source(status).is_some();
    judge(status.code(), reason, revision, status.message(), from_transport)
}

/// What a failure on a stream means for what was asked.
pub(super) fn failure_of(failure: &pb::Failure) -> Outcome {
    let revision = failure.metadata.get("revision").and_then(|revision| revision.parse().ok());
    judge(Code::from(failure.code), &failure.reason, revision, &failure.message, false)
}

fn judge(code: Code, reason: &str, revision: Option<u64>, sentence: &str, from_transport: bool) -> Outcome {
    let unclear = match (code, reason) {
        (Code::DeadlineExceeded, _) => Some(Unclear::Deadline),
        (Code::Cancelled, _) => Some(Unclear::Cancelled),
        (Code::Unavailable, "" | "SHUTTING_DOWN") => Some(Unclear::Lost),
        // The transport's own words: too many calls were given up on this connection.
        (Code::ResourceExhausted, "") => Some(Unclear::Lost),
        (Code::Unknown, "") if from_transport => Some(Unclear::Lost),
        _ => None,
    };
    if let Some(unclear) = unclear {
        return Outcome::Unclear(unclear);
    }
    let code = name(code);
    let fault = reason.is_empty() || code == "DATA_LOSS" || reason == "STORE_FAILED";
    Outcome::Refused(Refused { code, reason: reason.into(), revision, sentence: fault.then(|| sentence.into()) })
}

fn name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

/// A hash from the wire; one of another length is none.
pub(super) fn hash(bytes: &[u8]) -> Option<Hash> {
    bytes.try_into().ok()
}
