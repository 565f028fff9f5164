//! Files that are shortened, missing, foreign or in use: refused at the start with what to do, and left as they are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};
use tonic::Code;

use super::{Filled, contents, open_sled, refused};

type Damage = fn(&Path);

const DAMAGES: [(&str, Damage); 3] = [
    ("halved", |db| {
        let file = std::fs::File::options().write(true).open(db).unwrap();
        file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    }),
    ("emptied", |db| std::fs::File::create(db).unwrap().set_len(0).unwrap()),
    ("deleted", |db| std::fs::remove_file(db).unwrap()),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_with_missing_blocks_is_refused_until_the_loss_is_accepted() {
    let filled = Filled::new(40, 60).await;
    for (name, damage) in DAMAGES {
        println!("db {name}:");
        let data = filled.copy(name);
        damage(&data.join("db"));
        let before = contents(&data);
        // Twice: the first attempt must not have made the loss look like a new store.
        for _ in 0..2 {
            let output = refused(&data, &[]);
            let last = output.lines().last().unwrap();
            assert!(last.starts_with("divelogd: the store in "), "{output}");
            for needed in [data.to_str().unwrap(), "backup", "divelogd fsck", "divelogd restore", "--accept-loss"] {
                assert!(last.contains(needed), "{name}: {needed:?} is missing: {output}");
            }
            let lost = match name {
                "halved" => "when the store was closed. Nothing was changed.",
                _ => "the file `db` is missing or empty. Nothing was changed.",
            };
            assert!(last.contains("is missing committed blocks") && last.contains(lost), "{name}: {output}");
            let after = contents(&data);
            for (file, bytes) in &before {
                assert!(after.get(file) == Some(bytes), "{name}: the refused start has changed {file}");
            }
        }
        let after_refusals = accepted(&filled, &data).await;
        // What was whole in a backup is whole when it is put back.
        std::fs::remove_dir_all(&data).unwrap();
        let data = filled.copy(name);
        let server = Server::start(&data);
        filled.is_whole(&server).await;
        server.stop();

        // To be refused before the loss is accepted costs nothing that accepting it at once would have kept.
        let data = filled.copy(&format!("{name}-at-once"));
        damage(&data.join("db"));
        assert_eq!(accepted(&filled, &data).await, after_refusals, "{name}");
        let readable = after_refusals.values().filter(|game| game.is_ok()).count();
        println!("db {name}: {readable} of {} games can be read after --accept-loss", filled.logs.len());
        let server = Server::start(&data);
        Player::create(server.games().await, 3, 1).await.play(usize::MAX).await;
        server.stop();
    }
}

/// What an operator has who accepts the loss: of each game its revision, or the refusal.
async fn accepted(filled: &Filled, data: &Path) -> BTreeMap<String, Result<u64, Code>> {
    let server = Server::start_with(data, &["--accept-loss"]);
    let mut games = BTreeMap::new();
    for game_id in filled.logs.keys() {
        let request = pb::GetGameRequest { game_id: game_id.clone(), viewer: None };
        let got = server.games().await.get_game(request).await;
        let revision = got.map(|game| game.into_inner().game.unwrap().revision).map_err(|status| status.code());
        games.insert(game_id.clone(), revision);
    }
    server.stop();
    games
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_server_on_the_same_folder_is_refused_and_the_first_goes_on() {
    let filled = Filled::new(2, 5).await;
    let first = Server::start(&filled.data());
    for flags in [&[][..], &["--accept-loss"]] {
        let output = refused(&filled.data(), flags);
        assert!(output.contains("is in use by another process; stop it, or choose another folder"), "{output}");
        filled.is_whole(&first).await;
    }
    filled.goes_on(&first).await;
    first.stop();
    Server::start(&filled.data()).stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_of_a_later_version_is_refused_and_left_alone() {
    let filled = Filled::new(2, 5).await;
    let set_format = |version: u32| {
        let db = open_sled(&filled.data());
        db.open_tree("meta").unwrap().insert("format", &version.to_be_bytes()).unwrap();
        db.flush().unwrap();
    };
    set_format(4);
    for flags in [&[][..], &["--accept-loss"]] {
        let output = refused(&filled.data(), flags);
        assert!(output.contains("has format 4, this version reads up to 3"), "{output}");
        assert!(output.contains(filled.data().to_str().unwrap()), "the text does not say which folder: {output}");
    }
    set_format(3);
    let server = Server::start(&filled.data());
    filled.is_whole(&server).await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_its_watermark_a_whole_store_starts_and_gets_a_new_one() {
    let filled = Filled::new(3, 10).await;
    let watermark: PathBuf = filled.data().join("watermark");
    let before = std::fs::read(&watermark).unwrap();
    std::fs::remove_file(&watermark).unwrap();
    let server = Server::start(&filled.data());
    assert!(server.log().contains("no watermark file"), "{}", server.log());
    filled.is_whole(&server).await;
    assert_eq!(std::fs::read(&watermark).unwrap(), before);
    filled.goes_on(&server).await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreadable_watermark_is_refused_until_that_is_accepted() {
    let filled = Filled::new(3, 10).await;
    let watermark = filled.data().join("watermark");
    let good = std::fs::read_to_string(&watermark).unwrap();
    std::fs::write(&watermark, good.replace("divelog-watermark 1 ", "divelog-watermark 1 1")).unwrap();
    let output = refused(&filled.data(), &[]);
    for needed in ["watermark", "backup", "--accept-loss"] {
        assert!(output.contains(needed), "{output}");
    }
    let server = Server::start_with(&filled.data(), &["--accept-loss"]);
    filled.is_whole(&server).await;
    server.stop();
    Server::start(&filled.data()).stop();
}
