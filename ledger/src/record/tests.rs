//! The two ways to write and to read a record are one.

use super::*;

fn message(sequence: u64, request_id: &str, body: Body) -> pb::Record {
    let bytes = |byte: u8, length: usize| Bytes::from(vec![byte; length]);
    pb::Record {
        game_id: bytes(1, 16),
        sequence,
        time_ms: sequence * 1_000_003,
        request_id: request_id.into(),
        body: Some(body),
        effects_digest: bytes(2, 32),
        next_chance_commitment: bytes(3, 32),
        nonce: bytes(4, NONCE_BYTES),
        previous_hash: if sequence == 0 { Bytes::new() } else { bytes(5, 32) },
    }
}

fn frame(sequence: u64, request_id: &str) -> Frame<'_> {
    Frame {
        game_id: &[1; 16],
        sequence: Sequence::new(sequence),
        time_ms: sequence * 1_000_003,
        request_id,
        effects_digest: &[2; 32],
        next_chance_commitment: &[3; 32],
        nonce: &[4; NONCE_BYTES],
        previous_hash: (sequence > 0).then_some(&[5; 32]),
    }
}

fn dive(seat: u32) -> pb::Move {
    use divelog_engine::{AnyAction, deep_sea_adventure::Action};
    let action = AnyAction::DeepSeaAdventure(Action::Dive { turn_back: true });
    pb::Move { seat, action: Some(crate::convert::action_to_proto(&action)) }
}

#[test]
fn records_are_written_as_the_message_is() {
    let long = "x".repeat(200);
    let bodies = [
        Body::Setup(pb::Setup { rules_version: 1, ..Default::default() }),
        Body::Move(dive(0)),
        Body::Move(dive(5)),
        Body::Abandonment(pb::Abandonment { reason: long.clone() }),
        Body::Abandonment(pb::Abandonment::default()),
    ];
    for body in bodies {
        for sequence in [0, 1, 127, 128, 1 << 40] {
            for request_id in ["", "a-request", &long] {
                let expected = message(sequence, request_id, body.clone()).encode_to_vec();
                assert_eq!(encode(&frame(sequence, request_id), &body), expected);
            }
        }
    }
}

#[test]
fn a_plain_move_is_read_without_the_message() {
    for (sequence, request_id, seat) in [(1, "", 0), (200, "a-request", 3), (3, "é", 300)] {
        let record = encode(&frame(sequence, request_id), &Body::Move(dive(seat)));
        let action = dive(seat).action.unwrap().encode_to_vec();
        let expected = PlainRecord { frame: frame(sequence, request_id), seat, action: &action };
        assert_eq!(read_plain_move(&record), Some(expected));
    }
}

/// Whatever the quick reader takes, the message's own decoder takes too, and with the same result.
#[test]
fn the_quick_reader_never_disagrees_with_the_decoder() {
    let record = encode(&frame(300, "a-request"), &Body::Move(dive(3)));
    let mut taken = 0;
    let mut compare = |bytes: &[u8]| {
        let Some(plain) = read_plain_move(bytes) else { return };
        taken += 1;
        let PlainRecord { frame, seat, action } = plain;
        // An action that cannot be decoded is found when it is needed.
        let Ok(action) = pb::GameAction::decode(action) else {
            assert!(pb::Record::decode(bytes).is_err());
            return;
        };
        let copy = |bytes: &[u8]| Bytes::copy_from_slice(bytes);
        let expected = pb::Record {
            game_id: copy(frame.game_id),
            sequence: frame.sequence.get(),
            time_ms: frame.time_ms,
            request_id: frame.request_id.into(),
            body: Some(Body::Move(pb::Move { seat, action: Some(action) })),
            effects_digest: copy(frame.effects_digest),
            next_chance_commitment: copy(frame.next_chance_commitment),
            nonce: copy(frame.nonce),
            previous_hash: copy(frame.previous_hash.unwrap()),
        };
        assert_eq!(pb::Record::decode(bytes), Ok(expected));
    };
    for at in 0..record.len() {
        for value in 0..=255 {
            let mut bytes = record.to_vec();
            bytes[at] = value;
            compare(&bytes);
        }
        compare(&record[..at]);
        let mut longer = record.to_vec();
        longer.insert(at, longer[at]);
        compare(&longer);
    }
    assert!(taken > 10_000, "{taken} were taken");
}

#[test]
fn what_is_not_plain_is_left_to_the_decoder() {
    let plain = message(3, "", Body::Move(dive(1)));
    let twice = [plain.encode_to_vec(), message(3, "", Body::Move(dive(2))).encode_to_vec()].concat();
    assert_eq!(read_plain_move(&twice), None);
    let others = [
        pb::Record { body: None, ..plain.clone() },
        pb::Record { body: Some(Body::Abandonment(Default::default())), ..plain.clone() },
        pb::Record { body: Some(Body::Move(pb::Move { seat: 1, action: None })), ..plain.clone() },
        pb::Record { nonce: Bytes::new(), ..plain.clone() },
        pb::Record { previous_hash: Bytes::from_static(b"short"), ..plain },
    ];
    for other in others {
        assert_eq!(read_plain_move(&other.encode_to_vec()), None);
    }
}
