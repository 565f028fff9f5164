//! Of one key there are never two trees of one size, whatever is restored from what: where it is unknown what the lost
//! server signed last, the restored one begins a new log under a new key, and names the log before it.

use std::path::{Path, PathBuf};

use divelog_ledger::tlog::PreviousLog;
use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};
use tonic::Status;

use super::{copy, divelogd, text};
use crate::evidence::Kept;

/// Plays games one by one, and keeps a checkpoint after each.
async fn play(server: &Server, games: std::ops::Range<u64>) -> Vec<Kept> {
    let mut kept = Vec::new();
    for seed in games {
        Player::create(server.games().await, 3, seed).await.play(usize::MAX).await;
        kept.push(Kept::sealed(server).await);
    }
    kept
}

/// A server that went on after its last backup: the folders of its data and its log, the backup, and all its checkpoints.
struct Lost {
    data: PathBuf,
    backup: PathBuf,
    tiles: PathBuf,
    signed: Vec<Kept>,
    /// How many of those came before the backup.
    before: usize,
}

async fn lost(dir: &Path) -> Lost {
    let (data, backup, tiles) = (dir.join("data"), dir.join("log.dlbackup"), dir.join("published"));
    let server = Server::start(&data);
    let mut signed = play(&server, 0..3).await;
    divelogd(&["backup", "--server", server.url(), "--to", text(&backup)]).ok();
    let before = signed.len();
    signed.extend(play(&server, 3..6).await);
    server.stop();
    copy(&data.join("tlog"), &tiles);
    Lost { data, backup, tiles, signed, before }
}

/// Nobody can hold two signed trees of one size against the key.
fn agree(one: &[Kept], other: &[Kept]) {
    for (one, other) in one.iter().flat_map(|one| other.iter().map(move |other| (one, other))) {
        let same = one.key == other.key && one.checkpoint.size == other.checkpoint.size;
        assert!(!same || one.checkpoint.root == other.checkpoint.root, "two trees: {one:?} {other:?}");
    }
}

async fn seal(server: &Server) -> Result<pb::GetCheckpointResponse, Status> {
    let mut client = server.connect().await.transparency();
    client.get_checkpoint(pb::GetCheckpointRequest { seal_now: true }).await.map(tonic::Response::into_inner)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_restore_from_a_backup_alone_no_two_trees_of_one_size_are_signed() {
    let dir = tempfile::tempdir().unwrap();
    let lost = lost(dir.path()).await;
    let new = dir.path().join("new");
    let output = divelogd(&["restore", "--from", text(&lost.backup), "--data", text(&new)]).ok();
    let server = Server::start(&new);
    let signed = play(&server, 50..56).await;
    agree(&lost.signed, &signed);

    // A new log of another name, and everybody can find out which one was before it.
    let (old, key) = (&lost.signed[0].key, &signed[0].key);
    assert!(old != key && old.origin() != key.origin(), "{old} {key}");
    assert!(
        output.contains("new log") && output.contains(&old.to_string()) && output.contains(&key.to_string()),
        "{output}"
    );
    assert!(server.log().contains(&old.to_string()), "{}", server.log());
    let note = std::fs::read_to_string(new.join("tlog/previous-log")).unwrap();
    let newest = &lost.signed[lost.before - 1].checkpoint;
    assert!(note.contains(&format!("previous {old}\n")), "{note}");
    assert!(note.contains(&format!("size {}\n", newest.size)), "{note}");
    server.stop();

    // It can be checked against the old log, and restored like any other: the note comes along.
    let output = divelogd(&["fsck", "--data", text(&new), "--tiles", text(&lost.tiles), "--no-trial"]);
    assert!(output.code == 4 && output.stdout.contains("by the published log"), "{output:?}");
    let again = dir.path().join("again");
    let output = divelogd(&["restore", "--from", text(&lost.backup), text(&new), "--data", text(&again)]).ok();
    assert!(output.contains(&key.to_string()) && !output.contains("new log"), "{output}");
    assert_eq!(std::fs::read_to_string(again.join("previous-log")).unwrap(), note);

    // Also where the operator hands the old key to the new store.
    let key = dir.path().join("old-key");
    std::fs::copy(lost.data.join("signing-key"), &key).unwrap();
    let with_old_key = |data: &Path| Server::start_with(data, &["--signing-key", text(&key)]);
    let server = with_old_key(&new);
    seal(&server).await.unwrap_err();
    server.stop();
    std::fs::remove_file(new.join("tlog-state")).unwrap();
    std::fs::remove_dir_all(new.join("tlog")).unwrap();
    let server = with_old_key(&new);
    seal(&server).await.unwrap_err();
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_the_newest_checkpoint_the_key_is_kept_and_nothing_is_signed_before_it_is_reached() {
    let dir = tempfile::tempdir().unwrap();
    let lost = lost(dir.path()).await;
    let checkpoint = lost.tiles.join("checkpoint");
    for (number, flags) in [["--tiles", text(&lost.tiles)], ["--checkpoint", text(&checkpoint)]].into_iter().enumerate()
    {
        let new = dir.path().join(format!("new-{number}"));
        let [flag, value] = flags;
        let output = divelogd(&["restore", "--from", text(&lost.backup), "--data", text(&new), flag, value]);
        assert_eq!(output.code, 4, "{output:?}");
        // Wherever it is published.
        let elsewhere = dir.path().join(format!("elsewhere-{number}"));
        for publish in [new.join("tlog"), elsewhere] {
            let server = Server::start_with(&new, &["--publish", text(&publish)]);
            Player::create(server.games().await, 3, 50).await.play(usize::MAX).await;
            let refused = seal(&server).await.unwrap_err();
            assert!(refused.message().contains("was signed") || refused.message().contains("were signed"), "{refused}");
            let verifier = std::fs::read_to_string(new.join("signing-key")).unwrap();
            assert!(verifier.contains(lost.signed[0].key.origin()), "another key");
            server.stop();
        }
    }
    // Whoever accepts the loss begins a new log.
    let new_log = |name: &str, origin: &str| {
        let new = dir.path().join(name);
        let args = ["restore", "--from", text(&lost.backup), "--data", text(&new), "--tiles", text(&lost.tiles)];
        (divelogd(&[&args[..], &["--new-log", "--origin", origin]].concat()), new)
    };
    let (output, _) = new_log("same", lost.signed[0].key.origin());
    assert!(output.code == 1 && output.stderr.contains("another name"), "{output:?}");
    let (output, new) = new_log("accepted", "example.com/second");
    assert_eq!(output.code, 4, "{output:?}");
    let server = Server::start(&new);
    let signed = Kept::sealed(&server).await;
    assert_eq!(signed.key.origin(), "example.com/second");
    let note = PreviousLog::open(&std::fs::read(new.join("tlog/previous-log")).unwrap()).unwrap();
    let newest = &lost.signed.last().unwrap().checkpoint;
    assert_eq!((note.log, note.previous), (signed.key, lost.signed[0].key.clone()));
    assert_eq!(note.known, Some((newest.size, newest.root)));
    server.stop();

    // An old checkpoint is not the newest: the backup knows a later one.
    let old = dir.path().join("old-checkpoint");
    std::fs::write(&old, &lost.signed[0].note).unwrap();
    let new = dir.path().join("new-old");
    let args = ["restore", "--from", text(&lost.backup), "--data", text(&new), "--checkpoint", text(&old)];
    let output = divelogd(&args);
    assert!(output.code == 1 && output.stderr.contains("later"), "{output:?}");
    assert!(!new.exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_goes_on_where_nothing_was_signed_after_the_backup() {
    let dir = tempfile::tempdir().unwrap();
    let (data, backup) = (dir.path().join("data"), dir.path().join("log.dlbackup"));
    let server = Server::start(&data);
    let signed = play(&server, 0..3).await;
    divelogd(&["backup", "--server", server.url(), "--to", text(&backup)]).ok();
    server.stop();
    let tlog = data.join("tlog");
    let cases: [&[&str]; 3] = [&["--nothing-signed-since"], &["--tiles", text(&tlog)], &["--from", text(&data)]];
    for (number, flags) in cases.iter().enumerate() {
        let new = dir.path().join(format!("new-{number}"));
        let args = [&["restore", "--from", text(&backup), "--data", text(&new)], *flags].concat();
        let output = divelogd(&args).ok();
        assert!(!output.contains("new log"), "{output}");
        let server = Server::start(&new);
        let restored = Kept::sealed(&server).await;
        assert_eq!(restored.key, signed[0].key);
        let newer = play(&server, 50..52).await;
        for kept in &signed {
            kept.is_continued_by(&server, &restored).await.unwrap();
            kept.is_continued_by(&server, newer.last().unwrap()).await.unwrap();
        }
        server.stop();
    }
}

/// Backups of one server before and after its log gave way to a new one: the first key may have signed more than anybody
/// knows, so no assurance brings it back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_abandoned_key_does_not_come_back_with_an_older_backup() {
    let dir = tempfile::tempdir().unwrap();
    let lost = lost(dir.path()).await;
    let second = dir.path().join("second");
    divelogd(&["restore", "--from", text(&lost.backup), "--data", text(&second)]).ok();
    let server = Server::start(&second);
    let signed = play(&server, 50..52).await;
    let backups = dir.path().join("backups");
    std::fs::create_dir(&backups).unwrap();
    std::fs::copy(&lost.backup, backups.join("a.dlbackup")).unwrap();
    divelogd(&["backup", "--server", server.url(), "--to", text(&backups.join("b.dlbackup"))]).ok();
    server.stop();
    let third = dir.path().join("third");
    let both = ["restore", "--from", text(&backups), "--data", text(&third)];
    let output = divelogd(&[&both[..], &["--nothing-signed-since"]].concat());
    assert_ne!(output.code, 0, "{output:?}");
    assert!(output.stderr.contains("several logs") && !third.exists(), "{output:?}");
    // Without that assurance a new log begins, after the newer of the two.
    let output = divelogd(&both).ok();
    assert!(output.contains("new log") && output.contains(&signed[0].key.to_string()), "{output}");
    assert!(!output.contains(&lost.signed[0].key.to_string()), "{output}");
}

/// Whoever restores or checks a folder learns that its key is not what its log was signed with, and a backup gives it back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_signing_key_is_named_by_fsck_and_by_restore() {
    let dir = tempfile::tempdir().unwrap();
    let (data, other, backup) = (dir.path().join("data"), dir.path().join("other"), dir.path().join("log.dlbackup"));
    let server = Server::start(&data);
    let signed = play(&server, 0..2).await;
    divelogd(&["backup", "--server", server.url(), "--to", text(&backup)]).ok();
    server.stop();
    Server::start(&other).stop();
    let sound = std::fs::read(data.join("signing-key")).unwrap();
    let mut flipped = sound.clone();
    flipped[sound.len() / 2] ^= 1;
    let another = std::fs::read(other.join("signing-key")).unwrap();
    assert_ne!(another, sound);
    divelogd(&["fsck", "--data", text(&data)]).ok();
    let cases =
        [("cut", &sound[..sound.len() / 2]), ("a bit", &flipped), ("emptied", &[]), ("another store's", &another)];
    for (number, (what, bytes)) in cases.into_iter().enumerate() {
        std::fs::write(data.join("signing-key"), bytes).unwrap();
        let output = divelogd(&["fsck", "--data", text(&data)]);
        assert!(output.code == 4 && output.stdout.contains("signing key"), "{what}: {output:?}");
        let new = dir.path().join(format!("new-{number}"));
        let output = divelogd(&["restore", "--from", text(&data), "--data", text(&new)]);
        assert!(output.code == 4 && output.stdout.contains("signing key"), "{what}: {output:?}");
        // Its log is not signed with anything else.
        assert!(!new.join("signing-key").exists(), "{what}");
        // The backup has the key.
        let new = dir.path().join(format!("whole-{number}"));
        let output = divelogd(&["restore", "--from", text(&data), text(&backup), "--data", text(&new)]);
        assert!(output.code == 4 && output.stdout.contains("signing key"), "{what}: {output:?}");
        let server = Server::start(&new);
        assert_eq!(Kept::sealed(&server).await.key, signed[0].key, "{what}");
        server.stop();
    }
}
