//! Histories with one thing changed, and what must be found in each.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::sample::*;
use crate::Kind;
use crate::check::check;
use crate::history::*;

/// What is changed, in words; what must be found; and how it is changed.
type Case = (&'static str, Kind, fn(&mut History));

const CASES: &[Case] = &[
    ("a byte of a record", Kind::LogBroken, |h| {
        let record = &mut stored(h, 0).records[3].0;
        let mut bytes = record.to_vec();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        *record = Bytes::from(bytes);
    }),
    ("two records in the wrong order", Kind::LogBroken, |h| stored(h, 0).records.swap(3, 4)),
    ("a record missing in the middle", Kind::LogBroken, |h| drop(stored(h, 0).records.remove(2))),
    ("a hash that is not the record's", Kind::LogBroken, |h| stored(h, 0).records[2].1 = [0; 32]),
    ("another head hash", Kind::LogBroken, |h| stored(h, 0).head_hash = [0; 32]),
    ("another secret", Kind::LogBroken, |h| stored(h, 0).secret = [0; 32]),
    ("a log that cannot be read", Kind::LogBroken, |h| h.logs[0].read = Err("DATA_LOSS".into())),
    ("a sound log that does not verify", Kind::VerdictDiffers, |h| {
        h.logs[0].verdict = Ok(ServerVerdict { verified: false, records: 2, failure: "hash".into() });
    }),
    ("a broken log that verifies", Kind::VerdictDiffers, |h| stored(h, 0).records.swap(3, 4)),
    ("no verdict", Kind::VerdictDiffers, |h| h.logs[0].verdict = Err("INTERNAL".into())),
    ("no log", Kind::GameMissing, |h| drop(h.logs.remove(0))),
    ("the last record is gone", Kind::AcknowledgedMissing, lose_last_record),
    ("an acknowledged id that the log does not have", Kind::AcknowledgedMissing, |h| {
        act_with_id(h, "a5").request_id = id("other");
    }),
    ("another revision", Kind::AcknowledgedDiffers, |h| done_with_id(h, "a5").revision = 3),
    ("another hash", Kind::AcknowledgedDiffers, |h| done_with_id(h, "a5").hash = Some([0; 32])),
    ("another seat", Kind::AcknowledgedDiffers, |h| act_with_id(h, "a5").seat += 1),
    ("another action", Kind::AcknowledgedDiffers, |h| act_with_id(h, "a5").action = Bytes::new()),
    ("a creation with another hash", Kind::AcknowledgedDiffers, |h| done_with_id(h, "c").hash = Some([0; 32])),
    ("other events", Kind::AnswerDiffers, |h| done_with_id(h, "a5").content = Some([0; 16])),
    ("another game than was promised", Kind::AnswerDiffers, |h| match &mut with_id(h, "c").asked {
        Request::Create(create) => create.promised = Some(FORK),
        _ => unreachable!(),
    }),
    ("asked for after a later one was acknowledged", Kind::OrderDiffers, |h| {
        let operation = with_id(h, "a2");
        (operation.invoked, operation.returned) = (1_000, 1_001);
    }),
    ("refused but in the log", Kind::RefusedButDone, |h| {
        with_id(h, "a5").outcome = refused("FAILED_PRECONDITION", "WRONG_PHASE", None);
    }),
    ("a record that nobody asked for", Kind::NobodyAsked, |h| {
        h.operations.retain(|operation| operation.asked.request_id() != "a5");
    }),
    ("a game that nobody asked for", Kind::NobodyAsked, |h| {
        h.operations.retain(|operation| operation.asked.request_id() != "f");
    }),
    ("stale at the very revision that was named", Kind::RefusalDiffers, |h| {
        act_with_id(h, "stale").expected_revision = Some(ACTIONS as u64 + 1);
    }),
    ("stale without naming a revision", Kind::RefusalDiffers, |h| act_with_id(h, "stale").expected_revision = None),
    ("judged at a revision that was long past", Kind::RefusalDiffers, |h| {
        with_id(h, "turn").outcome = refused("FAILED_PRECONDITION", "NOT_ASKED", Some(2));
    }),
    ("judged at a revision that was still to come", Kind::RefusalDiffers, |h| {
        let operation = with_id(h, "stale");
        (operation.invoked, operation.returned) = (12, 13);
    }),
    ("refused for another reason than the rules give", Kind::RefusalDiffers, |h| {
        with_id(h, "turn").outcome = refused("FAILED_PRECONDITION", "EMPTY_LOAD", Some(ACTIONS as u64 + 1));
    }),
    ("done at another revision than the one that was named", Kind::RefusalDiffers, |h| {
        act_with_id(h, "a3").expected_revision = Some(1);
    }),
    ("a watch with a gap", Kind::WatchGap, |h| {
        h.watches[0].seen.remove(3);
    }),
    ("a watch with a repeat", Kind::WatchGap, |h| {
        let twice = h.watches[0].seen[3].clone();
        h.watches[0].seen.insert(3, twice);
    }),
    ("a watch that does not go on where it should", Kind::WatchGap, |h| h.watches[0].after = Some(2)),
    ("a watch that says that more was sent", Kind::WatchGap, |h| {
        h.watches[0].seen.push((421, Seen::UpTo { revision: 99 }));
    }),
    ("a watch that begins without a table", Kind::WatchGap, |h| h.watches[0].after = None),
    ("a watch that shows another viewer's table", Kind::WatchDiffers, |h| {
        h.watches[0].viewer = divelog_engine::Viewer::Auditor;
    }),
    ("a table of another viewer", Kind::WatchDiffers, |h| h.watches[1].viewer = divelog_engine::Viewer::Spectator),
    ("a watched record that is lost", Kind::ShownButNotInLog, lose_last_record),
    ("a watched record with another hash", Kind::ShownButNotInLog, |h| match &mut h.watches[0].seen[2].1 {
        Seen::Update { hash, .. } => *hash = [0; 32],
        _ => unreachable!(),
    }),
    ("a read of a revision that is not there", Kind::ShownButNotInLog, |h| {
        done(read(h, |read| matches!(read, Read::Game(_)))).revision = 99;
    }),
    ("a refusal at a revision that is not there", Kind::ShownButNotInLog, |h| {
        with_id(h, "stale").outcome = refused("ABORTED", "STALE_REVISION", Some(99));
    }),
    ("an older revision than was acknowledged", Kind::ReadWentBack, |h| {
        done(read(h, |read| matches!(read, Read::Legal(_)))).revision = 3;
    }),
    ("a dry run at an older revision than was seen", Kind::ReadWentBack, |h| {
        let judged = refused("FAILED_PRECONDITION", "NOT_ASKED", Some(3));
        h.operations.push(operation(9, 600, Request::Read(GAME, Read::DryRun), judged));
    }),
    ("a game that is not found any more", Kind::ReadWentBack, |h| {
        with_id(h, "turn").outcome = refused("NOT_FOUND", "GAME_NOT_FOUND", None);
    }),
    ("a watch that begins before what was seen", Kind::ReadWentBack, |h| match &mut h.watches[1].seen[0].1 {
        Seen::Snapshot { revision, .. } => *revision = 2,
        _ => unreachable!(),
    }),
    ("a table that the log does not give", Kind::ReadDiffers, |h| {
        done(read(h, |read| matches!(read, Read::Game(_)))).content = Some([0; 16]);
    }),
    ("legal actions of another seat", Kind::ReadDiffers, |h| {
        let operation = read(h, |read| matches!(read, Read::Legal(_)));
        operation.asked = Request::Read(GAME, Read::Legal(1));
        done(operation).content = Some([0; 16]);
    }),
    ("a head hash that the log does not have", Kind::ReadDiffers, |h| {
        done(read(h, |read| matches!(read, Read::Log))).hash = Some([0; 32]);
    }),
    ("another answer to a repeated action", Kind::TwoAnswers, |h| done_with_id(h, "a3").content = Some([0; 16])),
    ("another game for a repeated creation", Kind::TwoAnswers, |h| {
        let mut again = with_id(h, "c").clone();
        done(&mut again).game = Some(FORK);
        h.operations.push(again);
    }),
    ("another action under an id is acknowledged", Kind::OtherRequestAccepted, |h| {
        let first = with_id(h, "a3").outcome.clone();
        reused(h, "a3").outcome = first;
    }),
    ("another creation under an id is acknowledged", Kind::OtherRequestAccepted, |h| {
        let first = with_id(h, "c").outcome.clone();
        reused(h, "c").outcome = first;
    }),
    ("a creation that the rules forbid is acknowledged", Kind::OtherRequestAccepted, |h| {
        let first = with_id(h, "c").outcome.clone();
        with_id(h, "few").outcome = first;
    }),
    ("a repeated action is refused", Kind::WrongRefusal, |h| {
        let again = Operation { invoked: 700, returned: 701, ..with_id(h, "a3").clone() };
        let outcome = refused("FAILED_PRECONDITION", "WRONG_PHASE", None);
        h.operations.push(Operation { outcome, ..again });
    }),
    ("a repeated action is taken for another", Kind::WrongRefusal, |h| {
        let again = Operation { invoked: 700, returned: 701, ..with_id(h, "a3").clone() };
        let outcome = refused("ALREADY_EXISTS", "REQUEST_ID_REUSED", None);
        h.operations.push(Operation { outcome, ..again });
    }),
    ("another action under an id is refused for something else", Kind::WrongRefusal, |h| {
        reused(h, "a3").outcome = refused("FAILED_PRECONDITION", "NOT_ASKED", None);
    }),
    ("a new id is taken for a used one", Kind::WrongRefusal, |h| {
        with_id(h, "turn").outcome = refused("ALREADY_EXISTS", "REQUEST_ID_REUSED", None);
    }),
    ("a creation is given another's refusal", Kind::WrongRefusal, |h| {
        reused(h, "c").outcome = refused("FAILED_PRECONDITION", "SEAT_COUNT", None);
    }),
    ("a repeated creation is taken for another", Kind::WrongRefusal, |h| {
        let again = Operation { invoked: 700, returned: 701, ..with_id(h, "c").clone() };
        let outcome = refused("ALREADY_EXISTS", "REQUEST_ID_REUSED", None);
        h.operations.push(Operation { outcome, ..again });
    }),
    ("a creation's id is taken, but made nothing", Kind::WrongRefusal, |h| {
        with_id(h, "few").outcome = refused("ALREADY_EXISTS", "REQUEST_ID_REUSED", None);
    }),
    ("a repeated id hangs in the end", Kind::NoAnswerWhenQuiet, |h| {
        let operation = with_id(h, "few");
        (operation.quiet, operation.outcome) = (true, Outcome::Hung { limit_ms: 10_000 });
    }),
    ("a repeated id has no answer in the end", Kind::NoAnswerWhenQuiet, |h| with_id(h, "unclear").quiet = true),
    ("a refused creation made a game", Kind::RefusedButCreated, |h| {
        with_id(h, "c").outcome = refused("RESOURCE_EXHAUSTED", "BUSY", None);
    }),
    ("a fork at another revision", Kind::ForkDiffers, |h| match &mut with_id(h, "f").asked {
        Request::Fork(fork) => fork.at_revision = 3,
        _ => unreachable!(),
    }),
    ("a fork of another game", Kind::ForkDiffers, |h| match &mut with_id(h, "f").asked {
        Request::Fork(fork) => fork.source = FORK,
        _ => unreachable!(),
    }),
    ("a fork that is none", Kind::ForkDiffers, |h| done_with_id(h, "f").game = Some(GAME)),
    ("a stream that ends with OK too early", Kind::StreamEndedEarly, |h| h.streams[0].unanswered = 1),
    ("answers in another order", Kind::StreamOrder, |h| {
        let later = with_id(h, "a4").returned;
        with_id(h, "a2").returned = later + 1;
    }),
    ("an answer to nothing", Kind::StreamOrder, |h| h.streams[0].unasked = 1),
    ("a backup without its last block", Kind::BackupIncomplete, |h| {
        h.backups[0].blocks.pop();
    }),
    ("a backup with an empty block", Kind::BackupIncomplete, |h| h.backups[0].empty = 1),
    ("a backup without a header", Kind::BackupIncomplete, |h| h.backups[0].announced = None),
    ("a call without an answer", Kind::Hang, |h| {
        with_id(h, "unclear").outcome = Outcome::Hung { limit_ms: 20_000 };
    }),
    ("a server that stands still", Kind::Stall, |h| {
        h.stalls.push(Stall { seconds: 10, waiting: 7, health: "SERVING".into() });
    }),
    ("a failed store", Kind::FaultAnswered, |h| {
        with_id(h, "turn").outcome = refused("UNAVAILABLE", "STORE_FAILED", None);
    }),
    ("lost data", Kind::FaultAnswered, |h| with_id(h, "turn").outcome = refused("DATA_LOSS", "LOG_DAMAGED", None)),
    ("an internal error outside any outage", Kind::FaultAnswered, |h| h.outages.clear()),
    ("a server that does not stop", Kind::ServerMishap, |h| h.mishaps.push("it did not stop".into())),
];

/// The second request with this id, which is another one.
fn reused<'a>(history: &'a mut History, id: &str) -> &'a mut Operation {
    let is = |operation: &&mut Operation| operation.asked.request_id() == id && operation.client == 2;
    history.operations.iter_mut().rfind(is).unwrap()
}

#[track_caller]
fn assert_found(name: &str, kind: Kind, history: &History) {
    let report = check(history);
    assert!(report.counts.contains_key(&kind), "{name}: {kind} is not among {:#?}", report.findings);
}

#[test]
fn each_change_is_found() {
    for (name, kind, change) in CASES {
        let mut history = sample(&Plan::default());
        change(&mut history);
        assert_found(name, *kind, &history);
    }
}

#[test]
fn an_action_that_was_done_twice_is_found() {
    let history =
        sample(&Plan { id: |number| if number == 5 { "a4".into() } else { format!("a{number}") }, ..Plan::default() });
    assert_found("one id on two records", Kind::DoneTwice, &history);
}

#[test]
fn a_creation_that_was_done_twice_is_found() {
    let history = sample(&Plan { fork_id: "c", ..Plan::default() });
    assert_found("one id on two games", Kind::DoneTwice, &history);
}

#[test]
fn a_fork_with_another_past_is_found() {
    let history = sample(&Plan { fork_differs: true, ..Plan::default() });
    assert_found("another move", Kind::ForkDiffers, &history);
}

/// Given up one record before it was whole, its revision is that of a whole one: the abandonment counts as a record.
#[test]
fn a_fork_that_was_given_up_and_answered_is_found() {
    for after in 1..=3 {
        let history = sample(&Plan { fork_given_up: Some(after), ..Plan::default() });
        assert_found("given up", Kind::UnfinishedForkAnswered, &history);
    }
}

#[test]
fn every_kind_of_finding_is_injected_somewhere() {
    let mut kinds: BTreeSet<Kind> = CASES.iter().map(|(_, kind, _)| *kind).collect();
    // By tests of their own.
    kinds.extend([Kind::DoneTwice, Kind::UnfinishedForkAnswered]);
    assert_eq!(kinds.len(), Kind::ServerMishap as usize + 1, "{kinds:?}");
}
