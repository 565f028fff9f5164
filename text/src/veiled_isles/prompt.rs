//! Who is asked what, and the words that they can type.

use divelog_proto::games::veiled_isles::v1::{Colour, Island, Phase, Player, View};

use super::{COLOURS, colours_name, deck_name, deck_word, island_word, seat_sign, treasure_sign};
use crate::{Screen, Seating, strings::wrap};

/// Before each answer.
const INDENT: &str = "  ";

/// A1 takes this many bonus cards (VI-16).
const BONUS_STOLEN: u32 = 2;

/// What is asked, and the words to choose from.
type Question = (String, Vec<String>);

/// The seats that are asked.
pub fn seats(view: &View, abandoned: bool) -> Vec<u32> {
    match view.phase() {
        _ if abandoned => Vec::new(),
        Phase::Over => Vec::new(),
        Phase::Pass => view.players.iter().filter(|player| !player.has_passed).map(|player| player.seat).collect(),
        _ => view.turn.into_iter().collect(),
    }
}

/// The question in words, each answer on a line of its own.
pub fn question(view: &View, abandoned: bool, seating: &Seating, screen: Screen) -> String {
    let (task, answers) = match seats(view, abandoned).as_slice() {
        _ if abandoned => ("The game is abandoned.".into(), Vec::new()),
        [] => ("The game is over.".into(), Vec::new()),
        asked if view.phase() == Phase::Pass => pass(view, asked, seating),
        [seat, ..] => decision(view, *seat, seating, screen),
    };
    let mut lines: Vec<String> = wrap(&task, screen.width).iter().map(|line| screen.paint.strong(line)).collect();
    let beside = screen.width.saturating_sub(INDENT.len());
    lines.extend(answers.iter().flat_map(|answer| wrap(answer, beside)).map(|line| format!("{INDENT}{line}")));
    lines.join("\n")
}

fn pass(view: &View, asked: &[u32], seating: &Seating) -> Question {
    let verb = if asked.len() == 1 { "is" } else { "are" };
    let task = format!(
        "{} {verb} to pass the highest island of the colour of which they hold the most to the right neighbour:",
        seating.list(asked)
    );
    let choosing = view.players.iter().filter(|player| !player.has_passed && !player.hand.is_empty());
    let mut answers: Vec<String> = choosing
        .map(|player| {
            let choices: Vec<String> =
                to_pass(&player.hand).into_iter().map(|island| format!("pass {}", island_word(island))).collect();
            format!("{}: {}", seat_sign(player.seat), choices.join(" or "))
        })
        .collect();
    if answers.is_empty() {
        answers.push("pass ISLAND".into());
    }
    (task, answers)
}

/// VI-6: the highest island of each colour of which the hand has the most.
fn to_pass(hand: &[Island]) -> Vec<&Island> {
    let of_colour = |colour: Colour| hand.iter().filter(move |island| island.colour() == colour);
    let most = COLOURS.map(|colour| of_colour(colour).count()).into_iter().max().unwrap_or(0);
    COLOURS
        .into_iter()
        .filter(|colour| of_colour(*colour).count() == most)
        .filter_map(|colour| of_colour(colour).max_by_key(|island| island.number))
        .collect()
}

fn decision(view: &View, seat: u32, seating: &Seating, screen: Screen) -> Question {
    let who = seating.full(seat);
    let decide = |task: &str, answers: Vec<String>| (format!("{who} is to {task}:"), answers);
    let others = || view.players.iter().filter(move |player| player.seat != seat);
    match view.phase() {
        Phase::Play => decide("play an island", vec![play_words(view, seat)]),
        Phase::Treasure => {
            let colour = played_colour(view, seat);
            let won = colours_name(colour.into_iter(), screen.lang);
            decide(&format!("take a treasure for having won {won}"), treasure_words(view, seat, colour))
        }
        Phase::StealBonus => decide("steal 2 bonus cards (A1)", bonus_words(view, others())),
        Phase::SwapWith => {
            let words = others().map(|player| format!("swap {}", player.seat)).collect();
            decide("choose whose islands to take at random (A2)", words)
        }
        Phase::GiveBack => {
            let to = view.give_back_to.map_or_else(|| "another player".into(), |seat| seating.full(seat));
            let (islands, words) = match view.give_back_count {
                Some(1) => ("1 island", "give ISLAND"),
                Some(2) => ("2 islands", "give ISLAND ISLAND"),
                _ => ("islands", "give ISLAND..."),
            };
            decide(&format!("give {islands} to {to} (A2)"), vec![words.into()])
        }
        Phase::PeekDeck => {
            let words = view.decks.iter().map(|deck| format!("peek {}", deck_word(deck.deck()))).collect();
            decide("choose a deck to look at (A3)", words)
        }
        Phase::Reorder => {
            let task =
                format!("put the top of the {} back in any order (A3)", deck_name(view.peeked_deck(), screen.lang));
            decide(&task, vec!["reorder 0 1 2 (places as they are now; name them with the new top first)".into()])
        }
        Phase::TakePlayed => decide("take an island of this trick (A4)", played_words(view)),
        Phase::DiscardIsland => decide("discard an island (A4)", vec!["discard ISLAND".into()]),
        Phase::Pass | Phase::Over | Phase::Unspecified => {
            (format!("{who} is to do what this client does not know: `divelog game legal` lists it."), Vec::new())
        }
    }
}

fn player(view: &View, seat: u32) -> Option<&Player> {
    view.players.iter().find(|player| player.seat == seat)
}

/// The colour that a player has played, as far as it is seen.
fn played_colour(view: &View, seat: u32) -> Option<Colour> {
    let island = player(view, seat)?.played.as_ref()?.island?;
    island.colour.map(|_| island.colour())
}

fn play_words(view: &View, seat: u32) -> String {
    let words = "play ISLAND sea|coast";
    match player(view, seat).map_or(0, |player| player.bonus) {
        0 => format!("{words} (the half left open)"),
        bonus => format!("{words} [0-{bonus}] (the half left open, bonus cards; number and bonus 12 at most)"),
    }
}

/// VI-10: the treasure on the deck, or a visible one of the same colour of somebody who lost the colour.
fn treasure_words(view: &View, seat: u32, colour: Option<Colour>) -> Vec<String> {
    let Some(colour) = colour else { return vec!["take".into(), "steal SEAT".into()] };
    let on_deck = view.decks.iter().filter_map(|deck| deck.turned_up.as_ref()).find(|top| top.colour() == colour);
    let take = on_deck.map_or_else(|| "take".into(), |treasure| format!("take ({})", treasure_sign(treasure)));
    let losers = view.players.iter().filter(|player| player.seat != seat);
    let steals = losers.filter(|player| played_colour(view, player.seat) == Some(colour)).filter_map(|player| {
        let visible = player.treasures.last().filter(|treasure| treasure.colour() == colour)?;
        Some(format!("steal {} ({})", player.seat, treasure_sign(visible)))
    });
    std::iter::once(take).chain(steals).collect()
}

/// VI-16: whoever has enough can be robbed; only if nobody has is the supply drawn from.
fn bonus_words<'a>(view: &View, others: impl Iterator<Item = &'a Player>) -> Vec<String> {
    let words: Vec<String> = others
        .filter(|player| player.bonus >= BONUS_STOLEN)
        .map(|player| format!("steal-bonus {} (has {})", player.seat, player.bonus))
        .collect();
    if words.is_empty() {
        vec![format!("draw-bonus ({} from the supply)", view.supply.min(BONUS_STOLEN))]
    } else {
        words
    }
}

/// VI-19: what still lies there, the own island included.
fn played_words(view: &View) -> Vec<String> {
    view.players
        .iter()
        .filter_map(|player| {
            let island = player.played.as_ref().filter(|played| !played.taken)?.island.unwrap_or_default();
            let island = Island { colour: island.colour().into(), number: island.number() };
            Some(format!("take-played {} ({})", player.seat, island_word(&island)))
        })
        .collect()
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
