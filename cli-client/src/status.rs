//! What an error from the server means here: its exit code, a sentence, and what to do next.

use divelog_client::ErrorDetails;
use divelog_proto::v1::LegalAction;
use tonic::Code;

use crate::{
    errors::{Exit, in_words},
    output::clean,
};

/// The reason of a server that ends, and soon cannot be reached any more.
const SHUTTING_DOWN: &str = "SHUTTING_DOWN";

/// The exit code of this answer.
pub fn exit(refused: &ErrorDetails) -> Exit {
    match refused.code {
        Code::Ok => Exit::Done,
        // The connection broke, or what listens there does not speak gRPC, whatever code that becomes.
        _ if refused.from_transport => Exit::Unreachable,
        // With a reason it is divelogd itself that answers, and says what has failed.
        Code::Unavailable if is_fault(refused) => Exit::Refused,
        // tonic says Cancelled when its own clock ends a call.
        Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled => Exit::Unreachable,
        Code::DataLoss => Exit::Unverified,
        _ => Exit::Refused,
    }
}

fn is_fault(refused: &ErrorDetails) -> bool {
    refused.reason.as_deref().is_some_and(|reason| reason != SHUTTING_DOWN)
}

/// Whether a write that got this answer may be sent once more under its id: it was perhaps done, or the cause may pass.
pub fn may_be_repeated(refused: &ErrorDetails) -> bool {
    match refused.code {
        Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled | Code::ResourceExhausted => true,
        Code::Aborted => refused.reason.as_deref() == Some("CONFLICT"),
        _ => refused.from_transport,
    }
}

/// Whether the next call would meet the same error, whatever it asks for.
pub fn is_of_the_server(refused: &ErrorDetails) -> bool {
    exit(refused) == Exit::Unreachable || matches!(refused.code, Code::Unavailable | Code::ResourceExhausted)
}

/// The refusal in a sentence: by which rule if one is known, else by the kind of error.
pub fn text(refused: &ErrorDetails) -> String {
    let by = match (&refused.rule, &refused.reason) {
        (Some(rule), Some(reason)) => format!("refused by {rule} ({reason})"),
        (Some(rule), None) => format!("refused by {rule}"),
        (None, Some(reason)) => format!("error: {} ({reason})", refused.code_name()),
        (None, None) => format!("error: {}", refused.code_name()),
    };
    format!("{}: {}", clean(&by), clean(&refused.message))
}

/// What the seat could do instead.
pub fn legal_actions(refused: &ErrorDetails) -> &[LegalAction] {
    refused.refusal.as_ref().map_or(&[], |refusal| &refusal.legal_actions)
}

/// What to do next.
pub fn hint(refused: &ErrorDetails) -> String {
    if let Some(refusal) = &refused.refusal {
        if !refusal.legal_actions.is_empty() {
            let more = if refusal.legal_actions_truncated { ", and more" } else { "" };
            return format!("legal now: {}{more}", in_words(&refusal.legal_actions));
        }
        if refused.code == Code::FailedPrecondition && !refusal.to_act.is_empty() {
            let seats: Vec<String> = refusal.to_act.iter().map(u32::to_string).collect();
            return format!("to act now: seat {}", seats.join(", "));
        }
    }
    match refused.reason.as_deref() {
        Some("LEAF_NOT_FOUND") => {
            return "`divelog log prove GAME` without --revision proves the newest record that is sealed".into();
        }
        Some("STORE_FAILED") => {
            return "its operator reads the cause in the server's log; nothing is done before it is restarted".into();
        }
        Some("DRAW_TO_COME") => return "`divelog log show GAME` lists the records that are written".into(),
        _ => {}
    }
    match refused.code {
        Code::Aborted => "`divelog game show GAME` shows it as it is now".into(),
        Code::NotFound => "`divelog game list` shows the games of this server".into(),
        Code::ResourceExhausted => match refused.retry_delay {
            Some(delay) => format!("try again in {:.1} s", delay.as_secs_f32()),
            None => "try again later".into(),
        },
        Code::DeadlineExceeded | Code::Cancelled => "wait longer with --timeout".into(),
        _ if refused.from_transport => "the connection broke, or what listens at this address is not divelogd".into(),
        Code::Unavailable => "try again".into(),
        Code::DataLoss => "`divelog log verify GAME` names the first record that is wrong".into(),
        Code::Unimplemented => "this server is older than this client, or is not divelogd".into(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use divelog_proto::{
        games::deep_sea_adventure::v1 as dsa,
        v1::{Refusal, legal_action},
    };

    fn dive() -> LegalAction {
        let action = dsa::Action { action: Some(dsa::action::Action::Dive(dsa::Dive { turn_back: false })) };
        LegalAction {
            legal_action: Some(legal_action::LegalAction::DeepSeaAdventure(dsa::LegalAction { action: Some(action) })),
        }
    }

    fn refused(refusal: Refusal) -> ErrorDetails {
        ErrorDetails {
            reason: Some("FIRST_TURN".into()),
            rule: Some("DSA-7".into()),
            refusal: Some(Box::new(refusal)),
            ..ErrorDetails::new(Code::FailedPrecondition, "an explorer cannot turn back on the first turn of a round")
        }
    }

    #[test]
    fn a_refusal_names_its_rule_and_what_is_legal() {
        let mut refusal = Refusal { to_act: vec![0, 2], legal_actions: vec![dive()], ..Default::default() };
        assert_eq!(
            text(&refused(refusal.clone())),
            "refused by DSA-7 (FIRST_TURN): an explorer cannot turn back on the first turn of a round"
        );
        assert_eq!(hint(&refused(refusal.clone())), "legal now: dive");
        assert_eq!(legal_actions(&refused(refusal.clone())), [dive()]);
        assert_eq!(exit(&refused(refusal.clone())), Exit::Refused);
        refusal.legal_actions_truncated = true;
        assert_eq!(hint(&refused(refusal.clone())), "legal now: dive, and more");
        refusal.legal_actions.clear();
        assert_eq!(hint(&refused(refusal)), "to act now: seat 0, 2");
    }

    #[test]
    fn a_bare_status_still_has_code_and_sentence() {
        let refused = ErrorDetails::new(Code::NotFound, "no game \u{1b}[2J");
        assert_eq!(text(&refused), "error: NOT_FOUND: no game \\u001b[2J");
        assert_eq!(hint(&refused), "`divelog game list` shows the games of this server");
        assert!(legal_actions(&refused).is_empty());
    }

    #[test]
    fn a_reason_may_lead_to_a_better_next_step_than_its_code() {
        let of = |reason: &str| {
            hint(&ErrorDetails { reason: Some(reason.into()), ..ErrorDetails::new(Code::NotFound, "none") })
        };
        assert!(of("LEAF_NOT_FOUND").contains("log prove GAME"));
        assert!(of("GAME_NOT_FOUND").contains("game list"));
    }

    #[test]
    fn a_busy_server_says_how_long_to_wait() {
        let mut busy = ErrorDetails::new(Code::ResourceExhausted, "busy");
        assert_eq!(hint(&busy), "try again later");
        busy.retry_delay = Some(Duration::from_millis(1_500));
        assert_eq!(hint(&busy), "try again in 1.5 s");
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
        for (code, expected) in cases {
            assert_eq!(exit(&ErrorDetails::new(code, "")), expected, "{code:?}");
        }
        for code in [Code::Unknown, Code::Internal, Code::Unimplemented] {
            let broken = ErrorDetails { from_transport: true, ..ErrorDetails::new(code, "h2 protocol error") };
            assert_eq!(exit(&broken), Exit::Unreachable, "{code:?}: nothing there speaks gRPC");
        }
    }

    #[test]
    fn a_server_that_answers_with_a_fault_was_reached() {
        let cases = [
            ("STORE_FAILED", Exit::Refused),
            ("SEALING_FAILED", Exit::Refused),
            ("TRANSPARENCY_LOG_NOT_READY", Exit::Refused),
            ("SHUTTING_DOWN", Exit::Unreachable),
        ];
        for (reason, expected) in cases {
            let details =
                ErrorDetails { reason: Some(reason.into()), ..ErrorDetails::new(Code::Unavailable, "failed") };
            assert_eq!(exit(&details), expected, "{reason}");
        }
    }

    #[test]
    fn a_stale_revision_leads_to_the_game() {
        // The server's own sentence names the current revision.
        assert!(hint(&ErrorDetails::new(Code::Aborted, "stale")).contains("divelog game show"));
    }
}
