//! What can be chosen for a game: divers and a variant.

use alloc::vec::Vec;
use core::fmt;

/// The options of a game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// How the divers are given out (CC-4).
    pub divers: Divers,
    /// The variant in play, if any (CC-5).
    pub variant: Option<Variant>,
}

/// How the divers are given out (CC-4).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Divers {
    /// Nobody has one.
    #[default]
    None,
    /// Every seat is dealt one at random.
    Dealt,
    /// One for each seat, by seat.
    Chosen(Vec<Diver>),
}

/// Declares an enum whose order is that of the rules, with the names of the rule book.
macro_rules! named {
    ($(#[$about:meta])* $choice:ident { $( $(#[$doc:meta])* $case:ident = $name:literal, )* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum $choice { $( $(#[$doc])* $case, )* }

        impl $choice {
            /// All of them, in the order of the rules.
            pub const ALL: &[$choice] = &[ $( $choice::$case, )* ];

            /// The name in the rule book.
            pub fn name(self) -> &'static str {
                match self { $( $choice::$case => $name, )* }
            }

            /// The number in the rules, from 1.
            pub fn number(self) -> u8 {
                self as u8 + 1
            }
        }

        impl fmt::Display for $choice {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

named! {
    /// A diver, in the order of CC-D1 to CC-D17.
    Diver {
        /// Scoring sirens are worth 5 more (CC-D1).
        GoldenScales = "golden_scales",
        /// A siren turned up goes straight to the hold (CC-D2).
        Casanova = "casanova",
        /// The key-chest bonus comes from an opponent's hold (CC-D3).
        Plunderer = "plunderer",
        /// The key-chest bonus is doubled (CC-D4).
        TreasureHunter = "treasure_hunter",
        /// The map shows the whole graveyard (CC-D5).
        Navigator = "navigator",
        /// The knife removes the whole stack (CC-D6).
        MasterGunner = "master_gunner",
        /// The card that the knife removes goes to the owner's hold (CC-D7).
        Scavenger = "scavenger",
        /// Opponents' knives turn against themselves (CC-D8).
        Misfire = "misfire",
        /// The drone shows three cards (CC-D9).
        Mystic = "mystic",
        /// The harpoon may take a suit that the owner has (CC-D10).
        Swordsman = "swordsman",
        /// Opponents' harpoons take only a squid of the owner (CC-D11).
        Parry = "parry",
        /// The net and what it brought are collected on an incident (CC-D12).
        Miser = "miser",
        /// The net brings in two cards (CC-D13).
        CaptainsHook = "captains_hook",
        /// The anchor and the two cards after it are collected too (CC-D14).
        SafeHarbor = "safe_harbor",
        /// A squid turned up goes straight to the hold (CC-D15).
        Fisherman = "fisherman",
        /// Opponents' squids ask for four cards (CC-D16).
        Beastmaster = "beastmaster",
        /// Gets what one opponent loses in incidents (CC-D17).
        Saboteuse = "saboteuse",
    }
}

named! {
    /// Whom a diver card shows. Two cards of one character never meet (CC-4).
    Character {
        /// CC-D1, CC-D2.
        Siren = "siren",
        /// CC-D3, CC-D4.
        KeyChest = "key-chest",
        /// CC-D5.
        Map = "map",
        /// CC-D6, CC-D7, CC-D8.
        Knife = "knife",
        /// CC-D9.
        Drone = "drone",
        /// CC-D10, CC-D11.
        Harpoon = "harpoon",
        /// CC-D12, CC-D13.
        Net = "net",
        /// CC-D14.
        Anchor = "anchor",
        /// CC-D15, CC-D16.
        Squid = "squid",
        /// CC-D17: the saboteuse belongs to no suit.
        None = "none",
    }
}

named! {
    /// A variant, in the order of CC-V1 to CC-V7.
    Variant {
        /// Lost cards go to the next seat's hold (CC-V1).
        ThievesIsland = "thieves_island",
        /// Every card of the hold scores (CC-V2).
        PileOfTreasure = "pile_of_treasure",
        /// 50 points win at once (CC-V3).
        SuddenDeath = "sudden_death",
        /// 5 points less for each missing suit (CC-V4).
        AllHandsOnDeck = "all_hands_on_deck",
        /// A repeated value causes an incident, a repeated suit does not (CC-V5).
        StrangeLands = "strange_lands",
        /// Only players with fewer than 60 points can win (CC-V6).
        BeneathTheWaves = "beneath_the_waves",
        /// Knife and harpoon take the lowest card (CC-V7).
        BottomFeeder = "bottom_feeder",
    }
}

impl Diver {
    /// Whom the card shows.
    pub fn character(self) -> Character {
        match self {
            Diver::GoldenScales | Diver::Casanova => Character::Siren,
            Diver::Plunderer | Diver::TreasureHunter => Character::KeyChest,
            Diver::Navigator => Character::Map,
            Diver::MasterGunner | Diver::Scavenger | Diver::Misfire => Character::Knife,
            Diver::Mystic => Character::Drone,
            Diver::Swordsman | Diver::Parry => Character::Harpoon,
            Diver::Miser | Diver::CaptainsHook => Character::Net,
            Diver::SafeHarbor => Character::Anchor,
            Diver::Fisherman | Diver::Beastmaster => Character::Squid,
            Diver::Saboteuse => Character::None,
        }
    }
}
