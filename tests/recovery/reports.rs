//! What a command has done counts, and so does that its report could not be written.

use std::process::{Command, Stdio};

use divelog_tests::{CommandOutput, Player, Server, binary, closed_pipe, full_disk};

use super::{divelogd, text};

fn with_stdout(args: &[&str], stdout: impl Into<Stdio>) -> CommandOutput {
    let mut command = Command::new(binary("divelogd"));
    command.args(args).env_remove("DIVELOG_DATA").env_remove("DIVELOG_SERVER").stdin(Stdio::null());
    command.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap().into()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_that_is_not_written_is_no_success() {
    let dir = tempfile::tempdir().unwrap();
    let (data, backup) = (dir.path().join("data"), dir.path().join("log.dlbackup"));
    let server = Server::start(&data);
    Player::create(server.games().await, 2, 1).await;
    let unwritten = |args: &[&str]| {
        let output = with_stdout(args, full_disk());
        assert!(output.code == 6 && output.stderr.contains("standard output does not take"), "{args:?}: {output:?}");
        // Who stops reading has what they want.
        assert_eq!(with_stdout(args, closed_pipe()).code, 0, "{args:?} | true");
    };
    unwritten(&["backup", "--server", server.url(), "--to", text(&backup)]);
    server.stop();
    unwritten(&["fsck", "--data", text(&data)]);
    unwritten(&["--help"]);
    unwritten(&["restore", "--help"]);
    let restored = dir.path().join("restored");
    let restore = ["restore", "--from", text(&backup), "--new-log", "--data", text(&restored)];
    let output = with_stdout(&restore, full_disk());
    assert!(output.code == 6 && output.stderr.contains("standard output does not take"), "{output:?}");
    Server::start(&restored).stop();

    // That something is missing wins.
    let journals = ["journal-0", "journal-1"].map(|name| restored.join(name));
    journals.iter().for_each(|journal| std::fs::remove_file(journal).unwrap());
    let fsck = ["fsck", "--data", text(&restored)];
    assert_eq!(divelogd(&fsck).code, 4);
    let output = with_stdout(&fsck, full_disk());
    assert!(output.code == 4 && output.stderr.contains("standard output does not take"), "{output:?}");
}
