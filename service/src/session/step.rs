//! What one record did, fresh from the rules or replayed from the log.

use bytes::Bytes;
use divelog_engine::{AnyAction, AnyEvent, Seat};
use divelog_ledger::{Advance, GameId, Position, Replayed, RequestIds, Secret, convert};
use divelog_proto::v1 as pb;

use super::Error;
use crate::store::StoredGame;

/// One record's effect. Events are for an auditor's eyes: redact before showing.
#[derive(Clone, Debug)]
pub struct Step {
    /// The game after the record.
    pub position: Position,
    /// What happened.
    pub events: Vec<AnyEvent>,
    /// Who acted; nobody at set-up and abandonment.
    pub seat: Option<Seat>,
    /// What they did.
    pub action: Option<AnyAction>,
}

impl Step {
    /// The step of a record that was just written, and the record.
    pub fn fresh(advance: Advance, actor: Option<(Seat, AnyAction)>) -> (Step, Bytes) {
        let (seat, action) = actor.unzip();
        (Step { position: advance.position, events: advance.events, seat, action }, advance.record)
    }

    /// The step of a record from the log.
    fn replayed(replayed: Replayed) -> Step {
        let moved = match &replayed.record.body {
            Some(pb::record::Body::Move(moved)) => Some(moved),
            _ => None,
        };
        let kind = replayed.position.kind();
        Step {
            seat: moved.map(|moved| Seat(moved.seat as u8)),
            action: moved.and_then(|moved| convert::action_from_proto(kind, moved.action.as_ref()).ok()),
            position: replayed.position,
            events: replayed.events,
        }
    }
}

/// Replays a stored game and shows each step, with its request id, until `each` says stop.
pub fn replay_stored(
    game: GameId,
    stored: &StoredGame,
    mut each: impl FnMut(Step, String) -> std::ops::ControlFlow<()>,
) -> Result<(), Error> {
    let Some(secret) = stored.secret else {
        return Err(Error::Damaged {
            game,
            sequence: Some(0),
            kind: None,
            detail: "the game's secret is missing".into(),
        });
    };
    let mut position: Option<Position> = None;
    let mut request_ids = RequestIds::default();
    for record in &stored.records {
        let replayed = match &position {
            None => Position::open(game, &record.bytes, &Secret(secret)),
            Some(position) => position.replay(&record.bytes),
        };
        let replayed = replayed.map_err(|fault| Error::fault(game, fault))?;
        request_ids.note(&replayed.record, &record.bytes).map_err(|fault| Error::fault(game, fault))?;
        position = Some(replayed.position.clone());
        let request_id = replayed.record.request_id.clone();
        if each(Step::replayed(replayed), request_id).is_break() {
            break;
        }
    }
    Ok(())
}
