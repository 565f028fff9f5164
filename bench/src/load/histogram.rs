//! Latencies in fixed memory: log-linear buckets, integers only.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Each power of two is cut into 2^6 buckets, so a value is off by at most 1.6 %.
const SUB_BITS: u32 = 6;
/// The buckets of one power of two.
const SUB: u64 = 1 << SUB_BITS;
/// Values of 2^40 ns (18 minutes) and more are counted as the largest.
const MAX_BITS: u32 = 40;
/// All buckets.
const BUCKETS: usize = ((MAX_BITS - SUB_BITS + 1) as usize) << SUB_BITS;

/// Counts of latencies. Shared by all tasks of a load generator.
///
/// Atomics, though there is one thread only: tasks must be `Send`, and an uncontended relaxed add costs less than a
/// lock.
pub struct Histogram {
    buckets: Box<[AtomicU64]>,
}

impl Histogram {
    /// An empty one.
    pub fn new() -> Self {
        Self { buckets: (0..BUCKETS).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Counts one latency.
    pub fn record(&self, latency: Duration) {
        let nanos = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        self.buckets[index(nanos)].fetch_add(1, Ordering::Relaxed);
    }

    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|b| b.load(Ordering::Relaxed)).sum()
    }

    /// The latency in microseconds that `per_mille` of all stay within; 0 if none was counted.
    pub fn quantile_us(&self, per_mille: u64) -> f64 {
        let total = self.count();
        let wanted = (total * per_mille).div_ceil(1_000).max(1);
        let mut seen = 0;
        for (i, bucket) in self.buckets.iter().enumerate() {
            seen += bucket.load(Ordering::Relaxed);
            if seen >= wanted {
                return middle(i) / 1_000.0;
            }
        }
        0.0
    }
}

/// The bucket of a value.
fn index(nanos: u64) -> usize {
    let nanos = nanos.min((1 << MAX_BITS) - 1);
    // `| SUB` puts all values below SUB into the first, exact range.
    let shift = (nanos | SUB).ilog2() - SUB_BITS;
    let range = u64::from(shift) << SUB_BITS;
    (range + (nanos >> shift)) as usize
}

/// The middle of a bucket, in nanoseconds.
fn middle(index: usize) -> f64 {
    let index = index as u64;
    if index < 2 * SUB {
        return index as f64;
    }
    let shift = (index >> SUB_BITS) - 1;
    let low = (index - (shift << SUB_BITS)) << shift;
    low as f64 + (1u64 << shift) as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_within_its_bucket() {
        for bits in 0..MAX_BITS {
            for offset in [0u64, 1, 3, 17] {
                let value = (1u64 << bits) + offset;
                if value >= 1 << MAX_BITS {
                    continue;
                }
                let error = (middle(index(value)) - value as f64).abs();
                assert!(error <= value as f64 / 60.0 + 0.5, "{value}: off by {error}");
            }
        }
        assert_eq!(index(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn quantiles_of_a_ramp() {
        let histogram = Histogram::new();
        assert_eq!(histogram.quantile_us(500), 0.0);
        for us in 1..=1_000 {
            histogram.record(Duration::from_micros(us));
        }
        assert_eq!(histogram.count(), 1_000);
        assert!((histogram.quantile_us(500) - 500.0).abs() < 10.0);
        assert!((histogram.quantile_us(990) - 990.0).abs() < 18.0);
    }
}
