//! The entry point to all games: what is asked of a game goes to its live copy, and its answer comes from there.

use std::sync::Arc;

use divelog_ledger::{GameId, Revision, Sequence};
use tokio::sync::{mpsc, oneshot, watch};

use super::Error;
use super::accepted::{Accepted, FirstAnswers};
use super::blocking::Pools;
use super::cache::Cache;
use super::claims::Claims;
use super::commit::{AppendHandle, Groups, Ticket, answer_groups};
use super::creation::{self, Creations};
use super::followers::FanOut;
use super::live::{ActionResult, LiveGame, Reply, Submitted};
use super::prepare::{Prepared, PreparedGames};
use super::reader::Reader;
use super::refusal::{self, RefusedCall, RefusedRequest};
use super::request::{AbandonRequest, ActRequest, unfinished_fork};
use super::runtime::{LastPlay, Runtime, TokioRuntime};
use super::share::FairShare;
use super::step::Step;
use crate::access::Caller;
use crate::store::{self, Store, StoreError, Writer};

/// How games are kept.
#[derive(Clone, Debug)]
pub struct GamesOptions {
    /// The store.
    pub store: store::Options,
    /// How many games are kept in memory.
    pub cache_games: usize,
}

/// All games of one store, for one caller. A clone is one more reference to what all callers share.
#[derive(Clone)]
pub struct Games {
    /// For whom things are done: what is bounded is shared out among callers in turn.
    pub(super) caller: Caller,
    pub(super) shared: Arc<Shared>,
}

/// What all callers share.
pub(super) struct Shared {
    pub runtime: Arc<dyn Runtime>,
    pub pools: Pools,
    /// Creations and forks that are worked on at once.
    pub creating: FairShare,
    /// The same for forks, which are created among the others.
    pub forking: FairShare,
    /// Wakes those who follow games.
    pub fan_out: FanOut,
    pub reader: Reader,
    pub appends: AppendHandle,
    pub cache: Arc<Cache>,
    pub first_answers: FirstAnswers,
    pub promises: PreparedGames,
    pub creations: Creations,
    /// Promised games that are being created.
    pub promised: Claims,
    /// Forks that are being completed, or abandoned before they are.
    pub forks: Claims,
    /// Games that are being abandoned, one request at a time: none of them takes another for somebody who completes a fork.
    abandoning: Claims,
    /// Every group up to this block was answered: what readers of the store have seen, those of a live game see too.
    pub answered: watch::Receiver<Option<u64>>,
    /// How many groups were answered: after each of them there may be room again.
    groups: watch::Receiver<u64>,
    failed: watch::Receiver<bool>,
}

/// A reply that a task can wait for.
pub(super) fn reply_once() -> (Reply, oneshot::Receiver<ActionResult>) {
    let (sender, receiver) = oneshot::channel();
    // The caller may have gone away: the action is done all the same.
    (Box::new(move |result| drop(sender.send(result))), receiver)
}

/// The step of a new record, for those who ask for nothing but one.
pub(super) async fn answered_step(receiver: oneshot::Receiver<ActionResult>) -> Result<Arc<Step>, Error> {
    match answered(receiver).await? {
        Accepted::Done(step) => Ok(step),
        Accepted::Before(_) | Accepted::Valid(_) => unreachable!("only actions are answered without their step"),
    }
}

async fn answered(receiver: oneshot::Receiver<ActionResult>) -> ActionResult {
    receiver.await.unwrap_or(Err(Error::ShuttingDown))
}

/// Hands a finished group to the runtime.
type OnGroup = Box<dyn FnMut(Vec<Ticket>, store::Durability) + Send>;

impl Games {
    /// Opens the store. Must run inside the runtime that will answer.
    pub fn open(options: GamesOptions) -> Result<Games, StoreError> {
        Games::open_with(options.cache_games, |on_group| store::open(options.store, on_group))
    }

    /// The same on a log in memory.
    #[cfg(test)]
    pub(crate) fn open_in_memory(options: &GamesOptions, disk: &store::Disk) -> Result<Games, StoreError> {
        Games::open_with(options.cache_games, |on_group| store::open_in_memory(&options.store, disk, on_group))
    }

    fn open_with(
        cache_games: usize,
        open: impl FnOnce(OnGroup) -> Result<(Store, Writer<Ticket>), StoreError>,
    ) -> Result<Games, StoreError> {
        let (sender, groups) = mpsc::unbounded_channel();
        let play = LastPlay::new();
        let written = play.clone();
        let (store, writer) = open(Box::new(move |tickets, durability| {
            written.note();
            // Only a runtime that is gone does not listen any more, and then nobody waits.
            drop(sender.send((tickets, durability)));
        }))?;
        let (failed_sender, failed) = watch::channel(false);
        store.on_failure(move || {
            failed_sender.send_replace(true);
        });
        let runtime = TokioRuntime::new(&play).map_err(|source| StoreError::NoThreads { source })?;
        let runtime: Arc<dyn Runtime> = Arc::new(runtime);
        Games::start(runtime, Reader::Disk(store), writer, groups, failed, cache_games)
    }

    /// Begins with an open store.
    pub(super) fn start(
        runtime: Arc<dyn Runtime>,
        reader: Reader,
        writer: Writer<Ticket>,
        groups: Groups,
        failed: watch::Receiver<bool>,
        cache_games: usize,
    ) -> Result<Games, StoreError> {
        let cache = Arc::new(Cache::new(cache_games));
        let (answered_sender, answered) = watch::channel(reader.durable_block());
        let (groups_sender, groups_answered) = watch::channel(0);
        runtime.spawn(Box::pin(answer_groups(groups, Arc::clone(&cache), answered_sender, groups_sender)));
        let promises = PreparedGames::new(runtime.random_secret().ok_or_else(no_randomness)?);
        let appends = AppendHandle::new(writer, runtime.as_ref());
        let pools = Pools::new(&runtime);
        let (creations, promised, forks, abandoning) = Default::default();
        let fan_out = FanOut::default();
        runtime.spawn(Box::pin(fan_out.clone().run()));
        let shared = Shared {
            runtime,
            pools,
            creating: FairShare::new(creation::MAX_AT_ONCE),
            forking: FairShare::new(creation::MAX_FORKS_AT_ONCE),
            fan_out,
            reader,
            appends,
            cache,
            first_answers: FirstAnswers::default(),
            promises,
            creations,
            promised,
            forks,
            abandoning,
            answered,
            groups: groups_answered,
            failed,
        };
        Ok(Games { caller: Caller::default(), shared: Arc::new(shared) })
    }

    /// The same games, for this caller.
    pub fn of(&self, caller: Caller) -> Games {
        Games { caller, shared: Arc::clone(&self.shared) }
    }

    /// The store, to be read.
    pub fn store(&self) -> &Store {
        self.shared.reader.disk()
    }

    /// Becomes true when the store fails.
    pub fn failed(&self) -> watch::Receiver<bool> {
        self.shared.failed.clone()
    }

    /// Writes everything out and closes the store. Blocks. Says what was written since the start.
    pub fn close(self) -> store::Stats {
        let store = self.store().clone();
        store.clone().close();
        store.stats()
    }

    /// Does a seat's action. Where there is no room for it, it is refused.
    pub async fn act(&self, id: GameId, request: ActRequest) -> ActionResult {
        let live = self.live(id).await?;
        let (reply, receiver) = reply_once();
        match self.submit_to(&live, request, reply) {
            Submitted::Full { what, reply, .. } => live.answer(reply, Err(Error::Busy(what))),
            submitted => self.answer_repeated(&live, submitted).await,
        }
        answered(receiver).await
    }

    /// Does a seat's action and calls back. Comes back as soon as the next action of the same game may be submitted, which
    /// may be when there is room for this one.
    pub async fn submit(&self, id: GameId, request: ActRequest, reply: Reply) {
        match self.live(id).await {
            Ok(live) => {
                let submitted = self.submit_to(&live, request, reply);
                self.finish(live, submitted).await;
            }
            Err(error) => reply(Err(error)),
        }
    }

    /// Does what is left to do of an action that was submitted: waits for room, or reads the answer to a repeated one.
    pub async fn finish(&self, mut live: Arc<LiveGame>, mut submitted: Submitted) {
        let mut groups = self.shared.groups.clone();
        while let Submitted::Full { what, request, reply } = submitted {
            // Before the next attempt: a group that is answered after it wakes this task.
            groups.mark_unchanged();
            if live.is_retired() {
                live = match self.live(live.id()).await {
                    Ok(live) => live,
                    Err(error) => return reply(Err(error)),
                };
            }
            // Asked first, because an attempt computes the whole record.
            submitted = match self.shared.appends.has_room() && live.has_room() {
                true => self.submit_to(&live, request, reply),
                false => Submitted::Full { what, request, reply },
            };
            if let Submitted::Full { what, request, reply } = submitted {
                if groups.changed().await.is_err() {
                    return live.answer(reply, Err(Error::ShuttingDown));
                }
                submitted = Submitted::Full { what, request, reply };
            }
        }
        self.answer_repeated(&live, submitted).await;
    }

    /// Does a seat's action of a live game and calls back.
    pub fn submit_to(&self, live: &Arc<LiveGame>, request: ActRequest, reply: Reply) -> Submitted {
        live.act(request, self.shared.runtime.now_ms(), &self.shared.appends, reply)
    }

    /// Refuses a request that cannot be shown to its game, but not before the answers to the game's earlier ones.
    pub fn refuse(&self, id: GameId, error: Error, reply: Reply) {
        match self.shared.cache.get(id) {
            Some(live) => live.answer(reply, Err(error)),
            // Nothing is on its way.
            None => reply(Err(error)),
        }
    }

    /// Keeps a refused request of this caller that cannot be shown to its game, if there is such a game.
    pub async fn keep_refusal(&self, id: GameId, asked: RefusedCall, request_id: String, error: &Error) {
        if let Err(Error::NotFound(_)) = self.live(id).await {
            return;
        }
        let (caller, time_ms) = (Some(self.caller), self.shared.runtime.now_ms());
        let request = RefusedRequest { asked, request_id, caller, time_ms, revision: Revision::NONE };
        refusal::keep(&self.shared.reader.refusals(), id, request, error);
    }

    /// Answers a repeated action by what was answered the first time.
    async fn answer_repeated(&self, live: &LiveGame, submitted: Submitted) {
        let Submitted::Repeated { sequence, request, reply } = submitted else { return };
        let answer = self.first_answer(live.id(), sequence, &request).await;
        live.answer_act(request, self.shared.runtime.now_ms(), reply, answer);
    }

    /// Judges a seat's action without doing it. One that was done before is answered as it was then.
    pub async fn check(&self, id: GameId, request: &ActRequest) -> Result<Revision, Error> {
        let live = self.live(id).await?;
        if !live.has_done(request) {
            return live.check(request);
        }
        let (reply, receiver) = reply_once();
        self.check_live_in_order(&live, request, reply).await;
        Ok(answered(receiver).await?.revision())
    }

    /// The same, behind everything that was asked of the game before, and calls back.
    pub async fn check_in_order(&self, id: GameId, request: &ActRequest, reply: Reply) {
        match self.live(id).await {
            Ok(live) => self.check_live_in_order(&live, request, reply).await,
            Err(error) => reply(Err(error)),
        }
    }

    async fn check_live_in_order(&self, live: &LiveGame, request: &ActRequest, reply: Reply) {
        if let Some((sequence, reply)) = live.check_in_order(request, reply) {
            self.finish_check(live, sequence, request, reply).await;
        }
    }

    /// Answers a dry run of an action that was done before, by what stands in the log.
    pub async fn finish_check(&self, live: &LiveGame, sequence: Sequence, request: &ActRequest, reply: Reply) {
        let first = self.first_answer(live.id(), sequence, request).await;
        live.answer(reply, first.map(|first| Accepted::Valid(first.revision())));
    }

    /// Abandons a game.
    pub async fn abandon(&self, id: GameId, mut request: AbandonRequest) -> Result<Arc<Step>, Error> {
        let live = self.live(id).await?;
        // Held until the record is on its way: nobody copies the rest of a fork's past meanwhile. Who is at it already
        // completes it, and the abandonment is refused.
        let _turn = self.shared.abandoning.claim(id).await;
        let alone = self.shared.forks.try_claim(id);
        if let (Some(origin), Some(_)) = (unfinished_fork(&live.durable()), &alone) {
            request.never_complete = self.is_never_complete(&live, origin).await?;
        }
        let (reply, receiver) = reply_once();
        live.abandon(request, self.shared.runtime.now_ms(), &self.shared.appends, reply);
        drop(alone);
        answered_step(receiver).await
    }

    /// Promises a game to come.
    pub fn prepare(&self) -> Prepared {
        self.shared.promises.promise(self.shared.runtime.new_id())
    }
}

fn no_randomness() -> StoreError {
    StoreError::NoRandomness { detail: "nothing can be promised without".into() }
}
