//! The report on many games: bad ones are printed as they are found, and all are summed up at the end.

use std::future::Future;

use serde_json::Value;
use tokio::sync::mpsc;

use super::run;
use crate::{
    errors::{CliError, worst},
    output::{self, Output, clean_line, strings},
    progress::Progress,
};

/// How many bad games `-o json` names; all are counted, and `-o jsonl` has a line for each.
const MAX_NAMED: usize = 10_000;

/// The counts of a command that works on many games.
pub trait Findings: Default {
    /// What came of one game.
    type GameResult: Send + 'static;

    /// Counts a game.
    fn count(&mut self, found: &Self::GameResult);

    /// What to print for people about a bad game; nothing for a good one.
    fn bad(found: &Self::GameResult) -> Option<ShownGame>;

    /// What to print for people about a good game that they should know of.
    fn note(_found: &Self::GameResult) -> Option<ShownGame> {
        None
    }

    /// A game for programs.
    fn line(found: &Self::GameResult) -> Result<Value, CliError>;

    /// How many games were looked at.
    fn games(&self) -> u64;

    /// The counts in a sentence.
    fn sentence(&self) -> String;

    /// The counts for programs: an object.
    fn totals(&self) -> Value;

    /// Whether all games together are good.
    fn to_result(&self) -> Result<(), CliError>;
}

/// A game on a line of its own.
pub struct ShownGame {
    pub headline: &'static str,
    pub what: String,
    pub why: String,
}

impl ShownGame {
    fn line(&self, paint: impl FnOnce(&str) -> String) -> String {
        let Self { headline, what, why } = self;
        format!("{} {}", paint(headline), clean_line(&format!("{what}: {why}")))
    }
}

/// Works on everything that `feed` sends, reports it, and says whether it is good.
pub async fn report<C, J, F>(
    progress: Progress,
    feed: impl FnOnce(mpsc::Sender<J>) -> F,
    work: impl Fn(J) -> C::GameResult + Send + Sync + 'static,
    out: &mut Output,
) -> Result<(), CliError>
where
    C: Findings,
    J: Send + 'static,
    F: Future<Output = Result<(), CliError>> + Send + 'static,
{
    let mut report = Report { findings: C::default(), bad: Vec::new(), printed: Ok(()) };
    let add = |found| {
        report.add(&found, out);
        Ok(())
    };
    let ended = run(&progress, feed, work, add).await;
    progress.finish();
    let broken_off = ended.as_ref().err().map(|error| (error.to_string(), error.json()));
    // The bad games that were found count, whatever else went wrong.
    let verdict = worst(report.findings.to_result(), ended);
    out.judged(verdict, |out| report.print(broken_off, out))
}

/// What was found so far.
struct Report<C> {
    findings: C,
    /// The bad games, for one JSON document at the end.
    bad: Vec<Value>,
    /// Whether everything could be printed by now. Where not, the work goes on: the verdict is on all games.
    printed: Result<(), CliError>,
}

impl<C: Findings> Report<C> {
    /// Counts a game, and prints what is to be printed at once.
    fn add(&mut self, found: &C::GameResult, out: &mut Output) {
        self.findings.count(found);
        if self.printed.is_ok() {
            self.printed = self.print_game(found, out);
        }
    }

    fn print_game(&mut self, found: &C::GameResult, out: &mut Output) -> Result<(), CliError> {
        if out.is_jsonl() {
            return out.value(&C::line(found)?);
        }
        let paint = out.screen().paint;
        match (C::bad(found), out.is_table()) {
            (Some(bad), true) => out.text(&bad.line(|headline| paint.alarm(headline))),
            (None, true) => match C::note(found) {
                Some(note) => out.text(&note.line(|headline| paint.strong(headline))),
                None => Ok(()),
            },
            (Some(_), false) if self.bad.len() < MAX_NAMED => {
                self.bad.push(C::line(found)?);
                Ok(())
            }
            (_, false) => Ok(()),
        }
    }

    /// Prints the sums; `broken_off` is the error that has kept some games from being looked at, in words and for programs.
    fn print(&mut self, broken_off: Option<(String, Value)>, out: &mut Output) -> Result<(), CliError> {
        std::mem::replace(&mut self.printed, Ok(()))?;
        let text = match &broken_off {
            None => self.findings.sentence(),
            Some((why, _)) => {
                let so_far = output::counted(self.findings.games(), "game", "games");
                format!("INCOMPLETE: it broke off after {so_far} ({why}). Of these: {}", self.findings.sentence())
            }
        };
        if out.is_jsonl() {
            output::note(&text);
            return Ok(());
        }
        if out.is_table() {
            let screen = out.table_screen();
            let good = broken_off.is_none() && self.findings.to_result().is_ok();
            let paint = |line: &String| if good { screen.paint.good(line) } else { screen.paint.alarm(line) };
            let lines: Vec<String> = strings::fit(&text, screen.width).iter().map(paint).collect();
            return out.text(&lines.join("\n"));
        }
        let mut totals = self.findings.totals();
        totals["complete"] = broken_off.is_none().into();
        if let Some((_, error)) = broken_off {
            totals["error"] = error;
        }
        totals["bad"] = std::mem::take(&mut self.bad).into();
        out.value(&totals)
    }
}
