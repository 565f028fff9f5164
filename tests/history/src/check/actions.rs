//! Actions and abandonments: acknowledged ones are in the log once and as they were answered, refused ones are not, and the order of the
//! log is that of time.

use std::collections::HashMap;

use divelog_engine::Seat;
use divelog_ledger::convert;
use divelog_proto::v1 as pb;
use pb::record::Body;
use prost::Message;

use super::calls::is_fault;
use super::log::Replay;
use super::times::Times;
use super::{Game, Kind, Report, expected};
use crate::history::{Act, Done, Operation, Outcome, Refusal, Request, Tick, fingerprint};

/// Refusals that say nothing about the request: it may be sent again.
const LATER: &[&str] = &["BUSY"];

pub(super) fn check(game: &Game<'_>, replay: &Replay, times: &Times, report: &mut Report) {
    let by_id = group(&game.operations);
    check_order(replay, times, report);
    check_records(&by_id, game, replay, report);
    for operation in &game.operations {
        match &operation.outcome {
            Outcome::Done(done) => check_done(operation, done, replay, report),
            Outcome::Refused(refused) => check_refused(operation, refused, replay, times, report),
            Outcome::Unclear(_) | Outcome::Hung { .. } => {}
        }
    }
    let records: HashMap<&str, &pb::Record> =
        replay.records.iter().skip(1).rev().map(|record| (record.request_id.as_str(), record)).collect();
    for (id, operations) in &by_id {
        check_group(id, operations, records.get(id).copied(), replay, report);
    }
}

/// Whether a record is what a request asks for, whatever their ids.
pub(super) fn leads_to(asked: &Request, record: &pb::Record) -> bool {
    match (asked, &record.body) {
        (Request::Act(act), Some(Body::Move(step))) => {
            step.seat == act.seat
                && step.action.as_ref().is_some_and(|action| action.encode_to_vec()[..] == act.action[..])
        }
        (Request::Abandon(abandon), Some(Body::Abandonment(body))) => *body.reason == *abandon.reason,
        _ => false,
    }
}

fn group<'a>(operations: &[&'a Operation]) -> HashMap<&'a str, Vec<&'a Operation>> {
    let mut by_id: HashMap<&str, Vec<&Operation>> = HashMap::new();
    for operation in operations {
        let id = operation.asked.request_id();
        if !id.is_empty() {
            by_id.entry(id).or_default().push(operation);
        }
    }
    by_id
}

fn check_order(replay: &Replay, times: &Times, report: &mut Report) {
    // The first is enough: what follows it is late for the same reason.
    let early = times.known.iter().zip(&times.earliest).position(|(known, earliest)| known < earliest);
    if let Some(sequence) = early {
        report.add(Kind::OrderDiffers, Some(replay.id), || {
            format!(
                "somebody saw revision {} or a later one at tick {}, but record {sequence} ({:?}) was not asked for before tick {}",
                sequence + 1,
                times.known[sequence],
                replay.records[sequence].request_id,
                times.earliest[sequence],
            )
        });
    }
}

/// Every record was asked for, by somebody who was not refused, and once.
fn check_records(by_id: &HashMap<&str, Vec<&Operation>>, game: &Game<'_>, replay: &Replay, report: &mut Report) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut nameless = 0usize;
    let copied = fork_revision(replay);
    for (sequence, record) in replay.records.iter().enumerate().skip(1) {
        let id = record.request_id.as_str();
        if id.is_empty() {
            nameless += usize::from(sequence as u64 >= copied);
            continue;
        }
        if let Some(first) = seen.insert(id, sequence) {
            report.add(Kind::DoneTwice, Some(replay.id), || {
                format!("request {id:?} is in the log twice, as records {first} and {sequence}")
            });
        }
        let asked = by_id.get(id).map(Vec::as_slice).unwrap_or_default();
        let same = || asked.iter().filter(|operation| leads_to(&operation.asked, record));
        let accepted = same().any(|operation| may_be_done(&operation.outcome));
        if accepted {
            continue;
        }
        match same().next() {
            Some(operation) => report.add(Kind::RefusedButDone, Some(replay.id), || {
                format!(
                    "record {sequence} is request {id:?} of client {}, which was refused: {}",
                    operation.client,
                    describe_outcome(&operation.outcome)
                )
            }),
            None => report.add(Kind::NobodyAsked, Some(replay.id), || {
                format!("record {sequence} has the request id {id:?}, and nobody asked for that")
            }),
        }
    }
    let could = game.operations.iter().filter(|operation| {
        matches!(operation.asked, Request::Act(_) | Request::Abandon(_))
            && operation.asked.request_id().is_empty()
            && may_be_done(&operation.outcome)
    });
    let could = could.count();
    if nameless > could {
        report.add(Kind::NobodyAsked, Some(replay.id), || {
            format!("{nameless} records have no request id, but only {could} requests without one may have been done")
        });
    }
}

/// Whether a request may be in the log, by what its caller was answered.
fn may_be_done(outcome: &Outcome) -> bool {
    match outcome {
        // By its definition nobody knows then; it is a finding of its own.
        Outcome::Refused(refused) => &*refused.reason == "STORE_FAILED",
        Outcome::Done(_) | Outcome::Unclear(_) | Outcome::Hung { .. } => true,
    }
}

/// The records before this one are copied by ForkGame, without a request id.
fn fork_revision(replay: &Replay) -> u64 {
    match replay.records.first().and_then(|record| record.body.as_ref()) {
        Some(Body::Setup(setup)) => setup.fork.as_ref().map_or(0, |fork| fork.revision),
        _ => 0,
    }
}

fn check_done(operation: &Operation, done: &Done, replay: &Replay, report: &mut Report) {
    let expected_revision = match &operation.asked {
        Request::Act(act) => act.expected_revision,
        Request::Abandon(abandon) => abandon.expected_revision,
        _ => return,
    };
    let (id, name) = (operation.asked.request_id(), operation.asked.name());
    let who = || format!("{name} {id:?} of client {}, acknowledged with revision {}", operation.client, done.revision);
    let (Some(record), Some(hash)) = (replay.record(done.revision), replay.hash(done.revision)) else {
        return report.add(Kind::AcknowledgedMissing, Some(replay.id), || {
            format!("{} is not in the log, which has {} records", who(), replay.revision())
        });
    };
    let problem = if record.request_id != id {
        Some(format!("has the request id {:?} there", record.request_id))
    } else if !leads_to(&operation.asked, record) {
        Some("has another seat or action there".to_owned())
    } else if done.hash != Some(hash) {
        Some("has another hash there".to_owned())
    } else if expected_revision.is_some_and(|expected| expected + 1 != done.revision) {
        return report.add(Kind::RefusalDiffers, Some(replay.id), || {
            format!("{}, was to be done at revision {expected_revision:?} only", who())
        });
    } else {
        None
    };
    if let Some(problem) = problem {
        let kind = match replay.records.iter().any(|record| !id.is_empty() && record.request_id == id) {
            true => Kind::AcknowledgedDiffers,
            false => Kind::AcknowledgedMissing,
        };
        return report.add(kind, Some(replay.id), || format!("{}: the log {problem}", who()));
    }
    let Some((step, content)) = replay.step(done.revision).zip(done.content) else { return };
    let right = match &operation.asked {
        Request::Act(_) => fingerprint(&expected::submitted(step)),
        _ => fingerprint(&expected::game(&step.position, &replay.secret)),
    };
    if right != content {
        report.add(Kind::AnswerDiffers, Some(replay.id), || {
            format!("{}, was answered with other events, seats or times than its record leads to", who())
        });
    }
}

fn check_refused(operation: &Operation, refused: &Refusal, replay: &Replay, times: &Times, report: &mut Report) {
    let who = || {
        let (name, id) = (operation.asked.name(), operation.asked.request_id());
        format!("{name} {id:?} of client {} was refused with {}", operation.client, refused.reason)
    };
    let wrong = |report: &mut Report, what: String| {
        report.add(Kind::RefusalDiffers, Some(replay.id), || format!("{} {what}", who()));
    };
    match &*refused.reason {
        "GAME_NOT_FOUND" if times.known_before(operation.invoked, operation.client) > 0 => {
            return report
                .add(Kind::ReadWentBack, Some(replay.id), || format!("{}, but somebody saw the game before", who()));
        }
        "FORK_INCOMPLETE" => {
            let copied = fork_revision(replay);
            if copied == 0 || times.known_before(operation.invoked, operation.client) > copied {
                wrong(report, format!("although the fork had its {copied} records"));
            }
            return;
        }
        _ => {}
    }
    let Some(revision) = refused.revision.filter(|revision| *revision > 0) else { return };
    let at = (revision - 1) as usize;
    if at >= replay.records.len() {
        return report.add(Kind::ShownButNotInLog, Some(replay.id), || {
            format!("{} at revision {revision}, but the log has {} records", who(), replay.records.len())
        });
    }
    if let Request::Read(..) = operation.asked {
        // A dry run is judged by what is on disk, not by what is on its way.
        let before = times.known_before(operation.invoked, operation.client);
        if revision < before {
            report.add(Kind::ReadWentBack, Some(replay.id), || {
                format!("{} at revision {revision}, but revision {before} was seen before that was asked", who())
            });
        }
        return;
    }
    let next_known = times.known.get(at + 1).copied().unwrap_or(Tick::MAX);
    if times.earliest[at] > operation.returned {
        wrong(report, format!("at revision {revision}, which was only asked for later"));
    } else if next_known < operation.invoked {
        wrong(
            report,
            format!("at revision {revision}, although revision {} was seen before it was asked", revision + 1),
        );
    }
    let expected_revision = match &operation.asked {
        Request::Act(act) => act.expected_revision,
        Request::Abandon(abandon) => abandon.expected_revision,
        _ => None,
    };
    match (&*refused.reason, expected_revision) {
        ("STALE_REVISION", None) => wrong(report, "although it named no revision".into()),
        ("STALE_REVISION", Some(expected)) if expected == revision => {
            wrong(report, format!("at revision {revision}, which is the one it named"));
        }
        ("STALE_REVISION", _) => {}
        // The copies that ForkGame makes are judged by other rules.
        _ => check_rules(operation, refused, revision, replay, &wrong, report),
    }
}

/// Whether the rules refuse the action at that revision, and for that reason.
fn check_rules(
    operation: &Operation,
    refused: &Refusal,
    revision: u64,
    replay: &Replay,
    wrong: &impl Fn(&mut Report, String),
    report: &mut Report,
) {
    let (Request::Act(act), Some(step)) = (&operation.asked, replay.step(revision)) else { return };
    if !matches!(refused.code, "FAILED_PRECONDITION" | "INVALID_ARGUMENT") {
        return;
    }
    let Some(reason) = rules_on(act, step) else { return };
    match reason {
        Err(reason) if reason == &*refused.reason => {}
        Err(reason) => wrong(report, format!("at revision {revision}, but the rules say {reason}")),
        Ok(()) => wrong(report, format!("at revision {revision}, but the rules allow it there")),
    }
}

/// What the rules say of an action; nothing if it cannot be read, which is judged elsewhere.
fn rules_on(act: &Act, step: &super::log::LoggedStep) -> Option<Result<(), &'static str>> {
    let position = &step.position;
    let seat = u8::try_from(act.seat).ok().map(Seat).filter(|seat| position.game().seats().contains(*seat))?;
    let action = pb::GameAction::decode(act.action.clone()).ok()?;
    let action = convert::action_from_proto(position.kind(), Some(&action)).ok()?;
    Some(position.check(seat, &action).map_err(|violation| violation.reason))
}

/// What is promised of a request id, for those who used it in one game.
fn check_group(id: &str, operations: &[&Operation], record: Option<&pb::Record>, replay: &Replay, report: &mut Report) {
    let acknowledged = operations.iter().filter(|op| matches!(op.outcome, Outcome::Done(_)));
    let first = acknowledged.map(|op| op.returned).min().unwrap_or(Tick::MAX);
    for operation in operations {
        let same = record.is_some_and(|record| leads_to(&operation.asked, record));
        let who = || format!("{} {id:?} of client {}", operation.asked.name(), operation.client);
        match &operation.outcome {
            Outcome::Done(_) if record.is_some() && !same => {
                report.add(Kind::OtherRequestAccepted, Some(replay.id), || {
                    format!("{} was acknowledged, but the id is that of another request", who())
                });
            }
            Outcome::Refused(refused) if &*refused.reason == "REQUEST_ID_REUSED" && (same || record.is_none()) => {
                report.add(Kind::WrongRefusal, Some(replay.id), || {
                    let used = if same { "only for this very request" } else { "by no record" };
                    format!("{} was refused with REQUEST_ID_REUSED, but the id is used {used}", who())
                });
            }
            Outcome::Refused(refused)
                if operation.invoked > first
                    && !is_fault(refused)
                    && &*refused.reason != "REQUEST_ID_REUSED"
                    && !LATER.contains(&&*refused.reason) =>
            {
                report.add(Kind::WrongRefusal, Some(replay.id), || {
                    let right = if same { "its first answer" } else { "REQUEST_ID_REUSED" };
                    format!(
                        "{} was refused with {}, but was acknowledged before: {right} was due",
                        who(),
                        refused.reason
                    )
                });
            }
            _ => {}
        }
    }
    check_same_answers(id, operations, replay, report);
}

fn check_same_answers(id: &str, operations: &[&Operation], replay: &Replay, report: &mut Report) {
    let mut answers = operations.iter().filter_map(|operation| match &operation.outcome {
        Outcome::Done(done) => Some((operation, done)),
        _ => None,
    });
    let Some((one, first)) = answers.next() else { return };
    if let Some((other, second)) = answers.find(|(_, done)| *done != first) {
        report.add(Kind::TwoAnswers, Some(replay.id), || {
            format!(
                "request {id:?} was answered with revision {} to client {} and with revision {} to client {}, or with other content",
                first.revision, one.client, second.revision, other.client
            )
        });
    }
}

fn describe_outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Refused(refused) => format!("{} {}", refused.code, refused.reason),
        other => format!("{other:?}"),
    }
}
