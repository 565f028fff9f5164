//! What the exit code says: one command for each row of the table, verdicts that no closed pipe hides, ports where something
//! else listens, and writes that are repeated without being done twice.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use divelog_tests::{Choices, CommandOutput, Server, binary, closed_pipe, divelog, full_disk};
use rustix::process::Signal;
use serde_json::Value;

use super::{CliPlayer, create, json, ok, run};

const DIVE: &str = r#"{"deep_sea_adventure":{"dive":{}}}"#;

/// Runs the client with another standard output.
pub fn with_stdout(server: &str, args: &[&str], stdout: impl Into<Stdio>) -> CommandOutput {
    let mut command = Command::new(binary("divelog"));
    command.args(args).env("DIVELOG_SERVER", server).env("NO_COLOR", "1").env("DIVELOG_TIMEOUT", "60");
    command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
    command.spawn().unwrap().wait_with_output().unwrap().into()
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// A game's log in a file, and the same with one bit changed.
fn saved_logs(server: &Server, folder: &std::path::Path) -> (String, String, String) {
    let mut player = CliPlayer { server, game: create(server, 2), choices: Choices::new(5, 0) };
    for _ in 0..6 {
        player.step();
    }
    let text = ok(server, &format!("log show {} --include-secret -o json", player.game));
    let mut log: Value = serde_json::from_str(&text).unwrap();
    let record = &mut log["records"][3]["record"];
    let mut bytes = BASE64.decode(record.as_str().unwrap()).unwrap();
    bytes[20] ^= 1;
    *record = BASE64.encode(bytes).into();
    let paths = ["good.json", "bad.json"].map(|name| folder.join(name));
    std::fs::write(&paths[0], text).unwrap();
    std::fs::write(&paths[1], log.to_string()).unwrap();
    let [good, bad] = paths.map(|path| path.to_str().unwrap().to_owned());
    (player.game, good, bad)
}

#[test]
fn each_row_of_the_table_has_a_command() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let (game, good, bad) = saved_logs(&server, dir.path());
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let rows: [(i32, &str, String); 5] = [
        (0, "done", format!("log verify --file {good}")),
        (1, "refused", format!("game act {game} --seat 7 dive")),
        (2, "usage", "game show nonsense".into()),
        (3, "unreachable", format!("game list --server {nobody}")),
        (4, "verification failed", format!("log verify --file {bad}")),
    ];
    let help = divelog(server.url(), &["--help"]).ok();
    for (code, name, line) in &rows {
        assert_eq!(run(&server, line).code, *code, "{line}");
        assert!(help.contains(&format!("\n  {code}  {name}")), "{code}: {help}");
    }
    // Written to a disk that is full: it was done, and that is said.
    let output = with_stdout(server.url(), &words("game list"), full_disk());
    assert_eq!(output.code, 6, "{output:?}");
    for line in ["--help", "--version", "log verify --help", "completions bash"] {
        let output = with_stdout(server.url(), &words(line), full_disk());
        assert!(output.code == 6 && output.stderr.contains("cannot write to standard output"), "{line}: {output:?}");
        assert_eq!(with_stdout(server.url(), &words(line), closed_pipe()).code, 0, "{line} | true");
    }
    let act = words("game create deep_sea_adventure --players 2 -q");
    let games = |server: &Server| json(server, "game list")["games"].as_array().unwrap().len();
    let before = games(&server);
    let output = with_stdout(server.url(), &act, full_disk());
    assert!(output.code == 6 && output.stderr.contains("cannot write to standard output"), "{output:?}");
    assert!(
        output.stderr.contains("this was done all the same: the game ") && help.contains("\n  6  not written"),
        "{output:?}"
    );
    assert_eq!(games(&server), before + 1);
    let output = with_stdout(server.url(), &[&act[..], &["-o", "json"]].concat(), full_disk());
    let error: Value = serde_json::from_str(&output.stderr).unwrap();
    assert!(error["reason"] == "NOT_WRITTEN" && error["done"].as_str().unwrap().contains("was created"), "{error}");
    server.stop();
}

#[test]
fn a_verdict_wins_over_whatever_happens_to_the_output() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let (game, good, bad) = saved_logs(&server, dir.path());
    let bundle = dir.path().join("game.dlbundle").to_str().unwrap().to_owned();
    ok(&server, &format!("bundle export {game} --include-secret --file {bundle}"));
    let promise = format!("{game}:{}", "ab".repeat(32));
    let rows = [
        (format!("log verify --file {bad}"), 4, 4),
        (format!("log verify --file {bad} -o json"), 4, 4),
        (format!("bundle verify {bundle} --promise {promise}"), 4, 4),
        (format!("bundle verify {bundle} --promise {promise} -o json"), 4, 4),
        (format!("log verify --file {good}"), 0, 6),
        ("log verify --all".into(), 0, 6),
        ("log verify --all -o jsonl".into(), 0, 6),
        (format!("log verify {game} --on-server"), 0, 6),
        (format!("game show {game}"), 0, 6),
        (format!("replay {game}"), 0, 6),
        (format!("bundle export {game} --file -"), 0, 6),
    ];
    for (line, closed, full) in rows {
        assert_eq!(with_stdout(server.url(), &words(&line), closed_pipe()).code, closed, "{line} | true");
        assert_eq!(with_stdout(server.url(), &words(&line), full_disk()).code, full, "{line} > /dev/full");
    }
    server.stop();
}

/// Takes connections and answers each as soon as it has said something, then leaves it open until the client closes it.
fn answering(answer: &'static [u8]) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            std::thread::spawn(move || {
                let mut bytes = [0; 4096];
                let _ = stream.read(&mut bytes);
                let _ = stream.write_all(answer);
                while stream.read(&mut bytes).is_ok_and(|read| read > 0) {}
            });
        }
    });
    address
}

#[test]
fn what_does_not_speak_grpc_is_unreachable() {
    // An empty SETTINGS frame, and on stream 1 the headers `:status: 404`.
    const NOT_FOUND_BY_HTTP_2: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 1, 5, 0, 0, 0, 1, 0x8d];
    let cases: [(&str, &[u8]); 3] = [
        ("HTTP/1.1", b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
        ("SSH", b"SSH-2.0-OpenSSH_9.6\r\n"),
        ("HTTP/2 without gRPC", NOT_FOUND_BY_HTTP_2),
    ];
    for (what, answer) in cases {
        let url = format!("http://{}", answering(answer));
        let output = divelog(&url, &["game", "list", "--timeout", "5"]);
        assert_eq!((output.code, output.stdout.as_str()), (3, ""), "{what}: {output:?}");
    }
}

/// Runs a line that an error printed, as somebody who copies it.
fn paste(server: &Server, line: &str) -> CommandOutput {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).env("DIVELOG_SERVER", server.url()).env("DIVELOG_TIMEOUT", "60").stdin(Stdio::null());
    shell.output().unwrap().into()
}

#[test]
fn a_write_without_an_answer_is_repeated_by_the_line_that_the_error_prints() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = create(&server, 2);
    let seat = json(&server, &format!("game show {game}"))["game"]["to_act"][0].to_string();
    let act = ["game", "act", &game, "--seat", &seat, "--json", DIVE, "-o", "json", "--timeout", "1"];
    let reason = ["game", "abandon", &game, "--reason", "it's late", "-o", "json", "--timeout", "1"];
    let fork = ["game", "fork", &game, "-o", "json", "--timeout", "1"];
    let new = ["game", "create", "deep_sea_adventure", "--players", "2", "-o", "json", "--timeout", "1"];
    let games = || json(&server, "game list")["games"].as_array().unwrap().len();
    let mut expected = games();
    for (args, makes_a_game) in [(&act[..], false), (&fork, true), (&new, true), (&reason, false)] {
        // A server that does not answer in time, and may or may not do what it was asked when it goes on.
        server.signal(Signal::STOP);
        let output = divelog(server.url(), args);
        server.signal(Signal::CONT);
        assert_eq!((output.code, output.stdout.as_str()), (3, ""), "{args:?}: {output:?}");
        let error: Value = serde_json::from_str(&output.stderr).unwrap();
        let line = error["repeat"].as_str().unwrap_or_else(|| panic!("{args:?}: {error}"));
        assert!(line.contains(error["request_id"].as_str().unwrap()), "{error}");
        let line = line.replace("--timeout 1", "--timeout 60");
        let (first, second) = (paste(&server, &line), paste(&server, &line));
        assert_eq!((first.code, first.stdout), (0, second.ok()), "{line}");
        expected += usize::from(makes_a_game);
        assert_eq!(games(), expected, "{line}");
    }
    let shown = json(&server, &format!("game show {game}"));
    assert_eq!(
        (&shown["game"]["revision"], &shown["game"]["abandon_reason"]),
        (&3.into(), &"it's late".into()),
        "once"
    );
    // Wherever it is typed: only the environment has named the server.
    let (game, other) = (create(&server, 2), Server::start(&dir.path().join("other")));
    server.signal(Signal::STOP);
    let mut command = Command::new(binary("divelog"));
    command.args(["game", "abandon", "-", "--reason", "-", "-o", "json", "--timeout", "1"]);
    command.env("DIVELOG_SERVER", server.url()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(game.as_bytes()).unwrap();
    let output = CommandOutput::from(child.wait_with_output().unwrap());
    server.signal(Signal::CONT);
    let error: Value = serde_json::from_str(&output.stderr).unwrap();
    let line = error["repeat"].as_str().unwrap().replace("--timeout 1", "--timeout 60");
    assert!(line.contains(&format!("--server {}", server.url())), "{line}");
    paste(&other, &line).ok();
    assert_eq!(json(&server, &format!("game show {game}"))["game"]["abandon_reason"], "-", "{line}");
    other.stop();
    // For people the line stands alone, ready to be copied.
    server.signal(Signal::STOP);
    let output = divelog(server.url(), &["game", "create", "deep_sea_adventure", "--players", "2", "--timeout", "1"]);
    server.signal(Signal::CONT);
    let line = output.stderr.lines().last().unwrap();
    assert!(line.contains(" --request-id ") && output.code == 3, "{output:?}");
    assert_eq!(paste(&server, line).code, 0, "{line}");
    server.stop();
}

#[test]
fn every_write_is_sent_under_an_id() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = create(&server, 2);
    let seat = json(&server, &format!("game show {game}"))["game"]["to_act"][0].to_string();
    ok(&server, &format!("game act {game} --seat {seat} dive"));
    ok(&server, &format!("game abandon {game}"));
    let log = ok(&server, &format!("log show {game}"));
    let ids: Vec<&str> = log.lines().skip(1).map(|line| line.split_whitespace().last().unwrap()).collect();
    assert_eq!(ids.len(), 3, "{log}");
    for (at, id) in ids.iter().enumerate() {
        assert!(id.len() == 36 && !ids[..at].contains(id), "{log}");
    }
    server.stop();
}

#[test]
fn a_watch_that_breaks_off_leaves_a_document() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = create(&server, 2);
    let mut command = Command::new(binary("divelog"));
    command.args(["game", "watch", &game, "-o", "json", "--timeout", "2"]).env("DIVELOG_SERVER", server.url());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut text = vec![0; 1];
    stdout.read_exact(&mut text).unwrap();
    // The first item was begun: the server may go.
    server.kill();
    stdout.read_to_end(&mut text).unwrap();
    let document: Value = serde_json::from_slice(&text).unwrap();
    let items = document.as_array().unwrap();
    assert!(items[0]["snapshot"].is_object(), "{document}");
    assert_eq!(items.last().unwrap()["error"]["code"], "UNAVAILABLE", "{document}");
    assert_eq!(child.wait().unwrap().code(), Some(3));
}

/// Ctrl-C, and what `timeout` and a supervisor send: the document is closed, and the process ends by the signal.
#[test]
fn a_watch_that_is_interrupted_leaves_a_document() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = create(&server, 2);
    for signal in [Signal::INT, Signal::TERM] {
        for format in ["json", "jsonl"] {
            let mut command = Command::new(binary("divelog"));
            command.args(["game", "watch", &game, "-o", format]).env("DIVELOG_SERVER", server.url());
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let mut stdout = child.stdout.take().unwrap();
            let mut text = vec![0; 1];
            stdout.read_exact(&mut text).unwrap();
            // The first item is sent on whole.
            while serde_json::from_slice::<Value>(&[&text[..], b"]"].concat()).is_err()
                && serde_json::from_slice::<Value>(&text).is_err()
            {
                let mut more = [0; 4096];
                let read = stdout.read(&mut more).unwrap();
                text.extend_from_slice(&more[..read]);
            }
            rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).unwrap();
            stdout.read_to_end(&mut text).unwrap();
            let status = child.wait().unwrap();
            assert_eq!(status.signal(), Some(signal.as_raw()), "{format}: {status:?}");
            let items: Vec<Value> =
                serde_json::Deserializer::from_slice(&text).into_iter().collect::<Result<_, _>>().unwrap();
            if format == "json" {
                let items = items[0].as_array().unwrap();
                assert!(items[0]["snapshot"].is_object(), "{items:?}");
                assert_eq!(items.last().unwrap()["error"]["reason"], "INTERRUPTED", "{items:?}");
            } else {
                assert!(items[0]["snapshot"].is_object() && items.len() == 1, "{items:?}");
            }
        }
    }
    server.stop();
}
