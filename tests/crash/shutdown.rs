//! SIGTERM in the middle of play: running calls finish, watchers get an end, and nothing is done without an answer.

use std::sync::Arc;
use std::time::Duration;

use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};
use pb::watch_game_response::Message;
use rustix::process::Signal;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::faults::{History, Round, SharedChoices, TIMEOUT, reconcile};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminated_in_the_middle_of_play_every_action_that_was_done_was_also_answered() {
    let choices = Arc::new(SharedChoices::from_environment("shutdown"));
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let history = History::default();
    let mut open = 0;
    for _ in 0..8 {
        let server = Server::start(&data);
        let found = reconcile::reconcile(&server, &history).await;
        // Running calls have finished: what has no answer was never begun.
        assert_eq!(found.open_but_done, 0, "{found:?}");
        open += found.open;
        let before = history.acks();
        let round = Round::begin(&server, &history, &choices).await;
        history.until_acks(before + 1).await;
        // Not synchronisation: the moment of the signal is what varies.
        tokio::time::sleep(Duration::from_millis(20 + choices.below(200))).await;
        round.stop_signal().announce();
        server.signal(Signal::TERM);
        round.over().await;
        let log = server.log();
        let status = tokio::task::spawn_blocking(move || server.wait()).await.unwrap();
        assert!(status.success(), "{status}: {log}");
    }
    let server = Server::start(&data);
    let found = reconcile::reconcile(&server, &history).await;
    assert_eq!(found.open_but_done, 0, "{found:?}");
    let all = reconcile::check_all(&server, &history).await;
    server.stop();
    println!(
        "shutdown: 8 times, {} acknowledged actions in {} games; {} sent too late",
        history.acks(),
        all.logs,
        open + found.open
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watchers_are_told_of_the_shutdown_and_health_says_so_first() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 3, 5).await;
    player.play(7).await;
    let mut watches = Vec::new();
    for after_revision in [None, Some(0), Some(8)] {
        let request = pb::WatchGameRequest { game_id: player.game_id.clone(), after_revision, ..Default::default() };
        watches.push((after_revision, player.client.watch_game(request).await.unwrap().into_inner()));
    }
    let request = HealthCheckRequest { service: String::new() };
    let mut health = HealthClient::new(server.channel().await).watch(request).await.unwrap().into_inner();
    assert_eq!(health.message().await.unwrap().unwrap().status(), ServingStatus::Serving);

    server.signal(Signal::TERM);
    let next = tokio::time::timeout(TIMEOUT, health.message()).await.expect("health says nothing");
    assert_eq!(next.unwrap().unwrap().status(), ServingStatus::NotServing);
    for (after_revision, mut watch) in watches {
        let mut revision = after_revision.unwrap_or_default();
        let end = loop {
            let message = tokio::time::timeout(TIMEOUT, watch.message()).await.expect("a watch says nothing");
            match message.unwrap().expect("an end comes before the stream ends").message.unwrap() {
                Message::Snapshot(snapshot) => revision = snapshot.game.unwrap().revision,
                Message::Update(update) => {
                    assert_eq!(update.revision, revision + 1);
                    revision = update.revision;
                }
                Message::Heartbeat(_) => {}
                Message::End(end) => break end,
            }
        };
        assert_eq!(end.cause(), pb::watch_end::Cause::Shutdown);
        assert_eq!((end.revision, revision), (8, 8));
        assert!(watch.message().await.unwrap().is_none());
    }
    let log = server.log();
    let status = tokio::task::spawn_blocking(move || server.wait()).await.unwrap();
    assert!(status.success(), "{status}: {log}");
    let log = std::fs::read_to_string(dir.path().join("data.log")).unwrap();
    // A watch of the server's health never ends by itself, and must not hold the server up until its deadline.
    assert!(!log.contains("still running at the deadline"), "{log}");
}
