//! What callers ask for. Each call is a task that may be dropped wherever it waits.

use std::sync::{Arc, Mutex, MutexGuard};

use divelog_engine::{AnyOptions, deep_sea_adventure};
use divelog_ledger::{ForkOrigin, GameId, Revision, convert};
use divelog_proto::v1 as pb;

use super::super::{
    AbandonRequest, ActRequest, CreateRequest, Error, ForkRequest, Games, ListFilter, Prepared, WatchNext,
};
use super::history::{Act, History, Making};
use crate::test_rng::TestRng;

/// What every call has.
#[derive(Clone)]
pub struct Caller {
    pub games: Games,
    pub history: Arc<Mutex<History>>,
    pub rng: TestRng,
}

/// Steps that a watcher reads from the log at a time.
const STEPS_AT_ONCE: usize = 3;

pub fn creation(seats: usize, request_id: &str, prepared: Option<Prepared>) -> CreateRequest {
    CreateRequest {
        options: AnyOptions::DeepSeaAdventure(deep_sea_adventure::Options),
        rules_version: None,
        players: vec![pb::Player::default(); seats],
        labels: Default::default(),
        request_id: request_id.to_owned(),
        prepared,
    }
}

impl Caller {
    fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap()
    }

    pub async fn create(self, request: CreateRequest) {
        let request_id = request.request_id.clone();
        {
            let mut history = self.history();
            if request_id.is_empty() {
                history.anonymous_games += 1;
            } else {
                let new = || Making::Create(Box::new(request.clone()));
                let first = history.makings.entry(request_id.clone()).or_insert_with(new);
                if !matches!(first, Making::Create(first) if **first == request) {
                    history.contested.insert(request_id.clone());
                }
            }
        }
        let seats = request.players.len();
        let answer = self.games.create(request).await;
        let mut history = self.history();
        match answer {
            Ok(position) => {
                history.counts.created += 1;
                history.observe(&position);
                history.made(&request_id, position.header().game_id);
                if position.header().players.len() != seats {
                    history.find("other-game", format!("{request_id} was answered with another game"));
                }
            }
            Err(error) => history.error("create", &request_id, &error, Revision::NONE),
        }
    }

    pub async fn fork(self, request: ForkRequest) {
        let request_id = request.request_id.clone();
        let before = {
            let mut history = self.history();
            if request_id.is_empty() {
                history.anonymous_games += 1;
            }
            history.observed(request.game_id)
        };
        let source = request.game_id;
        let answer = self.games.fork(request).await;
        let mut history = self.history();
        match answer {
            Ok(position) => {
                history.counts.forked += 1;
                history.observe(&position);
                history.made(&request_id, position.header().game_id);
                let whole = |fork: ForkOrigin| fork.game_id == source && fork.revision == position.revision();
                if !position.header().fork.is_some_and(whole) {
                    history.find("unfinished-fork-answered", request_id);
                }
            }
            Err(error) => history.error("fork", &request_id, &error, before),
        }
    }

    /// Some action that is allowed, as far as the caller knows.
    pub async fn act(self, game: GameId, request_id: String, from_tip: bool) {
        let before = self.history().observed(game);
        let position = match self.games.live(game).await {
            Ok(live) if from_tip => live.tip(),
            Ok(live) => live.durable(),
            Err(error) => return self.history().error("act", &request_id, &error, before),
        };
        let Some((seat, action)) = position.game().any_choice(&mut self.rng.clone()) else { return };
        let expected = self.rng.once_in(3).then(|| position.revision());
        self.submit(game, request_id, seat.0.into(), Some(convert::action_to_proto(&action)), expected).await;
    }

    /// The same action under the same id as before.
    pub async fn repeat(self, game: GameId, request_id: String) {
        let act = self.history().acts[&(game, request_id.clone())].clone();
        self.submit(game, request_id, act.seat, act.action, None).await;
    }

    async fn submit(
        &self,
        game: GameId,
        request_id: String,
        seat: u32,
        action: Option<pb::GameAction>,
        expected_revision: Option<Revision>,
    ) {
        let key = (game, request_id.clone());
        let before = {
            let mut history = self.history();
            if request_id.is_empty() {
                *history.anonymous_acts.entry(game).or_default() += 1;
            } else {
                let new = Act { seat, action: action.clone(), asked: 0, not_done: 0, done: None };
                history.acts.entry(key.clone()).or_insert(new).asked += 1;
            }
            history.observed(game)
        };
        let request = ActRequest { seat, action, expected_revision, request_id, caller: None, copies: false };
        let answer = self.games.act(game, request).await;
        let mut history = self.history();
        match answer {
            Ok(accepted) => {
                let (revision, hash) = (accepted.revision(), accepted.record_hash().expect("an action has a record"));
                history.counts.done += 1;
                history.observe_record(game, revision, hash);
                history.acted(game, &key.1, revision, hash);
            }
            Err(error) => {
                if history.acts.get(&key).is_some_and(|act| act.done.is_some()) && !matches!(error, Error::Busy(_)) {
                    let known = history.disk_failed;
                    if !known {
                        history.find("other-answer", format!("{} was done, and then: {error}", key.1));
                    }
                }
                let surely = !matches!(error, Error::StoreFailed(_));
                if let Some(act) = history.acts.get_mut(&key) {
                    act.not_done += u64::from(surely);
                }
                history.error("act", &key.1, &error, before);
            }
        }
    }

    pub async fn abandon(self, game: GameId) {
        let before = {
            let mut history = self.history();
            *history.anonymous_acts.entry(game).or_default() += 1;
            history.observed(game)
        };
        let request = AbandonRequest {
            reason: String::new(),
            expected_revision: None,
            request_id: String::new(),
            caller: None,
            never_complete: false,
        };
        let answer = self.games.abandon(game, request).await;
        let mut history = self.history();
        match answer {
            Ok(step) => history.observe(&step.position),
            Err(error) => history.error("abandon", "", &error, before),
        }
    }

    /// Asks the game, the list and the log, each of which must know what was known before.
    pub async fn read(self, game: GameId) {
        let before = self.history().observed(game);
        match self.games.live(game).await {
            Ok(live) => {
                let position = live.durable();
                let mut history = self.history();
                history.check_read("the game", game, position.revision(), before);
                history.observe(&position);
            }
            Err(error) => return self.history().error("read", "", &error, before),
        }
        let before = self.history().observed(game);
        match self.games.list(None, 1_000, ListFilter::default()).await {
            Ok(page) => {
                let listed =
                    page.entries.iter().find(|entry| entry.id == game).map_or(Revision::NONE, |entry| entry.revision);
                self.history().check_read("the list", game, listed, before);
            }
            Err(error) => self.history().error("list", "", &error, before),
        }
        let before = self.history().observed(game);
        match self.games.steps(game, Revision::BEGUN, usize::MAX).await {
            Ok(steps) => {
                let mut history = self.history();
                history.check_read("the log", game, Revision::of(&steps), before);
                for step in &steps {
                    history.observe(&step.position);
                }
            }
            Err(error) => self.history().error("read", "", &error, before),
        }
    }

    /// Follows a game, as `WatchGame` does, until it is over.
    pub async fn watch(self, number: u64, game: GameId, from_start: bool) {
        let before = self.history().observed(game);
        let mut live = match self.games.live(game).await {
            Ok(live) => live,
            Err(error) => return self.history().error("watch", "", &error, before),
        };
        let mut follower = live.follow();
        let mut cursor = if from_start { Revision::NONE } else { live.durable().revision() };
        loop {
            follower.mark_unchanged();
            loop {
                while live.is_retired() {
                    match self.games.live(game).await {
                        Ok(again) => (follower, live) = (again.follow(), again),
                        Err(error) => return self.history().error("watch", "", &error, before),
                    }
                }
                let steps = match live.after(cursor) {
                    WatchNext::UpToDate { over: true } => {
                        self.history().watches.remove(&number);
                        return;
                    }
                    WatchNext::UpToDate { over: false } => break,
                    WatchNext::Step(step) => vec![step.as_ref().clone()],
                    WatchNext::ReadLog => match self.games.steps(game, cursor.next(), STEPS_AT_ONCE).await {
                        Ok(steps) => steps,
                        Err(error) => return self.history().error("watch", "", &error, before),
                    },
                };
                let mut history = self.history();
                for step in steps {
                    let revision = step.position.revision();
                    if revision != cursor.next() {
                        history.find("watch-gap", format!("game {game}: {revision} follows {cursor}"));
                    }
                    cursor = revision;
                    history.observe(&step.position);
                    history.counts.watched += 1;
                }
            }
            self.history().watches.insert(number, (game, cursor));
            follower.changed().await;
        }
    }
}
