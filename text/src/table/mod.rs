//! Aligned columns that fit the screen. Nothing is cut off in the middle: a table that lies about its content is worse than
//! one that leaves a column out.
//!
//! Written here, not taken from a crate: without borders a table is what `strings::pad` does for each cell, and the names of
//! pairs and paragraphs line up in the same way.

mod layout;

use crate::{Screen, strings};

/// Spaces between columns.
const GAP: &str = "  ";

/// Before the lines under a row.
const BELOW: &str = "    ";

/// A table with a header line.
#[derive(Debug)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The columns that may take several lines.
    wrapped: Vec<usize>,
    /// The columns that are left out where there is no room, the first one first.
    optional: Vec<usize>,
    /// The column that stands under its row where there is no room.
    below: Option<usize>,
}

impl Table {
    /// An empty table.
    pub fn new<const N: usize>(header: [&str; N]) -> Self {
        let header = header.map(str::to_owned).to_vec();
        Self { header, rows: Vec::new(), wrapped: Vec::new(), optional: Vec::new(), below: None }
    }

    /// Lets the cells of these columns take several lines where the screen is narrow.
    pub fn wrapping(mut self, titles: &[&str]) -> Self {
        self.wrapped = titles.iter().filter_map(|title| self.column(title)).collect();
        self
    }

    /// Leaves these columns out where the screen is too narrow, the first one first.
    pub fn optional(mut self, titles: &[&str]) -> Self {
        self.optional = titles.iter().filter_map(|title| self.column(title)).collect();
        self
    }

    /// Puts this column under its row where the screen is too narrow.
    pub fn below(mut self, title: &str) -> Self {
        self.below = self.column(title);
        self
    }

    fn column(&self, title: &str) -> Option<usize> {
        self.header.iter().position(|column| column == title)
    }

    /// Adds a row; cells are plain text on one line.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.map(|cell| strings::clean_line(&cell)).to_vec());
    }

    /// The lines of the table.
    pub fn render(&self, screen: Screen) -> String {
        let layout = self.layout(screen.width);
        let mut lines: Vec<String> = layout.lines(&self.header).iter().map(|line| screen.paint.strong(line)).collect();
        for row in &self.rows {
            lines.extend(layout.lines(row));
            lines.extend(
                layout.below.and_then(|column| row.get(column)).into_iter().flat_map(|cell| under(cell, screen)),
            );
        }
        lines.join("\n")
    }

    /// The titles of the columns that have no room.
    pub fn left_out(&self, screen: Screen) -> Vec<&str> {
        let layout = self.layout(screen.width);
        let is_shown =
            |column: usize| layout.below == Some(column) || layout.columns.iter().any(|(at, _)| *at == column);
        self.header.iter().enumerate().filter(|(at, _)| !is_shown(*at)).map(|(_, title)| title.as_str()).collect()
    }

    /// The widest cell of each column.
    fn widths(&self) -> Vec<usize> {
        (0..self.header.len())
            .map(|column| {
                std::iter::once(&self.header)
                    .chain(&self.rows)
                    .filter_map(|row| row.get(column))
                    .map(|cell| strings::width(cell))
                    .max()
                    .unwrap_or(0)
            })
            .collect()
    }
}

/// The lines of a cell under its row.
fn under(cell: &str, screen: Screen) -> Vec<String> {
    let lines = strings::wrap(cell, screen.width.saturating_sub(BELOW.len()));
    lines.iter().filter(|line| !line.is_empty()).map(|line| format!("{BELOW}{line}")).collect()
}

/// Names and values, a pair after the other; a value that is wider than the screen goes on in its column. Pairs with an empty
/// value are left out.
pub fn pairs(pairs: &[(&str, String)], screen: Screen) -> String {
    let width = pairs.iter().map(|(name, _)| strings::width(name)).max().unwrap_or(0);
    let indent = format!("\n{}{GAP}", strings::pad("", width));
    let lines: Vec<String> = pairs
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| {
            let name = strings::pad(name, width);
            let value = strings::clean_line(value);
            let room = screen.width.saturating_sub(width + GAP.len());
            format!("{}{GAP}{}", screen.paint.strong(&name), strings::fit(&value, room).join(&indent))
        })
        .collect();
    lines.join("\n")
}

/// Names and paragraphs: the names in a column of their own, the paragraphs wrapped beside them.
pub fn paragraphs(items: &[(String, String)], screen: Screen) -> String {
    let indent = items.iter().map(|(name, _)| strings::width(name)).max().unwrap_or(0) + GAP.len();
    // Beside very long names the paragraph still gets a few words a line.
    let width = screen.width.saturating_sub(indent).max(20);
    let mut lines = Vec::new();
    for (name, paragraph) in items {
        let name = strings::clean_line(name);
        let wrapped = strings::wrap(&strings::clean(paragraph), width);
        for (at, part) in wrapped.iter().enumerate() {
            let head = if at == 0 { name.as_str() } else { "" };
            let head = strings::pad(head, indent);
            lines.push(format!("{}{part}", screen.paint.strong(&head)).trim_end().to_owned());
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests;
