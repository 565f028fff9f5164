//! Veiled Isles between the wire and the engine.

mod action;
mod cards;
mod event;
mod options;
mod view;

#[cfg(test)]
mod tests;

use divelog_engine::veiled_isles::{Action, Event, Offer, Options, State, View};
use divelog_proto::games::veiled_isles::v1 as pb;
use divelog_proto::v1::{GameKind, game_action, game_event, game_options, game_view, legal_action};

use self::action::{action_from_proto, action_to_proto, offer_to_proto};
use self::event::event_to_proto;
use self::options::{options_from_proto, options_to_proto};
use self::view::view_to_proto;
use super::Convert;

impl Convert for State {
    const WIRE_KIND: GameKind = GameKind::VeiledIsles;
    type WireOptions = pb::Options;
    type WireAction = pb::Action;

    fn options_to_wire(_rules: Self::Rules, options: &Options) -> game_options::Options {
        game_options::Options::VeiledIsles(options_to_proto(options))
    }

    fn options_from_wire(options: &pb::Options) -> Result<Options, String> {
        options_from_proto(options)
    }

    fn action_to_wire(action: &Action) -> game_action::Action {
        game_action::Action::VeiledIsles(action_to_proto(action))
    }

    fn action_from_wire(action: &pb::Action) -> Result<Action, String> {
        action_from_proto(action)
    }

    fn offer_to_wire(offer: &Offer) -> legal_action::LegalAction {
        legal_action::LegalAction::VeiledIsles(offer_to_proto(offer))
    }

    fn event_to_wire(event: &Event) -> game_event::Event {
        game_event::Event::VeiledIsles(event_to_proto(event))
    }

    fn view_to_wire(view: &View) -> game_view::View {
        game_view::View::VeiledIsles(view_to_proto(view))
    }
}
