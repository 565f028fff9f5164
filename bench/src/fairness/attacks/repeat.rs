//! Doing something over and over, and counting the outcomes.

use std::{
    error::Error as _,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;
use tonic::Status;

use super::AttackContext;
use crate::lock::lock;

/// The pause after the first failure in a row; each one more doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// The longest pause.
const MAX_PAUSE: Duration = Duration::from_secs(1);
/// An attempt that lasted so long counts as a success: the pause after it is the first one again.
const COUNTS_AS_SUCCESS: Duration = Duration::from_millis(10);
/// How many different refusals are reported in words.
const MAX_SAMPLES: usize = 3;
/// How much of a refusal's text is kept.
const MAX_SAMPLE_CHARS: usize = 160;

/// What an attacker achieved.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct AttackResult {
    /// Calls, messages, pings or connections that it began.
    pub begun: u64,
    /// How many of them were answered to their end, or streams' messages that came.
    pub answered: u64,
    /// How many were refused.
    pub refused: u64,
    /// How often its connection was ended.
    pub cut_off: u64,
    /// The first refusals and ends in words.
    pub samples: Vec<String>,
}

/// The counters of an attack, shared by its tasks.
#[derive(Default)]
pub struct Counts {
    begun: AtomicU64,
    answered: AtomicU64,
    refused: AtomicU64,
    cut_off: AtomicU64,
    samples: Mutex<Vec<String>>,
}

impl Counts {
    /// Counts what is begun.
    pub fn begin(&self, count: u64) {
        self.begun.fetch_add(count, Ordering::Relaxed);
    }

    /// Counts what was answered.
    pub fn answer(&self, count: u64) {
        self.answered.fetch_add(count, Ordering::Relaxed);
    }

    /// How much was begun.
    pub fn begun(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }

    /// Counts a call that was refused, or a connection that ended.
    pub fn record_setback(&self, setback: Setback) {
        let (counter, what) = match setback {
            Setback::Refused(what) => (&self.refused, what),
            Setback::CutOff(what) => (&self.cut_off, what),
        };
        counter.fetch_add(1, Ordering::Relaxed);
        let mut samples = lock(&self.samples);
        if samples.len() < MAX_SAMPLES {
            let what: String = what.chars().take(MAX_SAMPLE_CHARS).collect();
            if !samples.contains(&what) {
                samples.push(what);
            }
        }
    }

    /// The counts.
    pub fn result(&self) -> AttackResult {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        AttackResult {
            begun: of(&self.begun),
            answered: of(&self.answered),
            refused: of(&self.refused),
            cut_off: of(&self.cut_off),
            samples: lock(&self.samples).clone(),
        }
    }
}

/// Why an attacker could not go on.
#[derive(Debug, PartialEq)]
pub enum Setback {
    /// The server has refused a call.
    Refused(String),
    /// A connection could not be opened, or ended.
    CutOff(String),
}

impl From<Status> for Setback {
    fn from(status: Status) -> Self {
        let what = format!("{:?}: {}", status.code(), status.message());
        // A status that the server sent has no source; one that was made of a broken connection has.
        if status.source().is_some() { Setback::CutOff(what) } else { Setback::Refused(what) }
    }
}

impl From<h2::Error> for Setback {
    fn from(error: h2::Error) -> Self {
        if error.is_reset() { Setback::Refused(error.to_string()) } else { Setback::CutOff(error.to_string()) }
    }
}

impl From<std::io::Error> for Setback {
    fn from(error: std::io::Error) -> Self {
        Setback::CutOff(error.to_string())
    }
}

/// Does something again and again, in a task of its own on this thread.
pub fn keep_doing(
    tasks: &mut JoinSet<()>,
    context: &AttackContext,
    once: impl AsyncFnMut(&AttackContext) -> Result<(), Setback> + 'static,
) {
    let context = context.clone();
    tasks.spawn_local(async move { forever(&context, once).await });
}

/// Does something again and again. After a setback it waits.
pub async fn forever(context: &AttackContext, mut once: impl AsyncFnMut(&AttackContext) -> Result<(), Setback>) {
    let mut setbacks = 0;
    loop {
        let begun = Instant::now();
        match once(context).await {
            Ok(()) => setbacks = 0,
            Err(setback) => {
                context.counts.record_setback(setback);
                if begun.elapsed() >= COUNTS_AS_SUCCESS {
                    setbacks = 0;
                }
                tokio::time::sleep(pause(setbacks)).await;
                setbacks += 1;
            }
        }
    }
}

/// The pause after so many setbacks in a row before this one.
fn pause(setbacks: u32) -> Duration {
    FIRST_PAUSE.saturating_mul(1 << setbacks.min(16)).min(MAX_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_the_longest() {
        let pauses: Vec<u128> = [0, 1, 2, 5, 6, 1_000].map(|n| pause(n).as_millis()).into();
        assert_eq!(pauses, [20, 40, 80, 640, 1_000, 1_000]);
    }

    #[test]
    fn the_first_different_setbacks_are_kept() {
        let counts = Counts::default();
        for text in ["a", "a", "b", "c", "d"] {
            counts.record_setback(Setback::Refused(text.repeat(MAX_SAMPLE_CHARS + 1)));
        }
        counts.record_setback(Status::unavailable("no").into());
        counts.record_setback(Setback::CutOff("gone".to_owned()));
        let done = counts.result();
        assert_eq!((done.refused, done.cut_off), (6, 1));
        assert_eq!(done.samples, ["a", "b", "c"].map(|text| text.repeat(MAX_SAMPLE_CHARS)));
    }
}
