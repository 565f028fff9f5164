//! The progress of a long command, on standard error; nothing where that is not a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar, one phase after another.
pub struct Progress(ProgressBar);

impl Progress {
    /// On standard error if that is a terminal.
    pub fn on_stderr() -> Progress {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{msg} [{bar:30}] {percent:>3}% {elapsed}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Progress(bar)
    }

    /// For nobody.
    pub fn hidden() -> Progress {
        Progress(ProgressBar::hidden())
    }

    pub(super) fn begin(&self, what: String, total: u64) {
        self.0.set_message(what);
        self.0.set_length(total);
        self.0.set_position(0);
    }

    pub(super) fn at(&self, done: u64) {
        self.0.set_position(done);
    }

    pub(super) fn end(&self) {
        self.0.finish_and_clear();
    }
}
