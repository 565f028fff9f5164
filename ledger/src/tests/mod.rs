//! The log's promises: what is written replays, and nothing else does.

mod draws;
mod faults;
mod forks;
mod impact;

use std::collections::BTreeMap;

use bytes::Bytes;
use divelog_engine::{AnyOptions, Chance, Seat, SeededChance, deep_sea_adventure::Options};
use divelog_proto::v1 as pb;
use prost::Message;

use crate::*;

const GAME: GameId = GameId([7; 16]);
const SECRET: Secret = Secret([42; SECRET_BYTES]);

fn stamp(time_ms: u64) -> Stamp<'static> {
    Stamp { time_ms, request_id: "" }
}

fn new_game() -> NewGame {
    let player = |name: &str, entropy: &'static [u8]| pb::Player { name: name.into(), entropy: entropy.into() };
    NewGame {
        game_id: GAME,
        rules_version: 1,
        options: AnyOptions::DeepSeaAdventure(Options),
        players: vec![player("ada", b"salt"), player("", b""), player("grace", b"pepper")],
        labels: BTreeMap::from([("season".into(), "3".into())]),
        fork: None,
        request: None,
    }
}

/// Plays at random until the game is over or has this many records, each with a request id of its own.
fn play(max_records: usize) -> (Vec<Bytes>, Position) {
    play_with_ids(max_records, |sequence| format!("request-{sequence}"))
}

fn play_with_ids(max_records: usize, id: impl Fn(usize) -> String) -> (Vec<Bytes>, Position) {
    let first = Position::create(new_game(), &SECRET, Stamp { time_ms: 1_000, request_id: &id(0) }).unwrap();
    let (mut records, mut position) = (vec![first.record], first.position);
    let mut luck = SeededChance::new([1; 32]);
    while records.len() < max_records && position.status() == Status::Running {
        let seat = position.to_act().iter().next().unwrap();
        let offers = position.game().legal_actions(seat);
        let action = offers[luck.below(offers.len() as u32) as usize].nth(0);
        let stamp = Stamp { time_ms: 1_000 + records.len() as u64, request_id: &id(records.len()) };
        let advance = position.act(seat, &action, stamp).unwrap();
        records.push(advance.record);
        position = advance.position;
    }
    (records, position)
}

fn expected(position: &Position) -> Expectation {
    Expectation { revision: Some(position.revision()), head_hash: Some(position.head_hash()) }
}

/// Changes a decoded record, and chains everything after it again, as a forger without the secret would.
fn forge(records: &[Bytes], at: usize, change: impl FnOnce(&mut pb::Record)) -> Vec<Bytes> {
    let mut forged = records.to_vec();
    let mut record = pb::Record::decode(forged[at].clone()).unwrap();
    change(&mut record);
    forged[at] = record.encode_to_vec().into();
    for next in at + 1..forged.len() {
        let mut record = pb::Record::decode(forged[next].clone()).unwrap();
        record.previous_hash = Bytes::copy_from_slice(&hash_record(&forged[next - 1]));
        forged[next] = record.encode_to_vec().into();
    }
    forged
}

fn fault_of(records: &[Bytes]) -> (u64, FaultKind) {
    let fault = verify(GAME, &SECRET, records, Expectation::default()).unwrap_err();
    (fault.sequence.get(), fault.kind)
}

#[test]
fn a_played_game_verifies_and_gives_the_same_result() {
    let (records, position) = play(usize::MAX);
    assert!(records.len() > 50, "a whole game was played, not {} records", records.len());
    let verified = verify(GAME, &SECRET, &records, expected(&position)).unwrap();
    assert_eq!(verified.status, Status::Finished);
    assert_eq!(verified.outcome, position.outcome());
    assert_eq!((verified.revision, verified.head_hash), (position.revision(), position.head_hash()));
}

#[test]
fn any_single_changed_bit_is_found() {
    let (records, position) = play(9);
    for (index, record) in records.iter().enumerate() {
        for bit in 0..record.len() * 8 {
            let mut bytes = record.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let mut altered = records.clone();
            altered[index] = bytes.into();
            let fault = verify(GAME, &SECRET, &altered, expected(&position)).expect_err("a changed bit must be found");
            // What only the hash covers shows in the record after.
            let near = [index, index + 1].contains(&fault.sequence.index());
            assert!(near, "bit {bit} of record {index} was blamed on record {}", fault.sequence);
        }
    }
}

#[test]
fn missing_swapped_and_repeated_records_are_found() {
    let (records, position) = play(9);
    let (without_last, _) = records.split_at(8);
    assert!(verify(GAME, &SECRET, without_last, expected(&position)).is_err());
    for at in 0..8 {
        let mut missing = records.clone();
        missing.remove(at);
        assert!(verify(GAME, &SECRET, &missing, expected(&position)).is_err(), "record {at} missing");
        let mut swapped = records.clone();
        swapped.swap(at, at + 1);
        assert!(verify(GAME, &SECRET, &swapped, expected(&position)).is_err(), "records {at} and {} swapped", at + 1);
        let mut repeated = records.clone();
        repeated.insert(at, records[at].clone());
        assert!(verify(GAME, &SECRET, &repeated, expected(&position)).is_err(), "record {at} repeated");
    }
    assert!(verify(GAME, &SECRET, &[], Expectation::default()).is_err());
}

#[test]
fn a_forged_and_rechained_log_is_found() {
    let (records, _) = play(9);
    let digest = forge(&records, 4, |record| record.effects_digest = Bytes::from_static(&[9; 32]));
    assert_eq!(fault_of(&digest), (4, FaultKind::ReplayDiffers));
    let nonce = forge(&records, 4, |record| record.nonce = Bytes::from_static(&[9; NONCE_BYTES]));
    assert_eq!(fault_of(&nonce), (4, FaultKind::HashDiffers));
    let chance = forge(&records, 4, |record| record.next_chance_commitment = Bytes::from_static(&[9; 32]));
    assert_eq!(fault_of(&chance), (4, FaultKind::HashDiffers));
    let time = forge(&records, 4, |record| record.time_ms = 3);
    assert_eq!(fault_of(&time), (4, FaultKind::Malformed));
    let actor = forge(&records, 4, |record| match &mut record.body {
        Some(pb::record::Body::Move(step)) => step.seat = (step.seat + 1) % 3,
        other => panic!("record 4 is a move, not {other:?}"),
    });
    assert_eq!(fault_of(&actor), (4, FaultKind::ReplayDiffers));
    let entropy = forge(&records, 0, |record| match &mut record.body {
        Some(pb::record::Body::Setup(setup)) => setup.players[1].entropy = Bytes::from_static(b"x"),
        other => panic!("record 0 is the set-up, not {other:?}"),
    });
    assert_eq!(fault_of(&entropy), (0, FaultKind::HashDiffers));
    let body = forge(&records, 4, |record| record.body = None);
    assert_eq!(fault_of(&body), (4, FaultKind::Malformed));
    // A forger who only changes what the rules do not see is caught by whoever kept the head hash.
    let labels = forge(&records, 0, |record| record.request_id.push('x'));
    let head = Expectation { head_hash: Some(hash_record(&records[8])), revision: None };
    assert_eq!(verify(GAME, &SECRET, &labels, head).unwrap_err().kind, FaultKind::HashDiffers);
}

#[test]
fn another_secret_or_game_is_found() {
    let (records, _) = play(3);
    let other = Secret([43; SECRET_BYTES]);
    let fault = verify(GAME, &other, &records, Expectation::default()).unwrap_err();
    assert_eq!((fault.sequence.get(), fault.kind), (0, FaultKind::HashDiffers));
    assert!(verify(GameId([8; 16]), &SECRET, &records, Expectation::default()).is_err());
}

#[test]
fn an_abandoned_game_takes_no_more_records() {
    let (mut records, position) = play(4);
    let advance = position.abandon("the table was closed", stamp(5_000)).unwrap();
    records.push(advance.record);
    let over = advance.position;
    assert_eq!(over.status(), Status::Abandoned);
    assert_eq!(over.abandon_reason(), Some("the table was closed"));
    assert!(over.to_act().is_empty() && over.outcome().is_none());
    let seat = position.to_act().iter().next().unwrap();
    let action = position.game().legal_actions(seat)[0].nth(0);
    assert_eq!(over.act(seat, &action, stamp(6_000)).unwrap_err().rule, "OVER");
    assert_eq!(over.abandon("again", stamp(6_000)).unwrap_err().rule, "OVER");
    let verified = verify(GAME, &SECRET, &records, expected(&over)).unwrap();
    assert_eq!(verified.status, Status::Abandoned);
}

#[test]
fn refused_set_ups_name_their_rule() {
    let refused = |change: fn(&mut NewGame)| {
        let mut new = new_game();
        change(&mut new);
        Position::create(new, &SECRET, stamp(0)).unwrap_err().rule
    };
    assert_eq!(refused(|new| new.players.truncate(1)), "DSA-0");
    assert_eq!(refused(|new| new.players.clear()), "DSA-0");
    assert_eq!(refused(|new| new.players.resize(7, pb::Player::default())), "DSA-0");
    assert_eq!(refused(|new| new.rules_version = new.options.kind().rules_version() + 1), "MALFORMED");
    assert_eq!(refused(|new| new.rules_version = 0), "MALFORMED");
}

#[test]
fn a_clock_that_goes_back_does_not_stop_the_log() {
    let (mut records, position) = play(4);
    let seat = position.to_act().iter().next().unwrap();
    let action = position.game().legal_actions(seat)[0].nth(0);
    let advance = position.act(seat, &action, stamp(1)).unwrap();
    assert_eq!(advance.position.time_ms(), position.time_ms());
    records.push(advance.record);
    verify(GAME, &SECRET, &records, expected(&advance.position)).unwrap();
}

#[test]
fn checking_an_action_agrees_with_doing_it() {
    let (_, position) = play(6);
    for seat in (0..4).map(Seat) {
        for offer in position.game().legal_actions(Seat(0)).iter().chain(&position.game().legal_actions(Seat(1))) {
            let action = offer.nth(0);
            let done = position.act(seat, &action, stamp(2_000)).map(|_| ());
            assert_eq!(position.check(seat, &action), done);
        }
    }
}

/// Pins the derivations and the record's bytes: if this fails, old logs no longer verify.
#[test]
fn keys_and_records_are_pinned() {
    let (records, position) = play_with_ids(9, |_| "a-request".into());
    let keys = Keys::derive(&SECRET, GAME, [&b"salt"[..], b"", b"pepper"].into_iter());
    let pinned = [
        hex::encode(SECRET.commitment(GAME)),
        hex::encode(keys.chance_key(Sequence::new(0))),
        hex::encode(keys.chance_key(Sequence::new(1))),
        hex::encode(keys.nonce(Sequence::new(0))),
        hex::encode(hash_record(&records[0])),
        hex::encode(position.head_hash()),
    ];
    assert_eq!(pinned, include_str!("../../fixtures/pinned.txt").lines().collect::<Vec<_>>()[..]);
}

#[test]
fn game_ids_have_one_text() {
    let text = "0192d4e0-7b1a-7c3e-9f00-2a6b8c1d5e7f";
    let id: GameId = text.parse().unwrap();
    assert_eq!(id.to_string(), text);
    for wrong in [
        "",
        "0192D4E0-7b1a-7c3e-9f00-2a6b8c1d5e7f",
        "0192d4e07b1a7c3e9f002a6b8c1d5e7f",
        &text[1..],
        &format!("{{{text}}}"),
        &format!("urn:uuid:{text}"),
    ] {
        assert!(wrong.parse::<GameId>().is_err(), "{wrong} was read");
    }
    assert!("0192d4e0-7b1a-7c3e-9f00-2a6b8c1d5e7\u{e9}".parse::<GameId>().is_err());
}
