//! Treasures and their decks.

use alloc::vec::Vec;
use core::fmt;

use arrayvec::ArrayVec;

use super::Event;
use super::island::Colour;

/// How many treasures each colour has (VI-1).
pub(super) const PER_COLOUR: usize = 8;
/// The largest deck: that of three players (VI-2).
pub(super) const LARGEST_DECK: usize = 20;

/// A treasure card.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Treasure {
    /// Its colour.
    pub colour: Colour,
    /// What it is worth, 0 to 99.
    pub points: u8,
}

/// The treasure decks (VI-2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deck {
    /// The one deck of a game with three players.
    Single,
    /// Red and blue treasures, with four or five players.
    RedBlue,
    /// Green and purple treasures, with four or five players.
    GreenPurple,
}

impl Deck {
    /// The colours of its treasures, in their order.
    pub(super) fn colours(self) -> &'static [Colour] {
        match self {
            Deck::Single => &Colour::ALL,
            Deck::RedBlue => &[Colour::Red, Colour::Blue],
            Deck::GreenPurple => &[Colour::Green, Colour::Purple],
        }
    }
}

impl fmt::Display for Deck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Deck::Single => "single deck",
            Deck::RedBlue => "red/blue deck",
            Deck::GreenPurple => "green/purple deck",
        })
    }
}

/// A deck on the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TreasureDeck {
    pub(super) deck: Deck,
    /// None once it is taken, until the trick is cleared up.
    pub(super) turned_up: Option<Treasure>,
    /// Top first.
    pub(super) face_down: ArrayVec<Treasure, LARGEST_DECK>,
}

impl TreasureDeck {
    /// VI-3, VI-15: the top card is turned up. A deck cannot run out (VI-R9).
    pub(super) fn turn_up(&mut self, events: &mut Vec<Event>) {
        self.turned_up = self.face_down.pop_at(0);
        events.extend(self.turned_up.map(|treasure| Event::TreasureTurnedUp { deck: self.deck, treasure }));
    }

    /// VI-15: a treasure that is still turned up goes under the deck.
    pub(super) fn put_under(&mut self, events: &mut Vec<Event>) {
        if let Some(treasure) = self.turned_up.take() {
            self.face_down.push(treasure);
            events.push(Event::TreasurePutUnder { deck: self.deck, treasure });
        }
    }
}
