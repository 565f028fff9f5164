//! Final logs: the chain of hashes, computed here, and the replay by the rules.

use std::collections::HashSet;

use divelog_engine::{AnyEvent, Seat};
use divelog_ledger::{GameId, Hash, Position, Revision, Secret};
use divelog_proto::v1 as pb;
use pb::record::Body;
use prost::Message;
use sha2::{Digest, Sha256};

use super::{Kind, Report};
use crate::history::{FinalLog, StoredLog};

/// One record replayed.
pub(super) struct LoggedStep {
    /// The game after it.
    pub position: Position,
    /// What happened, for an auditor.
    pub events: Vec<AnyEvent>,
    /// Who acted.
    pub seat: Option<Seat>,
}

/// A log, read and replayed as far as it is good.
pub(super) struct Replay {
    /// The game.
    pub id: GameId,
    /// The game's secret.
    pub secret: [u8; 32],
    /// Every record that can be decoded, from 0.
    pub records: Vec<pb::Record>,
    /// The SHA-256 of each of these.
    pub hashes: Vec<Hash>,
    /// What the good ones led to; shorter than `records` if one of them is not good.
    pub steps: Vec<LoggedStep>,
}

impl Replay {
    /// Reads a log and says what is wrong with it; nothing if it cannot be read at all.
    pub fn of(id: GameId, log: Option<&FinalLog>, report: &mut Report) -> Option<Replay> {
        let log = log?;
        let stored = match &log.read {
            Ok(stored) => stored,
            Err(problem) => {
                report.add(Kind::LogBroken, Some(id), || format!("its log cannot be read: {problem}"));
                return None;
            }
        };
        let (records, hashes) = decode(stored);
        let mut problem = chain_problem(id, stored, &records, &hashes);
        let mut replay = Replay { id, secret: stored.secret, records, hashes, steps: Vec::new() };
        if let Err(fault) = replay.run(stored) {
            problem = problem.or(Some(fault));
        }
        check_verdict(log, stored, problem.as_deref(), report);
        if let Some(problem) = problem {
            report.add(Kind::LogBroken, Some(id), || problem);
        }
        Some(replay)
    }

    /// The number of records.
    pub fn revision(&self) -> u64 {
        self.records.len() as u64
    }

    /// The record that led to a revision.
    pub fn record(&self, revision: u64) -> Option<&pb::Record> {
        self.records.get(Revision::new(revision).last_record()?.index())
    }

    /// The hash of the record that led to a revision.
    pub fn hash(&self, revision: u64) -> Option<Hash> {
        self.hashes.get(Revision::new(revision).last_record()?.index()).copied()
    }

    /// What the record that led to a revision did; none if it is not a good one.
    pub fn step(&self, revision: u64) -> Option<&LoggedStep> {
        self.steps.get(Revision::new(revision).last_record()?.index())
    }

    fn run(&mut self, stored: &StoredLog) -> Result<(), String> {
        let secret = Secret(stored.secret);
        for (bytes, _) in &stored.records {
            let replayed = match self.steps.last() {
                None => Position::open(self.id, bytes, &secret),
                Some(step) => step.position.replay(bytes),
            };
            let replayed = replayed.map_err(|fault| fault.to_string())?;
            let seat = match &replayed.record.body {
                Some(Body::Move(step)) => u8::try_from(step.seat).ok().map(Seat),
                _ => None,
            };
            self.steps.push(LoggedStep { position: replayed.position, events: replayed.events, seat });
        }
        Ok(())
    }
}

fn decode(stored: &StoredLog) -> (Vec<pb::Record>, Vec<Hash>) {
    let mut records = Vec::with_capacity(stored.records.len());
    let mut hashes = Vec::with_capacity(stored.records.len());
    for (bytes, _) in &stored.records {
        let Ok(record) = pb::Record::decode(bytes.clone()) else { break };
        records.push(record);
        hashes.push(Sha256::digest(bytes).into());
    }
    (records, hashes)
}

/// The first thing in which the records do not make one chain.
fn chain_problem(id: GameId, stored: &StoredLog, records: &[pb::Record], hashes: &[Hash]) -> Option<String> {
    if stored.records.is_empty() {
        return Some("its log is empty".into());
    }
    if records.len() < stored.records.len() {
        return Some(format!("record {} cannot be decoded", records.len()));
    }
    let mut ids = HashSet::new();
    for (sequence, record) in records.iter().enumerate() {
        let previous = sequence.checked_sub(1).map(|before| &hashes[before]);
        let problem = if *record.game_id != id.0 {
            "names another game"
        } else if record.sequence != sequence as u64 {
            "has another number"
        } else if record.previous_hash[..] != previous.map_or(&[][..], |hash| &hash[..])[..] {
            "does not name the hash of the record before"
        } else if stored.records[sequence].1 != hashes[sequence] {
            "was given with a hash that is not its own"
        } else if sequence > 0 && record.time_ms < records[sequence - 1].time_ms {
            "is older than the record before"
        } else if !record.request_id.is_empty() && !ids.insert(&record.request_id) {
            "has the request id of an earlier record"
        } else {
            continue;
        };
        return Some(format!("record {sequence} {problem}"));
    }
    if stored.revision != records.len() as u64 {
        return Some(format!("{} records were announced and {} came", stored.revision, records.len()));
    }
    (hashes.last() != Some(&stored.head_hash)).then(|| "the head hash is not that of the last record".into())
}

/// The server's own verdict must be ours.
fn check_verdict(log: &FinalLog, stored: &StoredLog, problem: Option<&str>, report: &mut Report) {
    let sentence = match (&log.verdict, problem) {
        (Err(error), _) => format!("VerifyGame failed: {error}"),
        (Ok(verdict), None) if !verdict.verified => {
            format!("VerifyGame says {:?}, but everything in the log agrees", verdict.failure)
        }
        (Ok(verdict), None) if verdict.records != stored.records.len() as u64 => {
            format!("VerifyGame found {} records, the log has {}", verdict.records, stored.records.len())
        }
        (Ok(verdict), Some(problem)) if verdict.verified => {
            format!("VerifyGame says that everything agrees, but {problem}")
        }
        _ => return,
    };
    report.add(Kind::VerdictDiffers, Some(log.game), || sentence);
}
