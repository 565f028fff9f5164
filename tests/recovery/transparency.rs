//! A restored server goes on with the same transparency log: under the same key, and consistent with every checkpoint that
//! somebody has kept.

use std::path::Path;

use divelog_tests::{Player, Server};

use super::{copy, divelogd, text};
use crate::evidence::Kept;

async fn play(server: &Server, games: std::ops::Range<u64>) {
    for luck in games {
        Player::create(server.games().await, 3, luck).await.play(usize::MAX).await;
    }
}

/// Serves a restored folder, plays on, and shows that its log continues the kept checkpoint.
async fn continues(data: &Path, kept: &Kept) {
    let server = Server::start(data);
    let restored = Kept::sealed(&server).await;
    assert_eq!(restored.key, kept.key);
    kept.is_continued_by(&server, &restored).await.unwrap();
    play(&server, 50..53).await;
    let newer = Kept::sealed(&server).await;
    assert!(newer.checkpoint.size > restored.checkpoint.size);
    kept.is_continued_by(&server, &newer).await.unwrap();
    restored.is_continued_by(&server, &newer).await.unwrap();
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_of_a_restored_server_continues_every_kept_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let server = Server::start(&data);
    play(&server, 0..4).await;
    let kept = Kept::sealed(&server).await;
    play(&server, 4..6).await;
    let backup = dir.path().join("log.dlbackup");
    divelogd(&["backup", "--server", server.url(), "--to", text(&backup)]).ok();
    // More than the backup has: only the folder knows it.
    play(&server, 6..8).await;
    let newest = Kept::sealed(&server).await;
    let tiles = dir.path().join("published");
    server.stop();
    copy(&data.join("tlog"), &tiles);

    let from_backup = dir.path().join("from-backup");
    divelogd(&["restore", "--from", text(&backup), "--data", text(&from_backup)]).ok();
    continues(&from_backup, &kept).await;

    let from_folder = dir.path().join("from-folder");
    divelogd(&["restore", "--from", text(&data), "--data", text(&from_folder), "--tiles", text(&tiles)]).ok();
    continues(&from_folder, &newest).await;

    // By the published log the backup lacks two games, and restore says which.
    let said = divelogd(&[
        "restore",
        "--from",
        text(&backup),
        "--data",
        text(&dir.path().join("short")),
        "--tiles",
        text(&tiles),
    ]);
    assert!(said.code == 4 && said.stdout.contains("by the published log"), "{said:?}");
}
