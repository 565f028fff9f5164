//! A watch that is resumed at a server that came back has each record once and in order.

use bytes::Bytes;
use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};
use pb::watch_game_response::Message;
use tokio::sync::mpsc;

use crate::faults::{TIMEOUT, reconcile};

type Seen = Vec<(u64, Bytes)>;

/// Follows a game from where `seen` ends until the server is gone; sends each new revision.
async fn follow(server: &Server, game_id: &str, mut seen: Seen, revisions: mpsc::UnboundedSender<u64>) -> WatchTask {
    let after_revision = Some(seen.last().map_or(0, |(revision, _)| *revision));
    let request = pb::WatchGameRequest { game_id: game_id.to_owned(), after_revision, ..Default::default() };
    let mut news = server.games().await.watch_game(request).await.unwrap().into_inner();
    tokio::spawn(async move {
        // The error is the killed server's; whether anything was missed is compared at the end.
        while let Ok(Some(message)) = news.message().await {
            match message.message.unwrap() {
                Message::Update(update) => {
                    seen.push((update.revision, update.record_hash));
                    revisions.send(update.revision).ok();
                }
                Message::Heartbeat(_) => {}
                Message::End(end) => assert_eq!(end.revision, seen.last().unwrap().0),
                Message::Snapshot(_) => panic!("a resumed watch has no snapshot"),
            }
        }
        seen
    })
}

type WatchTask = tokio::task::JoinHandle<Seen>;

async fn until(revisions_seen: &mut mpsc::UnboundedReceiver<u64>, revision: u64) {
    let wait = async { while revisions_seen.recv().await.expect("the watch goes on") < revision {} };
    tokio::time::timeout(TIMEOUT, wait).await.expect("the watch does not get there");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_resumed_across_restarts_has_no_gap_and_no_repeat() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut server = Server::start(&data);
    let mut player = Player::create(server.games().await, 6, 7).await;
    let mut seen = Seen::new();
    // More records than a server keeps in memory for watchers come before, during and after each watch, so that it is
    // served from the log, from memory, and from one after the other.
    for restart in 0..6 {
        player.client = server.games().await;
        player.play(restart % 3 * 10).await;
        let (revisions, mut revisions_seen) = mpsc::unbounded_channel();
        let watch = follow(&server, &player.game_id, seen, revisions).await;
        player.play(3).await;
        if restart % 2 == 0 {
            // Otherwise the watch is cut off somewhere on its way.
            until(&mut revisions_seen, player.game().await.revision).await;
        }
        match restart {
            3 => server.stop(),
            _ => server.kill(),
        }
        seen = watch.await.unwrap();
        server = Server::start(&data);
    }
    player.client = server.games().await;
    let revision = player.game().await.revision;
    let (revisions, mut revisions_seen) = mpsc::unbounded_channel();
    let watch = follow(&server, &player.game_id, seen.clone(), revisions).await;
    if seen.last().unwrap().0 < revision {
        until(&mut revisions_seen, revision).await;
    }
    let log = reconcile::read_log(&mut server.audit().await, &player.game_id).await;
    server.kill();
    seen = watch.await.unwrap();
    let logged: Seen = (1..).zip(log.hashes).collect();
    assert_eq!(seen, logged);
    assert!(revision > 50, "{revision}");
}
