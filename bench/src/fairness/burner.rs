//! A process that does nothing but burn processor time, as much as an attacker did: what an attack is compared with.

use std::{
    hint::spin_loop,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use clap::Args;
use rustix::time::{ClockId, clock_gettime};

use super::{helper::wait_for_end, lower_priority};

/// How long it burns before it checks the clock again.
const BURN: Duration = Duration::from_micros(200);
/// The shortest rest: shorter ones are mostly the cost of sleeping.
const MIN_REST: Duration = Duration::from_millis(1);
/// The most lost processor time that is caught up with. What other processes took beyond it is lost, as it is for an
/// attacker.
const MAX_DEBT: Duration = Duration::from_millis(50);

/// A burner's options.
#[derive(Debug, Clone, Args)]
pub struct BurnArgs {
    /// How many thousandths of a core to burn in all.
    #[arg(long)]
    pub per_mille: u32,
    /// It ends after so many seconds, if it is not ended before.
    #[arg(long)]
    pub seconds: u64,
}

/// Burns until it is ended.
pub async fn main(args: &BurnArgs) -> Result<(), String> {
    lower_priority();
    let stop = Arc::new(AtomicBool::new(false));
    let (threads, share) = spread(f64::from(args.per_mille) / 1_000.0);
    let burners: Vec<_> = (0..threads)
        .map(|_| {
            let stop = stop.clone();
            thread::spawn(move || burn(share, &stop))
        })
        .collect();
    let ended = wait_for_end(Duration::from_secs(args.seconds)).await;
    stop.store(true, Ordering::Relaxed);
    for burner in burners {
        burner.join().map_err(|_| "a burner panicked".to_owned())?;
    }
    ended
}

/// Over how many threads a number of cores is spread, and each thread's share of a core. As few threads as can do it:
/// an attacker has one, and a second only where one core was not enough.
fn spread(cores: f64) -> (usize, f64) {
    let threads = cores.ceil().max(1.0);
    (threads as usize, cores / threads)
}

/// Burns a share of a core on the calling thread.
fn burn(share: f64, stop: &AtomicBool) {
    let mut duty = DutyCycle { share, written_off: Duration::ZERO };
    let (begun, before) = (Instant::now(), thread_time());
    while !stop.load(Ordering::Relaxed) {
        match duty.rest(thread_time().saturating_sub(before), begun.elapsed()) {
            Some(rest) => thread::sleep(rest),
            None => {
                let until = Instant::now() + BURN;
                while Instant::now() < until {
                    spin_loop();
                }
            }
        }
    }
}

/// The processor time of the calling thread.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}

/// Keeps a thread at a share of a core.
struct DutyCycle {
    share: f64,
    /// Lost processor time that it does not catch up with.
    written_off: Duration,
}

impl DutyCycle {
    /// How long to rest, having used so much processor time in so long; `None`: burn.
    fn rest(&mut self, used: Duration, elapsed: Duration) -> Option<Duration> {
        let due = elapsed.mul_f64(self.share).saturating_sub(self.written_off);
        if used >= due {
            let ahead = (used - due).div_f64(self.share.max(0.001));
            return Some(ahead.max(MIN_REST));
        }
        let debt = due - used;
        self.written_off += debt.saturating_sub(MAX_DEBT);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// A thread that gets what it asks for, in a world where burning and resting take exactly their time.
    fn used_of(share: f64, window: Duration) -> Duration {
        let mut duty = DutyCycle { share, written_off: Duration::ZERO };
        let (mut used, mut elapsed) = (Duration::ZERO, Duration::ZERO);
        while elapsed < window {
            match duty.rest(used, elapsed) {
                Some(rest) => elapsed += rest,
                None => {
                    used += BURN;
                    elapsed += BURN;
                }
            }
        }
        used
    }

    #[test]
    fn a_share_is_kept() {
        for share in [0.0, 0.05, 0.3, 0.5, 0.97] {
            let used = used_of(share, 1_000 * MS).as_secs_f64();
            assert!((used - share).abs() < 0.01, "{share}: {used}");
        }
    }

    #[test]
    fn time_that_others_took_for_long_is_not_caught_up_with() {
        let mut duty = DutyCycle { share: 0.5, written_off: Duration::ZERO };
        assert_eq!(duty.rest(Duration::ZERO, 1_000 * MS), None);
        assert_eq!(duty.written_off, 450 * MS);
        assert_eq!(duty.rest(49 * MS, 1_000 * MS), None);
        assert_eq!(duty.rest(50 * MS, 1_000 * MS), Some(MIN_REST));
        assert_eq!(duty.rest(60 * MS, 1_000 * MS), Some(20 * MS));
    }

    #[test]
    fn threads() {
        for (cores, expected) in [(0.0, (1, 0.0)), (0.4, (1, 0.4)), (1.0, (1, 1.0)), (1.5, (2, 0.75))] {
            assert_eq!(spread(cores), expected, "{cores}");
        }
    }
}
