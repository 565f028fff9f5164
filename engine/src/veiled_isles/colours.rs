//! Who won which colour of a trick, and what that brings.

use core::cmp::Reverse;

use arrayvec::ArrayVec;

use super::island::{Colour, ColourSet};
use super::state::Played;
use super::{ActionCard, ColourWon, Prize, SEATS, State};
use crate::Seat;

/// An island of a trick: its player, and how many seats they are from the first player.
#[derive(Clone, Copy)]
struct Entry {
    distance: usize,
    seat: Seat,
    played: Played,
}

impl Entry {
    /// VI-9: among equals the nearer to the first player is the higher.
    fn rank(&self) -> (u8, Reverse<usize>) {
        (self.played.value(), Reverse(self.distance))
    }
}

impl State {
    /// What has been played in this trick, clockwise from the first player.
    pub(super) fn trick_in_order(&self) -> impl Iterator<Item = (Seat, Played)> {
        let seats = self.seat_count().seats_from(self.first_seat);
        seats.filter_map(|seat| self.player(seat).played.map(|played| (seat, played)))
    }

    /// VI-9: who won which colour in the trick whose sails are lifted, in the order of the colours.
    pub(super) fn colours_won(&self) -> ArrayVec<ColourWon, 4> {
        // Two colours that count as one are named once, where the first of them comes.
        let first = |colour: &Colour| self.counts_as(*colour).iter().next() == Some(*colour);
        Colour::ALL.into_iter().filter(first).filter_map(|colour| self.colour_won(self.counts_as(colour))).collect()
    }

    /// VI-14: what counts as this colour: the colour alone, or with the other of its action card.
    fn counts_as(&self, colour: Colour) -> ColourSet {
        let pair: ColourSet = [colour, colour.partner()].into_iter().collect();
        // VI-R8
        let neither_is_a_prize = pair.iter().all(|colour| !self.prize_colours.contains(colour));
        if self.players.len() == 3 && neither_is_a_prize { pair } else { [colour].into_iter().collect() }
    }

    fn colour_won(&self, colours: ColourSet) -> Option<ColourWon> {
        let trick = self.trick_in_order().enumerate();
        let entries: ArrayVec<Entry, { *SEATS.end() as usize }> = trick
            .map(|(distance, (seat, played))| Entry { distance, seat, played })
            .filter(|entry| colours.contains(entry.played.island.colour()))
            .collect();
        let highest = entries.iter().max_by_key(|entry| entry.rank())?;
        let lowest = entries.iter().min_by_key(|entry| entry.rank())?;
        Some(ColourWon {
            colours,
            islands: entries.len() as u8,
            winner: highest.seat,
            value: highest.played.value(),
            // VI-11: a colour played once has no lowest.
            lowest: (entries.len() > 1).then_some(lowest.seat),
            prize: self.prize(highest.played.island.colour()),
        })
    }

    /// VI-10, VI-12: a treasure where the colour was on top of a deck, or else the action of its card.
    fn prize(&self, colour: Colour) -> Prize {
        let deck = self.decks.iter().map(|deck| deck.deck).find(|deck| deck.colours().contains(&colour));
        match deck {
            Some(deck) if self.prize_colours.contains(colour) => Prize::Treasure(deck),
            _ => Prize::Action(self.action_of(colour)),
        }
    }

    fn action_of(&self, colour: Colour) -> ActionCard {
        match colour {
            Colour::Red | Colour::Blue => self.red_blue_action,
            Colour::Green | Colour::Purple => self.green_purple_action,
        }
    }
}
