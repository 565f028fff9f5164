//! Opened draws, and the digest of what can be done.

use prost::Message;
use sha2::{Digest, Sha256};

use super::*;

fn opened(position: &Position, sequence: u64) -> pb::OpenedDraw {
    let key = position.open_draw(Sequence::new(sequence)).unwrap();
    pb::OpenedDraw { sequence, chance_key: Bytes::copy_from_slice(&key) }
}

#[test]
fn every_written_record_can_be_opened_and_no_other() {
    let (records, position) = play(9);
    for sequence in 0..9 {
        check_draw(&records, &opened(&position, sequence)).unwrap();
    }
    assert_eq!(position.open_draw(Sequence::new(9)), None);
    assert_eq!(position.open_draw(Sequence::new(u64::MAX)), None);
}

#[test]
fn an_opened_draw_must_be_the_one_that_was_committed_to() {
    let (records, position) = play(9);
    let right = opened(&position, 4);
    let wrong_record = pb::OpenedDraw { sequence: 5, ..right.clone() };
    let fault = check_draw(&records, &wrong_record).unwrap_err();
    assert_eq!((fault.sequence.get(), fault.kind), (4, FaultKind::HashDiffers));
    assert_eq!(fault.field, Some("next_chance_commitment"));
    let commitment = pb::Record::decode(records[4].clone()).unwrap().next_chance_commitment;
    assert!(records[4][fault.bytes.unwrap()].ends_with(&commitment));

    let fault = check_draw(&records, &pb::OpenedDraw { sequence: 0, ..right.clone() }).unwrap_err();
    assert_eq!((fault.sequence.get(), fault.field), (0, Some("setup.chance_commitment")));
    let short = pb::OpenedDraw { chance_key: right.chance_key.slice(1..), ..right.clone() };
    assert_eq!(check_draw(&records, &short).unwrap_err().kind, FaultKind::Malformed);
    // The last record commits to a draw that nobody may have opened yet.
    let ahead = pb::OpenedDraw { sequence: 9, ..right.clone() };
    assert_eq!(check_draw(&records, &ahead).unwrap_err().kind, FaultKind::Malformed);
    assert_eq!(check_draw(&records[..4], &right).unwrap_err().kind, FaultKind::Malformed);
}

#[test]
fn a_legal_digest_is_as_documented() {
    let (_, position) = play(6);
    let seat = position.to_act().iter().next().unwrap();
    let offers = position.game().legal_actions(seat);
    let mut bytes = vec![0, 0, 0, seat.0, 0, 0, 0, offers.len() as u8];
    for offer in &offers {
        let message = convert::offer_to_proto(offer).encode_to_vec();
        bytes.extend([0, 0, 0, message.len() as u8]);
        bytes.extend(message);
    }
    assert_eq!(legal_digest(&position), Sha256::digest(&bytes)[..LEGAL_DIGEST_BYTES]);
}

#[test]
fn the_legal_digest_of_a_game_that_is_over_is_that_of_nothing() {
    let nothing = [0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14];
    let (_, finished) = play(usize::MAX);
    assert_eq!(legal_digest(&finished), nothing);
    let (_, running) = play(4);
    assert_ne!(legal_digest(&running), nothing);
    assert_eq!(legal_digest(&running.abandon("", stamp(9_000)).unwrap().position), nothing);
}
