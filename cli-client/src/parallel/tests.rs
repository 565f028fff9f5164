//! Everything is worked on once, whatever fails.

use std::collections::BTreeSet;

use divelog_client::ErrorDetails;
use divelog_proto::v1::ListGamesResponse;
use tonic::Code;

use super::*;
use crate::{
    connect,
    errors::Exit,
    test_server::{Script, TestServer},
};

fn page(games: std::ops::Range<u32>, token: &str) -> ListGamesResponse {
    let summary = |game: u32| GameSummary { game_id: game.to_string(), ..Default::default() };
    ListGamesResponse { games: games.map(summary).collect(), next_page_token: token.into() }
}

async fn feed_numbers(count: u32, jobs: mpsc::Sender<u32>) -> Result<(), CliError> {
    for number in 0..count {
        if jobs.send(number).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}

#[tokio::test]
async fn every_job_is_done_once() {
    let mut seen = BTreeSet::new();
    let report = |(number, square): (u32, u64)| {
        assert_eq!(square, u64::from(number).pow(2));
        assert!(seen.insert(number), "{number} twice");
        Ok(())
    };
    let work = |number: u32| (number, u64::from(number).pow(2));
    run(&Progress::start(), |jobs| feed_numbers(1_000, jobs), work, report).await.unwrap();
    assert_eq!(seen.len(), 1_000);
}

#[tokio::test]
async fn an_error_while_reporting_ends_it() {
    let report = |number: u32| if number == 3 { Err(CliError::usage("enough")) } else { Ok(()) };
    let error = run(&Progress::start(), |jobs| feed_numbers(100_000, jobs), |number| number, report).await.unwrap_err();
    assert_eq!(error.to_string(), "enough");
}

#[tokio::test]
#[should_panic(expected = "a rule is broken")]
async fn a_panic_is_not_swallowed() {
    let work = |number: u32| assert_ne!(number, 500, "a rule is broken");
    drop(run(&Progress::start(), |jobs| feed_numbers(1_000, jobs), work, |()| Ok(())).await);
}

async fn fetched(pages: Vec<ListGamesResponse>, broken: &'static str) -> (BTreeSet<String>, Result<(), CliError>) {
    let server = TestServer::start(Script { pages: pages.into(), ..Default::default() }).await;
    let connection = connect::open(&server.global()).await.unwrap();
    let list = filtered(&FilterArgs::default()).unwrap();
    let progress = Progress::start();
    let fetch = move |_: Connection, game: GameSummary| async move {
        let refused = |code| CliError::Status(Box::new(ErrorDetails::new(code, "m")));
        of_one_game(match game.game_id.as_str() {
            id if id == broken => Err(refused(Code::Unavailable)),
            "7" => Err(refused(Code::DataLoss)),
            _ => Ok(game.game_id),
        })
    };
    let mut seen = BTreeSet::new();
    let feed = |jobs| fetch_all(connection, list, progress.clone(), fetch, jobs);
    let ended = run(
        &progress,
        feed,
        |job| job,
        |job: Result<String, CliError>| {
            seen.insert(job.unwrap_or_else(|error| format!("bad: {}", error.exit() as u8)));
            Ok(())
        },
    );
    let ended = ended.await;
    (seen, ended)
}

#[tokio::test]
async fn all_pages_are_followed_and_a_bad_game_does_not_end_it() {
    let (seen, ended) = fetched(vec![page(0..5, "a"), page(0..0, "b"), page(5..9, "")], "none").await;
    ended.unwrap();
    let expected: Vec<String> = ["0", "1", "2", "3", "4", "5", "6", "8", "bad: 4"].map(str::to_owned).into();
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_server_that_is_gone_ends_it() {
    let (_, ended) = fetched(vec![page(0..5, "")], "2").await;
    assert_eq!(ended.unwrap_err().exit(), Exit::Unreachable);
}

#[tokio::test]
async fn a_list_without_end_is_noticed() {
    let (_, ended) = fetched(vec![page(0..1, "a"), page(1..2, "a")], "none").await;
    assert!(ended.unwrap_err().to_string().contains("does not end"));
}
