//! What the attacks did, and whether that is within the bounds.

use serde::Serialize;

use super::{MAX_GROWTH_MIB, MAX_RATIO, attacks::AttackResult, probe::ProcessUsage, victim::VictimResult};
use crate::machine::Machine;

/// A whole run of this part.
#[derive(Debug, Serialize)]
pub struct Fairness {
    /// Where it ran.
    pub machine: Machine,
    /// Seconds for which each attack ran beside the victim.
    pub seconds: f64,
    /// The attacks.
    pub lines: Vec<Line>,
    /// What a reader must know before using the numbers.
    pub warnings: Vec<String>,
}

/// One attack.
#[derive(Debug, Serialize)]
pub struct Line {
    /// Its name.
    pub name: &'static str,
    /// The victim alone.
    pub alone: VictimResult,
    /// The victim beside a burner of as much processor time as the attacker took.
    pub beside_burner: VictimResult,
    /// The victim beside the attack.
    pub beside_attack: VictimResult,
    /// The burner's processor time, in cores.
    pub burner_cores: f64,
    /// The attacker's processor time, in cores.
    pub attack_cores: f64,
    /// Whether the victim's p99 has a bound here.
    pub judged: bool,
    /// What the server held before the attack.
    pub before: ProcessUsage,
    /// The most that it held during it, and until `after`.
    pub most: ProcessUsage,
    /// What it held some seconds after it; absent if the server had ended.
    pub after: Option<ProcessUsage>,
    /// What the attacker got through.
    pub attack: AttackResult,
    /// What else went wrong, such as a server that ended.
    pub faults: Vec<String>,
}

impl Line {
    /// By how much the attack multiplied the victim's p99, compared with the burner.
    pub fn ratio(&self) -> Option<f64> {
        let burner = self.beside_burner.p99_ms;
        (burner > 0.0).then(|| self.beside_attack.p99_ms / burner)
    }

    /// Whether the victim was slowed down by no more than may be. A victim that is not answered, or is
    /// refused through no fault of its own, was.
    pub fn victim_ok(&self) -> bool {
        let result = &self.beside_attack;
        !self.judged
            || (result.failures == 0 && result.unanswered == 0 && self.ratio().is_some_and(|ratio| ratio <= MAX_RATIO))
    }

    /// By how much the server's memory grew, in MiB.
    pub fn growth_mib(&self) -> f64 {
        self.most.rss_mib - self.before.rss_mib
    }

    /// Whether the server's memory stayed within its bound.
    pub fn memory_ok(&self) -> bool {
        self.growth_mib() <= MAX_GROWTH_MIB
    }

    /// Whether there was an attack at all. One that did nothing shows nothing.
    pub fn attacked(&self) -> bool {
        self.attack.begun > 0
    }

    /// Whether the line is within all its bounds.
    pub fn ok(&self) -> bool {
        self.victim_ok() && self.memory_ok() && self.attacked() && self.faults.is_empty()
    }
}

impl Fairness {
    /// How many lines are not.
    pub fn missed(&self) -> usize {
        self.lines.iter().filter(|line| !line.ok()).count()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A line that is within its bounds.
    pub fn good() -> Line {
        let result = |p50_ms, p99_ms| VictimResult { p50_ms, p99_ms, due: 500, ..VictimResult::default() };
        Line {
            name: "replays",
            alone: result(0.5, 1.0),
            beside_burner: result(0.6, 2.0),
            beside_attack: result(0.9, 4.0),
            burner_cores: 0.52,
            attack_cores: 0.5,
            judged: true,
            before: ProcessUsage { rss_mib: 40.0, descriptors: 20 },
            most: ProcessUsage { rss_mib: 296.0, descriptors: 30 },
            after: Some(ProcessUsage { rss_mib: 60.0, descriptors: 21 }),
            attack: AttackResult { begun: 160, ..AttackResult::default() },
            faults: Vec::new(),
        }
    }

    /// One line a case: what is changed, and whether the line is still within its bounds.
    #[test]
    fn bounds() {
        type Change = fn(&mut Line);
        let cases: Vec<(&str, bool, Change)> = vec![
            ("at its bounds", true, |_| {}),
            ("slower", false, |line| line.beside_attack.p99_ms = 4.01),
            ("slower, where that has no bound", true, |line| {
                line.beside_attack.p99_ms = 400.0;
                line.judged = false;
            }),
            ("nothing to compare with", false, |line| line.beside_burner.p99_ms = 0.0),
            ("a call that failed", false, |line| line.beside_attack.failures = 1),
            ("an action without an answer", false, |line| line.beside_attack.unanswered = 1),
            ("too much memory", false, |line| line.most.rss_mib = 296.1),
            ("no attack", false, |line| line.attack.begun = 0),
            ("a server that ended", false, |line| line.faults.push("the server ended".to_owned())),
        ];
        for (name, ok, change) in cases {
            let mut line = good();
            change(&mut line);
            assert_eq!(line.ok(), ok, "{name}");
        }
    }

    #[test]
    fn missed_lines_are_counted() {
        let mut bad = good();
        bad.attack.begun = 0;
        let machine = Machine { cores: 2, cpu: None, kernel: String::new(), busy_before: None };
        let all = Fairness { machine, seconds: 5.0, lines: vec![good(), bad], warnings: Vec::new() };
        assert_eq!(all.missed(), 1);
    }
}
