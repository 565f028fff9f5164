//! Domain objects as the messages that callers see.

use divelog_engine::{Seat, Viewer};
use divelog_ledger::{ForkOrigin, Position, Secret, Status, convert};
use divelog_proto::v1 as pb;

use crate::session::Step;
use crate::store::GameEntry;

/// A game at one revision. Its secret shows only once it is over, and never for a fork: it would open the source's.
pub fn game_at(position: &Position, secret: &Secret) -> pb::Game {
    let header = position.header();
    let over = position.status() != Status::Running;
    pb::Game {
        game_id: header.game_id.to_string(),
        kind: convert::kind_to_proto(position.kind()).into(),
        rules_version: header.rules_version.into(),
        options: Some(header.options.clone()),
        players: header.players.iter().map(|player| player.name.clone()).collect(),
        labels: header.labels.clone(),
        status: convert::status_to_proto(position.status()).into(),
        revision: position.revision().get(),
        head_hash: bytes::Bytes::copy_from_slice(&position.head_hash()),
        create_time: Some(convert::time_to_proto(header.create_time_ms)),
        update_time: Some(convert::time_to_proto(position.time_ms())),
        to_act: convert::seats_to_proto(position.to_act()),
        outcome: position.outcome().as_ref().map(convert::outcome_to_proto),
        abandon_reason: position.abandon_reason().unwrap_or_default().to_owned(),
        seed_commitment: bytes::Bytes::copy_from_slice(&header.seed_commitment),
        revealed_secret: if over && header.fork.is_none() {
            bytes::Bytes::copy_from_slice(&secret.0)
        } else {
            bytes::Bytes::new()
        },
        fork_of: header.fork.as_ref().map(fork_of),
    }
}

fn fork_of(origin: &ForkOrigin) -> pb::ForkOrigin {
    pb::ForkOrigin {
        game_id: origin.game_id.to_string(),
        revision: origin.revision.get(),
        head_hash: bytes::Bytes::copy_from_slice(&origin.head_hash),
        same_seed: origin.same_seed,
    }
}

/// The table as a viewer may see it.
pub fn view(position: &Position, viewer: Viewer) -> pb::GameView {
    convert::view_to_proto(&position.view(viewer))
}

/// A line of a list of games.
pub fn summary(entry: &GameEntry) -> pb::GameSummary {
    pb::GameSummary {
        game_id: entry.id.to_string(),
        kind: i32::try_from(entry.kind).unwrap_or_default(),
        seat_count: entry.seats.into(),
        labels: entry.labels.iter().cloned().collect(),
        status: convert::status_to_proto(entry.status).into(),
        revision: entry.revision.get(),
        head_hash: bytes::Bytes::copy_from_slice(&entry.head_hash),
        create_time: Some(convert::time_to_proto(entry.created_ms)),
        update_time: Some(convert::time_to_proto(entry.updated_ms)),
        fork_of: entry.fork_of.map(|source| source.to_string()).unwrap_or_default(),
    }
}

/// A step for somebody who watches.
pub fn update(step: &Step, viewer: Viewer, include_view: bool) -> pb::Update {
    let position = &step.position;
    pb::Update {
        revision: position.revision().get(),
        record_hash: bytes::Bytes::copy_from_slice(&position.head_hash()),
        time: Some(convert::time_to_proto(position.time_ms())),
        seat: step.seat.map(|seat| seat.0.into()),
        events: convert::events_for(step.position.game(), &step.events, viewer),
        status: convert::status_to_proto(position.status()).into(),
        to_act: convert::seats_to_proto(position.to_act()),
        view: include_view.then(|| view(position, viewer)),
    }
}

/// A step for somebody who replays. `before` is the game before it; none for the set-up.
pub fn replay_step(
    before: Option<&Position>,
    step: &Step,
    viewer: Viewer,
    request: &pb::ReplayGameRequest,
) -> pb::ReplayGameResponse {
    let update = update(step, viewer, request.include_views);
    let own_action = match viewer {
        Viewer::Auditor => true,
        Viewer::Seat(seat) => step.seat == Some(seat),
        Viewer::Spectator => false,
    };
    let position = &step.position;
    pb::ReplayGameResponse {
        revision: update.revision,
        record_hash: update.record_hash,
        time: update.time,
        seat: update.seat,
        action: step.action.as_ref().filter(|_| own_action).map(convert::action_to_proto),
        events: update.events,
        status: update.status,
        to_act: update.to_act,
        view: update.view,
        legal_before: before
            .filter(|_| request.include_legal_actions)
            .map_or_else(Vec::new, |before| legal_for(before, viewer)),
        seen_by: if request.include_all_views { seen_by(step) } else { Vec::new() },
        setup: before.is_none().then(|| game_setup(position)),
        outcome: position.outcome().as_ref().map(convert::outcome_to_proto),
        legal_after: if request.include_legal_after { legal_for(position, viewer) } else { Vec::new() },
    }
}

/// What the seats that are asked can do, as far as the viewer may know it.
fn legal_for(position: &Position, viewer: Viewer) -> Vec<pb::SeatLegalActions> {
    let may_know = |seat: &Seat| match viewer {
        Viewer::Auditor => true,
        Viewer::Seat(own) => own == *seat,
        Viewer::Spectator => false,
    };
    let asked = position.to_act().iter().filter(may_know);
    asked
        .map(|seat| pb::SeatLegalActions { seat: seat.0.into(), legal_actions: legal_actions(position, seat) })
        .collect()
}

/// What everybody but the auditor saw of a step.
fn seen_by(step: &Step) -> Vec<pb::SeenBy> {
    let seats = step.position.game().seats().seats().map(Viewer::Seat);
    seats
        .chain([Viewer::Spectator])
        .map(|viewer| pb::SeenBy {
            viewer: Some(convert::viewer_to_proto(viewer)),
            events: convert::events_for(step.position.game(), &step.events, viewer),
            view: Some(view(&step.position, viewer)),
        })
        .collect()
}

fn game_setup(position: &Position) -> pb::GameSetup {
    let header = position.header();
    pb::GameSetup {
        kind: convert::kind_to_proto(position.kind()).into(),
        rules_version: header.rules_version.into(),
        options: Some(header.options.clone()),
        seat_count: position.game().seats().get().into(),
        fork_of: header.fork.as_ref().map(fork_of),
    }
}

/// What a seat may do; nothing once the game is over or abandoned.
pub fn legal_actions(position: &Position, seat: Seat) -> Vec<pb::LegalAction> {
    if position.status() != Status::Running {
        return Vec::new();
    }
    position.game().legal_actions(seat).iter().map(convert::offer_to_proto).collect()
}
