//! Every command of `divelog --help`, in every output format.

use std::io::Write;
use std::process::{Command, Stdio};

use divelog_engine::Kind;
use divelog_tests::{Choices, Server, binary, divelog};
use serde_json::Value;

use super::{CliPlayer, create, json, jsonl, ok, run};

#[test]
fn help_leads_everywhere() {
    let mut pages = vec![vec![]];
    let mut seen = 0;
    while let Some(path) = pages.pop() {
        let mut args: Vec<&str> = path.iter().map(String::as_str).collect();
        args.push("--help");
        let help = divelog("http://127.0.0.1:1", &args).ok();
        assert!(help.starts_with("Examples:\n  "), "{path:?} has no examples: {help}");
        assert!(help.contains("Usage: divelog"), "{help}");
        seen += 1;
        let commands = help.split("\nCommands:\n").nth(1).unwrap_or_default();
        for line in commands.lines().take_while(|line| line.starts_with("  ")) {
            match line.split_whitespace().next().unwrap() {
                "help" => {}
                name => pages.push([path.clone(), vec![name.to_owned()]].concat()),
            }
        }
    }
    assert_eq!(seen, 26, "help pages: a new command wants a test in this module");
    let help = divelog("http://127.0.0.1:1", &["--help"]).ok();
    for code in ["  0  done", "  1  refused", "  2  usage", "  3  unreachable", "  4  verification failed"] {
        assert!(help.contains(code), "{help}");
    }
    for env in ["DIVELOG_SERVER", "DIVELOG_OUTPUT", "DIVELOG_TIMEOUT"] {
        assert!(help.contains(env), "{help}");
    }
}

#[test]
fn a_game_is_promised_created_and_proved() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    assert!(ok(&server, "game prepare").contains("commitment  "));
    assert!(json(&server, "game prepare")["prepared"]["seed_commitment"].is_string());
    let promise = ok(&server, "game prepare -q").trim().to_owned();
    let (id, commitment) = promise.split_once(':').unwrap();
    let create = format!("game create deep_sea_adventure --players 2 --entropy 0=c0ffee --prepared {promise} -q");
    assert_eq!(ok(&server, &create).trim(), id);
    ok(&server, &format!("game abandon {id}"));
    let file = dir.path().join("promised.dlbundle");
    let file = file.to_str().unwrap();
    ok(&server, &format!("bundle export {id} --file {file}"));
    let output = ok(&server, &format!("bundle verify {file} --promise {promise}"));
    assert!(output.contains("promise    kept"), "{output}");
    let other = commitment.replace(|digit: char| digit.is_ascii_digit(), "f");
    let broken = run(&server, &format!("bundle verify {file} --promise {id}:{other}"));
    assert!(broken.code == 4 && broken.stdout.contains("BROKEN"), "{broken:?}");
    assert_eq!(run(&server, &create).code, 1, "each promise is good for one game");
    server.stop();
}

#[test]
fn kinds_and_their_rule_books() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    assert!(ok(&server, "game kinds").contains("deep_sea_adventure  Deep Sea Adventure  2-6"));
    let book = ok(&server, "game kinds deep_sea_adventure");
    assert!(book.contains("DSA-19") && book.contains("DSA-R9"), "{book}");
    assert_eq!(json(&server, "game kinds")["kinds"][0]["code_name"], "deep_sea_adventure");
    let kinds = jsonl(&server, "game kinds");
    let names: Vec<&str> = kinds.iter().map(|kind| kind["code_name"].as_str().unwrap()).collect();
    let all: Vec<&str> = Kind::ALL.iter().map(|kind| kind.code_name()).collect();
    assert_eq!(names, all);
    for (kind, option) in
        [("captain_carcass", "variant"), ("key_largo", "wreck_cards"), ("veiled_isles", "treasure_values")]
    {
        assert!(ok(&server, &format!("game kinds {kind}")).contains(option), "{kind} has the option {option}");
    }
    server.stop();
}

/// Every option shows what it takes, its default, and an example that works as it is printed.
#[test]
fn the_examples_of_options_work_as_printed() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut examples = 0;
    for kind in jsonl(&server, "game kinds") {
        let (name, seats) = (kind["code_name"].as_str().unwrap(), &kind["min_seats"]);
        let text = ok(&server, &format!("game kinds {name}"));
        let options = text.split("\nOptions\n").nth(1).unwrap().split("\nRules\n").next().unwrap();
        for option in kind["options"].as_array().unwrap() {
            let option = option["name"].as_str().unwrap();
            let about: Vec<&str> = options.lines().skip_while(|line| *line != option).skip(1).collect();
            let about: Vec<&str> = about.into_iter().take_while(|line| line.starts_with("  ")).collect();
            for label in ["  does     ", "  takes    ", "  default  "] {
                assert!(about.iter().any(|line| line.starts_with(label)), "{label}: {options}");
            }
            let example = about.iter().find_map(|line| line.strip_prefix("  example  ")).unwrap();
            let divelog = binary("divelog");
            let line = format!("{} game create {name} --players {seats} {example} -q", divelog.display());
            let mut shell = Command::new("sh");
            shell.args(["-c", &line]).env("DIVELOG_SERVER", server.url()).stdin(Stdio::null());
            let output = shell.output().unwrap();
            assert!(output.status.success(), "{line}: {output:?}");
            let game = String::from_utf8(output.stdout).unwrap();
            let shown = ok(&server, &format!("game show {}", game.trim()));
            let listed = shown.lines().find_map(|line| line.strip_prefix("options")).map(str::trim);
            let typed = example.trim_start_matches("--option ").trim_matches('\'');
            assert_eq!(listed, Some(typed), "the option differs from its default, and is shown as it is typed");
            examples += 1;
        }
    }
    assert!(examples >= 11, "{examples}");
    server.stop();
}

#[test]
fn create_list_show_legal_act_abandon() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    assert_eq!(run(&server, "game list").stderr, "no games\n");
    let dry = run(&server, "game create deep_sea_adventure --players 2 --validate-only");
    assert_eq!((dry.code, dry.stdout.as_str()), (0, ""), "{dry:?}");
    assert!(!dry.stderr.is_empty(), "a dry run says what it found");
    assert_eq!(json(&server, "game list")["games"], Value::Array(vec![]));

    let line = "game create deep_sea_adventure --player Ana --player Ben --label league=north --label n=1 \
                --entropy 0=c0ffee --request-id r-1";
    let created = json(&server, line);
    assert_eq!(json(&server, line), created, "a request id makes it safe to repeat");
    let game = created["game"]["game_id"].as_str().unwrap();
    assert_eq!(created["game"]["labels"], serde_json::json!({ "league": "north", "n": "1" }));
    let table = ok(&server, line);
    assert!(table.contains(game) && table.contains("Ana (seat 0), Ben (seat 1)"), "{table}");
    let others: Vec<String> = (0..3).map(|_| create(&server, 3)).collect();

    let ids = |line: &str| -> Vec<String> {
        let games = jsonl(&server, line);
        games.iter().map(|game| game["game_id"].as_str().unwrap().to_owned()).collect()
    };
    let newest_first: Vec<String> = others.iter().rev().cloned().chain([game.to_owned()]).collect();
    assert_eq!(ids("game list --kind deep_sea_adventure --status running"), newest_first);
    assert_eq!(ids("game list --label league=north --label n=1"), [game]);
    assert_eq!(ids("game list --status finished"), [""; 0]);
    let first = run(&server, "game list --limit 2");
    let token = first.stderr.split_whitespace().skip_while(|word| *word != "--page-token").nth(1).unwrap();
    assert_eq!(ids(&format!("game list --limit 2 --page-token {token}")), newest_first[2..]);
    assert_eq!(first.stdout.lines().count(), 3, "a header and two games: {first:?}");

    let seat = created["game"]["to_act"][0].as_u64().unwrap();
    assert_eq!(ok(&server, &format!("game legal {game} --seat {seat}")), "action\ndive\n");
    assert_eq!(json(&server, &format!("game legal {game} --seat {seat}"))["revision"], 1);
    let idle = run(&server, &format!("game legal {game} --seat {}", 1 - seat));
    assert!(idle.stdout.is_empty() && idle.stderr.contains("not asked"), "{idle:?}");
    let dry = run(&server, &format!("game act {game} --seat {seat} dive --validate-only"));
    assert_eq!(dry.code, 0, "{dry:?}");
    let act = format!("game act {game} --seat {seat} DIVE --expected-revision 1 --request-id a-1");
    assert_eq!(json(&server, &act)["revision"], 2);
    assert_eq!(json(&server, &act)["revision"], 2, "done once");
    for viewer in ["spectator", "seat:0", "seat:1", "auditor"] {
        let board = ok(&server, &format!("game show {game} --as {viewer}"));
        assert!(board.contains("Round 1 of 3   air 25/25"), "{board}");
        assert_eq!(board.contains("1=0"), viewer == "auditor", "values are for auditors: {board}");
        let value = &json(&server, &format!("game show {game} --as {viewer}"))["view"]["deep_sea_adventure"]["path"][0]
            ["chips"][0]["value"];
        assert_eq!(value.is_number(), viewer == "auditor", "{value}");
    }
    let args = ["game", "abandon", game, "--reason", "table closed", "--request-id", "x"];
    let gone = divelog(server.url(), &args).ok();
    assert!(gone.contains("abandoned") && gone.contains("table closed") && gone.contains("secret"), "{gone}");
    assert_eq!(divelog(server.url(), &args).ok(), gone);
    let board = ok(&server, &format!("game show {game}"));
    assert!(board.contains("The game is over.") && !board.contains("is to "), "nobody is asked any more: {board}");
    assert!(ok(&server, &format!("game watch {game}")).contains("The game is over."));
    server.stop();
}

#[test]
fn the_id_comes_from_a_pipe() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = create(&server, 2);
    let pipe = |args: &[&str], input: &str| {
        let mut command = Command::new(binary("divelog"));
        command.args(args).args(["--server", server.url(), "--color", "never"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{args:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let board = pipe(&["game", "show", "-"], &format!("{game}\n"));
    assert!(board.contains(&game), "{board}");
    let seat = json(&server, &format!("game show {game}"))["game"]["to_act"][0].to_string();
    let act = ["game", "act", &game, "--seat", &seat, "--json", "-", "-o", "json"];
    let answer: Value =
        serde_json::from_str(&pipe(&act, "{\"deep_sea_adventure\":{\"dive\":{\"turn_back\":false}}}")).unwrap();
    assert_eq!(answer["revision"], 2);
    let log = ok(&server, &format!("log show {game} --include-secret -o json"));
    assert!(pipe(&["log", "verify", "--file", "-"], &log).starts_with("VERIFIED"));
    server.stop();
}

#[test]
fn log_and_replay_tell_the_same_game() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = CliPlayer { server: &server, game: create(&server, 3), choices: Choices::new(5, 0) };
    for _ in 0..12 {
        player.step();
    }
    let game = &player.game;
    let log = ok(&server, &format!("log show {game}"));
    assert_eq!(log.lines().count(), 14, "a header and 13 records: {log}");
    let whole = ok(&server, &format!("replay {game}"));
    assert_eq!(whole.matches("== Revision ").count(), 13, "{whole}");
    assert!(!whole.contains("1=0"), "a spectator sees no value");
    let part = ok(&server, &format!("replay {game} --as auditor --from 4 --to 6"));
    assert_eq!(part.matches("== Revision ").count(), 3, "{part}");
    assert!(part.starts_with("== Revision 4 "), "{part}");
    let action = log.lines().nth(4).unwrap().split_whitespace().nth(3).unwrap();
    let headline = part.lines().next().unwrap();
    assert!(headline.contains(&format!(": {action}")), "an auditor is told the action: {headline} / {action}");
    let steps = jsonl(&server, &format!("replay {game} --from 13"));
    assert_eq!(steps[0]["revision"], 13);
    assert_eq!(json(&server, &format!("replay {game}")).as_array().unwrap().len(), 13);
    let seat = steps[0]["seat"].as_u64().unwrap();
    let own = jsonl(&server, &format!("replay {game} --as seat:{seat} --from 13"));
    assert!(own[0]["action"].is_object() && steps[0]["action"].is_null(), "{own:?}");
    // Without a terminal there is nobody to wait for.
    assert_eq!(ok(&server, &format!("replay {game} --step")), whole);
    server.stop();
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = divelog("http://127.0.0.1:1", &["completions", shell]).ok();
        assert!(script.contains("divelog") && script.contains("abandon"), "{shell}: {script}");
    }
}
