//! A proof counts only for the game, the revision and the bytes that are shown.

use super::*;
use crate::{
    args::Format,
    errors::Exit,
    fixtures::{self, MerkleLog, leaf},
    output::capture,
    test_server::{Script, TestServer},
};

#[test]
fn a_record_is_proved_or_the_error_says_what_is_wrong() {
    let game = fixtures::game(9, 6);
    let hash = hash_record(&game.records[3]);
    let log = MerkleLog::new(1, vec![leaf(1, 1, [1; 32]), leaf(9, 4, hash), leaf(2, 1, [2; 32])]);
    let checkpoint = Checkpoint::open(&log.note(), log.key.verifier_key()).unwrap();
    let answer =
        |index: usize| GetInclusionProofResponse { inclusion: Some(log.inclusion(index)), checkpoint: log.note() };
    let (id, records) = (game.game_id.to_string(), game.log().records);
    let good = check(&answer(1), &checkpoint, &id, Revision::new(4), &records).unwrap();
    assert_eq!((good.revision.get(), good.record_hash), (4, hash));

    let mut altered = records.clone();
    altered[3].record = altered[2].record.clone();
    let mut broken = answer(1);
    broken.inclusion.as_mut().unwrap().hashes.pop();
    let cases = [
        ("another game", check(&answer(0), &checkpoint, &id, Revision::new(0), &records), "the proof is for game"),
        ("an earlier revision", check(&answer(1), &checkpoint, &id, Revision::new(5), &records), "at revision 4"),
        ("an altered record", check(&answer(1), &checkpoint, &id, Revision::new(4), &altered), "it was altered"),
        ("records left out", check(&answer(1), &checkpoint, &id, Revision::new(4), &records[..2]), "only 2 records"),
        ("a broken proof", check(&broken, &checkpoint, &id, Revision::new(4), &records), "not shown to be in the log"),
    ];
    for (what, result, expected) in cases {
        let error = result.unwrap_err();
        assert!(error.exit() == Exit::Unverified && error.to_string().contains(expected), "{what}: {error}");
    }
}

#[tokio::test]
async fn what_is_not_proved_is_shown_as_evidence_and_wins_over_a_closed_pipe() {
    let game = fixtures::game(9, 6);
    let id = game.game_id.to_string();
    let log = MerkleLog::new(1, vec![leaf(9, 4, hash_record(&game.records[3]))]);
    let proof = GetInclusionProofResponse { inclusion: Some(log.inclusion(0)), checkpoint: log.note() };
    let mut altered = game.log();
    altered.records[3].record = altered.records[2].record.clone();
    let key = KeyArg { key: Some(log.verifier_key()) };
    for (shown, proved) in [(game.log(), true), (altered, false)] {
        let script = || Script {
            inclusion: Some(proof.clone()),
            logs: [(id.clone(), Ok(shown.clone()))].into(),
            ..Default::default()
        };
        let server = TestServer::start(script()).await;
        let game = GameArg { game: id.clone() };
        let (mut out, captured) = capture::output(Format::Json);
        let result = run(&server.global(), &game, 0, &key, &mut out).await;
        let expected = if proved { None } else { Some(Exit::Unverified) };
        assert_eq!(result.err().map(|error| error.exit()), expected);
        let value: Value = serde_json::from_str(&captured.text()).unwrap();
        assert!(value["proved"] == proved && value["inclusion"].is_object(), "{value}");
        let mut out = capture::failing(Format::Json, std::io::ErrorKind::BrokenPipe);
        let closed = run(&server.global(), &game, 0, &key, &mut out).await.unwrap_err();
        assert_eq!(closed.exit(), expected.unwrap_or(Exit::Done));
    }
}
