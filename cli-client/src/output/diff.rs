//! What differs between two texts, line by line.

use serde_json::{Value, json};

use super::Paint;

/// The most lines of a text that are compared one by one; a board has a few dozen.
const MAX_LINES: usize = 2_000;

/// Where a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// In both.
    Same,
    /// Only in the first.
    Only1,
    /// Only in the second.
    Only2,
}

/// A line and where it stands.
pub type Line<'a> = (Mark, &'a str);

/// The lines of both texts, in order, with as many in common as possible.
pub fn lines<'a>(first: &'a str, second: &'a str) -> Vec<Line<'a>> {
    let a: Vec<&str> = first.lines().take(MAX_LINES).collect();
    let b: Vec<&str> = second.lines().take(MAX_LINES).collect();
    let common = common_lengths(&a, &b);
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::with_capacity(a.len() + b.len());
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            lines.push((Mark::Same, a[i]));
            (i, j) = (i + 1, j + 1);
        // What goes stands before what comes, as in other diffs.
        } else if i < a.len() && (j == b.len() || common[i + 1][j] >= common[i][j + 1]) {
            lines.push((Mark::Only1, a[i]));
            i += 1;
        } else {
            lines.push((Mark::Only2, b[j]));
            j += 1;
        }
    }
    lines
}

/// How many lines the rests of both texts have in common, from every pair of lines on.
fn common_lengths(a: &[&str], b: &[&str]) -> Vec<Vec<usize>> {
    let mut common = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i][j] = if a[i] == b[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    common
}

/// The lines for people: `-` before those of the first text alone, `+` before those of the second.
pub fn marked(lines: &[Line], paint: Paint) -> String {
    let marked: Vec<String> = lines
        .iter()
        .map(|(mark, line)| match mark {
            Mark::Same => format!("  {line}").trim_end().to_owned(),
            Mark::Only1 => paint.alarm(format!("- {line}").trim_end()),
            Mark::Only2 => paint.good(format!("+ {line}").trim_end()),
        })
        .collect();
    marked.join("\n")
}

/// The lines that differ, for programs.
pub fn to_value(lines: &[Line]) -> Value {
    let differing = lines.iter().filter_map(|(mark, line)| match mark {
        Mark::Same => None,
        Mark::Only1 => Some(json!({ "mark": "-", "line": line })),
        Mark::Only2 => Some(json!({ "mark": "+", "line": line })),
    });
    differing.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(first: &str, second: &str) -> String {
        marked(&lines(first, second), Paint::PLAIN)
    }

    #[test]
    fn lines_in_common_stand_once() {
        assert_eq!(diff("a\nb\nc", "a\nx\nc\nd"), "  a\n- b\n+ x\n  c\n+ d");
        assert_eq!(diff("a\n\nb", "a\n\nb"), "  a\n\n  b");
        assert_eq!(diff("", "a"), "+ a");
        assert_eq!(diff("a", ""), "- a");
        assert_eq!(diff("", ""), "");
    }

    #[test]
    fn both_texts_can_be_read_from_the_lines() {
        let (first, second) = ("q\na\nb\nc\na\nb\nb\na", "c\nb\na\nb\na\nc");
        let lines = lines(first, second);
        let without = |left_out: Mark| {
            let kept: Vec<&str> = lines.iter().filter(|(mark, _)| *mark != left_out).map(|(_, line)| *line).collect();
            kept.join("\n")
        };
        assert_eq!((without(Mark::Only2).as_str(), without(Mark::Only1).as_str()), (first, second));
        assert_eq!(lines.iter().filter(|(mark, _)| *mark == Mark::Same).count(), 4, "the longest there is");
    }

    #[test]
    fn programs_get_what_differs() {
        assert_eq!(
            to_value(&lines("a\nb", "a\nc")).to_string(),
            r#"[{"line":"b","mark":"-"},{"line":"c","mark":"+"}]"#
        );
    }
}
