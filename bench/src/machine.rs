//! What the numbers were measured on.

use std::{fs, path::Path, thread, time::Duration};

use serde::Serialize;

/// The machine, as far as a reader needs it to compare numbers.
#[derive(Debug, Clone, Serialize)]
pub struct Machine {
    /// Cores that this process may use.
    pub cores: usize,
    /// The processor's name, if the system reports it.
    pub cpu: Option<String>,
    /// The kernel.
    pub kernel: String,
    /// The share of all cores that other work took just before the run, from 0 to 1. The load average would not do:
    /// it still shows the build from which a run is often started.
    pub busy_before: Option<f64>,
}

impl Machine {
    /// Inspects this machine, for half a second.
    pub fn inspect() -> Self {
        let uname = rustix::system::uname();
        Self {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            cpu: cpu_name(),
            kernel: format!(
                "{} {} {}",
                uname.sysname().to_string_lossy(),
                uname.release().to_string_lossy(),
                uname.machine().to_string_lossy()
            ),
            busy_before: busy_share(),
        }
    }
}

/// How long other work is measured.
const WATCH: Duration = Duration::from_millis(500);

/// The share of the cores' time that is not idle.
fn busy_share() -> Option<f64> {
    let (idle_before, all_before) = processor_ticks()?;
    thread::sleep(WATCH);
    let (idle, all) = processor_ticks()?;
    let all = all.checked_sub(all_before).filter(|ticks| *ticks > 0)?;
    let idle = idle.saturating_sub(idle_before);
    Some(1.0 - idle as f64 / all as f64)
}

/// Idle and all ticks of all cores since the start, from the first line of /proc/stat.
fn processor_ticks() -> Option<(u64, u64)> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let fields = text.lines().next()?.split_whitespace().skip(1);
    let ticks: Vec<u64> = fields.filter_map(|field| field.parse().ok()).collect();
    // user nice system idle iowait irq softirq steal; guest time, which follows, is part of user time. Stolen time is
    // work of other machines, so it rightly counts as busy.
    let idle = ticks.get(3)? + ticks.get(4)?;
    Some((idle, ticks.iter().take(8).sum()))
}

/// The first processor's model name.
fn cpu_name() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The file system of a folder, by its magic number in statfs(2).
pub fn file_system(folder: &Path) -> String {
    match rustix::fs::statfs(folder) {
        Ok(stat) => match stat.f_type as u64 {
            0xEF53 => "ext4".to_owned(),
            0x5846_5342 => "xfs".to_owned(),
            0x9123_683E => "btrfs".to_owned(),
            0x2FC1_2FC1 => "zfs".to_owned(),
            0x794C_7630 => "overlayfs".to_owned(),
            TMPFS => "tmpfs".to_owned(),
            other => format!("file system {other:#x}"),
        },
        Err(_) => "unknown file system".to_owned(),
    }
}

/// Whether a folder lives in memory, where a sync costs nothing and proves nothing.
pub fn is_in_memory(folder: &Path) -> bool {
    rustix::fs::statfs(folder).is_ok_and(|stat| stat.f_type as u64 == TMPFS)
}

/// tmpfs in statfs(2).
const TMPFS: u64 = 0x0102_1994;
