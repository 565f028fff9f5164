//! Concurrent play until the server is gone: rivals who share games by unary calls, owners who play many games on one
//! stream, watchers, and somebody who lists. Every answer of the server goes into the [`History`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use divelog_proto::v1 as pb;
use divelog_proto::v1::game_service_client::GameServiceClient;
use divelog_tests::Server;
use divelog_tests::player::{action_of, new_game};
use pb::submit_actions_response::Result as Answer;
use pb::watch_game_response::Message;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Code, Status};

use super::stream_share::{StreamShare, Waiting};
use super::{History, SharedChoices, TIMEOUT, reason};

/// Games that two or more players fight over.
const SHARED: usize = 5;
/// Players of those.
const RIVALS: usize = 4;
/// Streams, and the games on each, where one player acts alone.
const STREAMS: usize = 2;
const GAMES_PER_STREAM: usize = 5;
const WATCHERS: usize = 4;
/// One in so many requests is sent twice at once, under the same id.
const DOUBLED: u64 = 6;

/// The server is gone, or going, as it should.
pub struct ServerGone;

/// Whether the test itself has ended the server.
#[derive(Clone, Default)]
pub struct StopSignal(Arc<AtomicBool>);

impl StopSignal {
    /// From now on lost connections are no surprise.
    pub fn announce(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// The connection broke, or the server turns calls away because it goes down.
    #[track_caller]
    fn gone(&self, what: &Status) -> ServerGone {
        assert!(self.0.load(Ordering::SeqCst), "the server ended by itself: {what:?}");
        ServerGone
    }
}

/// What one player needs.
#[derive(Clone)]
struct Player {
    client: GameServiceClient<Channel>,
    history: History,
    choices: Arc<SharedChoices>,
    end: StopSignal,
    /// Reasons, besides the rules', for which an action may stay without an answer.
    faults: &'static [&'static str],
}

/// One run of a server with everybody at it.
pub struct Round {
    players: JoinSet<ServerGone>,
    end: StopSignal,
}

impl Round {
    /// Everybody begins to play.
    pub async fn begin(server: &Server, history: &History, choices: &Arc<SharedChoices>) -> Round {
        Round::begin_with_expected_reasons(server, history, choices, &["SHUTTING_DOWN"]).await
    }

    /// Everybody begins to play on a server that may fail for these reasons.
    pub async fn begin_with_expected_reasons(
        server: &Server,
        history: &History,
        choices: &Arc<SharedChoices>,
        faults: &'static [&'static str],
    ) -> Round {
        let end = StopSignal::default();
        let mut players = JoinSet::new();
        let player = async || Player {
            client: server.games().await,
            history: history.clone(),
            choices: Arc::clone(choices),
            end: end.clone(),
            faults,
        };
        for _ in 0..RIVALS {
            let other = player().await;
            players.spawn(async move { other.play_shared().await });
        }
        for stream in 0..STREAMS {
            let owner = player().await;
            players.spawn(async move { owner.play_stream(stream).await });
        }
        for _ in 0..WATCHERS {
            let watcher = player().await;
            players.spawn(async move { watcher.watch().await });
        }
        let lister = player().await;
        players.spawn(async move { lister.list().await });
        Round { players, end }
    }

    /// Whether the test ends the server.
    pub fn stop_signal(&self) -> &StopSignal {
        &self.end
    }

    /// Waits until everybody has noticed that the server is gone. A player's panic is the test's.
    pub async fn over(mut self) {
        while let Some(ended) = tokio::time::timeout(TIMEOUT, self.players.join_next())
            .await
            .expect("a player still waits for an answer of a server that is gone")
        {
            match ended {
                Ok(ServerGone) => {}
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            }
        }
    }
}

impl Player {
    /// A refusal by the rules is an answer; anything else is the end of the server or a fault.
    fn check_refusal(&self, request: &pb::SubmitActionRequest, status: &Status) -> Result<(), ServerGone> {
        match reason(status) {
            Some(reason) if self.faults.contains(&reason.as_str()) => Err(ServerGone),
            Some(_) if matches!(status.code(), Code::FailedPrecondition | Code::Aborted) => {
                self.history.refused(request);
                Ok(())
            }
            Some(_) => panic!("{status:?}"),
            None => Err(self.end.gone(status)),
        }
    }

    /// A read that failed: only because the server is gone.
    fn read_failed(&self, status: &Status) -> ServerGone {
        match reason(status) {
            Some(reason) if self.faults.contains(&reason.as_str()) => ServerGone,
            Some(_) => panic!("{status:?}"),
            None => self.end.gone(status),
        }
    }

    /// The game at a place; a new one if there is none or it is over.
    async fn game_at(&mut self, place: &str) -> Result<pb::Game, ServerGone> {
        let known = self.history.lock().places.get(place).cloned();
        if let Some(game_id) = known {
            let game = self.look(&game_id).await?;
            if game.status() == pb::GameStatus::Running {
                return Ok(game);
            }
        }
        let request_id = self.history.next_id();
        let mut request = new_game(2 + self.choices.below(5) as usize);
        request.labels = [("place", place), ("creation", &request_id)].map(|(k, v)| (k.into(), v.into())).into();
        request.request_id = request_id;
        self.history.creates(&request);
        let created = self.client.create_game(request.clone()).await;
        let game = created.map_err(|status| self.read_failed(&status))?.into_inner().game.unwrap();
        self.history.created(&request, &game);
        Ok(game)
    }

    async fn look(&mut self, game_id: &str) -> Result<pb::Game, ServerGone> {
        let request = pb::GetGameRequest { game_id: game_id.to_owned(), viewer: None };
        let looked = self.client.get_game(request).await;
        let game = looked.map_err(|status| self.read_failed(&status))?.into_inner().game.unwrap();
        self.history.shown(game_id, game.revision, &game.head_hash);
        Ok(game)
    }

    /// Some action that was legal a moment ago.
    async fn choose(&mut self, game: &pb::Game) -> Result<Option<pb::SubmitActionRequest>, ServerGone> {
        let Some(&seat) = game.to_act.first() else { return Ok(None) };
        let request = pb::ListLegalActionsRequest { game_id: game.game_id.clone(), seat };
        let listed = self.client.list_legal_actions(request).await;
        let legal = listed.map_err(|status| self.read_failed(&status))?.into_inner().legal_actions;
        if legal.is_empty() {
            return Ok(None);
        }
        let chosen = self.choices.below(legal.len() as u64) as usize;
        Ok(Some(pb::SubmitActionRequest {
            game_id: game.game_id.clone(),
            seat,
            action: Some(action_of(&legal[chosen])),
            request_id: self.history.next_id(),
            ..Default::default()
        }))
    }

    async fn play_shared(mut self) -> ServerGone {
        loop {
            if let Err(gone) = self.act_shared().await {
                return gone;
            }
        }
    }

    async fn act_shared(&mut self) -> Result<(), ServerGone> {
        let place = format!("shared-{}", self.choices.below(SHARED as u64));
        let game = self.game_at(&place).await?;
        let Some(mut request) = self.choose(&game).await? else { return Ok(()) };
        if self.choices.below(2) == 0 {
            request.expected_revision = Some(game.revision);
        }
        self.history.asks(&request, false);
        let mut twin = self.client.clone();
        let (first, second) = if self.choices.below(DOUBLED) == 0 {
            let calls = tokio::join!(self.client.submit_action(request.clone()), twin.submit_action(request.clone()));
            (calls.0, Some(calls.1))
        } else {
            (self.client.submit_action(request.clone()).await, None)
        };
        let mut result = Ok(());
        for answer in [Some(first), second].into_iter().flatten() {
            match answer {
                Ok(answer) => {
                    let answer = answer.into_inner();
                    assert!(answer.revision > game.revision, "{answer:?} comes before what was shown: {game:?}");
                    self.history.acknowledged(&request, answer);
                }
                Err(status) => result = result.and(self.check_refusal(&request, &status)),
            }
        }
        result
    }

    /// Plays games of its own on one stream, all of them at once.
    async fn play_stream(mut self, stream: usize) -> ServerGone {
        let (sender, requests) = mpsc::channel(64);
        let opened = self.client.submit_actions(ReceiverStream::new(requests)).await;
        let mut answers = match opened {
            Ok(answers) => answers.into_inner(),
            Err(status) => return self.read_failed(&status),
        };
        let waiting: Waiting = Arc::new(Mutex::new(Some(Default::default())));
        let mut games = JoinSet::new();
        for game in 0..GAMES_PER_STREAM {
            let line = StreamShare { sender: sender.clone(), waiting: Arc::clone(&waiting), tag: (game as u64) << 32 };
            let player = self.clone();
            games.spawn(async move { player.play_alone(format!("stream-{stream}-{game}"), line).await });
        }
        drop(sender);
        loop {
            match answers.message().await {
                Ok(Some(answer)) => {
                    let waiter = waiting.lock().unwrap().as_mut().and_then(|waiting| waiting.remove(&answer.tag));
                    let waiter = waiter.expect("each request is answered once");
                    drop(waiter.send(answer.result.unwrap()));
                }
                Ok(None) => break,
                Err(status) => {
                    self.end.gone(&status);
                    break;
                }
            }
        }
        // Whoever waits for an answer now, or would from now on, waits in vain.
        *waiting.lock().unwrap() = None;
        drop(answers);
        while let Some(ended) = games.join_next().await {
            if let Err(error) = ended {
                std::panic::resume_unwind(error.into_panic());
            }
        }
        ServerGone
    }

    async fn play_alone(mut self, place: String, mut line: StreamShare) -> ServerGone {
        loop {
            let game = match self.game_at(&place).await {
                Ok(game) => game,
                Err(gone) => return gone,
            };
            let request = match self.choose(&game).await {
                Ok(request) => request.expect("nobody else acts in this game"),
                Err(gone) => return gone,
            };
            self.history.asks(&request, true);
            let copies = if self.choices.below(DOUBLED) == 0 { 2 } else { 1 };
            let mut answers = Vec::new();
            for _ in 0..copies {
                answers.extend(line.send(&request).await);
            }
            let mut lost = answers.len() < copies;
            for answer in answers {
                match answer.await {
                    Ok(Answer::Done(done)) => {
                        assert_eq!(done.revision, game.revision + 1, "nobody else acts in this game");
                        self.history.acknowledged(&request, done);
                    }
                    Ok(Answer::Failure(failure)) if self.faults.contains(&failure.reason.as_str()) => lost = true,
                    Ok(Answer::Failure(failure)) => panic!("{failure:?}"),
                    Err(_) => lost = true,
                }
            }
            if lost {
                return ServerGone;
            }
        }
    }

    /// Follows one game after another.
    async fn watch(mut self) -> ServerGone {
        loop {
            let games: Vec<String> = self.history.lock().places.values().cloned().collect();
            if games.is_empty() {
                // Nobody has created a game yet, and the server may be gone before anybody does.
                match self.list_once().await {
                    Ok(()) => continue,
                    Err(gone) => return gone,
                }
            }
            let game_id = games[self.choices.below(games.len() as u64) as usize].clone();
            if let Err(gone) = self.watch_game(game_id).await {
                return gone;
            }
        }
    }

    async fn watch_game(&mut self, game_id: String) -> Result<(), ServerGone> {
        let after_revision = (self.choices.below(2) == 0).then_some(0);
        let request = pb::WatchGameRequest { game_id: game_id.clone(), after_revision, ..Default::default() };
        let begun = self.client.watch_game(request).await;
        let mut news = begun.map_err(|status| self.read_failed(&status))?.into_inner();
        let mut seen = after_revision.unwrap_or_default();
        loop {
            let message = news.message().await.map_err(|status| self.read_failed(&status))?;
            let Some(message) = message else { return Err(self.end.gone(&Status::ok("a watch ended without a word"))) };
            match message.message.unwrap() {
                Message::Snapshot(pb::Snapshot { game, .. }) => {
                    let game = game.unwrap();
                    self.history.shown(&game_id, game.revision, &game.head_hash);
                    seen = game.revision;
                }
                Message::Update(update) => {
                    assert_eq!(update.revision, seen + 1, "a watch of game {game_id} has a gap or a repeat");
                    self.history.shown(&game_id, update.revision, &update.record_hash);
                    seen = update.revision;
                }
                Message::Heartbeat(_) => {}
                Message::End(end) => {
                    assert_eq!(end.revision, seen, "the end of a watch names what was sent");
                    return match end.cause() {
                        pb::watch_end::Cause::GameOver => Ok(()),
                        pb::watch_end::Cause::Shutdown => Err(self.end.gone(&Status::ok("a watch was shut down"))),
                        pb::watch_end::Cause::Unspecified => panic!("a watch ended without a cause"),
                    };
                }
            }
        }
    }

    /// Looks at the list of games.
    async fn list(mut self) -> ServerGone {
        loop {
            if let Err(gone) = self.list_once().await {
                return gone;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }

    async fn list_once(&mut self) -> Result<(), ServerGone> {
        let listed = self.client.list_games(pb::ListGamesRequest::default()).await;
        let page = listed.map_err(|status| self.read_failed(&status))?.into_inner();
        for game in page.games {
            self.history.shown(&game.game_id, game.revision, &game.head_hash);
        }
        Ok(())
    }
}
