//! Deep Sea Adventure between the wire and the engine.

use divelog_engine::deep_sea_adventure::{
    Action, Dice, Event, ExplorerView, Face, Options, Phase, RoundEnd, State, View,
};
use divelog_proto::games::deep_sea_adventure::v1 as pb;
use divelog_proto::v1::{GameKind, game_action, game_event, game_options, game_view, legal_action};

use super::{Convert, seats_to_proto};

impl Convert for State {
    const WIRE_KIND: GameKind = GameKind::DeepSeaAdventure;
    type WireOptions = pb::Options;
    type WireAction = pb::Action;

    fn options_to_wire(_rules: Self::Rules, options: &Options) -> game_options::Options {
        game_options::Options::DeepSeaAdventure(options_to_proto(options))
    }

    fn options_from_wire(_options: &pb::Options) -> Result<Options, String> {
        Ok(Options)
    }

    fn action_to_wire(action: &Action) -> game_action::Action {
        game_action::Action::DeepSeaAdventure(action_to_proto(action))
    }

    fn action_from_wire(action: &pb::Action) -> Result<Action, String> {
        action_from_proto(action)
    }

    fn offer_to_wire(offer: &Action) -> legal_action::LegalAction {
        legal_action::LegalAction::DeepSeaAdventure(offer_to_proto(offer))
    }

    fn event_to_wire(event: &Event) -> game_event::Event {
        game_event::Event::DeepSeaAdventure(event_to_proto(event))
    }

    fn view_to_wire(view: &View) -> game_view::View {
        game_view::View::DeepSeaAdventure(view_to_proto(view))
    }
}

fn options_to_proto(_options: &Options) -> pb::Options {
    pb::Options {}
}

fn action_to_proto(action: &Action) -> pb::Action {
    let action = match *action {
        Action::Dive { turn_back } => pb::action::Action::Dive(pb::Dive { turn_back }),
        Action::Leave => pb::action::Action::Leave(pb::Leave {}),
        Action::PickUp => pb::action::Action::PickUp(pb::PickUp {}),
        Action::PutDown { load_index } => pb::action::Action::PutDown(pb::PutDown { load_index }),
    };
    pb::Action { action: Some(action) }
}

fn action_from_proto(action: &pb::Action) -> Result<Action, String> {
    match &action.action {
        Some(pb::action::Action::Dive(dive)) => Ok(Action::Dive { turn_back: dive.turn_back }),
        Some(pb::action::Action::Leave(_)) => Ok(Action::Leave),
        Some(pb::action::Action::PickUp(_)) => Ok(Action::PickUp),
        Some(pb::action::Action::PutDown(put)) => Ok(Action::PutDown { load_index: put.load_index }),
        None => Err("the deep_sea_adventure action is empty: dive, leave, pick_up or put_down is expected".into()),
    }
}

fn offer_to_proto(offer: &Action) -> pb::LegalAction {
    pb::LegalAction { action: Some(action_to_proto(offer)) }
}

fn event_to_proto(event: &Event) -> pb::Event {
    use pb::event::Event as Wire;
    let event = match event {
        Event::PathLaid { spaces } => Wire::PathLaid(pb::PathLaid { spaces: stacks(spaces) }),
        Event::RoundStarted { round, first_seat, air } => {
            Wire::RoundStarted(pb::RoundStarted { round: (*round).into(), first_seat: first_seat.0.into(), air: *air })
        }
        Event::TurnStarted { seat, air_used, air } => {
            Wire::TurnStarted(pb::TurnStarted { seat: seat.0.into(), air_used: (*air_used).into(), air: *air })
        }
        Event::TurnedBack { seat } => Wire::TurnedBack(pb::TurnedBack { seat: seat.0.into() }),
        Event::Moved { seat, dice, steps, from, to } => Wire::Moved(pb::Moved {
            seat: seat.0.into(),
            dice: Some(dice_to_proto(*dice)),
            steps: (*steps).into(),
            from: (*from).into(),
            to: (*to).into(),
        }),
        Event::CameBack { seat } => Wire::CameBack(pb::CameBack { seat: seat.0.into() }),
        Event::LeftSpace { seat } => Wire::LeftSpace(pb::LeftSpace { seat: seat.0.into() }),
        Event::PickedUp { seat, space, stack } => Wire::PickedUp(pb::PickedUp {
            seat: seat.0.into(),
            space: (*space).into(),
            stack: Some(stack_to_proto(stack)),
        }),
        Event::PutDown { seat, space, load_index, stack } => Wire::PutDown(pb::WasPutDown {
            seat: seat.0.into(),
            space: (*space).into(),
            load_index: (*load_index).into(),
            stack: Some(stack_to_proto(stack)),
        }),
        Event::RoundEnded { round, cause } => Wire::RoundEnded(pb::RoundEnded {
            round: (*round).into(),
            cause: match cause {
                RoundEnd::AllBack => pb::RoundEnd::AllBack,
                RoundEnd::NoAir => pb::RoundEnd::NoAir,
                RoundEnd::Standstill => pb::RoundEnd::Standstill,
            }
            .into(),
        }),
        Event::Scored { seat, chips, points } => Wire::Scored(pb::Scored {
            seat: seat.0.into(),
            chips: chips.iter().map(chip).collect(),
            points: (*points).into(),
        }),
        Event::Lost { seat, chips } => {
            Wire::Lost(pb::Lost { seat: seat.0.into(), chips: chips.iter().map(chip).collect() })
        }
        Event::PilesLaid { piles } => Wire::PilesLaid(pb::PilesLaid { piles: stacks(piles) }),
        Event::PathClosed { spaces } => Wire::PathClosed(pb::PathClosed { spaces: (*spaces).into() }),
        Event::GameEnded { totals, winners } => Wire::GameEnded(pb::GameEnded {
            totals: totals.iter().map(|total| (*total).into()).collect(),
            winners: seats_to_proto(*winners),
        }),
    };
    pb::Event { event: Some(event) }
}

fn view_to_proto(view: &View) -> pb::View {
    pb::View {
        round: view.round.into(),
        phase: match view.phase {
            Phase::Dive => pb::Phase::Dive,
            Phase::Search => pb::Phase::Search,
            Phase::Over => pb::Phase::Over,
        }
        .into(),
        turn: view.turn.map(|seat| seat.0.into()),
        first_seat: view.first_seat.0.into(),
        air: view.air,
        path: stacks(&view.path),
        explorers: view.explorers.iter().map(explorer_to_proto).collect(),
        last_dice: view.last_dice.map(dice_to_proto),
        back_order: view.back_order.iter().map(|seat| seat.0.into()).collect(),
        idle_turns: view.idle_turns.into(),
        turn_is_idle: view.turn_is_idle,
        last_seat: view.last_seat.map(|seat| seat.0.into()),
    }
}

fn explorer_to_proto(explorer: &ExplorerView) -> pb::Explorer {
    pb::Explorer {
        seat: explorer.seat.0.into(),
        position: explorer.position.into(),
        turned_back: explorer.turned_back,
        back: explorer.back,
        turns_taken: explorer.turns_taken.into(),
        load: stacks(&explorer.load),
        scored: explorer.scored.iter().map(chip).collect(),
        points: explorer.points.into(),
    }
}

fn chip(face: &Face) -> pb::Chip {
    pb::Chip { level: face.level.into(), value: face.value.map(u32::from) }
}

fn stack_to_proto(faces: impl AsRef<[Face]>) -> pb::Stack {
    pb::Stack { chips: faces.as_ref().iter().map(chip).collect() }
}

fn stacks(stacks: &[impl AsRef<[Face]>]) -> Vec<pb::Stack> {
    stacks.iter().map(stack_to_proto).collect()
}

fn dice_to_proto(dice: Dice) -> pb::Dice {
    pb::Dice { first: dice.0[0].into(), second: dice.0[1].into() }
}
