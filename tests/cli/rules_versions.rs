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

/// A game of Key Largo by version 1 whose players have chosen their places for day 1: the id.
fn key_largo(server: &Server, options: &str, mornings: [&str; 3]) -> String {
    let game = ok(server, &format!("game create key_largo --players 3 --rules-version 1 {options} -q"));
    let game = game.trim_end().to_owned();
    for (seat, morning) in mornings.iter().enumerate() {
        ok(server, &format!("game act {game} --seat {seat} program {morning} shop"));
    }
    game
}

/// Everybody is done, one after the other, until the day is over.
fn end_the_day(server: &Server, game: &str) {
    loop {
        let shown = json(server, &format!("game show {game}"));
        if shown["view"]["key_largo"]["phase"] == "PHASE_PROGRAM" {
            return;
        }
        ok(server, &format!("game act {game} --seat {} done", shown["game"]["to_act"][0]));
    }
}

/// The line that the comparison with the newest rules has for a game.
fn impact_of(server: &Server, game: &str) -> serde_json::Value {
    let lines = jsonl(server, "log impact --newest-rules");
    let line = lines.into_iter().find(|line| line["name"] == game).expect("a line for each game");
    assert_eq!((&line["rules_version"], &line["replayed_rules_version"]), (&1.into(), &2.into()));
    assert_eq!(line["refused_at"], serde_json::Value::Null, "{line}");
    line
}

#[test]
fn games_of_key_largo_of_version_1_are_carried_over_to_the_newest_rules() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    // Nothing that version 2 has changed is used: it is the same game, although its ids and tables have another form.
    let quiet = key_largo(&server, "", ["dolphins"; 3]);
    end_the_day(&server, &quiet);
    let line = impact_of(&server, &quiet);
    assert_eq!((&line["differs"], &line["divided_action_count"]), (&false.into(), &0.into()), "{line}");
    assert_eq!(line["replayed"], line["records"]);

    // A round names its wrecks one after the other, which is said, and nothing else happens.
    let round = key_largo(&server, "", ["bar", "dolphins", "dolphins"]);
    ok(&server, &format!("game act {round} --seat 0 round 3 5"));
    end_the_day(&server, &round);
    let line = impact_of(&server, &round);
    assert_eq!((&line["differs"], &line["divided_action_count"]), (&false.into(), &1.into()), "{line}");
    assert_eq!((&line["divided_actions"][0]["sequence"], &line["replayed"]), (&4.into(), &line["records"]));

    // A good friend in a shop whose prices fall with company: $50 by version 1, $10 by version 2.
    let options = r#"--option encounters=true --option shop={"hose":[50,30,10],"trident":[30],"weight":[20]}"#;
    let friend_of = |game: &str| {
        (0..3).find(|seat| {
            let shown = json(&server, &format!("game show {game} --as seat:{seat}"));
            shown["view"]["key_largo"]["players"][seat]["encounters"][0] == "ENCOUNTER_GOOD_FRIEND"
        })
    };
    // One in eight games has it among the first three cards.
    let games = (0..150).map(|_| key_largo(&server, options, ["dolphins"; 3]));
    let found = games.filter_map(|game| Some((friend_of(&game)?, game))).next();
    let (seat, friend) = found.expect("a good friend among the first three cards of 150 games");
    loop {
        let next = json(&server, &format!("game show {friend}"))["game"]["to_act"][0].as_u64();
        if next == Some(seat as u64) {
            break;
        }
        ok(&server, &format!("game act {friend} --seat {} done", next.unwrap()));
    }
    ok(&server, &format!("game act {friend} --seat {seat} play ENCOUNTER_GOOD_FRIEND"));
    let bought = ok(&server, &format!("game act {friend} --seat {seat} buy hose 0"));
    assert!(bought.contains("$50"), "{bought}");
    let line = impact_of(&server, &friend);
    let price = |event: &str| line["other_event"][event]["key_largo"]["bought"]["price"].clone();
    assert_eq!((price("before"), price("after")), (50.into(), 10.into()), "{line}");
    let last = line["records"].as_u64().unwrap() - 1;
    assert_eq!((&line["differs"], &line["first_difference"]["sequence"]), (&true.into(), &last.into()), "{line}");

    let text = ok(&server, "log impact --newest-rules").split_whitespace().collect::<Vec<_>>().join(" ");
    let carried =
        format!("CARRIED OVER {round} (key_largo, rules version 1 by version 2): nothing else happens; 1 action");
    assert!(text.contains(&carried) && text.contains("record 4: round 3, second 5"), "{text}");
    assert!(text.contains(&format!("DIFFERS {friend} ")) && !text.contains(&quiet), "{text}");
    assert!(text.contains("0 with another result, 0 with other winners"), "{text}");
    // By their own rules nothing has changed.
    assert!(ok(&server, "log impact").starts_with("0 of "));
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
            let options = book["options"].as_array().unwrap();
            assert!(options.iter().all(|option| brought(option) <= version), "{name}, version {version}");
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
    // An option that a version does not have is not among those to choose from.
    assert!(book("game kinds key_largo").contains("--option unsold_unit=35"));
    assert!(!book("game kinds key_largo --rules-version 1").contains("--option unsold_unit="));
    server.stop();
}
