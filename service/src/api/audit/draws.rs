//! One record's luck, opened in a dispute without showing any other.

use std::ops::ControlFlow;

use bytes::Bytes;
use divelog_engine::Viewer;
use divelog_ledger::{GameId, Sequence, committing_record, convert};
use divelog_proto::v1 as pb;

use crate::session::{Error, Step, replay_stored};
use crate::store::StoredGame;

/// The draw of one record, the record that commits to it, and what came of it.
pub(super) fn open(id: GameId, stored: &StoredGame, sequence: Sequence) -> Result<pb::OpenDrawResponse, Error> {
    let step = step_of(id, stored, sequence)?;
    let record = |sequence: Sequence| stored.records.get(sequence.index()).map(|record| record.bytes.clone());
    Ok(pb::OpenDrawResponse {
        draw: Some(opened(id, &step, sequence)?),
        committing_record: record(committing_record(sequence)).unwrap_or_default(),
        record: record(sequence).unwrap_or_default(),
        events: convert::events_for(step.position.game(), &step.events, Viewer::Auditor),
    })
}

/// The keys of some records' chance.
pub(super) fn keys(id: GameId, stored: &StoredGame, sequences: &[Sequence]) -> Result<Vec<pb::OpenedDraw>, Error> {
    let Some(last) = sequences.last() else { return Ok(Vec::new()) };
    let step = step_of(id, stored, *last)?;
    sequences.iter().map(|sequence| opened(id, &step, *sequence)).collect()
}

/// The game just after a record. The luck of what comes later is not even computed.
fn step_of(id: GameId, stored: &StoredGame, sequence: Sequence) -> Result<Step, Error> {
    let revision = stored.head.revision;
    if !revision.includes(sequence) {
        return Err(Error::DrawToCome { sequence, revision });
    }
    let mut found = None;
    replay_stored(id, stored, |step, _| {
        if !step.position.revision().includes(sequence) {
            return ControlFlow::Continue(());
        }
        found = Some(step);
        ControlFlow::Break(())
    })?;
    found.ok_or(Error::NotFound(id))
}

fn opened(id: GameId, step: &Step, sequence: Sequence) -> Result<pb::OpenedDraw, Error> {
    let to_come = || Error::DrawToCome { sequence, revision: step.position.revision() };
    let key = step.position.open_draw(sequence).ok_or_else(to_come)?;
    tracing::info!(game = %id, sequence = sequence.get(), "a draw was opened");
    Ok(pb::OpenedDraw { sequence: sequence.get(), chance_key: Bytes::copy_from_slice(&key) })
}
