//! Small pieces of text: names made safe for a terminal, hashes, times, wrapped paragraphs.

use std::collections::BTreeMap;

use prost_types::Timestamp;

/// How many hex digits of a hash tables show; enough to tell records of one game apart.
const SHORT_HASH_DIGITS: usize = 12;

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

/// Bytes in lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The first digits of a hash.
pub fn short_hash(bytes: &[u8]) -> String {
    let mut text = hex(bytes);
    text.truncate(SHORT_HASH_DIGITS);
    or_dash(text)
}

/// A time in UTC, or a dash.
pub fn time(time: Option<&Timestamp>) -> String {
    time.map_or_else(|| "-".into(), ToString::to_string)
}

/// A time in UTC from milliseconds since 1970.
pub fn time_ms(ms: u64) -> String {
    let seconds = i64::try_from(ms / 1000).unwrap_or(i64::MAX);
    let nanos = i32::try_from(ms % 1000).unwrap_or(0) * 1_000_000;
    // A log from outside may name a year that no calendar prints.
    const LAST_SECOND: i64 = 253_402_300_799;
    if seconds > LAST_SECOND {
        return format!("{ms} ms");
    }
    Timestamp { seconds, nanos }.to_string()
}

/// So many of something: `1 leaf`, `2 leaves`.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Text, or a dash where there is none.
pub fn or_dash(text: String) -> String {
    if text.is_empty() { "-".into() } else { text }
}

/// Labels as `key=value`, or a dash.
pub fn labels(labels: &BTreeMap<String, String>) -> String {
    let pairs: Vec<String> = labels.iter().map(|(key, value)| clean_line(&format!("{key}={value}"))).collect();
    or_dash(pairs.join(" "))
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
    fn hashes_and_times() {
        assert_eq!(hex(&[0, 255]), "00ff");
        assert_eq!(short_hash(&[0xab; 32]), "abababababab");
        assert_eq!(short_hash(&[]), "-");
        assert_eq!(time_ms(1_700_000_000_123), "2023-11-14T22:13:20.123Z");
        assert_eq!(time_ms(u64::MAX), format!("{} ms", u64::MAX));
        assert_eq!(time(None), "-");
        assert_eq!((counted(1, "leaf", "leaves"), counted(0, "leaf", "leaves")), ("1 leaf".into(), "0 leaves".into()));
    }

    #[test]
    fn paragraphs_break_at_spaces() {
        assert_eq!(wrap("aa bb cc", 5), ["aa bb", "cc"]);
        assert_eq!(wrap("abcdefgh i", 4), ["abcdefgh", "i"]);
        assert_eq!(wrap("", 4), [""]);
    }
}
