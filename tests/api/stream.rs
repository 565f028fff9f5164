//! SubmitActions: many games in flight on one stream, failures that do not end it, and a bound on what is unanswered.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use divelog_proto::v1 as pb;
use divelog_proto::v1::game_service_client::GameServiceClient;
use divelog_tests::Server;
use divelog_tests::player::new_game;
use pb::submit_actions_response::Result as Answer;
use tonic::Code;
use tonic::transport::Endpoint;

use super::{dive, first_laps, submit};

/// What the server holds in memory now and at most so far, in KiB.
fn memory(server: &Server) -> (u64, u64) {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    (field("VmRSS:"), field("VmHWM:"))
}

async fn create(server: &Server, count: usize) -> Vec<pb::Game> {
    let client = server.games().await;
    let mut tasks = Vec::new();
    for _ in 0..count {
        let mut client = client.clone();
        tasks.push(tokio::spawn(async move { client.create_game(new_game(4)).await }));
    }
    let mut games = Vec::new();
    for task in tasks {
        games.push(task.await.unwrap().unwrap().into_inner().game.unwrap());
    }
    games
}

/// The same turn of all games, then the next: so that many actions of each game are in flight.
fn interleaved(games: &[pb::Game]) -> Vec<pb::SubmitActionRequest> {
    let laps: Vec<_> = games.iter().map(|game| (game, first_laps(game, 5))).collect();
    (0..laps[0].1.len())
        .flat_map(|at| laps.iter().map(move |(game, actions)| (&game.game_id, actions[at].clone())))
        .map(|(game_id, (seat, action))| submit(game_id, seat, action))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_games_share_one_stream() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let games = create(&server, 200).await;
    // Each tag names what must come back: `Some(game)` for an action or a dry run, `None` for one that cannot be done.
    let mut requests = Vec::new();
    for (at, action) in interleaved(&games).into_iter().enumerate() {
        if at % 10 == 3 {
            let game_id = ["0192d4e0-7b1a-7c3e-9f00-2a6b8c1d5e7f", "nonsense"][at / 10 % 2];
            requests.push((None, Some(submit(game_id, 0, dive()))));
            requests.push((None, None));
            let checked = pb::SubmitActionRequest { validate_only: true, ..action.clone() };
            requests.push((Some(action.game_id.clone()), Some(checked)));
        }
        requests.push((Some(action.game_id.clone()), Some(action)));
    }
    let expected: Vec<_> = requests.iter().map(|(game, _)| game.clone()).collect();
    let outgoing: Vec<_> = requests
        .into_iter()
        .enumerate()
        .map(|(tag, (_, action))| pb::SubmitActionsRequest { tag: tag as u64, action })
        .collect();
    let mut client = server.games().await;
    let mut answers = client.submit_actions(tokio_stream::iter(outgoing)).await.unwrap().into_inner();
    let mut seen = vec![false; expected.len()];
    let mut revisions: HashMap<String, (u64, u64)> = HashMap::new();
    while let Some(answer) = answers.message().await.unwrap() {
        assert!(!std::mem::replace(&mut seen[answer.tag as usize], true), "each request is answered once");
        match (&expected[answer.tag as usize], answer.result.unwrap()) {
            (Some(game), Answer::Done(done)) => {
                let (revision, tag) = revisions.entry(game.clone()).or_insert((1, 0));
                if done.record_hash.is_empty() {
                    assert_eq!(done.revision, *revision, "a dry run is judged behind what was asked before");
                    continue;
                }
                assert_eq!(done.revision, *revision + 1, "the answers of one game come in order");
                assert!(answer.tag > *tag || done.revision == 2);
                (*revision, *tag) = (done.revision, answer.tag);
            }
            (None, Answer::Failure(failure)) => {
                assert!(!failure.message.is_empty());
                match failure.reason.as_str() {
                    "GAME_NOT_FOUND" => assert_eq!(failure.code, i32::from(Code::NotFound)),
                    "INVALID_FIELD" => {
                        assert_eq!(failure.code, i32::from(Code::InvalidArgument));
                        let field = failure.metadata["field"].as_str();
                        assert!(["game_id", "action"].contains(&field), "{field}");
                    }
                    other => panic!("{other}"),
                }
            }
            (expected, answer) => panic!("{expected:?}: {answer:?}"),
        }
    }
    assert!(seen.iter().all(|seen| *seen), "every request is answered");
    for game in &games {
        assert_eq!(revisions[&game.game_id].0, 41);
        let request = pb::VerifyGameRequest { game_id: game.game_id.clone() };
        assert!(server.audit().await.verify_game(request).await.unwrap().into_inner().verified);
    }
    server.stop();
}

/// Waits until a counter has not moved for so long that the server, asked by others, has answered twenty times: nobody
/// pulls any more. A clock would not say so, because on a busy machine it goes on while the server stands still.
async fn settled(counter: &AtomicUsize, server: &Server) -> usize {
    let deadline = Instant::now() + Duration::from_secs(300);
    let (mut last, mut still) = (0, 0);
    while still < 20 || last == 0 {
        assert!(Instant::now() < deadline, "the stream neither ends nor stops: {last} requests were taken");
        // It reads, waits for the disk and writes: whatever else was ready has had its turn by then.
        create(server, 1).await;
        let now = counter.load(Ordering::Relaxed);
        still = if now == last { still + 1 } else { 0 };
        last = now;
    }
    last
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_who_does_not_read_answers_is_not_read_any_more() {
    const REQUESTS: usize = 60_000;
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let games = create(&server, 200).await;
    let mut requests = interleaved(&games);
    let real = requests.len();
    // The rest is refused; a long request id makes each of them heavy if anybody piled them up.
    let refused = pb::SubmitActionRequest { request_id: "x".repeat(1_000), ..submit(&games[0].game_id, 0, dive()) };
    requests.resize(REQUESTS, refused);
    let taken = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&taken);
    let outgoing = requests.into_iter().enumerate().map(move |(tag, action)| {
        counter.fetch_add(1, Ordering::Relaxed);
        pb::SubmitActionsRequest { tag: tag as u64, action: Some(action) }
    });
    // A small window, so that answers wait at the server and not here.
    let endpoint = Endpoint::from_shared(server.url().to_owned()).unwrap().initial_stream_window_size(65_535);
    let mut client = GameServiceClient::new(endpoint.connect().await.unwrap());
    let (before, _) = memory(&server);
    let mut answers = client.submit_actions(tokio_stream::iter(outgoing)).await.unwrap().into_inner();
    let at_rest = settled(&taken, &server).await;
    assert!(at_rest < REQUESTS, "the server read everything although nobody took its answers");
    // Others are served as usual.
    create(&server, 10).await;
    let mut seen = vec![false; REQUESTS];
    let mut done = 0;
    while let Some(answer) = answers.message().await.unwrap() {
        assert!(!std::mem::replace(&mut seen[answer.tag as usize], true), "each request is answered once");
        done += usize::from(matches!(answer.result, Some(Answer::Done(_))));
    }
    assert!(seen.iter().all(|seen| *seen), "everything is answered once it is read");
    assert_eq!(done, real, "all real actions were done");
    let (_, most) = memory(&server);
    assert!(most < before + 96 * 1024, "the server grew from {before} to {most} KiB");
    println!("at rest after {at_rest} of {REQUESTS} requests; memory {before} KiB before, at most {most} KiB");
    server.stop();
}
