//! Sentences and JSON about good, incomplete and altered bundles.

use divelog_proto::v1::{GameStatus, OpenedDraw};

use super::*;
use crate::{
    args::Format,
    errors::Exit,
    fixtures::{self, MerkleLog, leaf},
    output::capture,
};

fn run_verify(bundle: &Bundle, key: Option<&VerifierKey>, format: Format) -> (String, Result<(), CliError>) {
    let (mut out, captured) = capture::output(format);
    let result = run(bundle, key, None, &mut out);
    (captured.text(), result)
}

/// A finished game in a signed log.
fn complete() -> (Bundle, MerkleLog) {
    let game = fixtures::game(8, 10_000);
    let mut head = leaf(8, game.position.revision().get(), game.position.head_hash());
    head.status = game.position.status();
    let log = MerkleLog::new(3, vec![leaf(1, 1, [1; 32]), head]);
    let bundle = Bundle { inclusion: Some(log.inclusion(1)), checkpoint: log.note(), ..game.bundle() };
    (bundle, log)
}

#[test]
fn a_complete_bundle_proves_everything_with_the_key_only() {
    let (bundle, log) = complete();
    let (text, result) = run_verify(&bundle, Some(log.key.verifier_key()), Format::Table);
    result.unwrap();
    assert!(text.starts_with("VERIFIED\n"), "{text}");
    assert!(text.contains("\nProved:\n") && !text.contains("Not proved") && !text.contains("Wrong:"), "{text}");
    assert!(text.contains("status     finished") && text.contains("outcome    1. seat "), "{text}");

    let (text, result) = run_verify(&bundle, None, Format::Table);
    result.unwrap();
    assert!(text.starts_with("VERIFIED, as far as the bundle goes\n"), "{text}");
    let open = text.split("Not proved:").nth(1).unwrap();
    assert!(open.contains("signature"), "without a key the signature proves nothing: {text}");
}

#[test]
fn a_promise_is_kept_or_broken() {
    let (bundle, log) = complete();
    let record = Record::decode(&bundle.records[0][..]).unwrap();
    let Some(record::Body::Setup(setup)) = record.body else { panic!("record 0 sets the game up") };
    let kept = PreparedGame { game_id: bundle.game_id.clone(), seed_commitment: setup.seed_commitment };
    let run_verify = |promise: &PreparedGame, format| {
        let (mut out, captured) = capture::output(format);
        let result = run(&bundle, Some(log.key.verifier_key()), Some(promise), &mut out);
        (captured.text(), result)
    };
    let (text, result) = run_verify(&kept, Format::Table);
    result.unwrap();
    assert!(text.contains("promise    kept: "), "{text}");
    for broken in [
        PreparedGame { seed_commitment: vec![1; 32].into(), ..kept.clone() },
        PreparedGame { game_id: "another".into(), ..kept.clone() },
    ] {
        let (text, result) = run_verify(&broken, Format::Json);
        assert_eq!(result.unwrap_err().exit(), Exit::Unverified);
        assert!(text.contains("\"promise_kept\": false"), "{text}");
    }
}

#[test]
fn what_is_altered_is_named() {
    let (bundle, log) = complete();
    let key = log.key.verifier_key();
    let mut altered = bundle.clone();
    let mut bytes = altered.records[4].to_vec();
    *bytes.last_mut().unwrap() ^= 1;
    altered.records[4] = bytes.into();
    let mut claims_other = bundle.clone();
    claims_other.claims.as_mut().unwrap().status = GameStatus::Running.into();
    let mut other_secret = bundle.clone();
    other_secret.secret = vec![1; 32].into();
    for (what, bad) in [("record", altered), ("secret", other_secret)] {
        let (text, result) = run_verify(&bad, Some(key), Format::Table);
        assert_eq!(result.unwrap_err().exit(), Exit::Unverified, "{what}");
        assert!(text.starts_with("NOT VERIFIED\n") && text.contains("\nWrong:\n"), "{what}: {text}");
    }
    let (text, result) = run_verify(&bundle, Some(MerkleLog::new(4, vec![]).key.verifier_key()), Format::Json);
    assert_eq!(result.unwrap_err().exit(), Exit::Unverified, "another key");
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["verified"], false);
    let findings = value["findings"].as_array().unwrap();
    let wrong: Vec<&str> = findings
        .iter()
        .filter(|finding| finding["result"] == "failed")
        .map(|finding| finding["check"].as_str().unwrap())
        .collect();
    assert_eq!(wrong, ["signature"]);
}

#[test]
fn a_running_game_without_its_secret_is_partly_proved() {
    let game = fixtures::game(6, 9);
    let key = game.position.open_draw(divelog_ledger::Sequence::new(3)).unwrap();
    let draw = OpenedDraw { sequence: 3, chance_key: key.to_vec().into() };
    let mut bundle = Bundle { secret: Default::default(), opened_draws: vec![draw], ..game.bundle() };
    bundle.claims.as_mut().unwrap().legal_digests.clear();
    let (text, result) = run_verify(&bundle, None, Format::Json);
    result.unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let result_of = |check: &str| {
        let findings = value["findings"].as_array().unwrap();
        findings.iter().find(|finding| finding["check"] == check).map(|finding| finding["result"].clone())
    };
    assert_eq!(result_of("chain"), Some("proved".into()));
    assert_eq!(result_of("replay"), Some("not_proved".into()));
    assert_eq!(result_of("opened_draws"), Some("proved".into()));
    bundle.opened_draws[0].chance_key = vec![0; 32].into();
    assert_eq!(run_verify(&bundle, None, Format::Json).1.unwrap_err().exit(), Exit::Unverified);
}
