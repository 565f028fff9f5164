//! A gRPC status, taken apart: the code, `google.rpc.ErrorInfo` and divelog's own [`Refusal`] detail.

use divelog_proto::v1::{LegalAction, Refusal};
use prost::Message as _;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::{
    errors::{Exit, in_words},
    output::clean,
};

const REFUSAL_TYPE: &str = "type.googleapis.com/divelog.v1.Refusal";

/// An answer of the server that says no.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// The gRPC code.
    pub code: Code,
    /// The sentence for people.
    pub message: String,
    /// The stable reason; absent when the server gave none.
    pub reason: Option<String>,
    /// The rule that was broken.
    pub rule: Option<String>,
    /// The game's revision when it was judged.
    pub revision: Option<u64>,
    /// The seats that are asked to act, when an action was refused.
    pub to_act: Vec<u32>,
    /// What the seat could do instead.
    pub legal_actions: Vec<LegalAction>,
    /// Whether `legal_actions` leaves some out.
    pub legal_actions_truncated: bool,
    /// How many seconds to wait before the next try, if the server said so.
    pub retry_after_seconds: Option<f32>,
}

impl Refused {
    /// A refusal of which only the code and the sentence are known.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            reason: None,
            rule: None,
            revision: None,
            to_act: Vec::new(),
            legal_actions: Vec::new(),
            legal_actions_truncated: false,
            retry_after_seconds: None,
        }
    }

    /// Takes a status apart. Details that cannot be read are left out: the code and the sentence still tell the story.
    pub fn from_status(status: &Status) -> Self {
        let mut refused = Self::new(status.code(), status.message());
        if let Some(mut info) = status.get_details_error_info() {
            refused.reason = Some(info.reason);
            refused.rule = info.metadata.remove("rule");
            refused.revision = info.metadata.get("revision").and_then(|text| text.parse().ok());
        }
        if let Some(retry) = status.get_details_retry_info() {
            refused.retry_after_seconds = retry.retry_delay.map(|delay| delay.as_secs_f32());
        }
        if let Some(refusal) = refusal_detail(status) {
            refused.message = non_empty(refusal.sentence).unwrap_or(refused.message);
            refused.reason = non_empty(refusal.reason).or(refused.reason);
            refused.rule = non_empty(refusal.rule).or(refused.rule);
            refused.revision = Some(refusal.revision);
            refused.to_act = refusal.to_act;
            refused.legal_actions = refusal.legal_actions;
            refused.legal_actions_truncated = refusal.legal_actions_truncated;
        }
        refused
    }

    /// The exit code of this answer.
    pub fn exit(&self) -> Exit {
        match self.code {
            Code::Ok => Exit::Done,
            // tonic says Cancelled when its own clock ends a call.
            Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled => Exit::Unreachable,
            Code::DataLoss => Exit::Unverified,
            _ => Exit::Refused,
        }
    }

    /// The code as gRPC spells it, for programs.
    pub fn code_name(&self) -> &'static str {
        match self.code {
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

    /// The refusal in a sentence: by which rule if one is known, else by the kind of error.
    pub fn text(&self) -> String {
        let by = match (&self.rule, &self.reason) {
            (Some(rule), Some(reason)) => format!("refused by {rule} ({reason})"),
            (Some(rule), None) => format!("refused by {rule}"),
            (None, Some(reason)) => format!("error: {} ({reason})", self.code_name()),
            (None, None) => format!("error: {}", self.code_name()),
        };
        format!("{}: {}", clean(&by), clean(&self.message))
    }

    /// What to do next.
    pub fn hint(&self) -> String {
        if !self.legal_actions.is_empty() {
            let more = if self.legal_actions_truncated { ", and more" } else { "" };
            return format!("legal now: {}{more}", in_words(&self.legal_actions));
        }
        if self.code == Code::FailedPrecondition && !self.to_act.is_empty() {
            let seats: Vec<String> = self.to_act.iter().map(u32::to_string).collect();
            return format!("to act now: seat {}", seats.join(", "));
        }
        match self.reason.as_deref() {
            Some("LEAF_NOT_FOUND") => return "`divelog log checkpoint --seal` seals what is on disk now".into(),
            Some("DRAW_TO_COME") => return "`divelog log show GAME` lists the records that are written".into(),
            _ => {}
        }
        match self.code {
            Code::Aborted => "`divelog game show GAME` shows it as it is now".into(),
            Code::NotFound => "`divelog game list` shows the games of this server".into(),
            Code::ResourceExhausted => match self.retry_after_seconds {
                Some(seconds) => format!("try again in {seconds:.1} s"),
                None => "try again later".into(),
            },
            Code::Unavailable => "try again; with the same --request-id nothing is done twice".into(),
            Code::DeadlineExceeded | Code::Cancelled => {
                "the call may still have been done; repeat it with the same --request-id, or wait longer with --timeout"
                    .into()
            }
            Code::DataLoss => "`divelog log verify GAME` names the first record that is wrong".into(),
            Code::Unimplemented => "this server is older than this client, or is not divelogd".into(),
            _ => String::new(),
        }
    }
}

fn refusal_detail(status: &Status) -> Option<Refusal> {
    let envelope = tonic_types::pb::Status::decode(status.details()).ok()?;
    let detail = envelope.details.into_iter().find(|any| any.type_url == REFUSAL_TYPE)?;
    Refusal::decode(detail.value.as_slice()).ok()
}

fn non_empty(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use divelog_proto::{games::deep_sea_adventure::v1 as dsa, v1::legal_action};
    use prost_types::Any;

    fn dive() -> LegalAction {
        let action = dsa::Action { action: Some(dsa::action::Action::Dive(dsa::Dive { turn_back: false })) };
        LegalAction {
            legal_action: Some(legal_action::LegalAction::DeepSeaAdventure(dsa::LegalAction { action: Some(action) })),
        }
    }

    fn refused_status() -> Status {
        let info = tonic_types::pb::ErrorInfo {
            reason: "FIRST_TURN".into(),
            domain: "divelog".into(),
            metadata: [("rule".to_string(), "DSA-7".to_string()), ("revision".into(), "3".into())].into(),
        };
        let refusal = Refusal {
            rule: "DSA-7".into(),
            reason: "FIRST_TURN".into(),
            sentence: "an explorer cannot turn back on the first turn of a round".into(),
            revision: 3,
            to_act: vec![0],
            legal_actions: vec![dive()],
            legal_actions_truncated: false,
        };
        let envelope = tonic_types::pb::Status {
            code: Code::FailedPrecondition as i32,
            message: "refused".into(),
            details: vec![
                Any { type_url: "type.googleapis.com/google.rpc.ErrorInfo".into(), value: info.encode_to_vec() },
                Any { type_url: REFUSAL_TYPE.into(), value: refusal.encode_to_vec() },
            ],
        };
        Status::with_details(Code::FailedPrecondition, "refused", envelope.encode_to_vec().into())
    }

    #[test]
    fn a_refusal_names_its_rule_and_what_is_legal() {
        let refused = Refused::from_status(&refused_status());
        assert_eq!(
            refused.text(),
            "refused by DSA-7 (FIRST_TURN): an explorer cannot turn back on the first turn of a round"
        );
        assert_eq!(refused.hint(), "legal now: dive");
        assert_eq!(refused.revision, Some(3));
        assert_eq!(refused.exit(), Exit::Refused);
    }

    #[test]
    fn a_bare_status_still_has_code_and_sentence() {
        let refused = Refused::from_status(&Status::not_found("no game \u{1b}[2J"));
        assert_eq!(refused.text(), "error: NOT_FOUND: no game [2J");
        assert_eq!(refused.hint(), "`divelog game list` shows the games of this server");
    }

    #[test]
    fn a_reason_may_know_a_better_next_step_than_its_code() {
        let hint =
            |reason: &str| Refused { reason: Some(reason.into()), ..Refused::new(Code::NotFound, "none") }.hint();
        assert!(hint("LEAF_NOT_FOUND").contains("log checkpoint --seal"));
        assert!(hint("GAME_NOT_FOUND").contains("game list"));
    }

    #[test]
    fn codes_become_exits() {
        let cases = [
            (Code::FailedPrecondition, Exit::Refused),
            (Code::Aborted, Exit::Refused),
            (Code::NotFound, Exit::Refused),
            (Code::InvalidArgument, Exit::Refused),
            (Code::AlreadyExists, Exit::Refused),
            (Code::PermissionDenied, Exit::Refused),
            (Code::ResourceExhausted, Exit::Refused),
            (Code::Internal, Exit::Refused),
            (Code::Unavailable, Exit::Unreachable),
            (Code::DeadlineExceeded, Exit::Unreachable),
            (Code::DataLoss, Exit::Unverified),
        ];
        for (code, exit) in cases {
            assert_eq!(Refused::new(code, "").exit(), exit, "{code:?}");
        }
    }

    #[test]
    fn a_stale_revision_leads_to_the_game() {
        // The server's own sentence tells the true revision.
        assert!(Refused::new(Code::Aborted, "stale").hint().contains("divelog game show"));
    }
}
