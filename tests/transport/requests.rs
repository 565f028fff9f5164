//! Requests that arrive slowly, in parts, or never completely.

use bytes::Bytes;
use divelog_proto::v1 as pb;
use divelog_proto::v1::game_service_client::GameServiceClient;
use divelog_tests::player::new_game;
use divelog_tests::{Player, Server};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;

use super::{call, connect, connect_unread, framed, read, send, status, with_large_windows};
use crate::api::{details_of, dive, submit};
use crate::faults::TIMEOUT;

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_comes_byte_by_byte_is_answered_like_any_other() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = server.games().await.create_game(new_game(3)).await.unwrap().into_inner().game.unwrap();
    let mut requests = connect(&server, &with_large_windows()).await;
    let action = submit(&game.game_id, game.to_act[0], dive());
    for (method, message) in [
        ("SubmitAction", framed(&action)),
        ("SubmitActions", framed(&pb::SubmitActionsRequest { tag: 1, action: Some(action.clone()) })),
    ] {
        let (response, mut body) = call(&mut requests, "GameService", method).unwrap();
        for byte in message {
            send(&mut body, Bytes::copy_from_slice(&[byte]), false).await.unwrap();
            tokio::task::yield_now().await;
        }
        // The end comes alone.
        send(&mut body, Bytes::new(), true).await.unwrap();
        let answered = async { read(response.await.unwrap().into_body()).await.unwrap() };
        let end = tokio::time::timeout(TIMEOUT, answered).await.expect("an answer");
        assert_eq!(end, (1, "0".to_owned()), "{method}");
    }
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_does_not_come_whole_ends_and_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 3, 1).await;
    let mut requests = connect(&server, &with_large_windows()).await;
    let whole = framed(&new_game(3));
    // Nothing at all, a part, and a part of a large message in a stream.
    let mut large = vec![0, 0, 3, 0, 0];
    large.resize(70_000, 0);
    let mut waiting = Vec::new();
    for (method, part) in
        [("CreateGame", Bytes::new()), ("CreateGame", whole.slice(..7)), ("SubmitActions", Bytes::from(large))]
    {
        let (response, mut body) = call(&mut requests, "GameService", method).unwrap();
        for at in (0..part.len()).step_by(16_000) {
            send(&mut body, part.slice(at..part.len().min(at + 16_000)), false).await.unwrap();
        }
        waiting.push((method, response, body));
    }
    player.play(10).await;
    for (method, response, body) in waiting {
        let end = tokio::time::timeout(TIMEOUT, status(response)).await.expect("an end");
        assert_eq!(end.unwrap(), (Code::DeadlineExceeded as i32).to_string(), "{method}");
        drop(body);
    }
    // What is whole is served meanwhile and afterwards.
    let (response, mut body) = call(&mut requests, "GameService", "CreateGame").unwrap();
    send(&mut body, whole, true).await.unwrap();
    assert_eq!(status(response).await.unwrap(), "0");
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_has_a_bound_of_open_streams_of_actions() {
    /// `ACTION_STREAMS` in the service.
    const MAX_STREAMS: usize = 512;
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut client = GameServiceClient::new(server.channel().await);
    let mut open = Vec::new();
    for _ in 0..MAX_STREAMS {
        let (requests, outgoing) = mpsc::channel(1);
        open.push((requests, client.submit_actions(ReceiverStream::new(outgoing)).await.unwrap()));
    }
    let status = client.submit_actions(tokio_stream::pending()).await.unwrap_err();
    assert_eq!((status.code(), details_of(&status).reason.as_str()), (Code::ResourceExhausted, "BUSY"), "{status:?}");
    assert!(details_of(&status).retry.is_some());
    // Of one connection: another one has its own, and calls of other kinds are served here too.
    server.games().await.submit_actions(tokio_stream::pending()).await.unwrap();
    Player::create(client.clone(), 3, 1).await.play(10).await;
    open.pop();
    let again = async {
        while let Err(status) = client.submit_actions(tokio_stream::pending()).await {
            assert_eq!(details_of(&status).reason, "BUSY");
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, again).await.expect("a place that is free");
    drop((open, client));
    server.stop();
}

/// The answer that waits for the caller keeps the server from asking for more: the large message behind it ends all the same.
#[tokio::test(flavor = "multi_thread")]
async fn large_messages_behind_unread_answers_give_their_room_back() {
    /// More than one connection has room for.
    const STREAMS: usize = 100;
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = server.games().await.create_game(new_game(3)).await.unwrap().into_inner().game.unwrap();
    let (mut requests, _widen, mut pings) = connect_unread(&server).await;
    let mut open = Vec::new();
    for tag in 0..STREAMS {
        requests = requests.ready().await.unwrap();
        let (response, mut body) = call(&mut requests, "GameService", "SubmitActions").unwrap();
        // Answered when it is on disk: the beginning of the next message was read by then.
        let action = pb::SubmitActionRequest {
            request_id: "the same".to_owned(),
            ..submit(&game.game_id, game.to_act[0], dive())
        };
        let mut bytes = framed(&pb::SubmitActionsRequest { tag: tag as u64, action: Some(action) }).to_vec();
        bytes.extend([0, 0, 4, 0, 0, 0x0a]);
        send(&mut body, Bytes::from(bytes), false).await.unwrap();
        open.push((response, body));
    }
    pings.ping(h2::Ping::opaque()).await.unwrap();
    // As much as there is room for, on the same connection, whole at last.
    let room = async {
        loop {
            let (response, mut body) = call(&mut requests, "GameService", "CreateGame").unwrap();
            let mut whole = vec![0, 0, 3, 0, 0];
            whole.resize(5 + 3 * 65_536, 0x0a);
            for piece in whole.chunks(16_000) {
                send(&mut body, Bytes::copy_from_slice(piece), piece.len() < 16_000).await.ok();
                tokio::task::yield_now().await;
            }
            if status(response).await.is_ok_and(|status| status != "8") {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, room).await.expect("the room is given back");
    drop(open);
    server.stop();
}
