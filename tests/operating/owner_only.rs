//! A data folder holds the games' secrets: everything that divelogd makes in it is its owner's alone, whatever the umask is.
//! What is published is for everybody, whatever the umask is.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use divelog_proto::v1 as pb;
use divelog_proto::v1::transparency_service_client::TransparencyServiceClient;
use divelog_tests::{CommandOutput, Player, Server, binary};

const LOOSE: &str = "umask 000";
const STRICT: &str = "umask 077";

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// A folder with everything in it, but for the published log.
fn modes(folder: &Path) -> BTreeMap<PathBuf, u32> {
    let mut modes = BTreeMap::from([(folder.to_path_buf(), mode(folder))]);
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap() == "tlog" {
            continue;
        }
        match path.is_dir() {
            true => modes.extend(self::modes(&path)),
            false => drop(modes.insert(path.clone(), mode(&path))),
        }
    }
    modes
}

#[track_caller]
fn assert_private(folder: &Path) {
    let modes = modes(folder);
    assert!(modes.len() > 5, "{modes:?}");
    for (path, mode) in modes {
        assert_eq!(mode, if path.is_dir() { 0o700 } else { 0o600 }, "{mode:o} {path:?}");
    }
}

#[track_caller]
fn assert_public(folder: &Path) {
    let modes = modes(folder);
    assert!(modes.len() > 5, "{modes:?}");
    for (path, mode) in modes {
        assert_eq!(mode, if path.is_dir() { 0o755 } else { 0o644 }, "{mode:o} {path:?}");
    }
}

/// Runs a command of the server after a line of shell.
fn divelogd_after(line: &str, args: &[&str]) -> CommandOutput {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{line}; exec \"$@\"")).arg("sh").arg(binary("divelogd")).args(args).env_clear();
    command.output().unwrap().into()
}

async fn play_and_seal(server: &Server) {
    Player::create(server.games().await, 3, 1).await.play(usize::MAX).await;
    let mut log = TransparencyServiceClient::new(server.channel().await);
    log.get_checkpoint(pb::GetCheckpointRequest { seal_now: true }).await.unwrap();
}

#[tokio::test]
async fn everything_in_a_data_folder_is_its_owners_alone_and_what_is_published_is_for_everybody() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let text = |name: &str| path(name).to_str().unwrap().to_owned();
    let (publish, backup) = (text("public/log"), text("all.dlbackup"));
    let flags = ["--publish", publish.as_str(), "--publish-games"];
    let server = Server::start_after(LOOSE, &path("data"), &flags);
    play_and_seal(&server).await;
    let address = server.url().to_owned();
    assert_eq!(divelogd_after(LOOSE, &["backup", "--server", &address, "--to", &backup]).code, 0);
    assert_eq!(mode(Path::new(&backup)), 0o600);
    server.kill();
    assert_private(&path("data"));
    assert_public(&path("public"));
    assert_eq!(mode(&path(".data.divelog-store")), 0o600);

    // Also what only a stop in good order leaves, and a second run.
    let server = Server::start_after(LOOSE, &path("data"), &flags);
    play_and_seal(&server).await;
    server.stop();
    assert!(path("data/closed").exists());
    assert_private(&path("data"));

    let restored =
        ["restore", "--from", &backup, "--from", &text("data"), "--data", &text("made/restored"), "--tiles", &publish];
    let output = divelogd_after(LOOSE, &restored);
    assert_eq!(output.code, 0, "{output:?}");
    assert_private(&path("made/restored"));
    assert_eq!(mode(&path("made")), 0o700);
    assert_public(&path("made/restored/tlog"));
}

#[tokio::test]
async fn a_strict_umask_does_not_hide_what_is_published() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let server = Server::start_after(STRICT, &data, &[]);
    play_and_seal(&server).await;
    server.stop();
    assert_private(&data);
    assert_public(&data.join("tlog"));
}

/// The log's lines about permissions.
fn reports(log: &str) -> Vec<String> {
    log.lines().filter(|line| line.contains("chmod")).map(str::to_owned).collect()
}

#[test]
fn what_others_may_read_is_reported_once_with_the_command_that_fixes_it_and_not_changed() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("it's data");
    let server = Server::start(&data);
    assert_eq!(reports(&server.log()), [""; 0], "what was just made needs no fix");
    server.stop();
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set(&data, 0o755);
    set(&data.join("db"), 0o644);
    set(&data.join("signing-key"), 0o640);
    let server = Server::start_with(&data, &["--log", "warning"]);
    let log = server.log();
    server.stop();
    let [report] = reports(&log).try_into().unwrap_or_else(|_| panic!("not one line: {log}"));
    assert!(report.contains("0755"), "{report}");
    let modes = [data.clone(), data.join("db"), data.join("signing-key")].map(|path| mode(&path));
    assert_eq!(modes, [0o755, 0o644, 0o640], "left as they were");
    let command = &report[report.find("chmod").unwrap()..];
    assert!(Command::new("sh").args(["-c", command]).status().unwrap().success(), "{command}");
    assert_private(&data);
    let server = Server::start(&data);
    assert_eq!(reports(&server.log()).len(), 1, "the line of the start before: {}", server.log());
    server.stop();
}
