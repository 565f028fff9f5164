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

use super::{first_laps, submit};

const PATIENCE: Duration = Duration::from_secs(60);

/// A stream that does one action at a time, and stays open.
struct Line {
    requests: mpsc::Sender<pb::SubmitActionsRequest>,
    answers: Streaming<pb::SubmitActionsResponse>,
}

impl Line {
    async fn open(server: &Server) -> Line {
        let (requests, outgoing) = mpsc::channel(1);
        let answers = server.games().await.submit_actions(ReceiverStream::new(outgoing)).await.unwrap().into_inner();
        Line { requests, answers }
    }

    async fn act(&mut self, action: pb::SubmitActionRequest) -> u64 {
        self.requests.send(pb::SubmitActionsRequest { tag: 7, action: Some(action) }).await.unwrap();
        let answer = tokio::time::timeout(PATIENCE, self.answers.message()).await.expect("an answer comes").unwrap();
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
        tables.push((Line::open(&server).await, first_laps(&game, 5), game.game_id));
    }
    let turns = tables[0].1.len();
    for first in (0..turns).step_by(3) {
        // Twice, because the first one may have to bring the game back from the log.
        for (line, actions, game_id) in &mut tables {
            for (turn, (seat, action)) in actions.iter().enumerate().skip(first).take(2) {
                assert_eq!(line.act(submit(game_id, *seat, action.clone())).await, turn as u64 + 2);
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
    let mut never_used = Line::open(&server).await;
    let mut line = Line::open(&server).await;
    for (turn, (seat, action)) in first_laps(&game, 1).into_iter().enumerate() {
        assert_eq!(line.act(submit(&game.game_id, seat, action)).await, turn as u64 + 2);
    }
    server.signal(Signal::TERM);
    for line in [&mut line, &mut never_used] {
        let end = tokio::time::timeout(PATIENCE, line.answers.message()).await.expect("the stream ends");
        assert!(end.unwrap().is_none(), "nothing was unanswered");
    }
    let status = tokio::task::spawn_blocking(move || server.wait()).await.unwrap();
    assert!(status.success(), "{status}");
}
