//! The README's tour works as written, from a build to a verified replay.

use std::process::Command;

use divelog_tests::{Said, repository};

/// The commands of the tour: all its fenced blocks, one after another, as somebody would paste them.
fn commands() -> String {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let blocks: Vec<&str> =
        readme.split("```sh tour\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= 5, "the tour has {} blocks", blocks.len());
    blocks.concat()
}

#[test]
fn the_tour_works_as_written() {
    // `exec` keeps one process group per shell; the trap ends the tour's servers if a command fails half-way.
    let script = format!("set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n{}", commands());
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(repository())
        .env_remove("CARGO_TARGET_DIR")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let said = Said::from(output);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.contains("refused, exit code 1"), "{said:?}");
    assert!(said.stdout.contains("FORK of"), "{said:?}");
    assert!(said.stdout.contains("VERIFIED"), "{said:?}");
    assert!(said.stderr.contains("DSA-7"), "{said:?}");
}
