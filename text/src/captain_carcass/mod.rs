//! Captain Carcass for people.

mod board;
mod cards;
mod divers;
mod events;
mod grid;
mod rule_book;
mod turn;
mod words;

use divelog_engine::captain_carcass::State;
use divelog_proto::games::captain_carcass::v1 as pb;
use divelog_proto::v1::game_action;

use crate::{Lang, ParseError, Screen, Seating, games::GameText};

impl GameText for State {
    type WireAction = pb::Action;
    type WireLegalAction = pb::LegalAction;
    type WireEvent = pb::Event;
    type WireView = pb::View;

    fn parse_action(_rules: Self::Rules, words: &[&str]) -> Result<game_action::Action, ParseError> {
        words::parse(words).map(game_action::Action::CaptainCarcass)
    }

    fn action_words(action: &pb::Action) -> String {
        words::of(action)
    }

    fn legal_words(legal: &pb::LegalAction) -> Option<String> {
        words::of_legal(legal)
    }

    fn event_sentence(event: &pb::Event, seating: &Seating, lang: Lang) -> Option<String> {
        events::sentence(event, seating, lang)
    }

    fn draw(view: &pb::View, abandoned: bool, seating: &Seating, screen: Screen) -> String {
        board::draw(view, abandoned, seating, screen)
    }
}

/// How many cards.
fn count(cards: u32) -> String {
    if cards == 1 { "1 card".into() } else { format!("{cards} cards") }
}

#[cfg(test)]
mod fixtures {
    //! Cards for tests.
    use divelog_proto::games::captain_carcass::v1::Card;

    /// Cards by their tokens, such as `anchor-7 net-3`.
    pub fn cards(tokens: &str) -> Vec<Card> {
        tokens.split_whitespace().map(|token| super::cards::parse_card(token).expect("the token of a card")).collect()
    }

    /// One card by its token.
    pub fn card(token: &str) -> Option<Card> {
        cards(token).pop()
    }
}
