//! The results for people: one screen.

use std::fmt::Write;

use crate::{
    args::Target,
    engine::Engine,
    plan::REPLAY_TARGET,
    results::{Judged, PointResult, Results, Sealing, TargetResult, median},
};

/// The servers in the order of the columns.
const COLUMNS: [(Target, &str); 3] =
    [(Target::Divelog, "divelog, durable"), (Target::Typed, "typed echo"), (Target::Plain, "plain echo")];
/// The width of a server's columns.
const SERVER_WIDTH: usize = 27;
/// The width of the first column.
const NAME_WIDTH: usize = 23;

/// Everything that was measured.
pub fn table(results: &Results) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_table(&mut out, results);
    out
}

fn write_table(out: &mut String, results: &Results) -> std::fmt::Result {
    let machine = &results.machine;
    writeln!(
        out,
        "machine  {} cores, {}, {}",
        machine.cores,
        machine.cpu.as_deref().unwrap_or("unknown processor"),
        machine.kernel
    )?;
    writeln!(out, "data     {} ({})", results.data_dir, results.file_system)?;
    writeln!(
        out,
        "method   medians of {} round(s) of {} s after 1 s of warm-up; the servers take turns within a round;\n         \
         a ratio is the median of the rounds' own ratios; server and load share the machine, load at nice 19\n         \
         typed echo: the same calls with the same messages, new games too, without rules and log; targets are shares of its rate\n         \
         plain echo: 100 bytes sent back, the least that a call can cost; for comparison",
        results.rounds, results.seconds
    )?;
    if !results.points.is_empty() {
        write_points(out, &results.points)?;
    }
    write_rest(out, results)?;
    if !results.engine.is_empty() {
        write_engine(out, &results.engine)?;
    }
    if !results.warnings.is_empty() {
        writeln!(out, "\nWARNINGS")?;
        for warning in &results.warnings {
            writeln!(out, "- {warning}")?;
        }
    }
    Ok(())
}

fn write_points(out: &mut String, points: &[PointResult]) -> std::fmt::Result {
    write!(out, "\n{:NAME_WIDTH$}", "")?;
    for (_, title) in COLUMNS {
        write!(out, "  {title:>SERVER_WIDTH$}")?;
    }
    writeln!(out, "  {:^13}", "ratio to")?;
    write!(out, "{:NAME_WIDTH$}", "one action per game")?;
    for _ in COLUMNS {
        write!(out, "  {:>11} {:>7} {:>7}", "actions/s", "p50 ms", "p99 ms")?;
    }
    writeln!(out, "  {:>6} {:>6}  target (typed)", "typed", "plain")?;
    for point in points {
        write!(out, "{:NAME_WIDTH$}", point.name)?;
        for (target, _) in COLUMNS {
            match point.of(target) {
                Some(result) => write_server(out, result)?,
                None => write!(out, "  {:>SERVER_WIDTH$}", "-")?,
            }
        }
        let typed = ratio(point.ratio_to_typed);
        let plain = ratio(point.ratio_to_plain);
        write!(out, "  {typed:>6} {plain:>6}")?;
        match (point.target_ratio, point.ok) {
            (Some(target), Some(ok)) => write!(out, "  {target:.2} {}", verdict(ok))?,
            (Some(target), None) => write!(out, "  {target:.2} not measured")?,
            (None, _) => {}
        }
        writeln!(out)?;
    }
    let all = || points.iter().filter_map(|point| point.of(Target::Divelog));
    if all().next().is_some() {
        let (refusals, failures) =
            all().map(TargetResult::not_answered).fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
        let games: u64 = all().flat_map(|r| &r.rounds).map(|r| r.games_created).sum();
        let waits: u64 = all().flat_map(|r| &r.rounds).map(|r| r.waits_for_game).sum();
        writeln!(
            out,
            "divelog: {refusals} refusals, {failures} failures; {} games created, {} waits for one",
            grouped(games as f64),
            grouped(waits as f64)
        )?;
    }
    Ok(())
}

fn write_server(out: &mut String, result: &TargetResult) -> std::fmt::Result {
    write!(out, "  {:>11} {:>7.2} {:>7.2}", grouped(result.rate), result.p50_us / 1_000.0, result.p99_us / 1_000.0)
}

fn write_rest(out: &mut String, results: &Results) -> std::fmt::Result {
    writeln!(out)?;
    if !results.fdatasync.is_empty() {
        let syncs = &results.fdatasync;
        writeln!(
            out,
            "{:NAME_WIDTH$}  {:>11}/s, p50 {:.2} ms, p99 {:.2} ms (4 KiB appended and synced, one after another)",
            "raw fdatasync",
            grouped(median(syncs.iter().map(|s| s.rate))),
            median(syncs.iter().map(|s| s.p50_us)) / 1_000.0,
            median(syncs.iter().map(|s| s.p99_us)) / 1_000.0
        )?;
    }
    if let Some(disk) = &results.disk_use {
        let record = disk.record_bytes_per_action.map_or_else(
            || "record size unknown".to_owned(),
            |bytes| {
                let amplification = disk.disk_bytes_per_action / bytes;
                format!("records of {bytes:.0} bytes, so {amplification:.1} times that")
            },
        );
        writeln!(
            out,
            "{:NAME_WIDTH$}  {:>11.0} on disk per action ({} actions, {} games; {record})",
            "bytes",
            disk.disk_bytes_per_action,
            grouped(disk.actions as f64),
            grouped(disk.games as f64)
        )?;
    }
    if let Some(sealing) = &results.sealing {
        write_sealing(out, sealing)?;
    }
    match &results.replay {
        Some(replay) => writeln!(
            out,
            "{:NAME_WIDTH$}  {:>11} actions/s on one core, target {} {} ({} games)",
            "replay",
            grouped(replay.measured.actions_per_second),
            grouped(replay.target),
            verdict(replay.ok),
            grouped(replay.measured.games as f64)
        ),
        None => writeln!(
            out,
            "{:NAME_WIDTH$}  {:>11} (target {} actions/s on one core)",
            "replay",
            "not measured",
            grouped(REPLAY_TARGET)
        ),
    }
}

/// What checkpoints cost play.
fn write_sealing(out: &mut String, sealing: &Judged<Sealing>) -> std::fmt::Result {
    let Sealing { sealed, unsealed, ratio, .. } = &sealing.measured;
    writeln!(
        out,
        "{:NAME_WIDTH$}  {:>11} actions/s with a checkpoint every second, {} without: {ratio:.2}, target {:.2} {}",
        "sealing",
        grouped(*sealed),
        grouped(*unsealed),
        sealing.target,
        verdict(sealing.ok)
    )
}

/// What the rules cost by themselves.
fn write_engine(out: &mut String, kinds: &[Engine]) -> std::fmt::Result {
    writeln!(
        out,
        "\n{:NAME_WIDTH$}  {:>10} {:>8}  {:>8} {:>16} {:>8} {:>12}",
        "rules, one core", "games/s", "actions", "apply ns", "legal_actions ns", "clone ns", "state bytes"
    )?;
    for kind in kinds {
        writeln!(
            out,
            "{:NAME_WIDTH$}  {:>10} {:>8.0}  {:>8.0} {:>16.0} {:>8.0} {:>12}",
            kind.kind,
            grouped(kind.playouts_per_second),
            kind.actions_per_playout,
            kind.apply_ns,
            kind.legal_actions_ns,
            kind.clone_ns,
            kind.state_bytes
        )?;
    }
    Ok(())
}

/// Whether a target was met.
pub fn verdict(ok: bool) -> &'static str {
    if ok { "ok" } else { "MISSED" }
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
}

/// A whole number with commas between thousands.
pub fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands() {
        for (value, text) in [(0.0, "0"), (999.4, "999"), (1_000.0, "1,000"), (1_234_567.0, "1,234,567")] {
            assert_eq!(grouped(value), text);
        }
    }
}
