//! The checker: compares what clients were answered with what the logs hold, and names everything that does not agree.
//!
//! It shares no code with the server. Hashes are computed here; what a viewer may see is computed by replaying the log with
//! the game's secret. Each file checks one kind of promise; [`Kind`] lists them all.

mod actions;
mod calls;
mod creations;
mod expected;
mod finding;
mod forks;
mod log;
mod reads;
mod streams;
mod times;
mod watches;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use divelog_ledger::GameId;

pub use finding::{Finding, Kind, Report};

use crate::history::{FinalLog, History, Operation, Outcome, Request, Watch};
use log::Replay;
use times::Times;

/// What concerns one game.
#[derive(Default)]
struct Game<'a> {
    /// Requests that named it.
    operations: Vec<&'a Operation>,
    /// CreateGame and ForkGame that made it.
    made_by: Vec<&'a Operation>,
    watches: Vec<&'a Watch>,
    log: Option<&'a FinalLog>,
}

/// Everything in a history that does not agree.
pub fn check(history: &History) -> Report {
    let mut report = Report::default();
    calls::check(history, &mut report);
    streams::check(history, &mut report);
    let games = by_game(history);
    for (id, game) in &games {
        check_game(*id, game, &mut report);
    }
    creations::check(history, &mut report);
    forks::check(history, &mut report);
    report
}

fn check_game(id: GameId, game: &Game<'_>, report: &mut Report) {
    let Some(replay) = Replay::of(id, game.log, report) else {
        return missing(id, game, report);
    };
    let times = Times::of(game, &replay);
    actions::check(game, &replay, &times, report);
    creations::check_answers(game, &replay, report);
    reads::check(game, &replay, &times, report);
    watches::check(game, &replay, &times, report);
}

/// A game without a log may not have been shown to anybody.
fn missing(id: GameId, game: &Game<'_>, report: &mut Report) {
    let answered = game.made_by.iter().chain(&game.operations).find(|op| matches!(op.outcome, Outcome::Done(_)));
    if let Some(answered) = answered {
        report.add(Kind::GameMissing, Some(id), || {
            format!(
                "client {} had an answer to {} about it, but there is no log that can be read",
                answered.client,
                answered.asked.name()
            )
        });
    } else if game.watches.iter().any(|watch| !watch.seen.is_empty()) {
        report.add(Kind::GameMissing, Some(id), || "it was watched, but there is no log that can be read".into());
    }
}

fn by_game(history: &History) -> BTreeMap<GameId, Game<'_>> {
    let mut games: BTreeMap<GameId, Game<'_>> = BTreeMap::new();
    for operation in &history.operations {
        if let Some(game) = operation.asked.game() {
            games.entry(game).or_default().operations.push(operation);
        }
        if let (Request::Create(_) | Request::Fork(_), Outcome::Done(done)) = (&operation.asked, &operation.outcome)
            && let Some(game) = done.game
        {
            games.entry(game).or_default().made_by.push(operation);
        }
    }
    for watch in &history.watches {
        games.entry(watch.game).or_default().watches.push(watch);
    }
    for log in &history.logs {
        games.entry(log.game).or_default().log = Some(log);
    }
    games
}
