//! Kept checkpoints against honest and dishonest servers.

use std::path::PathBuf;

use divelog_proto::v1::GetCheckpointResponse;

use super::*;
use crate::{
    args::{Format, KeyArg},
    errors::Exit,
    fixtures::{MerkleLog, leaf, leaves},
    output::capture,
    test_server::{Script, TestServer},
};

/// Runs the command against a server that shows a log, with the proof that it gives.
async fn run_against(
    log: &MerkleLog,
    consistency: Vec<Bytes>,
    since: Option<PathBuf>,
    save: Option<PathBuf>,
    key: Option<String>,
) -> (String, Result<(), CliError>) {
    let checkpoint =
        GetCheckpointResponse { checkpoint: log.note(), verifier_key: log.verifier_key(), ..Default::default() };
    let server = TestServer::start(Script { checkpoint, consistency, ..Default::default() }).await;
    let (mut out, captured) = capture::output(Format::Table);
    let args = CheckpointArgs { seal: false, since, save, key: KeyArg { key } };
    let result = run(&server.global(), &args, &mut out).await;
    (captured.text(), result)
}

#[tokio::test]
async fn a_log_that_grew_is_consistent_and_the_kept_file_follows() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("kept");
    let old = MerkleLog::new(1, leaves(5));
    let (text, saved) = run_against(&old, vec![], None, Some(file.clone()), None).await;
    saved.unwrap();
    assert!(text.contains("5 leaves") && text.contains("the server itself names"), "{text}");
    let again = run_against(&old, vec![], None, Some(file.clone()), None).await.1.unwrap_err();
    assert_eq!(again.exit(), Exit::Usage, "a kept checkpoint is not replaced unseen");

    let new = MerkleLog::new(1, leaves(12));
    let key = Some(new.verifier_key());
    let (text, result) = run_against(&new, new.consistency(5), Some(file.clone()), Some(file.clone()), key).await;
    result.unwrap();
    assert!(text.starts_with("CONSISTENT") && text.contains("12 leaves") && text.contains("5 leaves"), "{text}");
    assert_eq!(std::fs::read(&file).unwrap(), new.note(), "the newest is kept now");
}

#[tokio::test]
async fn whoever_rewrites_history_is_caught() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("kept");
    let old = MerkleLog::new(1, leaves(5));
    std::fs::write(&file, old.note()).unwrap();
    let mut forged = leaves(12);
    forged[2] = leaf(2, 1, [99; 32]);
    let rewritten = MerkleLog::new(1, forged);
    let honest = MerkleLog::new(1, leaves(12));
    let mut same_size = leaves(5);
    same_size.swap(0, 1);
    let cases = [
        ("an altered leaf, its own proof", rewritten.clone(), rewritten.consistency(5)),
        ("an altered leaf, the honest proof", rewritten, honest.consistency(5)),
        ("leaves in another order", MerkleLog::new(1, same_size), vec![]),
        ("a log that shrank", MerkleLog::new(1, leaves(4)), vec![]),
        ("no proof", honest, vec![]),
    ];
    for (what, log, proof) in cases {
        let (text, result) = run_against(&log, proof, Some(file.clone()), Some(file.clone()), None).await;
        let error = result.unwrap_err();
        assert_eq!(error.exit(), Exit::Unverified, "{what}");
        assert!(error.to_string().starts_with("HISTORY WAS REWRITTEN"), "{what}: {error}");
        assert!(text.starts_with("NOT CONSISTENT"), "{what}: {text}");
        assert_eq!(std::fs::read(&file).unwrap(), old.note(), "{what}: the kept one stays");
    }
}

#[tokio::test]
async fn another_key_is_not_trusted() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("kept");
    let (old, other) = (MerkleLog::new(1, leaves(5)), MerkleLog::new(2, leaves(5)));
    std::fs::write(&file, old.note()).unwrap();
    // The server signs with another key than the one that was given, or than it had when the kept one was signed.
    for (since, key) in [(None, Some(old.verifier_key())), (Some(file), None)] {
        let error = run_against(&other, vec![], since, None, key).await.1.unwrap_err();
        assert_eq!(error.exit(), Exit::Unverified);
        assert!(error.to_string().contains("cannot be trusted"), "{error}");
    }
    let error = run_against(&old, vec![], None, None, Some("no key".into())).await.1.unwrap_err();
    assert_eq!(error.exit(), Exit::Usage);
}

#[test]
fn what_is_not_a_checkpoint_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("kept");
    std::fs::write(&file, "hello").unwrap();
    assert_eq!(read_note(&file).unwrap_err().exit(), Exit::Usage);
    assert_eq!(read_note(&dir.path().join("missing")).unwrap_err().exit(), Exit::Usage);
}
