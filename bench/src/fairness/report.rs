//! The results for people: the victim's latencies, then what the server held.

use std::fmt::Write;

use super::{
    MAX_GROWTH_MIB, MAX_RATIO,
    results::{Fairness, Line},
};
use crate::report::{grouped, verdict};

/// The width of the first column.
const NAME: usize = 18;

/// Everything that was measured.
pub fn table(results: &Fairness) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_table(&mut out, results);
    out
}

fn write_table(out: &mut String, results: &Fairness) -> std::fmt::Result {
    let machine = &results.machine;
    writeln!(
        out,
        "machine  {} cores, {}, {}",
        machine.cores,
        machine.cpu.as_deref().unwrap_or("unknown processor"),
        machine.kernel
    )?;
    writeln!(
        out,
        "method   a victim acts every 10 ms in a game of its own; latency counts from the moment an action is due\n         \
         {} s beside each attack and beside a burner of as much processor time (cores); both at nice 19",
        results.seconds
    )?;
    write_victim(out, &results.lines)?;
    write_server(out, &results.lines)?;
    write_faults(out, &results.lines)?;
    if !results.warnings.is_empty() {
        writeln!(out, "\nWARNINGS")?;
        for warning in &results.warnings {
            writeln!(out, "- {warning}")?;
        }
    }
    Ok(())
}

fn write_victim(out: &mut String, lines: &[Line]) -> std::fmt::Result {
    writeln!(
        out,
        "\n{:NAME$}  {:^15}  {:^21}  {:^23}  p99 to",
        "victim, ms", "alone", "beside burner", "beside attack"
    )?;
    writeln!(
        out,
        "{:NAME$}  {:>7} {:>7}  {:>7} {:>7} {:>5}  {:>8} {:>8} {:>5}  burner  at most {MAX_RATIO:.1}",
        "", "p50", "p99", "p50", "p99", "cores", "p50", "p99", "cores"
    )?;
    for line in lines {
        write!(out, "{:NAME$}", line.name)?;
        write!(out, "  {:>7.2} {:>7.2}", line.alone.p50_ms, line.alone.p99_ms)?;
        let burner = &line.beside_burner;
        write!(out, "  {:>7.2} {:>7.2} {:>5.2}", burner.p50_ms, burner.p99_ms, line.burner_cores)?;
        let attack = &line.beside_attack;
        write!(out, "  {:>8.2} {:>8.2} {:>5.2}", attack.p50_ms, attack.p99_ms, line.attack_cores)?;
        let ratio = line.ratio().map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
        let verdict = if line.judged { verdict(line.victim_ok()) } else { "no bound" };
        writeln!(out, "  {ratio:>6}  {verdict}")?;
    }
    Ok(())
}

fn write_server(out: &mut String, lines: &[Line]) -> std::fmt::Result {
    writeln!(
        out,
        "\n{:NAME$}  {:^23} {:12}  {:^20}  attacker",
        "server", "memory (VmRSS), MiB", "", "open descriptors"
    )?;
    writeln!(
        out,
        "{:NAME$}  {:>7} {:>7} {:>7} {:12}  {:>6} {:>6} {:>6}  {:>11} {:>11} {:>9} {:>9}",
        "",
        "before",
        "most",
        "after",
        format!("grows <={MAX_GROWTH_MIB:.0}"),
        "before",
        "most",
        "after",
        "begun",
        "answered",
        "refused",
        "cut off"
    )?;
    for line in lines {
        let after = |value: fn(&super::probe::ProcessUsage) -> f64| {
            line.after.as_ref().map_or("-".to_owned(), |held| format!("{:.0}", value(held)))
        };
        write!(
            out,
            "{:NAME$}  {:>7.0} {:>7.0} {:>7} {:12}",
            line.name,
            line.before.rss_mib,
            line.most.rss_mib,
            after(|held| held.rss_mib),
            verdict(line.memory_ok())
        )?;
        write!(
            out,
            "  {:>6} {:>6} {:>6}",
            line.before.descriptors,
            line.most.descriptors,
            after(|held| held.descriptors as f64)
        )?;
        let done = &line.attack;
        let [begun, answered, refused, cut] =
            [done.begun, done.answered, done.refused, done.cut_off].map(|count| grouped(count as f64));
        writeln!(out, "  {begun:>11} {answered:>11} {refused:>9} {cut:>9}")?;
    }
    Ok(())
}

/// What made a line miss its bounds, other than the figures in the tables.
fn write_faults(out: &mut String, lines: &[Line]) -> std::fmt::Result {
    let mut faults = Vec::new();
    for line in lines {
        let result = &line.beside_attack;
        if result.unanswered > 0 {
            faults.push(format!("{}: {} of {} actions were not answered", line.name, result.unanswered, result.due));
        }
        if result.failures > 0 {
            let first = result.samples.first().map_or("-", String::as_str);
            faults.push(format!("{}: {} of the victim's calls failed; first: {first}", line.name, result.failures));
        }
        if !line.attacked() {
            faults.push(format!("{}: the attacker did nothing", line.name));
        }
        faults.extend(line.faults.iter().map(|fault| format!("{}: {fault}", line.name)));
    }
    if !faults.is_empty() {
        writeln!(out, "\nFAULTS")?;
    }
    for fault in faults {
        writeln!(out, "- {fault}")?;
    }
    let answered: Vec<_> = lines.iter().filter(|line| !line.attack.samples.is_empty()).collect();
    if !answered.is_empty() {
        writeln!(out, "\nwhat attackers were answered")?;
    }
    for line in answered {
        writeln!(out, "- {}: {}", line.name, line.attack.samples.join("; "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{fairness::results::tests::good, machine::Machine};

    #[test]
    fn a_line_says_what_was_measured_and_what_was_missed() {
        let mut slow = good();
        slow.name = "pings";
        slow.beside_attack.p99_ms = 52.5;
        slow.beside_attack.unanswered = 3;
        slow.most.rss_mib = 1_200.0;
        slow.after = None;
        let mut unjudged = good();
        unjudged.judged = false;
        let machine = Machine { cores: 2, cpu: None, kernel: "Linux".to_owned(), busy_before: None };
        let lines = vec![good(), slow, unjudged];
        let text = table(&Fairness { machine, seconds: 5.0, lines, warnings: vec!["a debug build".to_owned()] });
        for expected in [
            "replays                0.50    1.00     0.60    2.00  0.52      0.90     4.00  0.50    2.00  ok",
            "pings                  0.50    1.00     0.60    2.00  0.52      0.90    52.50  0.50   26.25  MISSED",
            "replays                0.50    1.00     0.60    2.00  0.52      0.90     4.00  0.50    2.00  no bound",
            "replays                  40     296      60 ok                20     30     21          160",
            "pings                    40    1200       - MISSED            20     30      -          160",
            "- pings: 3 of 500 actions were not answered",
            "- a debug build",
        ] {
            assert!(text.contains(expected), "{expected:?} is not in\n{text}");
        }
    }
}
