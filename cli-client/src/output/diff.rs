//! What differs between two texts, line by line.

use serde_json::{Value, json};
use similar::{Algorithm, ChangeTag, capture_diff_slices};

use super::Paint;

/// The most lines of a text that are compared one by one; a board has a few dozen.
const MAX_LINES: usize = 2_000;

/// A line and where it stands: in both texts, only in the first (`Delete`) or only in the second (`Insert`).
pub type Line<'a> = (ChangeTag, &'a str);

/// The lines of both texts, in order, with as many in common as possible. What goes stands before what comes.
pub fn lines<'a>(first: &'a str, second: &'a str) -> Vec<Line<'a>> {
    let [a, b] = [first, second].map(|text| text.lines().take(MAX_LINES).collect::<Vec<&str>>());
    let changes = capture_diff_slices(Algorithm::Myers, &a, &b);
    changes.iter().flat_map(|change| change.iter_changes(&a, &b)).map(|line| (line.tag(), line.value())).collect()
}

/// The lines for people: `-` before those of the first text alone, `+` before those of the second.
pub fn marked(lines: &[Line], paint: Paint) -> String {
    let marked: Vec<String> = lines
        .iter()
        .map(|(mark, line)| match mark {
            ChangeTag::Equal => format!("  {line}").trim_end().to_owned(),
            ChangeTag::Delete => paint.alarm(format!("- {line}").trim_end()),
            ChangeTag::Insert => paint.good(format!("+ {line}").trim_end()),
        })
        .collect();
    marked.join("\n")
}

/// The lines that differ, for programs.
pub fn to_value(lines: &[Line]) -> Value {
    let differing = lines.iter().filter_map(|(mark, line)| match mark {
        ChangeTag::Equal => None,
        ChangeTag::Delete => Some(json!({ "mark": "-", "line": line })),
        ChangeTag::Insert => Some(json!({ "mark": "+", "line": line })),
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
        let without = |left_out: ChangeTag| {
            let kept: Vec<&str> = lines.iter().filter(|(mark, _)| *mark != left_out).map(|(_, line)| *line).collect();
            kept.join("\n")
        };
        assert_eq!((without(ChangeTag::Insert).as_str(), without(ChangeTag::Delete).as_str()), (first, second));
        assert_eq!(lines.iter().filter(|(mark, _)| *mark == ChangeTag::Equal).count(), 4, "the longest there is");
    }

    #[test]
    fn programs_get_what_differs() {
        assert_eq!(
            to_value(&lines("a\nb", "a\nc")).to_string(),
            r#"[{"line":"b","mark":"-"},{"line":"c","mark":"+"}]"#
        );
    }
}
