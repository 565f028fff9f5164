//! Canonical bytes of states and events.

use super::state::{Dive, Player, Visit, Wreck};
use super::{Card, Encounter, Event, Place, Rules, State};
use crate::{Canonical, Seat, Sink};

/// Encounters begin at 1, so 0 says that there is none.
fn encounter_byte(encounter: Option<Encounter>) -> u8 {
    encounter.map_or(0, |encounter| encounter as u8)
}

/// Places begin at 1, so 0 says that there is none.
fn place_byte(place: Option<Place>) -> u8 {
    place.map_or(0, |place| place as u8)
}

/// Numbers of divers, wrecks and seats are small, so 255 says that there is none.
fn number_byte(number: Option<u8>) -> u8 {
    number.unwrap_or(u8::MAX)
}

fn encode_encounters<S: Sink>(encounters: &[Encounter], sink: &mut S) {
    sink.len(encounters.len());
    encounters.iter().for_each(|encounter| sink.u8(*encounter as u8));
}

fn encode_numbers<S: Sink>(numbers: &[u8], sink: &mut S) {
    sink.len(numbers.len());
    sink.put(numbers);
}

impl Canonical for State {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.bool(self.encounters);
        self.tables.encode(sink);
        self.faces.as_slice().encode(sink);
        sink.put(&[self.day, self.half as u8, self.phase as u8, self.first_seat.0, self.turn.0]);
        self.wrecks.as_slice().encode(sink);
        self.players.as_slice().encode(sink);
        self.reserve.encode(sink);
        self.gone.encode(sink);
        encode_encounters(&self.encounter_deck, sink);
        encode_encounters(&self.encounters_played, sink);
        self.sold.encode(sink);
        self.killed.encode(sink);
        self.dive.encode(sink);
        self.visit.encode(sink);
        match &self.look {
            None => sink.u8(0),
            Some(look) => {
                sink.put(&[1, look.seat.0]);
                encode_numbers(&look.wrecks, sink);
            }
        }
    }
}

impl Canonical for Wreck {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.u8(self.depth as u8);
        self.cards.as_slice().encode(sink);
    }
}

impl Canonical for Player {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.u32(self.cash);
        let [morning, afternoon] = self.programme.map_or([None; 2], |programme| programme.map(Some));
        sink.put(&[place_byte(morning), place_byte(afternoon), number_byte(self.boat)]);
        sink.len(self.divers.len());
        for diver in &self.divers {
            sink.u8(diver.hoses);
            sink.put(&[diver.trident, diver.weight, diver.sabotaged, diver.has_drawn].map(u8::from));
        }
        self.hand.encode(sink);
        encode_encounters(&self.encounters, sink);
        sink.u8(encounter_byte(self.played));
    }
}

impl Canonical for Dive {
    fn encode<S: Sink>(&self, sink: &mut S) {
        self.drawn.encode(sink);
        sink.bool(self.last_was_treasure);
        sink.bool(self.diver_fled);
        sink.put(&[number_byte(self.last_diver), number_byte(self.monster.map(|card| card.0))]);
        self.set_aside.as_slice().encode(sink);
    }
}

impl Canonical for Visit {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.put(&[self.recruits, self.pickpockets, u8::from(self.round_bought)]);
        sink.put(&self.bought);
        sink.bool(self.sold);
        sink.put(&self.dupe.map_or([u8::MAX, 0], |(card, ware)| [card.0, ware as u8]));
    }
}

/// An event's number, its small fields, and what comes after them.
fn head<S: Sink>(sink: &mut S, number: u8, fields: &[u8]) {
    sink.u8(number);
    sink.put(fields);
}

fn encode_card<S: Sink>(card: Option<&Card>, sink: &mut S) {
    sink.bool(card.is_some());
    if let Some(card) = card {
        card.encode(sink);
    }
}

impl Event {
    /// The bytes by a version of the rules: those of version 1 differ in the width of fortunes.
    pub(super) fn encode_by<S: Sink>(&self, rules: Rules, sink: &mut S) {
        match self {
            Event::GameEnded { fortunes, winners } if !rules.unsold_unit_is_a_figure() => {
                head(sink, 30, &[]);
                sink.len(fortunes.len());
                // Without that figure all treasures together are worth far less than 32 bits hold.
                fortunes.iter().for_each(|fortune| sink.u32(*fortune as u32));
                sink.u8(winners.bits());
            }
            _ => self.encode(sink),
        }
    }
}

impl Canonical for Event {
    fn encode<S: Sink>(&self, sink: &mut S) {
        match self {
            Event::GameStarted { encounters, tables } => {
                head(sink, 1, &[u8::from(*encounters)]);
                tables.encode(sink);
            }
            Event::WrecksLaid { wrecks, cards } => {
                head(sink, 2, wrecks);
                cards.as_slice().encode(sink);
            }
            Event::EncountersShuffled { deck } => {
                head(sink, 3, &[]);
                sink.len(deck.len());
                deck.iter().for_each(|encounter| sink.u8(encounter_byte(*encounter)));
            }
            Event::DayStarted { day, first_seat } => head(sink, 4, &[*day, first_seat.0]),
            Event::Programmed { seat, morning, afternoon } => {
                head(sink, 5, &[seat.0, place_byte(*morning), place_byte(*afternoon)]);
            }
            Event::PlacesRevealed { half, places } => {
                head(sink, 6, &[*half as u8]);
                sink.len(places.len());
                places.iter().for_each(|place| sink.u8(*place as u8));
            }
            Event::BoatPlaced { seat, wreck } => head(sink, 7, &[seat.0, *wreck]),
            Event::DiveLost { seat } => head(sink, 8, &[seat.0]),
            Event::SabotagePassed { seat } => head(sink, 9, &[seat.0]),
            Event::EncounterPlayed { seat, encounter, target_seat, diver, wreck, dupe, ware } => {
                let numbers = [target_seat.map(|seat: Seat| seat.0), *diver, *wreck].map(number_byte);
                head(sink, 10, &[seat.0, *encounter as u8]);
                sink.put(&numbers);
                encode_card(dupe.as_ref(), sink);
                sink.u8(ware.map_or(0, |ware| ware as u8));
            }
            Event::WeightUsed { seat, diver } => head(sink, 11, &[seat.0, *diver]),
            Event::CardDrawn { seat, diver, wreck, cause, card } => {
                head(sink, 12, &[seat.0, *diver, *wreck, *cause as u8]);
                card.encode(sink);
            }
            Event::MonsterKilled { seat, trident_of, wreck, card } => {
                head(sink, 13, &[seat.0, *trident_of, *wreck]);
                card.encode(sink);
            }
            Event::DiverFled { seat, diver, hoses, weight } => {
                head(sink, 14, &[seat.0, *diver, *hoses, u8::from(*weight)]);
            }
            Event::MonstersReturned { wreck, cards } => {
                head(sink, 15, &[*wreck]);
                cards.as_slice().encode(sink);
            }
            Event::WreckShuffled { wreck, cards } => {
                head(sink, 16, &[*wreck]);
                cards.as_slice().encode(sink);
            }
            Event::WreckGone { wreck } => head(sink, 17, &[*wreck]),
            Event::Surfaced { seat, wreck } => head(sink, 18, &[seat.0, *wreck]),
            Event::Recruited { seat, price, with_hose } => {
                head(sink, 19, &[seat.0]);
                sink.u32(*price);
                sink.bool(*with_hose);
            }
            Event::PickpocketHired { seat, victim, depth, price } => {
                head(sink, 20, &[seat.0, victim.0, *depth as u8]);
                sink.u32(*price);
            }
            Event::CardStolen { thief, victim, card } => {
                head(sink, 21, &[thief.0, victim.0]);
                card.encode(sink);
            }
            Event::RoundBought { seat, wrecks, price } => {
                head(sink, 22, &[seat.0]);
                encode_numbers(wrecks, sink);
                sink.u32(*price);
            }
            Event::WreckSeen { seat, wreck, cards } => {
                head(sink, 23, &[seat.0, *wreck]);
                cards.as_slice().encode(sink);
            }
            Event::DolphinsPaid { seat, amount } => {
                head(sink, 24, &[seat.0]);
                sink.u32(*amount);
            }
            Event::EncounterDrawn { seat, encounter } => head(sink, 25, &[seat.0, encounter_byte(*encounter)]),
            Event::Bought { seat, item, diver, price } => {
                head(sink, 26, &[seat.0, *item as u8, *diver]);
                sink.u32(*price);
            }
            Event::CardsSold { seat, way, cards, ware, unit_price, income } => {
                head(sink, 27, &[seat.0, *way as u8]);
                cards.as_slice().encode(sink);
                sink.u8(ware.map_or(0, |ware| ware as u8));
                sink.u32(*unit_price);
                sink.u32(*income);
            }
            Event::VisitEnded { seat, place } => head(sink, 28, &[seat.0, *place as u8]),
            Event::HalfDayEnded { half } => head(sink, 29, &[*half as u8]),
            Event::GameEnded { fortunes, winners } => {
                head(sink, 30, &[]);
                sink.len(fortunes.len());
                fortunes.iter().for_each(|fortune| sink.u64(*fortune));
                sink.u8(winners.bits());
            }
            Event::SecondWreckNamed { seat, wreck } => head(sink, 31, &[seat.0, *wreck]),
            Event::SecondWreckDeclined { seat } => head(sink, 32, &[seat.0]),
        }
    }
}
