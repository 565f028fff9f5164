//! The words of an action: `draw`, `surface`, `knife 1 anchor`, `place map-4` and so on.

use divelog_proto::games::captain_carcass::v1::{
    Action as Message, Draw, Harpoon, Knife, LegalAction, Misfire, NameVictim, Net, PlaceFromMap, Plunder, Suit,
    Surface, action::Action, legal_action,
};

use super::cards::{card, parse_card, parse_suit, suit, tokens};
use crate::ParseError;

const POSSIBLE: &str = "possible: draw, surface, victim SEAT, knife SEAT SUIT, harpoon SEAT SUIT, net SUIT, \
                        misfire SUIT, place CARD (such as map-4), plunder SEAT; suits: anchor, squid, map, key, chest, \
                        knife, drone, net, harpoon, siren";

/// Words that people add and that change nothing, as in `knife the anchor of seat 1`.
const FILLERS: [&str; 4] = ["seat", "the", "of", "from"];

/// The action that words in lower case, with dashes, mean.
pub fn parse(words: &[&str]) -> Result<Message, ParseError> {
    let significant: Vec<&str> = words.iter().copied().filter(|word| !FILLERS.contains(word)).collect();
    let action = match significant.as_slice() {
        ["draw" | "turn-up" | "explore"] | ["turn", "up"] => Action::Draw(Draw {}),
        ["surface" | "stop" | "collect"] => Action::Surface(Surface {}),
        ["victim" | "name-victim" | "name", seat] | ["name", "victim", seat] => {
            Action::NameVictim(NameVictim { seat: parse_seat(seat)? })
        }
        ["knife", first, second] => {
            let (seat, suit) = parse_target(first, second)?;
            Action::Knife(Knife { seat, suit })
        }
        ["harpoon", first, second] => {
            let (seat, suit) = parse_target(first, second)?;
            Action::Harpoon(Harpoon { seat, suit })
        }
        ["net", suit] => Action::Net(Net { suit: known_suit(suit)?.into() }),
        ["misfire", suit] => Action::Misfire(Misfire { suit: known_suit(suit)?.into() }),
        ["place" | "place-from-map" | "map", token @ ..] if !token.is_empty() => {
            let token = token.join("-");
            let card = parse_card(&token).ok_or_else(|| usage(format!("{token:?} is not a card, such as map-4")))?;
            Action::PlaceFromMap(PlaceFromMap { card: Some(card) })
        }
        ["plunder", seat] => Action::Plunder(Plunder { seat: parse_seat(seat)? }),
        other => {
            return Err(usage(match other.first().and_then(|verb| arguments_of(verb)) {
                Some(arguments) => arguments.into(),
                None => format!("{:?} is not an action of Captain Carcass", words.join(" ")),
            }));
        }
    };
    Ok(Message { action: Some(action) })
}

/// What has to follow a verb.
fn arguments_of(verb: &str) -> Option<&'static str> {
    Some(match verb {
        "victim" | "name-victim" | "name" => "victim takes the seat of an opponent, such as `victim 2`",
        "knife" => "knife takes the seat of an opponent and a suit, such as `knife 1 anchor`",
        "harpoon" => "harpoon takes the seat of an opponent and a suit, such as `harpoon 1 net`",
        "net" => "net takes a suit of your hold, such as `net squid`",
        "misfire" => "misfire takes a suit of your hold, such as `misfire key`",
        "place" | "place-from-map" | "map" => "place takes a card that the map shows, such as `place map-4`",
        "plunder" => "plunder takes the seat of an opponent, such as `plunder 2`",
        _ => return None,
    })
}

fn usage(problem: String) -> ParseError {
    ParseError::words(problem, POSSIBLE)
}

/// A seat: `1`, as the board shows it `#1`, or as `--as` takes it `seat:1`.
fn parse_seat(word: &str) -> Result<u32, ParseError> {
    let number = word.trim_start_matches("seat:").trim_start_matches('#');
    number.parse().map_err(|_| usage(format!("{word:?} is not a seat, such as 1")))
}

fn known_suit(word: &str) -> Result<Suit, ParseError> {
    parse_suit(word).ok_or_else(|| usage(format!("{word:?} is not a suit, such as anchor")))
}

/// A seat and a suit, in either order.
fn parse_target(first: &str, second: &str) -> Result<(u32, i32), ParseError> {
    let (seat, suit) = if parse_suit(first).is_some() { (second, first) } else { (first, second) };
    Ok((parse_seat(seat)?, known_suit(suit)?.into()))
}

/// The words of an action.
pub fn of(action: &Message) -> String {
    match &action.action {
        Some(Action::Draw(Draw {})) => "draw".into(),
        Some(Action::Surface(Surface {})) => "surface".into(),
        Some(Action::NameVictim(NameVictim { seat })) => format!("victim {seat}"),
        Some(Action::Knife(Knife { seat, suit: of })) => format!("knife {seat} {}", suit(*of)),
        Some(Action::Harpoon(Harpoon { seat, suit: of })) => format!("harpoon {seat} {}", suit(*of)),
        Some(Action::Net(Net { suit: of })) => format!("net {}", suit(*of)),
        Some(Action::Misfire(Misfire { suit: of })) => format!("misfire {}", suit(*of)),
        Some(Action::PlaceFromMap(PlaceFromMap { card: placed })) => {
            format!("place {}", placed.as_ref().map_or_else(|| "(nothing)".into(), card))
        }
        Some(Action::Plunder(Plunder { seat })) => format!("plunder {seat}"),
        None => "(nothing)".into(),
    }
}

/// The words of a legal action, or of a family of them; none if it is newer than this client.
pub fn of_legal(legal: &LegalAction) -> Option<String> {
    match legal.legal_action.as_ref()? {
        legal_action::LegalAction::Action(action) => action.action.is_some().then(|| of(action)),
        legal_action::LegalAction::PlaceAnyFromMap(place) => Some(format!("place: any of {}", tokens(&place.cards))),
    }
}

#[cfg(test)]
mod tests;
