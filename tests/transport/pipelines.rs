//! Clients that send as fast as they can are held back by flow control, and lose nothing.

use divelog_proto::v1 as pb;
use divelog_tests::Server;
use divelog_tests::player::new_game;

use super::{call, connect, framed, read, roomy, send};
use crate::api::{dive, submit};
use crate::faults::PATIENCE;

const STREAMS: usize = 6;
const MESSAGES: usize = 50_000;

/// As gRPC for Go and Python send: each message in a frame of its own, on streams of one connection. Most are refused, which
/// costs the server more than it costs the sender.
#[tokio::test(flavor = "multi_thread")]
async fn six_unthrottled_streams_of_small_frames_are_answered_to_the_last_message() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = server.games().await.create_game(new_game(3)).await.unwrap().into_inner().game.unwrap();
    let mut requests = connect(&server, &roomy()).await;
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
        tokio::time::timeout(10 * PATIENCE, sending).await.expect("the server reads on").unwrap().unwrap();
        let end = tokio::time::timeout(10 * PATIENCE, reading).await.expect("everything is answered").unwrap();
        assert_eq!(end.unwrap(), (MESSAGES, "0".to_owned()));
    }
    server.stop();
}
