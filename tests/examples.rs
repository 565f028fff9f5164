//! The programs in `examples/` play a game to its end, each record shown once and in order, although the server is killed and
//! started again in the middle of it.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use divelog_tests::{Server, binary, repository};

use crate::python::{environment, generate};

/// How many games a program may end before its server is killed: then nothing was tested.
const ATTEMPTS: usize = 20;
/// The server is killed when a program shows this revision.
const KILLED_AT: u64 = 10;

/// Runs a program that is given an address, until its server was killed in the middle of a game.
fn lives_through_a_kill(program: impl Fn() -> Command) {
    let cut_off = (0..ATTEMPTS).any(|_| plays_on(program()));
    assert!(cut_off, "in {ATTEMPTS} attempts the server was never killed in the middle of a game");
}

/// Runs a program and checks what it shows. Whether its watch was cut off.
fn plays_on(mut program: Command) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    // An address that no other test uses: its port is still free when the server comes back.
    let server = Server::start_with(&data, &["--listen", "127.0.0.12:0"]);
    let address = server.url().strip_prefix("http://").unwrap().to_owned();
    let (mut server, mut killed) = (Some(server), false);
    let stderr = dir.path().join("stderr");
    program.arg(&address).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(std::fs::File::create(&stderr).unwrap());
    let mut child = program.spawn().unwrap();
    let (mut revisions, mut ends) = (Vec::new(), Vec::new());
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        match line.strip_prefix("revision ") {
            Some(rest) => revisions.push(rest.split(':').next().unwrap().parse::<u64>().unwrap()),
            None => ends.push(line),
        }
        if !killed && revisions.last() == Some(&KILLED_AT) {
            server.take().unwrap().kill();
            server = Some(Server::start_with(&data, &["--listen", &address]));
            killed = true;
        }
    }
    let (status, stderr) = (child.wait().unwrap(), std::fs::read_to_string(&stderr).unwrap());
    assert!(status.success(), "{status}: {stderr}");
    assert!(killed, "the game was over before revision {KILLED_AT}: {revisions:?}");
    assert_eq!(revisions, (1..=revisions.len() as u64).collect::<Vec<_>>(), "{stderr}");
    let [game, ada, grace] = &ends[..] else { panic!("{ends:?}") };
    assert!(ada.starts_with("ada: ") && grace.starts_with("grace: ") && ends.concat().contains("rank 1"), "{ends:?}");
    let id = game.strip_prefix("game ").unwrap();
    let verify = ["log", "verify", id, "--server", &address];
    let verified = Command::new(binary("divelog")).args(verify).output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
    server.unwrap().stop();
    stderr.contains("the watch goes on after revision")
}

#[test]
fn the_rust_example_lives_through_a_kill_of_the_server() {
    lives_through_a_kill(|| Command::new(binary("divelog-example")));
}

#[test]
fn the_python_example_lives_through_a_kill_of_the_server() {
    let dir = tempfile::tempdir().unwrap();
    let generated = generate(dir.path());
    lives_through_a_kill(|| {
        let mut program = Command::new(environment().join("python"));
        program.arg(repository().join("examples/python/play.py"));
        // The repository stays as it is.
        program.env("PYTHONPATH", &generated).env("PYTHONDONTWRITEBYTECODE", "1");
        program
    });
}
