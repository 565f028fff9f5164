//! The players: money, places, backs of cards, and their divers.

use divelog_proto::games::key_largo::v1::{Card, Diver, Place, Player};

use super::{
    super::{
        counted, mark,
        names::{self, DEPTHS, PLACES},
    },
    BoardContext, letter,
};
use crate::{
    strings::or_dash,
    table::{self, Table},
};

pub fn section(context: BoardContext) -> String {
    let header = ["", "seat", "name", "cash", "morning", "afternoon", "treasures", "fortune"];
    let mut table = Table::new(header).wrapping(&["name"]);
    for player in &context.view.players {
        table.row([
            if context.is_asked(player.seat) { ">".into() } else { String::new() },
            mark(player.seat),
            or_dash(context.seating.name(player.seat).to_owned()),
            format!("${}", player.cash),
            chosen(player, player.morning.map(|_| player.morning())),
            chosen(player, player.afternoon.map(|_| player.afternoon())),
            backs(&player.hand),
            or_dash(player.fortune.map(|fortune| format!("${fortune}")).unwrap_or_default()),
        ]);
    }
    table.render(context.screen)
}

/// A place of the programme as far as the viewer may see it.
fn chosen(player: &Player, place: Option<Place>) -> String {
    match place {
        Some(place) => names::word(&PLACES, place).into(),
        None if player.programmed => "(secret)".into(),
        None => "-".into(),
    }
}

/// Cards by their backs: `2s 1d`.
fn backs(cards: &[Card]) -> String {
    let of = |depth| cards.iter().filter(|card| card.depth() == depth).count();
    let counts = DEPTHS.iter().map(|depth| (of(depth.value), letter(depth.value))).filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, letter)| format!("{count}{letter}")).collect();
    or_dash(counts.join(" "))
}

/// The divers with their equipment and what became of them in this half-day.
pub fn divers(context: BoardContext) -> String {
    let rows: Vec<(String, String)> = context
        .view
        .players
        .iter()
        .map(|player| {
            let divers: Vec<String> =
                player.divers.iter().enumerate().map(|(at, diver)| format!("[{at}] {}", equipment(diver))).collect();
            let divers = if divers.is_empty() { "none".into() } else { divers.join(" ") };
            (format!("{} {}", context.screen.lang.name("divers", "scaphandriers"), mark(player.seat)), divers)
        })
        .collect();
    table::paragraphs(&rows, context.screen)
}

fn equipment(diver: &Diver) -> String {
    let mut parts = Vec::new();
    if diver.hoses > 0 {
        parts.push(counted(diver.hoses, "hose", "hoses"));
    }
    if diver.trident {
        parts.push("trident".into());
    }
    if diver.weight {
        parts.push("weight".into());
    }
    if parts.is_empty() {
        parts.push("no equipment".into());
    }
    let state = match (diver.sabotaged, diver.has_drawn) {
        (true, _) => " (sabotaged)",
        (false, true) => " (has drawn)",
        (false, false) => "",
    };
    format!("{}{state}", parts.join(", "))
}
