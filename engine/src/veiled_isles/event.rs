//! What can happen, and what each viewer learns of it.

use alloc::vec::Vec;

use super::island::{ColourSet, Half, Island, VeiledIsland};
use super::options::ActionCard;
use super::treasure::{Deck, Treasure};
use crate::{Seat, SeatSet, Viewer};

/// Something that happened. As the rules make it, nothing is left out; what a viewer may not see becomes `None`.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub enum Event {
    /// A treasure deck was shuffled (VI-3).
    DeckShuffled { deck: Deck, size: u8, order: Option<Vec<Treasure>> },
    /// A deck's top treasure was turned up (VI-3, VI-15).
    TreasureTurnedUp { deck: Deck, treasure: Treasure },
    /// The islands were shuffled (VI-4).
    IslandsShuffled { order: Option<Vec<Island>> },
    /// A hand was dealt (VI-4).
    HandDealt { seat: Seat, count: u8, islands: Option<Vec<Island>> },
    /// The rest of the islands was set aside (VI-4).
    IslandsSetAside { count: u8, islands: Option<Vec<Island>> },
    /// A round began; in round 1 its first player was drawn (VI-5).
    RoundStarted { round: u8, first_seat: Seat },
    /// A player chose the island to pass (VI-6).
    PassChosen { seat: Seat, island: Option<Island> },
    /// After all had chosen, an island went to the right neighbour (VI-6).
    IslandPassed { from: Seat, to: Seat, island: Option<Island> },
    /// A trick began (VI-7).
    TrickStarted { trick: u8, first_seat: Seat },
    /// An island was played under a sail (VI-7).
    IslandPlayed { seat: Seat, island: VeiledIsland, show: Half, bonus: u8 },
    /// All sails were lifted (VI-8).
    SailsLifted { islands: Vec<LiftedIsland> },
    /// A colour was won (VI-9).
    ColourWon(ColourWon),
    /// A winner took the treasure that was turned up (VI-10).
    TreasureTaken { seat: Seat, deck: Deck, treasure: Treasure },
    /// A winner stole a treasure (VI-10).
    TreasureStolen { seat: Seat, from: Seat, treasure: Treasure },
    /// The lowest of a colour took bonus cards (VI-11).
    BonusTaken { seat: Seat, due: u8, taken: u8 },
    /// A winner activated an action card (VI-12).
    ActionActivated { seat: Seat, action: ActionCard },
    /// An action that could do nothing was skipped (VI-16, VI-R5).
    ActionSkipped { seat: Seat, action: ActionCard },
    /// A1: bonus cards were stolen (VI-16).
    BonusStolen { seat: Seat, from: Seat, count: u8 },
    /// A1: bonus cards were taken from the supply (VI-16).
    BonusDrawn { seat: Seat, count: u8 },
    /// A2: islands were taken at random (VI-17).
    IslandsTaken { seat: Seat, from: Seat, count: u8, islands: Option<Vec<Island>> },
    /// A2: islands were given back (VI-17).
    IslandsGivenBack { seat: Seat, to: Seat, count: u8, islands: Option<Vec<Island>> },
    /// A3: the top of a deck was looked at (VI-18).
    DeckPeeked { seat: Seat, deck: Deck, treasures: Option<Vec<Treasure>> },
    /// A3: it was put back (VI-18).
    DeckReordered { seat: Seat, deck: Deck, order: Option<Vec<u8>> },
    /// A4: an island of the trick was taken (VI-19).
    PlayedTaken { seat: Seat, from: Seat, island: Island },
    /// A4: an island was discarded (VI-19).
    IslandDiscarded { seat: Seat, island: Island },
    /// A treasure still turned up went under its deck (VI-15).
    TreasurePutUnder { deck: Deck, treasure: Treasure },
    /// The trick was cleared up and the first player moved on (VI-15).
    TrickCleared { islands: Vec<Island>, bonus: u8, first_seat: Seat },
    /// A round was scored (VI-20).
    RoundScored { round: u8, scores: Vec<Score> },
    /// The game is over (VI-20).
    GameEnded { totals: Vec<u16>, winners: SeatSet },
}

/// An island without its sail (VI-8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct LiftedIsland {
    pub seat: Seat,
    pub island: Island,
    pub bonus: u8,
    pub value: u8,
}

/// A colour that was won, or two that count as one (VI-9, VI-14).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct ColourWon {
    pub colours: ColourSet,
    pub islands: u8,
    pub winner: Seat,
    pub value: u8,
    pub lowest: Option<Seat>,
    pub prize: Prize,
}

/// What the winner of a colour gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prize {
    /// A treasure: the one turned up on this deck, or one to be stolen (VI-10).
    Treasure(Deck),
    /// This action (VI-12).
    Action(ActionCard),
}

/// What one player scored in a round (VI-20).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct Score {
    pub seat: Seat,
    pub treasure_points: u16,
    pub bonus_points: u8,
}

impl Score {
    /// The sum of both.
    pub fn points(self) -> u16 {
        self.treasure_points + u16::from(self.bonus_points)
    }
}

impl Event {
    /// The event as a viewer may see it. That it happened is never a secret, only which cards it was about.
    pub(super) fn for_viewer(&self, viewer: Viewer) -> Event {
        let is_for = |seats: &[Seat]| match viewer {
            Viewer::Auditor => true,
            Viewer::Seat(seat) => seats.contains(&seat),
            Viewer::Spectator => false,
        };
        let mut event = self.clone();
        match &mut event {
            Event::DeckShuffled { order, .. } => hide_unless(is_for(&[]), order),
            Event::IslandsShuffled { order } => hide_unless(is_for(&[]), order),
            Event::IslandsSetAside { islands, .. } => hide_unless(is_for(&[]), islands),
            Event::HandDealt { seat, islands, .. } => hide_unless(is_for(&[*seat]), islands),
            Event::PassChosen { seat, island } => hide_unless(is_for(&[*seat]), island),
            Event::IslandPassed { from, to, island } => hide_unless(is_for(&[*from, *to]), island),
            Event::IslandPlayed { seat, island, show, .. } => {
                if !is_for(&[*seat]) {
                    *island = island.under_sail(*show);
                }
            }
            Event::IslandsTaken { seat, from, islands, .. } => hide_unless(is_for(&[*seat, *from]), islands),
            Event::IslandsGivenBack { seat, to, islands, .. } => hide_unless(is_for(&[*seat, *to]), islands),
            Event::DeckPeeked { seat, treasures, .. } => hide_unless(is_for(&[*seat]), treasures),
            Event::DeckReordered { seat, order, .. } => hide_unless(is_for(&[*seat]), order),
            Event::TreasureTurnedUp { .. }
            | Event::RoundStarted { .. }
            | Event::TrickStarted { .. }
            | Event::SailsLifted { .. }
            | Event::ColourWon(_)
            | Event::TreasureTaken { .. }
            | Event::TreasureStolen { .. }
            | Event::BonusTaken { .. }
            | Event::ActionActivated { .. }
            | Event::ActionSkipped { .. }
            | Event::BonusStolen { .. }
            | Event::BonusDrawn { .. }
            | Event::PlayedTaken { .. }
            | Event::IslandDiscarded { .. }
            | Event::TreasurePutUnder { .. }
            | Event::TrickCleared { .. }
            | Event::RoundScored { .. }
            | Event::GameEnded { .. } => {}
        }
        event
    }
}

fn hide_unless<T>(seen: bool, cards: &mut Option<T>) {
    if !seen {
        *cards = None;
    }
}
