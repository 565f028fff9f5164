//! `divelog log verify --all`: every game of a server, re-executed on all cores of this machine.

use divelog_proto::v1::{GameSummary, VerifyGameResponse};
use serde_json::{Value, json};

use super::read;
use crate::{
    args::{FilterArgs, Global},
    commands::status_word,
    connect::{self, Connection},
    errors::CliError,
    logfile::Log,
    output::{self, Output, Paint, clean_line, json},
    parallel,
    progress::Progress,
    verify,
};

/// How many bad games `-o json` names; all are counted, and `-o jsonl` has a line for each.
const MAX_NAMED: usize = 10_000;

/// A game and its log, if that could be read.
struct Fetched {
    game: GameSummary,
    log: Result<Log, CliError>,
}

/// A game and what was found.
struct Checked {
    game: GameSummary,
    found: Result<VerifyGameResponse, CliError>,
}

impl Checked {
    /// Whether the game is good; a log that cannot be read is not.
    fn verdict(&self) -> Result<(), CliError> {
        match &self.found {
            Ok(response) => verify::judge(response),
            Err(error) => Err(CliError::Protocol(error.to_string())),
        }
    }
}

/// Verifies everything that the filters let through.
pub async fn run(global: &Global, filter: &FilterArgs, out: &mut Output) -> Result<(), CliError> {
    let list = parallel::filtered(filter)?;
    let connection = connect::open(global).await?;
    let progress = Progress::start();
    let mut summary = Summary::default();
    let feed = |jobs| parallel::fetch_all(connection, list, progress.clone(), fetch, jobs);
    let ended = parallel::run(&progress, feed, check, |checked| summary.take(&checked, out)).await;
    progress.finish();
    summary.print(out)?;
    out.flush()?;
    ended?;
    summary.judge()
}

async fn fetch(connection: Connection, game: GameSummary) -> Result<Fetched, CliError> {
    let log = parallel::of_one_game(read(&connection, &game.game_id, true).await)?;
    Ok(Fetched { game, log })
}

fn check(Fetched { game, log }: Fetched) -> Checked {
    let found = log.and_then(|log| verify::verify_log(&log.header, &log.records));
    Checked { game, found }
}

/// What was found so far.
#[derive(Default)]
struct Summary {
    games: u64,
    records: u64,
    altered: u64,
    differing: u64,
    unread: u64,
    bad: Vec<Value>,
}

impl Summary {
    /// Counts a game, and prints what is to be printed at once.
    fn take(&mut self, checked: &Checked, out: &mut Output) -> Result<(), CliError> {
        self.games += 1;
        let verdict = checked.verdict();
        match &verdict {
            Err(_) if checked.found.is_err() => self.unread += 1,
            Err(CliError::Unverified(verdict)) if verdict.is_of_the_rules() => self.differing += 1,
            Err(_) => self.altered += 1,
            Ok(()) => {}
        }
        self.records += checked.found.as_ref().map_or(0, |response| response.records_verified);
        if out.is_jsonl() {
            return out.value(&line(checked, &verdict)?);
        }
        if verdict.is_ok() {
            return Ok(());
        }
        if out.is_table() {
            return out.text(&told(checked, &verdict, out.screen().paint));
        }
        if self.bad.len() < MAX_NAMED {
            self.bad.push(line(checked, &verdict)?);
        }
        Ok(())
    }

    fn verified(&self) -> u64 {
        self.games - self.bad_games()
    }

    fn bad_games(&self) -> u64 {
        self.altered + self.differing + self.unread
    }

    fn print(&self, out: &mut Output) -> Result<(), CliError> {
        let Self { games, records, altered, differing, unread, .. } = self;
        let text = format!(
            "{} of {games} games verified, {records} good records; {altered} altered or damaged, {differing} replay \
             differently, {unread} could not be read",
            self.verified()
        );
        if out.is_jsonl() {
            output::note(&text);
            return Ok(());
        }
        if out.is_table() {
            let paint = out.screen().paint;
            return out.text(&if self.bad_games() == 0 { paint.good(&text) } else { paint.alarm(&text) });
        }
        out.value(&json!({
            "games": games, "verified": self.verified(), "good_records": records, "altered": altered,
            "replay_differs": differing, "unread": unread, "bad": self.bad,
        }))
    }

    fn judge(&self) -> Result<(), CliError> {
        if self.bad_games() == 0 {
            return Ok(());
        }
        Err(CliError::disproved(
            format!("{} of {} games do not verify", self.bad_games(), self.games),
            "`divelog log verify GAME` tells each of them in full",
        ))
    }
}

/// A bad game on a line of its own.
fn told(checked: &Checked, verdict: &Result<(), CliError>, paint: Paint) -> String {
    let game = &checked.game;
    let (headline, why) = match (&checked.found, verdict) {
        (Err(error), _) => ("NOT READ", error.to_string()),
        (Ok(_), Err(CliError::Unverified(verdict))) => ("NOT VERIFIED", verdict.to_string()),
        (Ok(_), other) => ("NOT VERIFIED", other.as_ref().err().map(ToString::to_string).unwrap_or_default()),
    };
    let fork = if game.fork_of.is_empty() { "" } else { ", FORK" };
    let what =
        format!("{} ({}, {}{fork})", game.game_id, divelog_text::code_name(game.kind()), status_word(game.status()));
    format!("{} {}", paint.alarm(headline), clean_line(&format!("{what}: {why}")))
}

/// A game for programs: the fields of VerifyGameResponse with those that name the game, and what is wrong in a sentence;
/// of one that could not be read, the error.
fn line(checked: &Checked, verdict: &Result<(), CliError>) -> Result<Value, CliError> {
    let game = &checked.game;
    let mut line = match &checked.found {
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
