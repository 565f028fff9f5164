//! What every end-to-end test needs: the real binaries, a real server on a free port, and a player.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test harness fails by panicking")]

mod not_run;
pub mod player;
pub mod server;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

pub use divelog_history::Choices;
pub use not_run::not_run;
pub use player::Player;
pub use server::Server;

/// The repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// A binary of this workspace, built first if it is not up to date: cargo does not build another package's binaries for
/// a test, and a stale server would be tested without anybody noticing.
pub fn binary(name: &str) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let folder = BUILT.get_or_init(|| {
        let folder = std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().to_path_buf();
        let mut build = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        build.args(["build", "--quiet", "--workspace", "--bins"]).current_dir(repository());
        build.env("CARGO_TARGET_DIR", folder.parent().unwrap());
        if folder.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().unwrap().success(), "the binaries do not build");
        folder
    });
    folder.join(name)
}

/// A pipe that nobody reads: every write to it fails.
pub fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// A disk without room.
pub fn full_disk() -> Stdio {
    File::options().write(true).open("/dev/full").unwrap().into()
}

/// What a finished command printed.
#[derive(Debug)]
pub struct CommandOutput {
    /// Its exit code.
    pub code: i32,
    /// Its data.
    pub stdout: String,
    /// Everything else.
    pub stderr: String,
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> CommandOutput {
        CommandOutput {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl CommandOutput {
    /// Its data, if it did what it was asked.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.stdout
    }
}

/// Runs the command-line client against a server.
pub fn divelog(server: &str, args: &[&str]) -> CommandOutput {
    let mut command = Command::new(binary("divelog"));
    command.args(args).env("DIVELOG_SERVER", server).env("NO_COLOR", "1").stdin(Stdio::null());
    // Patient: on a busy machine the disk may keep a call waiting for long.
    command.env("DIVELOG_TIMEOUT", "60");
    // Tables as programs read them, however wide the terminal of whoever runs the tests.
    command.env_remove("COLUMNS");
    command.output().unwrap().into()
}
