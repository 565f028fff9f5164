//! The server under test: a real `divelogd` process.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, setpriority_process};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::RoundSettings;

/// How long a start may take.
const START_LIMIT: Duration = Duration::from_secs(120);
/// How long the server lets running calls finish after SIGTERM.
const DRAIN_SECONDS: u64 = 3;
/// How long a stop may take, with that.
const STOP_LIMIT: Duration = Duration::from_secs(120);
/// The name of the thread that writes to disk.
const WRITER: &str = "store-writer";
/// The lowest priority that Linux knows.
const LOWEST_PRIORITY: i32 = 19;

/// A running server. Dropping it kills it.
pub(super) struct Server {
    child: Child,
    /// Where it listens.
    pub url: String,
}

impl Server {
    /// Starts a server on `folder/data`; it logs to `folder/server.log`.
    pub async fn start(program: &Path, folder: &Path, settings: &RoundSettings) -> Result<Server, String> {
        let log = open_log(folder).map_err(|error| format!("the server's log: {error}"))?;
        let number = |number: usize| number.to_string();
        let mut command = Command::new(program);
        command.arg("serve").arg("--data").arg(folder.join("data"));
        command.args(["--listen", "127.0.0.1:0", "--log", "warn"]);
        command.args(["--threads", &number(settings.threads), "--cache-games", &number(settings.cache_games)]);
        command.args(["--queue", &number(settings.queue), "--drain-seconds", &DRAIN_SECONDS.to_string()]);
        command.env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
        let stdout = child.stdout.take().ok_or("the server has no standard output")?;
        let mut line = String::new();
        let read = timeout(START_LIMIT, BufReader::new(stdout).read_line(&mut line)).await;
        if read.is_err() {
            return Err(format!("the server did not start within {START_LIMIT:?}"));
        }
        let Some(address) = line.trim_end().strip_prefix("listening on ") else {
            let status = child.wait().await.map_err(|error| error.to_string())?;
            return Err(format!("the server did not start: {status}; see its log"));
        };
        let server = Server { url: format!("http://{address}"), child };
        if settings.slow_writer {
            server.slow_writer_down();
        }
        Ok(server)
    }

    /// Ends it without any warning.
    pub async fn kill(mut self) {
        // Gone already: then there is nothing to kill.
        drop(self.child.kill().await);
    }

    /// Asks it to stop, and waits until it has.
    pub async fn stop(mut self) -> Result<(), String> {
        let pid = self.pid().ok_or("the server was gone before it was asked to stop")?;
        kill_process(pid, Signal::TERM).map_err(|error| error.to_string())?;
        match timeout(STOP_LIMIT, self.child.wait()).await {
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) => Err(format!("the server stopped with {status}")),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("the server had not stopped {STOP_LIMIT:?} after SIGTERM")),
        }
    }

    /// Whether it ended by itself.
    pub fn has_ended(&mut self) -> Option<String> {
        self.child.try_wait().ok().flatten().map(|status| format!("the server ended by itself: {status}"))
    }

    fn pid(&self) -> Option<Pid> {
        Pid::from_raw(i32::try_from(self.child.id()?).ok()?)
    }

    /// A fault here only makes the round an ordinary one.
    fn slow_writer_down(&self) {
        let Some(id) = self.child.id() else { return };
        let Ok(tasks) = std::fs::read_dir(format!("/proc/{id}/task")) else { return };
        for task in tasks.flatten() {
            let name = std::fs::read_to_string(task.path().join("comm")).unwrap_or_default();
            let thread = task.file_name().to_str().and_then(|number| number.parse().ok()).and_then(Pid::from_raw);
            if name.trim_end() == WRITER && thread.is_some() {
                let _slower = setpriority_process(thread, LOWEST_PRIORITY);
            }
        }
    }
}

fn open_log(folder: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).append(true).open(folder.join("server.log"))
}
