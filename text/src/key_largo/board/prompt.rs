//! What is asked of whom, and the words that can be typed now. Nothing that the rules allow is left out; where the cards
//! that decide are hidden from the viewer, the words come without a choice.

mod bar;
mod dive;
mod encounters;
mod market;
mod shop;

use divelog_proto::games::key_largo::v1::{Phase, Player};

use super::{
    super::names::{self, PLACES},
    Scene,
};
use crate::{strings, table};

/// What is typed, and what there is to know of it.
type Words = (String, String);

fn words(typed: &str, about: impl Into<String>) -> Words {
    (typed.to_owned(), about.into())
}

pub fn section(scene: Scene) -> String {
    if scene.over() {
        return over(scene);
    }
    if scene.abandoned {
        return scene.strong("The game is abandoned: nobody is asked.");
    }
    let (task, words) = match (scene.view.phase(), scene.acting()) {
        (Phase::Program, _) => (program_task(scene), program_words()),
        (phase, Some(player)) => {
            (format!("{} {}:", scene.seating.full(player.seat), task(phase)), turn_words(scene, phase, player))
        }
        (_, None) => (format!("{} asked.", are(scene)), Vec::new()),
    };
    let task: Vec<String> = strings::wrap(&task, scene.screen.width).iter().map(|line| painted(line, scene)).collect();
    let task = task.join("\n");
    if words.is_empty() { task } else { format!("{task}\n{}", table::paragraphs(&words, scene.screen)) }
}

fn painted(line: &str, scene: Scene) -> String {
    if scene.view.phase() == Phase::Monster { scene.screen.paint.alarm(line) } else { scene.strong(line) }
}

fn are(scene: Scene) -> String {
    match scene.view.asked.as_slice() {
        [] => "Nobody is".into(),
        [one] => format!("{} is", scene.seating.full(*one)),
        several => format!("{} are", scene.seating.list(several)),
    }
}

fn program_task(scene: Scene) -> String {
    format!("{} to choose two different places for the day:", are(scene))
}

fn program_words() -> Vec<Words> {
    vec![words("program MORNING AFTERNOON", names::all_words(&PLACES))]
}

fn task(phase: Phase) -> &'static str {
    match phase {
        Phase::PlaceBoat => "is to place the boat",
        Phase::Sabotage => "may play a saboteur before the dives",
        Phase::Dive => "dives",
        Phase::Monster => "has met a monster",
        Phase::Bar => "is at the bar",
        Phase::Dolphins => "is at the dolphins",
        Phase::Shop => "is in the shop",
        Phase::Market => "is at the market",
        Phase::Program | Phase::Over | Phase::Unspecified => "is asked what this client does not know",
    }
}

fn turn_words(scene: Scene, phase: Phase, player: &Player) -> Vec<Words> {
    let plays = encounters::words(scene, player);
    let (before, after) = match phase {
        Phase::PlaceBoat => (dive::place_boat(scene, player), vec![]),
        Phase::Sabotage => (vec![], vec![words("pass", "without a saboteur")]),
        Phase::Dive => (dive::draws(scene, player), dive::surface(scene, player)),
        Phase::Monster => (dive::monster(scene, player), vec![]),
        Phase::Bar => (bar::words(scene, player), vec![done()]),
        Phase::Dolphins => (vec![], vec![done()]),
        Phase::Shop => (shop::words(scene, player), vec![done()]),
        Phase::Market => (market::words(scene, player), market::done(scene, player)),
        Phase::Program | Phase::Over | Phase::Unspecified => (vec![], vec![]),
    };
    before.into_iter().chain(plays).chain(after).collect()
}

fn done() -> Words {
    words("done", "ends the visit")
}

/// The richest, where the fortunes are known (KL-24).
fn over(scene: Scene) -> String {
    let fortunes: Option<Vec<u32>> = scene.view.players.iter().map(|player| player.fortune).collect();
    let most = fortunes.as_ref().and_then(|fortunes| fortunes.iter().max());
    let richest = scene.view.players.iter().filter(|player| player.fortune.as_ref() == most);
    let richest: Vec<u32> = richest.map(|player| player.seat).collect();
    let text = match most {
        Some(most) if richest.len() > 1 => {
            format!("The game is over: {} share the win with ${most} each.", scene.seating.list(&richest))
        }
        Some(most) => format!("The game is over: {} wins with ${most}.", scene.seating.list(&richest)),
        None => "The game is over.".into(),
    };
    scene.strong(&text)
}

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod tests;
