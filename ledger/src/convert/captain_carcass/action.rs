//! What a seat asks for, and what it may ask for.

use divelog_engine::{
    Seat,
    captain_carcass::{Action, Offer, SEATS},
};
use divelog_proto::games::captain_carcass::v1::{self as pb, action::Action as Wire, legal_action::LegalAction};

use super::names::{card_from_proto, card_to_proto, cards_to_proto, suit_from_proto, suit_to_proto};

pub(super) fn action_to_proto(action: &Action) -> pb::Action {
    let action = match *action {
        Action::Draw => Wire::Draw(pb::Draw {}),
        Action::Surface => Wire::Surface(pb::Surface {}),
        Action::NameVictim { seat } => Wire::NameVictim(pb::NameVictim { seat: seat.0.into() }),
        Action::Knife { seat, suit } => {
            Wire::Knife(pb::Knife { seat: seat.0.into(), suit: suit_to_proto(suit).into() })
        }
        Action::Harpoon { seat, suit } => {
            Wire::Harpoon(pb::Harpoon { seat: seat.0.into(), suit: suit_to_proto(suit).into() })
        }
        Action::Net { suit } => Wire::Net(pb::Net { suit: suit_to_proto(suit).into() }),
        Action::Misfire { suit } => Wire::Misfire(pb::Misfire { suit: suit_to_proto(suit).into() }),
        Action::PlaceFromMap { card } => Wire::PlaceFromMap(pb::PlaceFromMap { card: Some(card_to_proto(card)) }),
        Action::Plunder { seat } => Wire::Plunder(pb::Plunder { seat: seat.0.into() }),
    };
    pb::Action { action: Some(action) }
}

pub(super) fn action_from_proto(action: &pb::Action) -> Result<Action, String> {
    match &action.action {
        Some(Wire::Draw(pb::Draw {})) => Ok(Action::Draw),
        Some(Wire::Surface(pb::Surface {})) => Ok(Action::Surface),
        Some(Wire::NameVictim(named)) => Ok(Action::NameVictim { seat: seat("name_victim.seat", named.seat)? }),
        Some(Wire::Knife(knife)) => Ok(Action::Knife {
            seat: seat("knife.seat", knife.seat)?,
            suit: suit_from_proto("knife.suit", knife.suit)?,
        }),
        Some(Wire::Harpoon(harpoon)) => Ok(Action::Harpoon {
            seat: seat("harpoon.seat", harpoon.seat)?,
            suit: suit_from_proto("harpoon.suit", harpoon.suit)?,
        }),
        Some(Wire::Net(net)) => Ok(Action::Net { suit: suit_from_proto("net.suit", net.suit)? }),
        Some(Wire::Misfire(misfire)) => Ok(Action::Misfire { suit: suit_from_proto("misfire.suit", misfire.suit)? }),
        Some(Wire::PlaceFromMap(place)) => {
            Ok(Action::PlaceFromMap { card: card_from_proto("place_from_map.card", place.card.as_ref())? })
        }
        Some(Wire::Plunder(plunder)) => Ok(Action::Plunder { seat: seat("plunder.seat", plunder.seat)? }),
        None => Err("the captain_carcass action is empty: draw, surface, name_victim, knife, harpoon, net, misfire, \
                     place_from_map or plunder is expected"
            .into()),
    }
}

/// Whether the table has this seat is for the rules to say; here it only has to be a seat at all.
fn seat(field: &str, seat: u32) -> Result<Seat, String> {
    let last = SEATS.end() - 1;
    u8::try_from(seat).map(Seat).map_err(|_| format!("{field} is {seat}: seats are 0 to {last} at most"))
}

pub(super) fn offer_to_proto(offer: &Offer) -> pb::LegalAction {
    let legal_action = match offer {
        Offer::Single(action) => LegalAction::Action(action_to_proto(action)),
        Offer::PlaceAnyFromMap { cards } => {
            LegalAction::PlaceAnyFromMap(pb::PlaceAnyFromMap { cards: cards_to_proto(cards) })
        }
    };
    pb::LegalAction { legal_action: Some(legal_action) }
}
