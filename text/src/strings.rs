//! Small pieces of text: names made safe for a terminal, counts, wrapped paragraphs.

/// Text from outside without what a terminal would obey: control characters, and the marks that reorder a line. Line
/// breaks stay, because messages of the client's own may have several lines.
pub fn clean(text: &str) -> String {
    text.chars().filter(|&c| c == '\n' || !(c.is_control() || reorders(c))).collect()
}

/// A name or label from outside: as [`clean`], and on one line.
pub fn clean_line(text: &str) -> String {
    clean(text).replace('\n', "")
}

fn reorders(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// So many of something: `1 leaf`, `2 leaves`.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Text, or a dash where there is none.
pub fn or_dash(text: String) -> String {
    if text.is_empty() { "-".into() } else { text }
}

/// Breaks a paragraph at spaces so that no line is longer than `width`, if its words allow it.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let needed = line.chars().count() + usize::from(!line.is_empty()) + word.chars().count();
        if needed > width && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        assert_eq!(clean("A\u{1b}[31mna\u{7}\u{9b}\u{202e}\r\n"), "A[31mna\n");
        assert_eq!(clean_line("A\nna\t"), "Ana");
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
}
