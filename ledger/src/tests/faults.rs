//! What a fault names: the field, and its bytes.

use divelog_engine::{AnyAction, deep_sea_adventure::Action};
use prost::Message;

use super::*;

fn fault_in(records: &[Bytes]) -> LogFault {
    verify(GAME, &SECRET, records, Expectation::default()).unwrap_err()
}

/// The bytes that the fault names, read as a record that has nothing else.
fn named_part(records: &[Bytes], fault: &LogFault) -> pb::Record {
    let range = fault.bytes.clone().expect("the field is there");
    pb::Record::decode(records[fault.sequence.index()].slice(range)).expect("a whole field was named")
}

#[test]
fn a_changed_field_is_named_with_its_bytes() {
    let (records, _) = play(9);
    let wrong = || Bytes::from_static(&[9; 32]);
    type Change = fn(&mut pb::Record);
    let cases: [(&str, FaultKind, Change, pb::Record); 6] = [
        (
            "effects_digest",
            FaultKind::ReplayDiffers,
            |record| record.effects_digest = Bytes::from_static(&[9; 32]),
            pb::Record { effects_digest: wrong(), ..Default::default() },
        ),
        (
            "next_chance_commitment",
            FaultKind::HashDiffers,
            |record| record.next_chance_commitment = Bytes::from_static(&[9; 32]),
            pb::Record { next_chance_commitment: wrong(), ..Default::default() },
        ),
        (
            "nonce",
            FaultKind::HashDiffers,
            |record| record.nonce = Bytes::from_static(&[9; 32]),
            pb::Record { nonce: wrong(), ..Default::default() },
        ),
        (
            "previous_hash",
            FaultKind::HashDiffers,
            |record| record.previous_hash = Bytes::from_static(&[9; 32]),
            pb::Record { previous_hash: wrong(), ..Default::default() },
        ),
        (
            "game_id",
            FaultKind::Malformed,
            |record| record.game_id = Bytes::from_static(&[9; 32]),
            pb::Record { game_id: wrong(), ..Default::default() },
        ),
        (
            "sequence",
            FaultKind::Malformed,
            |record| record.sequence = 300,
            pb::Record { sequence: 300, ..Default::default() },
        ),
    ];
    for (field, kind, change, part) in cases {
        let forged = forge(&records, 4, change);
        let fault = fault_in(&forged);
        assert_eq!((fault.sequence.get(), fault.kind, fault.field), (4, kind, Some(field)));
        assert_eq!(named_part(&forged, &fault), part, "{field}");
    }
}

#[test]
fn a_refused_action_is_distinguished_from_a_wrong_seat() {
    let (records, _) = play(9);
    let with_move = |change: fn(&mut pb::Move)| {
        forge(&records, 4, |record| match &mut record.body {
            Some(pb::record::Body::Move(step)) => change(step),
            other => panic!("record 4 is a move, not {other:?}"),
        })
    };
    let named = |forged: &[Bytes]| {
        let fault = fault_in(forged);
        assert_eq!(fault.sequence.get(), 4);
        assert!(fault.bytes.is_none_or(|bytes| bytes.end <= forged[4].len()));
        (fault.kind, fault.field)
    };
    let seat = with_move(|step| step.seat = (step.seat + 1) % 3);
    assert_eq!(named(&seat), (FaultKind::ReplayDiffers, Some("move.seat")));
    let no_seat = with_move(|step| step.seat = 256);
    assert_eq!(named(&no_seat), (FaultKind::Malformed, Some("move.seat")));
    let none = with_move(|step| step.action = None);
    assert_eq!(named(&none), (FaultKind::Malformed, Some("move.action")));
    assert_eq!(fault_in(&none).bytes, None);
    let other = with_move(|step| {
        let nothing_there = AnyAction::DeepSeaAdventure(Action::PutDown { load_index: 77 });
        step.action = Some(convert::action_to_proto(&nothing_there));
    });
    assert_eq!(named(&other), (FaultKind::ReplayDiffers, Some("move.action")));
}

#[test]
fn the_set_up_is_named_too() {
    let (records, _) = play(3);
    let with_setup = |change: fn(&mut pb::Setup)| {
        forge(&records, 0, |record| match &mut record.body {
            Some(pb::record::Body::Setup(setup)) => change(setup),
            other => panic!("record 0 is the set-up, not {other:?}"),
        })
    };
    let commitment = with_setup(|setup| setup.seed_commitment = Bytes::from_static(&[9; 32]));
    let fault = fault_in(&commitment);
    assert_eq!((fault.kind, fault.field), (FaultKind::HashDiffers, Some("setup.seed_commitment")));
    assert!(commitment[0][fault.bytes.unwrap()].ends_with(&[9; 32]));
    let entropy = with_setup(|setup| setup.players[1].entropy = Bytes::from_static(b"x"));
    assert_eq!(fault_in(&entropy).field, Some("setup.chance_commitment"));
    let options = with_setup(|setup| setup.options = None);
    assert_eq!((fault_in(&options).field, fault_in(&options).bytes), (Some("setup.options"), None));
    let version = with_setup(|setup| setup.rules_version = 9);
    assert_eq!(fault_in(&version).field, Some("setup.rules_version"));
}

#[test]
fn unreadable_bytes_are_named_from_the_first_bad_field_on() {
    let (records, _) = play(5);
    let whole = &records[4];
    for cut in 1..whole.len() {
        let mut altered = records.clone();
        altered[4] = whole.slice(..cut);
        let fault = fault_in(&altered);
        let bytes = fault.bytes.clone();
        if !fault.message.starts_with("the bytes are not a record") {
            continue; // cut between two fields: the rest is a record, but not this one
        }
        let bytes = bytes.unwrap();
        assert_eq!((fault.kind, bytes.end), (FaultKind::Malformed, cut));
        assert!(bytes.start < cut && pb::Record::decode(whole.slice(..bytes.start)).is_ok());
        assert!(pb::Record::decode(whole.slice(bytes.start..cut)).is_err());
    }
    let mut request_id = records.clone();
    let at = whole.windows(9).position(|part| part == b"request-4").unwrap();
    let mut bytes = whole.to_vec();
    bytes[at] = 0xff; // not UTF-8
    request_id[4] = bytes.into();
    let fault = fault_in(&request_id);
    assert_eq!((fault.field, fault.bytes), (Some("request_id"), Some(at - 2..whole.len())));
}

#[test]
fn a_request_id_stands_in_one_record_only() {
    let (records, _) = play(6);
    let repeated = forge(&records, 4, |record| record.request_id = "request-0".into());
    let fault = fault_in(&repeated);
    assert_eq!((fault.sequence.get(), fault.kind, fault.field), (4, FaultKind::Malformed, Some("request_id")));
    assert_eq!(named_part(&repeated, &fault).request_id, "request-0");
    let without = forge(&records, 3, |record| record.request_id.clear());
    let without = forge(&without, 4, |record| record.request_id.clear());
    assert!(verify(GAME, &SECRET, &without, Expectation::default()).is_ok());
}

/// Other rules give other digests; so does a forger. The chain tells which.
#[test]
fn an_altered_record_is_not_blamed_on_the_rules() {
    let (records, position) = play(6);
    for at in [3, 5] {
        let rechained = forge(&records, at, |record| record.effects_digest = Bytes::from_static(&[9; 32]));
        let mut altered = records.clone();
        altered[at] = rechained[at].clone();
        let fault = verify(GAME, &SECRET, &altered, expected(&position)).unwrap_err();
        assert_eq!((fault.sequence.get(), fault.kind), (at as u64, FaultKind::HashDiffers));
        assert_eq!(fault.field, Some("effects_digest"));
        assert_eq!(fault_in(&rechained).kind, FaultKind::ReplayDiffers);
    }
}
