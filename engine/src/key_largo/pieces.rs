//! Places, depths, treasure cards and divers.

use arrayvec::ArrayVec;

use crate::{Canonical, Sink};

/// KL-2: how many wreck cards there are, and so how many ids.
pub(super) const CARDS: usize = 80;
/// KL-2: how many cards lie in a wreck at first.
pub(super) const WRECK: usize = 5;
/// KL-2: the most wrecks, with five players.
pub(super) const WRECKS: usize = 16;
/// KL-16: the most divers of one player.
pub(super) const TEAM: usize = 3;

/// Where a half-day can be spent (KL-4).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    /// Diving at a wreck (plongée).
    Dive = 1,
    /// The Bar de la Sirène.
    Bar,
    /// The Anse des Dauphins.
    Dolphins,
    /// The shop Au Vieux Loup de Mer.
    Shop,
    /// The Marché des Trouvailles.
    Market,
}

impl Place {
    /// All places, in the order of their numbers.
    pub const ALL: [Place; 5] = [Place::Dive, Place::Bar, Place::Dolphins, Place::Shop, Place::Market];

    /// The place in a sentence.
    pub(super) fn name(self) -> &'static str {
        match self {
            Place::Dive => "the dive",
            Place::Bar => "the bar",
            Place::Dolphins => "the dolphins",
            Place::Shop => "the shop",
            Place::Market => "the market",
        }
    }
}

/// The two parts of a day (KL-4).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Half {
    /// The morning.
    Morning = 1,
    /// The afternoon.
    Afternoon,
}

/// How deep a wreck lies; a treasure card shows it on its back (KL-2, KL-11).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Depth {
    /// Within reach of every diver.
    Shallow = 1,
    /// Needs one hose.
    Medium,
    /// Needs two hoses.
    Deep,
}

impl Depth {
    /// All depths, shallow first.
    pub const ALL: [Depth; 3] = [Depth::Shallow, Depth::Medium, Depth::Deep];

    /// This depth as an index into tables by depth.
    pub fn index(self) -> usize {
        self as usize - 1
    }

    /// KL-8: the hoses that a diver needs.
    pub fn hoses(self) -> u8 {
        self as u8 - 1
    }

    /// KL-2: how many wreck cards have this depth.
    pub fn cards(self) -> usize {
        [20, 30, 30][self.index()]
    }

    /// The depth in a sentence.
    pub(super) fn name(self) -> &'static str {
        ["shallow", "medium", "deep"][self.index()]
    }
}

/// What the shop sells (KL-20).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Item {
    /// A length of hose (tuyau): deeper wrecks come within reach.
    Hose = 1,
    /// A trident: kills one monster.
    Trident,
    /// A weight (poids): one card more.
    Weight,
}

impl Item {
    /// All items, in the order of their numbers.
    pub const ALL: [Item; 3] = [Item::Hose, Item::Trident, Item::Weight];

    /// This item as an index into tables by item.
    pub fn index(self) -> usize {
        self as usize - 1
    }

    /// The item in a sentence.
    pub(super) fn name(self) -> &'static str {
        ["hose", "trident", "weight"][self.index()]
    }
}

/// A kind of treasure that the market buys (KL-22).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Ware {
    /// Gold (or).
    Gold = 1,
    /// Goods (marchandises).
    Goods,
    /// Antiques (antiquités).
    Antiques,
}

impl Ware {
    /// All wares, in the order of their numbers.
    pub const ALL: [Ware; 3] = [Ware::Gold, Ware::Goods, Ware::Antiques];

    /// This ware as an index into tables by ware.
    pub fn index(self) -> usize {
        self as usize - 1
    }

    /// The ware in a sentence.
    pub(super) fn name(self) -> &'static str {
        ["gold", "goods", "antiques"][self.index()]
    }
}

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

/// A wreck card's id (KL-R16): the place, from 0, where the shuffles of the set-up laid it, shallow cards first. So it
/// tells the depth, which the back shows anyway, and nothing about the face.
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

/// One diver with the equipment that never changes hands (KL-1, KL-21).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Diver {
    /// Lengths of hose, at most two.
    pub hoses: u8,
    /// Whether they carry a trident.
    pub trident: bool,
    /// Whether they carry a weight.
    pub weight: bool,
    /// KL-E4: does not take part in this half-day's dive.
    pub sabotaged: bool,
    /// KL-10: has drawn their card of this half-day's dive.
    pub has_drawn: bool,
}

impl Diver {
    /// KL-8: whether a wreck of this depth is within reach.
    pub fn reaches(self, depth: Depth) -> bool {
        self.hoses >= depth.hoses()
    }

    /// KL-21: whether there is room for one more of an item.
    pub fn has_room_for(self, item: Item) -> bool {
        match item {
            Item::Hose => self.hoses < 2,
            Item::Trident => !self.trident,
            Item::Weight => !self.weight,
        }
    }

    /// Takes an item for which there is room.
    pub(super) fn take(&mut self, item: Item) {
        match item {
            Item::Hose => self.hoses += 1,
            Item::Trident => self.trident = true,
            Item::Weight => self.weight = true,
        }
    }
}

/// A player's divers; a place among them names a diver (KL-R16).
pub(super) type Team = ArrayVec<Diver, TEAM>;

/// Divers and equipment that nobody has: the reserve, or what has left the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stock {
    /// Divers.
    pub divers: u8,
    /// Hoses, tridents and weights, in the order of [`Item::ALL`].
    pub items: [u8; 3],
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

impl Canonical for Stock {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.u8(self.divers);
        sink.put(&self.items);
    }
}
