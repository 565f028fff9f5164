//! Bundles whose claims this build agrees with, and others.

use bytes::Bytes;
use divelog_proto::v1::{GameKind, ListGamesResponse};

use super::*;
use crate::{
    args::{FilterArgs, Format},
    errors::Exit,
    fixtures,
    output::capture,
    test_server::{Script, TestServer},
};

const ENOUGH: usize = 10_000;

async fn on_files(bundles: &[(&str, Bundle)], format: Format) -> (String, Result<(), CliError>) {
    let dir = tempfile::tempdir().unwrap();
    for (name, bundle) in bundles {
        std::fs::write(dir.path().join(name), divelog_ledger::bundle::to_file(bundle)).unwrap();
    }
    let server = TestServer::start(Script::default()).await;
    let (mut out, captured) = capture::output(format);
    let args = ImpactArgs { paths: vec![dir.path().to_path_buf()], filter: FilterArgs::default(), newest_rules: false };
    let result = run(&server.global(), &args, &mut out).await;
    (captured.text(), result)
}

fn finished() -> Bundle {
    let game = fixtures::game(3, ENOUGH);
    assert!(game.position.outcome().is_some(), "played to its end");
    game.bundle()
}

/// A build with other rules would claim other digests and another winner.
fn of_other_rules() -> Bundle {
    let mut bundle = finished();
    let claims = bundle.claims.as_mut().unwrap();
    claims.legal_digests[4] = Bytes::from_static(&[0; 8]);
    claims.legal_digests[6] = Bytes::from_static(&[0; 8]);
    let outcome = claims.outcome.as_mut().unwrap();
    outcome.winners = vec![7];
    bundle
}

#[tokio::test]
async fn games_that_play_the_same_are_only_counted() {
    let (text, result) =
        on_files(&[("a.dlbundle", finished()), ("b.dlbundle", fixtures::game(4, 9).bundle())], Format::Table).await;
    result.unwrap();
    assert!(text.starts_with("0 of 2 games play differently"), "{text}");
}

#[tokio::test]
async fn what_differs_is_named_and_the_others_are_still_read() {
    let mut secretless = fixtures::game(5, 9).bundle();
    secretless.secret = Bytes::new();
    let bundles = [("a.dlbundle", of_other_rules()), ("b.dlbundle", finished()), ("c.dlbundle", secretless)];
    let (text, result) = on_files(&bundles, Format::Table).await;
    assert_eq!(result.unwrap_err().exit(), Exit::Unverified);
    let bad = text.lines().find(|line| line.starts_with("DIFFERS ")).unwrap();
    assert!(bad.contains("a.dlbundle (deep_sea_adventure, rules version 1)"), "{bad}");
    assert!(bad.contains("other legal actions at 2 revisions (5, 7)") && bad.contains("seat 7 with"), "{bad}");
    // Two lines at 80 columns.
    let summary = text.lines().skip_while(|line| *line != bad).skip(1).collect::<Vec<_>>().join(" ");
    assert!(summary.starts_with("1 of 3 games play differently on this build: 1 with other legal"), "{summary}");
    assert!(summary.contains("1 with other winners; 1 not replayed"), "{summary}");

    let (text, _) = on_files(&bundles, Format::Jsonl).await;
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3, "a line for each game");
    let differing: Vec<&Value> = lines.iter().filter(|line| line["differs"] == true).collect();
    assert_eq!(differing.len(), 1);
    assert_eq!(differing[0]["legal_changes"], json!([5, 7]));
    let (text, _) = on_files(&bundles, Format::Json).await;
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&value["games"], &value["differing"], &value["winners_changed"]), (&json!(3), &json!(1), &json!(1)));
    assert_eq!(value["bad"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_bundle_that_cannot_be_read_is_a_finding_too() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("x.dlbundle"), "nothing").unwrap();
    let server = TestServer::start(Script::default()).await;
    let (mut out, captured) = capture::output(Format::Table);
    let args = ImpactArgs { paths: vec![dir.path().to_path_buf()], filter: FilterArgs::default(), newest_rules: false };
    let error = run(&server.global(), &args, &mut out).await.unwrap_err();
    assert_eq!(error.exit(), Exit::Unverified);
    assert!(captured.text().starts_with("NOT READ "), "{}", captured.text());
}

#[tokio::test]
async fn without_paths_the_servers_games_are_compared() {
    let bundles = [fixtures::game(1, 8).bundle(), of_other_rules()];
    let summary = |id: &str| GameSummary { game_id: id.into(), ..Default::default() };
    let mut games: Vec<GameSummary> = bundles.iter().map(|bundle| summary(&bundle.game_id)).collect();
    games.push(summary("lost"));
    let bundles = bundles.into_iter().map(|bundle| (bundle.game_id.clone(), bundle)).collect();
    let pages = [ListGamesResponse { games, next_page_token: String::new() }].into();
    let server = TestServer::start(Script { pages, bundles, ..Default::default() }).await;
    let (mut out, captured) = capture::output(Format::Table);
    let args = ImpactArgs { paths: vec![], filter: FilterArgs::default(), newest_rules: false };
    assert_eq!(run(&server.global(), &args, &mut out).await.unwrap_err().exit(), Exit::Unverified);
    let text = captured.text();
    assert!(text.contains("1 of 3 games play differently") && text.contains("1 could not be read"), "{text}");
    assert!(text.contains("NOT READ lost: "), "{text}");
}

/// The only page of the list, and then the server is gone.
#[tokio::test]
async fn a_comparison_that_breaks_off_says_so() {
    let page = ListGamesResponse { games: Vec::new(), next_page_token: "more".into() };
    for format in [Format::Table, Format::Json] {
        let server = TestServer::start(Script { pages: [page.clone()].into(), ..Default::default() }).await;
        let (mut out, captured) = capture::output(format);
        let args = ImpactArgs { paths: vec![], filter: FilterArgs::default(), newest_rules: false };
        run(&server.global(), &args, &mut out).await.unwrap_err();
        let text = captured.text();
        if format == Format::Table {
            assert!(text.starts_with("INCOMPLETE: it broke off after 0 games (no more pages)"), "{text}");
        } else {
            let value: Value = serde_json::from_str(&text).unwrap();
            assert_eq!((&value["complete"], &value["error"]["message"]), (&json!(false), &json!("no more pages")));
        }
    }
}

/// A game of rules version 1 that the newest rules make such a one.
fn of_old_rules(kind: GameKind, options: &[&str], is_meant: impl Fn(&Impact) -> bool) -> Bundle {
    let found = |bundle: &Bundle| {
        let compared = compare(Job { name: String::new(), bundle: Ok(bundle.clone()) }, ReplayedBy::NewestRules);
        matches!(compared.comparison, Comparison::Impact(impact) if is_meant(&impact))
    };
    let mut games = (0..100).map(|number| fixtures::aimless_game(kind, options, number).bundle());
    games.find(found).expect("one such game in 100")
}

/// What is said of a game by the newest rules: all lines as one.
async fn by_the_newest_rules(bundle: &Bundle, format: Format) -> String {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("old.dlbundle"), divelog_ledger::bundle::to_file(bundle)).unwrap();
    let server = TestServer::start(Script::default()).await;
    let (mut out, captured) = capture::output(format);
    let args = ImpactArgs { paths: vec![dir.path().into()], filter: FilterArgs::default(), newest_rules: true };
    run(&server.global(), &args, &mut out).await.unwrap();
    captured.text().lines().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn an_action_that_cannot_be_carried_over_says_why_and_counts_no_winners() {
    let bundle = of_old_rules(GameKind::VeiledIsles, &[], |impact| impact.refused_at.is_some());
    let text = by_the_newest_rules(&bundle, Format::Table).await;
    let why = ": cannot be carried over: by rules version 2 this action is refused: VI-R4";
    assert!(
        text.contains("(veiled_isles, rules version 1 by version 2): first at record ") && text.contains(why),
        "{text}"
    );
    assert!(text.contains("; it stops there; other legal actions at 1 revision"), "{text}");
    assert!(text.contains("its result was seat ") && text.contains("what it would be now is not known"), "{text}");
    let summary =
        "0 with another result, 0 with other winners; 1 without a result, because the replay did not come to it";
    assert!(text.ends_with(summary), "{text}");
    let line: Value = serde_json::from_str(&by_the_newest_rules(&bundle, Format::Jsonl).await).unwrap();
    assert_eq!((&line["outcome_is_missing"], &line["outcome_changed"]), (&json!(true), &json!(false)));
    assert_eq!((&line["winners_changed"], &line["outcome_after"]), (&json!(false), &json!(null)));
}

#[tokio::test]
async fn a_game_in_which_nothing_else_happens_is_not_counted_and_its_divided_actions_are_shown() {
    let bundle = of_old_rules(GameKind::KeyLargo, &[], |impact| impact.divided_action_count > 1);
    let text = by_the_newest_rules(&bundle, Format::Table).await;
    assert!(text.starts_with("CARRIED OVER "), "{text}");
    let what = "(key_largo, rules version 1 by version 2): nothing else happens; ";
    assert!(text.contains(what) && text.contains(" actions take several (record "), "{text}");
    assert!(text.contains(": round ") && text.contains(", second "), "{text}");
    assert!(text.contains("0 of 1 games play differently by the newest rules"), "{text}");
    assert!(text.ends_with("; 1 with actions that take several"), "{text}");
    let line: Value = serde_json::from_str(&by_the_newest_rules(&bundle, Format::Jsonl).await).unwrap();
    assert_eq!(line["differs"], false);
    let divided = line["divided_actions"].as_array().unwrap();
    assert_eq!(line["divided_action_count"], divided.len());
    let actions = &divided[0]["actions"];
    assert!(actions[0]["key_largo"]["buy_round"]["wreck"].is_u64(), "{line}");
    assert!(actions[1]["key_largo"]["second_wreck"]["wreck"].is_u64(), "{line}");
}

#[tokio::test]
async fn what_happens_by_both_rules_is_said_where_they_differ() {
    let options = ["encounters=true", r#"bar={"diver":[10],"pickpocket":[60]}"#];
    let differs = |impact: &Impact| impact.other_event.is_some() && impact.outcome_changed();
    let bundle = of_old_rules(GameKind::KeyLargo, &options, differs);
    let text = by_the_newest_rules(&bundle, Format::Table).await;
    assert!(
        text.starts_with("DIFFERS ") && text.contains(": by rules version 2 something else happens (by version 1 "),
        "{text}"
    );
    let (_, events) = text.split_once("by version 1 \"").unwrap();
    let (before, after) = events.split_once("\", by version 2 \"").unwrap();
    assert!(before.contains("recruits a diver for $60") && after.contains("recruits a diver for $10"), "{text}");
    assert!(text.contains("1 of 1 games play differently") && text.contains(" 1 with another result"), "{text}");
    let line: Value = serde_json::from_str(&by_the_newest_rules(&bundle, Format::Jsonl).await).unwrap();
    let price = |event: &str| line["other_event"][event]["key_largo"]["recruited"]["price"].clone();
    assert_eq!((price("before"), price("after")), (json!(60), json!(10)));
}

#[tokio::test]
async fn games_of_older_rules_are_compared_with_the_newest() {
    let dir = tempfile::tempdir().unwrap();
    let old = of_old_rules(GameKind::DeepSeaAdventure, &[], |impact| !impact.is_none());
    let old = divelog_ledger::bundle::to_file(&old);
    std::fs::write(dir.path().join("old.dlbundle"), old).unwrap();
    let server = TestServer::start(Script::default()).await;
    for (newest_rules, format) in [(true, Format::Table), (true, Format::Jsonl), (false, Format::Table)] {
        let (mut out, captured) = capture::output(format);
        let args = ImpactArgs { paths: vec![dir.path().into()], filter: FilterArgs::default(), newest_rules };
        run(&server.global(), &args, &mut out).await.unwrap();
        let text = captured.text();
        if !newest_rules {
            assert!(text.starts_with("0 of 1 games play differently on this build"), "{text}");
        } else if format == Format::Table {
            assert!(
                text.contains("old.dlbundle (deep_sea_adventure, rules version 1 by version 2): first at "),
                "{text}"
            );
            assert!(text.contains("1 of 1 games play differently by the newest rules"), "{text}");
        } else {
            let line: Value = serde_json::from_str(&text).unwrap();
            assert_eq!((&line["rules_version"], &line["replayed_rules_version"]), (&json!(1), &json!(2)));
            assert_eq!(line["differs"], true);
        }
    }
    // What cannot be read is a fault in any case.
    std::fs::write(dir.path().join("x.dlbundle"), "nothing").unwrap();
    let (mut out, captured) = capture::output(Format::Table);
    let args = ImpactArgs { paths: vec![dir.path().into()], filter: FilterArgs::default(), newest_rules: true };
    assert_eq!(run(&server.global(), &args, &mut out).await.unwrap_err().exit(), Exit::Unverified);
    assert!(captured.text().contains("NOT READ "), "{}", captured.text());
}
