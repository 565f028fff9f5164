//! Good games are counted, bad ones named, and nothing stops before the end.

use divelog_proto::v1::ListGamesResponse;
use tonic::Status;

use super::*;
use crate::{
    args::Format,
    errors::Exit,
    fixtures,
    output::capture,
    test_server::{Script, TestServer},
};

async fn verified(logs: Vec<(String, Result<Log, Status>)>, format: Format) -> (String, Result<(), CliError>) {
    let games = logs.iter().map(|(id, _)| GameSummary { game_id: id.clone(), ..Default::default() }).collect();
    let pages = [ListGamesResponse { games, next_page_token: String::new() }].into();
    let server = TestServer::start(Script { pages, logs: logs.into_iter().collect(), ..Default::default() }).await;
    let (mut out, captured) = capture::output(format);
    let result = run(&server.global(), &FilterArgs::default(), &mut out).await;
    (captured.text(), result)
}

fn good(number: u8) -> (String, Result<Log, Status>) {
    let log = fixtures::game(number, 20).log();
    (log.header.game_id.clone(), Ok(log))
}

fn some_bad() -> Vec<(String, Result<Log, Status>)> {
    let mut logs: Vec<_> = (1..=20).map(good).collect();
    let altered = logs[4].1.as_mut().unwrap();
    let mut bytes = altered.records[7].record.to_vec();
    bytes[40] ^= 1;
    altered.records[7].record = bytes.into();
    logs[9].1 = Err(Status::data_loss("block 3 is damaged"));
    logs
}

#[tokio::test]
async fn a_good_store_verifies() {
    let (text, result) = verified((1..=20).map(good).collect(), Format::Table).await;
    result.unwrap();
    assert!(text.starts_with("20 of 20 games verified, 420 good records; 0 altered"), "{text}");
}

#[tokio::test]
async fn bad_games_are_named_and_the_rest_is_still_checked() {
    let (text, result) = verified(some_bad(), Format::Table).await;
    let error = result.unwrap_err();
    assert_eq!((error.exit(), error.to_string().as_str()), (Exit::Unverified, "2 of 20 games do not verify"));
    let (altered, unread) = (fixtures::game(5, 0).game_id, fixtures::game(10, 0).game_id);
    assert!(text.contains(&format!("NOT VERIFIED {altered} ")) && text.contains("record 7"), "{text}");
    assert!(text.contains(&format!("NOT READ {unread} ")) && text.contains("block 3 is damaged"), "{text}");
    assert!(text.contains("18 of 20 games verified"), "{text}");

    let (text, _) = verified(some_bad(), Format::Jsonl).await;
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 20, "a line for each game");
    let bad: Vec<&Value> = lines.iter().filter(|line| line["verified"] == false).collect();
    assert_eq!(bad.len(), 2);
    assert!(bad.iter().any(|line| line["failure"]["sequence"] == 7 && line["game_id"] == altered.to_string()));
    let (text, _) = verified(some_bad(), Format::Json).await;
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&value["verified"], &value["altered"], &value["unread"]), (&json!(18), &json!(1), &json!(1)));
    assert_eq!((&value["complete"], value.get("error")), (&json!(true), None));
    assert_eq!(value["bad"].as_array().unwrap().len(), 2);
}

/// A good and an altered game, and then the server is gone.
async fn interrupted(out: &mut Output) -> CliError {
    let mut logs = some_bad().into_iter().skip(3).take(2);
    let feed = |jobs: tokio::sync::mpsc::Sender<Fetched>| async move {
        for (game_id, log) in logs.by_ref() {
            let game = GameSummary { game_id, ..Default::default() };
            let log = log.map_err(|status| CliError::Protocol(status.to_string()));
            assert!(jobs.send(Fetched { game, log }).await.is_ok());
        }
        Err(CliError::Unreachable { server: "s".into(), cause: "the connection broke".into() })
    };
    parallel::report::<Counts, _, _>(Progress::start(), feed, check, out).await.unwrap_err()
}

#[tokio::test]
async fn a_bad_game_counts_though_the_server_is_lost_after_it() {
    let (mut out, captured) = capture::output(Format::Table);
    let error = interrupted(&mut out).await;
    assert_eq!(error.exit(), Exit::Unverified, "{error}");
    let text = captured.text().lines().collect::<Vec<_>>().join(" ");
    let summary = "INCOMPLETE: it broke off after 2 games (cannot reach the server at s: the connection broke). Of these: 1 of 2 \
                   games verified";
    assert!(text.contains(summary), "{text}");
    let value = error.json();
    assert_eq!((&value["reason"], &value["also"]["reason"]), (&json!("DISPROVED"), &json!("UNREACHABLE")));
    // For programs as well.
    let (mut out, captured) = capture::output(Format::Json);
    interrupted(&mut out).await;
    let value: Value = serde_json::from_str(&captured.text()).unwrap();
    assert_eq!((&value["complete"], &value["games"]), (&json!(false), &json!(2)));
    assert_eq!(value["error"]["reason"], "UNREACHABLE");
}

#[tokio::test]
async fn games_are_judged_though_nobody_reads_the_output() {
    for kind in [std::io::ErrorKind::BrokenPipe, std::io::ErrorKind::StorageFull] {
        for format in [Format::Table, Format::Json, Format::Jsonl] {
            let mut out = capture::failing(format, kind);
            let error = interrupted(&mut out).await;
            assert_eq!(error.exit(), Exit::Unverified, "{kind} {format:?}: {error}");
        }
    }
}

#[tokio::test]
async fn a_fault_of_the_server_is_no_verdict_on_a_game() {
    let mut logs: Vec<_> = (1..=3).map(good).collect();
    logs[1].1 = Err(Status::unavailable("the store has failed"));
    let (_, result) = verified(logs, Format::Table).await;
    assert_eq!(result.unwrap_err().exit(), Exit::Unreachable);
}
