//! Latencies in fixed memory.

use std::{
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use crate::lock::lock;

/// Longer latencies are counted as this one: 18 minutes, longer than any measurement.
const MAX_NS: u64 = 1 << 40;
/// A value is off by at most one in a thousand.
const DIGITS: u8 = 3;

/// Counts of latencies. Shared by all tasks of a load generator.
///
/// Under a lock, though there is one thread only: tasks must be `Send`. It is never waited for.
pub struct Histogram(Mutex<hdrhistogram::Histogram<u64>>);

impl Histogram {
    /// An empty one; about 500 KiB, whatever is counted.
    pub fn new() -> Self {
        let counts = hdrhistogram::Histogram::new_with_bounds(1, MAX_NS, DIGITS);
        Self(Mutex::new(counts.expect("the bounds are in order")))
    }

    /// Counts one latency.
    pub fn record(&self, latency: Duration) {
        self.counts().saturating_record(u64::try_from(latency.as_nanos()).unwrap_or(MAX_NS));
    }

    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.counts().len()
    }

    /// The latency in microseconds that `per_mille` of all stay within; 0 if none was counted.
    pub fn quantile_us(&self, per_mille: u64) -> f64 {
        self.counts().value_at_quantile(per_mille as f64 / 1_000.0) as f64 / 1_000.0
    }

    fn counts(&self) -> MutexGuard<'_, hdrhistogram::Histogram<u64>> {
        lock(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_ramp() {
        let histogram = Histogram::new();
        assert_eq!(histogram.quantile_us(500), 0.0);
        for us in 1..=1_000 {
            histogram.record(Duration::from_micros(us));
        }
        assert_eq!(histogram.count(), 1_000);
        assert!((histogram.quantile_us(500) - 500.0).abs() < 1.0);
        assert!((histogram.quantile_us(990) - 990.0).abs() < 2.0);
    }

    #[test]
    fn a_latency_beyond_the_bound_counts_as_the_longest() {
        let histogram = Histogram::new();
        histogram.record(Duration::MAX);
        histogram.record(Duration::ZERO);
        assert_eq!(histogram.count(), 2);
        let longest = histogram.quantile_us(1_000) * 1_000.0;
        assert!((longest / MAX_NS as f64 - 1.0).abs() < 0.001, "{longest}");
    }
}
