//! WatchGame: each record once and in order from any revision on, with what the viewer may see, as fast as the watcher reads.

mod slow_reader;
mod viewers;

use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};
use pb::watch_game_response::Message;
use tonic::Streaming;

/// A watch as it was asked for.
fn watch_of(game_id: &str) -> pb::WatchGameRequest {
    pb::WatchGameRequest { game_id: game_id.into(), ..Default::default() }
}

async fn open(player: &Player, request: pb::WatchGameRequest) -> Streaming<pb::WatchGameResponse> {
    player.client.clone().watch_game(request).await.unwrap().into_inner()
}

/// The next message that is not a heartbeat.
async fn next(stream: &mut Streaming<pb::WatchGameResponse>) -> Option<Message> {
    loop {
        match stream.message().await.unwrap()?.message.unwrap() {
            Message::Heartbeat(_) => {}
            message => return Some(message),
        }
    }
}

/// The next update.
async fn update(stream: &mut Streaming<pb::WatchGameResponse>) -> pb::Update {
    match next(stream).await {
        Some(Message::Update(update)) => update,
        other => panic!("no update: {other:?}"),
    }
}

/// Everything up to the end of a finished game: the updates, and how it ended.
async fn to_the_end(mut stream: Streaming<pb::WatchGameResponse>) -> (Vec<pb::Update>, pb::WatchEnd) {
    let mut updates = Vec::new();
    loop {
        match next(&mut stream).await {
            Some(Message::Update(update)) => updates.push(update),
            Some(Message::End(end)) => {
                assert!(stream.message().await.unwrap().is_none(), "something came after the end");
                return (updates, end);
            }
            other => panic!("{other:?}"),
        }
    }
}

/// The hashes of a game's records, from the log.
async fn record_hashes(server: &Server, game_id: &str) -> Vec<bytes::Bytes> {
    let request = pb::ReadLogRequest { game_id: game_id.into(), include_secret: false };
    let mut stream = server.audit().await.read_log(request).await.unwrap().into_inner();
    let mut hashes = Vec::new();
    while let Some(message) = stream.message().await.unwrap() {
        if let Some(pb::read_log_response::Message::Record(record)) = message.message {
            hashes.push(record.hash);
        }
    }
    hashes
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_from_any_revision_gets_exactly_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut server = Server::start(&data);
    let mut player = Player::create(server.games().await, 3, 2).await;
    // One who watches from the start, live.
    let live = open(&player, pb::WatchGameRequest { after_revision: Some(0), ..watch_of(&player.game_id) }).await;
    let live = tokio::spawn(to_the_end(live));
    player.play(usize::MAX).await;
    let (all, end) = live.await.unwrap();
    let game = player.game().await;
    assert_eq!(end.cause(), pb::watch_end::Cause::GameOver);
    assert_eq!(end.revision, game.revision);
    let hashes = record_hashes(&server, &player.game_id).await;
    assert_eq!(all.len(), hashes.len());
    for (at, (update, hash)) in all.iter().zip(&hashes).enumerate() {
        assert_eq!((update.revision, &update.record_hash), (at as u64 + 1, hash));
        assert_eq!(update.seat.is_none(), at == 0, "only set-up has no seat");
        assert!(update.view.is_none(), "views come only on demand");
        let last = at + 1 == all.len();
        let status = if last { pb::GameStatus::Finished } else { pb::GameStatus::Running };
        assert_eq!((update.status(), update.to_act.is_empty()), (status, last));
    }
    for restarted in [false, true] {
        if restarted {
            server.stop();
            server = Server::start(&data);
            player.client = server.games().await;
        }
        for after in 0..=game.revision {
            let request = pb::WatchGameRequest { after_revision: Some(after), ..watch_of(&player.game_id) };
            let (rest, end) = to_the_end(open(&player, request).await).await;
            assert_eq!(rest, all[after as usize..], "after revision {after}, restarted: {restarted}");
            assert_eq!((end.cause(), end.revision), (pb::watch_end::Cause::GameOver, game.revision));
        }
    }
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_in_the_middle_joins_past_and_present() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 2, 3).await;
    player.play(15).await;
    // Resumed at every revision of the past, while the game goes on.
    let mut watches = Vec::new();
    for after in 0..=16 {
        let request = pb::WatchGameRequest { after_revision: Some(after), ..watch_of(&player.game_id) };
        watches.push((after, tokio::spawn(to_the_end(open(&player, request).await))));
    }
    player.play(usize::MAX).await;
    let hashes = record_hashes(&server, &player.game_id).await;
    for (after, watch) in watches {
        let (updates, _) = watch.await.unwrap();
        let got: Vec<_> = updates.iter().map(|update| (update.revision, update.record_hash.clone())).collect();
        let expected: Vec<_> = (after + 1..).zip(hashes[after as usize..].iter().cloned()).collect();
        assert_eq!(got, expected, "after revision {after}");
    }
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_revision_it_begins_with_the_table() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 2, 4).await;
    player.play(9).await;
    let viewer = Some(pb::Viewer { role: pb::viewer::Role::Seat.into(), seat: 1 });
    let mut stream = open(&player, pb::WatchGameRequest { viewer, ..watch_of(&player.game_id) }).await;
    let Some(Message::Snapshot(snapshot)) = next(&mut stream).await else { panic!("no snapshot") };
    let get = pb::GetGameRequest { game_id: player.game_id.clone(), viewer };
    let shown = player.client.get_game(get).await.unwrap().into_inner();
    assert_eq!((snapshot.game, snapshot.view), (shown.game, shown.view));
    let done = player.step().await.unwrap().unwrap();
    let update = update(&mut stream).await;
    assert_eq!((update.revision, update.record_hash), (done.revision, done.record_hash));
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_game_shows_its_table_and_ends() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 2, 5).await;
    player.play(3).await;
    let abandon = pb::AbandonGameRequest { game_id: player.game_id.clone(), ..Default::default() };
    let request = pb::WatchGameRequest { after_revision: Some(4), ..watch_of(&player.game_id) };
    let running = tokio::spawn(to_the_end(open(&player, request).await));
    player.client.abandon_game(abandon).await.unwrap();
    let (updates, end) = running.await.unwrap();
    assert_eq!((updates.len(), updates[0].status()), (1, pb::GameStatus::Abandoned));
    assert_eq!((updates[0].seat, &updates[0].events, &updates[0].to_act), (None, &vec![], &vec![]));
    assert_eq!((end.cause(), end.revision), (pb::watch_end::Cause::GameOver, 5), "abandoned is over too");
    let mut stream = open(&player, watch_of(&player.game_id)).await;
    let Some(Message::Snapshot(snapshot)) = next(&mut stream).await else { panic!("no snapshot") };
    assert_eq!(snapshot.game.unwrap(), player.game().await);
    let (updates, end) = to_the_end(stream).await;
    assert_eq!((updates.len(), end.revision), (0, 5));
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_watch_sends_heartbeats() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 2, 6).await;
    player.play(2).await;
    let request = pb::WatchGameRequest { heartbeat_seconds: 1, after_revision: Some(3), ..watch_of(&player.game_id) };
    let mut stream = open(&player, request).await;
    for revision in [3, 3, 4, 4] {
        if revision == 4 && player.game().await.revision == 3 {
            player.play(1).await;
            assert_eq!(update(&mut stream).await.revision, 4);
        }
        match stream.message().await.unwrap().unwrap().message.unwrap() {
            Message::Heartbeat(heartbeat) => assert_eq!(heartbeat.revision, revision),
            other => panic!("{other:?}"),
        }
    }
    server.stop();
}
