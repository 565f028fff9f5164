//! Clients that send as fast as they can are held back by flow control, and lose nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};

use bytes::Bytes;
use divelog_proto::v1 as pb;
use divelog_tests::Server;
use divelog_tests::player::new_game;
use h2::Ping;
use h2::client::SendRequest;
use tokio::net::TcpStream;
use tonic::transport::Endpoint;

use super::{address, call, connect, framed, games, read, send, with_large_windows};
use crate::api::{dive, submit};
use crate::faults::TIMEOUT;

const STREAMS: usize = 6;
const MESSAGES: usize = 50_000;

async fn game(server: &Server) -> pb::Game {
    server.games().await.create_game(new_game(3)).await.unwrap().into_inner().game.unwrap()
}

/// Streams on one connection, each message in a frame of its own. Most are refused, which costs the server more than it costs
/// the sender. Everything is answered.
async fn all_are_answered(mut requests: SendRequest<Bytes>, game: &pb::Game) {
    let mut streams = Vec::new();
    for _ in 0..STREAMS {
        requests = requests.ready().await.unwrap();
        let (response, mut body) = call(&mut requests, "GameService", "SubmitActions").unwrap();
        let action = Some(submit(&game.game_id, 0, dive()));
        let sending = tokio::spawn(async move {
            for tag in 0..MESSAGES {
                let message = pb::SubmitActionsRequest { tag: tag as u64, action: action.clone() };
                send(&mut body, framed(&message), tag + 1 == MESSAGES).await?;
            }
            Ok::<(), h2::Error>(())
        });
        let reading = tokio::spawn(async move { read(response.await?.into_body()).await });
        streams.push((sending, reading));
    }
    for (sending, reading) in streams {
        tokio::time::timeout(10 * TIMEOUT, sending).await.expect("the server reads on").unwrap().unwrap();
        let end = tokio::time::timeout(10 * TIMEOUT, reading).await.expect("everything is answered").unwrap();
        assert_eq!(end.unwrap(), (MESSAGES, "0".to_owned()));
    }
}

/// As gRPC for Go and Python send.
#[tokio::test(flavor = "multi_thread")]
async fn six_unthrottled_streams_of_small_frames_are_answered_to_the_last_message() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = game(&server).await;
    all_are_answered(connect(&server, &with_large_windows()).await, &game).await;
    server.stop();
}

/// gRPC for Go also measures the line by a PING in every round trip.
#[tokio::test(flavor = "multi_thread")]
async fn six_unthrottled_streams_beside_a_ping_in_every_round_trip_are_answered_to_the_last_message() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = game(&server).await;
    let socket = TcpStream::connect(address(&server)).await.unwrap();
    socket.set_nodelay(true).unwrap();
    let (requests, mut connection) = with_large_windows().handshake(socket).await.unwrap();
    let mut pings = connection.ping_pong().unwrap();
    let connection = tokio::spawn(connection);
    let answered = Arc::new(AtomicUsize::new(0));
    let pinging = tokio::spawn({
        let answered = Arc::clone(&answered);
        async move {
            while pings.ping(Ping::opaque()).await.is_ok() {
                answered.fetch_add(1, SeqCst);
            }
        }
    });
    all_are_answered(requests, &game).await;
    let answered = answered.load(SeqCst);
    println!("{answered} pings");
    // A round trip takes as long as everything that is before it.
    assert!(answered > 5, "{answered} pings were answered");
    pinging.abort();
    connection.abort();
    server.stop();
}

/// A Rust client that sends and does not read is not read from either; when it reads, everything is there, in order.
#[tokio::test(flavor = "multi_thread")]
async fn unthrottled_tonic_streams_are_slowed_down_and_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = game(&server).await;
    let endpoint = Endpoint::from_shared(server.url().to_owned()).unwrap().initial_stream_window_size(64 * 1024);
    let mut client = games(endpoint.connect().await.unwrap());
    let sent: Arc<[AtomicU64; STREAMS]> = Arc::default();
    let mut streams = Vec::new();
    for stream in 0..STREAMS {
        let (sent, action) = (Arc::clone(&sent), Some(submit(&game.game_id, 0, dive())));
        let requests = (0..MESSAGES as u64).map(move |tag| {
            sent[stream].store(tag + 1, SeqCst);
            pb::SubmitActionsRequest { tag, action: action.clone() }
        });
        streams.push(client.submit_actions(tokio_stream::iter(requests)).await.unwrap().into_inner());
    }
    let counts = || -> Vec<u64> { sent.iter().map(|sent| sent.load(SeqCst)).collect() };
    let mut other = server.games().await;
    let held_back = async {
        let mut before = counts();
        loop {
            // Nobody says that a sender is held back: it sends no more while the server answers somebody else a thousand times.
            for _ in 0..1_000 {
                let get = pb::GetGameRequest { game_id: game.game_id.clone(), viewer: None };
                other.get_game(get).await.unwrap();
            }
            let now = counts();
            if now == before && now.iter().all(|sent| *sent > 0) {
                return now;
            }
            before = now;
        }
    };
    let sent = tokio::time::timeout(10 * TIMEOUT, held_back).await.expect("they are held back");
    println!("held back after {sent:?}");
    assert!(sent.iter().all(|sent| *sent < MESSAGES as u64), "{sent:?}");
    let reading = streams.into_iter().map(|mut answers| {
        tokio::spawn(async move {
            let mut next = 0;
            while let Some(answer) = answers.message().await.unwrap() {
                assert_eq!(answer.tag, next);
                next += 1;
            }
            next
        })
    });
    for reading in reading.collect::<Vec<_>>() {
        let answered = tokio::time::timeout(10 * TIMEOUT, reading).await.expect("everything is answered").unwrap();
        assert_eq!(answered, MESSAGES as u64);
    }
    server.stop();
}
