//! Signals that end the program while it writes a JSON array: the array is closed before the program ends by the signal.
//!
//! Only then: everywhere else what is on stdout can be read as far as it goes, and the signal does what it always does.

use std::future::Future;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::errors::CliError;

/// A signal that asks the program to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interruption(SignalKind);

impl Interruption {
    /// Its usual name.
    pub fn name(self) -> &'static str {
        if self.0 == SignalKind::interrupt() { "SIGINT" } else { "SIGTERM" }
    }

    /// Ends the process as if nobody had listened: whoever has started it sees that it was interrupted.
    pub fn end_process(self) {
        // An error leaves the process to its exit code.
        let _ = signal_hook::low_level::emulate_default_handler(self.0.as_raw_value());
    }
}

/// Does some work that ends early when the program is asked to end.
pub async fn unless_interrupted<T>(work: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
    let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
    let (mut interrupts, mut terminations) = (listen(interrupt)?, listen(terminate)?);
    tokio::select! {
        done = work => done,
        Some(()) = interrupts.recv() => Err(CliError::Interrupted(Interruption(interrupt))),
        Some(()) = terminations.recv() => Err(CliError::Interrupted(Interruption(terminate))),
    }
}

fn listen(kind: SignalKind) -> Result<Signal, CliError> {
    signal(kind).map_err(|source| CliError::io("cannot listen to signals", source))
}
