//! Places, depths, divers and their equipment.

use arrayvec::ArrayVec;

use crate::{Canonical, Sink};

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

impl Canonical for Stock {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.u8(self.divers);
        sink.put(&self.items);
    }
}
