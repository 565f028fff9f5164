//! A flipped bit in a stored record: its game is refused with the record's number, and every other game goes on.

use std::path::Path;

use divelog_client::ErrorDetails;
use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server, divelog};
use pb::submit_actions_response::Result as Answer;
use tonic::{Code, Status};
use tonic_health::pb::health_check_response::ServingStatus;

use super::{Filled, open_sled};
use crate::faults::health;

const PREFIX: usize = 16;
const ITEM: usize = 37;
const CHECKSUM: usize = 4;

fn number(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// Flips a bit in the middle of a record, inside the block that holds it. The form of a block is written out here once
/// more, from `docs/log-format.md`: a test that asked the store's own code would follow its errors.
fn flip(data: &Path, game_id: &str, sequence: usize) {
    let game: divelog_ledger::GameId = game_id.parse().unwrap();
    let db = open_sled(data);
    let blocks = db.open_tree("blocks").unwrap();
    for entry in &blocks {
        let (key, value) = entry.unwrap();
        let mut block = value.to_vec();
        assert_eq!((&block[..4], &block[4..12]), (&b"DLB1"[..], &key[..]));
        let count = number(&block[12..16]);
        let mut start = PREFIX + count * ITEM + CHECKSUM;
        for item in 0..count {
            let item = &block[PREFIX + item * ITEM..][..ITEM];
            let length = number(&item[28..32]);
            if item[..16] == game.0 && number(&item[24..28]) == sequence {
                block[start + length / 2] ^= 0x10;
                blocks.insert(key, block).unwrap();
                db.flush().unwrap();
                return;
            }
            start += length;
        }
    }
    panic!("record {sequence} of game {game_id} is in no block");
}

#[track_caller]
fn names_the_damage(what: &str, status: &Status, game_id: &str, sequence: usize) {
    assert_eq!(status.code(), Code::DataLoss, "{what}: {status:?}");
    let info = ErrorDetails::of(status);
    assert_eq!(info.reason.as_deref(), Some("LOG_DAMAGED"), "{what}: {status:?}");
    assert_eq!(info.metadata["record"], sequence.to_string(), "{what}");
    assert_eq!(info.metadata["game_id"], game_id, "{what}");
    let message = status.message();
    assert!(message.contains(game_id) && message.contains(&format!("record {sequence}")), "{what}: {message}");
}

async fn is_refused_everywhere(server: &Server, game_id: &str, sequence: usize) {
    let mut games = server.games().await;
    let id = || game_id.to_owned();
    let act = pb::SubmitActionRequest { game_id: id(), ..Default::default() };
    let answers = [
        ("GetGame", games.get_game(pb::GetGameRequest { game_id: id(), viewer: None }).await.err()),
        (
            "ListLegalActions",
            games.list_legal_actions(pb::ListLegalActionsRequest { game_id: id(), seat: 0 }).await.err(),
        ),
        ("SubmitAction", games.submit_action(act.clone()).await.err()),
        ("AbandonGame", games.abandon_game(pb::AbandonGameRequest { game_id: id(), ..Default::default() }).await.err()),
        ("WatchGame", watched(server, game_id, None).await),
        ("WatchGame from 0", watched(server, game_id, Some(0)).await),
        ("ReplayGame", replayed(server, game_id).await),
        ("ReadLog", read(server, game_id).await),
    ];
    for (what, status) in answers {
        names_the_damage(what, &status.unwrap_or_else(|| panic!("{what} gave a damaged game")), game_id, sequence);
    }
    let one = tokio_stream::once(pb::SubmitActionsRequest { tag: 1, action: Some(act) });
    let answer = games.submit_actions(one).await.unwrap().into_inner().message().await.unwrap().unwrap();
    let Some(Answer::Failure(failure)) = answer.result else { panic!("SubmitActions gave a damaged game") };
    assert_eq!((failure.code, failure.reason.as_str()), (Code::DataLoss as i32, "LOG_DAMAGED"));
    assert_eq!(failure.metadata["record"], sequence.to_string());

    let verdict = server.audit().await.verify_game(pb::VerifyGameRequest { game_id: id() }).await.unwrap().into_inner();
    let failure = verdict.failure.unwrap();
    assert!(!verdict.verified);
    assert_eq!((failure.sequence, failure.fault()), (sequence as u64, pb::verify_failure::Fault::Damaged));
    let output = divelog(server.url(), &["log", "verify", game_id]);
    assert_eq!(output.code, 4, "{output:?}");
    let words = output.stdout + &output.stderr;
    assert!(words.contains(&format!("record {sequence}")), "{words}");
}

/// The error of a watch, at its beginning or later.
async fn watched(server: &Server, game_id: &str, after_revision: Option<u64>) -> Option<Status> {
    let request = pb::WatchGameRequest { game_id: game_id.into(), after_revision, ..Default::default() };
    match server.games().await.watch_game(request).await {
        Ok(news) => news.into_inner().message().await.err(),
        Err(status) => Some(status),
    }
}

async fn replayed(server: &Server, game_id: &str) -> Option<Status> {
    let request = pb::ReplayGameRequest { game_id: game_id.into(), ..Default::default() };
    match server.audit().await.replay_game(request).await {
        Ok(steps) => steps.into_inner().message().await.err(),
        Err(status) => Some(status),
    }
}

async fn read(server: &Server, game_id: &str) -> Option<Status> {
    let request = pb::ReadLogRequest { game_id: game_id.into(), include_secret: true };
    match server.audit().await.read_log(request).await {
        Ok(records) => records.into_inner().message().await.err(),
        Err(status) => Some(status),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flipped_bit_in_a_record_is_named_and_stops_that_game_alone() {
    let filled = Filled::new(6, 20).await;
    let games: Vec<String> = filled.logs.keys().cloned().collect();
    // The first record, one in the middle, and the newest, which the index names too.
    let victims = [(&games[0], 0), (&games[1], 11), (&games[2], 20)];
    for (game_id, sequence) in victims {
        flip(&filled.data(), game_id, sequence);
    }
    // The second time the games have been asked for before, and the index is the one that the damaged store has made.
    for _ in 0..2 {
        let server = Server::start(&filled.data());
        assert_eq!(health(&server).await, ServingStatus::Serving);
        for (game_id, sequence) in victims {
            is_refused_everywhere(&server, game_id, sequence).await;
        }
        for game_id in &games[3..] {
            let mut sound = Player::of(server.games().await, game_id.clone(), 9);
            sound.play(5).await;
            let request = pb::VerifyGameRequest { game_id: game_id.clone() };
            let verdict = server.audit().await.verify_game(request).await.unwrap().into_inner();
            assert!(verdict.verified, "{verdict:?}");
            assert_eq!(divelog(server.url(), &["log", "verify", game_id]).code, 0);
        }
        Player::create(server.games().await, 3, 1).await.play(usize::MAX).await;
        let log = server.log();
        for (game_id, sequence) in victims {
            let names_record = |line: &str| {
                line.contains("ERROR") && line.contains(game_id) && line.contains(&format!("record {sequence}"))
            };
            assert!(log.lines().any(names_record), "{log}");
        }
        server.stop();
    }
}
