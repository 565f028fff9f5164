//! The words of an action, such as `program dive bar`, `draw 0`, `pickpocket 2 deep`, `sell 12 17`, `play dupe 12 gold`.
//!
//! Divers are named by their place in the team from 0, wrecks by their number, seats by their number, cards by their id.

mod legal;

use divelog_engine::key_largo::Rules;
use divelog_proto::games::key_largo::v1::{
    Action as Message, Buy, BuyRound, Done, DrawCard, Drunkard, Dupe, Encounter, Flee, HastyBuyer, HirePickpocket,
    Jeweller, NoSecondWreck, Pass, PlaceBoat, PlayEncounter, Program, Recruit, Saboteur, SecondWreck, Sell, Surface,
    Trafficker, UseTrident, UseWeight, Volunteer, action::Action, play_encounter::Card,
};

pub use self::legal::of_legal;
use super::{
    encounters::{self, ENCOUNTERS},
    names::{self, DEPTHS, ITEMS, Name, PLACES, WARES},
    numbers,
};
use crate::ParseError;

const POSSIBLE: &str = "possible: program MORNING AFTERNOON, boat WRECK, pass, draw DIVER, weight DIVER, surface, \
                        trident DIVER, flee, recruit, pickpocket SEAT DEPTH, round WRECK, second WRECK, no-second, \
                        buy ITEM DIVER, sell CARD ..., play ENCOUNTER ..., done";

/// The action that words in lower case, with dashes, mean in a game by this version of the rules.
pub fn parse(rules: Rules, words: &[&str]) -> Result<Message, ParseError> {
    let action = match words {
        ["program" | "programme" | "plan", morning, afternoon] => Action::Program(Program {
            morning: named(&PLACES, morning, "a place")?.into(),
            afternoon: named(&PLACES, afternoon, "a place")?.into(),
        }),
        ["boat" | "place-boat" | "wreck", wreck] | ["place", "boat", wreck] => {
            Action::PlaceBoat(PlaceBoat { wreck: number(wreck, "a wreck")? })
        }
        ["pass"] => Action::Pass(Pass {}),
        ["draw" | "draw-card", diver] | ["draw", "diver", diver] => {
            Action::DrawCard(DrawCard { diver: number(diver, "a diver")? })
        }
        ["weight" | "use-weight", diver] | ["use", "weight", diver] => {
            Action::UseWeight(UseWeight { diver: number(diver, "a diver")? })
        }
        ["surface"] => Action::Surface(Surface {}),
        ["trident" | "use-trident", diver] | ["use", "trident", diver] => {
            Action::UseTrident(UseTrident { diver: number(diver, "a diver")? })
        }
        ["flee"] => Action::Flee(Flee {}),
        ["recruit"] | ["recruit", "diver"] => Action::Recruit(Recruit {}),
        ["pickpocket" | "hire-pickpocket" | "steal", seat, depth] | ["hire", "pickpocket", seat, depth] => {
            pickpocket(seat, depth)?
        }
        ["round" | "buy-round", wrecks @ ..] | ["buy", "round", wrecks @ ..] if !wrecks.is_empty() => {
            round(rules, list(wrecks, "a wreck")?)
        }
        ["second" | "second-wreck", wreck] | ["second", "wreck", wreck] => {
            Action::SecondWreck(SecondWreck { wreck: number(wreck, "a wreck")? })
        }
        ["no-second" | "no-second-wreck"] | ["no", "second"] | ["no", "second", "wreck"] => {
            Action::NoSecondWreck(NoSecondWreck {})
        }
        ["buy", item, diver] => {
            Action::Buy(Buy { item: named(&ITEMS, item, "an item")?.into(), diver: number(diver, "a diver")? })
        }
        ["sell", cards @ ..] if !cards.is_empty() => Action::Sell(Sell { cards: list(cards, "a card's id")? }),
        ["play" | "play-encounter", card @ ..] => Action::PlayEncounter(PlayEncounter { card: Some(play(card)?) }),
        ["done"] => Action::Done(Done {}),
        _ => {
            return Err(ParseError::words(
                format!("{:?} is not a whole action of Key Largo", words.join(" ")),
                POSSIBLE,
            ));
        }
    };
    Ok(Message { action: Some(action) })
}

/// KL-18: where the second wreck is named after the first, a round is bought with one. More are another version's form, as the
/// server will say.
fn round(rules: Rules, wrecks: Vec<u32>) -> Action {
    Action::BuyRound(match wrecks[..] {
        [wreck] if rules.second_wreck_is_named_after_the_first() => BuyRound { wrecks: Vec::new(), wreck: Some(wreck) },
        _ => BuyRound { wrecks, wreck: None },
    })
}

/// Seat and depth, in either order: only one of them is a number.
fn pickpocket(first: &str, second: &str) -> Result<Action, ParseError> {
    let (seat, depth) = if names::meant(&DEPTHS, first).is_some() { (second, first) } else { (first, second) };
    Ok(Action::HirePickpocket(HirePickpocket {
        seat: number(seat, "a seat")?,
        depth: named(&DEPTHS, depth, "a depth")?.into(),
    }))
}

fn play(words: &[&str]) -> Result<Card, ParseError> {
    let Some((info, rest)) = encounters::meant(words) else {
        let known: Vec<&str> = ENCOUNTERS.iter().map(|info| info.word).collect();
        return Err(ParseError::words(
            format!("{:?} does not begin with an encounter card", words.join(" ")),
            format!("possible after play: {}", known.join(", ")),
        ));
    };
    Ok(match (info.card, rest) {
        (Encounter::Volunteer, [diver]) => Card::Volunteer(Volunteer { diver: number(diver, "a diver")? }),
        (Encounter::HastyBuyer, [card]) => Card::HastyBuyer(HastyBuyer { treasure: number(card, "a card's id")? }),
        (Encounter::Saboteur, [seat, diver]) => {
            Card::Saboteur(Saboteur { seat: number(seat, "a seat")?, diver: number(diver, "a diver")? })
        }
        (Encounter::Drunkard, [wreck]) => Card::Drunkard(Drunkard { wreck: number(wreck, "a wreck")? }),
        (Encounter::Dupe, [card, ware] | [card, "as", ware]) => {
            Card::Dupe(Dupe { treasure: number(card, "a card's id")?, ware: named(&WARES, ware, "a kind")?.into() })
        }
        (Encounter::Trafficker, [_, ..]) => Card::Trafficker(Trafficker { treasures: list(rest, "a card's id")? }),
        (Encounter::Jeweller, [card]) => Card::Jeweller(Jeweller { diamond: number(card, "a card's id")? }),
        (card, []) if info.needs.is_empty() => Card::Plain(card.into()),
        (_, rest) => {
            let typed = if rest.is_empty() { "nothing".into() } else { format!("{:?}", rest.join(" ")) };
            return Err(ParseError::words(
                format!("{typed} does not fit after play {}", info.word),
                format!("possible: {}", info.usage()),
            ));
        }
    })
}

fn named<T: Copy>(names: &[Name<T>], typed: &str, what: &str) -> Result<T, ParseError> {
    names::meant(names, typed).ok_or_else(|| {
        ParseError::words(format!("{typed:?} is not {what}"), format!("possible: {}", names::all_words(names)))
    })
}

/// A number; seats are printed with a `#`, so that is forgiven.
fn number(typed: &str, what: &str) -> Result<u32, ParseError> {
    typed.trim_start_matches('#').parse().map_err(|_| {
        ParseError::words(format!("{typed:?} is not {what}: that is a number as the board shows it"), POSSIBLE)
    })
}

/// Numbers with spaces or commas between them.
fn list(typed: &[&str], what: &str) -> Result<Vec<u32>, ParseError> {
    let items = typed.iter().flat_map(|word| word.split_terminator(','));
    items.map(|item| number(item, what)).collect()
}

/// The words of an action.
pub fn of(action: &Message) -> String {
    match &action.action {
        Some(Action::Program(program)) => {
            let (morning, afternoon) = (program.morning(), program.afternoon());
            format!("program {} {}", names::word(&PLACES, morning), names::word(&PLACES, afternoon))
        }
        Some(Action::PlaceBoat(boat)) => format!("boat {}", boat.wreck),
        Some(Action::Pass(Pass {})) => "pass".into(),
        Some(Action::DrawCard(draw)) => format!("draw {}", draw.diver),
        Some(Action::UseWeight(weight)) => format!("weight {}", weight.diver),
        Some(Action::Surface(Surface {})) => "surface".into(),
        Some(Action::UseTrident(trident)) => format!("trident {}", trident.diver),
        Some(Action::Flee(Flee {})) => "flee".into(),
        Some(Action::Recruit(Recruit {})) => "recruit".into(),
        Some(Action::HirePickpocket(hire)) => {
            format!("pickpocket {} {}", hire.seat, names::word(&DEPTHS, hire.depth()))
        }
        Some(Action::BuyRound(BuyRound { wreck: Some(wreck), .. })) => format!("round {wreck}"),
        Some(Action::BuyRound(round)) => with_numbers("round", &round.wrecks),
        Some(Action::SecondWreck(second)) => format!("second {}", second.wreck),
        Some(Action::NoSecondWreck(NoSecondWreck {})) => "no-second".into(),
        Some(Action::Buy(buy)) => format!("buy {} {}", names::word(&ITEMS, buy.item()), buy.diver),
        Some(Action::Sell(sell)) => with_numbers("sell", &sell.cards),
        Some(Action::PlayEncounter(play)) => format!("play {}", of_play(play)),
        Some(Action::Done(Done {})) => "done".into(),
        None => "(nothing)".into(),
    }
}

fn of_play(play: &PlayEncounter) -> String {
    match &play.card {
        Some(Card::Plain(card)) => {
            let known = Encounter::try_from(*card).ok().and_then(encounters::find);
            known.map_or("(unknown card)", |info| info.word).into()
        }
        Some(Card::Volunteer(volunteer)) => format!("volunteer {}", volunteer.diver),
        Some(Card::HastyBuyer(buyer)) => format!("hasty-buyer {}", buyer.treasure),
        Some(Card::Saboteur(saboteur)) => format!("saboteur {} {}", saboteur.seat, saboteur.diver),
        Some(Card::Drunkard(drunkard)) => format!("drunkard {}", drunkard.wreck),
        Some(Card::Dupe(dupe)) => format!("dupe {} {}", dupe.treasure, names::word(&WARES, dupe.ware())),
        Some(Card::Trafficker(trafficker)) => with_numbers("trafficker", &trafficker.treasures),
        Some(Card::Jeweller(jeweller)) => format!("jeweller {}", jeweller.diamond),
        None => "(nothing)".into(),
    }
}

fn with_numbers(word: &str, list: &[u32]) -> String {
    format!("{word} {}", numbers(list.iter().copied())).trim_end().to_owned()
}

#[cfg(test)]
mod tests;
