//! Between the wire's messages and the engine's types: the only place that knows both.
//!
//! Reading never trusts its input: what cannot be read is refused with a sentence that says what would be right.

mod captain_carcass;
mod deep_sea_adventure;
mod key_largo;
mod veiled_isles;

use divelog_engine::{
    AnyAction, AnyEvent, AnyOffer, AnyOptions, AnyView, Kind, Outcome, Seat, SeatCount, SeatSet, Viewer,
};
use divelog_proto::v1 as pb;

use crate::{FaultKind, LogFault, Status};

/// The wire's name of a kind.
pub fn kind_to_proto(kind: Kind) -> pb::GameKind {
    match kind {
        Kind::DeepSeaAdventure => pb::GameKind::DeepSeaAdventure,
        Kind::CaptainCarcass => pb::GameKind::CaptainCarcass,
        Kind::KeyLargo => pb::GameKind::KeyLargo,
        Kind::VeiledIsles => pb::GameKind::VeiledIsles,
    }
}

/// The kind that a wire number names.
pub fn kind_from_proto(kind: i32) -> Option<Kind> {
    match pb::GameKind::try_from(kind).ok()? {
        pb::GameKind::Unspecified => None,
        pb::GameKind::DeepSeaAdventure => Some(Kind::DeepSeaAdventure),
        pb::GameKind::CaptainCarcass => Some(Kind::CaptainCarcass),
        pb::GameKind::KeyLargo => Some(Kind::KeyLargo),
        pb::GameKind::VeiledIsles => Some(Kind::VeiledIsles),
    }
}

/// Options for the wire.
pub fn options_to_proto(options: &AnyOptions) -> pb::GameOptions {
    let options = match options {
        AnyOptions::DeepSeaAdventure(options) => {
            pb::game_options::Options::DeepSeaAdventure(deep_sea_adventure::options_to_proto(options))
        }
        AnyOptions::CaptainCarcass(options) => {
            pb::game_options::Options::CaptainCarcass(captain_carcass::options_to_proto(options))
        }
        AnyOptions::KeyLargo(options) => pb::game_options::Options::KeyLargo(key_largo::options_to_proto(options)),
        AnyOptions::VeiledIsles(options) => {
            pb::game_options::Options::VeiledIsles(veiled_isles::options_to_proto(options))
        }
    };
    pb::GameOptions { options: Some(options) }
}

/// Options from the wire.
pub fn options_from_proto(options: Option<&pb::GameOptions>) -> Result<AnyOptions, String> {
    match options.and_then(|options| options.options.as_ref()) {
        Some(pb::game_options::Options::DeepSeaAdventure(options)) => {
            Ok(AnyOptions::DeepSeaAdventure(deep_sea_adventure::options_from_proto(options)))
        }
        Some(pb::game_options::Options::CaptainCarcass(options)) => {
            captain_carcass::options_from_proto(options).map(AnyOptions::CaptainCarcass)
        }
        Some(pb::game_options::Options::KeyLargo(options)) => {
            key_largo::options_from_proto(options).map(AnyOptions::KeyLargo)
        }
        Some(pb::game_options::Options::VeiledIsles(options)) => {
            veiled_isles::options_from_proto(options).map(AnyOptions::VeiledIsles)
        }
        None => Err("options must be set: their case chooses the kind of game, such as deep_sea_adventure".into()),
    }
}

/// The options of a record 0, whose kind must say the same.
pub fn setup_options(setup: &pb::Setup) -> Result<AnyOptions, String> {
    let options = options_from_proto(setup.options.as_ref())?;
    if kind_from_proto(setup.kind) != Some(options.kind()) {
        return Err("the set-up's kind and its options differ".into());
    }
    Ok(options)
}

/// An action for the wire.
pub fn action_to_proto(action: &AnyAction) -> pb::GameAction {
    let action = match action {
        AnyAction::DeepSeaAdventure(action) => {
            pb::game_action::Action::DeepSeaAdventure(deep_sea_adventure::action_to_proto(action))
        }
        AnyAction::CaptainCarcass(action) => {
            pb::game_action::Action::CaptainCarcass(captain_carcass::action_to_proto(action))
        }
        AnyAction::KeyLargo(action) => pb::game_action::Action::KeyLargo(key_largo::action_to_proto(action)),
        AnyAction::VeiledIsles(action) => pb::game_action::Action::VeiledIsles(veiled_isles::action_to_proto(action)),
    };
    pb::GameAction { action: Some(action) }
}

/// An action from the wire, for a game of this kind.
pub fn action_from_proto(kind: Kind, action: Option<&pb::GameAction>) -> Result<AnyAction, String> {
    match (kind, action.and_then(|action| action.action.as_ref())) {
        (Kind::DeepSeaAdventure, Some(pb::game_action::Action::DeepSeaAdventure(action))) => {
            deep_sea_adventure::action_from_proto(action).map(AnyAction::DeepSeaAdventure)
        }
        (Kind::CaptainCarcass, Some(pb::game_action::Action::CaptainCarcass(action))) => {
            captain_carcass::action_from_proto(action).map(AnyAction::CaptainCarcass)
        }
        (Kind::KeyLargo, Some(pb::game_action::Action::KeyLargo(action))) => {
            key_largo::action_from_proto(action).map(AnyAction::KeyLargo)
        }
        (Kind::VeiledIsles, Some(pb::game_action::Action::VeiledIsles(action))) => {
            veiled_isles::action_from_proto(action).map(AnyAction::VeiledIsles)
        }
        (_, None) => Err(format!("action is empty: a {} action is expected", kind.code_name())),
        (_, Some(_)) => Err(format!("this is an action of another game: a {} action is expected", kind.code_name())),
    }
}

/// A legal action for the wire.
pub fn offer_to_proto(offer: &AnyOffer) -> pb::LegalAction {
    let legal_action = match offer {
        AnyOffer::DeepSeaAdventure(offer) => {
            pb::legal_action::LegalAction::DeepSeaAdventure(deep_sea_adventure::offer_to_proto(offer))
        }
        AnyOffer::CaptainCarcass(offer) => {
            pb::legal_action::LegalAction::CaptainCarcass(captain_carcass::offer_to_proto(offer))
        }
        AnyOffer::KeyLargo(offer) => pb::legal_action::LegalAction::KeyLargo(key_largo::offer_to_proto(offer)),
        AnyOffer::VeiledIsles(offer) => pb::legal_action::LegalAction::VeiledIsles(veiled_isles::offer_to_proto(offer)),
    };
    pb::LegalAction { legal_action: Some(legal_action) }
}

/// An event for the wire. It must be redacted before.
pub fn event_to_proto(event: &AnyEvent) -> pb::GameEvent {
    let event = match event {
        AnyEvent::DeepSeaAdventure(event) => {
            pb::game_event::Event::DeepSeaAdventure(deep_sea_adventure::event_to_proto(event))
        }
        AnyEvent::CaptainCarcass(event) => {
            pb::game_event::Event::CaptainCarcass(captain_carcass::event_to_proto(event))
        }
        AnyEvent::KeyLargo(event) => pb::game_event::Event::KeyLargo(key_largo::event_to_proto(event)),
        AnyEvent::VeiledIsles(event) => pb::game_event::Event::VeiledIsles(veiled_isles::event_to_proto(event)),
    };
    pb::GameEvent { event: Some(event) }
}

/// What a viewer may see of some events, for the wire.
pub fn events_for(events: &[AnyEvent], viewer: Viewer) -> Vec<pb::GameEvent> {
    events.iter().filter_map(|event| event.redact(viewer)).map(|event| event_to_proto(&event)).collect()
}

/// A view for the wire.
pub fn view_to_proto(view: &AnyView) -> pb::GameView {
    let view = match view {
        AnyView::DeepSeaAdventure(view) => {
            pb::game_view::View::DeepSeaAdventure(deep_sea_adventure::view_to_proto(view))
        }
        AnyView::CaptainCarcass(view) => pb::game_view::View::CaptainCarcass(captain_carcass::view_to_proto(view)),
        AnyView::KeyLargo(view) => pb::game_view::View::KeyLargo(key_largo::view_to_proto(view)),
        AnyView::VeiledIsles(view) => pb::game_view::View::VeiledIsles(veiled_isles::view_to_proto(view)),
    };
    pb::GameView { view: Some(view) }
}

/// A result for the wire.
pub fn outcome_to_proto(outcome: &Outcome) -> pb::Outcome {
    let standings = outcome.standings.iter();
    pb::Outcome {
        standings: standings
            .map(|standing| pb::Standing {
                seat: standing.seat.0.into(),
                points: standing.points,
                rank: standing.rank.into(),
            })
            .collect(),
        winners: seats_to_proto(outcome.winners),
    }
}

/// A set of seats for the wire, ascending.
pub fn seats_to_proto(seats: SeatSet) -> Vec<u32> {
    seats.iter().map(|seat| seat.0.into()).collect()
}

/// A status for the wire.
pub fn status_to_proto(status: Status) -> pb::GameStatus {
    match status {
        Status::Running => pb::GameStatus::Running,
        Status::Finished => pb::GameStatus::Finished,
        Status::Abandoned => pb::GameStatus::Abandoned,
    }
}

/// A log's fault for the wire.
pub fn fault_to_proto(fault: &LogFault) -> pb::VerifyFailure {
    use pb::verify_failure::Fault;
    let kind = match fault.kind {
        FaultKind::Malformed => Fault::Malformed,
        FaultKind::HashDiffers => Fault::HashDiffers,
        FaultKind::ReplayDiffers => Fault::ReplayDiffers,
    };
    pb::VerifyFailure {
        sequence: fault.sequence,
        fault: kind.into(),
        message: fault.message.clone(),
        field: fault.field.unwrap_or_default().to_owned(),
        bytes: fault.bytes.as_ref().map(|bytes| pb::ByteRange { start: bytes.start as u64, end: bytes.end as u64 }),
    }
}

/// A seat from the wire, at a table of this size.
pub fn seat_from_proto(seat: u32, seats: SeatCount) -> Result<Seat, String> {
    u8::try_from(seat).ok().map(Seat).filter(|seat| seats.contains(*seat)).ok_or_else(|| {
        format!("there is no seat {seat} at a table of {}: seats are 0 to {}", seats.get(), seats.get() - 1)
    })
}

/// A viewer from the wire, at a table of this size. Absent or unspecified is a spectator, who sees least.
pub fn viewer_from_proto(viewer: Option<&pb::Viewer>, seats: SeatCount) -> Result<Viewer, String> {
    use pb::viewer::Role;
    let Some(viewer) = viewer else { return Ok(Viewer::Spectator) };
    match Role::try_from(viewer.role) {
        Ok(Role::Unspecified | Role::Spectator) => Ok(Viewer::Spectator),
        Ok(Role::Auditor) => Ok(Viewer::Auditor),
        Ok(Role::Seat) => seat_from_proto(viewer.seat, seats).map(Viewer::Seat),
        Err(_) => Err(format!("there is no viewer role {}", viewer.role)),
    }
}

/// A viewer for the wire.
pub fn viewer_to_proto(viewer: Viewer) -> pb::Viewer {
    use pb::viewer::Role;
    let (role, seat) = match viewer {
        Viewer::Seat(seat) => (Role::Seat, seat.0.into()),
        Viewer::Spectator => (Role::Spectator, 0),
        Viewer::Auditor => (Role::Auditor, 0),
    };
    pb::Viewer { role: role.into(), seat }
}

/// Milliseconds since 1970 as a timestamp.
pub fn time_to_proto(time_ms: u64) -> prost_types::Timestamp {
    prost_types::Timestamp {
        seconds: i64::try_from(time_ms / 1000).unwrap_or(i64::MAX),
        nanos: (time_ms % 1000) as i32 * 1_000_000,
    }
}
