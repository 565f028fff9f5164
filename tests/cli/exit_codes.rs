//! Exit codes are an interface: 0 done, 1 refused, 2 usage, 3 unreachable, 4 not verified, 5 not written. Data goes to standard output
//! and everything else to standard error; an error says what to do next, and with -o json it is an object.

use std::process::{Command, Stdio};

use divelog_tests::{Server, binary, divelog};
use serde_json::Value;

use super::{create, json, ok, run};

#[test]
fn each_failure_has_its_code_and_a_next_step() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = create(&server, 2);
    let seat = json(&server, &format!("game show {game}"))["game"]["to_act"][0].as_u64().unwrap();
    let other = 1 - seat;
    let unknown = "0192d4e0-7b1a-7c3e-9f00-2a6b8c1d5e7f";
    ok(&server, "game create deep_sea_adventure --players 2 --request-id used -q");
    let missing = dir.path().join("missing.json");
    let not_a_log = dir.path().join("not-a-log.json");
    std::fs::write(&not_a_log, "{}").unwrap();
    // The line, its exit code, the reason for programs, and what a person reads.
    let cases: Vec<(String, i32, &str, &str)> = vec![
        (format!("game act {game} --seat {seat} turn-back"), 1, "FIRST_TURN", "legal now: dive"),
        (format!("game act {game} --seat {other} dive"), 1, "NOT_ASKED", "to act now: seat"),
        (format!("game act {game} --seat {seat} leave"), 1, "WRONG_PHASE", "legal now: dive"),
        (format!("game act {game} --seat {seat} dive --expected-revision 9"), 1, "STALE_REVISION", "revision 1, not 9"),
        (format!("game abandon {game} --expected-revision 9"), 1, "STALE_REVISION", "revision 1, not 9"),
        (format!("game act {game} --seat 7 dive"), 1, "NOT_ASKED", "seats are 0 to 1"),
        (format!("game show {unknown}"), 1, "GAME_NOT_FOUND", "divelog game list"),
        (format!("game watch {game} --after 99"), 1, "REVISION_AHEAD", "at revision 1"),
        (format!("replay {game} --from 5"), 1, "REVISION_AHEAD", "at revision 1"),
        ("game create deep_sea_adventure --players 7".into(), 1, "SEAT_COUNT", "2 to 6 seats, not 7"),
        ("game create deep_sea_adventure --players 3 --request-id used".into(), 1, "REQUEST_ID_REUSED", "choose a new"),
        ("game list --page-token x".into(), 1, "INVALID_FIELD", "next_page_token"),
        (format!("game act {game} --seat {seat} jump"), 2, "USAGE", "possible: dive, turn-back"),
        (format!("game act {game} --seat {seat} put-down"), 2, "USAGE", "put-down 0"),
        (format!("game act {game} --seat {seat} --json {{\"x\":1}}"), 2, "USAGE", "deep_sea_adventure"),
        ("game show 12345".into(), 2, "USAGE", "a full id looks like"),
        (format!("game show {game} --as king"), 2, "USAGE", "auditor"),
        (
            "game create captain_carcass --players 2 --option chosen=casnova".into(),
            2,
            "USAGE",
            "golden_scales, casanova",
        ),
        ("game create key_largo --players 3 --option dolphins=40,x".into(), 2, "USAGE", "a list of 10 with commas"),
        (
            "game create captain_carcass --players 3 --option chosen=casanova,,parry".into(),
            2,
            "USAGE",
            "item 2 of the list",
        ),
        ("game create chess --players 2".into(), 2, "USAGE", "deep_sea_adventure"),
        ("game create deep_sea_adventure --players 2 --label x".into(), 2, "USAGE", "="),
        ("game create deep_sea_adventure --players 2 --entropy 0=xyz".into(), 2, "USAGE", "hex"),
        (format!("log verify --file {}", missing.display()), 2, "IO", "missing.json"),
        (format!("log verify --file {}", not_a_log.display()), 2, "USAGE", "log show GAME -o json"),
        (format!("bundle verify {}", missing.display()), 2, "IO", "missing.json"),
        (format!("bundle verify {}", not_a_log.display()), 2, "USAGE", "bundle export GAME"),
        (format!("bundle export {unknown} --file {}", missing.display()), 1, "GAME_NOT_FOUND", "divelog game list"),
        (format!("log checkpoint --since {}", not_a_log.display()), 2, "USAGE", "--save FILE"),
        ("log checkpoint --key nonsense".into(), 2, "USAGE", "NAME+HASH+DATA"),
        (format!("log impact {}", dir.path().join("nowhere").display()), 2, "IO", "nowhere"),
        (format!("log open-draw {game} --record 1"), 1, "DRAW_TO_COME", "divelog log show GAME"),
        (format!("game fork {game} --at 9"), 1, "REVISION_AHEAD", "revision 1"),
        (format!("log refusals {unknown}"), 1, "GAME_NOT_FOUND", "divelog game list"),
        (format!("game show {game} --server http://127.0.0.1:1"), 3, "UNREACHABLE", "is divelogd running"),
    ];
    for (line, code, reason, hint) in cases {
        let output = run(&server, &line);
        assert_eq!((output.code, output.stdout.as_str()), (code, ""), "{line}: {output:?}");
        assert!(output.stderr.contains(hint), "{line}: {}", output.stderr);
        assert!(output.stderr.lines().count() <= 3, "{line}: {}", output.stderr);
        for format in ["json", "jsonl"] {
            let output = run(&server, &format!("{line} -o {format}"));
            assert_eq!((output.code, output.stdout.as_str()), (code, ""), "{line}: {output:?}");
            let error: Value =
                serde_json::from_str(&output.stderr).unwrap_or_else(|e| panic!("{line}: {e}: {output:?}"));
            assert_eq!(error["reason"], reason, "{line}: {error}");
            for field in ["code", "message", "rule", "revision", "to_act", "legal_actions", "legal_actions_truncated"] {
                assert!(error.get(field).is_some(), "{line}: {field}: {error}");
            }
        }
    }
    for usage in ["", "game", "game act", "nonsense", "game create deep_sea_adventure", "log verify", "game show"] {
        let output = run(&server, usage);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{usage}: {output:?}");
        assert!(output.stderr.contains("Usage: divelog"), "{usage}: {}", output.stderr);
    }
    assert_eq!(json(&server, &format!("game show {game}"))["game"]["revision"], 1, "nothing of all that did anything");
    server.stop();
}

#[test]
fn a_server_that_does_not_answer_is_unreachable() {
    // It takes connections and says nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let output = divelog(&url, &["game", "list", "--timeout", "1"]);
    assert_eq!((output.code, output.stdout.as_str()), (3, ""), "{output:?}");
    assert!(output.stderr.contains("--timeout"), "{output:?}");
}

#[test]
fn an_address_needs_no_scheme_and_a_wrong_one_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let address = server.url().strip_prefix("http://").unwrap();
    let port = address.rsplit(':').next().unwrap();
    for right in [address.to_owned(), format!("localhost:{port}"), format!("HTTP://{address}/")] {
        assert!(divelog(&right, &["game", "kinds"]).ok().contains("deep_sea_adventure"), "{right}");
    }
    let wrong = [
        ("127.0.0.1", "names no port"),
        ("https://127.0.0.1:1", "cannot speak https, only http"),
        ("127.0.0.1:seven", "\"seven\" is not a port"),
        ("::1:7646", "in brackets"),
        ("http://127.0.0.1:1/games", "\"/games\""),
        ("http://", "names no host"),
    ];
    for (wrong, why) in wrong {
        let output = run(&server, &format!("game kinds --server {wrong}"));
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{wrong}: {output:?}");
        assert!(output.stderr.contains(why) && output.stderr.contains("such as 127.0.0.1:7646"), "{wrong}: {output:?}");
    }
    server.stop();
}

#[test]
fn flags_win_over_the_environment() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let with_env = |args: &[&str]| {
        let mut command = Command::new(binary("divelog"));
        command.args(args).env("DIVELOG_SERVER", "http://127.0.0.1:1").env("DIVELOG_OUTPUT", "json");
        let output = command.stdin(Stdio::null()).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(with_env(&["game", "kinds"]).0, 3);
    let (code, text) = with_env(&["game", "kinds", "--server", server.url()]);
    assert!(code == 0 && serde_json::from_str::<Value>(&text).is_ok(), "{text}");
    let (_, text) = with_env(&["game", "kinds", "--server", server.url(), "-o", "table"]);
    assert!(text.starts_with("kind  "), "{text}");
    server.stop();
}

#[test]
fn a_reader_who_stops_early_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut command = Command::new(binary("divelog"));
    command.args(["game", "kinds", "deep_sea_adventure", "--server", server.url()]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), [].as_slice()));
    server.stop();
}

#[test]
fn colours_only_where_they_are_wanted() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = create(&server, 2);
    assert!(!ok(&server, &format!("game show {game}")).contains('\x1b'));
    assert!(ok(&server, &format!("game show {game} --color always")).contains('\x1b'));
    // A player's name cannot reach the terminal's controls, nor the log.
    let args = ["game", "create", "deep_sea_adventure", "--player", "\x1b[31mEve\x07", "--player", "x"];
    let output = divelog(server.url(), &args);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("character 1 of the name of seat 0 is U+001B"), "{output:?}");
    assert!(!output.stderr.contains('\x1b') && !output.stderr.contains('\x07'), "{output:?}");
    server.stop();
}
