//! SIGTERM and Ctrl-C stop the server in good order, and so does the end of its terminal; SIGHUP by itself stops nothing.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use divelog_tests::{Player, Server, binary};
use rustix::fs::{Mode, OFlags};
use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Generous: machines are busy.
const PATIENCE: Duration = Duration::from_secs(60);
const NOTHING: &str = "SIGHUP: there is nothing to reload";
const CLOSED: &str = "the store is synced and closed";

#[track_caller]
fn wait_for(log: impl Fn() -> String, text: &str) {
    let since = Instant::now();
    while !log().contains(text) {
        assert!(since.elapsed() < PATIENCE, "no {text:?} in {}", log());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[tokio::test]
async fn a_hang_up_that_somebody_sends_says_that_there_is_nothing_to_reload() {
    let dir = tempfile::tempdir().unwrap();
    // The tests may themselves run under `nohup`.
    let server = Server::start_after(r#"set -- env --default-signal=HUP "$@""#, &dir.path().join("data"), &[]);
    server.signal(Signal::HUP);
    wait_for(|| server.log(), NOTHING);
    Player::create(server.games().await, 2, 1).await.play(5).await;
    server.signal(Signal::HUP);
    wait_for(|| server.log().replacen(NOTHING, "", 1), NOTHING);
    server.stop();
}

#[test]
fn sigterm_and_ctrl_c_end_in_good_order() {
    for signal in [Signal::TERM, Signal::INT] {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        let server = Server::start(&data);
        server.signal(signal);
        assert!(server.wait().success(), "{signal:?}");
        assert!(data.join("closed").exists(), "{signal:?}");
    }
}

#[test]
fn who_is_told_to_outlive_the_terminal_does_not_listen_to_hang_ups() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start_after("trap '' HUP", &dir.path().join("data"), &[]);
    server.signal(Signal::HUP);
    server.signal(Signal::TERM);
    let log = dir.path().join("data.log");
    assert!(server.wait().success());
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.contains(CLOSED) && !log.contains("SIGHUP"), "{log}");
}

#[test]
fn the_end_of_its_terminal_stops_the_server_in_good_order() {
    let dir = tempfile::tempdir().unwrap();
    let (data, log) = (dir.path().join("data"), dir.path().join("log"));
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let other_end = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
    // Of util-linux: a session of its own, whose terminal is standard input.
    let mut child = Command::new("setsid")
        .args(["--ctty", "env", "--default-signal=HUP"])
        .arg(binary("divelogd"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(&data)
        .env_clear()
        .stdin(Stdio::from(other_end))
        .stdout(Stdio::piped())
        .stderr(File::create(&log).unwrap())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("listening on "), "{line:?} {:?}", std::fs::read_to_string(&log));
    drop(terminal);
    let status = child.wait().unwrap();
    let log = std::fs::read_to_string(&log).unwrap();
    assert!(status.success(), "{status}: {log}");
    assert!(log.contains("the terminal is gone") && log.contains(CLOSED), "{log}");
}

#[tokio::test]
async fn the_last_line_counts_what_this_run_has_written() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let log = || std::fs::read_to_string(dir.path().join("data.log")).unwrap();
    let last = || log().lines().rfind(|line| line.contains(CLOSED)).map(str::to_owned).unwrap();
    let server = Server::start(&data);
    server.stop();
    assert!(last().contains("new_records=0 new_blocks=0") && !last().contains("newest_block"), "{}", last());
    let server = Server::start(&data);
    Player::create(server.games().await, 2, 1).await.play(4).await;
    server.stop();
    assert!(last().contains("new_records=5 new_blocks=5 newest_block=4"), "{}", last());
    let server = Server::start(&data);
    server.stop();
    assert!(last().contains("new_records=0 new_blocks=0 newest_block=4"), "{}", last());
}
