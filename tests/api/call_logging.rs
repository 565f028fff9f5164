//! What the log shows of calls: every one at level debug, from its beginning to its last message, and no noise around it.

use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use super::{dive, submit};
use crate::faults::TIMEOUT;

/// The lines of a log that hold all these texts.
fn lines<'a>(log: &'a str, texts: &[&str]) -> Vec<&'a str> {
    log.lines().filter(|line| texts.iter().all(|text| line.contains(text))).collect()
}

/// Waits for a line of the log.
async fn expect_line(server: &Server, texts: &[&str]) {
    let deadline = std::time::Instant::now() + TIMEOUT;
    while lines(&server.log(), texts).is_empty() {
        assert!(std::time::Instant::now() < deadline, "{texts:?}: {}", server.log());
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_shows_with_game_revision_outcome_and_time() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start_with(&dir.path().join("data"), &["--log", "debug"]);
    let mut player = Player::create(server.games().await, 2, 1).await;
    let game_id = player.game_id.clone();
    let game = format!("game_id={game_id}");
    expect_line(&server, &["method=\"CreateGame\"", &game, "revision=1", "outcome=OK", "micros=", "127.0.0.1:"]).await;

    // One action of a stream that is done, and one that is refused.
    let seat = player.game().await.to_act[0];
    let action = |tag| pb::SubmitActionsRequest { tag, action: Some(submit(&game_id, seat, dive())) };
    let answers = player.client.submit_actions(tokio_stream::iter([action(7), action(8)])).await.unwrap();
    let mut answers = answers.into_inner();
    while answers.message().await.unwrap().is_some() {}
    let streamed = ["method=\"SubmitActions\"", game_id.as_str()];
    expect_line(&server, &[&streamed[..], &["tag=7", "revision=2", "outcome=\"OK\"", "micros="]].concat()).await;
    expect_line(&server, &[&streamed[..], &["tag=8", "outcome=FailedPrecondition", "reason="]].concat()).await;
    expect_line(&server, &["method=\"SubmitActions\"", "outcome=OK", "answered"]).await;

    // A refused call, a stream that its caller leaves, one that comes to its end, and calls of other services.
    let unknown = "018f0000-0000-7000-8000-000000000000";
    player.client.get_game(pb::GetGameRequest { game_id: unknown.into(), viewer: None }).await.unwrap_err();
    expect_line(&server, &["method=\"GetGame\"", unknown, "outcome=NotFound"]).await;
    let watch = pb::WatchGameRequest { game_id: game_id.clone(), after_revision: Some(0), ..Default::default() };
    let mut left = player.client.watch_game(watch.clone()).await.unwrap().into_inner();
    assert!(left.message().await.unwrap().is_some());
    drop(left);
    expect_line(&server, &["method=\"WatchGame\"", &game, "outcome=Cancelled"]).await;
    let mut ended = player.client.watch_game(watch).await.unwrap().into_inner();
    let abandon = pb::AbandonGameRequest { game_id: game_id.clone(), ..Default::default() };
    player.client.abandon_game(abandon).await.unwrap();
    while ended.message().await.unwrap().is_some() {}
    expect_line(&server, &["method=\"WatchGame\"", &game, "revision=3", "outcome=OK"]).await;
    HealthClient::new(server.channel().await).check(HealthCheckRequest::default()).await.unwrap();
    expect_line(&server, &["method=\"Check\"", "outcome=OK"]).await;

    let log = server.log();
    for noise in [" h2::", " hyper", " sled::", " tower::", " tonic::"] {
        assert!(!log.contains(noise), "{noise}: {log}");
    }
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_debug_calls_leave_no_line_and_with_a_name_others_show_theirs() {
    let dir = tempfile::tempdir().unwrap();
    let quiet = Server::start(&dir.path().join("quiet"));
    Player::create(quiet.games().await, 2, 1).await.play(3).await;
    assert!(lines(&quiet.log(), &["rpc"]).is_empty(), "{}", quiet.log());
    quiet.stop();
    let named = Server::start_with(&dir.path().join("named"), &["--log", "info,h2=debug"]);
    Player::create(named.games().await, 2, 1).await.play(3).await;
    assert!(!lines(&named.log(), &[" h2::"]).is_empty(), "{}", named.log());
    named.stop();
}

/// Every way in which 32 bytes could stand in a line of the log.
fn forms(secret: &[u8]) -> [String; 5] {
    let numbers = |radix: fn(&u8) -> String| secret.iter().map(radix).collect::<Vec<_>>().join(", ");
    let hex: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    [
        hex.to_uppercase(),
        numbers(|byte| byte.to_string()),
        numbers(|byte| format!("{byte:02x}")),
        secret.escape_ascii().to_string(),
        hex,
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn no_level_and_no_filter_shows_a_games_secret() {
    let dir = tempfile::tempdir().unwrap();
    for filter in
        ["trace", "trace,sled=trace,h2=trace,hyper=trace,tower=trace,tonic=trace,[rpc]=trace", "info,sled::tree=trace"]
    {
        let server = Server::start_with(&dir.path().join("data"), &["--log", filter]);
        let mut player = Player::create(server.games().await, 2, 1).await;
        player.play(usize::MAX).await;
        let secret = player.game().await.revealed_secret;
        assert_eq!(secret.len(), 32);
        // The store has been brought up to date by the end.
        server.signal(rustix::process::Signal::TERM);
        let path = dir.path().join("data.log");
        assert!(server.wait().success());
        let log = std::fs::read_to_string(path).unwrap();
        for form in forms(&secret) {
            assert!(!log.contains(&form), "{filter}: the log shows the secret as {form}");
        }
        assert!(!lines(&log, &["divelog"]).is_empty(), "{filter}: nothing is logged at all");
    }
}
