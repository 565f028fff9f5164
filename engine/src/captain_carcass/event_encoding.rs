//! The canonical bytes of events.

use super::{Card, Event};
use crate::{Canonical, Seat, Sink};

impl Canonical for Event {
    fn encode<S: Sink>(&self, sink: &mut S) {
        match self {
            Event::DiversGiven { divers, dealt } => {
                sink.u8(1);
                sink.len(divers.len());
                divers.iter().for_each(|diver| sink.u8(diver.number()));
                sink.bool(*dealt);
            }
            Event::PilesLaid { draw_pile_size, graveyard_size, draw_pile, graveyard } => {
                sink.put(&[2, *draw_pile_size, *graveyard_size]);
                draw_pile.encode(sink);
                graveyard.encode(sink);
            }
            Event::FirstSeatDrawn { seat } => sink.put(&[3, seat.0]),
            Event::VictimNamed { seat, victim } => sink.put(&[4, seat.0, victim.0]),
            Event::TurnStarted { seat } => sink.put(&[5, seat.0]),
            Event::Drew { seat, card, draw_pile_size } => {
                put_card(6, *seat, *card, sink);
                sink.u8(*draw_pile_size);
            }
            Event::DemandVoided { seat, squid_demand } => sink.put(&[7, seat.0, *squid_demand]),
            Event::WentStraightToHold { seat, card } => put_card(8, *seat, *card, sink),
            Event::Entered { seat, card, source, squid_demand } => {
                put_card(9, *seat, *card, sink);
                sink.put(&[*source as u8 + 1, *squid_demand]);
            }
            Event::SquidAsked { seat, asks, squid_demand } => sink.put(&[10, seat.0, *asks, *squid_demand]),
            Event::EffectSkipped { seat, suit, skip } => sink.put(&[11, seat.0, *suit as u8 + 1, *skip as u8 + 1]),
            Event::GraveyardShuffled { size, order } => {
                sink.put(&[12, *size]);
                order.encode(sink);
            }
            Event::MapShowed { seat, count, cards } => {
                sink.put(&[13, seat.0, *count]);
                cards.encode(sink);
            }
            Event::PlacedFromMap { seat, card } => put_card(14, *seat, *card, sink),
            Event::DroneShowed { seat, count, cards } => {
                sink.put(&[15, seat.0, *count]);
                cards.encode(sink);
            }
            Event::Knifed { seat, victim, cards, to_hold_of } => {
                sink.put(&[16, seat.0, victim.0]);
                cards.encode(sink);
                put_place(*to_hold_of, sink);
            }
            Event::Misfired { seat, owner, card } => {
                sink.put(&[17, seat.0, owner.0]);
                card.encode(sink);
            }
            Event::Netted { seat, card, second } => {
                put_card(18, *seat, *card, sink);
                sink.bool(*second);
            }
            Event::Harpooned { seat, victim, card } => {
                sink.put(&[19, seat.0, victim.0]);
                card.encode(sink);
            }
            Event::HarpoonParried { seat, owner, card } => {
                sink.put(&[20, seat.0, owner.0]);
                card.encode(sink);
            }
            Event::IncidentCaused { seat, card } => put_card(21, *seat, *card, sink),
            Event::Saved { seat, cards } => {
                sink.put(&[22, seat.0]);
                cards.encode(sink);
            }
            Event::Lost { seat, cards, to_hold_of } => {
                sink.put(&[23, seat.0]);
                cards.encode(sink);
                put_place(*to_hold_of, sink);
            }
            Event::Surfaced { seat, cards } => {
                sink.put(&[24, seat.0]);
                cards.encode(sink);
            }
            Event::BonusEarned { seat, count } => sink.put(&[25, seat.0, *count]),
            Event::BonusTaken { seat, cards } => {
                sink.put(&[26, seat.0]);
                cards.encode(sink);
            }
            Event::Plundered { seat, victim, cards } => {
                sink.put(&[27, seat.0, victim.0]);
                cards.encode(sink);
            }
            Event::GameEnded { cause, points, winners } => {
                sink.put(&[28, *cause as u8 + 1]);
                sink.len(points.len());
                points.iter().for_each(|points| sink.i32(*points));
                sink.u8(winners.bits());
            }
        }
    }
}

fn put_card<S: Sink>(tag: u8, seat: Seat, card: Card, sink: &mut S) {
    sink.put(&[tag, seat.0]);
    card.encode(sink);
}

/// Whose hold cards went to. Seats end at 3, so 255 can say that it was the graveyard.
fn put_place<S: Sink>(to_hold_of: Option<Seat>, sink: &mut S) {
    sink.u8(to_hold_of.map_or(u8::MAX, |seat| seat.0));
}
