//! The newest acknowledged records may be in the journal alone: a check that does not open sled names a journal file
//! that is missing, damaged or another store's.

use std::path::Path;

use divelog_tests::{Player, Server};

use super::{copy, divelogd, text};

async fn stopped(data: &Path) {
    let server = Server::start(data);
    Player::create(server.games().await, 3, 1).await.play(20).await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_that_cannot_be_used_is_named_without_opening_sled() {
    let dir = tempfile::tempdir().unwrap();
    let (data, other) = (dir.path().join("data"), dir.path().join("other"));
    stopped(&data).await;
    stopped(&other).await;
    divelogd(&["fsck", "--data", text(&data), "--no-trial"]).ok();
    let journal = |folder: &Path, which: usize| folder.join(format!("journal-{which}"));
    type Damage<'a> = &'a dyn Fn(&Path);
    let cases: [(&str, &str, Damage<'_>); 6] = [
        ("journal-0", "is missing", &|folder| std::fs::remove_file(journal(folder, 0)).unwrap()),
        ("journal-1", "is missing", &|folder| {
            (0..2).for_each(|which| std::fs::remove_file(journal(folder, which)).unwrap());
        }),
        ("journal-1", "header is damaged", &|folder| {
            let mut bytes = std::fs::read(journal(folder, 1)).unwrap();
            bytes[9] ^= 1;
            std::fs::write(journal(folder, 1), bytes).unwrap();
        }),
        ("journal-0", "length", &|folder| {
            let file = std::fs::File::options().write(true).open(journal(folder, 0)).unwrap();
            file.set_len(1 << 20).unwrap();
        }),
        ("journal-1", "another store", &|folder| {
            std::fs::copy(journal(&other, 1), journal(folder, 1)).unwrap();
        }),
        ("journal-0", "another store", &|folder| {
            for which in 0..2 {
                std::fs::copy(journal(&other, which), journal(folder, which)).unwrap();
            }
        }),
    ];
    for (number, (name, words, damage)) in cases.iter().enumerate() {
        let folder = dir.path().join(format!("harmed-{number}"));
        copy(&data, &folder);
        damage(&folder);
        let output = divelogd(&["fsck", "--data", text(&folder), "--no-trial"]);
        let named = output.stdout.lines().any(|line| line.contains(name) && line.contains(words));
        assert!(output.code == 4 && named, "{name} {words}: {output:?}");
        let new = dir.path().join(format!("new-{number}"));
        let output = divelogd(&["restore", "--from", text(&folder), "--data", text(&new)]);
        assert_eq!(output.code, 4, "{name} {words}: {output:?}");
        let output = divelogd(&["fsck", "--data", text(&new), "--no-trial"]);
        assert!(!output.stdout.contains("journal"), "{name} {words}: {output:?}");
    }
}
