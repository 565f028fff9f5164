//! Settings of the real binary: flags win over the environment, the environment over the file, the file over defaults;
//! what makes no sense is refused with exit code 2 and a sentence that says what to do.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use divelog_tests::{CommandOutput, binary};

fn divelogd(args: &[&str]) -> Command {
    let mut command = Command::new(binary("divelogd"));
    command.args(args).env_clear().stdin(Stdio::null());
    command
}

/// Runs a server that is expected to end by itself.
fn ended(command: &mut Command) -> CommandOutput {
    command.output().unwrap().into()
}

/// Starts a server on a data folder that only the command names, and returns where it listens.
fn listening_on(command: &mut Command, data: &Path) -> String {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(data.join("db").exists() || data.read_dir().unwrap().next().is_some(), "its data is not in {data:?}");
    line.trim_end().strip_prefix("listening on ").unwrap_or_else(|| panic!("it printed {line:?}")).to_owned()
}

#[test]
fn an_address_that_others_can_reach_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    for open in ["0.0.0.0:0", "[::]:0", "192.0.2.1:7646"] {
        let output = ended(divelogd(&["serve", "--listen", open, "--data"]).arg(&data));
        assert_eq!(output.code, 2, "{output:?}");
        assert_eq!(output.stdout, "");
        for text in [open, "loopback", "127.0.0.1:7646"] {
            assert!(output.stderr.contains(text), "{open}: {}", output.stderr);
        }
    }
    assert!(!data.exists(), "nothing was opened before the settings were checked");
}

#[test]
fn nonsense_is_refused_with_what_would_be_right() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("divelog.toml");
    std::fs::write(&file, "quue = 3\n").unwrap();
    let file = file.to_str().unwrap();
    let cases: [(&[&str], &str); 8] = [
        (&["serve", "--listen", "7646"], "127.0.0.1:7646"),
        (&["serve", "--queue", "0"], "at least 1"),
        (&["serve", "--cache-games", "0"], "at least 1"),
        (&["serve", "--threads", "0"], "from 1 to 256"),
        (&["serve", "--config", "/nonexistent.toml"], "/nonexistent.toml"),
        (&["serve", "--config", file], "quue"),
        (&["serve", "--log", "no=such=filter"], "log"),
        (&["serve", "--nonsense"], "--nonsense"),
    ];
    for (args, text) in cases {
        let output = ended(divelogd(args).current_dir(dir.path()));
        assert_eq!(output.code, 2, "{args:?}: {output:?}");
        assert!(output.stderr.contains(text), "{args:?}: {}", output.stderr);
        assert_eq!(output.stdout, "");
    }
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    // Three loopback addresses, so that the answer shows whose setting won.
    let file = path("divelog.toml");
    std::fs::write(&file, format!("listen = \"127.0.0.4:0\"\ndata = {:?}\n", path("of-file"))).unwrap();
    let from_file = listening_on(divelogd(&["serve", "--config"]).arg(&file), &path("of-file"));
    assert!(from_file.starts_with("127.0.0.4:"), "{from_file}");
    let mut command = divelogd(&["serve"]);
    command.env("DIVELOG_CONFIG", &file).env("DIVELOG_LISTEN", "127.0.0.3:0").env("DIVELOG_DATA", path("of-env"));
    let from_env = listening_on(&mut command, &path("of-env"));
    assert!(from_env.starts_with("127.0.0.3:"), "{from_env}");
    command.args(["--listen", "127.0.0.2:0", "--data"]).arg(path("of-flag"));
    let from_flag = listening_on(&mut command, &path("of-flag"));
    assert!(from_flag.starts_with("127.0.0.2:"), "{from_flag}");
}

#[test]
fn help_begins_with_examples_and_names_every_setting() {
    let output = ended(&mut divelogd(&["--help"]));
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    assert!(output.stdout.starts_with("Examples:\n"), "{}", output.stdout);
    let output = ended(&mut divelogd(&["serve", "--help"]));
    assert_eq!(output.code, 0);
    let settings = [
        "config",
        "data",
        "listen",
        "log",
        "log-format",
        "cache-games",
        "queue",
        "max-watchers",
        "drain-seconds",
        "store-cache-mib",
        "threads",
    ];
    for setting in settings {
        assert!(output.stdout.contains(&format!("--{setting} <")), "{setting}: {}", output.stdout);
        let env = format!("DIVELOG_{}", setting.replace('-', "_").to_uppercase());
        assert!(output.stdout.contains(&env), "{env}: {}", output.stdout);
    }
    let none = ended(&mut divelogd(&[]));
    assert_eq!(none.code, 2, "without a command it says what there is");
    assert!(none.stderr.contains("serve") && none.stdout.is_empty(), "{none:?}");
    let version = ended(&mut divelogd(&["--version"]));
    assert_eq!(version.stdout, format!("divelogd {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_taken_port_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = ended(divelogd(&["serve", "--listen", &address, "--data"]).arg(dir.path().join("data")));
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains(&address), "{}", output.stderr);
}
