//! Playing to a trick, from its first player to the lifting of the sails.

use alloc::{format, vec::Vec};

use super::island::{HIGHEST, Half, Island};
use super::state::{Played, Player};
use super::{Event, LiftedIsland, Offer, Phase, State};
use crate::{Chance, Seat, Violation};

/// VI-7: the most bonus cards that a player can play with an island of the hand.
fn max_bonus(player: &Player, island: Island) -> u8 {
    player.bonus.min(HIGHEST - island.number())
}

/// VI-7: whether a player may play an island with so many bonus cards.
fn check_play(player: &Player, island: Island, bonus: u32) -> Result<(), Violation> {
    let refuse = |reason, sentence| Err(Violation::new("VI-7", reason, sentence));
    if !player.hand.contains(island) {
        return refuse("NOT_IN_HAND", format!("{island} is not in the hand"));
    }
    if bonus > u32::from(player.bonus) {
        let sentence = format!("{bonus} bonus cards cannot be played: the player has {}", player.bonus);
        return refuse("TOO_FEW_BONUS_CARDS", sentence);
    }
    if bonus > u32::from(max_bonus(player, island)) {
        let sentence = format!(
            "{island} with {bonus} bonus cards is over {HIGHEST}: it can have {} at most",
            max_bonus(player, island)
        );
        return refuse("OVER_TWELVE", sentence);
    }
    Ok(())
}

impl State {
    /// VI-7: the first player begins.
    pub(super) fn start_trick(&mut self, events: &mut Vec<Event>) {
        self.trick += 1;
        self.phase = Phase::Play;
        self.turn = Some(self.first_seat);
        events.push(Event::TrickStarted { trick: self.trick, first_seat: self.first_seat });
    }

    pub(super) fn play_offers(&self, seat: Seat) -> Vec<Offer> {
        let player = self.player(seat);
        let offer = |island| Offer::Play { island, max_bonus: max_bonus(player, island) };
        player.hand.iter().map(offer).collect()
    }

    /// VI-7: one island under a sail, with its bonus cards (VI-R3).
    pub(super) fn play(
        &mut self,
        seat: Seat,
        island: Island,
        show: Half,
        bonus: u32,
        events: &mut Vec<Event>,
    ) -> Result<(), Violation> {
        let player = self.player_mut(seat);
        check_play(player, island, bonus)?;
        let bonus = bonus as u8;
        player.hand.remove(island);
        player.bonus -= bonus;
        player.played = Some(Played { island, show, bonus, taken: false });
        events.push(Event::IslandPlayed { seat, island: island.whole(), show, bonus });
        Ok(())
    }

    /// VI-7, VI-8: the next player, or after the last one the sails.
    pub(super) fn play_goes_on(&mut self, seat: Seat, chance: &mut dyn Chance, events: &mut Vec<Event>) {
        let next = seat.next(self.seat_count());
        if next == self.first_seat {
            self.lift_sails(events);
            self.resolve_treasures(None, chance, events);
        } else {
            self.turn = Some(next);
        }
    }

    /// VI-8. What is on top of the decks at this moment decides what a colour is worth (VI-10).
    fn lift_sails(&mut self, events: &mut Vec<Event>) {
        let turned_up = self.decks.iter().filter_map(|deck| deck.turned_up);
        self.prize_colours = turned_up.map(|treasure| treasure.colour).collect();
        let islands = self.trick_in_order().map(|(seat, played)| {
            let Played { island, bonus, .. } = played;
            LiftedIsland { seat, island, bonus, value: played.value() }
        });
        events.push(Event::SailsLifted { islands: islands.collect() });
        events.extend(self.colours_won().into_iter().map(Event::ColourWon));
    }
}
