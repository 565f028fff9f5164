//! `divelog log impact`: games replayed on this build, by their own rules version or by the newest, and what plays differently:
//! the first record, what can be done, who wins. Bundles from a folder, or every game of a server, whose claims say how its own build plays them.

use std::path::PathBuf;

use divelog_ledger::{
    FaultKind, GameId, LogFault, SECRET_BYTES, Secret,
    impact::{self, DividedAction, Impact, OtherEvent, ReplayedBy},
};
use divelog_proto::v1::{Bundle, ExportBundleRequest, GameEvent, GameSummary, Outcome};
use divelog_text::{Lang, Seating};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::{
    args::{Global, ImpactArgs},
    bundle_file,
    connect::{self, Connection, required},
    errors::CliError,
    output::{self, Output, json},
    parallel::{self, Findings, ShownGame},
    progress::Progress,
    verify::FailedVerification,
};

/// How many revisions a line for people names.
const MAX_SHOWN: usize = 8;

/// A game to replay: what it is called, and its bundle if that could be read.
struct Job {
    name: String,
    bundle: Result<Bundle, CliError>,
}

/// A game and what came of its replay.
struct Compared {
    name: String,
    kind: &'static str,
    rules_version: u32,
    by: ReplayedBy,
    comparison: Comparison,
}

enum Comparison {
    /// Replayed on this build.
    Impact(Box<Impact>),
    /// Not replayed: a running game's bundle without its secret.
    NoSecret,
    /// There is nothing to replay.
    Unread(String),
}

/// Compares everything that the arguments name.
pub async fn run(global: &Global, args: &ImpactArgs, out: &mut Output) -> Result<(), CliError> {
    let list = parallel::filtered(&args.filter)?;
    let progress = Progress::start();
    let by = if args.newest_rules { ReplayedBy::NewestRules } else { ReplayedBy::OwnRules };
    if args.paths.is_empty() {
        let connection = connect::open(global).await?;
        let feed = {
            let progress = progress.clone();
            |jobs| parallel::fetch_all(connection, list, progress, export, jobs)
        };
        return parallel::report::<Counts, _, _>(progress, feed, move |job| compare(job, by), out).await;
    }
    if args.filter.kind.is_some() || args.filter.status.is_some() || !args.filter.label.is_empty() {
        return Err(CliError::usage("--kind, --status and --label choose among a server's games, not among bundles"));
    }
    let files = bundle_file::find(&args.paths)?;
    progress.found(files.len());
    let read =
        move |file: PathBuf| compare(Job { name: file.display().to_string(), bundle: bundle_file::read(&file) }, by);
    parallel::report::<Counts, _, _>(progress, |jobs| send(files, jobs), read, out).await
}

async fn send(files: Vec<PathBuf>, jobs: mpsc::Sender<PathBuf>) -> Result<(), CliError> {
    for file in files {
        if jobs.send(file).await.is_err() {
            break;
        }
    }
    Ok(())
}

/// A game's records with what the server's own build makes of them.
async fn export(connection: Connection, game: GameSummary) -> Result<Job, CliError> {
    let call = ExportBundleRequest { game_id: game.game_id.clone(), include_secret: true, open_draws: Vec::new() };
    let response = parallel::of_one_game(connection.call(call).await.map_err(CliError::from))?;
    let bundle = response.and_then(|response| required(response.bundle, "it has no bundle"));
    Ok(Job { name: game.game_id, bundle })
}

fn compare(Job { name, bundle }: Job, by: ReplayedBy) -> Compared {
    let bundle = match bundle {
        Ok(bundle) => bundle,
        Err(error) => {
            let comparison = Comparison::Unread(error.to_string());
            return Compared { name, kind: "-", rules_version: 0, by, comparison };
        }
    };
    let claims = bundle.claims.clone().unwrap_or_default();
    let comparison = match (bundle.game_id.parse::<GameId>(), <[u8; SECRET_BYTES]>::try_from(bundle.secret.as_ref())) {
        (Ok(game_id), Ok(secret)) => {
            Comparison::Impact(Box::new(impact::compare(game_id, &Secret(secret), &bundle.records, &claims, by)))
        }
        (Ok(_), Err(_)) if bundle.secret.is_empty() => Comparison::NoSecret,
        (Ok(_), Err(_)) => Comparison::Unread("its secret has the wrong length".into()),
        (Err(problem), _) => Comparison::Unread(format!("its game id cannot be read: {problem}")),
    };
    Compared { name, kind: divelog_text::code_name(claims.kind()), rules_version: claims.rules_version, by, comparison }
}

#[derive(Default)]
struct Counts {
    games: u64,
    differing: u64,
    legal: u64,
    outcomes: u64,
    winners: u64,
    without_result: u64,
    divided: u64,
    without_secret: u64,
    unread: u64,
    /// Whether games were replayed by the newest rules: then a difference is an answer, and no fault.
    by_newest_rules: bool,
}

impl Findings for Counts {
    type GameResult = Compared;

    fn count(&mut self, compared: &Compared) {
        self.games += 1;
        self.by_newest_rules = compared.by == ReplayedBy::NewestRules;
        match &compared.comparison {
            Comparison::Impact(impact) => {
                self.differing += u64::from(!impact.is_none());
                self.legal += u64::from(impact.legal_change_count > 0);
                self.outcomes += u64::from(impact.outcome_changed());
                self.winners += u64::from(impact.winners_changed());
                self.without_result += u64::from(impact.outcome_is_missing());
                self.divided += u64::from(impact.divided_action_count > 0);
            }
            Comparison::NoSecret => self.without_secret += 1,
            Comparison::Unread(_) => self.unread += 1,
        }
    }

    fn bad(compared: &Compared) -> Option<ShownGame> {
        match &compared.comparison {
            Comparison::Impact(impact) if !impact.is_none() => {
                let why = differences(impact, compared.rules_version);
                Some(ShownGame { headline: "DIFFERS", what: compared.what(impact), why })
            }
            // Nothing can be said about it.
            Comparison::Unread(problem) => {
                Some(ShownGame { headline: "NOT READ", what: compared.name.clone(), why: problem.clone() })
            }
            Comparison::Impact(_) | Comparison::NoSecret => None,
        }
    }

    fn note(compared: &Compared) -> Option<ShownGame> {
        match &compared.comparison {
            Comparison::Impact(impact) if impact.is_none() => Some(ShownGame {
                headline: "CARRIED OVER",
                what: compared.what(impact),
                why: format!("nothing else happens; {}", divided(impact)?),
            }),
            _ => None,
        }
    }

    fn line(compared: &Compared) -> Result<Value, CliError> {
        line(compared)
    }

    fn games(&self) -> u64 {
        self.games
    }

    fn sentence(&self) -> String {
        let Self { games, differing, legal, outcomes, winners, by_newest_rules, .. } = self;
        let how = if *by_newest_rules { "by the newest rules" } else { "on this build" };
        let mut text = format!(
            "{differing} of {games} games play differently {how}: {legal} with other legal actions, {outcomes} with another \
             result, {winners} with other winners"
        );
        for (count, what) in [
            (self.without_result, "without a result, because the replay did not come to it"),
            (self.divided, "with actions that take several"),
            (self.without_secret, "not replayed, because their secret is not in the bundle"),
            (self.unread, "could not be read"),
        ] {
            if count > 0 {
                text.push_str(&format!("; {count} {what}"));
            }
        }
        text
    }

    fn totals(&self) -> Value {
        json!({
            "games": self.games, "differing": self.differing, "legal_actions_changed": self.legal,
            "outcomes_changed": self.outcomes, "winners_changed": self.winners, "without_result": self.without_result,
            "with_divided_actions": self.divided, "without_secret": self.without_secret, "unread": self.unread,
        })
    }

    fn to_result(&self) -> Result<(), CliError> {
        if self.unread == 0 && (self.differing == 0 || self.by_newest_rules) {
            return Ok(());
        }
        if self.by_newest_rules {
            return Err(CliError::disproved(
                format!("{} of {} games could not be read", self.unread, self.games),
                "what they are is not known: see `divelog bundle verify` and `divelog log verify`",
            ));
        }
        Err(CliError::disproved(
            format!("{} of {} games differ or could not be read", self.differing + self.unread, self.games),
            "a change of the rules needs a new rules version that leaves games of the old one as they were",
        ))
    }
}

impl Compared {
    /// The game and the versions that were compared.
    fn what(&self, impact: &Impact) -> String {
        let Self { name, kind, rules_version, .. } = self;
        let other = impact.rules_version.filter(|version| u32::from(*version) != *rules_version);
        let by = other.map(|version| format!(" by version {version}")).unwrap_or_default();
        format!("{name} ({kind}, rules version {rules_version}{by})")
    }
}

fn differences(impact: &Impact, own_version: u32) -> String {
    let is_carried_over = impact.rules_version.is_some_and(|version| u32::from(version) != own_version);
    let said = |fault: &LogFault| match fault.kind {
        // The rules of two versions differ on purpose, whatever the record says of its own.
        FaultKind::ReplayDiffers if is_carried_over => fault.to_string(),
        _ => FailedVerification::of(fault).to_string(),
    };
    let mut parts = Vec::new();
    if let Some(fault) = &impact.first_difference {
        let other = impact.other_event.as_ref().map(|other| format!(" ({})", in_words(other, own_version, impact)));
        parts.push(format!("first at {}{}", said(fault), other.unwrap_or_default()));
    }
    match &impact.refused_at {
        // It was said above.
        Some(fault) if impact.first_difference.as_ref() == Some(fault) => parts.push("it stops there".into()),
        Some(fault) => parts.push(format!("it stops at {}", said(fault))),
        None => {}
    }
    parts.extend(divided(impact));
    if impact.legal_change_count > 0 {
        let shown: Vec<String> = impact.legal_changes.iter().take(MAX_SHOWN).map(ToString::to_string).collect();
        let more = if impact.legal_change_count > shown.len() as u64 { ", ..." } else { "" };
        let count = output::counted(impact.legal_change_count, "revision", "revisions");
        parts.push(format!("other legal actions at {count} ({}{more})", shown.join(", ")));
    }
    let (before, after) = (result(impact.outcome_before.as_ref()), result(impact.outcome_after.as_ref()));
    if impact.outcome_changed() {
        parts.push(format!("another result: {before} before, {after} now"));
    }
    if impact.outcome_is_missing() {
        parts.push(format!("its result was {before}, and what it would be now is not known"));
    }
    parts.join("; ")
}

/// The event of a difference by both versions. Names of players are not needed to see it.
fn in_words(OtherEvent { before, after }: &OtherEvent, own_version: u32, impact: &Impact) -> String {
    let sentence = |event: &Option<GameEvent>| match event {
        Some(event) => format!("{:?}", divelog_text::event_sentence(event, &Seating::default(), Lang::En)),
        None => "nothing more".into(),
    };
    let newest = impact.rules_version.unwrap_or_default();
    format!("by version {own_version} {}, by version {newest} {}", sentence(before), sentence(after))
}

/// The actions that the newest rules take as several, in words; none where there is no such action.
fn divided(impact: &Impact) -> Option<String> {
    if impact.divided_action_count == 0 {
        return None;
    }
    let in_words = |DividedAction { sequence, actions }: &DividedAction| {
        let words: Vec<String> = actions.iter().map(divelog_text::action_words).collect();
        format!("record {sequence}: {}", words.join(", "))
    };
    let shown: Vec<String> = impact.divided_actions.iter().take(MAX_SHOWN).map(in_words).collect();
    let more = if impact.divided_action_count > shown.len() as u64 { "; ..." } else { "" };
    let count = output::counted(impact.divided_action_count, "action takes", "actions take");
    Some(format!("{count} several ({}{more})", shown.join("; ")))
}

/// Who won, and everybody's points by seat.
fn result(outcome: Option<&Outcome>) -> String {
    let Some(outcome) = outcome else { return "none".into() };
    let winners: Vec<String> = outcome.winners.iter().map(|seat| format!("seat {seat}")).collect();
    let points: Vec<String> = outcome.standings.iter().map(|standing| standing.points.to_string()).collect();
    format!("{} with {}", output::or_dash(winners.join(" and ")), points.join("/"))
}

/// A game for programs.
fn line(compared: &Compared) -> Result<Value, CliError> {
    let mut line = json!({ "name": compared.name, "kind": compared.kind, "rules_version": compared.rules_version });
    match &compared.comparison {
        Comparison::Impact(impact) => {
            let fault = |fault: &Option<LogFault>| {
                let failure = fault.as_ref().map(divelog_ledger::convert::fault_to_proto);
                failure.as_ref().map(json::to_value).transpose()
            };
            let outcome = |outcome: &Option<Outcome>| outcome.as_ref().map(json::to_value).transpose();
            line["differs"] = (!impact.is_none()).into();
            line["replayed_rules_version"] = impact.rules_version.into();
            line["records"] = impact.records.get().into();
            line["replayed"] = impact.replayed.get().into();
            line["first_difference"] = fault(&impact.first_difference)?.into();
            line["refused_at"] = fault(&impact.refused_at)?.into();
            line["legal_changes"] = impact.legal_changes.iter().map(|revision| revision.get()).collect();
            line["legal_change_count"] = impact.legal_change_count.into();
            line["outcome_before"] = outcome(&impact.outcome_before)?.into();
            line["outcome_after"] = outcome(&impact.outcome_after)?.into();
            line["outcome_changed"] = impact.outcome_changed().into();
            line["winners_changed"] = impact.winners_changed().into();
            line["outcome_is_missing"] = impact.outcome_is_missing().into();
            if let Some(OtherEvent { before, after }) = &impact.other_event {
                let event = |event: &Option<GameEvent>| event.as_ref().map(json::to_value).transpose();
                line["other_event"] = json!({ "before": event(before)?, "after": event(after)? });
            }
            let divided = |DividedAction { sequence, actions }: &DividedAction| {
                let actions: Vec<Value> = actions.iter().map(json::to_value).collect::<Result<_, _>>()?;
                Ok::<_, CliError>(json!({ "sequence": sequence.get(), "actions": actions }))
            };
            line["divided_actions"] = impact.divided_actions.iter().map(divided).collect::<Result<Vec<_>, _>>()?.into();
            line["divided_action_count"] = impact.divided_action_count.into();
        }
        Comparison::NoSecret => line["skipped"] = "its secret is not in the bundle".into(),
        Comparison::Unread(problem) => line["error"] = problem.as_str().into(),
    }
    Ok(line)
}

#[cfg(test)]
mod tests;
