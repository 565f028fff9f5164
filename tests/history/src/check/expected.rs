//! What should have been answered, from the replayed log.

use bytes::Bytes;
use divelog_engine::{Seat, Viewer};
use divelog_ledger::{Position, Secret, Status, convert};
use divelog_proto::v1 as pb;

use super::log::LoggedStep;

/// The game at a position. A secret shows only when the game is over, and never a fork's.
pub(super) fn game(position: &Position, secret: &[u8; 32]) -> pb::Game {
    let header = position.header();
    let reveal = position.status() != Status::Running && header.fork.is_none();
    pb::Game {
        game_id: header.game_id.to_string(),
        kind: convert::kind_to_proto(position.kind()).into(),
        rules_version: header.rules_version.into(),
        options: Some(header.options.clone()),
        players: header.players.iter().map(|player| player.name.clone()).collect(),
        labels: header.labels.clone(),
        status: convert::status_to_proto(position.status()).into(),
        revision: position.revision().get(),
        head_hash: Bytes::copy_from_slice(&position.head_hash()),
        create_time: Some(convert::time_to_proto(header.create_time_ms)),
        update_time: Some(convert::time_to_proto(position.time_ms())),
        to_act: convert::seats_to_proto(position.to_act()),
        outcome: position.outcome().as_ref().map(convert::outcome_to_proto),
        abandon_reason: position.abandon_reason().unwrap_or_default().to_owned(),
        seed_commitment: Bytes::copy_from_slice(&Secret(*secret).commitment(header.game_id)),
        revealed_secret: if reveal { Bytes::copy_from_slice(secret) } else { Bytes::new() },
        fork_of: header.fork.map(|fork| pb::ForkOrigin {
            game_id: fork.game_id.to_string(),
            revision: fork.revision.get(),
            head_hash: Bytes::copy_from_slice(&fork.head_hash),
            same_seed: fork.same_seed,
        }),
    }
}

/// The table for a viewer.
pub(super) fn view(position: &Position, viewer: Viewer) -> pb::GameView {
    convert::view_to_proto(&position.view(viewer))
}

/// The answer to GetGame.
pub(super) fn get_game(position: &Position, secret: &[u8; 32], viewer: Viewer) -> pb::GetGameResponse {
    pb::GetGameResponse { game: Some(game(position, secret)), view: Some(view(position, viewer)) }
}

/// The answer to ListLegalActions.
pub(super) fn legal_actions(position: &Position, seat: u32) -> pb::ListLegalActionsResponse {
    let offers = match position.status() {
        Status::Running => position.game().legal_actions(Seat(seat as u8)),
        Status::Finished | Status::Abandoned => Vec::new(),
    };
    pb::ListLegalActionsResponse {
        legal_actions: offers.iter().map(convert::offer_to_proto).collect(),
        revision: position.revision().get(),
        to_act: convert::seats_to_proto(position.to_act()),
    }
}

/// The answer to an action.
pub(super) fn submitted(step: &LoggedStep) -> pb::SubmitActionResponse {
    let position = &step.position;
    let viewer = step.seat.map_or(Viewer::Spectator, Viewer::Seat);
    pb::SubmitActionResponse {
        revision: position.revision().get(),
        record_hash: Bytes::copy_from_slice(&position.head_hash()),
        time: Some(convert::time_to_proto(position.time_ms())),
        events: convert::events_for(step.position.game(), &step.events, viewer),
        status: convert::status_to_proto(position.status()).into(),
        to_act: convert::seats_to_proto(position.to_act()),
    }
}

/// A watcher's update.
pub(super) fn update(step: &LoggedStep, viewer: Viewer, with_view: bool) -> pb::Update {
    let position = &step.position;
    pb::Update {
        revision: position.revision().get(),
        record_hash: Bytes::copy_from_slice(&position.head_hash()),
        time: Some(convert::time_to_proto(position.time_ms())),
        seat: step.seat.map(|seat| seat.0.into()),
        events: convert::events_for(step.position.game(), &step.events, viewer),
        status: convert::status_to_proto(position.status()).into(),
        to_act: convert::seats_to_proto(position.to_act()),
        view: with_view.then(|| view(position, viewer)),
    }
}

/// The beginning of a watch without a revision.
pub(super) fn snapshot(position: &Position, secret: &[u8; 32], viewer: Viewer) -> pb::Snapshot {
    pb::Snapshot { game: Some(game(position, secret)), view: Some(view(position, viewer)) }
}
