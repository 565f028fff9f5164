//! The helper processes of this part: how a run starts them and how they learn that they are to end.
//!
//! A helper ends when its standard input is closed, so it also ends when the run does, however that ends.

use std::{io, os::fd::AsFd, process::Stdio, time::Duration};

use serde::de::DeserializeOwned;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    net::unix::pipe,
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

use crate::servers::this_program;

/// A running helper. Killed when dropped.
pub struct Helper {
    name: &'static str,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Helper {
    /// Starts this program as another.
    pub fn start(name: &'static str, args: &[String]) -> Result<Self, String> {
        let mut child = Command::new(this_program()?)
            .arg(name)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("cannot start {name}: {error}"))?;
        let stdout = child.stdout.take().ok_or_else(|| format!("{name} has no stdout"))?;
        Ok(Self { name, stdin: child.stdin.take(), child, lines: BufReader::new(stdout).lines() })
    }

    /// The process, as /proc knows it.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Its next line.
    pub async fn line(&mut self, limit: Duration) -> Result<String, String> {
        let line = timeout(limit, self.lines.next_line()).await;
        line.map_err(|_| format!("{} wrote nothing for {limit:?}", self.name))?
            .map_err(|error| format!("{} cannot be read: {error}", self.name))?
            .ok_or_else(|| format!("{} ended early", self.name))
    }

    /// Its next line, as JSON.
    pub async fn result<T: DeserializeOwned>(&mut self, limit: Duration) -> Result<T, String> {
        let line = self.line(limit).await?;
        serde_json::from_str(&line).map_err(|error| format!("{} wrote {line:?}: {error}", self.name))
    }

    /// Sends it a line.
    pub async fn send_line(&mut self, line: &str) -> Result<(), String> {
        let stdin = self.stdin.as_mut().ok_or_else(|| format!("{} was ended", self.name))?;
        let sent = stdin.write_all(format!("{line}\n").as_bytes()).await;
        sent.map_err(|error| format!("{} does not read its input: {error}", self.name))
    }

    /// Has it end; its last lines can still be read.
    pub fn end(&mut self) {
        self.stdin = None;
    }
}

/// The standard input of a helper. Not `tokio::io::stdin`: that reads on a thread that nothing can end.
pub fn stdin() -> io::Result<pipe::Receiver> {
    pipe::Receiver::from_owned_fd(io::stdin().as_fd().try_clone_to_owned()?)
}

/// Waits until this helper is to end, or `limit` has passed.
pub async fn wait_for_end(limit: Duration) -> Result<(), String> {
    let mut stdin = stdin().map_err(|error| format!("standard input is no pipe: {error}"))?;
    let mut ignored = [0; 64];
    let end = async { while stdin.read(&mut ignored).await.is_ok_and(|read| read > 0) {} };
    // Either way it ends.
    let _ = timeout(limit, end).await;
    Ok(())
}
