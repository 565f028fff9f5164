//! Forks: their past is their source's, and one that was answered is whole.

use std::collections::HashMap;

use divelog_ledger::GameId;
use divelog_proto::v1 as pb;
use pb::record::Body;
use prost::Message;
use sha2::{Digest, Sha256};

use super::{Kind, Report};
use crate::history::{History, Operation, Outcome, Request, StoredLog};

pub(super) fn check(history: &History, report: &mut Report) {
    let logs: HashMap<GameId, &StoredLog> =
        history.logs.iter().filter_map(|log| Some((log.game, log.read.as_ref().ok()?))).collect();
    let mut answered: HashMap<GameId, Vec<&Operation>> = HashMap::new();
    for operation in &history.operations {
        if let (Request::Fork(_), Outcome::Done(done)) = (&operation.asked, &operation.outcome)
            && let Some(game) = done.game
        {
            answered.entry(game).or_default().push(operation);
        }
    }
    for (game, log) in &logs {
        let forked_by = answered.remove(game).unwrap_or_default();
        match origin(log) {
            Some(fork) => check_fork(*game, log, &fork, &logs, &forked_by, report),
            None if !forked_by.is_empty() => {
                report.add(Kind::ForkDiffers, Some(*game), || "ForkGame answered with it, but it is no fork".into());
            }
            None => {}
        }
    }
}

fn origin(log: &StoredLog) -> Option<pb::Fork> {
    match body(log, 0)? {
        Body::Setup(setup) => setup.fork,
        _ => None,
    }
}

fn body(log: &StoredLog, sequence: u64) -> Option<Body> {
    let (bytes, _) = log.records.get(usize::try_from(sequence).ok()?)?;
    pb::Record::decode(bytes.clone()).ok()?.body
}

fn check_fork(
    game: GameId,
    log: &StoredLog,
    fork: &pb::Fork,
    logs: &HashMap<GameId, &StoredLog>,
    answered: &[&Operation],
    report: &mut Report,
) {
    let mut differs = |sentence: String| report.add(Kind::ForkDiffers, Some(game), || sentence);
    let source = <[u8; 16]>::try_from(&fork.game_id[..]).ok().map(GameId);
    let Some((source, past)) = source.and_then(|source| Some((source, logs.get(&source)?))) else {
        return differs("its source has no log that can be read".into());
    };
    let head = usize::try_from(fork.revision).ok().and_then(|revision| past.records.get(revision.checked_sub(1)?));
    if head.is_none_or(|(bytes, _)| Sha256::digest(bytes)[..] != fork.head_hash[..]) {
        differs(format!("its origin is not a record of its source {source} at revision {}", fork.revision));
    }
    let mut whole = true;
    for sequence in 1..fork.revision {
        match (body(log, sequence), body(past, sequence)) {
            (Some(Body::Move(own)), Some(Body::Move(theirs))) if own == theirs => {}
            // Not all of it is there, or it was given up before it was whole.
            (None | Some(Body::Abandonment(_)), _) => {
                whole = false;
                break;
            }
            _ => return differs(format!("record {sequence} is not the move of its source {source}")),
        }
    }
    for operation in answered {
        let (Request::Fork(asked), Outcome::Done(done)) = (&operation.asked, &operation.outcome) else { continue };
        let who = || format!("ForkGame {:?} of client {}", asked.request_id, operation.client);
        if !whole {
            report.add(Kind::UnfinishedForkAnswered, Some(game), || {
                format!("{} was answered, but it has not all {} records of its source", who(), fork.revision)
            });
        } else if asked.source != source
            || done.revision != fork.revision
            || asked.at_revision != 0 && asked.at_revision != fork.revision
        {
            report.add(Kind::ForkDiffers, Some(game), || {
                format!(
                    "{} asked for {} at revision {} and was answered with revision {}, but it is a fork of {source} at {}",
                    who(), asked.source, asked.at_revision, done.revision, fork.revision
                )
            });
        }
    }
}
