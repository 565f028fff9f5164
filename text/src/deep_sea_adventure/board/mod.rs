//! The table, drawn so that a person can play from it.

use divelog_proto::games::deep_sea_adventure::v1::{Explorer, Phase, Stack, View};

use super::{BLANK, chips, place, stack};
use crate::{
    Screen, Seating,
    strings::{fit, pad, pad_left, width},
    table::Table,
};

/// The air that every round starts with (DSA-2).
const FULL_AIR: i32 = 25;

/// From here on the air is painted as danger.
const LOW_AIR: i32 = 8;

const ROUNDS: u32 = 3;

/// The labels before the lines of the path, and their width.
const LABELS: [&str; 3] = ["space", "chip", "explorer"];
const LABEL_WIDTH: usize = 8;

/// Draws the whole table. On an abandoned one it is nobody's turn.
pub fn draw(view: &View, abandoned: bool, seating: &Seating, screen: Screen) -> String {
    let view = &View { turn: view.turn.filter(|_| !abandoned), ..view.clone() };
    let parts = [
        headline(view, screen),
        path(view, screen),
        submarine(view, seating, screen),
        explorers(view, seating, screen),
        format!("{}\n{}", turn(view, seating, screen), legend(screen)),
    ];
    parts.join("\n\n")
}

fn legend(screen: Screen) -> String {
    let lang = screen.lang;
    let (chips, blank) = (lang.name("Chips", "jetons ruines"), lang.name("a blank", "jeton blanc"));
    let text = format!("{chips} show their level, =value where known; {BLANK} is {blank}; [n] counts a load.");
    let lines: Vec<String> = fit(&text, screen.width).iter().map(|line| screen.paint.faint(line)).collect();
    lines.join("\n")
}

fn headline(view: &View, screen: Screen) -> String {
    let filled = usize::try_from(view.air.clamp(0, FULL_AIR)).unwrap_or(0);
    let empty = usize::try_from(FULL_AIR).unwrap_or(0) - filled;
    let air = format!("air {}/{FULL_AIR} [{}{}]", view.air, "#".repeat(filled), ".".repeat(empty));
    let air = if view.air <= LOW_AIR { screen.paint.alarm(&air) } else { air };
    let round = screen.paint.strong(&format!("Round {} of {ROUNDS}", view.round));
    let dice = match view.last_dice {
        Some(dice) => format!("   last dice {}+{}", dice.first, dice.second),
        None => String::new(),
    };
    format!("{round}   {air}{dice}")
}

/// One space of the path, as three cells above each other.
struct Space<'a> {
    number: String,
    chip: String,
    stack: &'a Stack,
    explorer: Option<u32>,
}

impl Space<'_> {
    fn width(&self) -> usize {
        let explorer = self.explorer.map_or(0, |seat| marker(seat).len());
        self.number.len().max(width(&self.chip)).max(explorer)
    }
}

fn marker(seat: u32) -> String {
    format!("#{seat}")
}

/// The path in as many rows as the screen needs, the submarine's end first.
fn path(view: &View, screen: Screen) -> String {
    let spaces: Vec<Space> = (1u32..)
        .zip(&view.path)
        .map(|(number, here)| Space {
            number: number.to_string(),
            chip: stack(here),
            stack: here,
            explorer: view.explorers.iter().find(|e| e.position == number).map(|e| e.seat),
        })
        .collect();
    let cell = spaces.iter().map(Space::width).max().unwrap_or(0) + 2;
    let per_row = (screen.width.saturating_sub(LABEL_WIDTH) / cell).max(1);
    let rows: Vec<String> = spaces.chunks(per_row).map(|row| path_row(row, cell, screen)).collect();
    if rows.is_empty() { "(the path is empty)".into() } else { rows.join("\n\n") }
}

fn path_row(row: &[Space], cell: usize, screen: Screen) -> String {
    let paint = screen.paint;
    let mut lines = LABELS.map(|label| paint.faint(&pad(label, LABEL_WIDTH)));
    for space in row {
        // Padded first: escape codes have no width.
        let chip = pad_left(&space.chip, cell);
        let explorer = space.explorer.map(marker).unwrap_or_default();
        lines[0].push_str(&paint.faint(&pad_left(&space.number, cell)));
        lines[1].push_str(&match space.stack.chips.first() {
            Some(top) => paint.hue(top.level.saturating_sub(1), &chip),
            None => paint.faint(&chip),
        });
        lines[2].push_str(&paint.strong(&pad_left(&explorer, cell)));
    }
    lines.map(|line| line.trim_end().to_owned()).join("\n")
}

fn submarine(view: &View, seating: &Seating, screen: Screen) -> String {
    let inside: Vec<String> = view
        .explorers
        .iter()
        .filter(|explorer| explorer.position == 0)
        .map(|explorer| {
            let name = seating.name(explorer.seat);
            let gap = if name.is_empty() { "" } else { " " };
            let back = if explorer.back { " (back)" } else { "" };
            format!("{}{gap}{name}{back}", marker(explorer.seat))
        })
        .collect();
    let inside = if inside.is_empty() { "nobody".into() } else { inside.join(", ") };
    let title = format!("In {}:", place(0, screen.lang));
    begun_with(&title, &format!("{title} {inside}"), screen)
}

fn explorers(view: &View, seating: &Seating, screen: Screen) -> String {
    let header = ["", "seat", "name", "where", "going", "load", "points", "scored"];
    let mut table = Table::new(header).wrapping(&["name", "load", "scored"]);
    for explorer in &view.explorers {
        let name = seating.name(explorer.seat);
        table.row([
            if view.turn == Some(explorer.seat) { ">".into() } else { String::new() },
            marker(explorer.seat),
            if name.is_empty() { "-".into() } else { name.into() },
            if explorer.position == 0 { "submarine".into() } else { format!("space {}", explorer.position) },
            going(explorer).into(),
            load(&explorer.load),
            explorer.points.to_string(),
            chips(&explorer.scored),
        ]);
    }
    table.render(screen)
}

fn going(explorer: &Explorer) -> &'static str {
    match (explorer.back, explorer.turned_back) {
        (true, _) => "back",
        (false, true) => "up",
        (false, false) => "down",
    }
}

/// The load with the indices that `put-down` takes.
fn load(load: &[Stack]) -> String {
    if load.is_empty() {
        return "-".into();
    }
    let items: Vec<String> =
        load.iter().enumerate().map(|(index, carried)| format!("[{index}] {}", stack(carried))).collect();
    items.join(" ")
}

/// A sentence of which the beginning stands out.
fn begun_with(beginning: &str, text: &str, screen: Screen) -> String {
    let text = fit(text, screen.width).join("\n");
    match text.strip_prefix(beginning) {
        Some(rest) => format!("{}{rest}", screen.paint.strong(beginning)),
        None => text, // So long that it was broken.
    }
}

/// Whose turn it is, and what for.
fn turn(view: &View, seating: &Seating, screen: Screen) -> String {
    let Some(explorer) = view.turn.and_then(|seat| view.explorers.iter().find(|e| e.seat == seat)) else {
        return screen.paint.strong("The game is over.");
    };
    let task = match view.phase() {
        Phase::Dive => "is to dive.".to_owned(),
        Phase::Search => format!("is to search space {}.", explorer.position),
        Phase::Over | Phase::Unspecified => return screen.paint.strong("The game is over."),
    };
    let who = seating.full(explorer.seat);
    begun_with(&who, &format!("{who} {task}"), screen) + &standstill(view, screen)
}

/// How near a standstill is (DSA-R7), where there was an idle turn at all.
fn standstill(view: &View, screen: Screen) -> String {
    let diving = view.explorers.iter().filter(|explorer| !explorer.back).count();
    let turns = match view.idle_turns {
        0 => return String::new(),
        1 => "The turn before has changed nothing".to_owned(),
        count => format!("The {count} turns before have changed nothing"),
    };
    let this = if view.turn_is_idle { ", nor has this one so far" } else { ", but this one has" };
    let text = format!("{turns}{this}; the round ends after {diving} such turns in a row.");
    format!("\n{}", fit(&text, screen.width).join("\n"))
}

#[cfg(test)]
mod tests;
