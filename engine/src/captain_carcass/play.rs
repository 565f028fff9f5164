//! A turn: cards are turned up and enter the exploration until an incident or until the player surfaces.

use alloc::vec::Vec;

use super::cards::{Card, Suit};
use super::{Diver, Event, ExploredCard, GameEnd, Phase, Source, State, Variant};
use crate::{Chance, Seat, Step};

/// An accepted action while its consequences happen.
pub(super) struct Play<'a> {
    pub(super) state: State,
    pub(super) events: Vec<Event>,
    pub(super) chance: &'a mut dyn Chance,
}

impl Play<'_> {
    pub(super) fn finished(self) -> Step<State> {
        Step { next: self.state, events: self.events }
    }

    /// CC-D17
    pub(super) fn name_victim(&mut self, seat: Seat, victim: Seat) {
        self.state.players[seat.index()].victim = Some(victim);
        self.events.push(Event::VictimNamed { seat, victim });
        self.start_turn(self.state.turn);
    }

    pub(super) fn start_turn(&mut self, seat: Seat) {
        self.state.turn = seat;
        self.state.phase = Phase::Explore;
        self.events.push(Event::TurnStarted { seat });
    }

    /// CC-6: the top card of the draw pile is turned up.
    pub(super) fn draw(&mut self) {
        let seat = self.state.turn;
        let card = self.state.draw_pile.remove(0);
        self.state.turned_up = true;
        self.state.drone_count = 0; // CC-16
        self.events.push(Event::Drew { seat, card, draw_pile_size: self.state.draw_pile.len() as u8 });
        if self.state.draw_pile.is_empty() && self.state.squid_demand > 0 {
            // CC-13
            self.events.push(Event::DemandVoided { seat, squid_demand: self.state.squid_demand });
            self.state.squid_demand = 0;
        }
        if self.goes_straight_to_hold(card) {
            self.state.hold_mut(seat).insert(card);
            self.events.push(Event::WentStraightToHold { seat, card });
            if !self.sudden_death() {
                self.go_on();
            }
        } else {
            self.bring_in(card, Source::DrawPile);
        }
    }

    /// CC-D2, CC-D15: whether a card turned up is not for the exploration at all.
    fn goes_straight_to_hold(&self, card: Card) -> bool {
        let catcher = match card.suit() {
            Suit::Siren => Diver::Casanova,
            Suit::Squid => Diver::Fisherman,
            _ => return false,
        };
        self.state.has_diver(self.state.turn, catcher)
    }

    /// CC-7, CC-8: a card, from wherever it comes, enters the exploration or causes an incident.
    pub(super) fn bring_in(&mut self, card: Card, source: Source) {
        if self.state.repeats(card) {
            self.incident(card);
            return;
        }
        self.state.exploration.push(ExploredCard { card, source });
        // CC-13, CC-R6: every card answers an open demand first, a squid too.
        self.state.squid_demand = self.state.squid_demand.saturating_sub(1);
        let (seat, squid_demand) = (self.state.turn, self.state.squid_demand);
        self.events.push(Event::Entered { seat, card, source, squid_demand });
        self.apply_effect(card);
    }

    /// An effect is resolved. The innermost open net brings in its next card; without one the player may draw or surface.
    pub(super) fn go_on(&mut self) {
        self.state.phase = Phase::Explore;
        while !self.state.open_nets.is_empty() {
            if !self.state.hold(self.state.turn).is_empty() {
                self.state.phase = Phase::Net;
                return;
            }
            self.state.open_nets.pop();
            self.skip(Suit::Net, super::Skip::EmptyHold);
        }
    }

    /// CC-9: the exploration goes to the hold.
    pub(super) fn surface(&mut self) {
        let seat = self.state.turn;
        let cards: Vec<Card> = self.state.exploration.drain(..).map(|explored| explored.card).collect();
        cards.iter().for_each(|card| self.state.hold_mut(seat).insert(*card));
        let has = |suit| cards.iter().any(|card| card.suit() == suit);
        let earns_bonus = has(Suit::Key) && has(Suit::Chest);
        let count = cards.len() as u8;
        self.events.push(Event::Surfaced { seat, cards });
        if self.sudden_death() {
            return;
        }
        if earns_bonus {
            self.key_chest_bonus(count);
        } else {
            self.end_turn();
        }
    }

    /// CC-10: after a turn that emptied the draw pile the game is over.
    pub(super) fn end_turn(&mut self) {
        self.state.clear_turn();
        if self.state.draw_pile.is_empty() {
            self.end_game(GameEnd::DrawPileEmpty);
        } else {
            self.start_turn(self.state.turn.next(self.state.seat_count()));
        }
    }

    /// CC-V3: ends the game if somebody has enough. To be asked after every move of cards into holds.
    pub(super) fn sudden_death(&mut self) -> bool {
        let decided = self.state.sudden_death_is_decided();
        if decided {
            self.state.clear_turn();
            self.end_game(GameEnd::SuddenDeath);
        }
        decided
    }

    fn end_game(&mut self, cause: GameEnd) {
        self.state.phase = Phase::Over;
        let seats = self.state.seat_count().seats();
        let points = seats.map(|seat| self.state.points(seat)).collect();
        self.events.push(Event::GameEnded { cause, points, winners: self.state.final_outcome().winners });
    }
}

impl State {
    /// CC-7, CC-V5: whether a card about to enter repeats what must not be repeated.
    fn repeats(&self, card: Card) -> bool {
        let by_value = self.is_played(Variant::StrangeLands);
        let same = |other: Card| if by_value { other.value() == card.value() } else { other.suit() == card.suit() };
        self.exploration.iter().any(|explored| same(explored.card))
    }

    /// Forgets what belongs to a turn alone. What lies in the exploration stays there.
    fn clear_turn(&mut self) {
        self.turned_up = false;
        self.squid_demand = 0;
        self.open_nets.clear();
        self.drone_count = 0;
        self.map_count = 0;
        self.plunder_count = 0;
    }
}
