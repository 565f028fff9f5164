//! A client of somebody else: Python code made from the protos alone plays whole games, reads errors, watches, finds the
//! services by reflection, and checks the log with none of our code, down to every die.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use divelog_tests::player::new_game;
use divelog_tests::{Server, repository};

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

#[track_caller]
fn succeeded(output: &Output, hint: &str) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{hint}\n{}{}", text(&output.stdout), text(&output.stderr));
}

/// The folder of the programs of a Python environment with everything in python/requirements.txt, made once for each
/// version of that file and kept in the target folder.
pub fn environment() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let requirements = repository().join("tests/python/requirements.txt");
        let hash = divelog_ledger::hash_record(&std::fs::read(&requirements).unwrap());
        let name = hex::encode(&hash[..8]);
        let target = std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_path_buf();
        let folder = target.join(format!("python-{name}"));
        // Written last: a folder without it was left half made.
        let complete = folder.join("complete");
        if !complete.exists() {
            drop(std::fs::remove_dir_all(&folder));
            let made = Command::new("python3").args(["-m", "venv"]).arg(&folder).output().unwrap_or_else(|error| {
                panic!("python3 does not run ({error}); install Python 3.10 or newer: `apt-get install python3-venv`")
            });
            succeeded(&made, "python3 has no venv module; install it: `apt-get install python3-venv`");
            let mut pip = Command::new(folder.join("bin/python"));
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]).arg(&requirements);
            succeeded(&run(&mut pip), "pip cannot install tests/python/requirements.txt; it needs PyPI or a mirror");
            std::fs::write(&complete, "").unwrap();
        }
        folder.join("bin")
    })
}

/// Every proto file of the repository, relative to `proto/`.
pub fn proto_files() -> Vec<String> {
    fn gather(folder: &Path, root: &Path, into: &mut Vec<String>) {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                gather(&path, root, into);
            } else if path.extension().is_some_and(|extension| extension == "proto") {
                into.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    let root = repository().join("proto");
    let mut files = Vec::new();
    gather(&root, &root, &mut files);
    files.sort();
    files
}

/// The code of all messages and services, as any Python client has it.
pub fn generate(dir: &Path) -> PathBuf {
    let generated = dir.join("generated");
    std::fs::create_dir(&generated).unwrap();
    let mut protoc = Command::new(environment().join("python"));
    protoc.args(["-m", "grpc_tools.protoc", "-I"]).arg(repository().join("proto"));
    for out in ["--python_out", "--grpc_python_out"] {
        protoc.arg(format!("{out}={}", generated.display()));
    }
    succeeded(&run(protoc.args(proto_files())), "protoc does not take the protos");
    generated
}

/// Runs a program of `python/` against a server.
fn client(program: &str, server: &Server, generated: &Path, more: &[&str]) -> Output {
    let mut client = Command::new(environment().join("python"));
    client.arg(repository().join("tests/python").join(program));
    client.arg(server.url().strip_prefix("http://").unwrap()).arg(generated).args(more);
    // The repository stays as it is.
    client.env("PYTHONDONTWRITEBYTECODE", "1");
    let output = run(&mut client);
    succeeded(&output, "the Python client has found something");
    print!("{}", String::from_utf8_lossy(&output.stdout));
    output
}

#[test]
fn a_client_made_from_the_protos_plays_and_audits() {
    let dir = tempfile::tempdir().unwrap();
    let generated = generate(dir.path());
    let server = Server::start(&dir.path().join("data"));
    let output = client("main.py", &server, &generated, &[]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("ok: check_checkpoints"), "not all checks ran");
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn six_unthrottled_streams_are_slowed_down_and_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let generated = generate(dir.path());
    let server = Server::start(&dir.path().join("data"));
    let game = server.games().await.create_game(new_game(3)).await.unwrap().into_inner().game.unwrap();
    client("pipelines.py", &server, &generated, &[&game.game_id, &server.pid().to_string()]);
    server.stop();
}
