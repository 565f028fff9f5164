//! Captain Carcass for people.

pub mod board;
mod cards;
mod divers;
pub mod events;
mod grid;
mod prompt;
pub mod words;

#[cfg(test)]
mod agreement_tests;

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
