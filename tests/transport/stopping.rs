//! A server that is asked to stop ends, whatever its clients leave half done.

use std::time::Duration;

use divelog_proto::v1 as pb;
use divelog_proto::v1::audit_service_client::AuditServiceClient;
use divelog_tests::{Player, Server};
use h2::Ping;
use h2::client::Builder;
use rustix::process::Signal;
use tokio::io::AsyncWriteExt;
use tonic::transport::Endpoint;

use super::{call, connect};
use crate::faults::TIMEOUT;

const CUT_OFF: &str = "calls were still running at the deadline";
const CLOSED: &str = "the store is synced and closed";

/// Stops the server and returns its log.
async fn stopped(server: Server) -> String {
    let log = server.data().with_extension("log");
    server.signal(Signal::TERM);
    let ended = tokio::task::spawn_blocking(move || server.wait());
    let status = tokio::time::timeout(TIMEOUT, ended).await.expect("the server ends").unwrap();
    let log = std::fs::read_to_string(log).unwrap();
    assert!(status.success(), "{log}");
    assert!(log.contains(CLOSED), "{log}");
    log
}

/// A call of which the rest never comes outlasts the drain, on a connection that is idle and on one that is busy.
#[tokio::test(flavor = "multi_thread")]
async fn calls_that_are_cut_off_do_not_keep_the_process() {
    for busy in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let server = Server::start_with(&dir.path().join("data"), &["--drain-seconds", "1"]);
        let mut requests = connect(&server, &Builder::new()).await;
        let mut half_sent = Vec::new();
        for _ in 0..3 {
            requests = requests.ready().await.unwrap();
            half_sent.push(call(&mut requests, "GameService", "GetGame").unwrap());
        }
        let pings = tokio::spawn(async move {
            let mut connection = h2_with_pings(&server).await;
            connection.ping(Ping::opaque()).await.unwrap();
            let server_ends = tokio::spawn(stopped(server));
            while busy && connection.ping(Ping::opaque()).await.is_ok() {}
            server_ends.await.unwrap()
        });
        let log = pings.await.unwrap();
        assert!(log.contains(CUT_OFF), "{log}");
        drop(half_sent);
    }
}

/// A connection of its own that can be pinged.
async fn h2_with_pings(server: &Server) -> h2::PingPong {
    let socket = tokio::net::TcpStream::connect(super::address(server)).await.unwrap();
    let (_requests, mut connection) = h2::client::handshake(socket).await.unwrap();
    let pings = connection.ping_pong().unwrap();
    tokio::spawn(async move {
        let _requests = _requests;
        drop(connection.await);
    });
    pings
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_that_nobody_reads_do_not_hold_up_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start_with(&dir.path().join("data"), &["--drain-seconds", "3600"]);
    let mut player = Player::create(server.games().await, 4, 2).await;
    player.play(60).await;
    let small = Endpoint::from_shared(server.url().to_owned()).unwrap().initial_stream_window_size(4_096);
    let mut audit = AuditServiceClient::new(small.connect().await.unwrap());
    let replay = pb::ReplayGameRequest {
        game_id: player.game_id.clone(),
        viewer: Some(pb::Viewer { role: pb::viewer::Role::Auditor.into(), seat: 0 }),
        include_all_views: true,
        ..Default::default()
    };
    let log = pb::ReadLogRequest { game_id: player.game_id.clone(), include_secret: false };
    let (mut replays, mut logs) = (Vec::new(), Vec::new());
    for _ in 0..16 {
        replays.push(audit.replay_game(replay.clone()).await.unwrap());
        logs.push(audit.read_log(log.clone()).await.unwrap());
    }
    // One that says nothing, also not that it has heard of the end.
    let mut silent = tokio::net::TcpStream::connect(super::address(&server)).await.unwrap();
    silent.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
    // One that is read goes on to its end.
    let mut reader = AuditServiceClient::new(server.channel().await);
    let mut read = reader.replay_game(replay).await.unwrap().into_inner();
    read.message().await.unwrap().unwrap();
    let server_log = tokio::spawn(stopped(server));
    let mut steps = 1;
    while let Some(_step) = tokio::time::timeout(Duration::from_secs(60), read.message()).await.unwrap().unwrap() {
        steps += 1;
    }
    assert!(steps > 60, "{steps} steps");
    let server_log = server_log.await.unwrap();
    assert!(!server_log.contains(CUT_OFF), "{server_log}");
    drop((replays, logs, silent));
}

/// A tool that browses the services keeps a stream open that says nothing.
#[tokio::test(flavor = "multi_thread")]
async fn an_idle_stream_of_reflection_does_not_hold_up_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start_with(&dir.path().join("data"), &["--drain-seconds", "3600"]);
    let mut requests = connect(&server, &Builder::new()).await;
    let path = "http://localhost/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    let request = http::Request::post(path).header("content-type", "application/grpc").header("te", "trailers");
    let (answer, mut sending) = requests.send_request(request.body(()).unwrap(), false).unwrap();
    // A request for the list of services.
    sending.send_data(bytes::Bytes::from_static(b"\0\0\0\0\x02\x3a\0"), false).unwrap();
    let mut answers = answer.await.unwrap().into_body();
    assert!(!answers.data().await.unwrap().unwrap().is_empty());
    let log = stopped(server).await;
    assert!(!log.contains(CUT_OFF), "{log}");
}
