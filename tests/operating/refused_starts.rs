//! A start that is refused leaves nothing behind, and says what would be right.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use divelog_tests::{CommandOutput, Server, binary};
use rustix::fs::{CWD, FileType, Mode, OFlags};

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
        let output = serve(dir.path(), flags, None);
        assert_eq!((output.code, output.stdout.as_str()), (code, ""), "{flags:?}: {output:?}");
        for text in texts {
            assert!(output.stderr.contains(text), "{flags:?} without {text:?}: {}", output.stderr);
        }
        assert_eq!(names(dir.path()), ["file"], "{flags:?}");
        assert_eq!(fs::read(dir.path().join("file")).unwrap(), b"somebody's");
    }
}

/// A server that waits in the middle of opening its store: its watermark is a pipe into which nothing is written. Answers with
/// the end of the pipe that lets it go on.
fn opening(data: &Path, address: &str) -> Result<(Child, File), CommandOutput> {
    fs::create_dir(data).unwrap();
    let watermark = data.join("watermark");
    rustix::fs::mknodat(CWD, &watermark, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let mut command = Command::new(binary("divelogd"));
    command.args(["serve", "--listen", address, "--data"]).arg(data).env_clear().stdin(Stdio::null());
    let mut server = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        // There is a reader as soon as the server opens the store.
        match rustix::fs::open(&watermark, OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty()) {
            Ok(pipe) => return Ok((server, pipe.into())),
            Err(error) => assert_eq!(error, rustix::io::Errno::NXIO),
        }
        if server.try_wait().unwrap().is_some() {
            return Err(server.wait_with_output().unwrap().into());
        }
        assert!(Instant::now() < deadline, "the store is never opened");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// So that a start which is refused for its address has changed nothing; and nobody waits for long who calls too early.
#[test]
fn the_address_is_taken_before_the_store_is_opened() {
    for attempt in 0.. {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let (server, pipe) = match opening(&dir.path().join("data"), &free.to_string()) {
            Ok(opening) => opening,
            // Somebody else was given the port meanwhile.
            Err(output) if output.stderr.contains("cannot listen") && attempt < 10 => continue,
            Err(output) => panic!("{output:?}"),
        };
        assert_eq!(TcpListener::bind(free).unwrap_err().kind(), ErrorKind::AddrInUse);
        let mut early = TcpStream::connect(free).unwrap();
        early.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let answer = early.read(&mut [0]).map_err(|error| error.kind());
        assert!(matches!(answer, Ok(0) | Err(ErrorKind::ConnectionReset)), "{answer:?}");
        // An empty watermark cannot be read: the start is refused, for that and nothing else.
        drop(pipe);
        let output = CommandOutput::from(server.wait_with_output().unwrap());
        assert!(output.code == 1 && output.stderr.contains("watermark"), "{output:?}");
        break;
    }
}

#[test]
fn a_log_filter_without_a_level_is_refused_wherever_it_comes_from() {
    for bad in
        ["verbose", "", "info,verbose", "divelog_service", "divelog_service=verbose", "divelogd=info", "nosuch=error"]
    {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("divelog.toml"), format!("log = {bad:?}\n")).unwrap();
        let output = [
            serve(dir.path(), &[], Some(bad)),
            serve(dir.path(), &["--log", bad], Some("info")),
            serve(dir.path(), &["--config", "divelog.toml"], None),
        ];
        for output in output {
            assert_eq!(output.code, 2, "{bad:?}: {output:?}");
            assert!(output.stderr.contains("off, error, warn, info, debug and trace"), "{bad:?}: {}", output.stderr);
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
