//! A process without a free file descriptor: what nobody was answered on is tried again, and the store goes on.

use std::path::Path;
use std::time::{Duration, Instant};

use divelog_tests::{Player, Server};
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use tonic_health::pb::health_check_response::ServingStatus;

use crate::faults::{TIMEOUT, health};

/// Lets a running server open no file, and goes on with those it has open; answers with what it was allowed before.
///
/// No number is below the limit: whatever it has open only for a moment, and closes after this, leaves no room either.
fn forbid_new_files(server: &Server) -> Rlimit {
    let pid = Pid::from_raw(server.pid() as i32);
    let before = rustix::process::getrlimit(Resource::Nofile);
    prlimit(pid, Resource::Nofile, Rlimit { current: Some(0), maximum: before.maximum }).unwrap()
}

/// The block that the watermark names; none if there is no watermark yet.
fn marked_block(data: &Path) -> Option<u64> {
    let line = std::fs::read_to_string(data.join("watermark")).ok()?;
    Some(line.split(' ').nth(2).unwrap().parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watermark_that_cannot_be_written_without_a_free_descriptor_is_written_later() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 4, 3).await;
    player.play(3).await;
    let until = async |what: &str, done: &dyn Fn() -> bool| {
        let deadline = Instant::now() + TIMEOUT;
        while !done() {
            assert!(Instant::now() < deadline, "{what}: {}", server.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    until("no first watermark", &|| marked_block(server.data()).is_some()).await;
    let allowed = forbid_new_files(&server);
    // Play goes on meanwhile, on the connection that is there.
    let before = marked_block(server.data()).unwrap();
    player.play(5).await;
    until("no warning", &|| server.log().contains("the watermark cannot be written now")).await;
    player.play(5).await;
    assert_eq!(marked_block(server.data()), Some(before));
    prlimit(Pid::from_raw(server.pid() as i32), Resource::Nofile, allowed).unwrap();
    until("no watermark", &|| marked_block(server.data()) >= Some(before + 10)).await;
    assert_eq!(health(&server).await, ServingStatus::Serving);
    player.play(1).await;
    server.stop();
    let server = Server::start(&dir.path().join("data"));
    player.client = server.games().await;
    assert_eq!(player.game().await.revision, 15);
    server.stop();
}
