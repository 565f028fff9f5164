//! A disk that runs full, or fails in another way: actions are refused with the reason, what is in memory can still
//! be read, and after a restart with room everything acknowledged is there.

use std::sync::Arc;

use divelog_proto::v1 as pb;
use divelog_tests::player::new_game;
use divelog_tests::{Player, Server, not_run};
use pb::submit_actions_response::Result as Answer;
use rustix::process::Signal;
use tonic::Code;
use tonic_health::pb::health_check_response::ServingStatus;

use crate::faults::{History, Round, SharedChoices, TIMEOUT, disk, health, reason, reconcile, until_not_serving};

const ROOMY: u64 = 256 * 1024 * 1024;
/// What is left of the room in the middle of play.
const LEFT: u64 = 256 * 1024;

/// So many actions are acknowledged before the disk is full.
const ACKS: usize = 50;

/// Where the server's own log lines go.
enum LogLines {
    Elsewhere,
    ToTheFullDisk,
}

impl LogLines {
    /// The test that this is.
    fn test(&self) -> &'static str {
        match self {
            LogLines::Elsewhere => "full_disk",
            LogLines::ToTheFullDisk => "full_disk without log lines",
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disk_that_runs_full_stops_play_and_loses_nothing() {
    run_full(LogLines::Elsewhere).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_that_takes_no_log_lines_either_makes_no_difference() {
    run_full(LogLines::ToTheFullDisk).await;
}

async fn run_full(lines: LogLines) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("data");
    let mounted = match disk::tmpfs(&root, ROOMY) {
        Ok(mounted) => mounted,
        Err(why) => return not_run(lines.test(), &format!("this machine mounts no tmpfs: {why}")),
    };
    // A server's log file stands beside its data folder.
    let data = match lines {
        LogLines::Elsewhere => root.clone(),
        LogLines::ToTheFullDisk => root.join("data"),
    };
    let choices = Arc::new(SharedChoices::from_environment("full_disk"));
    let history = History::default();
    let server = Server::start_with(&data, &["--serve-after-failure"]);
    let mut known = Player::create(server.games().await, 4, 3).await;
    known.play(10).await;
    let known_before = known.game().await;
    let round =
        Round::begin_with_expected_reasons(&server, &history, &choices, &["STORE_FAILED", "SHUTTING_DOWN"]).await;
    history.until_acks(ACKS).await;
    mounted.resize(mounted.used() + LEFT);

    until_not_serving(&server).await;
    takes_nothing(&server, &mut known).await;
    // What is known can be looked at, and has not moved; so can its log.
    assert_eq!(known.game().await, known_before);
    let log = reconcile::read_log(&mut server.audit().await, &known.game_id).await;
    assert_eq!(log.hashes.last(), Some(&known_before.head_hash));
    if let LogLines::Elsewhere = lines {
        let log = server.log();
        assert!(log.contains("ERROR") && log.contains("No space left on device"), "{log}");
    }
    round.stop_signal().announce();
    server.signal(Signal::TERM);
    let ended = tokio::task::spawn_blocking(move || server.wait());
    let status = tokio::time::timeout(TIMEOUT, ended).await.expect("SIGTERM does not end it").unwrap();
    assert_eq!(status.code(), Some(1), "a failed store does not end well");
    round.over().await;

    // Still without room: a start says what is the matter, and changes nothing.
    if let Err((status, log)) = Server::try_start(&data, &[]) {
        assert_eq!(status.code(), Some(1), "{log}");
    }
    mounted.resize(ROOMY);
    let server = Server::start(&data);
    assert_eq!(health(&server).await, ServingStatus::Serving);
    let found = reconcile::reconcile(&server, &history).await;
    known.client = server.games().await;
    assert_eq!(known.game().await, known_before);
    known.play(5).await;
    let log = reconcile::read_log(&mut server.audit().await, &known.game_id).await;
    assert_eq!(log.hashes.len() as u64, known_before.revision + 5);
    server.stop();
    println!("full_disk: {} acknowledged actions, {found:?}", history.acks());
    assert!(history.acks() > 0 && found.open > 0, "{found:?}");
}

/// Actions, creations and streams are all answered, with the reason.
async fn takes_nothing(server: &Server, player: &mut Player) {
    let request = player.choose().await.unwrap().unwrap();
    let acted = player.client.submit_action(request.clone()).await.unwrap_err();
    let created = player.client.create_game(new_game(3)).await.unwrap_err();
    let abandon = pb::AbandonGameRequest { game_id: player.game_id.clone(), ..Default::default() };
    let abandoned = player.client.abandon_game(abandon).await.unwrap_err();
    for status in [acted, created, abandoned] {
        assert_eq!(status.code(), Code::Unavailable, "{status:?}");
        assert_eq!(reason(&status).as_deref(), Some("STORE_FAILED"), "{status:?}");
        assert!(status.message().contains("until the server is restarted"), "{status:?}");
    }
    let one = tokio_stream::once(pb::SubmitActionsRequest { tag: 1, action: Some(request) });
    let mut answers = server.games().await.submit_actions(one).await.unwrap().into_inner();
    let Some(Answer::Failure(failure)) = answers.message().await.unwrap().unwrap().result else {
        panic!("the stream did something");
    };
    assert_eq!((failure.code, failure.reason.as_str()), (Code::Unavailable as i32, "STORE_FAILED"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_beside_the_log_also_takes_the_server_out_of_service() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    // The watermark is written to this name first. It is written beside the log about once a second, so nobody's action
    // waits for it: nobody but the server itself can notice that it fails.
    let obstacle = data.join("watermark.new");
    for stays_up in [true, false] {
        let flags: &[&str] = if stays_up { &["--serve-after-failure"] } else { &[] };
        let server = Server::start_with(&data, flags);
        let mut player = Player::create(server.games().await, 4, 3).await;
        std::fs::create_dir(&obstacle).unwrap();
        player.play(1).await;
        let before = player.game().await;
        if stays_up {
            until_not_serving(&server).await;
            takes_nothing(&server, &mut player).await;
            assert_eq!(player.game().await, before);
            server.signal(Signal::TERM);
        }
        // Otherwise it ends by itself, so that somebody starts it again.
        let log = data.with_extension("log");
        let ended = tokio::task::spawn_blocking(move || server.wait());
        let status = tokio::time::timeout(TIMEOUT, ended).await.expect("the server goes on").unwrap();
        let log = std::fs::read_to_string(log).unwrap();
        assert_eq!(status.code(), Some(1), "{log}");
        assert!(log.contains("ERROR") && log.contains("watermark.new"), "{log}");
        assert!(!log.contains("the store is synced and closed"), "{log}");
        let expected = format!("divelogd: the store in {} has failed: ", data.display());
        assert!(log.lines().last().unwrap().starts_with(&expected), "{log}");
        std::fs::remove_dir(&obstacle).unwrap();
        std::fs::remove_file(data.with_extension("log")).unwrap();
        let server = Server::start(&data);
        player.client = server.games().await;
        assert_eq!(player.game().await, before);
        player.play(1).await;
        server.stop();
        std::fs::remove_file(data.with_extension("log")).unwrap();
    }
}
