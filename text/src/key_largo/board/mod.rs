//! The table, drawn so that a person can play from it.

mod current_dive;
mod encounters;
mod hands;
mod places;
mod players;
mod stock;
mod turn;
mod wrecks;

use divelog_proto::games::key_largo::v1::{Depth, Encounter, Phase, Place, Player, Tables, View, Wreck};

use super::{half, weekday};
use crate::{
    Screen, Seating,
    strings::{fit, width},
};

/// Between the day and the first player, where both have room on a line.
const BETWEEN: &str = "   ";

/// KL-3
const DAYS: u32 = 10;

/// Draws the whole table. On an abandoned one it is nobody's turn.
pub fn draw(view: &View, abandoned: bool, seating: &Seating, screen: Screen) -> String {
    let tables = view.tables.clone().unwrap_or_default();
    let context = BoardContext { view, tables: &tables, abandoned, seating, screen };
    let parts = [
        headline(context),
        places::section(context),
        wrecks::section(context),
        players::section(context),
        players::divers(context),
        hands::section(context),
        encounters::section(context),
        stock::section(context),
        current_dive::section(context),
        format!("{}\n{}", turn::section(context), screen.paint.faint(LEGEND)),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

const LEGEND: &str = "s shallow, m medium, d deep; #n seat n; [n] diver n.";

/// What the parts of the board are drawn from.
#[derive(Clone, Copy)]
struct BoardContext<'a> {
    view: &'a View,
    tables: &'a Tables,
    abandoned: bool,
    seating: &'a Seating,
    screen: Screen,
}

impl<'a> BoardContext<'a> {
    fn over(self) -> bool {
        self.view.phase() == Phase::Over
    }

    fn is_asked(self, seat: u32) -> bool {
        !self.abandoned && self.view.asked.contains(&seat)
    }

    /// Who acts, but for the programme, where several do.
    fn acting(self) -> Option<&'a Player> {
        let turn = self.view.turn?;
        self.view.players.iter().find(|player| player.seat == turn)
    }

    /// KL-7
    fn present(self, place: Place) -> usize {
        self.at(place).count()
    }

    fn at(self, place: Place) -> impl Iterator<Item = &'a Player> {
        self.view.players.iter().filter(move |player| player.place.is_some() && player.place() == place)
    }

    fn wreck(self, number: u32) -> Option<&'a Wreck> {
        self.view.wrecks.iter().find(|wreck| wreck.wreck == number)
    }

    fn strong(self, text: &str) -> String {
        self.screen.paint.strong(text)
    }
}

/// The letter of a depth, where a word would be too wide.
fn letter(depth: Depth) -> &'static str {
    match depth {
        Depth::Shallow => "s",
        Depth::Medium => "m",
        Depth::Deep => "d",
        Depth::Unspecified => "?",
    }
}

/// Encounter cards by number: the generated list of enums leaves out the unknown ones.
fn encounter_cards(numbers: &[i32]) -> Vec<Encounter> {
    numbers.iter().map(|number| Encounter::try_from(*number).unwrap_or_default()).collect()
}

fn headline(context: BoardContext) -> String {
    let (view, lang) = (context.view, context.screen.lang);
    let day = format!("Day {} of {DAYS}, {}", view.day, weekday(view.day, lang));
    let first = format!("first player {}", context.seating.full(view.first_seat));
    let day = match view.phase() {
        Phase::Over => return context.strong("After the second Sunday"),
        Phase::Program => day,
        _ => format!("{day} {}", half(view.half(), lang)),
    };
    let one_line = width(&day) + BETWEEN.len() + width(&first) <= context.screen.width;
    let first = if one_line {
        format!("{BETWEEN}{first}")
    } else {
        format!("\n{}", fit(&first, context.screen.width).join("\n"))
    };
    format!("{}{first}", context.strong(&day))
}

#[cfg(test)]
mod tests;
