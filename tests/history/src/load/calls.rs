//! One call: how long it may take, and what its end means.

use std::future::Future;
use std::time::Duration;

use divelog_client::ErrorDetails;
use divelog_ledger::Hash;
use divelog_proto::v1 as pb;
use tonic::{Code, Request, Response, Status};

use crate::Choices;
use crate::history::{Outcome, Refusal, Unclear};

/// How long a call may take under load before that is a finding: far longer than on a busy machine.
pub(super) const LIMIT: Duration = Duration::from_secs(60);
/// The same when the server has nothing else to do.
pub(super) const QUIET_LIMIT: Duration = Duration::from_secs(60);

/// How long a caller waits.
#[derive(Clone, Copy, Debug)]
pub(super) enum Patience {
    /// Until the limit.
    Full(Duration),
    /// Until a deadline that the server knows.
    Deadline(Duration),
    /// Goes away after some time, without a word.
    Leaves(Duration),
}

impl Patience {
    /// Mostly full, sometimes a deadline or a departure within some milliseconds.
    pub fn draw(choices: &mut Choices, hasty_percent: u64) -> Patience {
        if !choices.percent(hasty_percent) {
            return Patience::Full(LIMIT);
        }
        let soon = Duration::from_micros(*choices.pick(&[50, 200, 500, 1_000, 2_000, 4_000, 8_000]));
        if choices.percent(50) { Patience::Deadline(soon) } else { Patience::Leaves(soon) }
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
    outcome_of_error(ErrorDetails::of(status))
}

/// What a failure on a stream means for what was asked.
pub(super) fn failure_of(failure: &pb::Failure) -> Outcome {
    outcome_of_error(ErrorDetails::of_failure(failure))
}

fn outcome_of_error(error: ErrorDetails) -> Outcome {
    let reason = error.reason.as_deref().unwrap_or_default();
    let unclear = match (error.code, reason) {
        (Code::DeadlineExceeded, _) => Some(Unclear::Deadline),
        (Code::Cancelled, _) => Some(Unclear::Cancelled),
        (Code::Unavailable, "" | "SHUTTING_DOWN") => Some(Unclear::Lost),
        // The transport's own words: too many calls were given up on this connection.
        (Code::ResourceExhausted, "") => Some(Unclear::Lost),
        (Code::Unknown, "") if error.from_transport => Some(Unclear::Lost),
        _ => None,
    };
    if let Some(unclear) = unclear {
        return Outcome::Unclear(unclear);
    }
    let fault = reason.is_empty() || error.code == Code::DataLoss || reason == "STORE_FAILED";
    Outcome::Refused(Refusal {
        code: error.code_name(),
        reason: reason.into(),
        revision: error.revision,
        sentence: fault.then(|| error.message.as_str().into()),
    })
}

/// A hash from the wire; one of another length is none.
pub(super) fn hash(bytes: &[u8]) -> Option<Hash> {
    bytes.try_into().ok()
}
