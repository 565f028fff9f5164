//! When a call is made again, and after how long.

use std::time::Duration;

use backon::ExponentialBuilder;
use tonic::Code;

use crate::ErrorDetails;

const FIRST_DELAY: Duration = Duration::from_millis(100);
const MAX_DELAY: Duration = Duration::from_secs(2);
/// With delays that double: enough for a busy moment or a restart, and a person at a terminal learns soon enough that the
/// server is gone.
const MAX_RETRIES: usize = 5;

/// The delays of one call; at random up to twice as long, so that those who were turned away together do not come back
/// together.
pub fn backoff() -> ExponentialBuilder {
    ExponentialBuilder::new()
        .with_min_delay(FIRST_DELAY)
        .with_max_delay(MAX_DELAY)
        .with_max_times(MAX_RETRIES)
        .with_jitter()
}

/// Whether the same call may succeed a little later.
pub fn is_transient(error: &ErrorDetails) -> bool {
    match error.code {
        // tonic has more than one code for a connection that broke.
        Code::Unavailable | Code::Cancelled | Code::Unknown | Code::ResourceExhausted if error.from_transport => true,
        Code::Unavailable | Code::ResourceExhausted | Code::Aborted if error.retry_delay.is_some() => true,
        // Something on the way to the server. divelog itself says how long to wait, or that it is no use (STORE_FAILED).
        Code::Unavailable => error.reason.is_none(),
        _ => false,
    }
}

/// How long to wait before the next try: not shorter than the server asks for. None if the caller's time would be up before.
pub fn delay(error: &ErrorDetails, backoff: Option<Duration>, left: Duration) -> Option<Duration> {
    let delay = backoff?.max(error.retry_delay.unwrap_or_default());
    (delay < left).then_some(delay)
}

#[cfg(test)]
mod tests {
    use super::*;
    use backon::BackoffBuilder as _;

    #[test]
    fn only_transient_errors_are_retried() {
        let asked = |code| ErrorDetails { retry_delay: Some(Duration::ZERO), ..ErrorDetails::new(code, "") };
        let reasoned = |code| ErrorDetails { reason: Some("WHY".into()), ..ErrorDetails::new(code, "") };
        let broken = |code| ErrorDetails { from_transport: true, ..ErrorDetails::new(code, "") };
        let cases = [
            (asked(Code::Unavailable), true),
            (asked(Code::ResourceExhausted), true),
            (asked(Code::Aborted), true),
            (asked(Code::FailedPrecondition), false),
            (asked(Code::DataLoss), false),
            (broken(Code::Unavailable), true),
            (broken(Code::Unknown), true),
            (broken(Code::Cancelled), true),
            (broken(Code::ResourceExhausted), true),
            (broken(Code::Internal), false),
            (ErrorDetails::new(Code::Unavailable, ""), true),
            // STORE_FAILED: the same until a restart.
            (reasoned(Code::Unavailable), false),
            // STALE_REVISION: the caller has to look again.
            (reasoned(Code::Aborted), false),
            (reasoned(Code::ResourceExhausted), false),
            (ErrorDetails::new(Code::ResourceExhausted, ""), false),
            (ErrorDetails::new(Code::Unknown, ""), false),
            (ErrorDetails::new(Code::Cancelled, ""), false),
            (ErrorDetails::new(Code::DeadlineExceeded, ""), false),
            (ErrorDetails::new(Code::NotFound, ""), false),
        ];
        for (error, transient) in cases {
            assert_eq!(is_transient(&error), transient, "{error:?}");
        }
    }

    #[test]
    fn the_server_may_ask_for_a_longer_wait_but_not_for_more_than_there_is() {
        let ms = Duration::from_millis;
        let asked = |delay| ErrorDetails { retry_delay: delay, ..ErrorDetails::new(Code::Unavailable, "") };
        assert_eq!(delay(&asked(None), Some(ms(100)), ms(1_000)), Some(ms(100)));
        assert_eq!(delay(&asked(Some(ms(300))), Some(ms(100)), ms(1_000)), Some(ms(300)));
        assert_eq!(delay(&asked(Some(ms(30))), Some(ms(100)), ms(1_000)), Some(ms(100)));
        assert_eq!(delay(&asked(Some(ms(1_000))), Some(ms(100)), ms(1_000)), None);
        assert_eq!(delay(&asked(Some(Duration::MAX)), Some(ms(100)), ms(1_000)), None);
        assert_eq!(delay(&asked(None), Some(ms(100)), ms(100)), None);
        assert_eq!(delay(&asked(None), None, ms(1_000)), None, "the tries are used up");
    }

    #[test]
    fn delays_double_and_end() {
        let delays: Vec<Duration> = backoff().build().collect();
        let least = [100, 200, 400, 800, 1_600].map(Duration::from_millis);
        assert_eq!(delays.len(), least.len());
        for (delay, least) in delays.into_iter().zip(least) {
            assert!(least <= delay && delay <= 2 * least, "{delay:?} for {least:?}");
        }
    }
}
