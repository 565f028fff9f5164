//! Loot cards, holds and piles.

use core::fmt;

use arrayvec::ArrayVec;

use crate::{Canonical, Sink};

/// CC-1: how many cards each suit has.
pub(super) const CARDS_OF_A_SUIT: u8 = 6;
/// CC-1: how many cards there are.
pub(super) const CARDS: usize = Suit::ALL.len() * CARDS_OF_A_SUIT as usize;

/// A suit, in the order of the rule book.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Suit {
    /// Ancre (CC-11).
    Anchor,
    /// Calamar géant (CC-13).
    Squid,
    /// Carte au trésor (CC-12).
    Map,
    /// Clef (CC-14).
    Key,
    /// Coffre (CC-14).
    Chest,
    /// Couteau (CC-15).
    Knife,
    /// Drone explorateur (CC-16).
    Drone,
    /// Filet (CC-17).
    Net,
    /// Harpon (CC-18).
    Harpoon,
    /// Sirène (CC-19).
    Siren,
}

impl Suit {
    /// All suits, in order.
    pub const ALL: [Suit; 10] = [
        Suit::Anchor,
        Suit::Squid,
        Suit::Map,
        Suit::Key,
        Suit::Chest,
        Suit::Knife,
        Suit::Drone,
        Suit::Net,
        Suit::Harpoon,
        Suit::Siren,
    ];

    /// The name in the rule book.
    pub fn name(self) -> &'static str {
        match self {
            Suit::Anchor => "anchor",
            Suit::Squid => "squid",
            Suit::Map => "map",
            Suit::Key => "key",
            Suit::Chest => "chest",
            Suit::Knife => "knife",
            Suit::Drone => "drone",
            Suit::Net => "net",
            Suit::Harpoon => "harpoon",
            Suit::Siren => "siren",
        }
    }

    /// CC-1: the value of its lowest card.
    pub fn lowest_value(self) -> u8 {
        if self == Suit::Siren { 4 } else { 2 }
    }
}

impl fmt::Display for Suit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A loot card: a suit and a value. Ordered by suit, then by value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Card(u8);

impl Card {
    /// The card of a suit and a value, if there is one.
    pub fn new(suit: Suit, value: u8) -> Option<Card> {
        let rank = value.checked_sub(suit.lowest_value())?;
        (rank < CARDS_OF_A_SUIT).then(|| Card(suit as u8 * CARDS_OF_A_SUIT + rank))
    }

    /// Its suit.
    pub fn suit(self) -> Suit {
        Suit::ALL[usize::from(self.0 / CARDS_OF_A_SUIT)]
    }

    /// Its value.
    pub fn value(self) -> u8 {
        self.0 % CARDS_OF_A_SUIT + self.suit().lowest_value()
    }

    /// All cards, in order.
    pub(super) fn all() -> impl Iterator<Item = Card> {
        (0..CARDS as u8).map(Card)
    }

    /// CC-2: whether it is the lowest of its suit.
    pub(super) fn is_lowest(self) -> bool {
        self.0.is_multiple_of(CARDS_OF_A_SUIT)
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.suit(), self.value())
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A player's hold: a set of cards, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Hold(u64);

impl Hold {
    pub(super) fn insert(&mut self, card: Card) {
        self.0 |= 1 << card.0;
    }

    pub(super) fn remove(&mut self, card: Card) {
        self.0 &= !(1 << card.0);
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn len(self) -> u8 {
        self.0.count_ones() as u8
    }

    /// The cards of one suit.
    pub(super) fn stack(self, suit: Suit) -> Hold {
        let of_first_suit = (1 << CARDS_OF_A_SUIT) - 1;
        Hold(self.0 & of_first_suit << (suit as u8 * CARDS_OF_A_SUIT))
    }

    pub(super) fn has(self, suit: Suit) -> bool {
        !self.stack(suit).is_empty()
    }

    /// The last card in order: of a stack, its highest.
    pub(super) fn highest(self) -> Option<Card> {
        self.0.checked_ilog2().map(|bit| Card(bit as u8))
    }

    /// The first card in order: of a stack, its lowest.
    pub(super) fn lowest(self) -> Option<Card> {
        self.iter().next()
    }

    /// The cards, in order.
    pub(super) fn iter(self) -> impl Iterator<Item = Card> {
        let mut left = self.0;
        core::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros() as u8)?;
            left &= left - 1;
            Some(Card(bit))
        })
    }
}

impl fmt::Debug for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A face-down pile, top first.
pub(super) type Pile = ArrayVec<Card, CARDS>;

impl Canonical for Card {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.put(&[self.suit() as u8 + 1, self.value()]);
    }
}
