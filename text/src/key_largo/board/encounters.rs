//! The encounter cards: how many there are, and what those do that the viewer may see.

use super::{
    super::{
        counted, encounters, mark,
        names::{self, PLACES},
    },
    BoardContext, encounter_cards,
};
use crate::table;

pub fn section(context: BoardContext) -> String {
    if !context.view.encounters {
        return String::new();
    }
    let lang = context.screen.lang;
    let title = lang.name("encounters", "rencontres");
    let mut rows = vec![(title, counts(context))];
    for player in &context.view.players {
        for card in encounter_cards(&player.encounters) {
            if let Some(info) = encounters::find(card) {
                let place = names::word(&PLACES, info.place);
                rows.push((mark(player.seat), format!("{}, {place}: {}", info.text(lang), info.effect)));
            }
        }
    }
    table::paragraphs(&rows, context.screen)
}

fn counts(context: BoardContext) -> String {
    let view = context.view;
    let names = |numbers: &[i32]| {
        let cards = encounter_cards(numbers).into_iter();
        let names: Vec<String> = cards.map(|card| encounters::text(card, context.screen.lang)).collect();
        names.join(", ")
    };
    let held: Vec<String> = view
        .players
        .iter()
        .filter(|player| !player.encounters.is_empty())
        .map(|player| format!("{} {}", mark(player.seat), player.encounters.len()))
        .collect();
    let mut parts = vec![format!("{} in the deck", counted(view.encounter_deck.len(), "card", "cards"))];
    if !held.is_empty() {
        parts.push(format!("in hand {}", held.join(", ")));
    }
    if !view.encounters_played.is_empty() {
        parts.push(format!("played {}", names(&view.encounters_played)));
    }
    let deck = encounter_cards(&view.encounter_deck);
    if !deck.is_empty() && deck.iter().all(|card| encounters::find(*card).is_some()) {
        parts.push(format!("from the top {}", names(&view.encounter_deck)));
    }
    parts.join("; ")
}
