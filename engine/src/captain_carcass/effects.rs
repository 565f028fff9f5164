//! CC-11 to CC-19: what the suits do, and the divers that change it.

use alloc::{vec, vec::Vec};

use super::cards::{Card, Hold, Suit};
use super::play::Play;
use super::{Diver, Event, OpenNet, Phase, Skip, Source, State, Variant};
use crate::{Seat, shuffle};

/// CC-12: how many cards a map shows.
const MAP_SHOWS: usize = 3;

impl Play<'_> {
    /// CC-8: the effect of a card that has entered. It ends in a choice, or play goes on.
    pub(super) fn apply_effect(&mut self, card: Card) {
        match card.suit() {
            // These act on an incident or on surfacing, or never.
            Suit::Anchor | Suit::Key | Suit::Chest | Suit::Siren => self.go_on(),
            Suit::Squid => self.squid(),
            Suit::Map => self.map(),
            Suit::Knife => self.knife(),
            Suit::Drone => self.drone(),
            Suit::Net => self.net(card),
            Suit::Harpoon => self.harpoon(card),
        }
    }

    /// An effect has nothing to act on.
    pub(super) fn skip(&mut self, suit: Suit, skip: Skip) {
        self.events.push(Event::EffectSkipped { seat: self.state.turn, suit, skip });
    }

    fn skip_and_go_on(&mut self, suit: Suit, skip: Skip) {
        self.skip(suit, skip);
        self.go_on();
    }

    /// CC-13, CC-D16
    fn squid(&mut self) {
        if self.state.draw_pile.is_empty() {
            return self.skip_and_go_on(Suit::Squid, Skip::EmptyDrawPile);
        }
        let seat = self.state.turn;
        let asks = if self.state.opponent_with(Diver::Beastmaster, seat).is_some() { 4 } else { 2 };
        self.state.squid_demand += asks;
        self.events.push(Event::SquidAsked { seat, asks, squid_demand: self.state.squid_demand });
        self.go_on();
    }

    /// CC-12, CC-D5
    fn map(&mut self) {
        if self.state.graveyard.is_empty() {
            return self.skip_and_go_on(Suit::Map, Skip::EmptyGraveyard);
        }
        let seat = self.state.turn;
        let size = self.state.graveyard.len();
        let count = if self.state.has_diver(seat, Diver::Navigator) {
            size // CC-R10: nothing is shuffled.
        } else {
            self.shuffle_graveyard();
            size.min(MAP_SHOWS)
        };
        self.state.map_count = count as u8;
        let mut cards = self.state.shown_by_map().to_vec();
        cards.sort_unstable();
        self.events.push(Event::MapShowed { seat, count: self.state.map_count, cards });
        self.state.phase = Phase::Map;
    }

    pub(super) fn place_from_map(&mut self, card: Card) {
        // CC-R10: the others have never left the graveyard.
        self.state.map_count = 0;
        self.state.graveyard.retain(|other| *other != card);
        self.events.push(Event::PlacedFromMap { seat: self.state.turn, card });
        self.bring_in(card, Source::Graveyard);
    }

    /// CC-15, CC-D8
    fn knife(&mut self) {
        let seat = self.state.turn;
        if self.state.opponent_with(Diver::Misfire, seat).is_some() {
            if self.state.hold(seat).is_empty() {
                return self.skip_and_go_on(Suit::Knife, Skip::EmptyHold);
            }
            self.state.phase = Phase::Misfire;
        } else {
            if !self.state.an_opponent_has_cards() {
                return self.skip_and_go_on(Suit::Knife, Skip::NoOpponentHasCards);
            }
            self.state.phase = Phase::Knife;
        }
    }

    /// CC-15, CC-D6, CC-D7
    pub(super) fn use_knife(&mut self, victim: Seat, suit: Suit) {
        let seat = self.state.turn;
        let stack = self.state.hold(victim).stack(suit);
        let cards: Vec<Card> = if self.state.has_diver(seat, Diver::MasterGunner) {
            stack.iter().collect()
        } else {
            vec![self.state.taken_from(stack)]
        };
        let to_hold_of = self.state.has_diver(seat, Diver::Scavenger).then_some(seat);
        cards.iter().for_each(|card| self.state.hold_mut(victim).remove(*card));
        self.state.put_away(&cards, to_hold_of);
        self.events.push(Event::Knifed { seat, victim, cards, to_hold_of });
        if !self.sudden_death() {
            self.go_on();
        }
    }

    /// CC-D8
    pub(super) fn use_misfire(&mut self, suit: Suit) {
        let seat = self.state.turn;
        let owner = self.state.opponent_with(Diver::Misfire, seat).expect("an opponent's diver asked for this");
        let card = self.state.taken_from(self.state.hold(seat).stack(suit));
        self.state.hold_mut(seat).remove(card);
        self.state.put_away(&[card], None);
        self.events.push(Event::Misfired { seat, owner, card });
        self.go_on();
    }

    /// CC-16, CC-D9
    fn drone(&mut self) {
        if self.state.draw_pile.is_empty() {
            return self.skip_and_go_on(Suit::Drone, Skip::EmptyDrawPile);
        }
        let seat = self.state.turn;
        let shows = if self.state.has_diver(seat, Diver::Mystic) { 3 } else { 1 };
        self.state.drone_count = self.state.draw_pile.len().min(shows) as u8;
        let cards = self.state.shown_by_drone().to_vec();
        self.events.push(Event::DroneShowed { seat, count: self.state.drone_count, cards });
        self.go_on();
    }

    /// CC-17, CC-D13: the net is open now, and to go on is to let it act.
    fn net(&mut self, card: Card) {
        let catches = if self.state.has_diver(self.state.turn, Diver::CaptainsHook) { 2 } else { 1 };
        self.state.open_nets.push(OpenNet { card, catches });
        self.go_on();
    }

    pub(super) fn use_net(&mut self, suit: Suit) {
        let seat = self.state.turn;
        let net = self.state.open_nets.pop().expect("an open net asked for this");
        let card = self.state.hold(seat).stack(suit).highest().expect("a chosen stack has cards");
        let second = net.catches == 1 && self.state.has_diver(seat, Diver::CaptainsHook);
        if net.catches > 1 {
            self.state.open_nets.push(OpenNet { catches: net.catches - 1, ..net });
        }
        self.state.hold_mut(seat).remove(card);
        self.events.push(Event::Netted { seat, card, second });
        self.bring_in(card, Source::OwnHold);
    }

    /// CC-18, CC-D11
    fn harpoon(&mut self, card: Card) {
        let seat = self.state.turn;
        match self.state.opponent_with(Diver::Parry, seat) {
            Some(owner) if !self.state.hold(owner).has(Suit::Squid) => {
                // It has just entered, so it is the last of the row.
                self.state.exploration.pop();
                self.state.put_away(&[card], None);
                self.events.push(Event::HarpoonParried { seat, owner, card });
                self.go_on();
            }
            None if !self.state.harpoon_has_a_target() => self.skip_and_go_on(Suit::Harpoon, Skip::NoSuitToTake),
            Some(_) | None => self.state.phase = Phase::Harpoon,
        }
    }

    pub(super) fn use_harpoon(&mut self, victim: Seat, suit: Suit) {
        let card = self.state.taken_from(self.state.hold(victim).stack(suit));
        self.state.hold_mut(victim).remove(card);
        self.events.push(Event::Harpooned { seat: self.state.turn, victim, card });
        self.bring_in(card, Source::OpponentHold);
    }

    /// CC-14, CC-D3, CC-D4: the bonus of a player who surfaced with `collected` cards.
    pub(super) fn key_chest_bonus(&mut self, collected: u8) {
        let seat = self.state.turn;
        let doubled = self.state.has_diver(seat, Diver::TreasureHunter);
        let count = if doubled { collected * 2 } else { collected };
        self.events.push(Event::BonusEarned { seat, count });
        if self.state.has_diver(seat, Diver::Plunderer) {
            if self.state.an_opponent_has_cards() {
                self.state.plunder_count = count;
                self.state.phase = Phase::Plunder;
            } else {
                self.skip(Suit::Chest, Skip::NoOpponentHasCards);
                self.end_turn();
            }
            return;
        }
        if self.state.graveyard.is_empty() {
            self.skip(Suit::Chest, Skip::EmptyGraveyard);
            return self.end_turn();
        }
        self.shuffle_graveyard();
        let taken = self.state.graveyard.len().min(count.into());
        let cards: Vec<Card> = self.state.graveyard.drain(..taken).collect();
        self.state.put_away(&cards, Some(seat));
        self.events.push(Event::BonusTaken { seat, cards });
        if !self.sudden_death() {
            self.end_turn();
        }
    }

    /// CC-D3: one card after another is drawn from a hold, its cards counted in order.
    pub(super) fn plunder(&mut self, victim: Seat) {
        let seat = self.state.turn;
        let count = self.state.plunder_count.min(self.state.hold(victim).len());
        let mut cards = Vec::with_capacity(count.into());
        for _ in 0..count {
            let hold = self.state.hold(victim);
            let place = self.chance.below(hold.len().into()) as usize;
            let card = hold.iter().nth(place).expect("a place below the number of cards");
            self.state.hold_mut(victim).remove(card);
            cards.push(card);
        }
        self.state.put_away(&cards, Some(seat));
        self.events.push(Event::Plundered { seat, victim, cards });
        if !self.sudden_death() {
            self.end_turn();
        }
    }

    fn shuffle_graveyard(&mut self) {
        shuffle(&mut self.state.graveyard, self.chance);
        let order = self.state.graveyard.to_vec();
        self.events.push(Event::GraveyardShuffled { size: order.len() as u8, order });
    }
}

impl State {
    /// CC-15, CC-18, CC-V7: the card that knife and harpoon take from a stack.
    fn taken_from(&self, stack: Hold) -> Card {
        let taken = if self.is_played(Variant::BottomFeeder) { stack.lowest() } else { stack.highest() };
        taken.expect("a chosen stack has cards")
    }

    pub(super) fn an_opponent_has_cards(&self) -> bool {
        self.opponents(self.turn).any(|seat| !self.hold(seat).is_empty())
    }

    /// Puts cards into a hold, or one by one on top of the graveyard.
    pub(super) fn put_away(&mut self, cards: &[Card], to_hold_of: Option<Seat>) {
        match to_hold_of {
            Some(seat) => cards.iter().for_each(|card| self.hold_mut(seat).insert(*card)),
            None => cards.iter().for_each(|card| self.graveyard.insert(0, *card)),
        }
    }
}
