//! When a record can have been made, and what was known when.

use std::collections::HashMap;

use super::Game;
use super::actions::leads_to;
use super::log::Replay;
use crate::history::{Asked, Operation, Outcome, Read, Seen, Tick};

/// The times of one game's records.
pub(super) struct Times {
    /// For each record the earliest tick at which it can have been made: when it was asked for.
    pub earliest: Vec<Tick>,
    /// For each record the first tick at which somebody was told that it is there.
    pub known: Vec<Tick>,
    /// When revisions of the live game were told to anybody, by time, each with the largest told until then.
    told: Vec<(Tick, u64)>,
    /// The same for each client alone, from whatever source.
    told_to: HashMap<u32, Vec<(Tick, u64)>>,
}

/// Something that was told: when, to whom, of which revision, and whether by the live game. A log can be read a moment
/// before the game that it belongs to has moved on, so what it told binds only what the same client is told later.
struct Told {
    tick: Tick,
    client: u32,
    revision: u64,
    live: bool,
}

impl Times {
    pub fn of(game: &Game<'_>, replay: &Replay) -> Times {
        let told = told(game);
        let mut told_to: HashMap<u32, Vec<(Tick, u64)>> = HashMap::new();
        for told in &told {
            told_to.entry(told.client).or_default().push((told.tick, told.revision));
        }
        Times {
            earliest: earliest(game, replay),
            known: known(&told, replay.records.len()),
            told: running_max(told.iter().filter(|told| told.live).map(|told| (told.tick, told.revision)).collect()),
            told_to: told_to.into_iter().map(|(client, told)| (client, running_max(told))).collect(),
        }
    }

    /// The revision below which a client must not be told of one that is asked for at a moment: the largest that it was
    /// told before, or that anybody was told by the live game.
    pub fn told_before(&self, tick: Tick, client: u32) -> u64 {
        let own = self.told_to.get(&client).map_or(0, |told| largest_before(told, tick));
        largest_before(&self.told, tick).max(own)
    }
}

fn largest_before(told: &[(Tick, u64)], tick: Tick) -> u64 {
    let before = told.partition_point(|(told, _)| *told < tick);
    before.checked_sub(1).map_or(0, |last| told[last].1)
}

/// Every answer that told of a revision.
fn told(game: &Game<'_>) -> Vec<Told> {
    let mut told = Vec::new();
    for operation in game.operations.iter().chain(&game.made_by) {
        let revision = match &operation.outcome {
            Outcome::Done(done) => done.revision,
            Outcome::Refused(refused) => refused.revision.unwrap_or(0),
            Outcome::Unclear(_) | Outcome::Hung { .. } => 0,
        };
        let live = !matches!(operation.asked, Asked::Read(_, Read::Log | Read::Listed | Read::Verify));
        if revision > 0 {
            told.push(Told { tick: operation.returned, client: operation.client, revision, live });
        }
    }
    for watch in &game.watches {
        told.extend(watch.seen.iter().map(|(tick, seen)| match seen {
            Seen::Snapshot { revision, .. } | Seen::Update { revision, .. } | Seen::UpTo { revision } => {
                Told { tick: *tick, client: watch.client, revision: *revision, live: !watch.replay }
            }
        }));
    }
    told
}

fn known(told: &[Told], records: usize) -> Vec<Tick> {
    let mut known = vec![Tick::MAX; records];
    for told in told {
        // A revision beyond the log is a finding elsewhere.
        if let Some(known) = (told.revision as usize).checked_sub(1).and_then(|at| known.get_mut(at)) {
            *known = (*known).min(told.tick);
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
