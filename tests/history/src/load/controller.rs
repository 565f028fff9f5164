//! Keeps a server running: kills and stops it when the round says so, and notices when nothing goes on.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use super::RoundSettings;
use super::link::{Connections, Link, connect};
use super::recorder::Recorder;
use super::server::Server;
use crate::Choices;
use crate::history::{Outage, Stall};

/// For how long nothing may be done while actions or creations wait.
const STALL: Duration = Duration::from_secs(30);
/// How often that is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// How long a server may take to say how it is.
const HEALTH_LIMIT: Duration = Duration::from_secs(3);

/// The server of a round.
pub(super) struct Controller {
    program: PathBuf,
    folder: PathBuf,
    settings: RoundSettings,
    recorder: Arc<Recorder>,
    server: Option<Server>,
    connections: watch::Sender<Option<Connections>>,
    /// How often it was killed and stopped.
    pub kills: u32,
    pub stops: u32,
}

impl Controller {
    /// Starts the server.
    pub async fn start(
        program: PathBuf,
        folder: PathBuf,
        settings: RoundSettings,
        recorder: Arc<Recorder>,
    ) -> Result<Controller, String> {
        let connections = watch::Sender::new(None);
        let (kills, stops, server) = (0, 0, None);
        let mut controller = Controller { program, folder, settings, recorder, server, connections, kills, stops };
        controller.begin().await?;
        Ok(controller)
    }

    pub fn link(&self) -> Link {
        Link { current: self.connections.subscribe() }
    }

    async fn begin(&mut self) -> Result<(), String> {
        let server = Server::start(&self.program, &self.folder, &self.settings).await?;
        let connections = connect(&server.url, self.settings.connections).await?;
        self.server = Some(server);
        self.connections.send_replace(Some(connections));
        Ok(())
    }

    /// Connects again: a connection on which many calls were given up may break by itself.
    pub async fn reconnect(&mut self) -> Result<(), String> {
        let url = self.server.as_ref().map(|server| server.url.clone()).ok_or("there is no server")?;
        let connections = connect(&url, self.settings.connections).await?;
        self.connections.send_replace(Some(connections));
        Ok(())
    }

    /// Ends the server and starts it again.
    pub async fn restart(&mut self, kill: bool) -> Result<(), String> {
        let from = self.recorder.tick();
        if let Some(server) = self.server.take() {
            if kill {
                self.connections.send_replace(None);
                server.kill().await;
                self.kills += 1;
            } else {
                // Clients go on sending: a server that stops must answer or refuse what it takes.
                let stopped = server.stop().await;
                self.connections.send_replace(None);
                if let Err(mishap) = stopped {
                    self.recorder.with(|history| history.mishaps.push(mishap));
                }
                self.stops += 1;
            }
        }
        let begun = self.begin().await;
        let to = self.recorder.tick();
        self.recorder.with(|history| history.outages.push(Outage { from, to, killed: kill }));
        begun
    }

    /// Lets the load run, with the round's kills and stops in the middle.
    pub async fn run(&mut self, choices: &mut Choices) -> Result<(), String> {
        let length = Duration::from_secs(self.settings.seconds);
        let begun = Instant::now();
        let mut ends = vec![true; self.settings.kills as usize];
        ends.extend(vec![false; self.settings.stops as usize]);
        let mut ends: Vec<(Duration, bool)> =
            ends.into_iter().map(|kill| (length.mul_f64(choices.between(5, 95) as f64 / 100.0), kill)).collect();
        ends.sort_unstable();
        let mut ends = ends.into_iter().peekable();
        let mut progress = (self.recorder.written(), Instant::now());
        while begun.elapsed() < length {
            tokio::time::sleep(POLL_INTERVAL.min(length.saturating_sub(begun.elapsed()))).await;
            if let Some(mishap) = self.server.as_mut().and_then(Server::has_ended) {
                self.recorder.with(|history| history.mishaps.push(mishap));
                self.restart(true).await?;
            }
            if let Some((_, kill)) = ends.next_if(|(at, _)| *at <= begun.elapsed()) {
                self.restart(kill).await?;
                progress = (self.recorder.written(), Instant::now());
            }
            self.check_for_stall(&mut progress).await?;
        }
        Ok(())
    }

    async fn check_for_stall(&mut self, progress: &mut (u64, Instant)) -> Result<(), String> {
        let (written, waiting) = (self.recorder.written(), self.recorder.to_write());
        if written != progress.0 || waiting == 0 {
            *progress = (written, Instant::now());
        }
        if progress.1.elapsed() < STALL {
            return Ok(());
        }
        let health = self.health().await;
        let stall = Stall { seconds: progress.1.elapsed().as_secs(), waiting, health };
        self.recorder.with(|history| history.stalls.push(stall));
        self.restart(true).await?;
        *progress = (self.recorder.written(), Instant::now());
        Ok(())
    }

    /// What the server says of itself, by a connection of its own.
    async fn health(&self) -> String {
        let Some(url) = self.server.as_ref().map(|server| server.url.clone()) else { return "not running".into() };
        let asking = async {
            let channel = connect(&url, 1).await?[0].channel();
            let request = HealthCheckRequest { service: String::new() };
            let answer = HealthClient::new(channel).check(request).await.map_err(|status| status.to_string())?;
            Ok::<String, String>(answer.into_inner().status().as_str_name().to_owned())
        };
        match tokio::time::timeout(HEALTH_LIMIT, asking).await {
            Ok(Ok(status)) => status,
            Ok(Err(error)) => error,
            Err(_) => format!("no answer in {HEALTH_LIMIT:?}"),
        }
    }

    /// Ends the server for good.
    pub async fn end(mut self) {
        self.connections.send_replace(None);
        if let Some(server) = self.server.take() {
            server.kill().await;
        }
    }
}
