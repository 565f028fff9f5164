//! A log that was saved verifies without a server; with any bit of any record changed it does not, and says so with
//! exit code 4.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use divelog_tests::{Choices, CommandOutput, Server, divelog};
use serde_json::Value;

use super::{CliPlayer, create, ok};

type Change<'a> = &'a dyn Fn(&mut Value);

/// Verifies a file where no server is.
fn verify(file: &Path) -> CommandOutput {
    divelog("http://127.0.0.1:1", &["log", "verify", "--file", file.to_str().unwrap()])
}

#[track_caller]
fn assert_rejected(file: &Path, what: &str) {
    let output = verify(file);
    assert_eq!(output.code, 4, "{what}: {output:?}");
    assert!(output.stdout.starts_with("NOT VERIFIED\n"), "{what}: {output:?}");
    assert!(output.stderr.contains("verification failed at record "), "{what}: {output:?}");
}

fn bytes(value: &Value) -> Vec<u8> {
    BASE64.decode(value.as_str().unwrap()).unwrap()
}

/// A log with one bit of one record changed; a careful forger also repairs the hash beside the record.
fn forged(log: &Value, record: usize, byte: usize, bit: usize, repair: bool) -> Value {
    let mut log = log.clone();
    let entry = &mut log["records"][record];
    let mut altered = bytes(&entry["record"]);
    altered[byte] ^= 1 << bit;
    entry["record"] = BASE64.encode(&altered).into();
    if repair {
        entry["hash"] = BASE64.encode(divelog_ledger::hash_record(&altered)).into();
    }
    log
}

#[test]
fn any_changed_bit_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = CliPlayer { server: &server, game: create(&server, 2), choices: Choices::new(3, 0) };
    for _ in 0..25 {
        player.step();
    }
    let game = &player.game;
    let file = dir.path().join("game.json");
    let text = ok(&server, &format!("log show {game} --include-secret -o json"));
    std::fs::write(&file, &text).unwrap();
    assert!(verify(&file).ok().starts_with("VERIFIED\n"));
    std::fs::write(&file, ok(&server, &format!("log show {game} --include-secret -o jsonl"))).unwrap();
    assert!(verify(&file).ok().starts_with("VERIFIED\n"), "the other format serves as well");
    // A running game's log without its secret cannot be judged, and says what is missing.
    std::fs::write(&file, ok(&server, &format!("log show {game} -o json"))).unwrap();
    let output = verify(&file);
    assert!(output.code == 2 && output.stderr.contains("--include-secret"), "{output:?}");

    let log: Value = serde_json::from_str(&text).unwrap();
    let records = log["records"].as_array().unwrap();
    let mut places = Vec::new();
    for (record, entry) in records.iter().enumerate() {
        let length = bytes(&entry["record"]).len();
        // The first and the last byte of each record, and some between.
        places.extend([0, length - 1].map(|byte| (record, byte)));
        places.extend((1..length - 1).step_by(29).map(|byte| (record, byte)));
    }
    for (at, (record, byte)) in places.iter().enumerate() {
        let forgery = forged(&log, *record, *byte, at % 8, at % 2 == 0);
        std::fs::write(&file, forgery.to_string()).unwrap();
        assert_rejected(&file, &format!("record {record}, byte {byte}, bit {}", at % 8));
    }
    println!("{} changed bits were found", places.len());
    assert!(places.len() > 200, "{}", places.len());

    // And what is not a bit: records left out, exchanged or added, another head or secret.
    let change = |change: Change| {
        let mut log = log.clone();
        change(&mut log);
        std::fs::write(&file, log.to_string()).unwrap();
    };
    let list = |log: &mut Value, edit: &dyn Fn(&mut Vec<Value>)| edit(log["records"].as_array_mut().unwrap());
    let changes: [(&str, Change); 6] = [
        ("the last record left out", &|log| list(log, &|records| drop(records.pop()))),
        ("one in the middle left out", &|log| list(log, &|records| drop(records.remove(7)))),
        ("two exchanged", &|log| list(log, &|records| records.swap(4, 5))),
        ("one twice", &|log| list(log, &|records| records.push(records.last().unwrap().clone()))),
        ("another secret", &|log| log["header"]["secret"] = BASE64.encode([7; 32]).into()),
        ("another head", &|log| log["header"]["head_hash"] = BASE64.encode([7; 32]).into()),
    ];
    for (what, edit) in changes {
        change(edit);
        assert_rejected(&file, what);
    }
    server.stop();
}
