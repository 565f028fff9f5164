//! CreateGame and ForkGame: one request id makes one game, for one request, and whoever repeats it gets that one.

use std::collections::BTreeMap;

use divelog_ledger::GameId;
use divelog_proto::v1 as pb;
use pb::record::Body;
use prost::Message;

use super::calls::is_fault;
use super::log::Replay;
use super::{Game, Kind, Report, expected};
use crate::history::{Done, FinalLog, Fingerprint, History, Operation, Outcome, Refusal, Request, Tick, fingerprint};

/// What a lawful creation may be refused for without anybody being wrong.
const LEGITIMATE: &[&str] = &["BUSY", "REQUEST_ID_REUSED"];
/// The same for one that names a promise: it is good for one game, and until the server is restarted.
const LEGITIMATE_FOR_PROMISED: &[&str] = &["NOT_PREPARED", "PREPARED_GAME_EXISTS"];

/// The answers of those who made a game, against its log.
pub(super) fn check_answers(game: &Game<'_>, replay: &Replay, report: &mut Report) {
    for operation in &game.made_by {
        let Outcome::Done(done) = &operation.outcome else { continue };
        let who =
            || format!("{} {:?} of client {}", operation.asked.name(), operation.asked.request_id(), operation.client);
        let Some(hash) = replay.hash(done.revision) else {
            report.add(Kind::AcknowledgedMissing, Some(replay.id), || {
                format!(
                    "{} was answered with revision {}, but the log has {} records",
                    who(),
                    done.revision,
                    replay.revision()
                )
            });
            continue;
        };
        let id = replay.records.first().map(|record| record.request_id.as_str()).unwrap_or_default();
        if done.hash != Some(hash) || id != operation.asked.request_id() {
            report.add(Kind::AcknowledgedDiffers, Some(replay.id), || {
                format!(
                    "{} was answered with a hash or an id that is not the log's at revision {}",
                    who(),
                    done.revision
                )
            });
            continue;
        }
        let right = replay.step(done.revision).map(|step| fingerprint(&expected::game(&step.position, &replay.secret)));
        if right.zip(done.content).is_some_and(|(right, content)| right != content) {
            report.add(Kind::AnswerDiffers, Some(replay.id), || {
                format!("{} was answered with another game than the log gives at revision {}", who(), done.revision)
            });
        }
    }
}

/// Everybody who used one id.
#[derive(Default)]
struct Group<'a> {
    operations: Vec<&'a Operation>,
    /// The games whose record 0 has it, and whether each is a fork that was given up before it was complete.
    games: Vec<(GameId, bool)>,
}

pub(super) fn check(history: &History, report: &mut Report) {
    let mut groups: BTreeMap<&str, Group<'_>> = BTreeMap::new();
    for operation in &history.operations {
        if !matches!(operation.asked, Request::Create(_) | Request::Fork(_)) {
            continue;
        }
        check_alone(operation, report);
        if !operation.asked.request_id().is_empty() {
            groups.entry(operation.asked.request_id()).or_default().operations.push(operation);
        }
    }
    let first_records: Vec<(GameId, pb::Record, bool)> = history.logs.iter().filter_map(first_record).collect();
    for (game, record, unfinished) in &first_records {
        if !record.request_id.is_empty() {
            groups.entry(&record.request_id).or_default().games.push((*game, *unfinished));
        }
    }
    for (id, group) in &groups {
        check_games(id, group, report);
        check_group(id, group, report);
    }
}

fn first_record(log: &FinalLog) -> Option<(GameId, pb::Record, bool)> {
    let stored = log.read.as_ref().ok()?;
    let record = pb::Record::decode(stored.records.first()?.0.clone()).ok()?;
    let fork_revision = match &record.body {
        Some(Body::Setup(setup)) => setup.fork.as_ref().map_or(0, |fork| fork.revision),
        _ => 0,
    };
    // An abandonment within the copied part counts as a record, but not as a part of the past.
    let moves = stored.records.iter().skip(1).filter(|(bytes, _)| {
        pb::Record::decode(bytes.clone()).is_ok_and(|record| matches!(record.body, Some(Body::Move(_))))
    });
    let unfinished = fork_revision > 0 && (moves.count() as u64) + 1 < fork_revision;
    Some((log.game, record, unfinished))
}

/// What can be said of one request without the others of its id.
fn check_alone(operation: &Operation, report: &mut Report) {
    let who = || format!("CreateGame {:?} of client {}", operation.asked.request_id(), operation.client);
    let Request::Create(create) = &operation.asked else { return };
    match &operation.outcome {
        Outcome::Done(done) => {
            if !create.lawful {
                report.add(Kind::OtherRequestAccepted, done.game, || {
                    format!("{} was answered with a game, but the rules do not allow what it asks for", who())
                });
            }
            if create.promised.is_some() && done.game != create.promised {
                report.add(Kind::AnswerDiffers, done.game, || format!("{} was promised another id", who()));
            }
        }
        Outcome::Refused(refused) => {
            let fair = LEGITIMATE.contains(&&*refused.reason)
                || create.promised.is_some() && LEGITIMATE_FOR_PROMISED.contains(&&*refused.reason);
            // Faults are reported by themselves.
            if create.lawful && !fair && !is_fault(refused) {
                report.add(Kind::WrongRefusal, create.promised, || {
                    format!("{} was refused with {}, which is not true of this request", who(), refused.reason)
                });
            }
        }
        Outcome::Unclear(_) | Outcome::Hung { .. } => {}
    }
}

/// The games of one id: one at most, and asked for by somebody who was not refused.
fn check_games(id: &str, group: &Group<'_>, report: &mut Report) {
    if let [(one, _), (other, _), ..] = group.games[..] {
        report.add(Kind::DoneTwice, Some(one), || format!("the creation {id:?} made it, and game {other} as well"));
    }
    let Some((game, unfinished)) = group.games.first().copied() else { return };
    if group.operations.is_empty() {
        report.add(Kind::NobodyAsked, Some(game), || format!("it was created by {id:?}, and nobody asked for that"));
    } else if group.operations.iter().all(|op| was_refused(&op.outcome)) && !unfinished {
        report.add(Kind::RefusedButCreated, Some(game), || {
            format!("everybody who asked for {id:?} was refused, but it made this game")
        });
    }
}

fn was_refused(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Refused(refused) if &*refused.reason != "STORE_FAILED")
}

fn check_group(id: &str, group: &Group<'_>, report: &mut Report) {
    let done = |operation: &&Operation| match &operation.outcome {
        Outcome::Done(done) => Some((body(&operation.asked), done.clone(), operation.returned, operation.client)),
        _ => None,
    };
    let answers: Vec<(Fingerprint, Done, Tick, u32)> = group.operations.iter().filter_map(done).collect();
    let first = answers.iter().min_by_key(|(_, _, returned, _)| *returned);
    if let Some((winner, answer, _, client)) = first {
        for (body, other, _, other_client) in &answers {
            if body != winner {
                report.add(Kind::OtherRequestAccepted, other.game, || {
                    format!("{id:?} was answered to client {other_client}, but the id is that of another request of client {client}")
                });
            } else if other != answer {
                report.add(Kind::TwoAnswers, other.game, || {
                    format!(
                        "{id:?} was answered with game {:?} at revision {} to client {client}, and with this one at revision {} to client {other_client}",
                        answer.game, answer.revision, other.revision
                    )
                });
            }
        }
    }
    let winner = first.map(|(body, _, returned, _)| (*body, *returned));
    for operation in &group.operations {
        if let Outcome::Refused(refused) = &operation.outcome {
            check_refusal(id, operation, refused, winner, group, report);
        }
    }
}

fn check_refusal(
    id: &str,
    operation: &Operation,
    refused: &Refusal,
    winner: Option<(Fingerprint, Tick)>,
    group: &Group<'_>,
    report: &mut Report,
) {
    let game = group.games.first().map(|(game, _)| *game);
    let who = || format!("{} {id:?} of client {}", operation.asked.name(), operation.client);
    let own = body(&operation.asked);
    if &*refused.reason == "REQUEST_ID_REUSED" {
        let alone = group.operations.iter().all(|other| body(&other.asked) == own);
        let is_winner = winner.is_some_and(|(body, _)| body == own);
        if alone || is_winner || group.games.is_empty() {
            report.add(Kind::WrongRefusal, game, || {
                let why = match (alone, is_winner) {
                    (true, _) => "nobody used the id for anything else",
                    (_, true) => "the id is that of this very request",
                    _ => "the id made no game",
                };
                format!("{} was refused with REQUEST_ID_REUSED, but {why}", who())
            });
        }
        return;
    }
    let Some((body, returned)) = winner else { return };
    let unlawful = matches!(&operation.asked, Request::Create(create) if !create.lawful);
    if operation.invoked > returned && &*refused.reason != "BUSY" && !unlawful && !is_fault(refused) {
        report.add(Kind::WrongRefusal, game, || {
            let right = if body == own { "its first answer" } else { "REQUEST_ID_REUSED" };
            format!("{} was refused with {}, but the id was answered before: {right} was due", who(), refused.reason)
        });
    }
}

fn body(asked: &Request) -> Fingerprint {
    match asked {
        Request::Create(create) => create.body,
        Request::Fork(fork) => fork.body,
        _ => Fingerprint::default(),
    }
}
