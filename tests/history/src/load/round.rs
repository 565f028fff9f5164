//! One round, from an empty folder to its verdict.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::task::JoinSet;

use super::Settings;
use super::client::{Client, Shared};
use super::controller::Controller;
use super::link::Link;
use super::recorder::Recorder;
use super::tables::Tables;
use super::{auditors, creators, forkers, players, quiet, streams, watchers};
use crate::history::{Asked, History, Outcome};
use crate::{Dice, Report, check};

/// A round that could not be run at all.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
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
    pub settings: Settings,
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
    /// How often it was told to stop.
    pub stops: u32,
    /// What does not agree.
    pub report: Report,
}

impl Round {
    /// Runs it. The folder is left as it is.
    pub async fn run(&self) -> Result<RoundResult, Broken> {
        std::fs::create_dir_all(&self.folder)?;
        let recorder = Arc::new(Recorder::default());
        let (program, folder, settings) = (self.program.clone(), self.folder.clone(), self.settings.clone());
        let started = Controller::start(program, folder, settings, Arc::clone(&recorder)).await;
        let mut controller = started.map_err(Broken::Server)?;
        if let Err(mishap) = self.play(&mut controller, &recorder).await {
            recorder.with(|history| history.mishaps.push(mishap));
        }
        let (kills, stops) = (controller.kills, controller.stops);
        controller.end().await;
        let history = recorder.with(std::mem::take);
        let report = check(&history);
        Ok(RoundResult { operations: recorder.asked(), kills, stops, report, ..counted(&history) })
    }

    /// Load, then the quiet end. An error: the server does not start any more.
    async fn play(&self, controller: &mut Controller, recorder: &Arc<Recorder>) -> Result<(), String> {
        let mut dice = Dice::new(self.seed, u64::MAX);
        let mut clients = self.start_clients(controller.link(), recorder);
        let loaded = controller.run(&mut dice).await;
        recorder.close();
        let all_ended = async { while clients.join_next().await.is_some() {} };
        loaded?;
        controller.watch_over(all_ended).await?;
        let mut link = controller.link();
        controller.watch_over(quiet::repeat_ids(recorder, &mut link, &mut dice)).await?;
        controller.restart(dice.percent(50)).await?;
        let mut link = controller.link();
        controller.watch_over(quiet::repeat_ids(recorder, &mut link, &mut dice)).await?;
        controller.watch_over(quiet::read_all(recorder, &mut link, &mut dice)).await
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
            match number % 10 {
                0 | 5 => clients.spawn(creators::create(client)),
                1 | 4 | 7 => clients.spawn(streams::play(client)),
                2 | 8 => clients.spawn(players::play(client)),
                3 => clients.spawn(players::take_from_list(client)),
                6 => clients.spawn(watchers::watch(client)),
                _ if number % 20 == 9 => clients.spawn(forkers::fork(client)),
                _ => clients.spawn(auditors::audit(client)),
            };
        }
        clients
    }
}

fn counted(history: &History) -> RoundResult {
    let mut result = RoundResult { games: history.logs.len() as u64, ..RoundResult::default() };
    for operation in &history.operations {
        let acts = matches!(
            operation.asked,
            Asked::Create(_) | Asked::Fork(_) | Asked::Act(_) | Asked::Abandon(_)
        );
        match operation.outcome {
            Outcome::Done(_) => result.acknowledged += u64::from(acts),
            Outcome::Refused(_) => result.refused += 1,
            Outcome::Unclear(_) | Outcome::Hung { .. } => result.unclear += 1,
        }
    }
    result
}

