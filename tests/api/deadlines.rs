//! A caller's deadline is honoured by the server itself: a call that has run out of time ends, and the server goes on.
//!
//! The clients of tonic and gRPC also count the time themselves, so these calls are made by hand, on plain HTTP/2.

use bytes::Bytes;
use divelog_proto::v1 as pb;
use divelog_tests::player::new_game;
use divelog_tests::{Player, Server};
use h2::client::SendRequest;
use http::{Method, Request, Version};
use prost::Message;

use super::{dive, submit};

/// A plain HTTP/2 connection.
async fn connect(server: &Server) -> SendRequest<Bytes> {
    let address = server.url().strip_prefix("http://").unwrap();
    let tcp = tokio::net::TcpStream::connect(address).await.unwrap();
    // Room for hundreds of small answers at once: by default this client takes them for an attack.
    let mut builder = h2::client::Builder::new();
    let (client, connection) = builder.data_frame_budget(1 << 24).handshake(tcp).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Calls a method of GameService with a deadline that this client ignores, and gives the gRPC status.
async fn call(client: SendRequest<Bytes>, method: &str, timeout: &str, message: &impl Message) -> (i32, String) {
    let request = Request::builder()
        .method(Method::POST)
        .version(Version::HTTP_2)
        .uri(format!("http://divelog/divelog.v1.GameService/{method}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("grpc-timeout", timeout)
        .body(())
        .unwrap();
    let (response, mut body) = client.ready().await.unwrap().send_request(request, false).unwrap();
    let message = message.encode_to_vec();
    let mut frame = vec![0];
    frame.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
    frame.extend(message);
    // The server may have answered before it took the body.
    drop(body.send_data(Bytes::from(frame), true));
    let response = response.await.unwrap();
    let mut headers = response.headers().clone();
    let mut body = response.into_body();
    while let Some(data) = body.data().await {
        let size = data.unwrap().len();
        body.flow_control().release_capacity(size).unwrap();
    }
    if let Some(trailers) = body.trailers().await.unwrap() {
        headers.extend(trailers);
    }
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    (text("grpc-status").unwrap().parse().unwrap(), text("grpc-message").unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_without_time_ends_and_the_server_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 2, 1).await;
    let client = connect(&server).await;
    let seat = player.game().await.to_act[0];
    let action = pb::SubmitActionRequest { request_id: "once".into(), ..submit(&player.game_id, seat, dive()) };
    let (cancelled, deadline_exceeded) = (tonic::Code::Cancelled as i32, tonic::Code::DeadlineExceeded as i32);
    for _ in 0..20 {
        // A nanosecond: over before the record can be on disk. It may be done all the same, as with any lost answer.
        let (code, message) = call(client.clone(), "SubmitAction", "1n", &action).await;
        assert!(code == cancelled || code == deadline_exceeded || code == 0, "{code} {message}");
    }
    let (code, message) = call(client.clone(), "SubmitAction", "1n", &pb::SubmitActionRequest::default()).await;
    assert_ne!(code, 0, "{message}");
    // The same call with time enough: the request id makes it one action.
    let (code, message) = call(client.clone(), "SubmitAction", "60S", &action).await;
    assert_eq!(code, 0, "{message}");
    assert_eq!(player.game().await.revision, 2, "the action was done once");
    player.play(usize::MAX).await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_calls_without_time_some_are_cut_off() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let client = connect(&server).await;
    // A creation waits for the disk. One of them may be faster than the server's clock ticks, but not all of them.
    let mut calls = Vec::new();
    for _ in 0..500 {
        let client = client.clone();
        calls.push(tokio::spawn(async move { call(client, "CreateGame", "1n", &new_game(2)).await }));
    }
    let (mut done, mut cut) = (0, 0);
    for made in calls {
        match made.await.unwrap() {
            (0, _) => done += 1,
            (1 | 4, _) => cut += 1,
            (code, message) => panic!("{code} {message}"),
        }
    }
    assert!(cut > 0, "the server does not honour deadlines");
    let list = pb::ListGamesRequest { page_size: 1_000, ..Default::default() };
    let list = server.games().await.list_games(list).await.unwrap().into_inner();
    assert!((done..=done + cut).contains(&list.games.len()), "{done} done, {cut} cut off: {}", list.games.len());
    server.stop();
}
