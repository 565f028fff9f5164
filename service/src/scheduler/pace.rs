//! What is left free of the processor while somebody plays who asks for little.
//!
//! A process that always has something to do gets its turns on a processor only when the system's scheduler gives it one, and
//! so do its other threads, the disk's and its clients': on a machine with two processors a flood keeps both busy, and each
//! hand-over of somebody else's call then waits for milliseconds. So where processors are scarce, flows that ask for much
//! have a third of the time, as long as others are there who ask for little.

use std::time::Duration;

/// How long somebody who asked for little counts as being there.
const PRESENCE: Duration = Duration::from_millis(100);
/// Heavy flows have one part of so many.
const PARTS: u32 = 3;
/// How much may be saved up: what heavy flows use without a break.
const MAX_CREDIT: Duration = Duration::from_millis(1);

/// Times are counted from any moment on.
pub(super) struct Pace {
    /// How many processors the flows could keep busy.
    workers: u32,
    /// When somebody who asks for little was served last.
    light: Option<Duration>,
    /// What heavy flows may use; what they have used beyond that.
    credit: Duration,
    debt: Duration,
    at: Duration,
}

impl Pace {
    pub fn new(workers: usize) -> Pace {
        let workers = u32::try_from(workers).unwrap_or(u32::MAX);
        Pace { workers, light: None, credit: MAX_CREDIT, debt: Duration::ZERO, at: Duration::ZERO }
    }

    /// Notes that a light flow is served.
    pub fn light(&mut self, now: Duration) {
        self.light = Some(now);
    }

    /// Whether somebody who asks for little is there.
    pub fn holds_back(&self, now: Duration) -> bool {
        self.light.is_some_and(|light| now.saturating_sub(light) < PRESENCE)
    }

    /// How long heavy flows must wait now.
    pub fn rest(&mut self, now: Duration) -> Option<Duration> {
        if !self.holds_back(now) {
            (self.credit, self.debt, self.at) = (MAX_CREDIT, Duration::ZERO, now);
            return None;
        }
        let earned = now.saturating_sub(self.at) * self.workers / PARTS;
        self.at = now;
        let left = earned.saturating_sub(self.debt);
        self.debt = self.debt.saturating_sub(earned);
        self.credit = (self.credit + left).min(MAX_CREDIT);
        // Half of what may be saved up: a rest is worth the timer that ends it.
        let missing = self.debt + (MAX_CREDIT / 2).saturating_sub(self.credit);
        (self.credit.is_zero() || !self.debt.is_zero()).then(|| missing * PARTS / self.workers)
    }

    /// Counts what a heavy flow has used.
    pub fn used(&mut self, time: Duration) {
        let beyond = time.saturating_sub(self.credit);
        self.credit = self.credit.saturating_sub(time);
        self.debt += beyond;
    }
}
