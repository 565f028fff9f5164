//! What a stream of actions holds on to: the game it plays, and the server it plays on.

use std::time::Duration;

use divelog_proto::v1 as pb;
use divelog_tests::Server;
use divelog_tests::player::new_game;
use pb::submit_actions_response::Result as Answer;
use rustix::process::Signal;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;

use super::{details_of, first_laps, submit};

const TIMEOUT: Duration = Duration::from_secs(60);

/// A stream that does one action at a time, and stays open.
struct ActionStream {
    requests: mpsc::Sender<pb::SubmitActionsRequest>,
    answers: Streaming<pb::SubmitActionsResponse>,
}

impl ActionStream {
    async fn open(server: &Server) -> ActionStream {
        let (requests, outgoing) = mpsc::channel(1);
        let answers = server.games().await.submit_actions(ReceiverStream::new(outgoing)).await.unwrap().into_inner();
        ActionStream { requests, answers }
    }

    async fn act(&mut self, action: pb::SubmitActionRequest) -> u64 {
        self.requests.send(pb::SubmitActionsRequest { tag: 7, action: Some(action) }).await.unwrap();
        let answer = tokio::time::timeout(TIMEOUT, self.answers.message()).await.expect("an answer comes").unwrap();
        match answer.unwrap().result.unwrap() {
            Answer::Done(done) => done.revision,
            Answer::Failure(failure) => panic!("{failure:?}"),
        }
    }
}

/// With room for one game, each of several streams holds its own, and every third action comes by another way. A second
/// copy of a game would not know of the first one's actions, and would refuse what comes next.
#[tokio::test(flavor = "multi_thread")]
async fn a_game_is_in_memory_once_also_while_streams_hold_more_games_than_fit() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start_with(&dir.path().join("data"), &["--cache-games", "1"]);
    let mut client = server.games().await;
    let mut tables = Vec::new();
    for _ in 0..3 {
        let game = client.create_game(new_game(4)).await.unwrap().into_inner().game.unwrap();
        tables.push((ActionStream::open(&server).await, first_laps(&game, 5), game.game_id));
    }
    let turns = tables[0].1.len();
    for first in (0..turns).step_by(3) {
        // Twice, because the first one may have to bring the game back from the log.
        for (stream, actions, game_id) in &mut tables {
            for (turn, (seat, action)) in actions.iter().enumerate().skip(first).take(2) {
                assert_eq!(stream.act(submit(game_id, *seat, action.clone())).await, turn as u64 + 2);
            }
        }
        for (_, actions, game_id) in &tables {
            let Some((seat, action)) = actions.get(first + 2).cloned() else { continue };
            let done = client.submit_action(submit(game_id, seat, action)).await.unwrap().into_inner();
            assert_eq!(done.revision, first as u64 + 4);
        }
    }
    for (_, _, game_id) in &tables {
        let request = pb::VerifyGameRequest { game_id: game_id.clone() };
        assert!(server.audit().await.verify_game(request).await.unwrap().into_inner().verified);
    }
    drop((tables, client));
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_stream_ends_when_the_server_drains() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start_with(&dir.path().join("data"), &["--drain-seconds", "600"]);
    let game = server.games().await.create_game(new_game(3)).await.unwrap().into_inner().game.unwrap();
    let mut never_used = ActionStream::open(&server).await;
    let mut stream = ActionStream::open(&server).await;
    for (turn, (seat, action)) in first_laps(&game, 1).into_iter().enumerate() {
        assert_eq!(stream.act(submit(&game.game_id, seat, action)).await, turn as u64 + 2);
    }
    server.signal(Signal::TERM);
    for stream in [&mut stream, &mut never_used] {
        let end = tokio::time::timeout(TIMEOUT, stream.answers.message()).await.expect("the stream ends");
        // The caller may have sent more than the server has read, so it does not get the OK that everything was answered.
        assert_eq!(details_of(&end.unwrap_err()).reason, "SHUTTING_DOWN");
    }
    let status = tokio::task::spawn_blocking(move || server.wait()).await.unwrap();
    assert!(status.success(), "{status}");
}

/// Streams that are fed without a pause while the server is asked to stop: one that ends with OK has answered everything
/// that was sent to it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_a_stop_cuts_off_does_not_end_as_if_everything_were_answered() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start_with(&dir.path().join("data"), &["--drain-seconds", "600"]);
    let game = server.games().await.create_game(new_game(3)).await.unwrap().into_inner().game.unwrap();
    let mut streams = Vec::new();
    for _ in 0..8 {
        let (requests, outgoing) = mpsc::channel(64);
        let mut answers =
            server.games().await.submit_actions(ReceiverStream::new(outgoing)).await.unwrap().into_inner();
        let game_id = game.game_id.clone();
        let (fed, feeding) = tokio::sync::oneshot::channel();
        let sending = tokio::spawn(async move {
            let mut fed = Some(fed);
            for tag in 1.. {
                // Refused or not: each is answered.
                let action = Some(submit(&game_id, 0, super::dive()));
                if requests.send(pb::SubmitActionsRequest { tag, action }).await.is_err() {
                    return tag - 1;
                }
                if tag == 1_000 {
                    fed.take().map(|fed| fed.send(()));
                }
            }
            unreachable!("the stream ends")
        });
        let reading = tokio::spawn(async move {
            let mut answered = 0;
            loop {
                match answers.message().await {
                    Ok(Some(_)) => answered += 1,
                    Ok(None) => return (answered, None),
                    Err(status) => return (answered, Some(status)),
                }
            }
        });
        streams.push((sending, reading, feeding));
    }
    for (_, _, feeding) in &mut streams {
        tokio::time::timeout(TIMEOUT, feeding).await.expect("the stream is fed").unwrap();
    }
    server.signal(Signal::TERM);
    for (sending, reading, _) in streams {
        let (answered, end) = tokio::time::timeout(TIMEOUT, reading).await.expect("the stream ends").unwrap();
        let sent: u64 = tokio::time::timeout(TIMEOUT, sending).await.expect("the sender ends").unwrap();
        assert!(answered >= 1 && answered <= sent);
        // A caller who goes on sending may find the connection closed before the status arrives: an error all the same.
        assert!(end.is_some() || answered == sent, "OK says that everything was answered: {answered} of {sent}");
    }
    let status = tokio::task::spawn_blocking(move || server.wait()).await.unwrap();
    assert!(status.success(), "{status}");
}
