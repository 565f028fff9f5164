//! CC-7, CC-11: what is saved and what is lost in an incident.

use alloc::vec::Vec;

use super::cards::{Card, Suit};
use super::play::Play;
use super::{Diver, Event, Source, State, Variant};
use crate::Seat;

/// CC-D14: how many cards after the anchor a safe harbor saves.
const HARBOR_SAVES_AFTER: usize = 2;

impl Play<'_> {
    /// CC-7: a card that cannot enter ends the turn. All that it moves is one move (CC-V3).
    pub(super) fn incident(&mut self, card: Card) {
        let seat = self.state.turn;
        self.events.push(Event::IncidentCaused { seat, card });
        let (mut saved, mut lost): (Vec<Card>, Vec<Card>) = (Vec::new(), Vec::new());
        for (place, explored) in self.state.exploration.iter().enumerate() {
            if self.state.is_saved(place) { &mut saved } else { &mut lost }.push(explored.card);
        }
        lost.push(card);
        self.state.exploration.clear();
        self.state.put_away(&saved, Some(seat));
        if !saved.is_empty() {
            self.events.push(Event::Saved { seat, cards: saved });
        }
        let to_hold_of = self.state.who_gets_lost_cards();
        self.state.put_away(&lost, to_hold_of);
        self.events.push(Event::Lost { seat, cards: lost, to_hold_of });
        if !self.sudden_death() {
            self.end_turn();
        }
    }
}

impl State {
    /// Whether the player keeps the card in a place of the row.
    fn is_saved(&self, place: usize) -> bool {
        self.is_saved_by_anchor(place) || self.is_saved_by_miser(place)
    }

    /// CC-11, CC-D14, CC-R6: by the last anchor.
    fn is_saved_by_anchor(&self, place: usize) -> bool {
        let anchor = self.exploration.iter().rposition(|explored| explored.card.suit() == Suit::Anchor);
        let harbor = self.has_diver(self.turn, Diver::SafeHarbor);
        anchor.is_some_and(|anchor| place < anchor || harbor && place <= anchor + HARBOR_SAVES_AFTER)
    }

    /// CC-D12: nets, and the cards that they brought in. A net acts as soon as it has entered, and a miser's brings one
    /// card, so what it brought is next to it.
    fn is_saved_by_miser(&self, place: usize) -> bool {
        let is_net = |place: usize| self.exploration[place].card.suit() == Suit::Net;
        let netted = self.exploration[place].source == Source::OwnHold && place > 0 && is_net(place - 1);
        self.has_diver(self.turn, Diver::Miser) && (is_net(place) || netted)
    }

    /// CC-D17, CC-V1: whose hold the lost cards go to, if not to the graveyard.
    fn who_gets_lost_cards(&self) -> Option<Seat> {
        if self.is_played(Variant::ThievesIsland) {
            return Some(self.turn.next(self.seat_count()));
        }
        self.opponents(self.turn).find(|seat| self.player(*seat).victim == Some(self.turn))
    }
}
