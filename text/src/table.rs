//! Aligned columns. Nothing is cut off: a table that lies about its content is worse than a wide one.
//!
//! Written here, not taken from a crate: without borders, wrapping or cut cells a table is what `strings::pad` does for
//! each cell, and the names of pairs and paragraphs line up in the same way.

use crate::{Paint, Screen, strings};

/// Spaces between columns.
const GAP: &str = "  ";

/// A table with a header line.
#[derive(Debug)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new<const N: usize>(header: [&str; N]) -> Self {
        Self { header: header.map(str::to_owned).to_vec(), rows: Vec::new() }
    }

    /// Adds a row; cells are plain text on one line.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.map(|cell| strings::clean_line(&cell)).to_vec());
    }

    /// The lines of the table.
    pub fn render(&self, paint: Paint) -> String {
        let widths = self.widths();
        let mut text = paint.strong(&line(&self.header, &widths));
        for row in &self.rows {
            text.push('\n');
            text.push_str(&line(row, &widths));
        }
        text
    }

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

fn line(cells: &[String], widths: &[usize]) -> String {
    let padded: Vec<String> = cells.iter().zip(widths).map(|(cell, &width)| strings::pad(cell, width)).collect();
    padded.join(GAP).trim_end().to_owned()
}

/// Names and values, one pair a line. Pairs with an empty value are left out.
pub fn pairs(pairs: &[(&str, String)], paint: Paint) -> String {
    let width = pairs.iter().map(|(name, _)| strings::width(name)).max().unwrap_or(0);
    let lines: Vec<String> = pairs
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| {
            let name = strings::pad(name, width);
            format!("{}{GAP}{}", paint.strong(&name), strings::clean_line(value))
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
mod tests {
    use super::*;

    const PLAIN: Screen = Screen::plain(24);

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(["seat", "name"]);
        table.row(["0".into(), "Ana\u{1b}".into()]);
        table.row(["10000".into(), "-".into()]);
        assert_eq!(table.render(Paint::PLAIN), "seat   name\n0      Ana\n10000  -");
    }

    #[test]
    fn pairs_leave_out_what_is_empty() {
        let text = pairs(&[("game", "x".into()), ("labels", String::new())], Paint::PLAIN);
        assert_eq!(text, "game    x");
    }

    #[test]
    fn paragraphs_hang_beside_their_names() {
        let items = [("DSA-1".to_owned(), "two dice with six faces each".to_owned())];
        assert_eq!(paragraphs(&items, Screen { width: 27, ..PLAIN }), "DSA-1  two dice with six\n       faces each");
    }

    #[test]
    fn wide_and_combining_characters_stay_in_their_columns() {
        let mut table = Table::new(["name", "points"]);
        for name in ["山田花子", "👩\u{200d}👩\u{200d}👧", "Zoe\u{308}"] {
            table.row([name.into(), "7".into()]);
        }
        let expected = "name      points\n山田花子  7\n👩\u{200d}👩\u{200d}👧        7\nZoe\u{308}       7";
        assert_eq!(table.render(Paint::PLAIN), expected);
        let items = [("山田".to_owned(), "dives".to_owned()), ("Ana".to_owned(), "waits".to_owned())];
        assert_eq!(paragraphs(&items, PLAIN), "山田  dives\nAna   waits");
    }
}
