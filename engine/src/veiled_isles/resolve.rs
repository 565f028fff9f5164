//! What a trick brings, in the order of VI-13: treasures, bonus cards, actions. Then it is cleared up.

use alloc::{format, vec, vec::Vec};

use arrayvec::ArrayVec;

use super::island::{ColourSet, Island};
use super::treasure::Treasure;
use super::{Action, ColourWon, Event, Offer, Phase, Prize, State};
use crate::{Chance, Seat, Violation};

impl State {
    /// The winners clockwise from the first player, after the one who acted last (VI-13).
    fn winners_after(&self, last: Option<Seat>) -> ArrayVec<ColourWon, 4> {
        let won = self.colours_won();
        let mut seats = self.seat_count().seats_from(self.first_seat);
        if let Some(last) = last {
            seats.find(|seat| *seat == last);
        }
        seats.filter_map(|seat| won.iter().find(|won| won.winner == seat).copied()).collect()
    }

    /// VI-10: asks the next winner of a treasure; after the last come bonus cards and actions.
    pub(super) fn resolve_treasures(&mut self, last: Option<Seat>, chance: &mut dyn Chance, events: &mut Vec<Event>) {
        let next = self.winners_after(last).into_iter().find(|won| matches!(won.prize, Prize::Treasure(_)));
        if let Some(won) = next {
            self.phase = Phase::Treasure;
            self.turn = Some(won.winner);
        } else {
            self.give_bonus_cards(events);
            self.resolve_actions(None, chance, events);
        }
    }

    pub(super) fn treasure_offers(&self, seat: Seat) -> Vec<Offer> {
        let mut offers = vec![Offer::Single(Action::TakeTreasure)];
        let victims = self.seat_count().seats().filter(|from| self.stealable(seat, *from).is_ok());
        offers.extend(victims.map(|seat| Offer::Single(Action::StealTreasure { seat })));
        offers
    }

    /// VI-10: the treasure of the colour that was won comes onto the winner's pile.
    pub(super) fn take_treasure(&mut self, seat: Seat, events: &mut Vec<Event>) {
        let Some(colour) = self.player(seat).played.map(|played| played.island.colour()) else { return };
        let shows = |treasure: &mut Treasure| treasure.colour == colour;
        for deck in &mut self.decks {
            if let Some(treasure) = deck.turned_up.take_if(shows) {
                events.push(Event::TreasureTaken { seat, deck: deck.deck, treasure });
                self.players[seat.index()].treasures.push(treasure);
            }
        }
    }

    /// VI-10: the treasure that a winner may steal from a player. All others of the colour are lower, or equal (VI-R4).
    fn stealable(&self, seat: Seat, from: Seat) -> Result<Treasure, Violation> {
        let refuse = |reason, sentence| Err(Violation::new("VI-10", reason, sentence));
        if from == seat {
            return refuse("OWN_SEAT", format!("{from} is the winner: a treasure is stolen from another player"));
        }
        let (Some(own), Some(theirs)) = (self.player(seat).played, self.player(from).played) else {
            return refuse("OTHER_COLOUR", format!("{from} has played nothing in this trick"));
        };
        let (colour, other) = (own.island.colour(), theirs.island.colour());
        if other != colour {
            let sentence = format!("{from} played {other}: a treasure is stolen from a player who played {colour}");
            return refuse("OTHER_COLOUR", sentence);
        }
        let treasure = match self.player(from).treasures.last() {
            Some(treasure) if treasure.colour == colour => *treasure,
            Some(treasure) => {
                let sentence =
                    format!("the visible treasure of {from} is {}: only a {colour} one can be stolen", treasure.colour);
                return refuse("OTHER_TREASURE", sentence);
            }
            None => {
                return refuse(
                    "NO_TREASURE",
                    format!("{from} has no treasure to steal: take_treasure is always right"),
                );
            }
        };
        // VI-R4
        if theirs.value() >= own.value() && !self.rules.an_equal_value_is_robbed() {
            let sentence = format!(
                "the {colour} island of {from} has the value {}, the winner's {}: a treasure is stolen from a lower one",
                theirs.value(),
                own.value()
            );
            return Err(Violation::new("VI-R4", "NOT_LOWER", sentence));
        }
        Ok(treasure)
    }

    /// VI-10: the victim's next treasure becomes visible.
    pub(super) fn steal_treasure(&mut self, seat: Seat, from: Seat, events: &mut Vec<Event>) -> Result<(), Violation> {
        let treasure = self.stealable(seat, from)?;
        self.player_mut(from).treasures.pop();
        self.player_mut(seat).treasures.push(treasure);
        events.push(Event::TreasureStolen { seat, from, treasure });
        Ok(())
    }

    /// VI-11, VI-13: bonus cards, clockwise by the seat that takes them.
    fn give_bonus_cards(&mut self, events: &mut Vec<Event>) {
        let won = self.colours_won();
        for seat in self.seat_count().seats_from(self.first_seat) {
            let Some(won) = won.iter().find(|won| won.lowest == Some(seat)) else { continue };
            let taken = self.take_from_supply(seat, won.islands);
            events.push(Event::BonusTaken { seat, due: won.islands, taken });
        }
    }

    /// So many bonus cards, or as many as the supply has.
    pub(super) fn take_from_supply(&mut self, seat: Seat, due: u8) -> u8 {
        let taken = self.supply.min(due);
        self.supply -= taken;
        self.player_mut(seat).bonus += taken;
        taken
    }

    /// VI-12: asks the next winner whose action can do something; after the last the trick is cleared up.
    pub(super) fn resolve_actions(&mut self, last: Option<Seat>, chance: &mut dyn Chance, events: &mut Vec<Event>) {
        for won in self.winners_after(last) {
            let (seat, Prize::Action(action)) = (won.winner, won.prize) else { continue };
            if self.can_do(seat, action) {
                self.phase = action.first_phase();
                self.turn = Some(seat);
                events.push(Event::ActionActivated { seat, action });
                return;
            }
            events.push(Event::ActionSkipped { seat, action });
        }
        self.clear_trick(events);
        if self.players.iter().all(|player| player.hand.is_empty()) {
            self.end_round(chance, events);
        } else {
            self.start_trick(events);
        }
    }

    /// VI-15: also after the last trick of a round.
    fn clear_trick(&mut self, events: &mut Vec<Event>) {
        for deck in &mut self.decks {
            deck.put_under(events);
            deck.turn_up(events);
        }
        let lying = self.trick_in_order().filter(|(_, played)| !played.taken);
        let islands: Vec<Island> = lying.map(|(_, played)| played.island).collect();
        islands.iter().for_each(|island| self.discarded.insert(*island));
        let played = self.players.iter_mut().filter_map(|player| player.played.take());
        let bonus = played.map(|played| played.bonus).sum();
        self.supply += bonus;
        self.prize_colours = ColourSet::EMPTY;
        self.first_seat = self.first_seat.next(self.seat_count());
        events.push(Event::TrickCleared { islands, bonus, first_seat: self.first_seat });
    }
}
