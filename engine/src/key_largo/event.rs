//! What can happen.

use alloc::{sync::Arc, vec::Vec};

use super::{Card, Depth, Encounter, Half, Item, Place, Tables, Ware};
use crate::{Seat, SeatSet};

/// Something that happened. As the rules make it, every card shows its face and its id; `redact` takes away what a
/// viewer may not see.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub enum Event {
    /// The game began with these figures (KL-R1).
    GameStarted { encounters: bool, tables: Arc<Tables> },
    /// The wreck cards were shuffled and laid out (KL-2): all 80, in the order in which they were laid.
    WrecksLaid { wrecks: [u8; 3], cards: Vec<Card> },
    /// The encounter cards were shuffled (KL-25), top first.
    EncountersShuffled { deck: Vec<Option<Encounter>> },
    /// A day began (KL-3, KL-6).
    DayStarted { day: u8, first_seat: Seat },
    /// A player chose the places of the day (KL-4).
    Programmed { seat: Seat, morning: Option<Place>, afternoon: Option<Place> },
    /// The places of a half-day were revealed (KL-5), by seat.
    PlacesRevealed { half: Half, places: Vec<Place> },
    /// A boat was placed on a wreck (KL-8).
    BoatPlaced { seat: Seat, wreck: u8 },
    /// A diving player found no wreck to go to (KL-R2).
    DiveLost { seat: Seat },
    /// A player let the moment for a saboteur go by (KL-R7).
    SabotagePassed { seat: Seat },
    /// An encounter card was played and left the game (KL-26).
    EncounterPlayed {
        seat: Seat,
        encounter: Encounter,
        target_seat: Option<Seat>,
        diver: Option<u8>,
        wreck: Option<u8>,
        dupe: Option<Card>,
        ware: Option<Ware>,
    },
    /// A weight was used up (KL-13).
    WeightUsed { seat: Seat, diver: u8 },
    /// A diver drew the top card of a wreck (KL-10).
    CardDrawn { seat: Seat, diver: u8, wreck: u8, cause: DrawCause, card: Card },
    /// A trident killed a monster; both left the game (KL-12).
    MonsterKilled { seat: Seat, trident_of: u8, wreck: u8, card: Card },
    /// A diver fled from a monster and left the game with all equipment (KL-12), in which there is no trident; the monster is set
    /// aside.
    DiverFled { seat: Seat, diver: u8, hoses: u8, weight: bool },
    /// Monsters went back into a wreck (KL-14, KL-E3), at its bottom.
    MonstersReturned { wreck: u8, cards: Vec<Card> },
    /// A wreck was shuffled; its cards, top first.
    WreckShuffled { wreck: u8, cards: Vec<Card> },
    /// A wreck without cards is gone (KL-14).
    WreckGone { wreck: u8 },
    /// A dive ended (KL-14).
    Surfaced { seat: Seat, wreck: u8 },
    /// A diver was recruited (KL-16).
    Recruited { seat: Seat, price: u32, with_hose: bool },
    /// A pickpocket was hired (KL-17).
    PickpocketHired { seat: Seat, victim: Seat, depth: Depth, price: u32 },
    /// A card changed hands (KL-17).
    CardStolen { thief: Seat, victim: Seat, card: Card },
    /// A round was bought (KL-18): in version 1 with all its wrecks, later with the first.
    RoundBought { seat: Seat, wrecks: Vec<u8>, price: u32 },
    /// The second wreck of a round was named (KL-18).
    SecondWreckNamed { seat: Seat, wreck: u8 },
    /// No second wreck was named (KL-18).
    SecondWreckDeclined { seat: Seat },
    /// A player looked at the cards of a wreck (KL-18, KL-E7), in no order.
    WreckSeen { seat: Seat, wreck: u8, cards: Vec<Card> },
    /// The dolphins paid (KL-19, KL-E13).
    DolphinsPaid { seat: Seat, amount: u32 },
    /// An encounter card was drawn (KL-25).
    EncounterDrawn { seat: Seat, encounter: Option<Encounter> },
    /// An item was bought for a diver (KL-20).
    Bought { seat: Seat, item: Item, diver: u8, price: u32 },
    /// Cards were sold and left the game (KL-23, KL-E2, KL-E22, KL-E23).
    CardsSold { seat: Seat, way: SaleWay, cards: Vec<Card>, ware: Option<Ware>, unit_price: u32, income: u32 },
    /// A player ended a visit.
    VisitEnded { seat: Seat, place: Place },
    /// The boats left their places (KL-5).
    HalfDayEnded { half: Half },
    /// The game is over (KL-24).
    GameEnded { fortunes: Vec<u64>, winners: SeatSet },
}

/// Why a card was drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawCause {
    /// Each diver's own card (KL-10).
    Turn = 1,
    /// In the place of a monster killed (KL-12).
    Replacement,
    /// A weight (KL-13).
    Weight,
    /// A volunteer (KL-E1).
    Volunteer,
    /// In the place of a monster that a regular sent back (KL-E3).
    Regular,
    /// An attentive diver (KL-E5).
    AttentiveDiver,
}

/// How cards were sold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SaleWay {
    /// The normal sale (KL-22).
    Market = 1,
    /// A hasty buyer (KL-E2).
    HastyBuyer,
    /// A trafficker (KL-E22).
    Trafficker,
    /// A jeweller (KL-E23).
    Jeweller,
}
