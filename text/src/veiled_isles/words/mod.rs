//! The words of an action: `pass red-11`, `play red-8 sea 2`, `take`, `steal 2`, ... Each island is one word, `red-8`;
//! of a played one `sea` or `coast` is the half left open.

use divelog_proto::games::veiled_isles::v1::{
    Action as Message, Colour, Deck, DiscardIsland, DrawBonus, GiveBack, Half, Island, LegalAction, Pass, PeekDeck,
    Play, Reorder, StealBonus, StealTreasure, SwapWith, TakePlayed, TakeTreasure, action::Action, legal_action,
};

use super::{deck_word, half_word, island_word, island_words, spaced};
use crate::ParseError;

const POSSIBLE: &str = "possible: pass ISLAND, play ISLAND sea|coast [BONUS], take, steal SEAT, steal-bonus SEAT, \
    draw-bonus, swap SEAT, give ISLAND..., peek DECK, reorder PLACE..., take-played SEAT, discard ISLAND; islands are \
    such as red-8, decks red-blue, green-purple or single, places count from 0 with the new top first, and sea or coast \
    is the half left open";

/// The highest number of an island (VI-1).
const MAX_NUMBER: u32 = 12;

/// Words that people put between those that matter.
const FILLERS: [&str; 8] = ["and", "deck", "from", "of", "seat", "show", "the", "with"];

/// The action that words in lower case, with dashes, mean.
pub fn parse(words: &[&str]) -> Result<Message, ParseError> {
    let words: Vec<&str> = words
        .iter()
        .flat_map(|word| word.split(','))
        .filter(|word| !word.is_empty() && !FILLERS.contains(word))
        .collect();
    let action = match words.as_slice() {
        ["pass", island @ ..] => Action::Pass(Pass { island: Some(one_island("pass", island)?) }),
        ["play", played @ ..] => Action::Play(play(played)?),
        ["take" | "take-treasure"] | ["take", "treasure"] => Action::TakeTreasure(TakeTreasure {}),
        ["take-played" | "take-island", seat @ ..] | ["take", "played" | "island", seat @ ..] => {
            Action::TakePlayed(TakePlayed { seat: one_seat("take-played", seat)? })
        }
        ["steal-bonus", seat @ ..] | ["steal", "bonus", seat @ ..] => {
            Action::StealBonus(StealBonus { seat: one_seat("steal-bonus", seat)? })
        }
        ["steal", "treasure", seat @ ..] | ["steal" | "steal-treasure", seat @ ..] => {
            Action::StealTreasure(StealTreasure { seat: one_seat("steal", seat)? })
        }
        ["draw" | "draw-bonus"] | ["draw", "bonus"] => Action::DrawBonus(DrawBonus {}),
        ["swap" | "swap-with", seat @ ..] => Action::SwapWith(SwapWith { seat: one_seat("swap", seat)? }),
        ["give", "back", islands @ ..] | ["give" | "give-back", islands @ ..] => {
            Action::GiveBack(GiveBack { islands: some_islands(islands)? })
        }
        ["peek" | "peek-deck" | "look", deck @ ..] => Action::PeekDeck(PeekDeck { deck: one_deck(deck)?.into() }),
        ["reorder" | "order", order @ ..] => Action::Reorder(Reorder { order: places(order)? }),
        ["discard" | "discard-island", island @ ..] => {
            Action::DiscardIsland(DiscardIsland { island: Some(one_island("discard", island)?) })
        }
        _ => return Err(usage(format!("{:?} is not an action of Veiled Isles", words.join(" ")))),
    };
    Ok(Message { action: Some(action) })
}

fn usage(message: String) -> ParseError {
    ParseError::words(message, POSSIBLE)
}

fn play(words: &[&str]) -> Result<Play, ParseError> {
    let wanted = || usage("play needs an island and the half left open, such as `play red-8 sea`".into());
    let (island, rest) = next_island(words)?.ok_or_else(wanted)?;
    let (&half, rest) = rest.split_first().ok_or_else(wanted)?;
    let show = match half {
        "sea" | "colour" | "color" | "mer" => Half::Sea,
        "coast" | "number" | "côte" | "cote" => Half::Coast,
        _ => return Err(usage(format!("{half:?} is not a half of an island: sea or coast is to be left open"))),
    };
    let bonus = match rest {
        [] => 0,
        [count] | ["bonus", count] | [count, "bonus"] => number(count.trim_start_matches('+'))
            .ok_or_else(|| usage(format!("{count:?} is not a number of bonus cards")))?,
        _ => return Err(usage(format!("{:?} is too much after the half left open", rest.join(" ")))),
    };
    Ok(Play { island: Some(island), show: show.into(), bonus })
}

fn one_island(verb: &str, words: &[&str]) -> Result<Island, ParseError> {
    match next_island(words)? {
        Some((island, [])) => Ok(island),
        Some((_, rest)) => Err(usage(format!("{verb} takes one island, so {:?} is too much", rest.join(" ")))),
        None => Err(usage(format!("{verb} needs an island, such as `{verb} red-8`"))),
    }
}

fn some_islands(mut words: &[&str]) -> Result<Vec<Island>, ParseError> {
    let mut islands = Vec::new();
    while let Some((island, rest)) = next_island(words)? {
        islands.push(island);
        words = rest;
    }
    if islands.is_empty() { Err(usage("give needs islands, such as `give red-8 blue-2`".into())) } else { Ok(islands) }
}

/// The first island and the words after it; none at the end of the words.
fn next_island<'a, 'w>(words: &'a [&'w str]) -> Result<Option<(Island, &'a [&'w str])>, ParseError> {
    let (island, typed, rest) = match words {
        [] => return Ok(None),
        // `red 8` as two words.
        [first, second, rest @ ..] if colour(first).is_some() => {
            (colour(first).zip(number(second)), format!("{first} {second}"), rest)
        }
        [first, rest @ ..] => (joined(first), (*first).to_owned(), rest),
    };
    match island {
        Some((colour, number)) if (1..=MAX_NUMBER).contains(&number) => {
            Ok(Some((Island { colour: colour.into(), number }, rest)))
        }
        _ => Err(usage(format!(
            "{typed:?} is not an island: a colour and a number from 1 to {MAX_NUMBER}, such as red-8"
        ))),
    }
}

/// `red-8`, `red8`, `r8`.
fn joined(word: &str) -> Option<(Colour, u32)> {
    let digits = word.find(|c: char| c.is_ascii_digit())?;
    let (name, digits) = word.split_at_checked(digits)?;
    colour(name.trim_end_matches('-')).zip(number(digits))
}

fn colour(word: &str) -> Option<Colour> {
    match word {
        "red" | "r" | "rouge" => Some(Colour::Red),
        "blue" | "b" | "bleu" => Some(Colour::Blue),
        "green" | "g" | "vert" => Some(Colour::Green),
        "purple" | "p" | "violet" => Some(Colour::Purple),
        _ => None,
    }
}

fn one_deck(words: &[&str]) -> Result<Deck, ParseError> {
    let typed = words.join("-").replace('/', "-");
    match typed.as_str() {
        // A table with one deck leaves no choice.
        "" | "single" | "treasure" => Ok(Deck::Single),
        "red-blue" | "redblue" | "red" | "blue" => Ok(Deck::RedBlue),
        "green-purple" | "greenpurple" | "green" | "purple" => Ok(Deck::GreenPurple),
        _ => Err(usage(format!("{typed:?} is not a deck: red-blue, green-purple or, with three players, single"))),
    }
}

fn places(words: &[&str]) -> Result<Vec<u32>, ParseError> {
    if words.is_empty() {
        return Err(usage("reorder needs the old places, the new top first, such as `reorder 2 0 1`".into()));
    }
    let place = |word: &&str| number(word).ok_or_else(|| usage(format!("{word:?} is not a place: they count from 0")));
    words.iter().map(place).collect()
}

fn one_seat(verb: &str, words: &[&str]) -> Result<u32, ParseError> {
    match words {
        [seat] => number(seat.trim_start_matches('#'))
            .ok_or_else(|| usage(format!("{seat:?} is not a seat: they count from 0"))),
        [] => Err(usage(format!("{verb} needs a seat, such as `{verb} 2`"))),
        _ => Err(usage(format!("{verb} takes one seat, not {:?}", words.join(" ")))),
    }
}

/// Digits alone: no sign, as `parse` would allow.
fn number(word: &str) -> Option<u32> {
    word.parse().ok().filter(|_| word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The words of an action.
pub fn of(action: &Message) -> String {
    match &action.action {
        Some(Action::Pass(Pass { island })) => format!("pass {}", the_island(island.as_ref())),
        Some(Action::Play(play)) => {
            let bonus = if play.bonus == 0 { String::new() } else { format!(" {}", play.bonus) };
            format!("play {} {}{bonus}", the_island(play.island.as_ref()), half_word(play.show()))
        }
        Some(Action::TakeTreasure(TakeTreasure {})) => "take".into(),
        Some(Action::StealTreasure(StealTreasure { seat })) => format!("steal {seat}"),
        Some(Action::StealBonus(StealBonus { seat })) => format!("steal-bonus {seat}"),
        Some(Action::DrawBonus(DrawBonus {})) => "draw-bonus".into(),
        Some(Action::SwapWith(SwapWith { seat })) => format!("swap {seat}"),
        Some(Action::GiveBack(GiveBack { islands })) => format!("give {}", island_words(islands)),
        Some(Action::PeekDeck(peek)) => format!("peek {}", deck_word(peek.deck())),
        Some(Action::Reorder(Reorder { order })) => format!("reorder {}", spaced(order.iter().map(u32::to_string))),
        Some(Action::TakePlayed(TakePlayed { seat })) => format!("take-played {seat}"),
        Some(Action::DiscardIsland(DiscardIsland { island })) => format!("discard {}", the_island(island.as_ref())),
        None => "(nothing)".into(),
    }
}

fn the_island(island: Option<&Island>) -> String {
    island.map_or_else(|| super::UNKNOWN.into(), island_word)
}

/// The words of a legal action, or what can be typed for a family of them; none if it is newer than this client.
pub fn of_legal(legal: &LegalAction) -> Option<String> {
    use legal_action::LegalAction as Legal;
    match legal.legal_action.as_ref()? {
        Legal::Action(action) => action.action.as_ref().map(|_| of(action)),
        Legal::PlayFamily(family) => {
            let play = format!("play {} sea|coast", the_island(family.island.as_ref()));
            Some(match family.max_bonus {
                0 => play,
                most => format!("{play} [0-{most}]"),
            })
        }
        Legal::GiveBackFamily(family) => {
            Some(format!("give: any {} of {}", family.count, island_words(&family.islands)))
        }
    }
}

#[cfg(test)]
mod tests;
