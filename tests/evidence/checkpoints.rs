//! A follower who keeps every checkpoint: all of them are one history, whatever happens to the server in between.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use divelog_ledger::tlog::Tree;
use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};

use super::{Files, Kept};
use crate::faults::SharedChoices;

/// Plays games until asked to stop, or until the server is gone.
fn play_until(server: &Server, stop: &Arc<AtomicBool>, seed: u64) -> tokio::task::JoinHandle<()> {
    let (url, stop) = (server.url().to_owned(), Arc::clone(stop));
    tokio::spawn(async move {
        let Ok(mut client) = divelog_proto::v1::game_service_client::GameServiceClient::connect(url).await else {
            return;
        };
        while !stop.load(Ordering::Relaxed) {
            let Ok(created) = client.create_game(divelog_tests::player::new_game(3)).await else { return };
            let game_id = created.into_inner().game.unwrap().game_id;
            let mut player = Player::of(client.clone(), game_id.clone(), seed);
            if !matches!(player.step().await, Ok(Some(_))) {
                return;
            }
            let abandon = pb::AbandonGameRequest { game_id, ..Default::default() };
            if client.abandon_game(abandon).await.is_err() {
                return;
            }
        }
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checkpoints_of_a_server_that_is_killed_while_it_seals_are_one_history() {
    let choices = SharedChoices::from_environment("checkpoints");
    let dir = tempfile::tempdir().unwrap();
    let (data, publish) = (dir.path().join("data"), dir.path().join("published"));
    let flags = ["--seal-interval", "10ms", "--publish", publish.to_str().unwrap(), "--origin", "example.com/dives"];
    let mut kept: Vec<Kept> = Vec::new();
    for round in 0..10 {
        let server = Server::start_with(&data, &flags);
        let stop = Arc::new(AtomicBool::new(false));
        let playing: Vec<_> = (0..3).map(|player| play_until(&server, &stop, round * 3 + player)).collect();
        // Not synchronisation: the moment of the kill is what varies.
        let give_up = tokio::time::Instant::now() + Duration::from_millis(100 + choices.below(150));
        let mut seen = 0;
        while tokio::time::Instant::now() < give_up || seen < 3 {
            let newest = Kept::ask(&server, choices.below(2) == 0).await.unwrap();
            if kept.last().is_none_or(|last| last.note != newest.note) {
                kept.push(newest);
                seen += 1;
            }
        }
        stop.store(true, Ordering::Relaxed);
        server.kill();
        for player in playing {
            player.await.unwrap();
        }
        // What was published last is whole, although nobody tidied up.
        let published = Kept::published(&publish, &kept[0].key);
        let tree = Tree::load(published.checkpoint.size, &Files(publish.clone())).unwrap();
        assert_eq!(tree.root(), published.checkpoint.root);
        kept.push(published);
    }
    let server = Server::start_with(&data, &flags);
    kept.push(Kept::sealed(&server).await);
    assert!(kept.iter().all(|kept| kept.checkpoint.origin == "example.com/dives"));
    let sizes: Vec<u64> = kept.iter().map(|kept| kept.checkpoint.size).collect();
    assert!(sizes.is_sorted(), "a later checkpoint covers no less: {sizes:?}");
    kept.dedup_by_key(|kept| kept.note.clone());
    println!("checkpoints: {} kept, {} leaves", kept.len(), sizes.last().unwrap());
    assert!(kept.len() >= 30, "the sealer was not at work");
    for (at, old) in kept.iter().enumerate() {
        for newer in &kept[at..] {
            assert_eq!(old.key, newer.key);
            old.is_continued_by(&server, newer).await.unwrap();
        }
    }
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_is_made_once_and_logged_and_can_be_given() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let server = Server::start(&data);
    let first = Kept::sealed(&server).await;
    assert_eq!(first.checkpoint.size, 0, "a new log is empty, and signed all the same");
    let published = std::fs::read_to_string(data.join("tlog/verifier-key")).unwrap();
    assert_eq!(published.trim_end(), first.key.to_string());
    assert!(server.log().contains(&first.key.to_string()), "the log says which key it is");
    assert!(!server.log().contains("PRIVATE+KEY"), "but never the secret one");
    server.stop();
    let server = Server::start(&data);
    assert_eq!(Kept::sealed(&server).await.key, first.key);
    server.stop();
    // The same key for another folder.
    let key = data.join("signing-key");
    let server = Server::start_with(&dir.path().join("other"), &["--signing-key", key.to_str().unwrap()]);
    assert_eq!(Kept::sealed(&server).await.key, first.key);
    server.stop();
    let (status, output) = Server::try_start(&data, &["--origin", "example.com/other"]).err().unwrap();
    assert_eq!(status.code(), Some(1));
    assert!(output.contains("example.com/other") && output.contains(first.key.origin()), "{output}");
    std::fs::remove_file(&key).unwrap();
    let (_, output) = Server::try_start(&data, &[]).err().unwrap();
    assert!(output.contains("signing-key is missing") && output.contains("put it back"), "{output}");
}
