//! Labelled rows of cells that stand above each other, broken into blocks where the screen ends.

use crate::{
    Screen,
    strings::{self, pad},
};

/// Spaces between columns.
const GAP: usize = 2;

/// The text of each column, from the top row to the bottom row; all as long as the labels.
pub struct Grid {
    pub labels: Vec<String>,
    pub columns: Vec<Vec<String>>,
}

impl Grid {
    /// The lines. `paint` gets a row, a column (none for the label) and its text, padded before it is painted: escape
    /// codes have no width.
    pub fn render(&self, screen: Screen, paint: impl Fn(usize, Option<usize>, &str) -> String) -> String {
        let label_width = width(&self.labels);
        let mut blocks = Vec::new();
        let mut columns = self.columns.iter().enumerate().peekable();
        while columns.peek().is_some() {
            let mut lines: Vec<String> =
                (0..).zip(&self.labels).map(|(row, label)| paint(row, None, &pad(label, label_width))).collect();
            let mut used = label_width;
            // The first column of a block is there however narrow the screen is.
            while let Some((at, cells)) =
                columns.next_if(|(_, cells)| used == label_width || used + GAP + width(cells) <= screen.width)
            {
                used += GAP + width(cells);
                for (row, (line, cell)) in lines.iter_mut().zip(cells).enumerate() {
                    line.push_str(&" ".repeat(GAP));
                    line.push_str(&paint(row, Some(at), &pad(cell, width(cells))));
                }
            }
            let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
            blocks.push(lines.join("\n"));
        }
        blocks.join("\n\n")
    }
}

fn width(cells: &[String]) -> usize {
    cells.iter().map(|cell| strings::width(cell)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Paint;

    fn grid() -> Grid {
        let column = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        Grid {
            labels: column(["place", "card"]),
            columns: vec![column(["1", "net-3"]), column(["2", "sirène-9"]), column(["3", "key-2"])],
        }
    }

    fn plain(width: usize) -> String {
        grid().render(Screen::plain(width), |_, _, text| text.into())
    }

    #[test]
    fn columns_stand_beside_each_other_while_there_is_room() {
        assert_eq!(plain(29), "place  1      2         3\ncard   net-3  sirène-9  key-2");
        assert_eq!(plain(28), "place  1      2\ncard   net-3  sirène-9\n\nplace  3\ncard   key-2");
        assert_eq!(plain(0).lines().count(), 8);
    }

    #[test]
    fn text_is_padded_before_it_is_painted() {
        let text = grid().render(Screen::plain(80), |row, column, text| {
            if (row, column) == (0, Some(0)) { Paint::new(true).strong(text) } else { text.into() }
        });
        assert!(text.starts_with("place  \u{1b}[1m1    \u{1b}[0m  2"), "{text}");
    }
}
