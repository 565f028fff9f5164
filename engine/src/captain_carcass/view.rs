//! Who sees what. All lies open but the two piles: those are for auditors, and for all once the game is over. What a drone
//! or a map shows of them is for the player whose turn it is.

use alloc::vec::Vec;

use super::{Card, Diver, ExploredCard, OpenNet, Phase, Variant};
use crate::Seat;

/// The table as one viewer sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct View {
    pub variant: Option<Variant>,
    pub phase: Phase,
    pub asked: Option<Seat>,
    pub turn: Seat,
    pub first_seat: Seat,
    pub players: Vec<PlayerView>,
    pub exploration: Vec<ExploredCard>,
    pub turned_up: bool,
    pub squid_demand: u8,
    pub open_nets: Vec<OpenNet>,
    pub draw_pile_size: u8,
    pub draw_pile: Vec<Card>,
    pub graveyard_size: u8,
    pub graveyard: Vec<Card>,
    pub drone_count: u8,
    pub drone_cards: Vec<Card>,
    pub map_count: u8,
    pub map_cards: Vec<Card>,
    pub plunder_count: u8,
}

/// One player as a viewer sees them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct PlayerView {
    pub seat: Seat,
    pub diver: Option<Diver>,
    pub victim: Option<Seat>,
    pub hold: Vec<Card>,
    pub points: i32,
}
