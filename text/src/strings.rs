//! Small pieces of text: names made safe for a terminal, counts, widths in columns, wrapped paragraphs.

use std::borrow::Cow;

use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};
use unicode_width::UnicodeWidthStr as _;

/// A space at which no line is broken.
const NO_BREAK: &str = "\u{a0}";

/// Whether a terminal, or whatever shows the text, acts on a character instead of drawing it: control characters, the marks
/// that reorder a line, and characters that take no room.
pub fn acts_on_a_terminal(c: char) -> bool {
    let reorders =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || reorders || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Text from outside as a terminal may draw it: what it would act on is shown as an escape, such as `\u001b`, so that nobody
/// is deceived and nothing is hidden. Line breaks stay, because messages of the client's own may have several lines.
pub fn clean(text: &str) -> String {
    escaped(text, |c| c != '\n' && acts_on_a_terminal(c))
}

/// A name or label from outside: as [`clean`], and on one line.
pub fn clean_line(text: &str) -> String {
    escaped(text, acts_on_a_terminal)
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if !is_escaped(c) => shown.push(c),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            // As in JSON: all of them have four digits.
            c => shown.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    shown
}

/// So many of something: `1 leaf`, `2 leaves`.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Text, or a dash where there is none.
pub fn or_dash(text: String) -> String {
    if text.is_empty() { "-".into() } else { text }
}

/// The columns that text takes on a terminal: wide characters and emoji take two, combining marks none.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Text with spaces after it, up to a width in columns: `format!` would count characters.
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", spaces(text, width))
}

/// Text with spaces before it, up to a width in columns.
pub fn pad_left(text: &str, width: usize) -> String {
    format!("{}{text}", spaces(text, width))
}

fn spaces(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(text.width()))
}

/// Breaks a paragraph at spaces so that no line is wider than `width` columns, if its words allow it.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    wrap_words(&words.join(" "), width)
}

/// A line as it stands if it fits, otherwise broken as by [`wrap`].
pub fn fit(text: &str, width: usize) -> Vec<String> {
    if self::width(text) > width { wrap(text, width) } else { vec![text.to_owned()] }
}

/// The same as [`wrap`] for a column: a word that is wider than the column is broken too.
pub fn wrap_tight(text: &str, width: usize) -> Vec<String> {
    let options = Options::new(width)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    textwrap::wrap(text, options).into_iter().map(Cow::into_owned).collect()
}

/// Items with a separator between them, such as `, `, broken into lines between items only, if their widths allow it.
pub fn wrap_list(items: &[String], separator: &str, width: usize) -> Vec<String> {
    let kept: Vec<String> = items.iter().map(|item| item.replace(' ', NO_BREAK)).collect();
    wrap_words(&kept.join(separator), width).iter().map(|line| line.replace(NO_BREAK, " ")).collect()
}

fn wrap_words(text: &str, width: usize) -> Vec<String> {
    // Words are typed as they stand, so none is broken, neither at its hyphens nor because it is long.
    let options = Options::new(width)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    textwrap::wrap(text, options).into_iter().map(Cow::into_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_acts_on_gets_through() {
        assert_eq!(
            clean("A\u{1b}[31mna\u{7}\u{7f}\u{9b}\u{202e}\r\n"),
            "A\\u001b[31mna\\u0007\\u007f\\u009b\\u202e\\r\n"
        );
        assert_eq!(clean_line("A\nna\t\u{2066}"), "A\\nna\\t\\u2066");
        assert_eq!(clean("Zoë 🐙"), "Zoë 🐙");
    }

    #[test]
    fn one_and_many() {
        assert_eq!((counted(1, "leaf", "leaves"), counted(0, "leaf", "leaves")), ("1 leaf".into(), "0 leaves".into()));
    }

    #[test]
    fn paragraphs_break_at_spaces() {
        assert_eq!(wrap("aa bb cc", 5), ["aa bb", "cc"]);
        assert_eq!(wrap("abcdefgh i", 4), ["abcdefgh", "i"]);
        assert_eq!(wrap("", 4), [""]);
    }

    /// A name, and the columns that a terminal draws it in.
    const NAMES: [(&str, usize); 7] = [
        ("Ana", 3),
        ("山田", 4),
        ("유나", 4),
        ("🐙", 2),
        // Three people and two joiners are one picture.
        ("👩\u{200d}👩\u{200d}👧", 2),
        ("Zoe\u{308}", 3),
        ("❤\u{fe0f}", 2),
    ];

    #[test]
    fn widths_are_columns() {
        for (name, columns) in NAMES {
            assert_eq!(width(name), columns, "{name}");
            assert_eq!(pad(name, 6), format!("{name}{}", " ".repeat(6 - columns)));
            assert_eq!(pad_left(name, 6), format!("{}{name}", " ".repeat(6 - columns)));
            assert_eq!((pad(name, 1), pad_left(name, 0)), (name.to_owned(), name.to_owned()), "nothing is cut off");
        }
    }

    #[test]
    fn wide_words_need_their_room() {
        assert_eq!(wrap("山田 花子 Ana", 9), ["山田 花子", "Ana"]);
        assert_eq!(wrap("山田 花子", 8), ["山田", "花子"]);
        assert_eq!(wrap("Zoe\u{308} Zoe\u{308}", 7), ["Zoe\u{308} Zoe\u{308}"]);
    }

    #[test]
    fn words_are_never_broken() {
        assert_eq!(wrap("put-down pick-up", 6), ["put-down", "pick-up"]);
        assert_eq!(wrap("  one \n two ", 20), ["one two"]);
        let items = ["put-down 0", "put-down 1", "leave"].map(str::to_owned);
        assert_eq!(wrap_list(&items, ", ", 18), ["put-down 0,", "put-down 1, leave"]);
        assert_eq!(wrap_list(&items, ", ", 0).len(), 3);
    }
}
