//! What callers leave half sent or unread takes a bounded part of the server's memory, and slows nobody else down.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use divelog_proto::v1 as pb;
use divelog_tests::player::new_game;
use divelog_tests::{Player, Server};
use h2::Ping;
use tokio::task::JoinSet;

use super::{call, connect, connect_unread, framed, memory, read, send, status, with_large_windows};
use crate::faults::TIMEOUT;

/// What any of these may add to what the server has otherwise, in MiB (docs/operating.md).
const BOUND: u64 = 256;

/// Games with as many labels as a game may have.
async fn heavy_games(server: &Server, count: usize) {
    let client = server.games().await;
    for _ in 0..count / 100 {
        let calls = (0..100).map(|_| {
            let mut client = client.clone();
            let mut request = new_game(3);
            request.labels = (0..16).map(|at| (format!("{at:064}"), format!("{at:064}"))).collect();
            tokio::spawn(async move { client.create_game(request).await })
        });
        for call in calls.collect::<Vec<_>>() {
            call.await.unwrap().unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_lists_of_games_wait_until_they_are_read() {
    const CALLS: usize = 1_200;
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    heavy_games(&server, 1_000).await;
    let mut player = Player::create(server.games().await, 3, 1).await;
    let (before, _) = memory(&server);
    let (mut requests, widen, mut pings) = connect_unread(&server).await;
    let list = pb::ListGamesRequest { page_size: 1_000, ..Default::default() };
    let mut responses = Vec::new();
    for _ in 0..CALLS {
        requests = requests.ready().await.unwrap();
        let (response, mut body) = call(&mut requests, "GameService", "ListGames").unwrap();
        send(&mut body, framed(&list), true).await.unwrap();
        responses.push(response);
    }
    pings.ping(Ping::opaque()).await.unwrap();
    // Others are served, lists too. Lists are made in the order in which their calls began, so those are made by now.
    tokio::time::timeout(10 * TIMEOUT, player.client.list_games(list)).await.expect("a list").unwrap();
    tokio::time::timeout(TIMEOUT, player.play(10)).await.expect("play goes on");
    let (now, most) = memory(&server);
    println!("{CALLS} unread lists: {before} MiB before, {now} MiB, at most {most} MiB");
    assert!(most < before + BOUND, "the server grew from {before} to {most} MiB");
    // Those that had room have their answers as soon as they are read; those that had none for too long come again.
    widen.send(1 << 20).unwrap();
    let mut answered = 0;
    for response in responses {
        let end = async {
            let response = response.await.unwrap();
            match response.headers().get("grpc-status") {
                Some(status) => (0, status.to_str().unwrap().to_owned()),
                None => read(response.into_body()).await.unwrap(),
            }
        };
        match tokio::time::timeout(10 * TIMEOUT, end).await.expect("an answer") {
            (1, end) if end == "0" => answered += 1,
            end => assert_eq!(end, (0, "8".to_owned())),
        }
    }
    assert!(answered > 10, "{answered} were answered");
    let (_, most) = memory(&server);
    assert!(most < before + BOUND, "the server grew from {before} to {most} MiB");
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn half_sent_requests_take_a_bounded_room_and_give_it_back() {
    const CALLS: usize = 3_000;
    const BYTES: usize = 250_000;
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 3, 1).await;
    let (before, _) = memory(&server);
    // A message of so many bytes, and most of it.
    let mut half = vec![0];
    half.extend((BYTES as u32).to_be_bytes());
    half.resize(BYTES - 1_000, 0x0a);
    let half = bytes::Bytes::from(half);
    let mut requests = connect(&server, &with_large_windows()).await;
    let mut ends = Vec::new();
    for _ in 0..CALLS {
        requests = requests.ready().await.unwrap();
        let (response, mut body) = call(&mut requests, "GameService", "CreateGame").unwrap();
        let half = half.clone();
        ends.push(tokio::spawn(async move {
            // The server may refuse it before it has come.
            for at in (0..half.len()).step_by(16_000) {
                let piece = half.slice(at..half.len().min(at + 16_000));
                if send(&mut body, piece, false).await.is_err() {
                    break;
                }
            }
            let end = status(response).await;
            drop(body);
            end
        }));
    }
    tokio::time::timeout(TIMEOUT, player.play(10)).await.expect("play goes on");
    // Exhausted where there was no room, and a deadline where there was.
    let mut kinds = std::collections::BTreeMap::<String, usize>::new();
    for end in ends {
        let end = tokio::time::timeout(10 * TIMEOUT, end).await.expect("an end").unwrap();
        *kinds.entry(end.unwrap()).or_default() += 1;
    }
    assert_eq!(kinds.keys().collect::<Vec<_>>(), ["4", "8"], "{kinds:?}");
    let (now, most) = memory(&server);
    println!("{CALLS} half-sent requests: {before} MiB before, {now} MiB, at most {most} MiB; {kinds:?}");
    assert!(most < before + BOUND, "the server grew from {before} to {most} MiB");
    // All of it is there again: as many bytes as one connection may hold, in requests that do come whole.
    for _ in 0..16 {
        let (response, mut body) = call(&mut requests, "GameService", "CreateGame").unwrap();
        let mut whole = half.to_vec();
        whole.resize(5 + BYTES, 0x0a);
        for piece in whole.chunks(16_000) {
            send(&mut body, bytes::Bytes::copy_from_slice(piece), false).await.unwrap();
        }
        send(&mut body, bytes::Bytes::new(), true).await.unwrap();
        let end = tokio::time::timeout(TIMEOUT, status(response)).await.expect("an answer").unwrap();
        assert!(!["0", "4", "8"].contains(&end.as_str()), "it is no creation, and there is room to say so: {end}");
    }
    player.play(usize::MAX).await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_creations_wait_until_they_are_read() {
    const CALLS: usize = 9_000;
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 3, 1).await;
    let (before, _) = memory(&server);
    let (mut requests, widen, mut pings) = connect_unread(&server).await;
    let mut creation = new_game(6);
    creation.labels = (0..16).map(|at| (format!("{at:064}"), format!("{at:064}"))).collect();
    let creation = framed(&creation);
    let mut responses = Vec::new();
    for _ in 0..CALLS {
        requests = requests.ready().await.unwrap();
        let (response, mut body) = call(&mut requests, "GameService", "CreateGame").unwrap();
        send(&mut body, creation.clone(), true).await.unwrap();
        responses.push(response);
    }
    pings.ping(Ping::opaque()).await.unwrap();
    tokio::time::timeout(TIMEOUT, player.play(30)).await.expect("play goes on");
    let (now, most) = memory(&server);
    println!("{CALLS} unread creations: {before} MiB before, {now} MiB, at most {most} MiB");
    assert!(most < before + BOUND, "the server grew from {before} to {most} MiB");
    widen.send(1 << 20).unwrap();
    // Those for which there was no room, not even to wait, were refused.
    let (mut created, mut busy) = (0, 0);
    for response in responses {
        let end = tokio::time::timeout(10 * TIMEOUT, status(response)).await.expect("an answer").unwrap();
        match end.as_str() {
            "0" => created += 1,
            "8" => busy += 1,
            other => panic!("{other}"),
        }
    }
    assert!(created >= 1_000 && created + busy == CALLS, "{created} were created, {busy} were refused");
    server.stop();
}

/// A watch that waits takes little, however much it has sent before.
#[tokio::test(flavor = "multi_thread")]
async fn idle_watches_take_little_memory() {
    const CONNECTIONS: usize = 4;
    const WATCHES: usize = 1_000;
    const UPDATES: usize = 100;
    /// Of the server's memory for each watch, in KiB (docs/operating.md).
    const MOST: u64 = 12;
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 6, 1).await;
    player.play(10).await;
    let (before, _) = memory(&server);
    let request = pb::WatchGameRequest {
        game_id: player.game_id.clone(),
        include_views: true,
        heartbeat_seconds: 3_600,
        ..Default::default()
    };
    let updated = Arc::new(AtomicUsize::new(0));
    let mut watches = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let client = server.games().await;
        for _ in 0..WATCHES {
            let (mut client, request, updated) = (client.clone(), request.clone(), Arc::clone(&updated));
            watches.spawn(async move {
                let mut updates = client.watch_game(request).await.unwrap().into_inner();
                while updates.message().await.unwrap().is_some() {
                    updated.fetch_add(1, SeqCst);
                }
            });
        }
    }
    let all_told = async |messages: usize| {
        let wanted = messages * CONNECTIONS * WATCHES;
        let waiting = async {
            while updated.load(SeqCst) < wanted {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(10 * TIMEOUT, waiting).await.expect("everybody gets the update");
    };
    // The snapshot first.
    all_told(1).await;
    for update in 1..=UPDATES {
        player.play(1).await;
        all_told(1 + update).await;
    }
    let (now, most) = memory(&server);
    let each = (now - before) * 1024 / (CONNECTIONS * WATCHES) as u64;
    println!("{} watches: {before} MiB before, {now} MiB, at most {most} MiB: {each} KiB each", CONNECTIONS * WATCHES);
    assert!(each < MOST, "a watch takes {each} KiB: the server has grown from {before} to {now} MiB");
    watches.abort_all();
    while watches.join_next().await.is_some() {}
    server.stop();
}
