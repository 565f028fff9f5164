//! Everything that a game of Veiled Isles consists of.

use arrayvec::ArrayVec;

use super::event::Score;
use super::island::{ColourSet, Half, Island, IslandSet};
use super::options::ActionCard;
use super::treasure::{Deck, PER_COLOUR, Treasure, TreasureDeck};
use super::{Rules, SEATS};
use crate::{Seat, SeatCount};

/// VI-1: how many bonus cards there are.
pub(super) const BONUS_CARDS: u8 = 22;
/// How many rounds a game has.
pub(super) const ROUNDS: u8 = 2;
/// A player wins at most one treasure in each of at most 12 tricks.
const MAX_TREASURES: usize = 12;

/// Which decision is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Every seat that has not passed yet passes an island (VI-6).
    Pass,
    /// The next seat in the trick plays an island (VI-7).
    Play,
    /// The winner of a colour takes or steals a treasure (VI-10).
    Treasure,
    /// A1: whom to steal bonus cards from, or drawing them (VI-16).
    StealBonus,
    /// A2: whom to take islands from (VI-17).
    SwapWith,
    /// A2: which islands to give back (VI-17).
    GiveBack {
        /// Who gets them.
        to: Seat,
        /// How many.
        count: u8,
    },
    /// A3: which deck to look at (VI-18).
    PeekDeck,
    /// A3: the new order (VI-18).
    Reorder {
        /// The deck that is looked at.
        deck: Deck,
    },
    /// A4: which island to take (VI-19).
    TakePlayed,
    /// A4: which island to discard (VI-19).
    DiscardIsland,
    /// The game is over.
    Over,
}

impl Phase {
    /// What is asked, for the refusal of an action of another phase.
    pub(super) fn asks(self) -> &'static str {
        match self {
            Phase::Pass => "pass an island",
            Phase::Play => "play an island",
            Phase::Treasure => "take_treasure or steal_treasure",
            Phase::StealBonus => "steal_bonus or draw_bonus",
            Phase::SwapWith => "swap_with another player",
            Phase::GiveBack { .. } => "give_back islands",
            Phase::PeekDeck => "peek_deck",
            Phase::Reorder { .. } => "reorder the treasures",
            Phase::TakePlayed => "take_played an island of this trick",
            Phase::DiscardIsland => "discard_island",
            Phase::Over => "the game is over",
        }
    }
}

/// An island played in this trick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Played {
    pub(super) island: Island,
    /// The half left open.
    pub(super) show: Half,
    pub(super) bonus: u8,
    /// VI-19: it counts for this trick, but no longer lies there.
    pub(super) taken: bool,
}

impl Played {
    /// VI-8
    pub(super) fn value(self) -> u8 {
        self.island.number() + self.bonus
    }
}

/// One player.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Player {
    pub(super) hand: IslandSet,
    /// VI-6: chosen to be passed, no longer in the hand.
    pub(super) passing: Option<Island>,
    /// The last one is the visible one.
    pub(super) treasures: ArrayVec<Treasure, MAX_TREASURES>,
    pub(super) bonus: u8,
    pub(super) played: Option<Played>,
    /// What each round that is over brought.
    pub(super) scores: ArrayVec<u16, { ROUNDS as usize }>,
}

impl Player {
    /// VI-20: what treasures and bonus cards are worth now.
    pub(super) fn score(&self, seat: Seat) -> Score {
        Score {
            seat,
            treasure_points: self.treasures.iter().map(|treasure| u16::from(treasure.points)).sum(),
            bonus_points: self.bonus / 2,
        }
    }
}

/// A game's state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    pub(super) rules: Rules,
    pub(super) red_blue_action: ActionCard,
    pub(super) green_purple_action: ActionCard,
    /// What the treasures of a colour are worth, ascending.
    pub(super) treasure_values: [u8; PER_COLOUR],
    pub(super) round: u8,
    /// From 1 in each round; 0 while islands are passed.
    pub(super) trick: u8,
    pub(super) phase: Phase,
    /// Whose decision it is; nobody's while all pass and once the game is over.
    pub(super) turn: Option<Seat>,
    pub(super) first_seat: Seat,
    pub(super) decks: ArrayVec<TreasureDeck, 2>,
    /// Bonus cards that nobody has and that are not played in this trick.
    pub(super) supply: u8,
    pub(super) players: ArrayVec<Player, { *SEATS.end() as usize }>,
    pub(super) discarded: IslandSet,
    pub(super) set_aside: IslandSet,
    /// VI-10: the colours on top of a deck when the sails were lifted; none before.
    pub(super) prize_colours: ColourSet,
}

impl State {
    pub(super) fn seat_count(&self) -> SeatCount {
        SeatCount::new(self.players.len()).expect("a game has at least three players")
    }

    pub(super) fn player(&self, seat: Seat) -> &Player {
        &self.players[seat.index()]
    }

    pub(super) fn player_mut(&mut self, seat: Seat) -> &mut Player {
        &mut self.players[seat.index()]
    }
}
