//! When a record can have been made, and what was known when.

use std::collections::HashMap;

use super::actions::leads_to;
use super::Game;
use super::log::Replay;
use crate::history::{Operation, Outcome, Seen, Tick};

/// The times of one game's records.
pub(super) struct Times {
    /// For each record the earliest tick at which it can have been made: when it was asked for.
    pub earliest: Vec<Tick>,
    /// For each record the first tick at which somebody was told that it is there.
    pub known: Vec<Tick>,
    /// When revisions were told, by time, each with the largest revision told until then.
    told: Vec<(Tick, u64)>,
}

impl Times {
    pub fn of(game: &Game<'_>, replay: &Replay) -> Times {
        let told = told(game);
        Times { earliest: earliest(game, replay), known: known(&told, replay.records.len()), told: running_max(told) }
    }

    /// The largest revision that anybody was told before a moment.
    pub fn told_before(&self, tick: Tick) -> u64 {
        let before = self.told.partition_point(|(told, _)| *told < tick);
        before.checked_sub(1).map_or(0, |last| self.told[last].1)
    }
}

/// Every answer that told of a revision.
fn told(game: &Game<'_>) -> Vec<(Tick, u64)> {
    let mut told = Vec::new();
    for operation in game.operations.iter().chain(&game.made_by) {
        match &operation.outcome {
            Outcome::Done(done) if done.revision > 0 => told.push((operation.returned, done.revision)),
            Outcome::Refused(refused) => told.extend(refused.revision.map(|revision| (operation.returned, revision))),
            _ => {}
        }
    }
    for watch in &game.watches {
        told.extend(watch.seen.iter().map(|(tick, seen)| match seen {
            Seen::Snapshot { revision, .. } | Seen::Update { revision, .. } | Seen::UpTo { revision } => {
                (*tick, *revision)
            }
        }));
    }
    told
}

fn known(told: &[(Tick, u64)], records: usize) -> Vec<Tick> {
    let mut known = vec![Tick::MAX; records];
    for (tick, revision) in told {
        // A revision beyond the log is a finding elsewhere.
        if let Some(known) = (*revision as usize).checked_sub(1).and_then(|at| known.get_mut(at)) {
            *known = (*known).min(*tick);
        }
    }
    // Who knows of a record knows of those before it.
    for at in (1..known.len()).rev() {
        known[at - 1] = known[at - 1].min(known[at]);
    }
    known
}

fn running_max(mut told: Vec<(Tick, u64)>) -> Vec<(Tick, u64)> {
    told.sort_unstable();
    let mut largest = 0;
    for (_, revision) in &mut told {
        largest = largest.max(*revision);
        *revision = largest;
    }
    told
}

fn earliest(game: &Game<'_>, replay: &Replay) -> Vec<Tick> {
    let mut by_id: HashMap<&str, Vec<&Operation>> = HashMap::new();
    for operation in &game.operations {
        let id = operation.asked.request_id();
        if !id.is_empty() {
            by_id.entry(id).or_default().push(operation);
        }
    }
    let mut after = 0;
    let times = replay.records.iter().map(|record| {
        let asked = by_id.get(record.request_id.as_str());
        let invoked = asked
            .into_iter()
            .flatten()
            .filter(|operation| leads_to(&operation.asked, record))
            .map(|operation| operation.invoked)
            .min();
        // No record is made before the one that it follows.
        after = invoked.unwrap_or(0).max(after);
        after
    });
    times.collect()
}
