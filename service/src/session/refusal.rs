//! What is kept of a refused request: enough to answer "I clicked and nothing happened" long afterwards.

use divelog_engine::Violation;
use divelog_ledger::{GameId, Revision, convert};
use divelog_proto::v1 as pb;
use prost::Message;

use super::Error;
use crate::access::Caller;
use crate::store::{GapCause, KeptRefusals, RefusalGap, Refusals};

/// A larger action is left out of what is kept.
const MAX_ACTION_BYTES: usize = 4 * 1024;
/// Longer texts are cut: a request id that is too long is itself a reason to be refused.
const MAX_TEXT_BYTES: usize = 1024;

/// What was asked of a game.
#[derive(Clone, Debug)]
pub enum RefusedCall {
    /// An action, unread, of a seat as the caller said.
    Action {
        /// The seat.
        seat: u32,
        /// The action; none if the request had none.
        action: Option<pb::GameAction>,
    },
    /// To abandon it.
    Abandonment,
}

/// A request as it was asked.
#[derive(Clone, Debug)]
pub struct RefusedRequest {
    /// What was asked.
    pub asked: RefusedCall,
    /// The request id; may be empty.
    pub request_id: String,
    /// Who sent it; none for the server's own work.
    pub caller: Option<Caller>,
    /// When it was judged.
    pub time_ms: u64,
    /// The revision at which it was judged; 0 if it was not shown to its game.
    pub revision: Revision,
}

/// Keeps a request that was judged and refused. What was turned away unjudged, or for a fault of the machinery, is no refusal:
/// it says nothing about the request, and the same request may be done the next time.
///
/// Of a flood almost nothing is written in the end, so texts are made when that is known. What is held until then is small:
/// the action is bytes, and texts are cut.
pub(super) fn keep(refusals: &Refusals, game: GameId, request: RefusedRequest, error: &Error) {
    let (rule, reason, revision) = match error {
        Error::Refused(refused) => (refused.violation.rule, refused.violation.reason, refused.revision),
        Error::Stale { actual, .. } => ("REVISION", "STALE_REVISION", *actual),
        Error::Ahead { actual, .. } => ("REVISION", "REVISION_AHEAD", *actual),
        Error::Invalid { .. } => ("MALFORMED", "INVALID_FIELD", request.revision),
        Error::RequestIdReused(_) => ("", "REQUEST_ID_REUSED", request.revision),
        Error::ForkIncomplete { revision, .. } => ("", "FORK_INCOMPLETE", *revision),
        _ => return,
    };
    let sentence = Sentence::of(error);
    let RefusedRequest { asked, request_id, caller, time_ms, .. } = request;
    let abandonment = matches!(asked, RefusedCall::Abandonment);
    let (seat, action) = match asked {
        RefusedCall::Action { seat, action } => (seat, action),
        RefusedCall::Abandonment => (0, None),
    };
    let action_bytes = action.as_ref().map_or(0, Message::encoded_len);
    let omitted_action_bytes = if action_bytes > MAX_ACTION_BYTES { action_bytes as u64 } else { 0 };
    let action = action.filter(|_| omitted_action_bytes == 0).map(|action| action.encode_to_vec());
    let request_id = cut(request_id);
    refusals.keep_later(game, move || {
        let action = action.as_deref().and_then(|action| pb::GameAction::decode(action).ok());
        let kept = pb::KeptRefusal {
            // Known when it is written, and filled in when it is read.
            number: 0,
            time: Some(convert::time_to_proto(time_ms)),
            seat,
            action,
            rule: rule.to_owned(),
            reason: reason.to_owned(),
            sentence: sentence.text(),
            revision: revision.get(),
            request_id: request_id.clone(),
            caller: caller.map(|caller| caller.to_string()).unwrap_or_default(),
            abandonment,
            omitted_action_bytes,
        };
        kept.encode_to_vec()
    });
}

/// Why a request was refused, for people.
enum Sentence {
    /// The rules' own, which is short.
    Rules(Violation),
    /// Any other.
    Text(String),
}

impl Sentence {
    fn of(error: &Error) -> Sentence {
        match error {
            Error::Refused(refused) => Sentence::Rules(refused.violation.clone()),
            error => Sentence::Text(cut(error.to_string())),
        }
    }

    fn text(&self) -> String {
        match self {
            Sentence::Rules(violation) => cut(violation.to_string()),
            Sentence::Text(text) => text.clone(),
        }
    }
}

/// What is answered of a game's refusals.
pub(super) fn listed(kept: &KeptRefusals) -> pb::ListRefusalsResponse {
    pb::ListRefusalsResponse {
        refusals: kept.newest_first.iter().map(|(number, value)| read(*number, value)).collect(),
        dropped: kept.dropped,
        overflowed: kept.overflowed,
        gaps: kept.gaps.list.iter().map(gap_to_proto).collect(),
        gaps_known_since: kept.gaps.known_since_ms.map(convert::time_to_proto),
    }
}

fn gap_to_proto(gap: &RefusalGap) -> pb::RefusalGap {
    let cause = match gap.cause {
        GapCause::UncleanEnd => pb::refusal_gap::Cause::UncleanEnd,
        GapCause::Overflow => pb::refusal_gap::Cause::Overflow,
        GapCause::StoreFailed => pb::refusal_gap::Cause::StoreFailed,
        GapCause::Several => pb::refusal_gap::Cause::Several,
        GapCause::OtherDatabase => pb::refusal_gap::Cause::OtherDatabase,
    };
    pb::RefusalGap {
        from: Some(convert::time_to_proto(gap.from_ms)),
        to: Some(convert::time_to_proto(gap.to_ms)),
        cause: cause.into(),
        count: gap.count,
    }
}

/// What was kept, under its number. A value that cannot be read any more still has its number.
fn read(number: u64, value: &[u8]) -> pb::KeptRefusal {
    pb::KeptRefusal { number, ..pb::KeptRefusal::decode(value).unwrap_or_default() }
}

/// A text that may hold what a caller wrote, no longer than is kept or answered of it.
pub(crate) fn cut(mut text: String) -> String {
    if text.len() > MAX_TEXT_BYTES {
        let end = (0..=MAX_TEXT_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        // In a place of its own: a text that is only shortened would keep all the room that it had.
        text = text[..end].to_owned();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(cut("ä".repeat(600)).len(), MAX_TEXT_BYTES);
        assert_eq!(cut(format!("x{}", "ä".repeat(600))).len(), MAX_TEXT_BYTES - 1);
        assert_eq!(cut("short".into()), "short");
    }
}
