//! A caller's deadline is honoured by the server itself: a call that has run out of time ends, and the server goes on.
//!
//! The clients of tonic and gRPC also count the time themselves, so these calls are made directly on HTTP/2.

use std::collections::BTreeSet;

use bytes::Bytes;
use divelog_proto::v1 as pb;
use divelog_tests::player::new_game;
use divelog_tests::{Player, Server};
use h2::SendStream;
use h2::client::{ResponseFuture, SendRequest};
use http::{Method, Request, Version};
use prost::Message;
use tonic::Code;

use super::{dive, submit};
use crate::faults::TIMEOUT;

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

/// What came back of a call.
struct Reply {
    code: i32,
    sentence: String,
    /// The messages in their frames.
    body: Vec<u8>,
}

impl Reply {
    /// Whether the server has ended the call because its time was over.
    fn is_cut_off(&self) -> bool {
        [Code::Cancelled as i32, Code::DeadlineExceeded as i32].contains(&self.code)
    }

    /// The one message of a call that was done.
    #[track_caller]
    fn message<M: Message + Default>(&self) -> M {
        assert_eq!(self.code, 0, "{}", self.sentence);
        // One byte says that it is not compressed, four how long it is.
        M::decode(&self.body[5..]).unwrap()
    }
}

/// Begins a call to GameService with a deadline that this client ignores. The request is still to be sent.
async fn begin(client: SendRequest<Bytes>, method: &str, timeout: &str) -> (ResponseFuture, SendStream<Bytes>) {
    let request = Request::builder()
        .method(Method::POST)
        .version(Version::HTTP_2)
        .uri(format!("http://divelog/divelog.v1.GameService/{method}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("grpc-timeout", timeout)
        .body(())
        .unwrap();
    client.ready().await.unwrap().send_request(request, false).unwrap()
}

/// Waits for the end of a call, however long the server takes.
async fn end(response: ResponseFuture) -> Reply {
    let response = response.await.unwrap();
    let mut headers = response.headers().clone();
    let (mut stream, mut body) = (response.into_body(), Vec::new());
    while let Some(data) = stream.data().await {
        let data = data.unwrap();
        stream.flow_control().release_capacity(data.len()).unwrap();
        body.extend(data);
    }
    if let Some(trailers) = stream.trailers().await.unwrap() {
        headers.extend(trailers);
    }
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    let code = text("grpc-status").unwrap().parse().unwrap();
    Reply { code, sentence: text("grpc-message").unwrap_or_default(), body }
}

/// A whole call.
async fn call(client: SendRequest<Bytes>, method: &str, timeout: &str, message: &impl Message) -> Reply {
    let (response, mut body) = begin(client, method, timeout).await;
    let message = message.encode_to_vec();
    let mut frame = vec![0];
    frame.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
    frame.extend(message);
    // The server may have answered before it took the body.
    drop(body.send_data(Bytes::from(frame), true));
    end(response).await
}

/// The server cannot be done with a call whose request does not come, so it is the deadline that ends it, on a machine of
/// any speed.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_cannot_be_answered_ends_at_its_deadline() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let client = connect(&server).await;
    for (method, timeout) in [
        ("CreateGame", "1n"),
        ("SubmitAction", "1n"),
        ("SubmitAction", "50m"),
        ("GetGame", "1S"),
        ("ListGames", "999u"),
    ] {
        // Held until the end: dropping it would cancel the call.
        let (response, _request) = begin(client.clone(), method, timeout).await;
        let ended = tokio::time::timeout(TIMEOUT, end(response)).await;
        let ended = ended.unwrap_or_else(|_| panic!("{method} does not end, with {timeout} to do it in"));
        assert!(ended.is_cut_off(), "{method}: {} {}", ended.code, ended.sentence);
    }
    // Others are served as before.
    let created: pb::CreateGameResponse = call(client, "CreateGame", "60S", &new_game(2)).await.message();
    assert!(created.game.is_some());
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_without_time_ends_and_the_server_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 2, 1).await;
    let client = connect(&server).await;
    let seat = player.game().await.to_act[0];
    let action = pb::SubmitActionRequest { request_id: "once".into(), ..submit(&player.game_id, seat, dive()) };
    let mut answers: Vec<pb::SubmitActionResponse> = Vec::new();
    for _ in 0..20 {
        // A nanosecond: over before the record can be on disk. It may be done all the same, as with any lost answer, and
        // whoever is answered is answered as the first time.
        let reply = call(client.clone(), "SubmitAction", "1n", &action).await;
        if !reply.is_cut_off() {
            answers.push(reply.message());
        }
    }
    let nothing = call(client.clone(), "SubmitAction", "1n", &pb::SubmitActionRequest::default()).await;
    let refused = Code::InvalidArgument as i32;
    assert!(nothing.is_cut_off() || nothing.code == refused, "{} {}", nothing.code, nothing.sentence);
    // The same call with time enough: the request id makes it one action.
    answers.push(call(client.clone(), "SubmitAction", "60S", &action).await.message());
    assert_eq!(answers[0].revision, 2);
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(player.game().await.revision, 2, "the action was done once");
    player.play(usize::MAX).await;
    server.stop();
}

/// Whether a call without time is done or cut off is the machine's affair (`api/door/tests.rs` brings about either). Nothing
/// may be half done: each creation, repeated with time enough, has made exactly one game, the one that was answered if there
/// was an answer.
#[tokio::test(flavor = "multi_thread")]
async fn each_of_many_calls_without_time_is_done_once() {
    const CALLS: usize = 300;
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let client = connect(&server).await;
    let calls: Vec<_> = (0..CALLS)
        .map(|number| {
            let client = client.clone();
            let request = pb::CreateGameRequest { request_id: format!("creation-{number}"), ..new_game(2) };
            tokio::spawn(async move {
                let hasty = call(client.clone(), "CreateGame", "1n", &request).await;
                let patient = call(client, "CreateGame", "60S", &request).await;
                (hasty, patient)
            })
        })
        .collect();
    let mut games = BTreeSet::new();
    for made in calls {
        let (hasty, patient) = made.await.unwrap();
        let game_id = |reply: &Reply| reply.message::<pb::CreateGameResponse>().game.unwrap().game_id;
        let game = game_id(&patient);
        if !hasty.is_cut_off() {
            assert_eq!(game_id(&hasty), game);
        }
        assert!(games.insert(game), "two creations made one game");
    }
    let list = pb::ListGamesRequest { page_size: 1_000, ..Default::default() };
    let list = server.games().await.list_games(list).await.unwrap().into_inner();
    let listed: BTreeSet<String> = list.games.into_iter().map(|game| game.game_id).collect();
    assert_eq!(listed, games, "a creation that was cut off made a game of its own");
    server.stop();
}
