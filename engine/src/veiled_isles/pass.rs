//! Passing: every player gives an island to the right neighbour, all at the same time.

use alloc::{format, string::String, vec::Vec};

use super::island::{Colour, Island, IslandSet};
use super::{Action, Event, Offer, State};
use crate::{Seat, Violation};

/// VI-6: the colours of which a hand has the most.
fn most_held(hand: IslandSet) -> impl Iterator<Item = Colour> {
    let held = move |colour: &Colour| hand.of_colour(*colour).len();
    let most = Colour::ALL.iter().map(held).max();
    Colour::ALL.into_iter().filter(move |colour| Some(held(colour)) == most)
}

/// VI-6: the islands that may be passed from a hand.
pub(super) fn legal_passes(hand: IslandSet) -> impl Iterator<Item = Island> {
    most_held(hand).filter_map(move |colour| hand.of_colour(colour).last())
}

/// VI-6: whether an island may be passed from a hand.
fn check_pass(hand: IslandSet, island: Island) -> Result<(), Violation> {
    let refuse = |reason, sentence| Err(Violation::new("VI-6", reason, sentence));
    if !hand.contains(island) {
        return refuse("NOT_IN_HAND", format!("{island} is not in the hand"));
    }
    if legal_passes(hand).any(|legal| legal == island) {
        return Ok(());
    }
    let right = names(legal_passes(hand));
    if most_held(hand).any(|colour| colour == island.colour()) {
        return refuse("NOT_HIGHEST", format!("{island} is not the highest of its colour: pass {right}"));
    }
    let sentence = format!("{} is not the colour of which the hand has the most: pass {right}", island.colour());
    refuse("NOT_MOST_HELD", sentence)
}

/// "red 9 or blue 7"
fn names(islands: impl Iterator<Item = Island>) -> String {
    islands.map(|island| format!("{island}")).collect::<Vec<_>>().join(" or ")
}

impl State {
    pub(super) fn pass_offers(&self, seat: Seat) -> Vec<Offer> {
        legal_passes(self.player(seat).hand).map(|island| Offer::Single(Action::Pass { island })).collect()
    }

    /// VI-6: the island is laid aside, and moves when the last player has chosen.
    pub(super) fn pass(&mut self, seat: Seat, island: Island, events: &mut Vec<Event>) -> Result<(), Violation> {
        let player = self.player_mut(seat);
        check_pass(player.hand, island)?;
        player.hand.remove(island);
        player.passing = Some(island);
        events.push(Event::PassChosen { seat, island: Some(island) });
        if self.players.iter().all(|player| player.passing.is_some()) {
            self.hand_over(events);
            self.start_trick(events);
        }
        Ok(())
    }

    fn hand_over(&mut self, events: &mut Vec<Event>) {
        let seats = self.seat_count();
        for from in seats.seats() {
            // VI-5: the right neighbour is the seat before.
            let to = Seat((from.0 + seats.get() - 1) % seats.get());
            if let Some(island) = self.player_mut(from).passing.take() {
                self.player_mut(to).hand.insert(island);
                events.push(Event::IslandPassed { from, to, island: Some(island) });
            }
        }
    }
}
