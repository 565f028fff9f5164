//! Disputes by the command line: bundles that convince without a server, checkpoints that catch a rewritten history,
//! opened draws, refusals, forks, and games replayed on this build.

use std::path::Path;

use divelog_ledger::bundle;
use divelog_tests::{Choices, CommandOutput, Server, divelog};
use serde_json::{Value, json as value};

use super::{CliPlayer, create, json, jsonl, ok, run};

/// Runs the client where no server is.
fn offline(line: &str) -> CommandOutput {
    divelog("http://127.0.0.1:1", &line.split_whitespace().collect::<Vec<_>>())
}

/// A game with entropy from both seats, played for so many actions or to its end.
fn played(server: &Server, actions: usize, seed: u64) -> String {
    let line = "game create deep_sea_adventure --player Ana --player Ben --entropy 0=c0ffee --entropy 1=00ff -q";
    let mut player = CliPlayer { server, game: ok(server, line).trim_end().to_owned(), choices: Choices::new(seed, 0) };
    for _ in 0..actions {
        if !player.step() {
            break;
        }
    }
    player.game
}

/// The log's public key in a file, as its operator publishes it.
fn key_file(server: &Server) -> String {
    server.data().join("tlog").join("verifier-key").display().to_string()
}

fn findings(verdict: &Value, result: &str) -> Vec<String> {
    let findings = verdict["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| finding["result"] == result)
        .map(|finding| finding["check"].as_str().unwrap().into())
        .collect()
}

#[test]
fn a_finished_game_is_proved_offline() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = played(&server, usize::MAX, 7);
    ok(&server, "log checkpoint --seal");
    let file = dir.path().join("game.dlbundle");
    let export = format!("bundle export {game} --file {}", file.display());
    let exported = json(&server, &export);
    assert_eq!((&exported["has_secret"], &exported["has_inclusion_proof"]), (&value!(true), &value!(true)));
    let again = run(&server, &export);
    assert!(again.code == 2 && again.stderr.contains("--force"), "a file is not replaced unasked: {again:?}");
    ok(&server, &format!("{export} --force"));
    let key = dir.path().join("key");
    std::fs::copy(key_file(&server), &key).unwrap();
    server.stop();

    let verify = format!("bundle verify {} --key @{}", file.display(), key.display());
    let text = offline(&verify).ok();
    assert!(text.starts_with("VERIFIED\n"), "{text}");
    assert!(text.contains("outcome    1. ") && text.contains("Ana (seat 0)"), "{text}");
    assert!(!text.contains("Not proved:") && !text.contains("Wrong:"), "{text}");
    let verdict: Value = serde_json::from_str(&offline(&format!("{verify} -o json")).ok()).unwrap();
    assert_eq!((&verdict["verified"], &verdict["game_id"]), (&value!(true), &value!(game)));
    assert_eq!(findings(&verdict, "not_proved"), [""; 0]);
    // Without the key a forger could have signed it.
    let text = offline(&format!("bundle verify {}", file.display())).ok();
    assert!(text.split("Not proved:").nth(1).unwrap().contains("signature"), "{text}");

    let shown = offline(&format!("bundle show {}", file.display())).ok();
    assert!(shown.contains(&game) && shown.contains("create deep_sea_adventure"), "{shown}");
    let shown: Value = serde_json::from_str(&offline(&format!("bundle show {} -o json", file.display())).ok()).unwrap();
    assert_eq!(shown["game_id"], game);

    every_change_is_found(&file, &verify);
}

/// Changes a byte here and there.
fn every_change_is_found(file: &Path, verify: &str) {
    let good = std::fs::read(file).unwrap();
    // The first line is the magic. The exporter's name is its own word: nothing else speaks of it.
    let producer = bundle::from_file(&good).unwrap().claims.unwrap().producer;
    let named = good.windows(producer.len()).position(|part| part == producer.as_bytes()).unwrap();
    let named = named..named + producer.len();
    let places = (bundle::MAGIC.len()..good.len()).step_by(good.len() / 60);
    for at in places.filter(|at| !named.contains(at)) {
        let mut bad = good.clone();
        bad[at] ^= 4;
        std::fs::write(file, &bad).unwrap();
        let output = offline(verify);
        assert_eq!(output.code, 4, "byte {at}: {output:?}");
        assert!(output.stderr.starts_with("error: "), "byte {at}: {output:?}");
    }
    std::fs::write(file, &good).unwrap();
    assert_eq!(offline(verify).code, 0);
    std::fs::write(file, "something else").unwrap();
    assert_eq!(offline(verify).code, 2);
}

#[test]
fn a_game_that_has_just_begun_is_proved() {
    let dir = tempfile::tempdir().unwrap();
    // Nothing is sealed unless somebody asks for it.
    let server = Server::start_with(&dir.path().join("data"), &["--seal-interval", "1h"]);
    let game = played(&server, 3, 1);
    let proved = json(&server, &format!("log prove {game} --key @{}", key_file(&server)));
    assert_eq!((&proved["proved"], &proved["revision"]), (&value!(true), &value!(1)));
    assert!(ok(&server, &format!("log prove {game}")).starts_with("PROVED"));
    // Its next leaf comes with revision 64: the sentence has a command for people, and no method of the interface.
    let none = run(&server, &format!("log prove {game} --revision 2"));
    assert_ne!(none.code, 0, "{none:?}");
    assert!(none.stderr.contains("divelog log"), "{none:?}");
    assert!(!none.stderr.contains("GetCheckpoint") && !none.stderr.contains("seal_now"), "{none:?}");
    server.stop();
}

#[test]
fn a_running_game_shows_one_draw_and_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = played(&server, 9, 2);
    let file = dir.path().join("game.dlbundle");
    let export =
        |flags: &str| json(&server, &format!("bundle export {game} --file {} --force {flags}", file.display()));
    let verdict = || -> Value {
        serde_json::from_str(&offline(&format!("bundle verify {} -o json", file.display())).ok()).unwrap()
    };
    assert_eq!(export("")["has_secret"], false);
    assert!(findings(&verdict(), "not_proved").contains(&"replay".to_owned()));
    assert_eq!(export("--open-draw 4 --open-draw 2")["opened_draws"], 2);
    assert!(findings(&verdict(), "proved").contains(&"opened_draws".to_owned()));
    assert_eq!(export("--include-secret")["has_secret"], true);
    assert!(findings(&verdict(), "proved").contains(&"replay".to_owned()));

    let opened = ok(&server, &format!("log open-draw {game} --record 1"));
    assert!(opened.starts_with("OPENED: the key fits the commitment in record 0"), "{opened}");
    let rolled = ok(&server, &format!("replay {game} --at 2 --as auditor"));
    let sentence = opened.lines().last().unwrap();
    assert!(rolled.contains(sentence), "the same story: {sentence} / {rolled}");
    let opened = json(&server, &format!("log open-draw {game} --record 1"));
    assert_eq!(opened["draw"]["sequence"], 1);
    let ahead = run(&server, &format!("log open-draw {game} --record 10"));
    assert_eq!((ahead.code, ahead.stdout.as_str()), (1, ""), "a later draw is not shown: {ahead:?}");
    server.stop();
}

#[test]
fn whoever_kept_a_checkpoint_catches_a_rewritten_history() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = played(&server, 3, 1);
    let kept = dir.path().join("kept");
    let key = dir.path().join("key");
    let first = ok(&server, &format!("log checkpoint --seal --save {}", kept.display()));
    assert!(first.contains("1 leaf, root "), "{first}");
    std::fs::copy(key_file(&server), &key).unwrap();
    let proved = ok(&server, &format!("log prove {game} --key @{}", key.display()));
    assert!(proved.starts_with("PROVED") && proved.contains("by the key that was given"), "{proved}");
    assert_eq!(json(&server, &format!("log prove {game}"))["revision"], 1);

    (0..3).for_each(|_| drop(create(&server, 2)));
    let since = format!("log checkpoint --seal --since {} --key @{}", kept.display(), key.display());
    let grown = json(&server, &since);
    assert_eq!((&grown["consistent"], &grown["checkpoint"]["tree_size"]), (&value!(true), &value!(4)), "{grown}");
    assert!(ok(&server, &since).starts_with("CONSISTENT"));
    let signing_key = dir.path().join("signing-key");
    std::fs::copy(server.data().join("signing-key"), &signing_key).unwrap();
    server.stop();

    // The operator begins again with the same key, and a past without that game.
    let flags = ["--signing-key", signing_key.to_str().unwrap()];
    let server = Server::start_with(&dir.path().join("other"), &flags);
    (0..6).for_each(|_| drop(create(&server, 2)));
    let output = run(&server, &format!("{since} --save {}", kept.display()));
    assert_eq!(output.code, 4, "{output:?}");
    assert!(
        output.stdout.starts_with("NOT CONSISTENT") && output.stderr.contains("HISTORY WAS REWRITTEN"),
        "{output:?}"
    );
    let output = run(&server, &format!("{since} -o json"));
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((output.code, &report["consistent"]), (4, &value!(false)));
    server.stop();
    // And one with another key is not believed at all.
    let server = Server::start(&dir.path().join("third"));
    let output = run(&server, &since);
    assert!(output.code == 4 && output.stderr.contains("cannot be trusted"), "{output:?}");
    server.stop();
}

#[test]
fn refusals_are_kept_and_listed() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = create(&server, 2);
    assert!(run(&server, &format!("log refusals {game}")).stderr.contains("no action of this game was refused"));
    let seat = json(&server, &format!("game show {game}"))["game"]["to_act"][0].as_u64().unwrap();
    assert_eq!(run(&server, &format!("game act {game} --seat {seat} turn-back --request-id try-1")).code, 1);
    assert_eq!(run(&server, &format!("game act {game} --seat {seat} dive --expected-revision 9")).code, 1);
    let text = ok(&server, &format!("log refusals {game}"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines[1].contains("REVISION") && lines[2].contains("DSA-7"), "newest first: {text}");
    for word in ["turn-back", "FIRST_TURN", "try-1", "127.0.0.1"] {
        assert!(lines[2].contains(word), "{word}: {text}");
    }
    ok(&server, &format!("game act {game} --seat {seat} dive --request-id used"));
    assert_eq!(run(&server, &format!("game act {game} --seat {seat} leave --request-id used")).code, 1);
    assert_eq!(run(&server, &format!("game abandon {game} --request-id used")).code, 1);
    let text = ok(&server, &format!("log refusals {game}"));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[1].contains("(abandon the game)") && !text.contains("unreadable"), "{text}");
    assert!(lines[2].contains("leave") && lines[2].contains("REQUEST_ID_REUSED"), "{text}");
    let mut kept = jsonl(&server, &format!("log refusals {game}"));
    let last = kept.pop().unwrap();
    assert_eq!((&last["summary"]["refusals"], &last["summary"]["dropped"]), (&value!(4), &value!(0)), "{last}");
    assert_eq!(last["summary"]["gaps"], value!([]));
    assert_eq!((&kept[0]["abandonment"], &kept[1]["abandonment"]), (&value!(true), &value!(false)));
    let kept = &kept[2..];
    assert_eq!(
        (&kept[1]["rule"], &kept[1]["revision"], &kept[1]["seat"]),
        (&value!("DSA-7"), &value!(1), &value!(seat))
    );
    server.stop();
}

#[test]
fn a_fork_is_never_taken_for_the_original() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let game = played(&server, 12, 5);
    let before = ok(&server, &format!("log show {game} -o json"));
    let line = format!("game fork {game} --at 8 --label why=dispute --request-id f-1");
    let fork = json(&server, &line)["game"]["game_id"].as_str().unwrap().to_owned();
    assert_eq!(ok(&server, &format!("{line} -q")).trim_end(), fork, "safe to repeat");
    assert_eq!(json(&server, &format!("game show {fork}"))["game"]["revision"], 8);
    let mark = format!("FORK of {game} at 8");
    for (line, mark) in [
        (format!("game show {fork}"), mark.clone()),
        (format!("game watch {fork} --after 0 --until-end --timeout 5"), mark.clone()),
        (format!("replay {fork} --at 3"), mark.clone()),
        (format!("log verify {fork}"), mark.clone()),
        ("game list".into(), " FORK  ".into()),
    ] {
        // A fork that is running is watched for ever: it is given up first.
        if line.starts_with("game watch") {
            ok(&server, &format!("game abandon {fork}"));
        }
        assert!(ok(&server, &line).contains(&mark), "{line}");
    }
    let board = ok(&server, &format!("game show {fork}"));
    assert_eq!(board.matches(&mark).count(), 2, "in the list of facts and above the board: {board}");
    assert_eq!(json(&server, &format!("game show {fork}"))["game"]["fork_of"]["game_id"], game);
    let listed = jsonl(&server, "game list --label why=dispute");
    assert_eq!((listed.len(), &listed[0]["fork_of"]), (1, &value!(game)));
    // The same past, whatever comes then.
    let events = |id: &str| -> Vec<Value> {
        let steps = jsonl(&server, &format!("replay {id} --as auditor --to 8"));
        steps.iter().map(|step| step["events"].clone()).collect()
    };
    assert_eq!(events(&fork), events(&game));
    assert_eq!(ok(&server, &format!("log show {game} -o json")), before, "the source is as it was");
    assert!(!ok(&server, &format!("game show {game}")).contains("FORK"));
    let same = ok(&server, &format!("game fork {game} --same-seed"));
    assert!(same.contains("with the same luck as the source"), "{same}");
    server.stop();
}

#[test]
fn a_whole_store_is_verified_and_replayed() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let finished = played(&server, usize::MAX, 4);
    let running = played(&server, 10, 6);
    let forked = ok(&server, &format!("game fork {finished} --at 20 -q"));
    for kind in ["captain_carcass", "key_largo", "veiled_isles"] {
        ok(&server, &format!("game create {kind} --players 3"));
    }
    let all = ok(&server, "log verify --all");
    assert!(all.starts_with("6 of 6 games verified"), "{all}");
    let lines = jsonl(&server, "log verify --all");
    assert_eq!(lines.len(), 6);
    assert!(lines.iter().all(|line| line["verified"] == true), "{lines:?}");
    let only = jsonl(&server, "log verify --all --status finished");
    assert_eq!((only.len(), &only[0]["game_id"]), (1, &value!(finished)));
    assert_eq!(json(&server, "log verify --all --kind key_largo")["games"], 1);
    assert_eq!(run(&server, &format!("log verify {running} --kind key_largo")).code, 2);

    let impact = ok(&server, "log impact");
    assert!(impact.starts_with("0 of 6 games play differently"), "{impact}");
    let bundles = dir.path().join("bundles");
    std::fs::create_dir(&bundles).unwrap();
    for game in [&finished, &running, forked.trim_end()] {
        let file = bundles.join(format!("{game}.dlbundle"));
        ok(&server, &format!("bundle export {game} --include-secret --file {}", file.display()));
    }
    server.stop();
    let line = format!("log impact {}", bundles.display());
    assert!(offline(&line).ok().starts_with("0 of 3 games play differently"));

    // As a build whose rules gave seat 0 one more action, and the game to somebody else, would have exported it.
    let file = bundles.join(format!("{finished}.dlbundle"));
    let mut bundle = bundle::from_file(&std::fs::read(&file).unwrap()).unwrap();
    let claims = bundle.claims.as_mut().unwrap();
    claims.legal_digests[11] = vec![0; 8].into();
    claims.outcome.as_mut().unwrap().winners = vec![5];
    std::fs::write(&file, bundle::to_file(&bundle)).unwrap();
    let output = offline(&line);
    assert_eq!(output.code, 4, "{output:?}");
    assert!(output.stdout.contains("other legal actions at 1 revision (12)"), "{output:?}");
    assert!(output.stdout.contains("1 of 3 games play differently") && output.stdout.contains("1 with other winners"));
}
