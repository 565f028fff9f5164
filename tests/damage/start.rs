//! A start that is refused changes nothing, and a damaged store is repaired where that is asked for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use divelog_tests::Server;

use super::{Filled, contents, refused};
use crate::faults::SharedChoices;
use crate::recovery::{divelogd, text};

/// Flips bits at random places of the part of sled's file that is in use.
fn flip(data: &Path, count: u64, choices: &SharedChoices) {
    let db = data.join("db");
    let mut bytes = std::fs::read(&db).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap() as u64;
    for _ in 0..count {
        bytes[choices.below(used) as usize] ^= 1 << choices.below(8);
    }
    std::fs::write(&db, bytes).unwrap();
}

fn fsck(data: &Path) -> serde_json::Value {
    let output = divelogd(&["fsck", "--data", text(data), "--no-trial", "-o", "json"]);
    serde_json::from_str(&output.stdout).unwrap()
}

#[track_caller]
fn same(before: &BTreeMap<String, Vec<u8>>, after: &BTreeMap<String, Vec<u8>>) {
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for (file, bytes) in before {
        assert!(after[file] == *bytes, "{file} was changed");
    }
}

/// Everything beside a folder that begins with its name.
fn beside(data: &Path) -> Vec<PathBuf> {
    let name = data.file_name().unwrap().to_str().unwrap();
    let all = data.parent().unwrap().read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = all
        .filter(|path| path.is_dir() && path.file_name().unwrap().to_str().unwrap().starts_with(&format!("{name}.")))
        .collect();
    found.sort();
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_on_a_damaged_file_is_refused_and_leaves_every_byte_where_it_was() {
    let choices = SharedChoices::from_environment("refused start");
    let mut filled = Filled::new(25, 40).await;
    filled.play_on(3).await;
    let found = fsck(&filled.data())["blocks"]["found"].clone();
    for round in 0..3 {
        let data = filled.copy(&format!("round-{round}"));
        flip(&data, 400, &choices);
        // The journals still have all of a small store.
        std::fs::File::create(data.join("journal-0")).unwrap();
        std::fs::File::create(data.join("journal-1")).unwrap();
        let (before, seen) = (contents(&data), fsck(&data));
        let output = refused(&data, &[]);
        let last = output.lines().last().unwrap();
        assert!(last.starts_with("divelogd: the store in ") && last.contains("--repair"), "{output}");
        same(&before, &contents(&data));
        let again = fsck(&data);
        assert_eq!(again, seen, "reading finds what it found before");
        println!("round {round}: {} of {found} blocks are found, before and after", again["blocks"]["found"]);
    }
    let server = Server::start(&filled.data());
    filled.is_whole(&server).await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_store_is_repaired_on_demand_and_the_damaged_one_is_kept() {
    let choices = SharedChoices::from_environment("repair");
    let filled = Filled::new(12, 40).await;
    // Until a flip was met that sled cannot do with. The journals still have the blocks: everything comes back.
    for round in 0..40 {
        let data = filled.copy(&format!("round-{round}"));
        flip(&data, 20, &choices);
        let before = contents(&data);
        let (status, _) = match Server::try_start(&data, &[]) {
            Err(refused) => refused,
            Ok(server) => {
                server.kill();
                continue;
            }
        };
        assert_eq!(status.code(), Some(1));
        let server = Server::start_with(&data, &["--repair"]);
        filled.is_whole(&server).await;
        filled.goes_on(&server).await;
        let [aside] = &beside(&data)[..] else { panic!("{:?}", beside(&data)) };
        same(&before, &contents(aside));
        let log = server.log();
        for line in ["repair: making a new store", "repair: whole", "repair: done", text(aside)] {
            assert!(log.contains(line), "{line}: {log}");
        }
        server.stop();
        // Nothing is left to repair.
        let server = Server::start_with(&data, &["--repair"]);
        assert_eq!(beside(&data).len(), 1);
        server.stop();
        return;
    }
    panic!("no flip ever kept the store from being opened");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repair_that_would_lose_something_is_refused_until_that_is_accepted() {
    let choices = SharedChoices::from_environment("repair with a loss");
    let filled = Filled::new(12, 40).await;
    let data = filled.copy("damaged");
    flip(&data, 400, &choices);
    // The only other copies.
    std::fs::remove_file(data.join("journal-0")).unwrap();
    std::fs::remove_file(data.join("journal-1")).unwrap();
    let before = contents(&data);
    let output = refused(&data, &["--repair"]);
    for needed in ["cannot be repaired without a loss", "nothing was changed", "NOT WHOLE", "--accept-loss"] {
        assert!(output.contains(needed), "{needed}: {output}");
    }
    same(&before, &contents(&data));
    assert!(beside(&data).is_empty(), "{:?}", beside(&data));
    let server = Server::start_with(&data, &["--repair", "--accept-loss"]);
    let [aside] = &beside(&data)[..] else { panic!("{:?}", beside(&data)) };
    same(&before, &contents(aside));
    server.stop();
    Server::start(&data).stop();
}

/// Without `db` nothing of the folder is locked by whoever reads it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_two_concurrent_repairs_serves_and_its_folder_stays_where_it_is() {
    let filled = Filled::new(3, 20).await;
    for round in 0..3 {
        let data = filled.copy(&format!("twice-{round}"));
        std::fs::remove_file(data.join("db")).unwrap();
        // Neither of them is missing what an operator would have to say.
        let flags = ["--repair", "--accept-loss"];
        let start = || {
            std::thread::spawn({
                let data = data.clone();
                move || Server::try_start(&data, &flags)
            })
        };
        let started: Vec<_> = [start(), start()].into_iter().map(|thread| thread.join().unwrap()).collect();
        let (served, refused): (Vec<_>, Vec<_>) = started.into_iter().partition(Result::is_ok);
        let errors: Vec<String> = refused.into_iter().filter_map(Result::err).map(|(_, error)| error).collect();
        let [Ok(server)] = &served[..] else { panic!("{errors:?}") };
        assert!(errors[0].contains("is being repaired by another") || errors[0].contains("in use"), "{errors:?}");
        assert_eq!(beside(&data).len(), 1, "{:?}", beside(&data));
        filled.is_whole(server).await;
        filled.goes_on(server).await;
        for server in served.into_iter().filter_map(Result::ok) {
            server.stop();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_without_its_file_is_repaired_from_the_rest_and_never_becomes_an_empty_store() {
    let filled = Filled::new(3, 20).await;
    let data = filled.copy("without");
    for gone in ["db", "watermark"] {
        std::fs::remove_file(data.join(gone)).unwrap();
    }
    let before = contents(&data);
    assert!(refused(&data, &["--repair"]).contains("cannot be repaired without a loss"));
    same(&before, &contents(&data));
    let server = Server::start_with(&data, &["--repair", "--accept-loss"]);
    filled.is_whole(&server).await;
    server.stop();
    // Nothing of the games is left: there is nothing to repair, and nothing to go on with.
    let data = filled.copy("nothing");
    for gone in ["db", "watermark", "journal-0", "journal-1"] {
        std::fs::remove_file(data.join(gone)).unwrap();
    }
    let before = contents(&data);
    refused(&data, &["--repair", "--accept-loss"]);
    same(&before, &contents(&data));
}
