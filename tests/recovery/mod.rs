//! Backup, check and restore: what was acknowledged before a backup is in it, and a damaged store gives back every game
//! whose bytes are still there, and names the others.

mod backup;
mod corruption;
mod expected_games;
mod journals;
mod reports;
mod signing;
mod stopping;
mod transparency;

use std::path::Path;
use std::process::{Command, Stdio};

use divelog_tests::{CommandOutput, binary};

/// Runs one of the server's commands.
pub fn divelogd(args: &[&str]) -> CommandOutput {
    let mut command = Command::new(binary("divelogd"));
    command.args(args).env_remove("DIVELOG_DATA").env_remove("DIVELOG_SERVER").stdin(Stdio::null());
    command.output().unwrap().into()
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Copies a folder with everything in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in from.read_dir().unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}
