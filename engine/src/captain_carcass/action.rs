//! What a player can ask for.

use alloc::vec::Vec;

use super::{Card, Suit};
use crate::Seat;

/// An action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Turn up the top card of the draw pile (CC-6).
    Draw,
    /// Stop and collect the exploration (CC-9).
    Surface,
    /// The saboteuse's owner names an opponent (CC-D17).
    NameVictim {
        /// The opponent.
        seat: Seat,
    },
    /// Take a card of an opponent's hold away (CC-15).
    Knife {
        /// The opponent.
        seat: Seat,
        /// The suit in their hold.
        suit: Suit,
    },
    /// Bring a card of an opponent's hold in (CC-18).
    Harpoon {
        /// The opponent.
        seat: Seat,
        /// The suit in their hold.
        suit: Suit,
    },
    /// Bring a card of one's own hold in (CC-17).
    Net {
        /// The suit in one's own hold.
        suit: Suit,
    },
    /// Take a card of one's own hold away (CC-D8).
    Misfire {
        /// The suit in one's own hold.
        suit: Suit,
    },
    /// Bring one of the cards in that the map shows (CC-12).
    PlaceFromMap {
        /// The card.
        card: Card,
    },
    /// Take the key-chest bonus from an opponent's hold (CC-D3).
    Plunder {
        /// The opponent.
        seat: Seat,
    },
}

/// One entry of a list of legal actions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Offer {
    /// One action.
    Single(Action),
    /// [`Action::PlaceFromMap`] with any one of these cards: a navigator's map shows dozens (CC-D5).
    PlaceAnyFromMap {
        /// The cards, in order.
        cards: Vec<Card>,
    },
}

impl crate::Offer for Offer {
    type Action = Action;

    fn count(&self) -> u64 {
        match self {
            Offer::Single(_) => 1,
            Offer::PlaceAnyFromMap { cards } => cards.len() as u64,
        }
    }

    fn nth(&self, number: u64) -> Action {
        match self {
            Offer::Single(action) => *action,
            Offer::PlaceAnyFromMap { cards } => Action::PlaceFromMap { card: cards[number as usize] },
        }
    }

    fn admits(&self, action: &Action) -> bool {
        match (self, action) {
            (Offer::Single(single), action) => single == action,
            (Offer::PlaceAnyFromMap { cards }, Action::PlaceFromMap { card }) => cards.contains(card),
            (Offer::PlaceAnyFromMap { .. }, _) => false,
        }
    }
}
