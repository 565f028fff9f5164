//! "Permission denied" comes with the path that is meant and with what to do.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use divelog_tests::{CommandOutput, Player, Server, binary};

/// A user who owns nothing.
const NOBODY: u32 = 65_534;

fn set(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Runs a command as somebody to whom permissions apply.
fn run(program: &Path, dir: &Path, args: &[&str]) -> CommandOutput {
    let mut command = Command::new(program);
    command.args(args).current_dir(dir).env_clear().env("TMPDIR", dir).stdin(Stdio::null());
    command.env("DIVELOG_LISTEN", "127.0.0.1:0");
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.output().unwrap().into()
}

#[tokio::test]
async fn every_denied_access_names_the_path_and_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    set(dir.path(), 0o755);
    // Where everybody may run it.
    let program = dir.path().join("divelogd");
    fs::copy(binary("divelogd"), &program).unwrap();
    set(&program, 0o755);
    let path = |name: &str| dir.path().join(name);
    for name in ["closed", "open", "parent"] {
        let server = Server::start(&path(name));
        Player::create(server.games().await, 2, 1).await.play(3).await;
        server.stop();
    }
    set(&path("closed"), 0o000);
    set(&path("open"), 0o777);
    for entry in path("open").read_dir().unwrap() {
        set(&entry.unwrap().path(), 0o777);
    }
    fs::write(path("settings.toml"), "").unwrap();
    set(&path("settings.toml"), 0o000);
    fs::create_dir(path("locked")).unwrap();
    set(&path("locked"), 0o555);
    fs::create_dir(path("free")).unwrap();
    set(&path("free"), 0o777);

    let mut cases: Vec<(Vec<&str>, PathBuf)> = vec![
        (vec!["serve", "--data", "closed"], "closed".into()),
        (vec!["serve", "--data", "closed/below"], "closed".into()),
        (vec!["serve", "--data", "locked/new"], "locked".into()),
        (vec!["serve", "--data", "free/new", "--publish", "locked/log"], "locked".into()),
        (vec!["serve", "--data", "free/new", "--signing-key", "settings.toml"], "settings.toml".into()),
        (vec!["serve", "--data", "free/new", "--config", "settings.toml"], "settings.toml".into()),
        (vec!["fsck", "--data", "closed"], "closed".into()),
        (vec!["fsck", "--data", "closed/below"], "closed/below".into()),
        (vec!["restore", "--from", "closed", "--data", "free/new"], "closed".into()),
        (vec!["restore", "--from", "open", "--data", "locked/new"], "locked".into()),
        (vec!["restore", "--from", "open", "--data", "closed"], "closed".into()),
    ];
    let names = ["db", "conf", "watermark", "journal-0", "signing-key", "numbers", "sync-state"];
    cases.extend(names.map(|name| (vec!["serve", "--data", "open"], Path::new("open").join(name))));
    for name in ["db", "journal-0"] {
        cases.push((vec!["fsck", "--data", "open"], Path::new("open").join(name)));
        cases.push((vec!["restore", "--from", "open", "--data", "free/new"], Path::new("open").join(name)));
    }
    let server = Server::start(&path("parent"));
    let url = server.url().to_owned();
    cases.push((vec!["backup", "--server", &url, "--to", "locked/all"], "locked/all".into()));
    for (args, denied) in cases {
        let is_file = denied.starts_with("open");
        if is_file {
            set(&path(denied.to_str().unwrap()), 0o000);
        }
        let output = run(&program, dir.path(), &args);
        if is_file {
            set(&path(denied.to_str().unwrap()), 0o777);
        }
        let text = format!("{}{}", output.stdout, output.stderr);
        assert_ne!(output.code, 0, "{args:?} {denied:?}: {output:?}");
        assert!(text.contains("Permission denied"), "{args:?} {denied:?}: {text}");
        for wanted in [denied.to_str().unwrap(), "divelogd runs as user"] {
            assert!(text.contains(wanted), "{args:?} {denied:?} without {wanted:?}: {text}");
        }
        assert_eq!(path("free").read_dir().unwrap().count(), 0, "{args:?}");
    }
    server.stop();
    set(&path("closed"), 0o700);
}
