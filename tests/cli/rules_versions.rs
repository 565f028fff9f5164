//! Games of older rules beside those of the newest: created, shown by their own rule book, verified and replayed, and compared
//! with the newest rules.

use divelog_engine::Kind;
use divelog_tests::{Player, Server};

use super::{json, jsonl, ok, run};

/// How many games are played at most until one meets what has changed; about every second does.
const GAMES: u64 = 60;

#[tokio::test(flavor = "multi_thread")]
async fn games_of_version_1_are_played_verified_and_compared_with_the_newest_rules() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut differing = None;
    for seed in 1..=GAMES {
        let game = ok(&server, "game create deep_sea_adventure --players 6 --rules-version 1 -q").trim_end().to_owned();
        Player::of(server.games().await, game.clone(), seed).play(usize::MAX).await;
        assert_eq!(json(&server, &format!("game show {game}"))["game"]["rules_version"], 1);
        let lines = jsonl(&server, "log impact --newest-rules");
        assert_eq!(lines.len() as u64, seed);
        if let Some(line) = lines.into_iter().find(|line| line["differs"] == true) {
            differing = Some((line, seed));
            break;
        }
    }
    let (line, games) = differing.expect("a lost stack that version 2 lays otherwise");
    assert_eq!((&line["rules_version"], &line["replayed_rules_version"]), (&1.into(), &2.into()));
    assert_eq!(line["first_difference"]["field"], "effects_digest");
    let text = ok(&server, "log impact --newest-rules");
    assert!(text.contains("(deep_sea_adventure, rules version 1 by version 2): first at record "), "{text}");
    assert!(text.contains(&format!("1 of {games} games play differently by the newest rules")), "{text}");
    // By their own rules nothing has changed, also in a fork.
    let game = line["name"].as_str().unwrap();
    let fork = json(&server, &format!("game fork {game} --at 9"));
    assert_eq!(fork["game"]["rules_version"], 1);
    assert!(ok(&server, "log impact").starts_with(&format!("0 of {} games play differently", games + 1)));
    assert!(ok(&server, "log verify --all").starts_with(&format!("{0} of {0} games verified", games + 1)));
    server.stop();
}

#[test]
fn every_version_of_every_game_can_be_created_and_has_its_rule_book() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    for kind in Kind::ALL {
        let (name, newest) = (kind.code_name(), kind.rules_version());
        let created = json(&server, &format!("game create {name} --players 3"));
        assert_eq!(created["game"]["rules_version"], newest, "new games get the newest");
        for version in 1..=newest {
            let created = json(&server, &format!("game create {name} --players 3 --rules-version {version}"));
            assert_eq!(created["game"]["rules_version"], version);
            let book = json(&server, &format!("game kinds {name} --rules-version {version}"));
            assert_eq!(book["rules_version"], version);
            let rules = book["rules"].as_array().unwrap();
            let brought = |rule: &serde_json::Value| rule["rules_version"].as_u64().unwrap() as u16;
            assert!(rules.iter().all(|rule| brought(rule) <= version), "{name}, version {version}");
            assert!(rules.iter().any(|rule| brought(rule) == version), "{name}, version {version}");
        }
        let refused = run(&server, &format!("game kinds {name} --rules-version {}", newest + 1));
        assert!(refused.code == 2 && refused.stderr.contains("rules versions 1 to"), "{refused:?}");
        assert_eq!(run(&server, &format!("game create {name} --players 3 --rules-version {}", newest + 1)).code, 1);
    }
    // As one line, wherever the screen breaks it.
    let book = |line: &str| ok(&server, line).split_whitespace().collect::<Vec<_>>().join(" ");
    let newest = book("game kinds veiled_isles");
    assert!(newest.contains("strictly lower value") && newest.contains("(since version 2)"), "{newest}");
    let first = book("game kinds veiled_isles --rules-version 1");
    assert!(first.contains("1; new games get 2") && first.contains("who wins a tie may rob"), "{first}");
    assert!(!first.contains("strictly lower value"), "{first}");
    server.stop();
}
