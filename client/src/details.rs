//! What an error says, read once: the gRPC code, `google.rpc.ErrorInfo`, `google.rpc.RetryInfo` and divelog's own
//! [`Refusal`]. `docs/errors.md` lists every reason.

use std::{collections::BTreeMap, error::Error as _, time::Duration};

use divelog_proto::v1::{Failure, Refusal};
use prost::Message;
use thiserror::Error;
use tonic::{Code, Status};
use tonic_types::pb as google;

const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const RETRY_INFO: &str = "type.googleapis.com/google.rpc.RetryInfo";
const REFUSAL: &str = "type.googleapis.com/divelog.v1.Refusal";

/// An error of a call, or of one request on a stream that goes on.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{message}")]
pub struct ErrorDetails {
    /// The gRPC code.
    pub code: Code,
    /// The sentence for people.
    pub message: String,
    /// The stable reason; absent when the server gave none, as when the error is the connection's.
    pub reason: Option<String>,
    /// The rule that was broken.
    pub rule: Option<String>,
    /// The game's revision when the request was checked.
    pub revision: Option<u64>,
    /// What else the server gave with the reason.
    pub metadata: BTreeMap<String, String>,
    /// How long to wait before the next try, if the server named a time.
    pub retry_delay: Option<Duration>,
    /// Why the rules or the revision refused an action.
    pub refusal: Option<Box<Refusal>>,
    /// Whether the connection broke, or what answered does not speak gRPC: divelogd may have answered nothing at all.
    pub from_transport: bool,
}

impl ErrorDetails {
    /// An error of which only the code and the sentence are known.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            reason: None,
            rule: None,
            revision: None,
            metadata: BTreeMap::new(),
            retry_delay: None,
            refusal: None,
            from_transport: false,
        }
    }

    /// Reads a status. Details that cannot be read are left out: the code and the sentence remain.
    pub fn of(status: &Status) -> Self {
        let mut read = Self::new(status.code(), status.message());
        read.from_transport = status.source().is_some() || is_made_up(status);
        let details = google::Status::decode(status.details()).map(|whole| whole.details).unwrap_or_default();
        for detail in details {
            let bytes = detail.value.as_slice();
            match detail.type_url.as_str() {
                ERROR_INFO => {
                    if let Ok(info) = google::ErrorInfo::decode(bytes) {
                        read.reason = Some(info.reason);
                        read.metadata = info.metadata.into_iter().collect();
                    }
                }
                RETRY_INFO => {
                    let delay = google::RetryInfo::decode(bytes).ok().and_then(|info| info.retry_delay);
                    // A negative one is none.
                    read.retry_delay = delay.and_then(|delay| delay.try_into().ok());
                }
                REFUSAL => read.refusal = Refusal::decode(bytes).ok().map(Box::new),
                _ => {}
            }
        }
        read.with_rule_and_revision()
    }

    /// Reads the failure of one request on a stream.
    pub fn of_failure(failure: &Failure) -> Self {
        Self {
            reason: non_empty(&failure.reason),
            metadata: failure.metadata.clone().into_iter().collect(),
            refusal: failure.refusal.clone().map(Box::new),
            ..Self::new(Code::from(failure.code), failure.message.as_str())
        }
        .with_rule_and_revision()
    }

    /// Adds the rule and the revision from the metadata. Where there is a refusal, what it says counts.
    fn with_rule_and_revision(mut self) -> Self {
        self.rule = self.metadata.get("rule").cloned();
        self.revision = self.metadata.get("revision").and_then(|text| text.parse().ok());
        if let Some(refusal) = &self.refusal {
            self.message = non_empty(&refusal.sentence).unwrap_or(self.message);
            self.reason = non_empty(&refusal.reason).or(self.reason);
            self.rule = non_empty(&refusal.rule).or(self.rule);
            self.revision = Some(refusal.revision);
        }
        self
    }

    /// The code as gRPC spells it, for programs.
    pub fn code_name(&self) -> &'static str {
        code_name(self.code)
    }
}

/// Whether tonic made the status up because the answer had none: it was not gRPC's, or it was cut short. Nothing but the
/// sentence shows that.
fn is_made_up(status: &Status) -> bool {
    ["grpc-status header missing", "protocol error: missing grpc-status"]
        .iter()
        .any(|beginning| status.message().starts_with(beginning))
}

fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// A code as gRPC spells it: tonic has sentences for them only.
pub fn code_name(code: Code) -> &'static str {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{detailed, error_info, retry_info};
    use prost_types::Any;

    fn refusal() -> Refusal {
        Refusal {
            rule: "DSA-7".into(),
            reason: "FIRST_TURN".into(),
            sentence: "not on the first turn".into(),
            revision: 3,
            to_act: vec![1],
            ..Default::default()
        }
    }

    #[test]
    fn every_detail_is_read() {
        let info = error_info("FIRST_TURN", &[("rule", "DSA-7"), ("revision", "2"), ("game_id", "g")]);
        let refused = Any { type_url: REFUSAL.into(), value: refusal().encode_to_vec() };
        let retry = retry_info(Duration::from_millis(1_500));
        let read = ErrorDetails::of(&detailed(Code::FailedPrecondition, "refused", vec![info, retry, refused]));
        assert_eq!((read.code, read.code_name()), (Code::FailedPrecondition, "FAILED_PRECONDITION"));
        assert_eq!(read.message, "not on the first turn");
        assert_eq!((read.reason.as_deref(), read.rule.as_deref()), (Some("FIRST_TURN"), Some("DSA-7")));
        assert_eq!(read.revision, Some(3), "the refusal's own");
        assert_eq!(read.metadata["game_id"], "g");
        assert_eq!(read.retry_delay, Some(Duration::from_millis(1_500)));
        assert_eq!(read.refusal.unwrap().to_act, [1]);
        assert!(!read.from_transport);
    }

    /// The sentences are tonic's; the end-to-end test of exit codes meets them in a server that speaks HTTP only.
    #[test]
    fn an_answer_that_is_not_of_grpc_is_no_answer_of_the_server() {
        for message in [
            "grpc-status header missing, mapped from HTTP status code 404",
            "protocol error: missing grpc-status trailer, stream was terminated without a final status",
        ] {
            assert!(ErrorDetails::of(&Status::unimplemented(message)).from_transport, "{message}");
        }
        assert!(!ErrorDetails::of(&Status::unimplemented("no such method")).from_transport);
    }

    #[test]
    fn without_a_refusal_the_metadata_has_rule_and_revision() {
        let info = error_info("REVISION_AHEAD", &[("rule", "R-1"), ("revision", "7")]);
        let read = ErrorDetails::of(&detailed(Code::OutOfRange, "ahead", vec![info]));
        assert_eq!((read.rule.as_deref(), read.revision), (Some("R-1"), Some(7)));
        let info = error_info("REVISION_AHEAD", &[("revision", "many")]);
        assert_eq!(ErrorDetails::of(&detailed(Code::OutOfRange, "ahead", vec![info])).revision, None);
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let bare = ErrorDetails::of(&Status::not_found("no game"));
        assert_eq!(bare, ErrorDetails::new(Code::NotFound, "no game"));
        let garbage = Status::with_details(Code::NotFound, "no game", vec![0xff; 9].into());
        assert_eq!(ErrorDetails::of(&garbage), bare);
        let bad = |type_url: &str| Any { type_url: type_url.into(), value: vec![0xff; 9] };
        let bad = vec![bad(ERROR_INFO), bad(RETRY_INFO), bad(REFUSAL), bad("type.googleapis.com/other.Detail")];
        assert_eq!(ErrorDetails::of(&detailed(Code::NotFound, "no game", bad)), bare);
        let negative = google::RetryInfo { retry_delay: Some(prost_types::Duration { seconds: -1, nanos: 0 }) };
        let negative = Any { type_url: RETRY_INFO.into(), value: negative.encode_to_vec() };
        assert_eq!(ErrorDetails::of(&detailed(Code::NotFound, "no game", vec![negative])), bare);
    }

    #[test]
    fn a_failure_on_a_stream_says_the_same_as_a_status() {
        let failure = Failure {
            code: Code::FailedPrecondition.into(),
            message: "refused".into(),
            reason: "FIRST_TURN".into(),
            metadata: [("rule".to_owned(), "DSA-7".to_owned()), ("revision".into(), "3".into())].into(),
            refusal: Some(refusal()),
        };
        let info = error_info("FIRST_TURN", &[("rule", "DSA-7"), ("revision", "3")]);
        let refused = Any { type_url: REFUSAL.into(), value: refusal().encode_to_vec() };
        let status = detailed(Code::FailedPrecondition, "refused", vec![info, refused]);
        assert_eq!(ErrorDetails::of_failure(&failure), ErrorDetails::of(&status));
        let bare = Failure { code: Code::Internal.into(), message: "no".into(), ..Default::default() };
        assert_eq!(ErrorDetails::of_failure(&bare), ErrorDetails::new(Code::Internal, "no"));
    }
}
