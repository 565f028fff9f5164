//! What callers ask for, and everything about it that is judged before the game's own rules.

use divelog_engine::{AnyAction, Seat, Violation};
use divelog_ledger::{ForkOrigin, Position, Revision, Status, convert};
use divelog_proto::v1 as pb;

use super::{Error, Refused, Step};
use crate::access::Caller;

/// A seat's action, as asked.
pub struct ActRequest {
    /// The seat, unchecked.
    pub seat: u32,
    /// The action, unread.
    pub action: Option<pb::GameAction>,
    /// The revision that the caller decided on.
    pub expected_revision: Option<Revision>,
    /// The request id; may be empty.
    pub request_id: String,
    /// Who sent it; none for the server's own work.
    pub caller: Option<Caller>,
    /// Whether it copies the source's past into a fork, which takes nothing else before it is complete.
    pub copies: bool,
}

/// A request to abandon a game.
pub struct AbandonRequest {
    /// Why.
    pub reason: String,
    /// The revision that the caller decided on.
    pub expected_revision: Option<Revision>,
    /// The request id; may be empty.
    pub request_id: String,
    /// Who sent it; none for the server's own work.
    pub caller: Option<Caller>,
    /// Of an unfinished fork: whether nobody can complete it any more.
    pub never_complete: bool,
}

/// A request that may come again under the same id.
pub trait Repeatable {
    /// Its id; may be empty.
    fn request_id(&self) -> &str;

    /// Whether a step is what this request asks for.
    fn matches(&self, step: &Step) -> bool;
}

impl Repeatable for ActRequest {
    fn request_id(&self) -> &str {
        &self.request_id
    }

    fn matches(&self, step: &Step) -> bool {
        let action = convert::action_from_proto(step.position.kind(), self.action.as_ref()).ok();
        step.seat.is_some_and(|seat| u32::from(seat.0) == self.seat) && step.action == action
    }
}

impl Repeatable for AbandonRequest {
    fn request_id(&self) -> &str {
        &self.request_id
    }

    fn matches(&self, step: &Step) -> bool {
        step.position.abandon_reason() == Some(&self.reason)
    }
}

/// Refuses a caller who decided on another revision.
pub(super) fn expect_revision(position: &Position, expected: Option<Revision>) -> Result<(), Error> {
    match expected {
        Some(expected) if expected != position.revision() => {
            Err(Error::Stale { expected, actual: position.revision() })
        }
        _ => Ok(()),
    }
}

/// Where a fork comes from that does not have its source's whole past yet.
pub(super) fn unfinished_fork(position: &Position) -> Option<ForkOrigin> {
    let running = position.status() == Status::Running;
    position.header().fork.filter(|origin| running && position.revision() < origin.revision)
}

/// Refuses what would come between a fork and the rest of its source's past.
pub(super) fn expect_complete(position: &Position) -> Result<(), Error> {
    match unfinished_fork(position) {
        Some(origin) => Err(Error::ForkIncomplete { revision: position.revision(), wanted: origin.revision }),
        None => Ok(()),
    }
}

/// Everything about a request that comes before the game's own rules: revision, over, turn, readable.
pub(super) fn check_request(position: &Position, request: &ActRequest) -> Result<(Seat, AnyAction), Error> {
    if !request.copies {
        expect_complete(position)?;
    }
    expect_revision(position, request.expected_revision)?;
    let seat = admit(position, request.seat).map_err(|violation| refused(position, request.seat, violation))?;
    let action = convert::action_from_proto(position.kind(), request.action.as_ref())
        .map_err(|sentence| refused(position, request.seat, Violation::malformed(sentence)))?;
    Ok((seat, action))
}

/// What comes before any look at the action: `OVER`, then `TURN`. A seat that the table does not have is never asked.
fn admit(position: &Position, seat: u32) -> Result<Seat, Violation> {
    if position.status() != Status::Running {
        return Err(Violation::over());
    }
    let seat = convert::seat_from_proto(seat, position.game().seats()).map_err(Violation::no_such_seat)?;
    position.game().admit(seat).map(|()| seat)
}

/// A refusal, with what the seat could do instead.
pub(super) fn refused(position: &Position, seat: u32, violation: Violation) -> Error {
    let running = position.status() == Status::Running;
    let seat = convert::seat_from_proto(seat, position.game().seats()).ok().filter(|_| running);
    Error::Refused(Box::new(Refused {
        violation,
        revision: position.revision(),
        to_act: position.to_act(),
        legal: seat.map(|seat| position.game().legal_actions(seat)).unwrap_or_default(),
    }))
}
