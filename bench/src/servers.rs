//! The processes of a run: servers that are started and ended, load generators that are waited for.

use std::{
    env,
    fs::File,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    time::timeout,
};

use crate::{
    args::{LoadArgs, Target},
    load::LoadResult,
};

/// How long a server may take to say where it listens.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a server may take to end after SIGTERM.
const STOP_TIMEOUT: Duration = Duration::from_secs(60);
/// How much longer than its window a load generator may take: games are created before, answers awaited after.
const LOAD_GRACE: Duration = Duration::from_secs(90);
/// What a server prints when it is ready.
const READY: &str = "listening on ";
/// How many lines of a server's log are shown when it fails.
const LOG_TAIL_LINES: usize = 15;

/// A running server. Killed when dropped; `stop` ends it properly.
pub struct RunningServer {
    /// Where it listens.
    pub address: SocketAddr,
    name: &'static str,
    child: Child,
    log: PathBuf,
}

/// Starts `divelogd` on a data folder, with an interval between checkpoints if it is not to be the default.
pub async fn start_divelogd(
    program: &Path,
    data: &Path,
    seal_interval: Option<&str>,
    logs: &Path,
) -> Result<RunningServer, String> {
    let mut command = Command::new(program);
    command.arg("serve").arg("--data").arg(data);
    command.args(["--listen", "127.0.0.1:0"]);
    command.args(seal_interval.map(|interval| ["--seal-interval", interval]).into_iter().flatten());
    start("divelogd", command, logs).await
}

/// Starts the echoes.
pub async fn start_echo(logs: &Path) -> Result<RunningServer, String> {
    let mut command = Command::new(this_program()?);
    command.arg("echo-server");
    start("echo-server", command, logs).await
}

/// Starts a server and waits until it listens.
pub async fn start(name: &'static str, mut command: Command, logs: &Path) -> Result<RunningServer, String> {
    let log = logs.join(format!("{name}.log"));
    let stderr = File::create(&log).map_err(|error| format!("cannot write {}: {error}", log.display()))?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(stderr)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("cannot start {name}: {error}"))?;
    let stdout = child.stdout.take();
    let stdout = stdout.ok_or_else(|| format!("{name} has no stdout"))?;
    let mut lines = BufReader::new(stdout).lines();
    let find_address = async {
        while let Ok(Some(line)) = lines.next_line().await {
            let address = line.split_once(READY).and_then(|(_, rest)| rest.split_whitespace().next());
            if let Some(Ok(address)) = address.map(str::parse::<SocketAddr>) {
                return Some(address);
            }
        }
        None
    };
    let Ok(Some(address)) = timeout(START_TIMEOUT, find_address).await else {
        let _ = child.start_kill();
        return Err(format!("{name} did not say \"{READY}ADDRESS\".\n{}", tail(&log)));
    };
    // Whatever else it prints must not fill the pipe and stop it.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    Ok(RunningServer { address, name, child, log })
}

impl RunningServer {
    /// Ends the server with SIGTERM and waits for it.
    pub async fn stop(mut self) -> Result<(), String> {
        let pid = self.child.id().and_then(|pid| i32::try_from(pid).ok());
        if let Some(pid) = pid.and_then(rustix::process::Pid::from_raw) {
            rustix::process::kill_process(pid, rustix::process::Signal::TERM)
                .map_err(|error| format!("cannot end {}: {error}", self.name))?;
        }
        let status = timeout(STOP_TIMEOUT, self.child.wait())
            .await
            .map_err(|_| format!("{} did not end within {STOP_TIMEOUT:?}", self.name))?
            .map_err(|error| format!("cannot wait for {}: {error}", self.name))?;
        // A server without a handler ends by the signal itself, which is just as well.
        if status.success() || std::os::unix::process::ExitStatusExt::signal(&status) == Some(15) {
            Ok(())
        } else {
            Err(format!("{} ended with {status}.\n{}", self.name, tail(&self.log)))
        }
    }

    /// Its process id; `None` once it has been waited for.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// The end of its log, for a report of what went wrong.
    pub fn log_tail(&self) -> String {
        tail(&self.log)
    }
}

/// Runs one measurement to its end.
pub async fn run_load(args: &LoadArgs) -> Result<LoadResult, String> {
    let mut command = Command::new(this_program()?);
    command
        .arg("load")
        .args(["--address", &args.address.to_string()])
        .args(["--target", args.target.name()])
        .args(["--games", &args.games.to_string()])
        .args(["--connections", &args.connections.to_string()])
        .args(["--streams", &args.streams.to_string()])
        .args(["--warmup-ms", &args.warmup_ms.to_string()])
        .args(["--window-ms", &args.window_ms.to_string()])
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let limit = Duration::from_millis(args.warmup_ms + args.window_ms) + LOAD_GRACE;
    let output = timeout(limit, command.output())
        .await
        .map_err(|_| "the load generator did not end".to_owned())?
        .map_err(|error| format!("cannot start the load generator: {error}"))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("the load generator failed: {}", message.trim()));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("the load generator's result cannot be read: {error}"))
}

/// The server under test: the one named, or the one beside this program.
pub fn find_divelogd(named: Option<&Path>) -> Result<PathBuf, String> {
    let program = match named {
        Some(path) => path.to_owned(),
        None => this_program()?.with_file_name("divelogd"),
    };
    if program.is_file() {
        return Ok(program);
    }
    Err(format!(
        "there is no server at {}.\n\
         Build it with `cargo build --release -p divelog-service`, or name it with --server-bin,\n\
         or measure without it: --echo-only.",
        program.display()
    ))
}

/// This program's own path.
pub fn this_program() -> Result<PathBuf, String> {
    env::current_exe().map_err(|error| format!("cannot find this program: {error}"))
}

/// The last lines of a log.
fn tail(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LOG_TAIL_LINES)..].join("\n")
}

/// The order of the servers in a round. It turns with the rounds, so that none always comes first.
pub fn order(targets: &[Target], round: u64) -> Vec<Target> {
    let mut order = targets.to_vec();
    let turns = round % targets.len().max(1) as u64;
    order.rotate_left(turns as usize);
    order
}
