//! An operator who rewrites history, with the key and full power over every file, is exposed by anybody who kept a checkpoint.

use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};
use tonic::Code;

use super::{Kept, copy_folder};
use crate::api::details_of;

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_ended_otherwise_does_not_fit_a_kept_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let (data, before, forged) = (dir.path().join("data"), dir.path().join("before"), dir.path().join("forged"));
    let server = Server::start(&data);
    let mut player = Player::create(server.games().await, 3, 5).await;
    player.play(10).await;
    let early = Kept::sealed(&server).await;
    let game_id = player.game_id.clone();
    server.stop();
    copy_folder(&data, &before, &[]);

    // What really happened, and a player who keeps a checkpoint of it.
    let server = Server::start(&data);
    let mut player = Player::of(server.games().await, game_id.clone(), 1);
    player.play(1_000).await;
    assert_eq!(player.game().await.status(), pb::GameStatus::Finished);
    let kept = Kept::sealed(&server).await;
    early.is_continued_by(&server, &kept).await.unwrap();
    server.stop();

    // The operator goes back, lets the game end otherwise, and has the log built again under the same key.
    copy_folder(&before, &forged, &["tlog", "tlog-state"]);
    let server = Server::start(&forged);
    let mut player = Player::of(server.games().await, game_id.clone(), 2);
    player.play(3).await;
    let abandon = pb::AbandonGameRequest { game_id, ..Default::default() };
    player.client.abandon_game(abandon).await.unwrap();
    for seed in 0..3 {
        Player::create(server.games().await, 2, seed).await;
    }
    let forged = Kept::sealed(&server).await;
    assert_eq!(forged.key, kept.key, "the forger has the key, and signs");
    assert!(forged.checkpoint.size > kept.checkpoint.size);
    // An old checkpoint from before the rewritten part still fits; the kept one does not.
    early.is_continued_by(&server, &forged).await.unwrap();
    let caught = kept.is_continued_by(&server, &forged).await.unwrap_err();
    assert!(caught.contains("history was rewritten"), "{caught}");
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_store_under_a_newer_log_is_not_signed_and_play_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let (data, before, mixed) = (dir.path().join("data"), dir.path().join("before"), dir.path().join("mixed"));
    let server = Server::start(&data);
    let mut player = Player::create(server.games().await, 3, 5).await;
    player.play(10).await;
    Kept::sealed(&server).await;
    server.stop();
    copy_folder(&data, &before, &[]);
    let server = Server::start(&data);
    player.client = server.games().await;
    player.play(1_000).await;
    Kept::sealed(&server).await;
    server.stop();
    copy_folder(&before, &mixed, &["tlog", "tlog-state"]);
    copy_folder(&data.join("tlog"), &mixed.join("tlog"), &[]);
    std::fs::copy(data.join("tlog-state"), mixed.join("tlog-state")).unwrap();

    let server = Server::start(&mixed);
    let refused = Kept::ask(&server, true).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert_eq!(details_of(&refused).reason, "TRANSPARENCY_LOG_BROKEN");
    assert!(refused.message().contains("is not the one that was sealed"), "{}", refused.message());
    player.client = server.games().await;
    player.play(3).await;
    server.stop();
}
