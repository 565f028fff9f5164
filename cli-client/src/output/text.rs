//! Hashes, times and labels in a table.

use std::collections::BTreeMap;

use divelog_text::strings::{clean_line, or_dash};
use prost_types::Timestamp;

/// How many hex digits of a hash tables show; enough to tell records of one game apart.
const SHORT_HASH_DIGITS: usize = 12;

/// The first digits of a hash.
pub fn short_hash(bytes: &[u8]) -> String {
    let mut text = hex::encode(bytes);
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

/// Labels as `key=value`, or a dash.
pub fn labels(labels: &BTreeMap<String, String>) -> String {
    let pairs: Vec<String> = labels.iter().map(|(key, value)| clean_line(&format!("{key}={value}"))).collect();
    or_dash(pairs.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_and_times() {
        assert_eq!(short_hash(&[0xab; 32]), "abababababab");
        assert_eq!(short_hash(&[]), "-");
        assert_eq!(time_ms(1_700_000_000_123), "2023-11-14T22:13:20.123Z");
        assert_eq!(time_ms(u64::MAX), format!("{} ms", u64::MAX));
        assert_eq!(time(None), "-");
    }
}
