//! Captain Carcass for people.

mod board;
mod cards;
mod divers;
mod events;
mod grid;
mod turn;
mod words;

use divelog_proto::games::captain_carcass::v1 as pb;

use crate::{Lang, ParseError, Screen, Seating, games::GameText};

/// Captain Carcass in words.
pub(crate) struct CaptainCarcass;

impl GameText for CaptainCarcass {
    type Action = pb::Action;
    type LegalAction = pb::LegalAction;
    type Event = pb::Event;
    type View = pb::View;

    fn parse_action(words: &[&str]) -> Result<pb::Action, ParseError> {
        words::parse(words)
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
