//! One round, from an empty folder to its verdict.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::task::JoinSet;

use super::client::{Client, Shared};
use super::controller::Controller;
use super::link::Link;
use super::recorder::Recorder;
use super::tables::Tables;
use super::{Role, RoundSettings};
use super::{auditors, creators, final_checks, forkers, players, streams, watchers};
use crate::history::{History, Outcome, Request};
use crate::{Choices, Report, check};

/// What the clients do, by their numbers, again and again.
const ROLES: [Role; 10] = [
    Role::Creators,
    Role::Streams,
    Role::Players,
    Role::Listers,
    Role::Streams,
    Role::Forkers,
    Role::Watchers,
    Role::Streams,
    Role::Players,
    Role::Auditors,
];

/// A round that could not be run at all.
#[derive(Debug, thiserror::Error)]
pub enum RoundError {
    /// There is no folder to run it in.
    #[error("no folder for the round: {0}")]
    Folder(#[from] std::io::Error),
    /// The server did not even start on an empty folder.
    #[error("{0}")]
    Server(String),
}

/// One round to be run.
#[derive(Clone, Debug)]
pub struct Round {
    /// The server's program.
    pub program: PathBuf,
    /// Where its data folder is made.
    pub folder: PathBuf,
    /// Determines every choice of the load.
    pub seed: u64,
    /// What it is like.
    pub settings: RoundSettings,
}

/// What came of a round.
#[derive(Clone, Debug, Default)]
pub struct RoundResult {
    /// How many requests were sent, those on streams included.
    pub operations: u64,
    /// How many games there were in the end.
    pub games: u64,
    /// Creations, forks, actions and abandonments that were acknowledged.
    pub acknowledged: u64,
    /// Requests that were refused.
    pub refused: u64,
    /// Requests of which nobody knows whether they were done.
    pub unclear: u64,
    /// How often the server was killed.
    pub kills: u32,
    /// How often it was asked to stop.
    pub stops: u32,
    /// What does not agree.
    pub report: Report,
}

impl Round {
    /// Runs it. The folder is left as it is.
    pub async fn run(&self) -> Result<RoundResult, RoundError> {
        std::fs::create_dir_all(&self.folder)?;
        let recorder = Arc::new(Recorder::default());
        let (program, folder, settings) = (self.program.clone(), self.folder.clone(), self.settings.clone());
        let started = Controller::start(program, folder, settings, Arc::clone(&recorder)).await;
        let mut controller = started.map_err(RoundError::Server)?;
        if let Err(mishap) = self.play(&mut controller, &recorder).await {
            recorder.with(|history| history.mishaps.push(mishap));
        }
        let (kills, stops) = (controller.kills, controller.stops);
        controller.end().await;
        let history = recorder.with(std::mem::take);
        let report = check(&history);
        Ok(RoundResult { operations: recorder.asked(), kills, stops, report, ..counted(&history) })
    }

    /// Load, then the final checks. An error: the server does not start any more.
    async fn play(&self, controller: &mut Controller, recorder: &Arc<Recorder>) -> Result<(), String> {
        let mut choices = Choices::new(self.seed, u64::MAX);
        let mut clients = self.start_clients(controller.link(), recorder);
        self.keep_busy(recorder);
        let loaded = controller.run(&mut choices).await;
        // Also if the server does not start any more: everybody ends.
        recorder.close();
        loaded?;
        // Every call has its limit, so this ends.
        while clients.join_next().await.is_some() {}
        controller.reconnect().await?;
        let mut link = controller.link();
        final_checks::repeat_ids(recorder, &mut link, &mut choices).await;
        controller.restart(choices.percent(50)).await?;
        final_checks::repeat_ids(recorder, &mut link, &mut choices).await;
        final_checks::read_all(recorder, &mut link, &mut choices).await;
        Ok(())
    }

    /// Keeps the processor busy while there is load.
    fn keep_busy(&self, recorder: &Arc<Recorder>) {
        for _ in 0..self.settings.busy_threads {
            let recorder = Arc::clone(recorder);
            std::thread::spawn(move || {
                while !recorder.is_closing() {
                    std::hint::spin_loop();
                }
            });
        }
    }

    fn start_clients(&self, link: Link, recorder: &Arc<Recorder>) -> JoinSet<()> {
        let shared = Arc::new(Shared {
            settings: self.settings.clone(),
            recorder: Arc::clone(recorder),
            tables: Tables::default(),
        });
        let mut clients = JoinSet::new();
        for number in 0..self.settings.clients {
            let client = Client::new(number, self.seed, link.clone(), Arc::clone(&shared));
            let role = ROLES[number as usize % ROLES.len()];
            match role {
                // Somebody must: without a game there is nothing to do.
                Role::Creators | Role::Racers => clients.spawn(creators::create(client)),
                _ if !self.settings.has(role) => continue,
                Role::Streams => clients.spawn(streams::play(client)),
                Role::Players => clients.spawn(players::play(client)),
                Role::Listers => clients.spawn(players::take_from_list(client)),
                Role::Watchers => clients.spawn(watchers::watch(client)),
                Role::Forkers => clients.spawn(forkers::fork(client)),
                Role::Auditors => clients.spawn(auditors::audit(client)),
            };
        }
        clients
    }
}

fn counted(history: &History) -> RoundResult {
    let mut result = RoundResult { games: history.logs.len() as u64, ..RoundResult::default() };
    for operation in &history.operations {
        let acts =
            matches!(operation.asked, Request::Create(_) | Request::Fork(_) | Request::Act(_) | Request::Abandon(_));
        match operation.outcome {
            Outcome::Done(_) => result.acknowledged += u64::from(acts),
            Outcome::Refused(_) => result.refused += 1,
            Outcome::Unclear(_) | Outcome::Hung { .. } => result.unclear += 1,
        }
    }
    result
}
