//! The wrecks, side by side, and what is known to lie in them.

use divelog_proto::games::key_largo::v1::{Depth, Wreck};

use super::{
    super::{faces, mark},
    BoardContext, letter,
};
use crate::table;

/// The labels before the lines, and their width.
const LABELS: [&str; 4] = ["wreck", "depth", "cards", "boat"];
const LABEL_WIDTH: usize = 5;

/// A cell takes the widest number and marker, and a gap.
const CELL: usize = 4;

pub fn section(context: BoardContext) -> String {
    if context.view.wrecks.is_empty() {
        return "(there are no wrecks)".into();
    }
    let per_row = (context.screen.width.saturating_sub(LABEL_WIDTH) / CELL).max(1);
    let mut parts: Vec<String> = context.view.wrecks.chunks(per_row).map(|row| lines(row, context)).collect();
    parts.extend(contents(context));
    parts.join("\n")
}

fn lines(row: &[Wreck], context: BoardContext) -> String {
    let paint = context.screen.paint;
    let mut lines = LABELS.map(|label| paint.faint(&format!("{label:<LABEL_WIDTH$}")));
    for wreck in row {
        let cards = if wreck.cards.is_empty() { "-".into() } else { wreck.cards.len().to_string() };
        let boat = wreck.boat.map(mark).unwrap_or_default();
        // Padded first: escape codes have no width.
        let hue = hue(wreck.depth());
        lines[0].push_str(&paint.strong(&format!("{:>CELL$}", wreck.wreck)));
        lines[1].push_str(&paint.hue(hue, &format!("{:>CELL$}", letter(wreck.depth()))));
        lines[2].push_str(&paint.hue(hue, &format!("{cards:>CELL$}")));
        lines[3].push_str(&paint.strong(&format!("{boat:>CELL$}")));
    }
    lines.map(|line| line.trim_end().to_owned()).join("\n")
}

fn hue(depth: Depth) -> u32 {
    match depth {
        Depth::Shallow => 0,
        Depth::Medium => 4,
        Depth::Deep => 3,
        Depth::Unspecified => 2,
    }
}

/// What an auditor sees in the wrecks, top first.
fn contents(context: BoardContext) -> Option<String> {
    let known: Vec<(String, String)> = context
        .view
        .wrecks
        .iter()
        .filter_map(|wreck| Some((format!("in {}", wreck.wreck), faces(&wreck.cards, context.screen.lang)?)))
        .collect();
    (!known.is_empty()).then(|| table::paragraphs(&known, context.screen))
}
