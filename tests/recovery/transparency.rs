//! A restored server goes on with the same transparency log: under the same key, and consistent with every checkpoint that
//! somebody has kept.

use std::path::Path;

use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};

use super::{copy, divelogd, text};
use crate::evidence::Kept;

async fn play(server: &Server, games: std::ops::Range<u64>) {
    for seed in games {
        Player::create(server.games().await, 3, seed).await.play(usize::MAX).await;
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
    let args = ["restore", "--from", text(&backup), "--data", text(&from_backup), "--nothing-signed-since"];
    divelogd(&args).ok();
    continues(&from_backup, &kept).await;

    let from_folder = dir.path().join("from-folder");
    divelogd(&["restore", "--from", text(&data), "--data", text(&from_folder), "--tiles", text(&tiles)]).ok();
    continues(&from_folder, &newest).await;

    // By the published log the backup lacks two games, and restore says which.
    let output = divelogd(&[
        "restore",
        "--from",
        text(&backup),
        "--data",
        text(&dir.path().join("short")),
        "--tiles",
        text(&tiles),
    ]);
    assert!(output.code == 4 && output.stdout.contains("by the published log"), "{output:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn finished_games_are_rebuilt_from_what_was_published_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (data, published) = (dir.path().join("data"), dir.path().join("published"));
    let server = Server::start_with(&data, &["--publish", text(&published), "--publish-games"]);
    play(&server, 0..3).await;
    let finished = games(&server).await;
    let mut running = Player::create(server.games().await, 3, 9).await;
    running.play(5).await;
    let fork = pb::ForkGameRequest { game_id: finished[0].game_id.clone(), at_revision: 4, ..Default::default() };
    let fork = server.audit().await.fork_game(fork).await.unwrap().into_inner().game.unwrap().game_id;
    let mut player = Player::of(server.games().await, fork.clone(), 3);
    player.play(usize::MAX).await;
    server.stop();
    std::fs::remove_dir_all(&data).unwrap();

    let new = dir.path().join("new");
    let from = published.join("games");
    let output = divelogd(&["restore", "--from", text(&from), "--data", text(&new), "--tiles", text(&published)]);
    // The running game and the fork are not published, and the log knows of both.
    assert!(
        output.code == 4 && output.stdout.contains(&running.game_id) && output.stdout.contains(&fork),
        "{output:?}"
    );
    assert!(finished.iter().all(|game| !output.stdout.contains(&game.game_id)), "{output:?}");
    let server = Server::start(&new);
    let rebuilt = games(&server).await;
    assert_eq!(rebuilt.len(), finished.len());
    for (was, is) in finished.iter().zip(&rebuilt) {
        assert_eq!((&was.game_id, &was.head_hash, was.status), (&is.game_id, &is.head_hash, is.status));
        let verify = pb::VerifyGameRequest { game_id: is.game_id.clone() };
        assert!(server.audit().await.verify_game(verify).await.unwrap().into_inner().verified);
    }
    server.stop();
}

async fn games(server: &Server) -> Vec<pb::GameSummary> {
    let mut games = server.games().await.list_games(pb::ListGamesRequest::default()).await.unwrap().into_inner().games;
    games.sort_by(|one, other| one.game_id.cmp(&other.game_id));
    games
}
