//! What the signals do: SIGTERM and Ctrl-C stop the server in good order. SIGHUP stops it too where it says that the terminal
//! is gone from which the server was started; otherwise somebody asks it to read its settings again, and it says that there is
//! nothing to read.

use std::fs::{self, File};
use std::future::Future;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens to signals from now on; done when the server is to stop.
pub fn stop() -> impl Future<Output = ()> {
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    let hang_up = HangUp::listen();
    async move {
        match signals {
            (Ok(mut terminate), Ok(mut interrupt)) => {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                    () = hang_up.ended() => {}
                }
            }
            // Without signals the server runs until it is killed, which it survives.
            _ => std::future::pending().await,
        }
    }
}

struct HangUp {
    /// None where the process was started to outlive its terminal (`nohup`), or the system gives no signals.
    signal: Option<Signal>,
    had_terminal: bool,
}

impl HangUp {
    fn listen() -> HangUp {
        let signal = if is_ignored() { None } else { signal(SignalKind::hangup()).ok() };
        HangUp { signal, had_terminal: has_terminal() }
    }

    /// Done when the terminal is gone.
    async fn ended(mut self) {
        let Some(signal) = &mut self.signal else { return std::future::pending().await };
        while signal.recv().await.is_some() {
            if self.had_terminal && !has_terminal() {
                tracing::info!("the terminal is gone: the server stops");
                return;
            }
            tracing::info!(
                "SIGHUP: there is nothing to reload; settings are read at the start (SIGTERM stops the server)"
            );
        }
        std::future::pending().await
    }
}

/// Whether the process has a controlling terminal. The kernel takes it away before it sends SIGHUP for a terminal that is gone.
fn has_terminal() -> bool {
    File::open("/dev/tty").is_ok()
}

/// Whether whoever started the process has it ignore SIGHUP, which is signal 1.
fn is_ignored() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores_hang_up(&status))
}

fn ignores_hang_up(status: &str) -> bool {
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).is_some_and(|signals| signals & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bit_of_the_ignored_signals_is_that_of_a_hang_up() {
        assert!(ignores_hang_up("Name:\tdivelogd\nSigIgn:\t0000000000001001\n"));
        assert!(!ignores_hang_up("SigBlk:\t0000000000000001\nSigIgn:\t0000000000001000\n"));
        assert!(!ignores_hang_up(""));
    }
}
