//! Many games at once: fetched over a few streams, worked on by all cores, reported one by one as they are finished.
//!
//! `log verify --all` and `log impact` differ only in what is fetched, what is done with it and how that is counted.

use std::{
    future::Future,
    io,
    panic::resume_unwind,
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
};

use divelog_proto::v1::{GameSummary, ListGamesRequest};
use tokio::{
    sync::{Mutex as AsyncMutex, mpsc},
    task::JoinSet,
};

use crate::{
    args::FilterArgs,
    connect::Connection,
    errors::CliError,
    input,
    pages::{MAX_PAGE, Pages},
    progress::Progress,
};

mod report;

pub use report::{Findings, ShownGame, report};

/// How many games are fetched at the same time: enough to hide the round trips.
const STREAMS: usize = 4;

/// How many games are listed ahead of those that are fetched. A game's summary is a few hundred bytes.
const MAX_LISTED_AHEAD: usize = 50_000;

/// How many games may wait for each core, fetched but not yet worked on.
const MAX_WAITING_PER_CORE: usize = 4;

/// Works on everything that `feed` sends, on all cores, and reports each result. What fails for one game is a result; an
/// error ends everything.
pub async fn run<J, R, F>(
    progress: &Progress,
    feed: impl FnOnce(mpsc::Sender<J>) -> F,
    work: impl Fn(J) -> R + Send + Sync + 'static,
    mut report: impl FnMut(R) -> Result<(), CliError>,
) -> Result<(), CliError>
where
    J: Send + 'static,
    R: Send + 'static,
    F: Future<Output = Result<(), CliError>> + Send + 'static,
{
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (jobs, waiting) = mpsc::channel(cores * MAX_WAITING_PER_CORE);
    let (results, mut answers) = mpsc::channel(cores * MAX_WAITING_PER_CORE);
    let threads = start(cores, waiting, work, results)
        .map_err(|source| CliError::io("cannot start threads to work on", source))?;
    let feeding = tokio::spawn(feed(jobs));
    let mut reported = Ok(());
    while let Some(answer) = answers.recv().await {
        progress.done();
        reported = progress.without_bar(|| report(answer));
        if reported.is_err() {
            break;
        }
    }
    // After an error this ends the threads, and they end the feeding.
    drop(answers);
    let fed = feeding.await;
    for thread in threads {
        if let Err(panic) = thread.join() {
            resume_unwind(panic);
        }
    }
    reported?;
    fed.map_err(|error| CliError::io("cannot fetch the games", io::Error::other(error)))?
}

fn start<J: Send + 'static, R: Send + 'static>(
    cores: usize,
    waiting: mpsc::Receiver<J>,
    work: impl Fn(J) -> R + Send + Sync + 'static,
    results: mpsc::Sender<R>,
) -> io::Result<Vec<JoinHandle<()>>> {
    let waiting = Arc::new(Mutex::new(waiting));
    let work = Arc::new(work);
    let thread = |_| {
        let (waiting, work, results) = (Arc::clone(&waiting), Arc::clone(&work), results.clone());
        thread::Builder::new().name("divelog-worker".into()).spawn(move || {
            // Whoever holds the lock waits for the next game; the others wait for the lock.
            let next = || waiting.lock().ok().and_then(|mut waiting| waiting.blocking_recv());
            while let Some(job) = next() {
                if results.blocking_send(work(job)).is_err() {
                    return;
                }
            }
        })
    };
    (0..cores).map(thread).collect()
}

/// The list of games that the filters ask for, from its first page on.
pub fn filtered(filter: &FilterArgs) -> Result<ListGamesRequest, CliError> {
    let kind = filter.kind.as_deref().map(input::kind).transpose()?;
    Ok(ListGamesRequest {
        page_size: 0,
        page_token: String::new(),
        kind: kind.map_or(0, i32::from),
        status: filter.status.map_or(0, |status| input::status(status).into()),
        labels: input::labels(&filter.label)?,
    })
}

/// Fetches every game of a list and sends it on. `fetch` makes a job of what it could not read too; only an error that
/// the next game would meet as well ends the feeding.
pub async fn fetch_all<J, F>(
    connection: Connection,
    list: ListGamesRequest,
    progress: Progress,
    fetch: impl Fn(Connection, GameSummary) -> F + Clone + Send + 'static,
    jobs: mpsc::Sender<J>,
) -> Result<(), CliError>
where
    J: Send + 'static,
    F: Future<Output = Result<J, CliError>> + Send + 'static,
{
    let (listed, games) = mpsc::channel(MAX_LISTED_AHEAD);
    let games = Arc::new(AsyncMutex::new(games));
    let mut tasks = JoinSet::new();
    tasks.spawn(list_all(connection.clone(), list, progress, listed));
    for _ in 0..STREAMS {
        let (connection, games, fetch, jobs) = (connection.clone(), Arc::clone(&games), fetch.clone(), jobs.clone());
        tasks.spawn(async move {
            loop {
                let Some(game) = games.lock().await.recv().await else { return Ok(()) };
                if jobs.send(fetch(connection.clone(), game).await?).await.is_err() {
                    return Ok(());
                }
            }
        });
    }
    drop((jobs, games));
    // The first error drops the set, which ends the other tasks.
    while let Some(ended) = tasks.join_next().await {
        ended.map_err(|error| CliError::io("cannot fetch the games", io::Error::other(error)))??;
    }
    Ok(())
}

async fn list_all(
    connection: Connection,
    list: ListGamesRequest,
    progress: Progress,
    listed: mpsc::Sender<GameSummary>,
) -> Result<(), CliError> {
    let mut pages = Pages::of(list);
    while let Some(page) = pages.next(&connection, MAX_PAGE).await? {
        progress.found(page.games.len());
        for game in page.games {
            if listed.send(game).await.is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Separates what is wrong with one game from what would be wrong with all.
pub fn of_one_game<T>(fetched: Result<T, CliError>) -> Result<Result<T, CliError>, CliError> {
    match fetched {
        Err(error) if error.is_of_the_server() => Err(error),
        fetched => Ok(fetched),
    }
}

#[cfg(test)]
mod tests;
