//! The command-line client as people and scripts use it: the real binary against a real server.

mod commands;
mod dishonest;
mod evidence;
mod exit_codes;
mod forgery;
mod kinds;
mod narrow;
mod outcomes;
mod replaying;
mod resume;
mod rules_versions;

use divelog_tests::{Choices, CommandOutput, Server, divelog};
use serde_json::Value;

/// Runs the client.
fn run(server: &Server, line: &str) -> CommandOutput {
    divelog(server.url(), &line.split_whitespace().collect::<Vec<_>>())
}

/// The data of a command that succeeds, with nothing but notes beside it.
#[track_caller]
fn ok(server: &Server, line: &str) -> String {
    run(server, line).ok()
}

/// The JSON document of a command that succeeds.
#[track_caller]
fn json(server: &Server, line: &str) -> Value {
    let text = ok(server, &format!("{line} -o json"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{line}: {error}: {text}"))
}

/// The objects of a command that prints one a line.
#[track_caller]
fn jsonl(server: &Server, line: &str) -> Vec<Value> {
    let text = ok(server, &format!("{line} -o jsonl"));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn create(server: &Server, players: usize) -> String {
    ok(server, &format!("game create deep_sea_adventure --players {players} -q")).trim_end().to_owned()
}

/// Somebody at a terminal, who acts by words and now and then by JSON.
struct CliPlayer<'a> {
    server: &'a Server,
    game: String,
    choices: Choices,
}

impl CliPlayer<'_> {
    /// Acts once for whoever is asked; says whether anybody was.
    fn step(&mut self) -> bool {
        let (server, game) = (self.server, &self.game);
        let shown = json(server, &format!("game show {game}"));
        let Some(seat) = shown["game"]["to_act"][0].as_u64() else { return false };
        let before = shown["game"]["revision"].as_u64().unwrap();
        if self.choices.percent(25) {
            // As a script does: take an entry of the list, submit its action.
            let legal = jsonl(server, &format!("game legal {game} --seat {seat}"));
            let action = &self.choices.pick(&legal)["deep_sea_adventure"]["action"];
            let action = serde_json::json!({ "deep_sea_adventure": action }).to_string();
            let args = ["game", "act", game, "--seat", &seat.to_string(), "--json", &action, "-o", "json"];
            let answer: Value = serde_json::from_str(&divelog(server.url(), &args).ok()).unwrap();
            assert_eq!(answer["revision"], before + 1);
        } else {
            // As a person does: read the list, type a line of it.
            let legal = ok(server, &format!("game legal {game} --seat {seat}"));
            let words: Vec<&str> = legal.lines().skip(1).collect();
            let chosen = self.choices.pick(&words);
            let output = ok(server, &format!("game act {game} --seat {seat} {chosen}"));
            assert!(output.contains(&format!("Revision {};", before + 1)), "{output}");
        }
        true
    }
}

#[test]
fn a_whole_game_is_played_by_typing() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = ok(&server, "game create deep_sea_adventure --player Ana --player Ben --label league=north -q");
    let mut player = CliPlayer { server: &server, game: game.trim_end().to_owned(), choices: Choices::new(11, 0) };
    let mut actions = 0;
    while player.step() {
        actions += 1;
    }
    let game = &player.game;
    assert!(actions > 20, "{actions}");

    let board = ok(&server, &format!("game show {game}"));
    for text in
        ["status      finished", "outcome     1. ", "Ana (seat 0)", "Ben (seat 1)", "The game is over.", "\nWinner"]
    {
        assert!(board.contains(text), "{text}: {board}");
    }
    let shown = json(&server, &format!("game show {game}"));
    assert_eq!(shown["game"]["revision"], actions + 1);
    assert_eq!(shown["game"]["status"], "GAME_STATUS_FINISHED");

    // The same story by watch, by replay and by the log.
    let watched = ok(&server, &format!("game watch {game} --after 0"));
    assert!(watched.starts_with("[1] The path is laid: 32 spaces.\n"), "{watched}");
    assert!(watched.lines().last().unwrap().contains("The game is over"), "{watched}");
    let updates = jsonl(&server, &format!("game watch {game} --after 0"));
    assert_eq!(updates.len(), actions + 2, "each record, and the end");
    assert_eq!(updates.last().unwrap()["end"]["cause"], "CAUSE_GAME_OVER");
    let steps = jsonl(&server, &format!("replay {game} --as auditor"));
    let records = jsonl(&server, &format!("log show {game}"));
    assert_eq!((steps.len(), records.len()), (actions + 1, actions + 2));
    for at in 0..=actions {
        let hash = &records[at + 1]["record"]["hash"];
        assert_eq!((&updates[at]["update"]["record_hash"], &steps[at]["record_hash"]), (hash, hash), "{at}");
    }

    for line in [format!("log verify {game}"), format!("log verify {game} --on-server")] {
        let verdict = ok(&server, &line);
        assert!(verdict.starts_with("VERIFIED\n"), "{verdict}");
        assert!(verdict.contains(&format!("good records  {}", actions + 1)), "{verdict}");
    }
    assert!(ok(&server, &format!("log verify {game}")).contains("Ana (seat 0): "), "the verdict names the players");
    // A finished game's log holds its secret: saved as it is, it proves itself when the server is gone.
    let file = dir.path().join("game.json");
    std::fs::write(&file, ok(&server, &format!("log show {game} -o json"))).unwrap();
    let url = server.url().to_owned();
    server.stop();
    let verdict = divelog(&url, &["log", "verify", "--file", file.to_str().unwrap()]).ok();
    assert!(verdict.starts_with("VERIFIED\n") && verdict.contains("Ana (seat 0): "), "{verdict}");
}
