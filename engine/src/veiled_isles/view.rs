//! Who sees what of the table.

use alloc::vec::Vec;

use super::event::ColourWon;
use super::island::{ColourSet, Half, Island, VeiledIsland};
use super::options::ActionCard;
use super::state::Phase;
use super::treasure::{Deck, Treasure};
use crate::Seat;

/// The table as one viewer sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct View {
    pub round: u8,
    pub trick: u8,
    pub phase: Phase,
    pub turn: Option<Seat>,
    pub first_seat: Seat,
    pub red_blue_action: ActionCard,
    pub green_purple_action: ActionCard,
    pub treasure_values: [u8; 8],
    pub decks: Vec<DeckView>,
    pub supply: u8,
    pub players: Vec<PlayerView>,
    pub discarded: Vec<Island>,
    pub set_aside_size: u8,
    pub set_aside: Option<Vec<Island>>,
    pub prize_colours: ColourSet,
    pub colours_won: Vec<ColourWon>,
    pub peeked: Option<Vec<Treasure>>,
}

/// A treasure deck as a viewer sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct DeckView {
    pub deck: Deck,
    pub turned_up: Option<Treasure>,
    pub face_down_size: u8,
    pub face_down: Option<Vec<Treasure>>,
}

/// One player as a viewer sees them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct PlayerView {
    pub seat: Seat,
    pub hand_size: u8,
    pub hand: Option<Vec<Island>>,
    pub has_passed: bool,
    pub passing: Option<Island>,
    pub treasures: Vec<Treasure>,
    pub bonus: u8,
    pub played: Option<PlayedView>,
    pub scores: Vec<u16>,
    pub points: u16,
}

/// An island played in this trick as a viewer sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct PlayedView {
    pub island: VeiledIsland,
    pub show: Half,
    pub bonus: u8,
    pub veiled: bool,
    pub taken: bool,
}
