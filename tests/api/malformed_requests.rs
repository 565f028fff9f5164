//! Messages that cannot be read, and messages that are too large: reported like every other error, and on a stream with the
//! number of the message, after the answers to those before it.

use bytes::Bytes;
use divelog_proto::v1 as pb;
use divelog_tests::Server;
use divelog_tests::player::new_game;
use http::uri::PathAndQuery;
use prost::Message;
use tonic::client::Grpc;
use tonic::transport::Channel;
use tonic::{Code, Request};

use super::{details_of, first_laps, submit};
use crate::raw_codec::RawCodec;

/// Field 1 with a length of 100, and too few bytes after it.
const NOT_PROTOBUF: Bytes = Bytes::from_static(&[0x0a, 100, 1, 2, 3]);
const MAX_MESSAGE_BYTES: usize = 256 * 1024;

fn too_large() -> Bytes {
    Bytes::from(vec![0; MAX_MESSAGE_BYTES + 1])
}

async fn client(channel: &Channel) -> Grpc<Channel> {
    let mut client = Grpc::new(channel.clone());
    client.ready().await.unwrap();
    client
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_cannot_be_read_or_is_too_large_is_refused_with_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let channel = server.channel().await;
    let methods = [
        "/divelog.v1.GameService/CreateGame",
        "/divelog.v1.AuditService/VerifyGame",
        "/divelog.v1.TransparencyService/GetCheckpoint",
        "/divelog.v1.AdminService/Backup",
        "/grpc.health.v1.Health/Check",
    ];
    for method in methods {
        let path = PathAndQuery::from_static(method);
        let unreadable = client(&channel).await.unary(Request::new(NOT_PROTOBUF), path.clone(), RawCodec).await;
        let status = unreadable.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{method}: {status:?}");
        assert_eq!(details_of(&status).reason, "UNREADABLE_REQUEST", "{method}");
        assert!(status.message().contains("must be the protobuf message"), "{status:?}");
        // The health service has the transport's own limit.
        if method.starts_with("/divelog") {
            let status = client(&channel).await.unary(Request::new(too_large()), path, RawCodec).await.unwrap_err();
            assert_eq!(status.code(), Code::InvalidArgument, "{method}: {status:?}");
            let details = details_of(&status);
            assert_eq!(details.reason, "REQUEST_TOO_LARGE", "{method}");
            assert_eq!((details.metadata["bytes"].as_str(), details.metadata["most"].as_str()), ("262145", "262144"));
            assert!(status.message().contains("at most 262144 are taken"), "{status:?}");
        }
    }
    assert!(!server.log().contains("ERROR"), "what callers send is no fault of the server: {}", server.log());
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_the_number_of_the_message_after_answering_those_before() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let channel = server.channel().await;
    for (bad, reason) in [(NOT_PROTOBUF, "UNREADABLE_REQUEST"), (too_large(), "REQUEST_TOO_LARGE")] {
        let game = server.games().await.create_game(new_game(3)).await.unwrap().into_inner().game.unwrap();
        let good = first_laps(&game, 1).into_iter().zip(0..).map(|((seat, action), tag)| {
            let action = Some(submit(&game.game_id, seat, action));
            Bytes::from(pb::SubmitActionsRequest { tag, action }.encode_to_vec())
        });
        let mut messages: Vec<Bytes> = good.take(3).collect();
        messages.insert(2, bad);
        let path = PathAndQuery::from_static("/divelog.v1.GameService/SubmitActions");
        let request = Request::new(tokio_stream::iter(messages));
        let mut answers = client(&channel).await.streaming(request, path, RawCodec).await.unwrap().into_inner();
        for tag in 0..2 {
            let answer = pb::SubmitActionsResponse::decode(answers.message().await.unwrap().unwrap()).unwrap();
            assert_eq!(answer.tag, tag);
            assert!(matches!(answer.result, Some(pb::submit_actions_response::Result::Done(_))), "{answer:?}");
        }
        let status = answers.message().await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
        let details = details_of(&status);
        assert_eq!((details.reason.as_str(), details.metadata["message"].as_str()), (reason, "3"));
        assert!(status.message().starts_with("message 3 of the stream "), "{status:?}");
    }
    server.stop();
}
