//! What fsck and restore have found, for people and for programs.

use std::fmt::Write;
use std::path::PathBuf;

use divelog_ledger::{GameId, Revision, Sequence};
use serde::Serialize;
use serde::ser::Serializer;

/// Lines of a kind that a table shows; JSON has all of them.
const SHOWN: usize = 100;

/// Everything that was found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Nothing is missing or damaged, as far as the sources show.
    pub whole: bool,
    /// What was looked at.
    pub sources: Vec<PathBuf>,
    /// The blocks.
    pub blocks: Blocks,
    /// The games, counted.
    pub games: Games,
    /// Records that have their place in a game.
    pub records: u64,
    /// The published log that it was compared with.
    pub published: Option<PublishedLog>,
    /// What the database says of a copy; absent if it was not asked.
    #[serde(rename = "engine")]
    pub database: Option<DatabaseCheck>,
    /// Where the new store is; absent if none was written.
    pub restored_to: Option<PathBuf>,
    /// What becomes of the transparency log; absent if there is none, or no store was written.
    pub log: Option<LogReport>,
    /// Sentences about files.
    pub remarks: Vec<String>,
    /// Every game that is not known to be whole.
    pub problems: Vec<GameProblem>,
    /// Every record that is sound by itself and not in the game as it was put together.
    pub left_out: Vec<LeftOut>,
}

/// The transparency log of a restored store.
#[derive(Clone, Debug, Serialize)]
pub struct LogReport {
    /// The public key that it is signed with from now on.
    pub key: String,
    /// Whether it is a new log, because the one before could not go on.
    pub new: bool,
    /// The public key of the log before a new one.
    pub previous: Option<String>,
    /// The size of the largest tree that is known to be signed under the old key; absent if none is known.
    pub known: Option<u64>,
    /// For people.
    pub sentence: String,
}

/// Records of a game that were found and are not in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// The game.
    #[serde(serialize_with = "as_text")]
    pub game_id: GameId,
    /// The first record's number.
    #[serde(serialize_with = "as_number")]
    pub first: Sequence,
    /// The last record's number.
    #[serde(serialize_with = "as_number")]
    pub last: Sequence,
    /// Why they have no place in the game.
    pub why: Why,
}

/// Why a sound record has no place in its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Another record of the same number was taken.
    OtherHistory,
    /// A record before it is missing.
    AfterGap,
    /// It comes from a bundle, and neither the rules nor a block confirm it.
    Unconfirmed,
}

impl LeftOut {
    fn sentence(&self) -> String {
        let LeftOut { game_id, first, last, why } = self;
        let records = match first == last {
            true => format!("record {first} was"),
            false => format!("records {first} to {last} were"),
        };
        let why = match why {
            Why::OtherHistory => "another history was taken",
            Why::AfterGap => "a record before is missing",
            Why::Unconfirmed => "it is from a bundle, and the rules do not confirm it",
        };
        format!("game {game_id}: {records} left out: {why}")
    }
}

/// The blocks of the store.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Blocks {
    /// Different numbers found.
    pub found: u64,
    /// The last block that was written, as far as anything shows.
    pub last: Option<u64>,
    /// Ranges of numbers that are nowhere, both ends included.
    pub missing: Vec<(u64, u64)>,
    /// Blocks with records that no copy gives back.
    pub damaged: Vec<u64>,
    /// Numbers that several different blocks carry: what a crash left, or stores that went separate ways.
    pub conflicting: Vec<u64>,
}

/// Games, counted. `found` is the sum of the others without those lost that only the published log knows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Games {
    /// Of which there is any record.
    pub found: u64,
    /// Complete and replayed.
    pub whole: u64,
    /// Known to lack something.
    pub damaged: u64,
    /// Which may lack their end.
    pub uncertain: u64,
    /// Without a first record, or known by the published log alone.
    pub lost: u64,
}

/// The published log.
#[derive(Clone, Debug, Serialize)]
pub struct PublishedLog {
    /// Where it is.
    pub dir: PathBuf,
    /// How many leaves its checkpoint covers.
    pub leaves: u64,
    /// How many games are in it.
    pub games: u64,
    /// Whether the checkpoint's signature was checked: that takes the server's key.
    pub signature_checked: bool,
}

/// What the database made of a copy.
#[derive(Clone, Debug, Serialize)]
pub struct DatabaseCheck {
    /// It opened the copy and gave every game back that was found.
    pub sound: bool,
    /// What was wrong.
    pub sentence: String,
}

/// A game that is not known to be whole.
#[derive(Clone, Debug, Serialize)]
pub struct GameProblem {
    /// The game.
    #[serde(serialize_with = "as_text")]
    pub game_id: GameId,
    /// What is wrong.
    pub problem: Problem,
    /// Records from 0 on that are there.
    pub records: u64,
    /// Records that were written, at least, as the sources show.
    pub written: u64,
    /// The newest revision in the published log; absent if there was none to compare with.
    pub published: Option<u64>,
    /// For people.
    pub sentence: String,
}

/// What can be wrong with a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Problem {
    /// Nothing of it can be used.
    Lost,
    /// Records are missing or damaged.
    MissingRecords,
    /// There are two histories of it, or another one was published.
    Contradiction,
    /// Its secret is missing.
    NoSecret,
    /// The rules do not give what its records say.
    Replay,
    /// A lost block may hold its last records.
    MayLackItsEnd,
}

impl GameProblem {
    pub(super) fn lost(game_id: GameId, published: Revision) -> GameProblem {
        let sentence = format!("it reached revision {published} by the published log, no record of it was found");
        GameProblem {
            game_id,
            problem: Problem::Lost,
            records: 0,
            written: 0,
            published: Some(published.get()),
            sentence,
        }
    }
}

fn as_text<S: Serializer>(game: &GameId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(game)
}

fn as_number<S: Serializer>(sequence: &Sequence, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(sequence.get())
}

impl Blocks {
    pub(super) fn last_missing(&self) -> Option<u64> {
        self.missing.last().map(|(_, last)| *last)
    }

    fn missing_count(&self) -> u64 {
        self.missing.iter().map(|(first, last)| last - first + 1).sum()
    }
}

impl Report {
    /// Sets `whole` from the rest.
    pub(super) fn decide(&mut self) {
        let blocks = self.blocks.missing.is_empty() && self.blocks.damaged.is_empty();
        let database = self.database.as_ref().is_none_or(|database| database.sound);
        let games = self.problems.is_empty() && self.left_out.is_empty();
        self.whole = blocks && database && games && self.remarks.is_empty();
    }

    /// For people.
    pub fn to_table(&self) -> String {
        let mut out = String::new();
        self.write(&mut out).expect("writing to a string does not fail");
        out
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let Games { found, whole, damaged, uncertain, lost } = &self.games;
        writeln!(out, "{}", if self.whole { "whole" } else { "NOT WHOLE" })?;
        let last = self.blocks.last.map_or("none".to_owned(), |last| last.to_string());
        writeln!(
            out,
            "blocks     {} found, last {last}, {} missing, {} damaged",
            self.blocks.found,
            self.blocks.missing_count(),
            self.blocks.damaged.len()
        )?;
        writeln!(
            out,
            "games      {found} found: {whole} whole, {damaged} damaged, {uncertain} may lack their end; {lost} lost"
        )?;
        writeln!(out, "records    {}", self.records)?;
        if let Some(log) = &self.published {
            let signature = if log.signature_checked { "signature checked" } else { "no key to check its signature" };
            writeln!(out, "published  {} leaves of {} games, {signature}", log.leaves, log.games)?;
        }
        if let Some(database) = &self.database {
            writeln!(out, "database   {}", database.sentence)?;
        }
        if let Some(log) = &self.log {
            writeln!(out, "log        {}", log.sentence)?;
        }
        if let Some(dir) = &self.restored_to {
            writeln!(out, "restored   {}", dir.display())?;
        }
        let ranges = self.blocks.missing.iter().map(|(first, last)| match first == last {
            true => format!("block {first} is missing"),
            false => format!("blocks {first} to {last} are missing"),
        });
        let damaged = self.blocks.damaged.iter().map(|number| format!("block {number} has damaged records"));
        let conflicting = self.blocks.conflicting.iter().map(|number| format!("there are different blocks {number}"));
        let games = self.problems.iter().map(|game| format!("game {}: {}", game.game_id, game.sentence));
        list(out, self.remarks.iter().cloned())?;
        list(out, ranges)?;
        list(out, damaged)?;
        list(out, conflicting)?;
        list(out, games)?;
        list(out, self.left_out.iter().map(LeftOut::sentence))
    }
}

fn list(out: &mut String, lines: impl ExactSizeIterator<Item = String>) -> std::fmt::Result {
    let count = lines.len();
    for line in lines.take(SHOWN) {
        writeln!(out, "- {line}")?;
    }
    if count > SHOWN {
        writeln!(out, "- and {} more; -o json lists all", count - SHOWN)?;
    }
    Ok(())
}
