//! What other rules do to a game. Other rules are played here by a log that says something else than the rules give.

mod versions;

use super::*;
use crate::impact::{Impact, MAX_NAMED, ReplayedBy, compare};

/// What an exporter would say of this game.
fn claims(records: &[Bytes]) -> pb::BundleClaims {
    let mut position = Position::open(GAME, &records[0], &SECRET).unwrap().position;
    let digest = |position: &Position| Bytes::copy_from_slice(&legal_digest(position));
    let mut legal_digests = vec![digest(&position)];
    for record in &records[1..] {
        position = position.replay(record).unwrap().position;
        legal_digests.push(digest(&position));
    }
    let outcome = position.outcome().as_ref().map(convert::outcome_to_proto);
    pb::BundleClaims { outcome, legal_digests, ..Default::default() }
}

fn compared(records: &[Bytes], claims: &pb::BundleClaims) -> Impact {
    compare(GAME, &SECRET, records, claims, ReplayedBy::OwnRules)
}

#[test]
fn the_same_rules_make_no_difference() {
    let (records, position) = play(usize::MAX);
    let claims = claims(&records);
    let impact = compared(&records, &claims);
    assert!(impact.is_none(), "{impact:?}");
    assert_eq!((impact.records, impact.replayed), (position.revision(), position.revision()));
    assert_eq!(impact.outcome_after, claims.outcome);
    assert!(impact.outcome_after.is_some());
}

#[test]
fn a_difference_is_noted_and_the_replay_goes_on() {
    let (records, position) = play(usize::MAX);
    let claims = claims(&records);
    let twice = forge(&records, 7, |record| record.effects_digest = Bytes::from_static(&[9; 32]));
    let twice = forge(&twice, 9, |record| record.effects_digest = Bytes::from_static(&[9; 32]));
    let impact = compared(&twice, &claims);
    let fault = impact.first_difference.as_ref().unwrap();
    assert_eq!((fault.sequence.get(), fault.kind, fault.field), (7, FaultKind::ReplayDiffers, Some("effects_digest")));
    assert_eq!((impact.replayed, &impact.refused_at), (position.revision(), &None));
    assert!(!impact.outcome_changed() && !impact.is_none());
}

#[test]
fn a_broken_chain_is_its_own_kind_of_difference() {
    let (records, position) = play(usize::MAX);
    let mut altered = records.clone();
    altered[7] = forge(&records, 7, |record| record.request_id.push('x'))[7].clone();
    let impact = compared(&altered, &claims(&records));
    let fault = impact.first_difference.unwrap();
    assert_eq!((fault.sequence.get(), fault.kind, fault.field), (8, FaultKind::HashDiffers, Some("previous_hash")));
    assert_eq!((impact.replayed, impact.refused_at), (position.revision(), None));
}

#[test]
fn a_refused_action_ends_the_replay_and_the_result_is_not_known() {
    let (records, _) = play(usize::MAX);
    let claims = claims(&records);
    let refused = forge(&records, 9, |record| match &mut record.body {
        Some(pb::record::Body::Move(step)) => step.seat = (step.seat + 1) % 3,
        other => panic!("record 9 is a move, not {other:?}"),
    });
    let impact = compared(&refused, &claims);
    assert_eq!(impact.replayed, Revision::new(9));
    let fault = impact.refused_at.clone().unwrap();
    assert_eq!((fault.sequence.get(), fault.kind, fault.field), (9, FaultKind::ReplayDiffers, Some("move.seat")));
    assert_eq!(impact.first_difference, impact.refused_at);
    // A replay that has stopped says nothing of who would have won.
    assert_eq!((&impact.outcome_after, impact.outcome_is_missing()), (&None, true));
    assert!(!impact.outcome_changed() && !impact.winners_changed() && !impact.is_none());
}

#[test]
fn changed_legal_sets_are_named_up_to_a_number() {
    let (records, _) = play(usize::MAX);
    let mut claims = claims(&records);
    claims.legal_digests[4] = Bytes::from_static(&[9; 8]);
    claims.legal_digests[6] = Bytes::from_static(b"short");
    let impact = compared(&records, &claims);
    assert_eq!((impact.legal_changes, impact.legal_change_count), (vec![Revision::new(5), Revision::new(7)], 2));
    assert_eq!(impact.first_difference, None);
    claims.legal_digests.fill(Bytes::from_static(&[9; 8]));
    let impact = compared(&records, &claims);
    assert_eq!(impact.legal_change_count, records.len() as u64);
    assert_eq!(impact.legal_changes.len(), records.len().min(MAX_NAMED));
    claims.legal_digests.truncate(3);
    assert_eq!(compared(&records, &claims).legal_change_count, 3);
}

#[test]
fn another_result_is_a_change_and_another_order_is_not() {
    let (records, _) = play(usize::MAX);
    let claimed = claims(&records);
    let with = |change: fn(&mut pb::Outcome)| {
        let mut claims = claimed.clone();
        change(claims.outcome.as_mut().unwrap());
        let impact = compared(&records, &claims);
        assert!(!impact.outcome_is_missing());
        (impact.outcome_changed(), impact.winners_changed(), impact.is_none())
    };
    assert_eq!(with(|outcome| outcome.standings.reverse()), (false, false, true));
    assert_eq!(with(|outcome| outcome.standings[0].points += 1), (true, false, false));
    assert_eq!(with(|outcome| outcome.winners = vec![5]), (true, true, false));
    assert!(compared(&records, &pb::BundleClaims::default()).is_none());
}

#[test]
fn a_log_that_ends_before_its_result_is_a_difference() {
    let (records, _) = play(usize::MAX);
    let mut claims = claims(&records);
    claims.legal_digests.pop();
    let impact = compared(&records[..records.len() - 1], &claims);
    assert_eq!((&impact.first_difference, &impact.refused_at), (&None, &None));
    assert!(impact.outcome_is_missing() && !impact.outcome_changed() && !impact.is_none());
}

#[test]
fn a_log_that_cannot_be_read_is_reported_not_replayed() {
    let (mut records, _) = play(9);
    records[5] = Bytes::from_static(b"\xff\xff");
    let impact = compared(&records, &pb::BundleClaims::default());
    assert_eq!((impact.records.get(), impact.replayed.get()), (9, 5));
    assert_eq!(impact.refused_at.unwrap().kind, FaultKind::Malformed);
    let impact = compared(&[], &pb::BundleClaims::default());
    assert_eq!(impact.first_difference.unwrap().kind, FaultKind::Malformed);
    let other = compare(GAME, &Secret([1; SECRET_BYTES]), &records, &pb::BundleClaims::default(), ReplayedBy::OwnRules);
    assert_eq!(other.refused_at.unwrap().kind, FaultKind::HashDiffers);
}
