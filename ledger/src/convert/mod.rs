//! Between the wire's messages and the engine's types: the only place that knows both.
//!
//! Reading never trusts its input: what cannot be read is refused with a sentence that says what is expected.

mod captain_carcass;
mod deep_sea_adventure;
mod key_largo;
mod veiled_isles;

use divelog_engine::{
    AnyAction, AnyEvent, AnyGame, AnyOffer, AnyOptions, AnyView, Game, Kind, Listed, Outcome, RulesVersion, Seat,
    SeatCount, SeatSet, Viewer, match_game,
};
use divelog_proto::v1 as pb;

use crate::{FaultKind, LogFault, Status};

/// A game on the wire. Each game implements it in its own file or folder.
trait Convert: Listed {
    /// The kind's name on the wire.
    const WIRE_KIND: pb::GameKind;
    /// The message of its options.
    type WireOptions;
    /// The message of its actions.
    type WireAction;

    /// Options for the wire, as a log of a game by these rules holds them.
    fn options_to_wire(rules: Self::Rules, options: &Self::Options) -> pb::game_options::Options;
    /// Options from the wire.
    fn options_from_wire(options: &Self::WireOptions) -> Result<Self::Options, String>;
    /// An action for the wire.
    fn action_to_wire(action: &Self::Action) -> pb::game_action::Action;
    /// An action from the wire.
    fn action_from_wire(action: &Self::WireAction) -> Result<Self::Action, String>;
    /// A legal action for the wire.
    fn offer_to_wire(offer: &Self::Offer) -> pb::legal_action::LegalAction;
    /// An event for the wire.
    fn event_to_wire(event: &Self::Event) -> pb::game_event::Event;
    /// A view for the wire.
    fn view_to_wire(view: &Self::View) -> pb::game_view::View;
}

/// The wire's name of a kind.
pub fn kind_to_proto(kind: Kind) -> pb::GameKind {
    match_game!(kind, Kind, G => G::WIRE_KIND)
}

/// The kind that a wire number names.
pub fn kind_from_proto(kind: i32) -> Option<Kind> {
    match_game!(pb::GameKind::try_from(kind).ok()?, pb::GameKind, G => Some(G::KIND), Unspecified => None)
}

/// Options for the wire, as the log of a game by this rules version holds them. For a version that this build does not have,
/// and by which it can create no game, they are as for the newest.
pub fn options_to_proto(rules_version: u16, options: &AnyOptions) -> pb::GameOptions {
    let options = match_game!(options, AnyOptions, G(options) => {
        G::options_to_wire(<G as Game>::Rules::of(rules_version).unwrap_or(G::NEWEST_RULES), options)
    });
    pb::GameOptions { options: Some(options) }
}

/// Options from the wire.
pub fn options_from_proto(options: Option<&pb::GameOptions>) -> Result<AnyOptions, String> {
    let Some(options) = options.and_then(|options| options.options.as_ref()) else {
        return Err("options must be set: their case chooses the kind of game, such as deep_sea_adventure".into());
    };
    match_game!(options, pb::game_options::Options, G(options) => G::options_from_wire(options).map(AnyOptions::from))
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
    pb::GameAction { action: Some(match_game!(action, AnyAction, G(action) => G::action_to_wire(action))) }
}

/// An action from the wire, for a game of this kind.
pub fn action_from_proto(kind: Kind, action: Option<&pb::GameAction>) -> Result<AnyAction, String> {
    let Some(action) = action.and_then(|action| action.action.as_ref()) else {
        return Err(format!("action is empty: a {} action is expected", kind.code_name()));
    };
    match_game!(action, pb::game_action::Action, G(action) => {
        if kind != G::KIND {
            return Err(format!("this is an action of another game: a {} action is expected", kind.code_name()));
        }
        G::action_from_wire(action).map(AnyAction::from)
    })
}

/// A legal action for the wire.
pub fn offer_to_proto(offer: &AnyOffer) -> pb::LegalAction {
    pb::LegalAction { legal_action: Some(match_game!(offer, AnyOffer, G(offer) => G::offer_to_wire(offer))) }
}

/// An event for the wire. It must be redacted before.
pub fn event_to_proto(event: &AnyEvent) -> pb::GameEvent {
    pb::GameEvent { event: Some(match_game!(event, AnyEvent, G(event) => G::event_to_wire(event))) }
}

/// What a viewer may see of some events of a game, for the wire.
pub fn events_for(game: &AnyGame, events: &[AnyEvent], viewer: Viewer) -> Vec<pb::GameEvent> {
    events.iter().filter_map(|event| game.redact(event, viewer)).map(|event| event_to_proto(&event)).collect()
}

/// A view for the wire.
pub fn view_to_proto(view: &AnyView) -> pb::GameView {
    pb::GameView { view: Some(match_game!(view, AnyView, G(view) => G::view_to_wire(view))) }
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
        sequence: fault.sequence.get(),
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
