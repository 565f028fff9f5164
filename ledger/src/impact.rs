//! What another build of the rules, or a newer version of them, does to a game: the first record that differs, what could be
//! done, who wins.
//!
//! Unlike verification this goes on after a difference, with the state that this build computes, for as long as its rules
//! accept the actions.

use bytes::Bytes;
use divelog_proto::v1 as pb;

use crate::record::decode;
use crate::{GameId, LogFault, Position, ReplayedBy, RequestIds, Revision, Secret, Sequence, convert, legal_digest};

/// How many changed legal sets are named; more are counted.
pub const MAX_LEGAL_CHANGES: usize = 100;

/// A game replayed on this build, compared with what its log and its exporter say.
#[derive(Clone, PartialEq, Debug)]
pub struct Impact {
    /// The revision that the log leads to.
    pub records: Revision,
    /// The revision up to which this build could carry it out.
    pub replayed: Revision,
    /// The rules version by which it did that; none if it could not set the game up.
    pub rules_version: Option<u16>,
    /// The first record that does not agree. `ReplayDiffers` means other rules; the other kinds mean that the log
    /// was altered or damaged.
    pub first_difference: Option<LogFault>,
    /// The record at which this build could not go on: it refuses the action, or the bytes are not a record.
    pub refused_at: Option<LogFault>,
    /// The first revisions at which something else can be done than the exporter saw, at most [`MAX_LEGAL_CHANGES`].
    pub legal_changes: Vec<Revision>,
    /// How many such revisions there are in all.
    pub legal_change_count: u64,
    /// The result that the exporter saw.
    pub outcome_before: Option<pb::Outcome>,
    /// The result that this build gives; none if its replay does not reach an end.
    pub outcome_after: Option<pb::Outcome>,
    /// Whether these differ. Only where the exporter named a result.
    pub outcome_changed: bool,
}

impl Impact {
    /// Whether this build makes no difference to the game.
    pub fn is_none(&self) -> bool {
        self.first_difference.is_none() && self.legal_change_count == 0 && !self.outcome_changed
    }

    fn differs(&mut self, fault: LogFault) {
        self.first_difference.get_or_insert(fault);
    }

    fn compare_legal(&mut self, position: &Position, claimed: Option<&Bytes>) {
        if claimed.is_some_and(|claimed| **claimed != legal_digest(position)) {
            self.legal_change_count += 1;
            if self.legal_changes.len() < MAX_LEGAL_CHANGES {
                self.legal_changes.push(position.revision());
            }
        }
    }
}

/// Replays a game on this build and compares it with its records and with what was claimed when it was exported.
pub fn compare(
    game_id: GameId,
    secret: &Secret,
    records: &[Bytes],
    claims: &pb::BundleClaims,
    by: ReplayedBy,
) -> Impact {
    let mut impact = Impact {
        records: Revision::of(records),
        replayed: Revision::NONE,
        rules_version: None,
        first_difference: None,
        refused_at: None,
        legal_changes: Vec::new(),
        legal_change_count: 0,
        outcome_before: claims.outcome.clone(),
        outcome_after: None,
        outcome_changed: false,
    };
    let position = replay(game_id, secret, records, claims, by, &mut impact);
    impact.rules_version = position.as_ref().map(|position| position.header().rules_version);
    let reached_the_end = impact.replayed == impact.records;
    let outcome = position.filter(|_| reached_the_end).and_then(|position| position.outcome());
    impact.outcome_after = outcome.as_ref().map(convert::outcome_to_proto);
    impact.outcome_changed =
        impact.outcome_before.as_ref().is_some_and(|before| !is_same(before, impact.outcome_after.as_ref()));
    impact
}

fn replay(
    game_id: GameId,
    secret: &Secret,
    records: &[Bytes],
    claims: &pb::BundleClaims,
    by: ReplayedBy,
    impact: &mut Impact,
) -> Option<Position> {
    let mut request_ids = RequestIds::default();
    let mut position: Option<Position> = None;
    if records.is_empty() {
        impact.refused_at = Some(LogFault::malformed(Sequence::SETUP, "the log is empty"));
        impact.first_difference = impact.refused_at.clone();
    }
    for (sequence, bytes) in Sequence::SETUP.onward().zip(records) {
        let redone = match &position {
            None => Position::reopen(game_id, bytes, secret, by),
            Some(position) => decode(sequence, bytes).and_then(|record| {
                if let Err(fault) = position.check_link(&record, bytes) {
                    impact.differs(fault);
                }
                position.redo(record, bytes)
            }),
        };
        let redone = match redone {
            Ok(redone) => redone,
            Err(fault) => {
                impact.differs(fault.clone());
                impact.refused_at = Some(fault);
                break;
            }
        };
        if let Err(fault) = redone.check(bytes) {
            impact.differs(fault);
        }
        let replayed = redone.close(bytes);
        if let Err(fault) = request_ids.note(&replayed.record, bytes) {
            impact.differs(fault);
        }
        impact.replayed = replayed.position.revision();
        impact.compare_legal(&replayed.position, claims.legal_digests.get(sequence.index()));
        position = Some(replayed.position);
    }
    position
}

/// Whether two results name the same winners and give every seat the same points, in whatever order.
fn is_same(before: &pb::Outcome, after: Option<&pb::Outcome>) -> bool {
    let by_seat = |outcome: &pb::Outcome| {
        let mut standings = outcome.standings.clone();
        standings.sort_by_key(|standing| standing.seat);
        let mut winners = outcome.winners.clone();
        winners.sort_unstable();
        (standings, winners)
    };
    after.is_some_and(|after| by_seat(before) == by_seat(after))
}
