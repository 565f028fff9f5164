//! Which columns a table has on a screen, and how wide each is.

use super::{GAP, Table};
use crate::strings;

/// A column that may take several lines is given so much room before another one is kept.
const COMFORTABLE: usize = 24;

/// Narrower than this no column becomes.
const NARROWEST: usize = 10;

/// The columns that are shown.
pub struct Layout {
    /// Each with its width, in order.
    pub columns: Vec<(usize, usize)>,
    /// The one that stands under its row.
    pub below: Option<usize>,
}

impl Table {
    /// The layout for a screen of so many columns.
    pub(super) fn layout(&self, width: usize) -> Layout {
        let natural = self.widths();
        let mut shown: Vec<usize> = (0..natural.len()).collect();
        let room = |shown: &[usize], width_of: &dyn Fn(usize) -> usize| {
            let gaps = shown.len().saturating_sub(1) * GAP.len();
            shown.iter().map(|&column| width_of(column)).sum::<usize>() + gaps
        };
        let whole = |column: usize| natural[column];
        if room(&shown, &whole) <= width {
            return Layout { columns: shown.iter().map(|&column| (column, natural[column])).collect(), below: None };
        }
        if let Some(below) = self.below {
            shown.retain(|&column| column != below);
        }
        let least = |column: usize| match self.wrapped.contains(&column) {
            true => natural[column].min(COMFORTABLE),
            false => natural[column],
        };
        for left_out in &self.optional {
            if room(&shown, &least) <= width {
                break;
            }
            shown.retain(|column| column != left_out);
        }
        let fixed = |column: usize| if self.wrapped.contains(&column) { 0 } else { natural[column] };
        let left = width.saturating_sub(room(&shown, &fixed));
        let wrapped: Vec<usize> = shown.iter().copied().filter(|column| self.wrapped.contains(column)).collect();
        let shares = shares(&wrapped.iter().map(|&column| natural[column]).collect::<Vec<_>>(), left);
        let width_of = |column: usize| match wrapped.iter().position(|&wrapped| wrapped == column) {
            Some(at) => shares[at],
            None => natural[column],
        };
        Layout { columns: shown.iter().map(|&column| (column, width_of(column))).collect(), below: self.below }
    }
}

/// Shares the room among columns that would like to be so wide: who needs less than an equal part leaves the rest.
fn shares(natural: &[usize], room: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..natural.len()).collect();
    order.sort_by_key(|&at| natural[at]);
    let (mut shares, mut room) = (vec![0; natural.len()], room);
    for (done, at) in order.iter().copied().enumerate() {
        let part = room / (natural.len() - done);
        shares[at] = natural[at].min(part.max(NARROWEST));
        room = room.saturating_sub(shares[at]);
    }
    shares
}

impl Layout {
    /// The lines of one row.
    pub fn lines(&self, cells: &[String]) -> Vec<String> {
        let cells: Vec<Vec<String>> = self
            .columns
            .iter()
            .map(|(column, width)| match cells.get(*column) {
                Some(cell) if strings::width(cell) > *width => strings::wrap_tight(cell, *width),
                Some(cell) => vec![cell.clone()],
                None => Vec::new(),
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let line = |at: usize| {
            let parts = cells.iter().zip(&self.columns);
            let padded: Vec<String> = parts
                .map(|(lines, (_, width))| strings::pad(lines.get(at).map_or("", String::as_str), *width))
                .collect();
            padded.join(GAP).trim_end().to_owned()
        };
        (0..height).map(line).collect()
    }
}
