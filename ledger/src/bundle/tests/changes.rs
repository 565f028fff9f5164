//! Whatever is changed in a bundle is noticed, and named.

use prost::Message;

use super::*;
use Judgement::{Failed, NotProved, Proved};

/// A running game: 9 records, all under the leaf.
fn small(with_secret: bool) -> pb::Bundle {
    let mut bundle = bundle_of(&play(9), with_secret);
    let key = play(9).position.open_draw(Sequence::new(4)).unwrap();
    bundle.opened_draws.push(pb::OpenedDraw { sequence: 4, chance_key: Bytes::copy_from_slice(&key) });
    assert!(verdict_on(&bundle).ok());
    bundle
}

/// Flips bits of a part of a bundle, every `step`th, and expects each to be noticed.
fn flip_all(bundle: &pb::Bundle, step: usize, part: impl Fn(&mut pb::Bundle) -> &mut Bytes, what: &str) {
    let bits = part(&mut bundle.clone()).len() * 8;
    for bit in (0..bits).step_by(step) {
        let mut altered = bundle.clone();
        let field = part(&mut altered);
        let mut bytes = field.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        *field = bytes.into();
        assert!(!verdict_on(&altered).ok(), "{what}, bit {bit} was not noticed");
    }
}

#[test]
fn any_single_changed_bit_is_noticed() {
    for with_secret in [true, false] {
        let bundle = small(with_secret);
        for at in 0..bundle.records.len() {
            flip_all(
                &bundle,
                if with_secret { 3 } else { 1 },
                |bundle| &mut bundle.records[at],
                &format!("record {at}"),
            );
        }
        flip_all(&bundle, 1, |bundle| &mut bundle.secret, "secret");
        flip_all(&bundle, 1, |bundle| &mut bundle.checkpoint, "checkpoint");
        flip_all(&bundle, 1, |bundle| &mut bundle.inclusion.as_mut().unwrap().leaf, "leaf");
        flip_all(&bundle, 1, |bundle| &mut bundle.opened_draws[0].chance_key, "opened draw");
        for at in 0..bundle.inclusion.as_ref().unwrap().hashes.len() {
            flip_all(&bundle, 1, |bundle| &mut bundle.inclusion.as_mut().unwrap().hashes[at], &format!("hash {at}"));
        }
    }
    let bundle = small(true);
    for at in 0..bundle.claims.as_ref().unwrap().legal_digests.len() {
        flip_all(&bundle, 1, |bundle| &mut bundle.claims.as_mut().unwrap().legal_digests[at], "legal digest");
    }
}

/// Every bit of a whole file, except in the exporter's own name, which claims nothing about the game.
#[test]
fn any_single_changed_bit_of_a_file_is_noticed() {
    let bundle = small(true);
    let file = to_file(&bundle);
    let producer = file.windows(6).position(|window| window == b"a test").unwrap();
    for bit in (0..file.len() * 8).filter(|bit| !(producer..producer + 6).contains(&(bit / 8))).step_by(5) {
        let mut altered = file.clone();
        altered[bit / 8] ^= 1 << (bit % 8);
        let noticed = from_file(&altered).map_or(true, |bundle| !verdict_on(&bundle).ok());
        assert!(noticed, "bit {bit} of the file was not noticed");
    }
}

#[test]
fn swapped_cut_missing_and_repeated_records_are_noticed() {
    for with_secret in [true, false] {
        let bundle = small(with_secret);
        for at in 0..bundle.records.len() {
            let mut missing = bundle.clone();
            missing.records.remove(at);
            assert!(!verdict_on(&missing).ok(), "record {at} missing");
            let mut repeated = bundle.clone();
            repeated.records.insert(at, bundle.records[at].clone());
            assert!(!verdict_on(&repeated).ok(), "record {at} repeated");
            let mut swapped = bundle.clone();
            swapped.records.swap(at, (at + 1) % bundle.records.len());
            assert!(!verdict_on(&swapped).ok(), "record {at} swapped");
        }
        let mut cut = bundle.clone();
        cut.records.truncate(6);
        cut.opened_draws.clear();
        let verdict = verdict_on(&cut);
        let text = sentence(&verdict, Check::Inclusion, Failed);
        assert!(text.contains("records were cut off"), "{text}");
        assert_eq!(verdict.result(Check::Chain), Some(Proved), "a beginning of a chain is a chain");
    }
}

/// An operator who changes a record, chains all after it again and knows the secret is caught by the log alone.
#[test]
fn a_game_played_otherwise_is_caught_by_the_leaf() {
    let played = play(80);
    let bundle = bundle_at(&played, true, 64, Status::Running);
    let mut other = play_on(play(10), 9);
    let mut luck = SeededChance::new([99; 32]);
    while other.records.len() < 80 && other.position.status() == Status::Running {
        let (seat, action) = other.position.game().any_choice(&mut luck).unwrap();
        let advance = other.position.act(seat, &action, stamp(1_000)).unwrap();
        other.records.push(advance.record);
        other.position = advance.position;
    }
    assert_ne!(other.records, played.records);
    let mut forged = bundle_of(&other, true);
    forged.inclusion = bundle.inclusion.clone();
    forged.checkpoint = bundle.checkpoint.clone();
    let verdict = verdict_on(&forged);
    assert_eq!(verdict.result(Check::Replay), Some(Proved), "the forgery is a good game");
    assert!(sentence(&verdict, Check::Inclusion, Failed).contains("altered"));
}

#[test]
fn another_games_proof_or_secret_is_noticed() {
    let bundle = small(true);
    let other = play_with(GameId([9; 16]), SECRET, ENTROPY, 9);
    let mut wrong = bundle.clone();
    let others = bundle_of(&other, true);
    wrong.inclusion = others.inclusion.clone();
    wrong.checkpoint = others.checkpoint.clone();
    assert!(sentence(&verdict_on(&wrong), Check::Inclusion, Failed).contains(&other.game.to_string()));
    let mut wrong = bundle.clone();
    wrong.inclusion = others.inclusion;
    sentence(&verdict_on(&wrong), Check::Inclusion, Failed);
    let mut wrong = bundle.clone();
    wrong.records = other.records;
    assert!(sentence(&verdict_on(&wrong), Check::Chain, Failed).contains("another game"));
    let mut wrong = bundle;
    wrong.secret = Bytes::from_static(&[1; 32]);
    let verdict = verdict_on(&wrong);
    sentence(&verdict, Check::Commitment, Failed);
    assert_eq!(verdict.result(Check::Entropy), Some(NotProved));
}

#[test]
fn another_key_is_noticed() {
    let bundle = small(true);
    for key in [("example.com/divelog", 4), ("example.com/other", 3)] {
        let other = SigningKey::generate(key.0, [key.1; 32]).unwrap();
        let verdict = verify(&bundle, Some(other.verifier_key()));
        assert!(sentence(&verdict, Check::Signature, Failed).contains("not signed by the key that you gave"));
        assert_eq!(verdict.result(Check::Replay), Some(Proved), "the game itself is fine");
    }
}

#[test]
fn false_claims_are_noticed() {
    let bundle = bundle_of(&play(usize::MAX), true);
    let claim = |change: fn(&mut pb::BundleClaims)| {
        let mut bundle = bundle.clone();
        change(bundle.claims.as_mut().unwrap());
        verdict_on(&bundle)
    };
    sentence(&claim(|claims| claims.kind = pb::GameKind::KeyLargo.into()), Check::Outcome, Failed);
    sentence(&claim(|claims| claims.rules_version = 2), Check::Outcome, Failed);
    sentence(&claim(|claims| claims.status = pb::GameStatus::Running.into()), Check::Outcome, Failed);
    sentence(&claim(|claims| claims.outcome = None), Check::Outcome, Failed);
    sentence(&claim(|claims| claims.outcome.as_mut().unwrap().winners.push(1)), Check::Outcome, Failed);
    sentence(&claim(|claims| claims.outcome.as_mut().unwrap().standings[0].points += 1), Check::Outcome, Failed);
    sentence(&claim(|claims| drop(claims.legal_digests.pop())), Check::LegalActions, Failed);
    sentence(&claim(|claims| claims.legal_digests.clear()), Check::LegalActions, NotProved);
    let moved = claim(|claims| claims.legal_digests.swap(3, 4));
    let fault = moved.findings.iter().find(|finding| finding.check == Check::LegalActions).unwrap().fault.clone();
    assert_eq!(fault.unwrap().sequence.get(), 3);
}

/// A forger without the secret can only chain again; what is derived then does not fit.
#[test]
fn rechained_records_do_not_derive_from_the_secret() {
    let bundle = small(true);
    let forge = |change: fn(&mut pb::Record)| {
        let mut forged = bundle.clone();
        for at in 4..forged.records.len() {
            let mut record = pb::Record::decode(forged.records[at].clone()).unwrap();
            if at == 4 {
                change(&mut record);
            } else {
                record.previous_hash = Bytes::copy_from_slice(&hash_record(&forged.records[at - 1]));
            }
            forged.records[at] = record.encode_to_vec().into();
        }
        forged.inclusion = None;
        forged.checkpoint.clear();
        verdict_on(&forged)
    };
    let fault_of = |verdict: &Verdict, check| {
        sentence(verdict, check, Failed);
        let finding = verdict.findings.iter().find(|finding| finding.check == check).unwrap();
        let fault = finding.fault.clone().unwrap();
        assert!(fault.bytes.is_some());
        (fault.sequence.get(), fault.field.unwrap())
    };
    let nonce = forge(|record| record.nonce = Bytes::from_static(&[9; 16]));
    assert_eq!(fault_of(&nonce, Check::Commitment), (4, "nonce"));
    let chance = forge(|record| record.next_chance_commitment = Bytes::from_static(&[9; 32]));
    assert_eq!(fault_of(&chance, Check::Entropy), (4, "next_chance_commitment"));
    let effects = forge(|record| record.effects_digest = Bytes::from_static(&[9; 32]));
    assert_eq!(fault_of(&effects, Check::Replay), (4, "effects_digest"));
    let short = forge(|record| record.nonce = Bytes::from_static(&[9; 15]));
    assert_eq!(fault_of(&short, Check::Chain), (4, "nonce"));
    let time = forge(|record| record.time_ms = 1);
    assert_eq!(fault_of(&time, Check::Chain), (4, "time_ms"));
    let twice = forge(|record| record.sequence = 7);
    assert_eq!(fault_of(&twice, Check::Chain), (4, "sequence"));
}
