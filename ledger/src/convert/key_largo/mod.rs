//! Key Largo between the wire and the engine.

mod action;
mod event;
mod options;
mod pieces;
mod view;

#[cfg(test)]
mod tests;

use divelog_engine::key_largo::{Action, Event, Offer, Options, Rules, State, View};
use divelog_proto::games::key_largo::v1 as pb;
use divelog_proto::v1::{GameKind, game_action, game_event, game_options, game_view, legal_action};

use self::action::{action_from_proto, action_to_proto, offer_to_proto};
use self::event::event_to_proto;
use self::options::{options_from_proto, options_to_proto};
use self::view::view_to_proto;
use super::Convert;

impl Convert for State {
    const WIRE_KIND: GameKind = GameKind::KeyLargo;
    type WireOptions = pb::Options;
    type WireAction = pb::Action;

    fn options_to_wire(rules: Rules, options: &Options) -> game_options::Options {
        game_options::Options::KeyLargo(options_to_proto(rules, options))
    }

    fn options_from_wire(options: &pb::Options) -> Result<Options, String> {
        options_from_proto(options)
    }

    fn action_to_wire(action: &Action) -> game_action::Action {
        game_action::Action::KeyLargo(action_to_proto(action))
    }

    fn action_from_wire(action: &pb::Action) -> Result<Action, String> {
        action_from_proto(action)
    }

    fn offer_to_wire(offer: &Offer) -> legal_action::LegalAction {
        legal_action::LegalAction::KeyLargo(offer_to_proto(offer))
    }

    fn event_to_wire(event: &Event) -> game_event::Event {
        game_event::Event::KeyLargo(event_to_proto(event))
    }

    fn view_to_wire(view: &View) -> game_view::View {
        game_view::View::KeyLargo(view_to_proto(view))
    }
}
