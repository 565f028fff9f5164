//! What happened, for the wire.

use divelog_engine::{Seat, captain_carcass::Event};
use divelog_proto::games::captain_carcass::v1::{self as pb, event::Event as Wire};

use super::names::{
    card_to_proto, cards_to_proto, diver_to_proto, end_to_proto, skip_to_proto, source_to_proto, suit_to_proto,
};
use crate::convert::seats_to_proto;

pub(super) fn event_to_proto(event: &Event) -> pb::Event {
    let number = |seat: &Seat| u32::from(seat.0);
    let event = match event {
        Event::DiversGiven { divers, dealt } => Wire::DiversGiven(pb::DiversGiven {
            divers: divers.iter().map(|diver| diver_to_proto(*diver).into()).collect(),
            dealt: *dealt,
        }),
        Event::PilesLaid { draw_pile_size, graveyard_size, draw_pile, graveyard } => Wire::PilesLaid(pb::PilesLaid {
            draw_pile_size: (*draw_pile_size).into(),
            graveyard_size: (*graveyard_size).into(),
            draw_pile: cards_to_proto(draw_pile),
            graveyard: cards_to_proto(graveyard),
        }),
        Event::FirstSeatDrawn { seat } => Wire::FirstSeatDrawn(pb::FirstSeatDrawn { seat: number(seat) }),
        Event::VictimNamed { seat, victim } => {
            Wire::VictimNamed(pb::VictimNamed { seat: number(seat), victim: number(victim) })
        }
        Event::TurnStarted { seat } => Wire::TurnStarted(pb::TurnStarted { seat: number(seat) }),
        Event::Drew { seat, card, draw_pile_size } => Wire::Drew(pb::Drew {
            seat: number(seat),
            card: Some(card_to_proto(*card)),
            draw_pile_size: (*draw_pile_size).into(),
        }),
        Event::DemandVoided { seat, squid_demand } => {
            Wire::DemandVoided(pb::DemandVoided { seat: number(seat), squid_demand: (*squid_demand).into() })
        }
        Event::WentStraightToHold { seat, card } => {
            Wire::WentStraightToHold(pb::WentStraightToHold { seat: number(seat), card: Some(card_to_proto(*card)) })
        }
        Event::Entered { seat, card, source, squid_demand } => Wire::Entered(pb::Entered {
            seat: number(seat),
            card: Some(card_to_proto(*card)),
            source: source_to_proto(*source).into(),
            squid_demand: (*squid_demand).into(),
        }),
        Event::SquidAsked { seat, asks, squid_demand } => Wire::SquidAsked(pb::SquidAsked {
            seat: number(seat),
            asks: (*asks).into(),
            squid_demand: (*squid_demand).into(),
        }),
        Event::EffectSkipped { seat, suit, skip } => Wire::EffectSkipped(pb::EffectSkipped {
            seat: number(seat),
            suit: suit_to_proto(*suit).into(),
            skip: skip_to_proto(*skip).into(),
        }),
        Event::GraveyardShuffled { size, order } => {
            Wire::GraveyardShuffled(pb::GraveyardShuffled { size: (*size).into(), order: cards_to_proto(order) })
        }
        Event::MapShowed { seat, count, cards } => {
            Wire::MapShowed(pb::MapShowed { seat: number(seat), count: (*count).into(), cards: cards_to_proto(cards) })
        }
        Event::PlacedFromMap { seat, card } => {
            Wire::PlacedFromMap(pb::PlacedFromMap { seat: number(seat), card: Some(card_to_proto(*card)) })
        }
        Event::DroneShowed { seat, count, cards } => Wire::DroneShowed(pb::DroneShowed {
            seat: number(seat),
            count: (*count).into(),
            cards: cards_to_proto(cards),
        }),
        Event::Knifed { seat, victim, cards, to_hold_of } => Wire::Knifed(pb::Knifed {
            seat: number(seat),
            victim: number(victim),
            cards: cards_to_proto(cards),
            to_hold_of: to_hold_of.as_ref().map(number),
        }),
        Event::Misfired { seat, owner, card } => {
            Wire::Misfired(pb::Misfired { seat: number(seat), owner: number(owner), card: Some(card_to_proto(*card)) })
        }
        Event::Netted { seat, card, second } => {
            Wire::Netted(pb::Netted { seat: number(seat), card: Some(card_to_proto(*card)), second: *second })
        }
        Event::Harpooned { seat, victim, card } => Wire::Harpooned(pb::Harpooned {
            seat: number(seat),
            victim: number(victim),
            card: Some(card_to_proto(*card)),
        }),
        Event::HarpoonParried { seat, owner, card } => Wire::HarpoonParried(pb::HarpoonParried {
            seat: number(seat),
            owner: number(owner),
            card: Some(card_to_proto(*card)),
        }),
        Event::IncidentCaused { seat, card } => {
            Wire::IncidentCaused(pb::IncidentCaused { seat: number(seat), card: Some(card_to_proto(*card)) })
        }
        Event::Saved { seat, cards } => Wire::Saved(pb::Saved { seat: number(seat), cards: cards_to_proto(cards) }),
        Event::Lost { seat, cards, to_hold_of } => Wire::Lost(pb::Lost {
            seat: number(seat),
            cards: cards_to_proto(cards),
            to_hold_of: to_hold_of.as_ref().map(number),
        }),
        Event::Surfaced { seat, cards } => {
            Wire::Surfaced(pb::Surfaced { seat: number(seat), cards: cards_to_proto(cards) })
        }
        Event::BonusEarned { seat, count } => {
            Wire::BonusEarned(pb::BonusEarned { seat: number(seat), count: (*count).into() })
        }
        Event::BonusTaken { seat, cards } => {
            Wire::BonusTaken(pb::BonusTaken { seat: number(seat), cards: cards_to_proto(cards) })
        }
        Event::Plundered { seat, victim, cards } => {
            Wire::Plundered(pb::Plundered { seat: number(seat), victim: number(victim), cards: cards_to_proto(cards) })
        }
        Event::GameEnded { cause, points, winners } => Wire::GameEnded(pb::GameEnded {
            cause: end_to_proto(*cause).into(),
            points: points.clone(),
            winners: seats_to_proto(*winners),
        }),
    };
    pb::Event { event: Some(event) }
}
