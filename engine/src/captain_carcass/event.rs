//! What can happen.

use alloc::vec::Vec;

use super::{Card, Diver, Source, Suit};
use crate::{Seat, SeatSet, Viewer};

/// Something that happened. As the rules make it, every card is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub enum Event {
    /// The divers were given out (CC-4).
    DiversGiven { divers: Vec<Diver>, dealt: bool },
    /// Draw pile and graveyard were laid out (CC-2).
    PilesLaid { draw_pile_size: u8, graveyard_size: u8, draw_pile: Vec<Card>, graveyard: Vec<Card> },
    /// The first player was drawn (CC-3).
    FirstSeatDrawn { seat: Seat },
    /// The saboteuse's victim was named (CC-D17).
    VictimNamed { seat: Seat, victim: Seat },
    /// A turn began (CC-6).
    TurnStarted { seat: Seat },
    /// A card was turned up (CC-6).
    Drew { seat: Seat, card: Card, draw_pile_size: u8 },
    /// The last card left the draw pile while a squid still asked for cards (CC-13).
    DemandVoided { seat: Seat, squid_demand: u8 },
    /// A card turned up went straight to its player's hold (CC-D2, CC-D15).
    WentStraightToHold { seat: Seat, card: Card },
    /// A card entered the exploration (CC-8).
    Entered { seat: Seat, card: Card, source: Source, squid_demand: u8 },
    /// A squid asked for cards (CC-13).
    SquidAsked { seat: Seat, asks: u8, squid_demand: u8 },
    /// An effect had nothing to act on.
    EffectSkipped { seat: Seat, suit: Suit, skip: Skip },
    /// The graveyard was shuffled (CC-12, CC-14).
    GraveyardShuffled { size: u8, order: Vec<Card> },
    /// A map showed cards of the graveyard (CC-12).
    MapShowed { seat: Seat, count: u8, cards: Vec<Card> },
    /// A card was taken from those that the map showed (CC-12).
    PlacedFromMap { seat: Seat, card: Card },
    /// A drone showed cards of the draw pile (CC-16).
    DroneShowed { seat: Seat, count: u8, cards: Vec<Card> },
    /// A knife removed cards from an opponent's hold (CC-15).
    Knifed { seat: Seat, victim: Seat, cards: Vec<Card>, to_hold_of: Option<Seat> },
    /// A knife misfired (CC-D8).
    Misfired { seat: Seat, owner: Seat, card: Card },
    /// A net took a card from its player's hold (CC-17).
    Netted { seat: Seat, card: Card, second: bool },
    /// A harpoon took a card from an opponent's hold (CC-18).
    Harpooned { seat: Seat, victim: Seat, card: Card },
    /// A harpoon was parried and left the exploration (CC-D11).
    HarpoonParried { seat: Seat, owner: Seat, card: Card },
    /// A card caused an incident (CC-7).
    IncidentCaused { seat: Seat, card: Card },
    /// Cards were collected in spite of an incident (CC-11, CC-D12, CC-D14).
    Saved { seat: Seat, cards: Vec<Card> },
    /// Cards were lost in an incident (CC-7).
    Lost { seat: Seat, cards: Vec<Card>, to_hold_of: Option<Seat> },
    /// A player surfaced and collected the exploration (CC-9).
    Surfaced { seat: Seat, cards: Vec<Card> },
    /// Key and chest earned a bonus (CC-14).
    BonusEarned { seat: Seat, count: u8 },
    /// The bonus came from the graveyard (CC-14).
    BonusTaken { seat: Seat, cards: Vec<Card> },
    /// The bonus came from an opponent's hold (CC-D3).
    Plundered { seat: Seat, victim: Seat, cards: Vec<Card> },
    /// The game is over (CC-10, CC-20).
    GameEnded { cause: GameEnd, points: Vec<i32>, winners: SeatSet },
}

/// Why an effect was skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Skip {
    /// The graveyard is empty: map, key-chest bonus.
    EmptyGraveyard,
    /// The draw pile is empty: drone, squid.
    EmptyDrawPile,
    /// The player's own hold is empty: net, misfire.
    EmptyHold,
    /// No opponent has cards: knife, plunderer's bonus.
    NoOpponentHasCards,
    /// No opponent has a suit that may be taken: harpoon.
    NoSuitToTake,
}

/// Why the game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameEnd {
    /// The draw pile is empty (CC-10).
    DrawPileEmpty,
    /// Somebody has 50 points (CC-V3).
    SuddenDeath,
}

impl Event {
    /// Takes the cards away that a viewer may not see. Everybody learns that the rest happened.
    pub(super) fn hide_from(&mut self, viewer: Viewer) {
        match self {
            _ if viewer == Viewer::Auditor => {}
            Event::PilesLaid { draw_pile, graveyard, .. } => {
                draw_pile.clear();
                graveyard.clear();
            }
            Event::GraveyardShuffled { order, .. } => order.clear(),
            Event::MapShowed { seat, cards, .. } | Event::DroneShowed { seat, cards, .. } => {
                if viewer != Viewer::Seat(*seat) {
                    cards.clear();
                }
            }
            Event::DiversGiven { .. }
            | Event::FirstSeatDrawn { .. }
            | Event::VictimNamed { .. }
            | Event::TurnStarted { .. }
            | Event::Drew { .. }
            | Event::DemandVoided { .. }
            | Event::WentStraightToHold { .. }
            | Event::Entered { .. }
            | Event::SquidAsked { .. }
            | Event::EffectSkipped { .. }
            | Event::PlacedFromMap { .. }
            | Event::Knifed { .. }
            | Event::Misfired { .. }
            | Event::Netted { .. }
            | Event::Harpooned { .. }
            | Event::HarpoonParried { .. }
            | Event::IncidentCaused { .. }
            | Event::Saved { .. }
            | Event::Lost { .. }
            | Event::Surfaced { .. }
            | Event::BonusEarned { .. }
            | Event::BonusTaken { .. }
            | Event::Plundered { .. }
            | Event::GameEnded { .. } => {}
        }
    }
}
