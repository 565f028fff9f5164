//! The helper processes of this part: how a run starts them and how they hear when to end.
//!
//! A helper ends when its standard input is closed. So it ends with the run too, however that ends.

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
    orders: Option<ChildStdin>,
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
        Ok(Self { name, orders: child.stdin.take(), child, lines: BufReader::new(stdout).lines() })
    }

    /// The process, as /proc knows it.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Its next line.
    pub async fn line(&mut self, limit: Duration) -> Result<String, String> {
        let line = timeout(limit, self.lines.next_line()).await;
        line.map_err(|_| format!("{} said nothing for {limit:?}", self.name))?
            .map_err(|error| format!("{} cannot be heard: {error}", self.name))?
            .ok_or_else(|| format!("{} ended early", self.name))
    }

    /// Its next line, as JSON.
    pub async fn result<T: DeserializeOwned>(&mut self, limit: Duration) -> Result<T, String> {
        let line = self.line(limit).await?;
        serde_json::from_str(&line).map_err(|error| format!("{} said {line:?}: {error}", self.name))
    }

    /// Tells it a line.
    pub async fn tell(&mut self, line: &str) -> Result<(), String> {
        let orders = self.orders.as_mut().ok_or_else(|| format!("{} was ended", self.name))?;
        let sent = orders.write_all(format!("{line}\n").as_bytes()).await;
        sent.map_err(|error| format!("{} does not listen: {error}", self.name))
    }

    /// Tells it to end; what it says last can still be read.
    pub fn end(&mut self) {
        self.orders = None;
    }
}

/// What a helper is told, line by line. Not `tokio::io::stdin`: that reads on a thread which nothing can end.
pub fn orders() -> io::Result<pipe::Receiver> {
    pipe::Receiver::from_owned_fd(io::stdin().as_fd().try_clone_to_owned()?)
}

/// Waits until a helper is told to end, or `limit` has passed.
pub async fn told_to_end(limit: Duration) -> Result<(), String> {
    let mut orders = orders().map_err(|error| format!("standard input is no pipe: {error}"))?;
    let mut ignored = [0; 64];
    let end = async { while orders.read(&mut ignored).await.is_ok_and(|read| read > 0) {} };
    // Either is an end.
    let _ = timeout(limit, end).await;
    Ok(())
}
