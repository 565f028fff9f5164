//! The entry point to all games: load, act, read, list.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use divelog_engine::Kind;
use divelog_ledger::{GameId, Secret, Status};
use divelog_proto::v1 as pb;
use prost::Message;
use tokio::sync::{mpsc, oneshot, watch};

use super::Error;
use super::cache::Cache;
use super::claims::Claims;
use super::commit::{AppendHandle, answer_groups};
use super::creation::Creations;
use super::live::{self, LiveGame, Reply, Submitted};
use super::prepare::{Prepared, PreparedGames};
use super::refusal::{self, RefusedRequest};
use super::request::{AbandonRequest, ActRequest, Repeatable, unfinished_fork};
use super::step::{Step, replay_stored};
use crate::store::{self, Page, Store, StoreError, StoredGame};

/// How many index entries one ListGames looks at at most, so that a rare filter cannot occupy the server.
const LIST_SCAN: usize = 10_000;

/// How many labels a game has at most.
pub const MAX_LABELS: usize = 16;

/// How games are kept.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The store.
    pub store: store::Options,
    /// How many games are kept in memory.
    pub cache_games: usize,
}

/// Which games a list shows.
#[derive(Clone, Debug, Default)]
pub struct ListFilter {
    /// Only this kind.
    pub kind: Option<Kind>,
    /// Only this status.
    pub status: Option<Status>,
    /// Only games with all these labels.
    pub labels: BTreeMap<String, String>,
}

/// All games of one store.
#[derive(Clone)]
pub struct Games {
    store: Store,
    appends: AppendHandle,
    cache: Arc<Cache>,
    promises: Arc<PreparedGames>,
    creations: Creations,
    /// Promised games that are being created.
    promised: Claims,
    /// Forks that are being completed, or abandoned before they are.
    forks: Claims,
    /// Games that are being abandoned, one request at a time: none of them takes another for somebody who completes a fork.
    abandoning: Claims,
    /// Every group up to this block was answered: what readers of the store have seen, those of a live game see too.
    answered: watch::Receiver<Option<u64>>,
    failed: watch::Receiver<bool>,
}

/// What the store's index needs to know of a record.
pub fn describe(record: &[u8]) -> Result<store::RecordFacts, String> {
    let record = pb::Record::decode(record).map_err(|error| error.to_string())?;
    let creation = match record.body {
        Some(pb::record::Body::Setup(setup)) => Some(store::Creation {
            kind: u32::try_from(setup.kind).unwrap_or_default(),
            seats: u8::try_from(setup.players.len()).unwrap_or(u8::MAX),
            request_id: record.request_id,
            labels: setup.labels.into_iter().collect(),
            fork_of: setup.fork.and_then(|fork| Some(GameId(fork.game_id[..].try_into().ok()?))),
        }),
        _ => None,
    };
    Ok(store::RecordFacts { time_ms: record.time_ms, creation })
}

pub(super) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A reply that a task can wait for.
pub(super) fn reply_once() -> (Reply, oneshot::Receiver<Result<Arc<Step>, Error>>) {
    let (sender, receiver) = oneshot::channel();
    // The caller may have gone away: the action is done all the same.
    (Box::new(move |result| drop(sender.send(result))), receiver)
}

async fn answered(receiver: oneshot::Receiver<Result<Arc<Step>, Error>>) -> Result<Arc<Step>, Error> {
    receiver.await.unwrap_or(Err(Error::ShuttingDown))
}

/// Runs something that reads the disk, off the runtime's thread.
pub(super) async fn blocking<R: Send + 'static>(
    work: impl FnOnce() -> Result<R, Error> + Send + 'static,
) -> Result<R, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(Error::ShuttingDown),
    }
}

impl Games {
    /// Opens the store. Must run inside the runtime that will answer.
    pub fn open(settings: Settings) -> Result<Games, StoreError> {
        let (sender, groups) = mpsc::unbounded_channel();
        let (store, writer) = store::open(settings.store, move |tickets, durability| {
            // Only a runtime that is gone does not listen any more, and then nobody waits.
            drop(sender.send((tickets, durability)));
        })?;
        let cache = Arc::new(Cache::new(settings.cache_games));
        let (failed_sender, failed) = watch::channel(false);
        store.on_failure(move || {
            failed_sender.send_replace(true);
        });
        let (answered_sender, answered) = watch::channel(store.durable_block());
        tokio::spawn(answer_groups(groups, Arc::clone(&cache), answered_sender));
        let promises = Arc::new(PreparedGames::new(random_secret().ok_or_else(no_randomness)?));
        let appends = AppendHandle::new(writer);
        let (creations, promised, forks, abandoning) = Default::default();
        Ok(Games { store, appends, cache, promises, creations, promised, forks, abandoning, answered, failed })
    }

    /// The store, to be read.
    pub fn store(&self) -> &Store {
        &self.store
    }

    pub(super) fn appends(&self) -> &AppendHandle {
        &self.appends
    }

    pub(super) fn promises(&self) -> &PreparedGames {
        &self.promises
    }

    pub(super) fn creations(&self) -> &Creations {
        &self.creations
    }

    pub(super) fn promised(&self) -> &Claims {
        &self.promised
    }

    pub(super) fn forks(&self) -> &Claims {
        &self.forks
    }

    /// Becomes true when the store fails.
    pub fn failed(&self) -> watch::Receiver<bool> {
        self.failed.clone()
    }

    /// Runs something that takes a while, off the runtime's thread.
    pub async fn blocking<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<R, Error> + Send + 'static,
    ) -> Result<R, Error> {
        blocking(work).await
    }

    /// Writes everything out and closes the store. Blocks. Says what was written since the start.
    pub fn close(self) -> store::Stats {
        let store = self.store.clone();
        self.store.close();
        store.stats()
    }

    /// A game that is in memory already.
    pub fn in_memory(&self, id: GameId) -> Option<Arc<LiveGame>> {
        self.cache.get(id)
    }

    /// A game in memory, loaded from the log if need be.
    pub async fn live(&self, id: GameId) -> Result<Arc<LiveGame>, Error> {
        if let Some(live) = self.cache.get(id) {
            return Ok(live);
        }
        let slot = self.cache.slot(id);
        let store = self.store.clone();
        let loaded = slot.get_or_try_init(|| blocking(move || load(&store, id).map(Arc::new))).await.cloned();
        if loaded.is_err() {
            self.cache.forget(id, &slot);
        }
        loaded
    }

    /// Does a seat's action.
    pub async fn act(&self, id: GameId, request: ActRequest) -> Result<Arc<Step>, Error> {
        let (reply, receiver) = reply_once();
        self.submit(id, request, reply).await;
        answered(receiver).await
    }

    /// Does a seat's action and calls back. Comes back as soon as the next action of the same game may be submitted.
    pub async fn submit(&self, id: GameId, request: ActRequest, reply: Reply) {
        let live = match self.live(id).await {
            Ok(live) => live,
            Err(error) => return reply(Err(error)),
        };
        let submitted = self.submit_to(&live, request, reply);
        self.answer_repeated(&live, submitted).await;
    }

    /// Does a seat's action of a live game and calls back.
    pub fn submit_to(&self, live: &Arc<LiveGame>, request: ActRequest, reply: Reply) -> Submitted<ActRequest> {
        live.act(request, now_ms(), &self.appends, reply)
    }

    /// Refuses a request that cannot be shown to its game, but not before the answers to the game's earlier ones.
    pub fn refuse(&self, id: GameId, error: Error, reply: Reply) {
        match self.cache.get(id) {
            Some(live) => live.answer(reply, Err(error)),
            // Nothing is on its way.
            None => reply(Err(error)),
        }
    }

    /// Keeps a refused request that cannot be shown to its game.
    pub fn keep_refusal(&self, id: GameId, asked: RefusedRequest, error: &Error) {
        refusal::keep(&self.store.refusals(), id, RefusedRequest { time_ms: now_ms(), ..asked }, error);
    }

    /// The refused requests of a game, newest first, and how many older ones are gone.
    pub async fn refusals(&self, id: GameId) -> Result<(Vec<pb::KeptRefusal>, u64), Error> {
        let store = self.store.clone();
        blocking(move || {
            store.entry(id).map_err(Error::reading)?.ok_or(Error::NotFound(id))?;
            let kept = store.list_refusals(id).map_err(Error::reading)?;
            let refusals = kept.newest_first.iter().map(|(number, value)| refusal::read(*number, value)).collect();
            Ok((refusals, kept.dropped))
        })
        .await
    }

    /// Answers a repeated request by the record it first led to.
    pub async fn answer_repeated<R: Repeatable>(&self, live: &LiveGame, submitted: Submitted<R>) {
        let Submitted::Repeated { sequence, request, reply } = submitted else { return };
        let step = self.step(live.id(), sequence + 1).await;
        let answer = step.and_then(|step| match request.matches(&step) {
            true => Ok(Arc::new(step)),
            false => Err(Error::RequestIdReused(request.request_id().to_owned())),
        });
        live.answer(reply, answer);
    }

    /// Judges a seat's action without doing it.
    pub async fn check(&self, id: GameId, request: &ActRequest) -> Result<live::Checked, Error> {
        self.live(id).await?.check(request)
    }

    /// Gives a game up.
    pub async fn abandon(&self, id: GameId, mut request: AbandonRequest) -> Result<Arc<Step>, Error> {
        let live = self.live(id).await?;
        // Held until the record is on its way: nobody copies the rest of a fork's past meanwhile. Who is at it already
        // completes it, and the abandonment is refused.
        let _turn = self.abandoning.claim(id).await;
        let alone = self.forks.try_claim(id);
        if let (Some(origin), Some(_)) = (unfinished_fork(&live.durable()), &alone) {
            request.never_complete = self.is_never_complete(&live, origin).await?;
        }
        let (reply, receiver) = reply_once();
        let submitted = live.abandon(request, now_ms(), &self.appends, reply);
        drop(alone);
        self.answer_repeated(&live, submitted).await;
        answered(receiver).await
    }

    /// Promises a game to come.
    pub fn prepare(&self) -> Prepared {
        self.promises.promise(new_id())
    }

    /// The first step of the game that was created under a request id.
    pub(super) async fn first_step_of(&self, request_id: &str) -> Result<Option<Step>, Error> {
        if request_id.is_empty() {
            return Ok(None);
        }
        let (store, key) = (self.store.clone(), request_id.to_owned());
        let found = blocking(move || store.creation(&key).map_err(Error::reading)).await?;
        let Some(id) = found else { return Ok(None) };
        let step = self.step(id, 1).await?;
        // The index knows only a part of a hash of the id: it may be another one.
        Ok(Some(step).filter(|step| step.position.header().request_id == request_id))
    }

    /// The step that led to one revision, from the log.
    pub async fn step(&self, id: GameId, revision: u64) -> Result<Step, Error> {
        let steps = self.steps(id, revision, 1).await?;
        steps.into_iter().next().ok_or(Error::NotFound(id))
    }

    /// Steps of a game from the log: those that led to `from_revision` and after, at most `count`.
    pub async fn steps(&self, id: GameId, from_revision: u64, count: usize) -> Result<Vec<Step>, Error> {
        let store = self.store.clone();
        let steps = blocking(move || {
            let stored = read(&store, id)?;
            let mut steps = Vec::new();
            replay_stored(id, &stored, |step, _| {
                if step.position.revision() >= from_revision {
                    steps.push(step);
                }
                if steps.len() >= count { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            Ok(steps)
        })
        .await?;
        self.all_answered().await;
        Ok(steps)
    }

    /// Waits until everything is answered that the store shows by now. It shows a record a moment before the record's game
    /// does: without this somebody who has read the store could be told less by the game.
    pub async fn all_answered(&self) {
        let durable = self.store.durable_block();
        let mut answered = self.answered.clone();
        // An error: the store is closed, and there is nobody left to be told less.
        drop(answered.wait_for(|answered| *answered >= durable).await);
    }

    /// A game's records and secret, as stored.
    pub async fn stored(&self, id: GameId) -> Result<StoredGame, Error> {
        let store = self.store.clone();
        let stored = blocking(move || read(&store, id)).await?;
        self.all_answered().await;
        Ok(stored)
    }

    /// The games that pass a filter, newest first.
    pub async fn list(&self, before: Option<GameId>, page: usize, filter: ListFilter) -> Result<Page, Error> {
        let store = self.store.clone();
        let page = blocking(move || {
            let wanted = |entry: &store::GameEntry| {
                filter.kind.is_none_or(|kind| kind as u32 == entry.kind)
                    && filter.status.is_none_or(|status| status == entry.status)
                    && filter.labels.iter().all(|(key, value)| entry.labels.iter().any(|(k, v)| k == key && v == value))
            };
            store.list(before, LIST_SCAN, wanted, page).map_err(Error::reading)
        })
        .await?;
        self.all_answered().await;
        Ok(page)
    }
}

fn read(store: &Store, id: GameId) -> Result<StoredGame, Error> {
    store.read_game(id).map_err(Error::reading)?.ok_or(Error::NotFound(id))
}

/// Loads a game by replaying its log.
pub(super) fn load(store: &Store, id: GameId) -> Result<LiveGame, Error> {
    let stored = read(store, id)?;
    let mut requests = HashMap::new();
    let mut newest = None;
    replay_stored(id, &stored, |step, request_id| {
        requests.extend(request_of(&request_id, step.position.revision() - 1));
        newest = Some(step.position);
        ControlFlow::Continue(())
    })?;
    let (position, secret) = newest.zip(stored.secret).ok_or(Error::NotFound(id))?;
    Ok(LiveGame::new(position, Secret(secret), requests, store.refusals()))
}

fn request_of(request_id: &str, sequence: u64) -> Option<(String, u64)> {
    (!request_id.is_empty()).then(|| (request_id.to_owned(), sequence))
}

fn no_randomness() -> StoreError {
    StoreError::NoRandomness { detail: "nothing can be promised without".into() }
}

pub(super) fn new_id() -> GameId {
    GameId(uuid::Uuid::now_v7().into_bytes())
}

pub(super) fn random_secret() -> Option<Secret> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).ok()?;
    Some(Secret(secret))
}
