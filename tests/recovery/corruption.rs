//! A store damaged in many places: every game whose bytes are still there is restored whole, every other one is named,
//! and nothing is restored that was not written.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use divelog_ledger::{Expectation, GameId, Secret, verify};
use divelog_service::recovery::fsck::{self, fsck};
use divelog_service::recovery::restore::{self, restore};
use divelog_service::recovery::signing::LogOptions;
use divelog_service::recovery::{Problem, Progress, Report};
use divelog_service::{session, store};
use divelog_tests::{Player, Server};

use super::expected_games::{self, ExpectedGames};
use super::{copy, divelogd, text};
use crate::faults::{SharedChoices, setting};

const PAGE: u64 = 4096;
/// Enough for a store that only a test reads.
const SMALL_JOURNAL: u64 = 1 << 20;

/// What is done to the files of one copy, in words.
fn damage_files(choices: &SharedChoices, case: u64, files: &mut [Vec<u8>]) -> String {
    // Half the copies have lost their journals, so that the database's file is all there is.
    let without_journal = case.is_multiple_of(2);
    if without_journal {
        for file in &mut files[1..] {
            file.clear();
        }
    }
    let how = case / 2 % 8;
    let hits = [1, 1, 16, 1, 24, 1, 1, 64][how as usize];
    for file in files.iter_mut().filter(|file| !file.is_empty()) {
        for _ in 0..hits {
            let length = file.len() as u64;
            let at = choices.below(length) as usize;
            match how {
                0 | 2 => file[at] ^= 1 << choices.below(8),
                1 | 4 => {
                    let from = at / PAGE as usize * PAGE as usize;
                    let to = (from + PAGE as usize).min(file.len());
                    file[from..to].fill(0);
                }
                // The tail, or more than that.
                3 => file.truncate((length - choices.below(length.min(64 * 1024))) as usize),
                5 => file.truncate((length / 2) as usize),
                6 => file.truncate(at),
                // Whatever comes.
                _ => {
                    let to = (at + 1 + choices.below(512) as usize).min(file.len());
                    for byte in &mut file[at..to] {
                        *byte = choices.below(256) as u8;
                    }
                }
            }
        }
    }
    let names = ["a bit", "a page", "16 bits", "the tail", "24 pages", "half", "the rest", "64 scrambled places"];
    format!("{} of {}", names[how as usize], if without_journal { "the database's file alone" } else { "all files" })
}

fn write(dir: &Path, expected_games: &ExpectedGames, files: &[Vec<u8>], from: &Path) {
    std::fs::create_dir(dir).unwrap();
    for ((name, _), bytes) in expected_games.files.iter().zip(files).filter(|(_, bytes)| !bytes.is_empty()) {
        std::fs::write(dir.join(name), bytes).unwrap();
    }
    for name in ["conf", "watermark", "signing-key", "tlog-state"] {
        std::fs::copy(from.join(name), dir.join(name)).unwrap();
    }
    copy(&from.join("tlog"), &dir.join("tlog"));
}

/// Games that the report says are not known to be whole.
fn named(report: &Report, kinds: impl Fn(Problem) -> bool) -> BTreeSet<GameId> {
    report.problems.iter().filter(|problem| kinds(problem.problem)).map(|problem| problem.game_id).collect()
}

/// What a restored store holds of each game: its records, all verified, and nothing but what was written.
fn restored(dir: &Path, expected_games: &ExpectedGames, what: &str) -> Vec<(GameId, usize)> {
    let options = store::Options {
        dir: dir.to_path_buf(),
        describe: session::describe,
        queue: 1,
        cache_bytes: 16 << 20,
        journal_bytes: SMALL_JOURNAL,
        accept_loss: false,
    };
    let (store, _writer) = store::open(options, |_: Vec<()>, _: store::Durability| {}).unwrap();
    let mut found = Vec::new();
    for (id, game) in &expected_games.games {
        let Some(stored) = store.read_game(*id).unwrap_or_else(|error| panic!("{what}: {error}")) else { continue };
        let records: Vec<_> = stored.records.iter().map(|record| record.bytes.clone()).collect();
        assert_eq!(records, game.records[..records.len()], "{what}: game {id} is another one");
        if let Some(secret) = stored.secret {
            let verified = verify(*id, &Secret(secret), &records, Expectation::default());
            verified.unwrap_or_else(|fault| panic!("{what}: game {id}: {fault}"));
            found.push((*id, records.len()));
        }
    }
    store.close();
    found
}

fn check(
    expected_games: &ExpectedGames,
    files: &[Vec<u8>],
    report: &Report,
    found: &[(GameId, usize)],
    what: &str,
) -> usize {
    let complete: BTreeSet<GameId> = found
        .iter()
        .filter(|(id, records)| *records == expected_games.games[id].records.len())
        .map(|(id, _)| *id)
        .collect();
    let intact: BTreeSet<GameId> =
        expected_games.games.keys().filter(|id| expected_games.is_intact(id, files)).copied().collect();
    let lost: Vec<_> = intact.difference(&complete).collect();
    assert!(lost.is_empty(), "{what}: intact games are lost: {lost:?}\n{}", report.to_table());
    let all = named(report, |_| true);
    let unnamed: Vec<_> =
        expected_games.games.keys().filter(|id| !complete.contains(id) && !all.contains(id)).collect();
    assert!(unnamed.is_empty(), "{what}: games are not whole and nobody says so: {unnamed:?}\n{}", report.to_table());
    // What is certain must be so.
    let wrongly_named: Vec<_> =
        named(report, |kind| kind != Problem::MayLackItsEnd).intersection(&complete).copied().collect();
    assert!(
        wrongly_named.is_empty(),
        "{what}: whole games are reported as damaged: {wrongly_named:?}\n{}",
        report.to_table()
    );
    assert!(
        !report.whole || complete.len() == expected_games.games.len(),
        "{what}: called whole\n{}",
        report.to_table()
    );
    complete.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_file_never_costs_an_intact_game() {
    let choices = SharedChoices::from_environment("recovery");
    let cases = setting("DIVELOG_RECOVERY_CASES", 112);
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let games = expected_games::play(&data, 40, 30).await;
    let expected_games = ExpectedGames::new(&data, games);
    let published = dir.path().join("published");
    copy(&data.join("tlog"), &published);
    let started = Instant::now();
    let (mut whole, mut hurt, mut survivors) = (0, 0, 0);
    for case in 0..cases {
        let mut files: Vec<Vec<u8>> = expected_games.files.iter().map(|(_, bytes)| bytes.clone()).collect();
        let what = format!("case {case}: {}", damage_files(&choices, case, &mut files));
        let (damaged, new) = (dir.path().join(format!("damaged-{case}")), dir.path().join(format!("new-{case}")));
        write(&damaged, &expected_games, &files, &data);
        let checked =
            fsck(fsck::Options { data: &damaged, tiles: Some(&published), open_copy: false }, &Progress::hidden());
        let checked = checked.unwrap_or_else(|error| panic!("{what}: {error}"));
        let from = [damaged.clone()];
        let options = restore::Options {
            from: &from,
            data: &new,
            tiles: Some(&published),
            log: LogOptions::default(),
            journal_bytes: SMALL_JOURNAL,
        };
        let report = restore(options, &Progress::hidden()).unwrap_or_else(|error| panic!("{what}: {error}"));
        let found = restored(&new, &expected_games, &what);
        let complete = check(&expected_games, &files, &report, &found, &what);
        assert_eq!(named(&checked, |_| true), named(&report, |_| true), "{what}: fsck and restore disagree");
        for ((name, _), bytes) in expected_games.files.iter().zip(&files).filter(|(_, bytes)| !bytes.is_empty()) {
            assert!(std::fs::read(damaged.join(name)).unwrap() == *bytes, "{what}: the source was changed");
        }
        // A restored store has nothing to complain of but what the published log has more.
        let again = fsck(fsck::Options { data: &new, tiles: None, open_copy: false }, &Progress::hidden()).unwrap();
        // A game that lost records and its secret was named for the first, and is named for the second now.
        let complaints = named(&again, |kind| kind != Problem::Lost && kind != Problem::MissingRecords);
        let without_secret = named(&report, |kind| kind == Problem::NoSecret);
        assert!(complaints.is_superset(&without_secret), "{what}: {}", again.to_table());
        assert!(complaints.is_subset(&named(&report, |_| true)), "{what}: {}", again.to_table());
        assert!(again.blocks.missing.is_empty() && again.blocks.damaged.is_empty(), "{what}: {}", again.to_table());
        match complete == expected_games.games.len() {
            true => whole += 1,
            false => hurt += 1,
        }
        survivors += complete;
        std::fs::remove_dir_all(&damaged).unwrap();
        std::fs::remove_dir_all(&new).unwrap();
    }
    println!(
        "recovery: {cases} damaged copies in {:.1} s: {whole} gave everything back, {hurt} not; {survivors} of {} games",
        started.elapsed().as_secs_f32(),
        cases as usize * expected_games.games.len()
    );
    // Otherwise the damage was none.
    assert!(hurt >= cases / 4, "only {hurt} of {cases} copies were hurt");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_restore_a_damaged_folder_and_the_server_goes_on() {
    let choices = SharedChoices::from_environment("recovery commands");
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let games = expected_games::play(&data, 16, 20).await;
    let expected_games = ExpectedGames::new(&data, games);
    let published = dir.path().join("published");
    copy(&data.join("tlog"), &published);
    let whole = divelogd(&["fsck", "--data", text(&data), "--tiles", text(&published)]);
    assert_eq!(whole.code, 0, "{whole:?}");
    for case in [2, 4, 8, 10, 13, 14] {
        let mut files: Vec<Vec<u8>> = expected_games.files.iter().map(|(_, bytes)| bytes.clone()).collect();
        let what = format!("case {case}: {}", damage_files(&choices, case, &mut files));
        let (damaged, new) = (dir.path().join(format!("damaged-{case}")), dir.path().join(format!("new-{case}")));
        write(&damaged, &expected_games, &files, &data);
        let output = divelogd(&["fsck", "--data", text(&damaged), "--tiles", text(&published), "-o", "json"]);
        let report: serde_json::Value =
            serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{what}: {output:?}"));
        assert_eq!(output.code, if report["whole"] == true { 0 } else { 4 }, "{what}: {output:?}");
        let args =
            ["restore", "--from", text(&damaged), "--data", text(&new), "--tiles", text(&published), "-o", "json"];
        let output = divelogd(&args);
        let report: serde_json::Value =
            serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{what}: {output:?}"));
        assert_eq!(output.code, if report["whole"] == true { 0 } else { 4 }, "{what}: {output:?}");
        assert_eq!(report["engine"]["sound"], true, "{what}: {output:?}");
        // A second time there is something in the way.
        let again = divelogd(&args);
        assert!(again.code == 1 && again.stderr.contains("is not empty"), "{what}: {again:?}");

        let server = Server::start(&new);
        for (id, game) in &expected_games.games {
            if expected_games.is_intact(id, &files) {
                assert_eq!(expected_games::read(&server, &id.to_string()).await.records, game.records, "{what}");
            }
        }
        if let Some(id) = expected_games.games.keys().find(|id| expected_games.is_intact(id, &files)) {
            let mut player = Player::of(server.games().await, id.to_string(), 5);
            player.play(3).await;
        }
        Player::create(server.games().await, 3, 1).await.play(usize::MAX).await;
        let in_use = divelogd(&["fsck", "--data", text(&new)]);
        assert!(in_use.code == 1 && in_use.stderr.contains("is in use by a server"), "{in_use:?}");
        server.stop();
        Server::start(&new).stop();
    }
}
