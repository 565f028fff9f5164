//! The time that a caller gives a call (the header `grpc-timeout`): one whose time is over is not begun, and one that is not
//! answered in time ends.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::HeaderMap;
use tokio::time::{Instant, Sleep};

const HEADER: &str = "grpc-timeout";
/// How many digits it may have.
const MAX_DIGITS: usize = 8;

/// When a call must be answered, if its caller says so.
pub(super) struct Deadline {
    at: Option<Instant>,
    /// Made when the call has to wait.
    timer: Option<Pin<Box<Sleep>>>,
}

impl Deadline {
    /// The deadline of a call that comes now.
    pub fn of(headers: &HeaderMap) -> Deadline {
        let timeout = headers.get(HEADER).and_then(|value| parse(value.to_str().ok()?));
        Deadline { at: timeout.and_then(|timeout| Instant::now().checked_add(timeout)), timer: None }
    }

    /// One that has passed.
    #[cfg(test)]
    pub fn over() -> Deadline {
        Deadline { at: Some(Instant::now()), timer: None }
    }

    pub fn has_passed(&self) -> bool {
        self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// How much of the time is left; none where there is no end.
    pub fn left(&self) -> Option<Duration> {
        Some(self.at?.saturating_duration_since(Instant::now()))
    }

    /// Done when it has passed.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(at) = self.at else { return Poll::Pending };
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(at)));
        timer.as_mut().poll(context)
    }
}

/// Digits and a unit. Anything else is no deadline, as in other servers.
fn parse(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > MAX_DIGITS || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(count * 3_600),
        "M" => Duration::from_secs(count * 60),
        "S" => Duration::from_secs(count),
        "m" => Duration::from_millis(count),
        "u" => Duration::from_micros(count),
        "n" => Duration::from_nanos(count),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_digits_and_a_unit() {
        for (text, expected) in [
            ("1n", Some(Duration::from_nanos(1))),
            ("0S", Some(Duration::ZERO)),
            ("250u", Some(Duration::from_micros(250))),
            ("50m", Some(Duration::from_millis(50))),
            ("60S", Some(Duration::from_secs(60))),
            ("2M", Some(Duration::from_secs(120))),
            ("99999999H", Some(Duration::from_secs(99_999_999 * 3_600))),
            ("100000000n", None),
            ("", None),
            ("S", None),
            ("5", None),
            ("-5S", None),
            ("+5S", None),
            ("5s", None),
            ("5é", None),
        ] {
            assert_eq!(parse(text), expected, "{text:?}");
        }
    }
}
