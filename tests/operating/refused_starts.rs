//! A start that is refused leaves nothing behind, and says what would be right.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use divelog_tests::{CommandOutput, Server, binary};

fn serve(dir: &Path, flags: &[&str], log: Option<&str>) -> CommandOutput {
    let mut command = Command::new(binary("divelogd"));
    command.arg("serve").args(flags).current_dir(dir).env_clear().stdin(Stdio::null());
    if !flags.contains(&"--listen") {
        command.env("DIVELOG_LISTEN", "127.0.0.1:0");
    }
    if let Some(log) = log {
        command.env("DIVELOG_LOG", log);
    }
    command.output().unwrap().into()
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        dir.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn nothing_is_made_by_a_start_that_is_refused() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let cases: [(&[&str], i32, &[&str]); 9] = [
        (&["--listen", &address], 1, &[&address, "--listen"]),
        (&["--publish", "file"], 1, &["file", "ot a directory"]),
        (&["--publish", "file/below"], 1, &["file/below", "ot a directory"]),
        (&["--data", "file"], 1, &["file", "ot a directory"]),
        (&["--data", "file/below"], 1, &["file/below", "ot a directory"]),
        (&["--origin", "two words"], 1, &["two words"]),
        (&["--signing-key", "no-such-key"], 1, &["no-such-key", "check the path"]),
        (&["--signing-key", "file"], 1, &["file"]),
        (&["--max-connections", "4000000000"], 1, &["open files"]),
    ];
    for (flags, code, texts) in cases {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), "somebody's").unwrap();
        let said = serve(dir.path(), flags, None);
        assert_eq!((said.code, said.stdout.as_str()), (code, ""), "{flags:?}: {said:?}");
        for text in texts {
            assert!(said.stderr.contains(text), "{flags:?} without {text:?}: {}", said.stderr);
        }
        assert_eq!(names(dir.path()), ["file"], "{flags:?}");
        assert_eq!(fs::read(dir.path().join("file")).unwrap(), b"somebody's");
    }
}

#[test]
fn a_log_filter_without_a_level_is_refused_wherever_it_comes_from() {
    for bad in ["verbose", "", "info,verbose", "divelog_service", "divelog_service=verbose"] {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("divelog.toml"), format!("log = {bad:?}\n")).unwrap();
        let said = [
            serve(dir.path(), &[], Some(bad)),
            serve(dir.path(), &["--log", bad], Some("info")),
            serve(dir.path(), &["--config", "divelog.toml"], None),
        ];
        for said in said {
            assert_eq!(said.code, 2, "{bad:?}: {said:?}");
            assert!(said.stderr.contains("off, error, warn, info, debug and trace"), "{bad:?}: {}", said.stderr);
        }
        assert_eq!(names(dir.path()), ["divelog.toml"], "{bad:?}");
    }
}

#[test]
fn a_store_that_is_there_is_served_also_where_nothing_can_be_published() {
    let dir = tempfile::tempdir().unwrap();
    let (data, publish) = (dir.path().join("data"), dir.path().join("public"));
    let flags = ["--publish", publish.to_str().unwrap()];
    Server::start_with(&data, &flags).stop();
    fs::remove_dir_all(&publish).unwrap();
    fs::write(&publish, "in the way").unwrap();
    let server = Server::start_with(&data, &flags);
    server.stop();
}
