//! A real `divelogd` process on a free port.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use divelog_client::{Connection, Endpoint};
use divelog_proto::v1::audit_service_client::AuditServiceClient;
use divelog_proto::v1::game_service_client::GameServiceClient;
use rustix::process::{Pid, Signal, kill_process};
use tonic::transport::Channel;

use crate::binary;

/// Generous: machines are busy.
const CONNECT_LIMIT: Duration = Duration::from_secs(60);

/// A running server. Dropping it kills it.
pub struct Server {
    child: Child,
    url: String,
    data: PathBuf,
    /// What it writes to standard error.
    log: PathBuf,
}

impl Server {
    /// Starts a server on a data folder and waits until it listens.
    #[track_caller]
    pub fn start(data: &Path) -> Server {
        Server::start_with(data, &[])
    }

    /// Starts a server with more flags.
    #[track_caller]
    pub fn start_with(data: &Path, flags: &[&str]) -> Server {
        match Server::try_start(data, flags) {
            Ok(server) => server,
            Err((status, log)) => panic!("divelogd did not start ({status}): {log}"),
        }
    }

    /// Starts a server that may have no more than so many files open.
    #[track_caller]
    pub fn start_with_open_files(data: &Path, open_files: u32) -> Server {
        match Server::try_start_with_open_files(data, open_files, &[]) {
            Ok(server) => server,
            Err((status, log)) => panic!("divelogd did not start ({status}): {log}"),
        }
    }

    /// The same with flags, or how it ended and what it wrote.
    pub fn try_start_with_open_files(
        data: &Path,
        open_files: u32,
        flags: &[&str],
    ) -> Result<Server, (ExitStatus, String)> {
        let mut limited = Command::new("sh");
        // Hard and soft.
        limited.args(["-c", "ulimit -n \"$1\"; shift; exec \"$@\"", "sh"]).arg(open_files.to_string());
        limited.arg(binary("divelogd"));
        Server::launch(limited, data, flags)
    }

    /// Starts a server after a line of shell, such as `umask 000`.
    #[track_caller]
    pub fn start_after(line: &str, data: &Path, flags: &[&str]) -> Server {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{line}; exec \"$@\"")).arg("sh").arg(binary("divelogd"));
        match Server::launch(command, data, flags) {
            Ok(server) => server,
            Err((status, log)) => panic!("divelogd did not start ({status}): {log}"),
        }
    }

    /// Starts a server, or says how it ended and what it wrote.
    pub fn try_start(data: &Path, flags: &[&str]) -> Result<Server, (ExitStatus, String)> {
        Server::launch(Command::new(binary("divelogd")), data, flags)
    }

    fn launch(mut command: Command, data: &Path, flags: &[&str]) -> Result<Server, (ExitStatus, String)> {
        // Beside the data folder, not in it: that belongs to the server.
        let log = data.with_extension("log");
        let stderr = std::fs::OpenOptions::new().create(true).append(true).open(&log).unwrap();
        let before = std::fs::metadata(&log).unwrap().len() as usize;
        let mut child = command
            .args(["serve", "--data"])
            .arg(data)
            .args(flags)
            .env_clear()
            // By the environment, so that a flag can say otherwise.
            .env("DIVELOG_LISTEN", "127.0.0.1:0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        match line.trim_end().strip_prefix("listening on ") {
            Some(address) => Ok(Server { child, url: format!("http://{address}"), data: data.to_path_buf(), log }),
            None => {
                let status = child.wait().unwrap();
                let output = std::fs::read(&log).unwrap();
                Err((status, String::from_utf8_lossy(&output[before..]).into_owned()))
            }
        }
    }

    /// Where it listens, as a URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its data folder.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// What it has logged so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// A connection to it.
    pub async fn connect(&self) -> Connection {
        let endpoint: Endpoint = self.url.parse().unwrap();
        Connection::open(&endpoint, CONNECT_LIMIT).await.unwrap()
    }

    /// A connection, for services that are not divelog's own.
    pub async fn channel(&self) -> Channel {
        self.connect().await.channel()
    }

    /// A client that plays.
    pub async fn games(&self) -> GameServiceClient<Channel> {
        self.connect().await.games()
    }

    /// A client that audits.
    pub async fn audit(&self) -> AuditServiceClient<Channel> {
        self.connect().await.audit()
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its end.
    pub fn wait(mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// kill -9, and waits until it is gone.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGTERM, and checks that it ends with 0.
    #[track_caller]
    pub fn stop(self) {
        self.signal(Signal::TERM);
        let log = self.log.clone();
        let status = self.wait();
        assert!(status.success(), "{status}: {}", std::fs::read_to_string(log).unwrap());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // After `wait` and `kill` the process is gone already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
