//! `game watch` in another process lives through restarts of the server: no record is missing and none comes twice.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use divelog_tests::{Choices, Server, binary};
use serde_json::Value;

use super::{CliPlayer, create, json, jsonl};

fn watch(server: &Server, game: &str, into: &Path) -> Child {
    let mut command = Command::new(binary("divelog"));
    command.args(["game", "watch", game, "--after", "0", "--until-end", "-o", "jsonl", "--server", server.url()]);
    command.stdin(Stdio::null()).stdout(std::fs::File::create(into).unwrap());
    command.stderr(std::fs::File::create(into.with_extension("notes")).unwrap()).spawn().unwrap()
}

/// Waits until so many lines were written: the watcher has seen so much.
fn wait_for_lines(file: &Path, lines: usize) {
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        let text = std::fs::read_to_string(file).unwrap();
        if text.lines().count() >= lines {
            return;
        }
        let notes = std::fs::read_to_string(file.with_extension("notes")).unwrap();
        assert!(Instant::now() < deadline, "the watcher does not come to {lines} lines: {text}\n{notes}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_watch_goes_on_after_restarts_without_gap_or_repeat() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    // An address that no other test uses: its port is still free when the server comes back.
    let mut server = Server::start_with(&data, &["--listen", "127.0.0.9:0"]);
    // Where the watcher will look for it again.
    let address = server.url().strip_prefix("http://").unwrap().to_owned();
    let game = create(&server, 2);
    let seen = dir.path().join("seen.jsonl");
    let mut watcher = watch(&server, &game, &seen);
    let mut choices = Choices::new(1, 0);
    for round in 0..4 {
        let mut player = CliPlayer { server: &server, game: game.clone(), choices };
        for _ in 0..5 {
            assert!(player.step(), "the game is over before the test");
        }
        choices = player.choices;
        if round % 2 == 0 {
            // It has seen everything, and is told that the server goes.
            wait_for_lines(&seen, 1 + 5 * (round + 1));
            server.stop();
        } else {
            // It may be behind, and is told nothing.
            server.kill();
        }
        server = Server::start_with(&data, &["--listen", &address]);
    }
    let mut player = CliPlayer { server: &server, game: game.clone(), choices };
    while player.step() {}
    let status = watcher.wait().unwrap();
    let notes = std::fs::read_to_string(seen.with_extension("notes")).unwrap();
    assert_eq!(status.code(), Some(0), "{notes}");
    assert!(notes.contains("resuming after revision"), "it was never interrupted: {notes}");

    let text = std::fs::read_to_string(&seen).unwrap();
    let messages: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let records = jsonl(&server, &format!("log show {game}"));
    let hashes: Vec<&Value> = records[1..].iter().map(|record| &record["record"]["hash"]).collect();
    let (end, updates) = messages.split_last().unwrap();
    let shown: Vec<&Value> = updates.iter().map(|message| &message["update"]["record_hash"]).collect();
    assert_eq!(shown, hashes, "{notes}");
    assert_eq!(end["end"]["cause"], "CAUSE_GAME_OVER");
    assert_eq!(end["end"]["revision"], json(&server, &format!("game show {game}"))["game"]["revision"]);
    server.stop();
}
