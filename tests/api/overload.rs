//! More than the server takes is turned away with BUSY and a time to come back, and nothing is lost or done by halves.

use divelog_proto::v1 as pb;
use divelog_proto::v1::game_service_client::GameServiceClient;
use divelog_tests::player::new_game;
use divelog_tests::{Player, Server};
use pb::submit_actions_response::Result as Answer;
use tonic::transport::Channel;
use tonic::{Code, Status};

use super::{first_laps, submit, told};

/// After so many tries somebody must have met a full queue.
const MAX_TRIES: usize = 200;

#[track_caller]
fn assert_busy(status: &Status) {
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    let told = told(status);
    assert_eq!(told.reason, "BUSY");
    assert!(told.retry.unwrap().retry_delay.unwrap().nanos > 0);
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
async fn with_a_full_queue_callers_are_told_to_come_back_and_nothing_is_lost() {
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
    assert_eq!(count_games(client.clone()).await, games.len(), "who was told BUSY has created nothing");

    // The same on a stream, in one game after another until one of them met a full queue.
    let mut met = false;
    for _ in 0..MAX_TRIES {
        let game = match games.pop() {
            Some(game) => game,
            // Alone it always finds the place free.
            None => client.clone().create_game(new_game(4)).await.unwrap().into_inner().game.unwrap(),
        };
        met |= meets_a_full_queue(&client, &game).await;
        let mut player = Player::of(client.clone(), game.game_id.clone(), 1);
        player.play(usize::MAX).await;
        let request = pb::VerifyGameRequest { game_id: game.game_id.clone() };
        assert!(server.audit().await.verify_game(request).await.unwrap().into_inner().verified);
        if met {
            break;
        }
    }
    assert!(met, "no stream ever met a full queue of 1");
    server.stop();
}

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

/// Sends a game's first actions at once, and says whether one of them was told BUSY: after that the next ones are judged
/// without the one that was not taken.
async fn meets_a_full_queue(client: &GameServiceClient<Channel>, game: &pb::Game) -> bool {
    let actions = first_laps(game, 5);
    let outgoing: Vec<_> = actions
        .iter()
        .enumerate()
        .map(|(at, (seat, action))| {
            let expected_revision = Some(at as u64 + 1);
            let action = pb::SubmitActionRequest { expected_revision, ..submit(&game.game_id, *seat, action.clone()) };
            pb::SubmitActionsRequest { tag: at as u64, action: Some(action) }
        })
        .collect();
    let mut stream = client.clone().submit_actions(tokio_stream::iter(outgoing)).await.unwrap().into_inner();
    let (mut done, mut failed) = (1, false);
    while let Some(answer) = stream.message().await.unwrap() {
        match answer.result.unwrap() {
            Answer::Done(step) => {
                assert!(!failed, "an action was done although the one before it was not");
                done += 1;
                assert_eq!(step.revision, done);
            }
            Answer::Failure(failure) => {
                assert_eq!(failure.reason, if failed { "STALE_REVISION" } else { "BUSY" }, "{failure:?}");
                failed = true;
            }
        }
    }
    let mut player = Player::of(client.clone(), game.game_id.clone(), 1);
    assert_eq!(player.game().await.revision, done, "what was acknowledged is there, and nothing else");
    failed
}
