//! The progress of long work, on stderr: a bar on a terminal, otherwise a line every few seconds.

use std::{
    io::{self, IsTerminal as _},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output;

/// How often a line is written where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// How often the bar is drawn at most per second.
const DRAWS_PER_SECOND: u8 = 10;

const TEMPLATE: &str = "{bar:30} {pos} of {len} games, {per_sec}, {elapsed} {msg}";

/// A count of games, shared by whoever finds them and whoever finishes them.
#[derive(Clone)]
pub struct Progress(Arc<Shared>);

struct Shared {
    found: AtomicU64,
    done: AtomicU64,
    bar: Option<ProgressBar>,
    last_line: Mutex<Instant>,
}

impl Progress {
    /// Nothing found yet.
    pub fn start() -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_bar());
            let target = ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND);
            ProgressBar::with_draw_target(Some(0), target).with_style(style)
        });
        let shared =
            Shared { found: AtomicU64::new(0), done: AtomicU64::new(0), bar, last_line: Mutex::new(Instant::now()) };
        Self(Arc::new(shared))
    }

    /// So many more games are to be done.
    pub fn found(&self, count: usize) {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.0.found.fetch_add(count, Ordering::Relaxed);
        if let Some(bar) = &self.0.bar {
            bar.inc_length(count);
        }
    }

    /// One more is done.
    pub fn done(&self) {
        let done = self.0.done.fetch_add(1, Ordering::Relaxed) + 1;
        match &self.0.bar {
            Some(bar) => bar.inc(1),
            None => self.line(done),
        }
    }

    fn line(&self, done: u64) {
        let Ok(mut last) = self.0.last_line.lock() else { return };
        if last.elapsed() >= LINE_EVERY {
            *last = Instant::now();
            output::note(&format!("{done} of {} games so far", self.0.found.load(Ordering::Relaxed)));
        }
    }

    /// Does something that prints, with the bar out of its way.
    pub fn without_bar<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.0.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.0.bar {
            bar.finish_and_clear();
        }
    }
}
