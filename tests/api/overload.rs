//! More than the server takes is refused with BUSY and a time to wait, and nothing is lost or half done.

use divelog_proto::v1 as pb;
use divelog_proto::v1::game_service_client::GameServiceClient;
use divelog_tests::player::new_game;
use divelog_tests::{Player, Server};
use pb::submit_actions_response::Result as Answer;
use tonic::transport::Channel;
use tonic::{Code, Status};

use super::{details_of, first_laps, submit};

/// After so many tries somebody must have met a full queue.
const MAX_TRIES: usize = 200;

#[track_caller]
fn assert_busy(status: &Status) {
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    let details = details_of(status);
    assert_eq!(details.reason, "BUSY");
    assert!(details.retry.unwrap().retry_delay.unwrap().nanos > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn as_many_watches_as_allowed_and_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start_with(&dir.path().join("data"), &["--max-watchers", "2"]);
    let mut player = Player::create(server.games().await, 2, 1).await;
    let request = pb::WatchGameRequest { game_id: player.game_id.clone(), ..Default::default() };
    let first = player.client.watch_game(request.clone()).await.unwrap();
    let second = player.client.watch_game(request.clone()).await.unwrap();
    assert_busy(&player.client.watch_game(request.clone()).await.unwrap_err());
    player.play(1).await;
    drop(first);
    // The place is free once the server has noticed; a caller does what BUSY says and tries again.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while let Err(status) = player.client.watch_game(request.clone()).await {
        assert_busy(&status);
        assert!(std::time::Instant::now() < deadline, "a closed watch keeps its place");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    drop(second);
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_full_queue_callers_get_busy_and_nothing_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start_with(&dir.path().join("data"), &["--queue", "1"]);
    let client = server.games().await;
    // Creations, all at once, until the one place in the queue was taken for one of them.
    let (mut games, mut busy) = (Vec::new(), 0);
    for _ in 0..MAX_TRIES {
        let calls: Vec<_> = (0..100)
            .map(|_| {
                let mut client = client.clone();
                tokio::spawn(async move { client.create_game(new_game(4)).await })
            })
            .collect();
        for call in calls {
            match call.await.unwrap() {
                Ok(created) => games.push(created.into_inner().game.unwrap()),
                Err(status) => {
                    assert_busy(&status);
                    busy += 1;
                }
            }
        }
        if busy > 0 {
            break;
        }
    }
    assert!(busy > 0, "no call ever met a full queue of 1");
    assert_eq!(count_games(client.clone()).await, games.len(), "who was refused with BUSY has created nothing");

    // Streams of many games at once are not read any more until there is room: everything is done, in order.
    let streams: Vec<_> =
        games.iter().take(STREAMS).map(|game| tokio::spawn(plays(client.clone(), game.clone()))).collect();
    for stream in streams {
        stream.await.unwrap();
    }
    let request = pb::VerifyGameRequest { game_id: games[0].game_id.clone() };
    assert!(server.audit().await.verify_game(request).await.unwrap().into_inner().verified);
    server.stop();
}

/// So many streams share the one place in the queue.
const STREAMS: usize = 20;

/// How many games there are, on all pages.
async fn count_games(mut client: GameServiceClient<Channel>) -> usize {
    let mut request = pb::ListGamesRequest { page_size: 1_000, ..Default::default() };
    let mut count = 0;
    loop {
        let page = client.list_games(request.clone()).await.unwrap().into_inner();
        count += page.games.len();
        if page.next_page_token.is_empty() {
            return count;
        }
        request.page_token = page.next_page_token;
    }
}

/// Sends a game's first actions at once. All of them are done.
async fn plays(mut client: GameServiceClient<Channel>, game: pb::Game) {
    let actions = first_laps(&game, 5);
    let expected: Vec<u64> = (2..).take(actions.len()).collect();
    let outgoing: Vec<_> = (1..)
        .zip(actions)
        .map(|(revision, (seat, action))| {
            let action =
                pb::SubmitActionRequest { expected_revision: Some(revision), ..submit(&game.game_id, seat, action) };
            pb::SubmitActionsRequest { tag: revision, action: Some(action) }
        })
        .collect();
    let mut stream = client.submit_actions(tokio_stream::iter(outgoing)).await.unwrap().into_inner();
    let mut done = Vec::new();
    while let Some(answer) = stream.message().await.unwrap() {
        match answer.result.unwrap() {
            Answer::Done(step) => done.push(step.revision),
            Answer::Failure(failure) => panic!("{failure:?}"),
        }
    }
    assert_eq!(done, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_stream_with_more_than_the_queue_takes_is_held_back_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start_with(&dir.path().join("data"), &["--queue", "64"]);
    let mut client = server.games().await;
    let mut games = Vec::new();
    for _ in 0..50 {
        games.push(client.create_game(new_game(4)).await.unwrap().into_inner().game.unwrap());
    }
    // One stream, all games, 2,000 actions as fast as they go.
    let laps: Vec<_> = games.iter().map(|game| (game, first_laps(game, 5))).collect();
    let outgoing: Vec<_> = (0..laps[0].1.len())
        .flat_map(|at| laps.iter().map(move |(game, actions)| (&game.game_id, actions[at].clone())))
        .zip(0..)
        .map(|((game_id, (seat, action)), tag)| pb::SubmitActionsRequest {
            tag,
            action: Some(submit(game_id, seat, action)),
        })
        .collect();
    let sent = outgoing.len();
    let mut stream = client.submit_actions(tokio_stream::iter(outgoing)).await.unwrap().into_inner();
    let mut done = 0;
    while let Some(answer) = stream.message().await.unwrap() {
        match answer.result.unwrap() {
            Answer::Done(_) => done += 1,
            Answer::Failure(failure) => panic!("{failure:?}"),
        }
    }
    assert_eq!(done, sent);
    server.stop();
}
