//! `divelog log verify --all`: every game of a server, re-executed on all cores of this machine.

use divelog_proto::v1::{GameSummary, VerifyGameResponse};
use serde_json::{Value, json};

use super::read;
use crate::{
    args::{FilterArgs, Global},
    commands::status_word,
    connect::{self, Connection},
    errors::CliError,
    log_file::Log,
    output::{Output, json},
    parallel::{self, Findings, ShownGame},
    progress::Progress,
    verify,
};

/// A game and its log, if that could be read.
struct Fetched {
    game: GameSummary,
    log: Result<Log, CliError>,
}

/// A game and what was found.
struct Checked {
    game: GameSummary,
    found: Result<VerifyGameResponse, CliError>,
    /// Whether the game is good; a log that cannot be read is not.
    verdict: Result<(), CliError>,
}

/// Verifies everything that the filters let through.
pub async fn run(global: &Global, filter: &FilterArgs, out: &mut Output) -> Result<(), CliError> {
    let list = parallel::filtered(filter)?;
    let connection = connect::open(global).await?;
    let progress = Progress::start();
    let feed = {
        let progress = progress.clone();
        |jobs| parallel::fetch_all(connection, list, progress, fetch, jobs)
    };
    parallel::report::<Counts, _, _>(progress, feed, check, out).await
}

async fn fetch(connection: Connection, game: GameSummary) -> Result<Fetched, CliError> {
    let log = parallel::of_one_game(read(&connection, &game.game_id, true).await)?;
    Ok(Fetched { game, log })
}

fn check(Fetched { game, log }: Fetched) -> Checked {
    let found = log.and_then(|log| verify::verify_log(&log.header, &log.records));
    let verdict = match &found {
        Ok(response) => verify::to_result(response),
        Err(error) => Err(CliError::Protocol(error.to_string())),
    };
    Checked { game, found, verdict }
}

#[derive(Default)]
struct Counts {
    games: u64,
    records: u64,
    altered: u64,
    differing: u64,
    unread: u64,
}

impl Counts {
    fn bad_games(&self) -> u64 {
        self.altered + self.differing + self.unread
    }

    fn verified(&self) -> u64 {
        self.games - self.bad_games()
    }
}

impl Findings for Counts {
    type GameResult = Checked;

    fn count(&mut self, checked: &Checked) {
        self.games += 1;
        self.records += checked.found.as_ref().map_or(0, |response| response.records_verified);
        match &checked.verdict {
            Err(_) if checked.found.is_err() => self.unread += 1,
            Err(CliError::Unverified(verdict)) if verdict.rules_differ() => self.differing += 1,
            Err(_) => self.altered += 1,
            Ok(()) => {}
        }
    }

    fn bad(Checked { game, found, verdict }: &Checked) -> Option<ShownGame> {
        let (headline, why) = match (found, verdict) {
            (_, Ok(())) => return None,
            (Err(error), _) => ("NOT READ", error.to_string()),
            (Ok(_), Err(CliError::Unverified(verdict))) => ("NOT VERIFIED", verdict.to_string()),
            (Ok(_), Err(error)) => ("NOT VERIFIED", error.to_string()),
        };
        let fork = if game.fork_of.is_empty() { "" } else { ", FORK" };
        let (kind, status) = (divelog_text::code_name(game.kind()), status_word(game.status()));
        Some(ShownGame { headline, what: format!("{} ({kind}, {status}{fork})", game.game_id), why })
    }

    fn line(checked: &Checked) -> Result<Value, CliError> {
        line(checked)
    }

    fn games(&self) -> u64 {
        self.games
    }

    fn sentence(&self) -> String {
        let Self { games, records, altered, differing, unread } = self;
        format!(
            "{} of {games} games verified, {records} good records; {altered} altered or damaged, {differing} replay \
             differently, {unread} could not be read",
            self.verified()
        )
    }

    fn totals(&self) -> Value {
        json!({
            "games": self.games, "verified": self.verified(), "good_records": self.records, "altered": self.altered,
            "replay_differs": self.differing, "unread": self.unread,
        })
    }

    fn to_result(&self) -> Result<(), CliError> {
        if self.bad_games() == 0 {
            return Ok(());
        }
        Err(CliError::disproved(
            format!("{} of {} games do not verify", self.bad_games(), self.games),
            "`divelog log verify GAME` shows each of them in full",
        ))
    }
}

/// A game for programs: the fields of VerifyGameResponse with those that name the game, and what is wrong in a sentence;
/// of one that could not be read, the error.
fn line(Checked { game, found, verdict }: &Checked) -> Result<Value, CliError> {
    let mut line = match found {
        Ok(response) => json::to_value(response)?,
        Err(error) => json!({ "verified": false, "error": error.json() }),
    };
    line["game_id"] = game.game_id.as_str().into();
    line["kind"] = divelog_text::code_name(game.kind()).into();
    line["status"] = status_word(game.status()).into();
    if let Err(problem) = verdict {
        line["problem"] = problem.to_string().into();
    }
    if !game.fork_of.is_empty() {
        line["fork_of"] = game.fork_of.as_str().into();
    }
    Ok(line)
}

#[cfg(test)]
mod tests;
