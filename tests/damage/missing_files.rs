//! Files that are deleted or moved away under a running server, and folders that are not there any more at the next start:
//! both are noticed, and nothing that was acknowledged is lost by that.

use std::path::Path;

use divelog_tests::{Player, Server};
use rustix::process::Signal;

use super::{Filled, refused};
use crate::faults::{TIMEOUT, reason, until_not_serving};
use crate::recovery::{divelogd, text};

/// Waits for the end of a server that ends by itself.
async fn ends(server: Server) -> (Option<i32>, String) {
    let log = server.data().with_extension("log");
    let ended = tokio::task::spawn_blocking(move || server.wait());
    let status = tokio::time::timeout(TIMEOUT, ended).await.expect("the server goes on").unwrap();
    (status.code(), std::fs::read_to_string(log).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_its_file_a_server_takes_nothing_and_stays_up_to_be_saved() {
    let filled = Filled::new(5, 10).await;
    let data = filled.data();
    let server = Server::start(&data);
    std::fs::remove_file(data.join("db")).unwrap();
    until_not_serving(&server).await;
    let game_id = filled.logs.keys().next().unwrap().clone();
    let mut player = Player::of(server.games().await, game_id, 1);
    let request = player.choose().await.unwrap().unwrap();
    let status = player.client.submit_action(request).await.unwrap_err();
    assert_eq!(reason(&status).as_deref(), Some("STORE_FAILED"), "{status:?}");
    assert!(!status.message().contains(text(&data)), "callers get no path: {status:?}");
    let log = server.log();
    assert!(log.contains(&format!("{} is not there any more", data.join("db").display())), "{log}");
    assert!(log.contains("take a backup of it now"), "{log}");

    // All of it is still in the process.
    let (backup, saved) = (data.with_file_name("saved.dlbackup"), data.with_file_name("saved"));
    divelogd(&["backup", "--server", server.url(), "--to", text(&backup)]).ok();
    server.signal(Signal::TERM);
    let (code, log) = ends(server).await;
    assert_eq!(code, Some(1), "{log}");
    let last = log.lines().last().unwrap();
    assert!(last.starts_with(&format!("divelogd: the store in {} has failed: ", text(&data))), "{log}");
    let run = log.split("is not there any more").nth(1).unwrap();
    assert!(!run.contains("the store is synced and closed"), "{log}");
    assert!(refused(&data, &[]).contains("the file `db` is missing or empty"));
    let args = ["restore", "--from", text(&backup), "--data", text(&saved), "--nothing-signed-since"];
    divelogd(&args).ok();
    let server = Server::start(&saved);
    filled.is_whole(&server).await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_folder_or_journal_is_moved_away_ends_with_an_error() {
    let filled = Filled::new(5, 10).await;
    for which in ["folder", "journal"] {
        let data = filled.copy(which);
        let moved = if which == "folder" { data.clone() } else { data.join("journal-1") };
        let away = moved.with_file_name("away");
        let server = Server::start(&data);
        std::fs::rename(&moved, &away).unwrap();
        let (code, log) = ends(server).await;
        assert_eq!(code, Some(1), "{log}");
        // The sealer may have made the folder again meanwhile.
        let gone = ["is not there any more", "is another one now"];
        assert!(gone.iter().any(|how| log.contains(&format!("{} {how}", moved.display()))), "{log}");
        let output = refused(&data, &[]);
        // In the place of a folder that was served from no empty store is begun.
        let expected = match which {
            "folder" => ["where there was one before", "but not `db`"],
            _ => ["cannot use its file", "journal-1"],
        };
        assert!(expected.iter().any(|expected| output.contains(expected)), "{output}");
        if which == "folder" {
            std::fs::remove_dir_all(&moved).ok();
        }
        std::fs::rename(&away, &moved).unwrap();
        let server = Server::start(&data);
        filled.is_whole(&server).await;
        filled.goes_on(&server).await;
        server.stop();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deleted_watermark_is_written_again() {
    let filled = Filled::new(2, 5).await;
    let server = Server::start(&filled.data());
    let watermark = filled.data().join("watermark");
    let before = std::fs::read(&watermark).unwrap();
    std::fs::remove_file(&watermark).unwrap();
    let deadline = std::time::Instant::now() + TIMEOUT;
    while !watermark.exists() {
        assert!(std::time::Instant::now() < deadline, "{}", server.log());
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(std::fs::read(&watermark).unwrap(), before);
    assert!(server.log().contains("somebody has deleted the watermark"), "{}", server.log());
    filled.goes_on(&server).await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_that_has_vanished_does_not_become_an_empty_store() {
    let dir = tempfile::tempdir().unwrap();
    let (data, published) = (dir.path().join("data"), dir.path().join("published"));
    let gone = |data: &Path| std::fs::remove_dir_all(data).unwrap();
    assert!(refused(&data, &["--existing"]).contains("--existing says that there is one"));
    Server::start(&data).stop();
    Server::start_with(&data, &["--existing"]).stop();
    gone(&data);
    let output = refused(&data, &[]);
    assert!(output.contains("where there was one before") && output.contains(".data.divelog-store"), "{output}");
    assert!(!data.exists(), "a refused start makes nothing");
    // An empty folder, as where a volume is not mounted.
    std::fs::create_dir(&data).unwrap();
    assert!(refused(&data, &[]).contains("where there was one before"));
    std::fs::remove_file(dir.path().join(".data.divelog-store")).unwrap();
    let publish = ["--publish", text(&published)];
    let server = Server::start_with(&data, &publish);
    Player::create(server.games().await, 2, 1).await;
    server.stop();
    gone(&data);
    std::fs::remove_file(dir.path().join(".data.divelog-store")).unwrap();
    assert!(refused(&data, &publish).contains("a transparency log was published in"));
    std::fs::remove_dir_all(&published).unwrap();
    Server::start_with(&data, &publish).stop();
}
