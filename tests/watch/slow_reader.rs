//! A watcher who does not read holds up neither the game nor memory, and still gets everything once it reads.

use std::time::{Duration, Instant};

use divelog_proto::v1 as pb;
use divelog_proto::v1::game_service_client::GameServiceClient;
use divelog_tests::{Player, Server};
use tonic::transport::Endpoint;

use super::{record_hashes, to_the_end, watch_of};

const WATCHERS: usize = 150;
/// Far more than the few messages that wait for each watcher, far less than the whole game for each of them.
const MAX_GROWTH_KIB: u64 = 24 * 1024;

fn memory_kib(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watcher_who_does_not_read_holds_up_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 6, 7).await;
    // Windows far smaller than what a game with views amounts to, so that the server cannot push it all out.
    let endpoint = Endpoint::from_shared(server.url().to_owned()).unwrap().initial_stream_window_size(4_096);
    let mut client = GameServiceClient::new(endpoint.connect().await.unwrap());
    let request = pb::WatchGameRequest {
        after_revision: Some(0),
        include_views: true,
        viewer: Some(pb::Viewer { role: pb::viewer::Role::Auditor.into(), seat: 0 }),
        ..watch_of(&player.game_id)
    };
    let mut idle = Vec::new();
    for _ in 0..WATCHERS {
        idle.push(client.watch_game(request.clone()).await.unwrap().into_inner());
    }
    let before = memory_kib(&server);
    let started = Instant::now();
    player.play(usize::MAX).await;
    let game = player.game().await;
    assert_eq!(game.status(), pb::GameStatus::Finished, "the game was played to its end");
    let taken = started.elapsed();
    let after = memory_kib(&server);
    // Every one of them, late as they are, gets the whole game.
    let hashes = record_hashes(&server, &player.game_id).await;
    let mut bytes = 0;
    for stream in idle {
        let (updates, end) = tokio::time::timeout(Duration::from_secs(120), to_the_end(stream)).await.unwrap();
        assert_eq!(end.revision, game.revision);
        let got: Vec<_> = updates.iter().map(|update| update.record_hash.clone()).collect();
        assert_eq!(got, hashes);
        bytes += updates.iter().map(prost::Message::encoded_len).sum::<usize>();
    }
    println!(
        "{WATCHERS} watchers of {} records ({bytes} bytes in all): {before} KiB before, {after} KiB after; played in \
         {taken:?}",
        game.revision
    );
    assert!(after < before + MAX_GROWTH_KIB, "the server grew from {before} to {after} KiB");
    server.stop();
}
