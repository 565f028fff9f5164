//! `divelog bundle verify`: what a bundle proves, what it does not, and what is wrong, in sentences. Offline.

use divelog_ledger::{
    LogFault,
    bundle::{self, Finding, Judgement, Verdict},
    convert,
    tlog::VerifierKey,
};
use divelog_proto::v1::{Bundle, PreparedGame, Record, record};
use divelog_text::Seating;
use prost::Message as _;
use serde_json::{Value, json};

use super::super::{log, standings, status_word};
use crate::{
    errors::CliError,
    output::{Output, Screen, clean_line, json, table},
};

/// The groups of findings, the most serious first.
const GROUPS: [(Judgement, &str); 3] =
    [(Judgement::Failed, "Wrong"), (Judgement::Proved, "Proved"), (Judgement::NotProved, "Not proved")];

/// Verifies a bundle and prints the verdict.
pub fn run(
    bundle: &Bundle,
    key: Option<&VerifierKey>,
    promise: Option<&PreparedGame>,
    out: &mut Output,
) -> Result<(), CliError> {
    let verdict = bundle::verify(bundle, key);
    let kept = promise.map(|promise| is_promise_kept(promise, bundle));
    out.judged(to_result(&verdict, kept), |out| print(bundle, &verdict, key.is_some(), kept, out))
}

fn print(
    bundle: &Bundle,
    verdict: &Verdict,
    key_is_given: bool,
    kept: Option<bool>,
    out: &mut Output,
) -> Result<(), CliError> {
    if out.is_table() {
        let seating = log::seating(bundle.records.first().map(AsRef::as_ref));
        return out.text(&render(verdict, kept, &seating, out.screen()));
    }
    let mut value = to_value(verdict, key_is_given)?;
    if let (Value::Object(fields), Some(kept)) = (&mut value, kept) {
        fields.insert("promise_kept".into(), kept.into());
    }
    out.value(&value)
}

/// The verdict as the command's own success or failure.
fn to_result(verdict: &Verdict, kept: Option<bool>) -> Result<(), CliError> {
    if verdict.ok() && kept == Some(false) {
        return Err(CliError::disproved(
            "the game is not the one that was promised: its id or the commitment in its record 0 is another",
            "the server may have chosen its secret by what the players added; keep the promise and this file",
        ));
    }
    if verdict.ok() {
        return Ok(());
    }
    let first = verdict.findings.iter().find(|finding| finding.result == Judgement::Failed);
    let sentence = first.map(|finding| finding.sentence.clone()).unwrap_or_default();
    Err(CliError::disproved(
        format!("the bundle does not hold: {sentence}"),
        "do not settle a dispute with this file; get it again from its source, and keep this one",
    ))
}

/// Whether a game has the id and the commitment that were promised before the players added to the seed.
fn is_promise_kept(promise: &PreparedGame, bundle: &Bundle) -> bool {
    let first = bundle.records.first().and_then(|record| Record::decode(&record[..]).ok());
    let commitment = match first.and_then(|record| record.body) {
        Some(record::Body::Setup(setup)) => setup.seed_commitment,
        _ => return false,
    };
    promise.game_id == bundle.game_id && promise.seed_commitment == commitment
}

fn render(verdict: &Verdict, kept: Option<bool>, seating: &Seating, screen: Screen) -> String {
    let paint = screen.paint;
    let unproved = verdict.findings.iter().any(|finding| finding.result == Judgement::NotProved);
    let headline = match (verdict.ok(), unproved) {
        (false, _) => paint.alarm("NOT VERIFIED"),
        (true, true) => paint.good("VERIFIED, as far as the bundle goes"),
        (true, false) => paint.good("VERIFIED"),
    };
    let kind = verdict.kind.map(convert::kind_to_proto).map_or("unknown", divelog_text::code_name);
    let version = verdict.rules_version.map(|version| format!(" (rules version {version})")).unwrap_or_default();
    let status = verdict.status.map(|status| status_word(convert::status_to_proto(status)).to_owned());
    let outcome = verdict.outcome.as_ref().map(|outcome| standings(&convert::outcome_to_proto(outcome), seating));
    let pairs = table::pairs(
        &[
            ("game", verdict.game_id.clone()),
            ("fork", seating.fork().unwrap_or_default().to_owned()),
            ("kind", format!("{kind}{version}")),
            ("status", status.unwrap_or_default()),
            ("outcome", outcome.unwrap_or_default()),
            ("records", verdict.revision.to_string()),
            ("promise", kept.map(promise_word).unwrap_or_default().to_owned()),
            ("head hash", verdict.head_hash.map(hex::encode).unwrap_or_default()),
        ],
        screen,
    );
    let mut parts = vec![format!("{headline}\n{pairs}")];
    parts.extend(GROUPS.iter().filter_map(|(result, title)| group(verdict, *result, title, screen)));
    parts.join("\n\n")
}

fn promise_word(kept: bool) -> &'static str {
    if kept {
        "kept: the secret was fixed before the players added to the seed"
    } else {
        "BROKEN: this is not the game, or not the secret, that was promised"
    }
}

/// The findings that ended in one way, each in a paragraph beside its name.
fn group(verdict: &Verdict, result: Judgement, title: &str, screen: Screen) -> Option<String> {
    let findings = verdict.findings.iter().filter(|finding| finding.result == result);
    let items: Vec<(String, String)> =
        findings.map(|finding| (format!("  {}", finding.check.name()), sentence(finding))).collect();
    if items.is_empty() {
        return None;
    }
    let title = format!("{title}:");
    let title = if result == Judgement::Failed { screen.paint.alarm(&title) } else { screen.paint.strong(&title) };
    Some(format!("{title}\n{}", table::paragraphs(&items, screen)))
}

/// The sentence, and where in the record the fault lies.
fn sentence(finding: &Finding) -> String {
    let place = finding.fault.as_ref().map(place).unwrap_or_default();
    clean_line(&format!("{}{place}", finding.sentence))
}

fn place(fault: &LogFault) -> String {
    match (fault.field, &fault.bytes) {
        (Some(field), Some(bytes)) => format!(" (field {field}, bytes {}..{})", bytes.start, bytes.end),
        (Some(field), None) => format!(" (field {field})"),
        (None, Some(bytes)) => format!(" (bytes {}..{})", bytes.start, bytes.end),
        (None, None) => String::new(),
    }
}

fn to_value(verdict: &Verdict, key_is_given: bool) -> Result<Value, CliError> {
    let findings = verdict.findings.iter().map(|finding| {
        let fault = finding.fault.as_ref().map(|fault| json::to_value(&convert::fault_to_proto(fault))).transpose()?;
        Ok(json!({
            "check": finding.check.name(), "result": finding.result.name(), "sentence": finding.sentence, "fault": fault,
        }))
    });
    let findings = findings.collect::<Result<Vec<Value>, CliError>>()?;
    let outcome = verdict.outcome.as_ref().map(|outcome| json::to_value(&convert::outcome_to_proto(outcome)));
    Ok(json!({
        "verified": verdict.ok(),
        "game_id": verdict.game_id,
        "fork_of": verdict.fork_of.map(|source| source.to_string()),
        "kind": verdict.kind.map(|kind| divelog_text::code_name(convert::kind_to_proto(kind))),
        "rules_version": verdict.rules_version,
        "status": verdict.status.map(|status| status_word(convert::status_to_proto(status))),
        "revision": verdict.revision.get(),
        "head_hash": verdict.head_hash.map(hex::encode),
        "outcome": outcome.transpose()?,
        "key_is_given": key_is_given,
        "checkpoint": verdict.checkpoint.as_ref().map(|checkpoint| json!({
            "origin": checkpoint.origin, "tree_size": checkpoint.size, "root_hash": hex::encode(checkpoint.root),
        })),
        "findings": findings,
    }))
}

#[cfg(test)]
mod tests;
