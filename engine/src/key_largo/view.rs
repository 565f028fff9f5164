//! Who sees what.

use alloc::{sync::Arc, vec::Vec};

use super::{Card, Depth, Diver, Encounter, Half, Phase, Place, Stock, Tables, Ware};
use crate::{Seat, SeatSet};

/// The table as one viewer sees it. Hidden cards show their backs.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct View {
    pub encounters: bool,
    pub tables: Arc<Tables>,
    pub day: u8,
    pub half: Half,
    pub phase: Phase,
    pub first_seat: Seat,
    pub turn: Option<Seat>,
    pub asked: SeatSet,
    pub wrecks: Vec<WreckView>,
    pub players: Vec<PlayerView>,
    pub reserve: Stock,
    pub gone: Stock,
    pub encounter_deck: Vec<Option<Encounter>>,
    pub encounters_played: Vec<Encounter>,
    pub sold: Vec<Card>,
    pub monsters_killed: Vec<Card>,
    pub removed: Vec<Card>,
    pub dive: Option<DiveView>,
    pub visit: Option<VisitView>,
    pub looks: Vec<LookView>,
}

/// A wreck as a viewer sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct WreckView {
    pub wreck: u8,
    pub depth: Depth,
    pub cards: Vec<Card>,
    pub boat: Option<Seat>,
}

/// A player as a viewer sees them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct PlayerView {
    pub seat: Seat,
    pub cash: u32,
    pub programmed: bool,
    pub morning: Option<Place>,
    pub afternoon: Option<Place>,
    pub place: Option<Place>,
    pub boat: Option<u8>,
    pub divers: Vec<Diver>,
    pub hand: Vec<Card>,
    pub encounters: Vec<Option<Encounter>>,
    pub encounter_played: Option<Encounter>,
    pub fortune: Option<u32>,
}

/// The dive under way.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct DiveView {
    pub wreck: u8,
    pub drawn: Vec<Card>,
    pub last_was_treasure: bool,
    pub diver_fled: bool,
    pub last_diver: Option<u8>,
    pub monster: Option<Card>,
    pub set_aside: Vec<Card>,
}

/// The visit to bar, shop or market under way.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct VisitView {
    pub present: u8,
    pub recruits: u8,
    pub pickpockets: u8,
    pub round_bought: bool,
    pub bought: [u8; 3],
    pub sold: bool,
    pub dupe: Option<(Card, Ware)>,
}

/// A wreck that a player has just looked into.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct LookView {
    pub seat: Seat,
    pub wreck: u8,
    pub cards: Vec<Card>,
}
