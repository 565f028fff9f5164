//! What a run found, as it is printed; the JSON is these types as they are.

use serde::Serialize;

use crate::{args::Target, disk::DiskUse, engine::Engine, load::LoadResult, machine::Machine, replay::Replay};

/// A whole run.
#[derive(Debug, Serialize)]
pub struct Results {
    /// Where it ran.
    pub machine: Machine,
    /// The folder whose disk was measured.
    pub data_dir: String,
    /// Its file system.
    pub file_system: String,
    /// Seconds per measurement.
    pub seconds: f64,
    /// Rounds per point.
    pub rounds: u64,
    /// The loads.
    pub points: Vec<PointResult>,
    /// The raw disk, one entry per round.
    pub fdatasync: Vec<Syncs>,
    /// The bytes an action takes.
    pub disk_use: Option<DiskUse>,
    /// Replaying; absent if not measured.
    pub replay: Option<Judged<Replay>>,
    /// Play with and without sealing; absent if not measured.
    pub sealing: Option<Judged<Sealing>>,
    /// The rules alone, by kind of game.
    pub engine: Vec<Engine>,
    /// What a reader must know before using the numbers.
    pub warnings: Vec<String>,
}

/// One load on all servers.
#[derive(Debug, Serialize)]
pub struct PointResult {
    /// Its name.
    pub name: &'static str,
    /// Games in flight.
    pub games: u32,
    /// Streams; 0 for unary calls.
    pub streams: u32,
    /// Connections.
    pub connections: u32,
    /// The servers, divelog first.
    pub targets: Vec<TargetResult>,
    /// divelog's rate as a share of the typed echo's: the median over the rounds.
    pub ratio_to_typed: Option<f64>,
    /// The same beside the plain echo.
    pub ratio_to_plain: Option<f64>,
    /// The least ratio to the typed echo that is promised: the same load without rules and log.
    pub target_ratio: Option<f64>,
    /// Whether it is kept, without a single refusal or failure; absent without a promise or a measurement.
    pub ok: Option<bool>,
}

/// One load on one server: medians, and the rounds behind them.
#[derive(Debug, Serialize)]
pub struct TargetResult {
    /// The server.
    pub target: Target,
    /// Actions per second.
    pub rate: f64,
    /// Median latency in microseconds.
    pub p50_us: f64,
    /// 99 % of latencies stay within it, in microseconds.
    pub p99_us: f64,
    /// Every round, in order.
    pub rounds: Vec<LoadResult>,
}

/// The same load on two servers, of which one seals every second and one never.
#[derive(Debug, Clone, Serialize)]
pub struct Sealing {
    /// Actions per second with sealing: the median of the rounds.
    pub sealed: f64,
    /// Actions per second without.
    pub unsealed: f64,
    /// The median of the rounds' own ratios.
    pub ratio: f64,
    /// Each round: with, without.
    pub rounds: Vec<(f64, f64)>,
}

impl Sealing {
    /// The medians of the rounds.
    pub fn new(rounds: Vec<(f64, f64)>) -> Sealing {
        let of = |value: fn(&(f64, f64)) -> f64| median(rounds.iter().map(value));
        Sealing {
            sealed: of(|(sealed, _)| *sealed),
            unsealed: of(|(_, unsealed)| *unsealed),
            ratio: of(|(sealed, unsealed)| sealed / unsealed),
            rounds,
        }
    }
}

/// One round of raw syncs.
#[derive(Debug, Clone, Serialize)]
pub struct Syncs {
    /// Syncs per second.
    pub rate: f64,
    /// Median in microseconds.
    pub p50_us: f64,
    /// 99 % stay within it, in microseconds.
    pub p99_us: f64,
}

/// A measurement and its target.
#[derive(Debug, Serialize)]
pub struct Judged<T> {
    /// The measurement.
    #[serde(flatten)]
    pub measured: T,
    /// The least that it must be.
    pub target: f64,
    /// Whether it is.
    pub ok: bool,
}

impl PointResult {
    /// A server's numbers.
    pub fn of(&self, target: Target) -> Option<&TargetResult> {
        self.targets.iter().find(|result| result.target == target)
    }

    /// Fills the ratios in. They are taken round by round: what disturbs the machine for some seconds disturbs both
    /// sides of a round, and cancels out.
    pub fn judge(&mut self) {
        self.ratio_to_plain = self.ratio(Target::Plain);
        self.ratio_to_typed = self.ratio(Target::Typed);
        // A server that fails answers faster or slower than it should, on either side of the ratio.
        let clean = self.targets.iter().all(|result| result.not_answered() == (0, 0));
        self.ok = match (self.ratio_to_typed, self.target_ratio) {
            (Some(ratio), Some(target)) => Some(clean && ratio >= target),
            _ => None,
        };
    }

    fn ratio(&self, reference: Target) -> Option<f64> {
        let divelog = &self.of(Target::Divelog)?.rounds;
        let reference = &self.of(reference)?.rounds;
        let ratios = divelog.iter().zip(reference);
        let ratios: Vec<f64> = ratios
            .filter(|(_, reference)| reference.rate > 0.0)
            .map(|(divelog, reference)| divelog.rate / reference.rate)
            .collect();
        (!ratios.is_empty()).then(|| median(ratios))
    }
}

impl TargetResult {
    /// The medians of some rounds.
    pub fn new(target: Target, rounds: Vec<LoadResult>) -> Self {
        Self {
            target,
            rate: median(rounds.iter().map(|round| round.rate)),
            p50_us: median(rounds.iter().map(|round| round.p50_us)),
            p99_us: median(rounds.iter().map(|round| round.p99_us)),
            rounds,
        }
    }

    /// Refusals and failures in all rounds.
    pub fn not_answered(&self) -> (u64, u64) {
        let refusals = self.rounds.iter().map(|round| round.refusals).sum();
        (refusals, self.rounds.iter().map(|round| round.failures).sum())
    }
}

/// The median; the mean of the two in the middle of an even number, 0 of none.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match (values.get(half), half.checked_sub(1).and_then(|i| values.get(i))) {
        (Some(upper), Some(lower)) if values.len().is_multiple_of(2) => (lower + upper) / 2.0,
        (Some(middle), _) => *middle,
        (None, _) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn medians() {
        assert_eq!(median([]), 0.0);
        assert_eq!(median([3.0]), 3.0);
        assert_eq!(median([9.0, 1.0]), 5.0);
        assert_eq!(median([9.0, 1.0, 2.0]), 2.0);
    }
}
