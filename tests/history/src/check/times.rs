//! When a record can have been made, and what was known when.

use std::collections::HashMap;

use super::Game;
use super::actions::leads_to;
use super::log::Replay;
use crate::history::{Operation, Outcome, Read, Request, Seen, Tick};

/// The times of one game's records.
pub(super) struct Times {
    /// For each record the earliest tick at which it can have been made: when it was asked for.
    pub earliest: Vec<Tick>,
    /// For each record the first tick at which somebody saw that it is there.
    pub known: Vec<Tick>,
    /// When revisions of the live game were seen by anybody, by time, each with the largest seen until then.
    observations: Vec<(Tick, u64)>,
    /// The same for each client alone, from whatever source.
    told_to: HashMap<u32, Vec<(Tick, u64)>>,
}

/// Something that was seen: when, to whom, of which revision, and whether by the live game. A log can be read a moment
/// before the game that it belongs to has moved on, so what it gave binds only what the same client sees later.
struct Observation {
    tick: Tick,
    client: u32,
    revision: u64,
    live: bool,
}

impl Times {
    pub fn of(game: &Game<'_>, replay: &Replay) -> Times {
        let observations = observations(game);
        let mut told_to: HashMap<u32, Vec<(Tick, u64)>> = HashMap::new();
        for observation in &observations {
            told_to.entry(observation.client).or_default().push((observation.tick, observation.revision));
        }
        Times {
            earliest: earliest(game, replay),
            known: known(&observations, replay.records.len()),
            observations: running_max(
                observations
                    .iter()
                    .filter(|observation| observation.live)
                    .map(|observation| (observation.tick, observation.revision))
                    .collect(),
            ),
            told_to: told_to.into_iter().map(|(client, observations)| (client, running_max(observations))).collect(),
        }
    }

    /// The revision below which a client must not see one that it asks for at a moment: the largest that it has seen
    /// before, or that anybody has seen in the live game.
    pub fn known_before(&self, tick: Tick, client: u32) -> u64 {
        let own = self.told_to.get(&client).map_or(0, |observations| largest_before(observations, tick));
        largest_before(&self.observations, tick).max(own)
    }
}

fn largest_before(observations: &[(Tick, u64)], tick: Tick) -> u64 {
    let before = observations.partition_point(|(at, _)| *at < tick);
    before.checked_sub(1).map_or(0, |last| observations[last].1)
}

/// Every answer that showed a revision.
fn observations(game: &Game<'_>) -> Vec<Observation> {
    let mut observations = Vec::new();
    for operation in game.operations.iter().chain(&game.made_by) {
        let revision = match &operation.outcome {
            Outcome::Done(done) => done.revision,
            Outcome::Refused(refused) => refused.revision.unwrap_or(0),
            Outcome::Unclear(_) | Outcome::Hung { .. } => 0,
        };
        let live = !matches!(operation.asked, Request::Read(_, Read::Log | Read::Listed | Read::Verify));
        if revision > 0 {
            observations.push(Observation { tick: operation.returned, client: operation.client, revision, live });
        }
    }
    for watch in &game.watches {
        observations.extend(watch.seen.iter().map(|(tick, seen)| match seen {
            Seen::Snapshot { revision, .. } | Seen::Update { revision, .. } | Seen::UpTo { revision } => {
                Observation { tick: *tick, client: watch.client, revision: *revision, live: !watch.replay }
            }
        }));
    }
    observations
}

fn known(observations: &[Observation], records: usize) -> Vec<Tick> {
    let mut known = vec![Tick::MAX; records];
    for observation in observations {
        // A revision beyond the log is a finding elsewhere.
        if let Some(known) = (observation.revision as usize).checked_sub(1).and_then(|at| known.get_mut(at)) {
            *known = (*known).min(observation.tick);
        }
    }
    // Who knows of a record knows of those before it.
    for at in (1..known.len()).rev() {
        known[at - 1] = known[at - 1].min(known[at]);
    }
    known
}

fn running_max(mut observations: Vec<(Tick, u64)>) -> Vec<(Tick, u64)> {
    observations.sort_unstable();
    let mut largest = 0;
    for (_, revision) in &mut observations {
        largest = largest.max(*revision);
        *revision = largest;
    }
    observations
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
