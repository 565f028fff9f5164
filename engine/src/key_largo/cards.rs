//! The wreck cards: treasures and monsters.

use super::{Depth, Ware};
use crate::{Canonical, Sink};

/// KL-2: how many wreck cards there are, and so how many ids.
pub(super) const CARDS: usize = 80;

/// What the face of a wreck card shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CardKind {
    /// A monster, which is no treasure.
    Monster = 1,
    /// A diamond, which has a printed value in $.
    Diamond,
    /// Gold, in units.
    Gold,
    /// Goods, in units.
    Goods,
    /// Antiques, in units.
    Antiques,
}

/// The face of a wreck card.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Face {
    /// What it shows.
    pub kind: CardKind,
    /// Units of gold, goods or antiques; $ of a diamond; 0 for a monster.
    pub value: u16,
}

impl Face {
    /// Whether this is no monster.
    pub fn is_treasure(self) -> bool {
        self.kind != CardKind::Monster
    }

    /// What the market takes it for; nothing for diamonds and monsters (KL-22).
    pub fn ware(self) -> Option<Ware> {
        match self.kind {
            CardKind::Monster | CardKind::Diamond => None,
            CardKind::Gold => Some(Ware::Gold),
            CardKind::Goods => Some(Ware::Goods),
            CardKind::Antiques => Some(Ware::Antiques),
        }
    }
}

/// A wreck card's id (KL-R16): 0 to 19 shallow, 20 to 49 medium, 50 to 79 deep. So it tells the depth, which the back shows
/// anyway, and nothing about the face. In version 1 of the rules it is the place where the card was laid, and so tells the
/// card's wreck; later it is shuffled, and tells nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CardId(pub u8);

impl CardId {
    /// The card with this id, if there is one.
    pub fn of(id: u32) -> Option<CardId> {
        u8::try_from(id).ok().map(CardId).filter(|card| card.index() < CARDS)
    }

    /// This card as an index into the faces.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The depth on the card's back.
    pub fn depth(self) -> Depth {
        match self.0 {
            0..20 => Depth::Shallow,
            20..50 => Depth::Medium,
            _ => Depth::Deep,
        }
    }
}

/// A wreck card as somebody sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Card {
    /// The depth on its back.
    pub depth: Depth,
    /// Its face, to those who may see it.
    pub face: Option<Face>,
    /// Its id, to those who hold it and to auditors (KL-R16).
    pub id: Option<CardId>,
}

impl Card {
    /// The card's back.
    #[must_use]
    pub fn hidden(self) -> Card {
        Card { face: None, id: None, ..self }
    }

    /// The card turned up, as one of those that look alike.
    #[must_use]
    pub fn without_id(self) -> Card {
        Card { id: None, ..self }
    }
}

/// A set of wreck cards. It has no order of its own, so none can tell anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CardSet(u128);

impl CardSet {
    /// No card.
    pub const EMPTY: CardSet = CardSet(0);

    /// Whether a card is in the set.
    pub fn contains(self, card: CardId) -> bool {
        self.0 & (1 << card.0) != 0
    }

    /// Puts a card in.
    pub fn insert(&mut self, card: CardId) {
        self.0 |= 1 << card.0;
    }

    /// Takes a card out.
    pub fn remove(&mut self, card: CardId) {
        self.0 &= !(1 << card.0);
    }

    /// Takes cards out.
    pub fn remove_all(&mut self, cards: CardSet) {
        self.0 &= !cards.0;
    }

    /// Puts cards in.
    pub fn insert_all(&mut self, cards: CardSet) {
        self.0 |= cards.0;
    }

    /// Whether every card of this set is in the other.
    pub fn is_within(self, other: CardSet) -> bool {
        self.0 & !other.0 == 0
    }

    /// How many cards are in the set.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether no card is in the set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The cards, by ascending id.
    pub fn iter(self) -> impl Iterator<Item = CardId> {
        let mut rest = self.0;
        core::iter::from_fn(move || {
            let card = (rest != 0).then(|| CardId(rest.trailing_zeros() as u8));
            rest &= rest.wrapping_sub(1);
            card
        })
    }

    /// The cards of one depth.
    #[must_use]
    pub fn of_depth(self, depth: Depth) -> CardSet {
        self.iter().filter(|card| card.depth() == depth).collect()
    }
}

impl FromIterator<CardId> for CardSet {
    fn from_iter<I: IntoIterator<Item = CardId>>(cards: I) -> CardSet {
        let mut set = CardSet::EMPTY;
        cards.into_iter().for_each(|card| set.insert(card));
        set
    }
}

impl Canonical for Face {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.u8(self.kind as u8);
        sink.u16(self.value);
    }
}

impl Canonical for Card {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.u8(self.depth as u8);
        // Ids end at 79, so 255 can say that there is none; kinds begin at 1.
        sink.u8(self.id.map_or(u8::MAX, |id| id.0));
        match self.face {
            Some(face) => face.encode(sink),
            None => sink.put(&[0, 0, 0]),
        }
    }
}

impl Canonical for CardId {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.u8(self.0);
    }
}

impl Canonical for CardSet {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.len(self.len());
        self.iter().for_each(|card| card.encode(sink));
    }
}
