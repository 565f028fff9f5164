//! `WatchGame`: each record once and in order, from any revision on.
//!
//! A watcher has a cursor and nothing else. Who keeps up gets the newest steps from memory; who is behind is served from
//! the log, at their own pace: a slow watcher holds up neither the game nor memory.

use std::sync::Arc;
use std::time::Duration;

use divelog_engine::Viewer;
use divelog_ledger::{GameId, convert};
use divelog_proto::v1 as pb;
use pb::watch_game_response::Message;
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::call::Call;
use super::responses;
use crate::session::{Error, Games, LiveGame, Step, WatchNext};

const DEFAULT_HEARTBEAT: Duration = Duration::from_secs(15);
const MAX_HEARTBEAT: Duration = Duration::from_secs(3600);
/// How many messages wait for a slow connection before its watcher waits.
const MESSAGES_AHEAD: usize = 16;
/// How many steps are read from the log at a time.
const STEPS_AT_ONCE: usize = 64;

/// One watch, before and while it runs.
pub struct Watch {
    games: Games,
    call: Call,
    live: Arc<LiveGame>,
    id: GameId,
    viewer: Viewer,
    /// Everything up to this revision has been sent.
    cursor: u64,
    first: Option<Message>,
    include_views: bool,
    heartbeat: Duration,
    draining: watch::Receiver<bool>,
}

/// The connection is gone, or the watch has ended as it should.
struct Ended;

type Sender = mpsc::Sender<Result<pb::WatchGameResponse, Status>>;

impl Watch {
    /// Checks a request and finds where to begin.
    pub async fn begin(
        games: Games,
        request: pb::WatchGameRequest,
        call: Call,
        draining: watch::Receiver<bool>,
    ) -> Result<Watch, Error> {
        let id = call.game(&request.game_id)?;
        let live = games.live(id).await?;
        let position = live.durable();
        let viewer = convert::viewer_from_proto(request.viewer.as_ref(), position.game().seats())
            .map_err(|description| Error::invalid("viewer", description))?;
        let heartbeat = match request.heartbeat_seconds {
            0 => DEFAULT_HEARTBEAT,
            seconds => Duration::from_secs(seconds.into()).min(MAX_HEARTBEAT),
        };
        let (cursor, first) = match request.after_revision {
            Some(given) if given > position.revision() => {
                return Err(Error::Ahead { given, actual: position.revision() });
            }
            Some(given) => (given, None),
            None => {
                let game = Some(responses::game_at(&position, live.secret()));
                let view = Some(responses::view(&position, viewer));
                (position.revision(), Some(Message::Snapshot(pb::Snapshot { game, view })))
            }
        };
        let include_views = request.include_views;
        call.set_revision(cursor);
        Ok(Watch { games, call, live, id, viewer, cursor, first, include_views, heartbeat, draining })
    }

    /// Runs the watch in a task of its own for as long as the caller listens.
    pub fn spawn(mut self, permit: OwnedSemaphorePermit) -> ReceiverStream<Result<pb::WatchGameResponse, Status>> {
        let (sender, receiver) = mpsc::channel(MESSAGES_AHEAD);
        tokio::spawn(async move {
            let _permit = permit;
            let Ended = self.run(&sender).await;
        });
        ReceiverStream::new(receiver)
    }

    async fn run(&mut self, sender: &Sender) -> Ended {
        let mut news = self.live.follow();
        if let Some(first) = self.first.take()
            && let Err(ended) = send(sender, first).await
        {
            return ended;
        }
        let mut draining = self.draining.clone();
        let mut ending = false;
        loop {
            news.mark_unchanged();
            match self.catch_up(sender, &mut news).await {
                Ok(true) => return self.end(sender, pb::watch_end::Cause::GameOver).await,
                // Everything durable was sent before, so that the end names what the caller has.
                Ok(false) if ending => return self.end(sender, pb::watch_end::Cause::Shutdown).await,
                Ok(false) => {}
                Err(ended) => return ended,
            }
            tokio::select! {
                biased;
                () = drained(&mut draining) => ending = true,
                () = sender.closed() => return Ended,
                _ = news.changed() => {}
                () = tokio::time::sleep(self.heartbeat) => {
                    let heartbeat = Message::Heartbeat(pb::Heartbeat { revision: self.cursor });
                    if let Err(ended) = send(sender, heartbeat).await {
                        return ended;
                    }
                }
            }
        }
    }

    /// Sends everything up to the durable revision, and says whether the game is over.
    async fn catch_up(&mut self, sender: &Sender, news: &mut watch::Receiver<u64>) -> Result<bool, Ended> {
        loop {
            // Asked after it is followed: a copy that ends from then on says so.
            while self.live.is_retired() {
                match self.games.live(self.id).await {
                    Ok(live) => (*news, self.live) = (live.follow(), live),
                    Err(error) => return Err(self.fail(sender, &error).await),
                }
            }
            match self.live.after(self.cursor) {
                WatchNext::UpToDate { over } => return Ok(over),
                WatchNext::Step(step) => self.send_step(sender, &step).await?,
                WatchNext::ReadLog => match self.games.steps(self.id, self.cursor + 1, STEPS_AT_ONCE).await {
                    Ok(steps) => {
                        for step in &steps {
                            self.send_step(sender, step).await?;
                        }
                    }
                    Err(error) => return Err(self.fail(sender, &error).await),
                },
            }
        }
    }

    /// Says what is wrong: the last thing that can be said on this stream.
    async fn fail(&self, sender: &Sender, error: &Error) -> Ended {
        drop(sender.send(Err(self.call.fail(error))).await);
        Ended
    }

    async fn send_step(&mut self, sender: &Sender, step: &Step) -> Result<(), Ended> {
        let update = responses::update(step, self.viewer, self.include_views);
        self.cursor = update.revision;
        send(sender, Message::Update(update)).await
    }

    async fn end(&self, sender: &Sender, cause: pb::watch_end::Cause) -> Ended {
        let end = Message::End(pb::WatchEnd { revision: self.cursor, cause: cause.into() });
        drop(send(sender, end).await);
        Ended
    }
}

/// Waits until the server drains.
pub(super) async fn drained(draining: &mut watch::Receiver<bool>) {
    // A server that is gone has drained too.
    drop(draining.wait_for(|draining| *draining).await);
}

async fn send(sender: &Sender, message: Message) -> Result<(), Ended> {
    sender.send(Ok(pb::WatchGameResponse { message: Some(message) })).await.map_err(|_| Ended)
}
