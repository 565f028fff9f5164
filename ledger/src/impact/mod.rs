//! What another build of the rules, or a newer version of them, does to a game: the first record that differs, what could be
//! done, who wins.
//!
//! Unlike verification this goes on after a difference, with the state that this build computes, for as long as its rules
//! accept the actions. A game of an older version is replayed by its own and, beside that, by the newest: see `newest`.

mod newest;

use bytes::Bytes;
use divelog_engine::Compared;
use divelog_proto::v1 as pb;

use self::newest::Newest;
use crate::record::decode;
use crate::{GameId, LogFault, Position, Replayed, RequestIds, Revision, Secret, Sequence, convert, legal_digest};

/// How many changed legal sets, and how many actions that were divided, are named; more are counted.
pub const MAX_NAMED: usize = 100;

/// By which rules a log is replayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReplayedBy {
    /// By the version that its record 0 names.
    OwnRules,
    /// By the newest version of its kind, to which a game of an older version is carried over.
    NewestRules,
}

/// A game replayed on this build, compared with what its log and its exporter say or, where it is carried over to the newest
/// rules, with what this build makes of it by its own.
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
    /// By the newest rules: the first event that they make another one, in the record of `first_difference`.
    pub other_event: Option<OtherEvent>,
    /// The record at which this build could not go on: it refuses the action, or the bytes are not a record.
    pub refused_at: Option<LogFault>,
    /// The first actions that took several by the newest rules, at most [`MAX_NAMED`]. That alone is no difference.
    pub divided_actions: Vec<DividedAction>,
    /// How many such actions there are in all.
    pub divided_action_count: u64,
    /// The first revisions at which something else can be done, at most [`MAX_NAMED`].
    pub legal_changes: Vec<Revision>,
    /// How many such revisions there are in all.
    pub legal_change_count: u64,
    /// The result that the exporter saw.
    pub outcome_before: Option<pb::Outcome>,
    /// The result that this build gives; none if its replay does not reach an end.
    pub outcome_after: Option<pb::Outcome>,
}

/// An event that the newest rules make another one, or that only one of the two versions has.
#[derive(Clone, PartialEq, Debug)]
pub struct OtherEvent {
    /// By the game's own rules, in the form of the newest.
    pub before: Option<pb::GameEvent>,
    /// By the newest rules.
    pub after: Option<pb::GameEvent>,
}

/// An action that takes several by the newest rules.
#[derive(Clone, PartialEq, Debug)]
pub struct DividedAction {
    /// Its record.
    pub sequence: Sequence,
    /// What was done instead.
    pub actions: Vec<pb::GameAction>,
}

impl Impact {
    /// Whether this build makes no difference to the game.
    pub fn is_none(&self) -> bool {
        self.first_difference.is_none()
            && self.legal_change_count == 0
            && !self.outcome_changed()
            && !self.outcome_is_missing()
    }

    /// Whether the game has another result: other winners, or other points of a seat.
    pub fn outcome_changed(&self) -> bool {
        self.outcomes().is_some_and(|(before, after)| !is_same(before, after))
    }

    /// Whether the game has other winners.
    pub fn winners_changed(&self) -> bool {
        self.outcomes().is_some_and(|(before, after)| winners(before) != winners(after))
    }

    /// Whether the exporter saw a result, and this build's replay does not come to one. What it would be is not known.
    pub fn outcome_is_missing(&self) -> bool {
        self.outcome_before.is_some() && self.outcome_after.is_none()
    }

    fn outcomes(&self) -> Option<(&pb::Outcome, &pb::Outcome)> {
        self.outcome_before.as_ref().zip(self.outcome_after.as_ref())
    }

    fn differs(&mut self, fault: LogFault) {
        self.first_difference.get_or_insert(fault);
    }

    fn stops(&mut self, fault: LogFault) {
        self.differs(fault.clone());
        self.refused_at = Some(fault);
    }

    fn legal_change(&mut self, revision: Revision) {
        self.legal_change_count += 1;
        if self.legal_changes.len() < MAX_NAMED {
            self.legal_changes.push(revision);
        }
    }

    /// Notes what a record came to by the newest rules.
    fn carried(&mut self, sequence: Sequence, compared: Compared, fault: impl FnOnce() -> LogFault) {
        if compared.actions.len() > 1 {
            self.divided_action_count += 1;
            if self.divided_actions.len() < MAX_NAMED {
                let actions = compared.actions.iter().map(convert::action_to_proto).collect();
                self.divided_actions.push(DividedAction { sequence, actions });
            }
        }
        let Some(other) = compared.difference else { return };
        if self.first_difference.is_none() {
            let [before, after] = [other.older, other.newest].map(|event| event.as_ref().map(convert::event_to_proto));
            self.other_event = Some(OtherEvent { before, after });
            self.differs(fault());
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
        other_event: None,
        refused_at: None,
        divided_actions: Vec::new(),
        divided_action_count: 0,
        legal_changes: Vec::new(),
        legal_change_count: 0,
        outcome_before: claims.outcome.clone(),
        outcome_after: None,
    };
    let (position, newest) = replay(game_id, secret, records, claims, by, &mut impact);
    let own_version = position.as_ref().map(|position| position.header().rules_version);
    impact.rules_version = newest.as_ref().map(Newest::rules_version).or(own_version);
    if impact.replayed == impact.records {
        let outcome = match newest {
            Some(newest) => newest.outcome(),
            None => position.and_then(|position| position.outcome()),
        };
        impact.outcome_after = outcome.as_ref().map(convert::outcome_to_proto);
    }
    impact
}

/// The game by its own rules and, if it is carried over, by the newest.
fn replay(
    game_id: GameId,
    secret: &Secret,
    records: &[Bytes],
    claims: &pb::BundleClaims,
    by: ReplayedBy,
    impact: &mut Impact,
) -> (Option<Position>, Option<Newest>) {
    let mut request_ids = RequestIds::default();
    let (mut position, mut newest): (Option<Position>, Option<Newest>) = (None, None);
    if records.is_empty() {
        impact.stops(LogFault::malformed(Sequence::SETUP, "the log is empty"));
    }
    for (sequence, bytes) in Sequence::SETUP.onward().zip(records) {
        let redone = match &position {
            None => Position::reopen(game_id, bytes, secret),
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
                impact.stops(fault);
                break;
            }
        };
        if let Err(fault) = redone.check(bytes) {
            impact.differs(fault);
        }
        let own = redone.close(bytes);
        if let Err(fault) = request_ids.note(&own.record, bytes) {
            impact.differs(fault);
        }
        if let Err(fault) = carry_over(&mut newest, by, &own, bytes, impact) {
            impact.stops(fault);
            break;
        }
        impact.replayed = own.position.revision();
        let claimed = claims.legal_digests.get(sequence.index());
        let can_do_the_same = match &newest {
            Some(newest) => newest.can_do_the_same(&own.position),
            None => claimed.is_none_or(|claimed| **claimed == legal_digest(&own.position)),
        };
        if !can_do_the_same {
            impact.legal_change(own.position.revision());
        }
        position = Some(own.position);
    }
    (position, newest)
}

/// Does a record again by the newest rules, if its game is carried over to them, and notes what that came to.
fn carry_over(
    newest: &mut Option<Newest>,
    by: ReplayedBy,
    own: &Replayed,
    bytes: &Bytes,
    impact: &mut Impact,
) -> Result<(), LogFault> {
    let sequence = own.position.last_record();
    let compared = match newest {
        Some(newest) => newest.follow(sequence, own, bytes)?,
        None if sequence > Sequence::SETUP || by == ReplayedBy::OwnRules => return Ok(()),
        None if !Newest::is_newer_than(&own.position) => return Ok(()),
        None => {
            let (carried, compared) = Newest::set_up(own, bytes)?;
            *newest = Some(carried);
            compared
        }
    };
    if let Some(newest) = newest {
        impact.carried(sequence, compared, || newest.differs_at(sequence, bytes));
    }
    Ok(())
}

/// Whether two results name the same winners and give every seat the same points, in whatever order.
fn is_same(before: &pb::Outcome, after: &pb::Outcome) -> bool {
    let standings = |outcome: &pb::Outcome| {
        let mut standings = outcome.standings.clone();
        standings.sort_by_key(|standing| standing.seat);
        standings
    };
    winners(before) == winners(after) && standings(before) == standings(after)
}

fn winners(outcome: &pb::Outcome) -> Vec<u32> {
    let mut winners = outcome.winners.clone();
    winners.sort_unstable();
    winners
}
