//! CC-20: points and winners.

use super::cards::{Hold, Suit};
use super::{Diver, State, Variant};
use crate::{Outcome, Seat, SeatSet};

/// CC-D1: what a scoring siren is worth more.
const GOLDEN_SIREN: i32 = 5;
/// CC-V3: the points that win at once.
const SUDDEN_DEATH: i32 = 50;
/// CC-V4: what a missing suit costs.
const MISSING_SUIT: i32 = 5;
/// CC-V6: the points that are too many.
const ABOVE_THE_WAVES: i32 = 60;

impl State {
    /// What a hold would score if the game ended now.
    pub(super) fn points(&self, seat: Seat) -> i32 {
        let hold = self.hold(seat);
        let scoring = if self.is_played(Variant::PileOfTreasure) { hold } else { highest_of_each_suit(hold) };
        let mut points: i32 = scoring.iter().map(|card| i32::from(card.value())).sum();
        if self.has_diver(seat, Diver::GoldenScales) {
            points += GOLDEN_SIREN * i32::from(scoring.stack(Suit::Siren).len());
        }
        if self.is_played(Variant::AllHandsOnDeck) {
            points -= MISSING_SUIT * Suit::ALL.iter().filter(|suit| !hold.has(**suit)).count() as i32;
        }
        points
    }

    /// CC-V3
    pub(super) fn sudden_death_is_decided(&self) -> bool {
        self.is_played(Variant::SuddenDeath) && self.seat_count().seats().any(|seat| self.points(seat) >= SUDDEN_DEATH)
    }

    /// CC-20: points, then cards. A sudden death is decided in the same way, because who has 50 points is ahead of all who
    /// have not (CC-R9).
    pub(super) fn final_outcome(&self) -> Outcome {
        let can_win = |seat| !self.is_played(Variant::BeneathTheWaves) || self.points(seat) < ABOVE_THE_WAVES;
        let mut outcome = Outcome::ranked(self.seat_count().seats().map(|seat| {
            let points = self.points(seat);
            (seat, points.into(), (can_win(seat), points, self.hold(seat).len()))
        }));
        if !self.seat_count().seats().any(can_win) {
            outcome.winners = SeatSet::EMPTY; // CC-V6
        }
        outcome
    }
}

fn highest_of_each_suit(hold: Hold) -> Hold {
    let mut highest = Hold::default();
    Suit::ALL.iter().filter_map(|suit| hold.stack(*suit).highest()).for_each(|card| highest.insert(card));
    highest
}
