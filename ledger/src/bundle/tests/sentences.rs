//! The verdict says exactly what is shown.

use super::*;
use Judgement::{Failed, NotProved, Proved};

#[test]
fn a_whole_game_with_everything_proves_everything() {
    let played = play(usize::MAX);
    assert!(played.records.len() > 50, "a whole game was played");
    let verdict = verdict_on(&bundle_of(&played, true));
    assert!(verdict.ok());
    let checks: Vec<(Check, Judgement)> = verdict.findings.iter().map(|found| (found.check, found.result)).collect();
    let all = [
        Check::Form,
        Check::Chain,
        Check::Commitment,
        Check::Entropy,
        Check::Replay,
        Check::Outcome,
        Check::LegalActions,
        Check::Inclusion,
        Check::Coverage,
        Check::Signature,
    ];
    assert_eq!(checks, all.map(|check| (check, Proved)), "{:#?}", verdict.findings);
    assert_eq!(verdict.status, Some(Status::Finished));
    assert_eq!(verdict.outcome, played.position.outcome());
    assert_eq!(verdict.head_hash, Some(played.position.head_hash()));
    assert_eq!(verdict.revision, played.position.revision());
    assert_eq!(verdict.leaf.unwrap().revision, verdict.revision);
    assert_eq!(verdict.checkpoint.as_ref().unwrap().size, 5);
    let entropy = sentence(&verdict, Check::Entropy, Proved);
    assert!(entropy.contains("seat 0 (4 bytes), seat 2 (6 bytes)"), "{entropy}");
    assert!(sentence(&verdict, Check::Outcome, Proved).contains("Winner: seat"));
}

#[test]
fn without_the_secret_chain_and_inclusion_remain() {
    let verdict = verdict_on(&bundle_of(&play(usize::MAX), false));
    assert!(verdict.ok());
    for check in [Check::Form, Check::Chain, Check::Inclusion, Check::Coverage, Check::Signature] {
        assert_eq!(verdict.result(check), Some(Proved), "{check:?}");
    }
    for check in [Check::Commitment, Check::Entropy, Check::Replay, Check::Outcome] {
        assert_eq!(verdict.result(check), Some(NotProved), "{check:?}");
    }
    assert!(sentence(&verdict, Check::Replay, NotProved).contains("cannot be replayed"));
    assert_eq!((verdict.outcome, verdict.status), (None, None), "nobody knows without replaying");
}

#[test]
fn without_a_key_the_signature_proves_nothing() {
    let bundle = bundle_of(&play(9), true);
    let verdict = verify(&bundle, None);
    assert!(verdict.ok());
    let text = sentence(&verdict, Check::Signature, NotProved);
    assert!(text.contains("proves nothing") && text.contains(&key().verifier_key().to_string()), "{text}");
    // A claimed key that did not sign is a lie of the bundle.
    let mut lie = bundle.clone();
    let other = SigningKey::generate("example.com/divelog", [9; 32]).unwrap();
    lie.claims.as_mut().unwrap().verifier_key = other.verifier_key().to_string();
    for key in [None, Some(key())] {
        let verdict = verify(&lie, key.as_ref().map(SigningKey::verifier_key));
        assert!(sentence(&verdict, Check::Signature, Failed).contains("itself names"));
    }
    // No claim, no key.
    lie.claims.as_mut().unwrap().verifier_key.clear();
    assert!(sentence(&verify(&lie, None), Check::Signature, NotProved).contains("names no key"));
    assert!(verdict_on(&lie).ok());
}

#[test]
fn records_after_the_leaf_are_not_in_the_log() {
    let played = play(80);
    let verdict = verdict_on(&bundle_at(&played, true, 64, Status::Running));
    assert!(verdict.ok());
    let text = sentence(&verdict, Check::Coverage, NotProved);
    assert!(text.contains("the first 64 of 80 records") && text.contains("The 16 after them"), "{text}");
    assert_eq!(verdict.result(Check::Inclusion), Some(Proved));
}

#[test]
fn without_a_proof_or_checkpoint_it_says_so() {
    let mut bundle = bundle_of(&play(9), true);
    bundle.inclusion = None;
    let verdict = verdict_on(&bundle);
    assert!(verdict.ok());
    assert_eq!(verdict.result(Check::Inclusion), Some(NotProved));
    assert_eq!(verdict.result(Check::Coverage), None);
    bundle.checkpoint.clear();
    let verdict = verdict_on(&bundle);
    assert!(verdict.ok());
    assert_eq!(verdict.result(Check::Signature), Some(NotProved));
    assert!(verdict.checkpoint.is_none());
}

#[test]
fn a_game_nobody_added_to_is_the_servers_alone() {
    let verdict = verdict_on(&bundle_of(&play_with(GAME, SECRET, [b""; 3], 9), true));
    assert!(verdict.ok());
    assert!(sentence(&verdict, Check::Entropy, NotProved).contains("no seat added anything"));
}

#[test]
fn opened_draws_need_no_secret() {
    let played = play(9);
    let draw = |sequence| {
        let key = played.position.open_draw(Sequence::new(sequence)).unwrap();
        pb::OpenedDraw { sequence, chance_key: Bytes::copy_from_slice(&key) }
    };
    let mut bundle = bundle_of(&played, false);
    bundle.opened_draws = vec![draw(0), draw(3), draw(8)];
    let verdict = verdict_on(&bundle);
    assert!(verdict.ok());
    let text = sentence(&verdict, Check::OpenedDraws, Proved);
    assert!(text.contains("records 0, 3, 8"), "{text}");
    let mut wrong = bundle.clone();
    wrong.opened_draws[1].sequence = 4;
    let verdict = verdict_on(&wrong);
    sentence(&verdict, Check::OpenedDraws, Failed);
    let fault = verdict.findings.iter().find_map(|finding| finding.fault.clone()).unwrap();
    assert_eq!((fault.sequence.get(), fault.field), (3, Some("next_chance_commitment")));
    let mut unsorted = bundle.clone();
    unsorted.opened_draws.swap(0, 1);
    sentence(&verdict_on(&unsorted), Check::OpenedDraws, Failed);
    let mut beyond = bundle;
    beyond.opened_draws[2].sequence = 9;
    sentence(&verdict_on(&beyond), Check::OpenedDraws, Failed);
}

fn fork_of(source: &Played, same_seed: bool) -> Played {
    let point = source.position.fork_point(same_seed);
    let (game, secret) = (GameId([8; 16]), Secret([43; SECRET_BYTES]));
    let first = Position::create(new_game(game, ENTROPY, Some(point)), &secret, stamp(500)).unwrap();
    // The same player makes the same choices again, with the same luck.
    play_on(Played { game, secret, records: vec![first.record], position: first.position }, source.records.len() + 20)
}

#[test]
fn a_fork_is_named_as_one() {
    let source = play(6);
    for same_seed in [false, true] {
        let fork = fork_of(&source, same_seed);
        let verdict = verdict_on(&bundle_of(&fork, true));
        assert!(verdict.ok(), "{:#?}", verdict.findings);
        assert_eq!(verdict.fork_of, Some(source.game));
        let text = sentence(&verdict, Check::Fork, NotProved);
        assert!(text.contains("is a fork") && text.contains(&source.game.to_string()), "{text}");
        assert_eq!(verdict.result(Check::Replay), Some(Proved));
        let entropy = if same_seed { NotProved } else { Proved };
        assert_eq!(verdict.result(Check::Entropy), Some(entropy));
    }
    assert_eq!(verdict_on(&bundle_of(&source, true)).result(Check::Fork), None);
}

#[test]
fn an_abandoned_game_is_known_without_replaying() {
    let mut played = play(5);
    let advance = played.position.abandon("the table was closed", stamp(900)).unwrap();
    played.records.push(advance.record);
    played.position = advance.position;
    for with_secret in [true, false] {
        let verdict = verdict_on(&bundle_of(&played, with_secret));
        assert!(verdict.ok(), "{:#?}", verdict.findings);
        assert_eq!(verdict.status, Some(Status::Abandoned));
        let mut lie = bundle_of(&played, with_secret);
        lie.claims.as_mut().unwrap().status = pb::GameStatus::Running.into();
        sentence(&verdict_on(&lie), Check::Outcome, Failed);
        // A leaf that says otherwise is a fault of the log.
        let running = bundle_at(&played, with_secret, 6, Status::Running);
        assert!(sentence(&verdict_on(&running), Check::Inclusion, Failed).contains("abandoned"));
    }
}

#[test]
fn a_leaf_with_a_wrong_status_is_noticed() {
    let played = play(80);
    for (revision, status) in [(80, Status::Finished), (80, Status::Abandoned), (64, Status::Finished)] {
        let verdict = verdict_on(&bundle_at(&played, true, revision, status));
        sentence(&verdict, Check::Inclusion, Failed);
    }
    // Without replaying, whether the last record ended the game is not known; that nobody abandoned it can.
    assert!(verdict_on(&bundle_at(&played, false, 80, Status::Finished)).ok());
    assert!(!verdict_on(&bundle_at(&played, false, 80, Status::Abandoned)).ok());
    assert!(!verdict_on(&bundle_at(&played, false, 64, Status::Finished)).ok());
}

#[test]
fn names_are_stable_and_checks_are_in_order() {
    let names = Check::ALL.map(Check::name);
    let expected = [
        "form",
        "chain",
        "fork",
        "commitment",
        "entropy",
        "replay",
        "outcome",
        "legal_actions",
        "opened_draws",
        "inclusion",
        "coverage",
        "signature",
    ];
    assert_eq!(names, expected);
    assert_eq!([Proved, NotProved, Failed].map(Judgement::name), ["proved", "not_proved", "failed"]);
    let fork = fork_of(&play(6), false);
    let mut bundle = bundle_of(&fork, true);
    let key = fork.position.open_draw(Sequence::new(1)).unwrap();
    bundle.opened_draws.push(pb::OpenedDraw { sequence: 1, chance_key: Bytes::copy_from_slice(&key) });
    let order: Vec<Check> = verdict_on(&bundle).findings.iter().map(|finding| finding.check).collect();
    assert_eq!(order, Check::ALL, "this bundle has everything");
}
