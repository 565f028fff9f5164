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

/// A request as it was asked.
#[derive(Clone, Debug, Default)]
pub struct RefusedRequest {
    /// The seat, as the caller said; 0 for an abandonment.
    pub seat: u32,
    /// The action, unread; none for an abandonment.
    pub action: Option<pb::GameAction>,
    /// The request id; may be empty.
    pub request_id: String,
    /// Who sent it; none for the server's own work.
    pub caller: Option<Caller>,
    /// When it was judged.
    pub time_ms: u64,
    /// The revision at which it was judged; 0 if it was not shown to its game.
    pub revision: Revision,
}

/// Keeps a request that was refused; faults of the machinery are no refusals.
///
/// Of a flood almost nothing is written in the end, so texts are made when that is known. What is held until then is small:
/// the action is bytes, and texts are cut.
pub(super) fn keep(refusals: &Refusals, game: GameId, asked: RefusedRequest, error: &Error) {
    let (rule, reason, revision) = match error {
        Error::Refused(refused) => (refused.violation.rule, refused.violation.reason, refused.revision),
        Error::Stale { actual, .. } => ("REVISION", "STALE_REVISION", *actual),
        Error::Ahead { actual, .. } => ("REVISION", "REVISION_AHEAD", *actual),
        Error::Invalid { .. } => ("MALFORMED", "INVALID_FIELD", asked.revision),
        _ => return,
    };
    let sentence = Sentence::of(error);
    let RefusedRequest { seat, action, request_id, caller, time_ms, .. } = asked;
    let action = action.filter(|action| action.encoded_len() <= MAX_ACTION_BYTES).map(|action| action.encode_to_vec());
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

/// What is answered of a game's refusals; the game was created at `created_ms`.
pub(super) fn listed(kept: &KeptRefusals, created_ms: u64) -> pb::ListRefusalsResponse {
    let since_ms = kept.gaps.since_ms;
    pb::ListRefusalsResponse {
        refusals: kept.newest_first.iter().map(|(number, value)| read(*number, value)).collect(),
        dropped: kept.dropped,
        overflowed: kept.overflowed,
        // Nobody can have asked anything of a game before it was there.
        gaps: kept.gaps.list.iter().filter(|gap| gap.to_ms >= created_ms).map(gap_to_proto).collect(),
        gaps_known_since: (created_ms < since_ms).then(|| convert::time_to_proto(since_ms)),
    }
}

fn gap_to_proto(gap: &RefusalGap) -> pb::RefusalGap {
    let cause = match gap.cause {
        GapCause::UncleanEnd => pb::refusal_gap::Cause::UncleanEnd,
        GapCause::Overflow => pb::refusal_gap::Cause::Overflow,
        GapCause::StoreFailed => pb::refusal_gap::Cause::StoreFailed,
        GapCause::Several => pb::refusal_gap::Cause::Several,
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
