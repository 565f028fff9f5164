//! The README's tour works as written, from a created game to a verified replay.

use std::net::TcpListener;
use std::process::Command;

use divelog_tests::{CommandOutput, binary, repository};

/// Where the tour's server listens, as it is written.
const ADDRESS: &str = "127.0.0.1:7650";

/// How the tour builds its programs. The test takes those that it was built beside instead: the same code, without
/// compiling every dependency a second time.
const BUILD: &str = "cargo build --release --bin divelogd --bin divelog\nexport PATH=\"$PWD/target/release:$PATH\"\n";

/// The commands of the tour: all its fenced blocks, one after another, as somebody would paste them.
fn commands() -> String {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let blocks: Vec<&str> =
        readme.split("```sh tour\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= 5, "the tour has {} blocks", blocks.len());
    blocks.concat()
}

/// An address that nobody listens on. The one of the tour may be taken on this machine, by somebody who takes the tour
/// just now. One of its own in 127.0.0.0/8, so that no other test is given its port in between.
fn free_address() -> String {
    let free = TcpListener::bind("127.0.0.10:0").unwrap().local_addr().unwrap();
    free.to_string()
}

#[test]
fn the_tour_works_as_written() {
    // `exec` keeps one process group per shell; the trap ends the tour's servers if a command fails half-way.
    let commands = commands();
    assert!(commands.contains(ADDRESS), "the tour's server does not listen on {ADDRESS}");
    assert!(commands.starts_with(BUILD), "the tour does not begin with the build:\n{BUILD}");
    let programs = binary("divelog");
    let programs = programs.parent().unwrap().to_str().unwrap();
    let commands = commands.replace(BUILD, &format!("export PATH='{programs}':\"$PATH\"\n"));
    let commands = commands.replace(ADDRESS, &free_address());
    let script = format!("set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n{commands}");
    let output =
        Command::new("bash").args(["-c", &script]).current_dir(repository()).env("NO_COLOR", "1").output().unwrap();
    let output = CommandOutput::from(output);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.contains("refused, exit code 1"), "{output:?}");
    assert!(output.stdout.contains("FORK of"), "{output:?}");
    assert!(output.stdout.contains("VERIFIED"), "{output:?}");
    assert!(output.stderr.contains("DSA-7"), "{output:?}");
}
