//! What a load generator counts, and when.

use std::{
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tonic::{Code, Status};

use super::{LoadResult, histogram::Histogram};
use crate::lock::lock;

/// How many failures are reported in words; the others are only counted.
const MAX_SAMPLES: usize = 3;
/// How much of a failure's text is kept.
const MAX_SAMPLE_CHARS: usize = 300;

/// The time that counts: after the warm-up, before the end.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    start: Instant,
    end: Instant,
}

impl Window {
    /// A window that opens after `warmup` and stays open for `length`.
    pub fn after(warmup: Duration, length: Duration) -> Self {
        let start = Instant::now() + warmup;
        Self { start, end: start + length }
    }

    /// Whether it has closed.
    pub fn is_over(&self, now: Instant) -> bool {
        now >= self.end
    }

    /// When it closes.
    pub fn end(&self) -> Instant {
        self.end
    }

    /// How long it is open.
    pub fn length(&self) -> Duration {
        self.end - self.start
    }
}

/// The counters of one measurement, shared by all its tasks.
pub struct Tally {
    latencies: Histogram,
    actions: AtomicU64,
    refusals: AtomicU64,
    failures: AtomicU64,
    games_created: AtomicU64,
    waits_for_game: AtomicU64,
    samples: Mutex<Vec<String>>,
}

impl Tally {
    /// All zero.
    pub fn new() -> Self {
        Self {
            latencies: Histogram::new(),
            actions: AtomicU64::new(0),
            refusals: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            games_created: AtomicU64::new(0),
            waits_for_game: AtomicU64::new(0),
            samples: Mutex::new(Vec::new()),
        }
    }

    /// Counts an action that was answered with success.
    pub fn answered(&self, window: &Window, sent: Instant, now: Instant) {
        self.actions.fetch_add(1, Ordering::Relaxed);
        if now >= window.start && now < window.end {
            self.latencies.record(now - sent);
        }
    }

    /// Counts an error. A refusal by the rules means that the load generator misread the game.
    pub fn failed(&self, code: Code, what: &str) {
        let counter = if code == Code::FailedPrecondition { &self.refusals } else { &self.failures };
        counter.fetch_add(1, Ordering::Relaxed);
        let mut samples = self.samples();
        if samples.len() < MAX_SAMPLES {
            let what: String = what.chars().take(MAX_SAMPLE_CHARS).collect();
            samples.push(format!("{code:?}: {what}"));
        }
    }

    /// Counts a call that failed.
    pub fn failed_call(&self, status: &Status) {
        self.failed(status.code(), status.message());
    }

    /// Counts a new game.
    pub fn game_created(&self) {
        self.games_created.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a place that stood empty, as no new game was ready.
    pub fn waited_for_game(&self) {
        self.waits_for_game.fetch_add(1, Ordering::Relaxed);
    }

    /// The measurement as it is reported to the parent.
    pub fn result(&self, window: &Window) -> LoadResult {
        let measured = self.latencies.count();
        LoadResult {
            rate: measured as f64 / window.length().as_secs_f64(),
            p50_us: self.latencies.quantile_us(500),
            p99_us: self.latencies.quantile_us(990),
            measured_actions: measured,
            all_actions: self.actions.load(Ordering::Relaxed),
            games_created: self.games_created.load(Ordering::Relaxed),
            waits_for_game: self.waits_for_game.load(Ordering::Relaxed),
            refusals: self.refusals.load(Ordering::Relaxed),
            failures: self.failures.load(Ordering::Relaxed),
            samples: self.samples().clone(),
        }
    }

    /// The first failures in words, for a measurement that failed.
    pub fn samples_text(&self) -> String {
        let samples = self.samples();
        if samples.is_empty() { "nothing had failed before".to_owned() } else { samples.join("; ") }
    }

    fn samples(&self) -> MutexGuard<'_, Vec<String>> {
        lock(&self.samples)
    }
}
