//! What a player can ask for.

use alloc::vec::Vec;

use super::{Depth, Encounter, Item, Place, Ware};

/// An action. Divers are named by their place in the team, wrecks by their number, cards by their id; all as they came,
/// because whether they exist is judged after whose turn it is.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub enum Action {
    /// Choose the places of the day (KL-4).
    Program { morning: Place, afternoon: Place },
    /// Place the boat on a wreck (KL-8).
    PlaceBoat { wreck: u32 },
    /// Let the moment for a saboteur go by (KL-R7).
    Pass,
    /// Let a diver draw their card (KL-10).
    DrawCard { diver: u32 },
    /// Use up a diver's weight for one card more (KL-13).
    UseWeight { diver: u32 },
    /// End the dive (KL-14).
    Surface,
    /// Kill the monster with a diver's trident (KL-12).
    UseTrident { diver: u32 },
    /// The diver who met the monster leaves the game (KL-12).
    Flee,
    /// Recruit a diver (KL-16).
    Recruit,
    /// Hire a pickpocket (KL-17).
    HirePickpocket { seat: u32, depth: Depth },
    /// Buy a round (KL-18) in version 1 of the rules: two different wrecks, in the order in which they are shuffled; one, if
    /// only one is left.
    BuyRound { wrecks: Vec<u32> },
    /// Buy a round (KL-18) in later versions: `BuyRound` with its first wreck.
    FirstWreck { wreck: u32 },
    /// Name the second wreck of a round (KL-18).
    SecondWreck { wreck: u32 },
    /// Name no second wreck (KL-18).
    NoSecondWreck,
    /// Buy an item for a diver (KL-20).
    Buy { item: Item, diver: u32 },
    /// The normal sale: a set of cards of one kind (KL-22). Their order does not matter.
    Sell { cards: Vec<u32> },
    /// Play an encounter card (KL-26).
    PlayEncounter(Play),
    /// End the visit.
    Done,
}

/// An encounter card and what it needs (KL-26).
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub enum Play {
    /// A card that needs nothing beyond its name.
    Plain(Encounter),
    /// KL-E1: who draws.
    Volunteer { diver: u32 },
    /// KL-E2: what is sold.
    HastyBuyer { treasure: u32 },
    /// KL-E4: whose diver, and which.
    Saboteur { seat: u32, diver: u32 },
    /// KL-E7: which wreck.
    Drunkard { wreck: u32 },
    /// KL-E21: which card counts as what.
    Dupe { treasure: u32, ware: Ware },
    /// KL-E22: a set of cards. Their order does not matter.
    Trafficker { treasures: Vec<u32> },
    /// KL-E23: which diamond.
    Jeweller { diamond: u32 },
}

impl Play {
    /// The card that is played.
    pub fn encounter(&self) -> Encounter {
        match self {
            Play::Plain(encounter) => *encounter,
            Play::Volunteer { .. } => Encounter::Volunteer,
            Play::HastyBuyer { .. } => Encounter::HastyBuyer,
            Play::Saboteur { .. } => Encounter::Saboteur,
            Play::Drunkard { .. } => Encounter::Drunkard,
            Play::Dupe { .. } => Encounter::Dupe,
            Play::Trafficker { .. } => Encounter::Trafficker,
            Play::Jeweller { .. } => Encounter::Jeweller,
        }
    }
}
