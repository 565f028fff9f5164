//! What /proc says about a process: memory, open descriptors, processor time.

use std::{
    fs, io,
    time::{Duration, Instant},
};

use serde::Serialize;
use tokio::{sync::oneshot, task::JoinHandle};

/// How often a process is sampled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The unit of the sizes in /proc/PID/status.
const KIB_PER_MIB: f64 = 1_024.0;

/// What a process uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ProcessUsage {
    /// Memory in use (VmRSS), in MiB.
    pub rss_mib: f64,
    /// Open descriptors.
    pub descriptors: usize,
}

impl ProcessUsage {
    /// Reads it for a process.
    pub fn of(pid: u32) -> io::Result<Self> {
        let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
        let rss_kib = status_kib(&status, "VmRSS").ok_or_else(|| io::Error::other("the process is gone"))?;
        let descriptors = fs::read_dir(format!("/proc/{pid}/fd"))?.count();
        Ok(Self { rss_mib: rss_kib as f64 / KIB_PER_MIB, descriptors })
    }

    /// The larger of each.
    fn max(self, other: Self) -> Self {
        Self { rss_mib: self.rss_mib.max(other.rss_mib), descriptors: self.descriptors.max(other.descriptors) }
    }
}

/// Samples what a process uses, again and again.
pub struct UsageWatch {
    stop: oneshot::Sender<()>,
    task: JoinHandle<ProcessUsage>,
}

impl UsageWatch {
    /// Begins.
    pub fn begin(pid: u32) -> Self {
        let (stop, mut stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            let mut most = ProcessUsage::default();
            // A process that is gone uses nothing more; that it is gone is noticed elsewhere.
            while let Ok(held) = ProcessUsage::of(pid) {
                most = most.max(held);
                if tokio::time::timeout(POLL_INTERVAL, &mut stopped).await.is_ok() {
                    break;
                }
            }
            most
        });
        Self { stop, task }
    }

    /// Ends, and returns the peak of all samples.
    pub async fn peak(self) -> ProcessUsage {
        let _ = self.stop.send(());
        self.task.await.unwrap_or_default()
    }
}

/// The processor time that a process takes from now on.
pub struct CpuShare {
    pid: u32,
    begun: Instant,
    ticks: u64,
}

impl CpuShare {
    /// Begins.
    pub fn begin(pid: u32) -> io::Result<Self> {
        Ok(Self { pid, begun: Instant::now(), ticks: ticks(pid)? })
    }

    /// How many cores it took on average since then.
    pub fn cores(&self) -> io::Result<f64> {
        let ticks = ticks(self.pid)?.saturating_sub(self.ticks);
        let seconds = ticks as f64 / rustix::param::clock_ticks_per_second() as f64;
        Ok(seconds / self.begun.elapsed().as_secs_f64().max(f64::EPSILON))
    }
}

/// The ticks that all threads of a process have run.
fn ticks(pid: u32) -> io::Result<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    stat_ticks(&stat).ok_or_else(|| io::Error::other("/proc/PID/stat cannot be read"))
}

/// `utime` and `stime` of /proc/PID/stat: fields 14 and 15. The second field is the program's name in parentheses and
/// may hold anything, so fields are counted after the last of those.
fn stat_ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(next()? + next()?)
}

/// A size of /proc/PID/status, in KiB.
fn status_kib(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_counted_after_the_name() {
        let stat = "42 (a ) b) S 1 42 42 0 -1 4194304 100 0 0 0 170 30 0 0 39 19 1 0 500 1000000 200";
        assert_eq!(stat_ticks(stat), Some(200));
        assert_eq!(stat_ticks("42 (cut off) S 1"), None);
        assert_eq!(stat_ticks(""), None);
    }

    #[test]
    fn sizes() {
        let status = "Name:\tx\nVmHWM:\t  9999 kB\nVmRSS:\t    2048 kB\nThreads:\t1\n";
        assert_eq!(status_kib(status, "VmRSS"), Some(2_048));
        assert_eq!(status_kib(status, "VmSwap"), None);
        assert_eq!(status_kib("VmRSS: many kB", "VmRSS"), None);
    }

    #[test]
    fn this_process_uses_something() {
        let held = ProcessUsage::of(std::process::id()).expect("this process is there");
        assert!(held.rss_mib > 0.0 && held.descriptors >= 3, "{held:?}");
    }
}
