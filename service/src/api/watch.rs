//! `WatchGame`: each record once and in order, from any revision on.
//!
//! A watcher has a cursor, and is given the next message when it has room for it. Who keeps up gets the newest steps from
//! memory; who is behind is served from the log, at their own pace: a slow watcher holds up neither the game nor memory.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use divelog_engine::Viewer;
use divelog_ledger::{GameId, Position, Revision, convert};
use divelog_proto::encoded::WatchGameResponse;
use divelog_proto::v1 as pb;
use pb::watch_game_response::Message;
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::call::Call;
use super::pull::{Cursor, MAX_READY_BYTES};
use super::responses;
use crate::session::{Error, Follower, Games, LiveGame, Replay, Step, WatchNext};

const DEFAULT_HEARTBEAT: Duration = Duration::from_secs(15);
const MAX_HEARTBEAT: Duration = Duration::from_secs(3600);
/// How many updates are made from the log at a time.
const MAX_STEPS: usize = 64;
/// How many bytes of records a watch holds that are still to be replayed, give or take a record. They are read again behind
/// that, and replayed once.
const MAX_LOG_BYTES: usize = 64 * 1024;
/// What all watches may hold of these, and as much of updates that were made of them: where many are open each holds less, and
/// reads more often.
const ALL_LOG_BYTES: usize = 40 * 1024 * 1024;

/// One watch.
pub struct Watch {
    games: Games,
    call: Call,
    live: Arc<LiveGame>,
    /// Learns that the game has gone on. Held as long as the game: only what is followed keeps its newest steps.
    follower: Follower,
    id: GameId,
    viewer: Viewer,
    /// Everything up to this revision has been sent.
    cursor: Revision,
    /// Bytes already: as a message it would be most of what a watch takes, for as long as that lasts.
    first: Option<WatchGameResponse>,
    /// Updates from the log, the next one first.
    ready: VecDeque<WatchGameResponse>,
    start: ReplayStart,
    include_views: bool,
    heartbeat: Duration,
    draining: watch::Receiver<bool>,
    /// Whether the game was over when the watch had everything.
    over: bool,
    ended: bool,
    permit: OwnedSemaphorePermit,
    most_watches: usize,
}

/// Where reading the log can go on.
enum ReplayStart {
    /// Nowhere: from the first record.
    Unknown,
    /// Behind the newest update.
    At(Position),
    /// In the middle of a log that was read.
    Replay(Box<Replay>),
}

impl Watch {
    /// Checks a request and finds where to begin.
    pub async fn begin(
        games: Games,
        request: pb::WatchGameRequest,
        call: Call,
        draining: watch::Receiver<bool>,
        permit: OwnedSemaphorePermit,
        most_watches: usize,
    ) -> Result<Watch, Error> {
        let id = call.game(&request.game_id)?;
        let live = games.live(id).await?;
        // Before the position is read, so that no step is missed.
        let follower = live.follow();
        let position = live.durable();
        let viewer = convert::viewer_from_proto(request.viewer.as_ref(), position.game().seats())
            .map_err(|description| Error::invalid("viewer", description))?;
        let heartbeat = match request.heartbeat_seconds {
            0 => DEFAULT_HEARTBEAT,
            seconds => Duration::from_secs(seconds.into()).min(MAX_HEARTBEAT),
        };
        let (cursor, first) = match request.after_revision.map(Revision::new) {
            Some(given) if given > position.revision() => {
                return Err(Error::Ahead { given, actual: position.revision() });
            }
            Some(given) => (given, None),
            None => {
                let game = Some(responses::game_at(&position, live.secret()));
                let view = Some(responses::view(&position, viewer));
                (position.revision(), Some(response(Message::Snapshot(pb::Snapshot { game, view }))))
            }
        };
        call.set_revision(cursor);
        let start = if cursor == position.revision() { ReplayStart::At(position) } else { ReplayStart::Unknown };
        Ok(Watch {
            games,
            call,
            live,
            follower,
            id,
            viewer,
            cursor,
            first,
            ready: VecDeque::new(),
            start,
            include_views: request.include_views,
            heartbeat,
            draining,
            over: false,
            ended: false,
            permit,
            most_watches,
        })
    }

    /// The update to the next revision, from memory or from the log; none if the watch has everything.
    async fn next_update(&mut self) -> Result<Option<WatchGameResponse>, Error> {
        loop {
            if let Some(update) = self.ready.pop_front() {
                return Ok(Some(update));
            }
            // Asked after it is followed: a copy that ends from then on says so.
            while self.live.is_retired() {
                let live = self.games.live(self.id).await?;
                (self.follower, self.live) = (live.follow(), live);
            }
            match self.live.after(self.cursor) {
                WatchNext::UpToDate { over } => {
                    self.over = over;
                    return Ok(None);
                }
                WatchNext::Step(step) => {
                    self.start = ReplayStart::At(step.position.clone());
                    let make = || update(&step, self.viewer, self.include_views);
                    return Ok(Some(step.shown.get(self.viewer, self.include_views, make)));
                }
                WatchNext::ReadLog => self.read_log().await?,
            }
        }
    }

    /// Reads a part of the log after the cursor, from where the last part ended.
    async fn read_log(&mut self) -> Result<(), Error> {
        let (cursor, viewer, include_views) = (self.cursor, self.viewer, self.include_views);
        let bytes = self.part_bytes();
        let replay = match std::mem::replace(&mut self.start, ReplayStart::Unknown) {
            ReplayStart::Replay(replay) => replay,
            ReplayStart::At(position) => {
                Box::new(Replay::after(position, self.games.stored_to_watch(self.id).await?).cut(bytes))
            }
            ReplayStart::Unknown => {
                Box::new(Replay::new(self.id, self.games.stored_to_watch(self.id).await?)?.cut(bytes))
            }
        };
        let part = move || read_part(replay, cursor, viewer, include_views, bytes.min(MAX_READY_BYTES));
        (self.ready, self.start) = self.games.replay_to_watch(part).await?;
        Ok(())
    }

    /// How much of the log is held at a time: this watch's share.
    fn part_bytes(&self) -> usize {
        let open = self.most_watches.saturating_sub(self.permit.semaphore().available_permits());
        (ALL_LOG_BYTES / open.max(1)).min(MAX_LOG_BYTES)
    }

    /// The end, which names what the caller has.
    fn end(&mut self, cause: pb::watch_end::Cause) -> Message {
        self.ended = true;
        Message::End(pb::WatchEnd { revision: self.cursor.get(), cause: cause.into() })
    }
}

impl Cursor for Watch {
    type Message = WatchGameResponse;

    async fn next(&mut self) -> Result<Option<WatchGameResponse>, Error> {
        if self.ended {
            return Ok(None);
        }
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => self.next_message().await.map(Some),
        }
    }
}

impl Watch {
    async fn next_message(&mut self) -> Result<WatchGameResponse, Error> {
        let mut draining = self.draining.clone();
        let mut ending = false;
        loop {
            // Before the game is asked: what becomes durable from here on wakes the watch.
            self.follower.mark_unchanged();
            if let Some(update) = self.next_update().await? {
                // Each update is about one record.
                self.cursor = self.cursor.next();
                self.call.set_revision(self.cursor);
                return Ok(update);
            }
            if self.over {
                return Ok(response(self.end(pb::watch_end::Cause::GameOver)));
            }
            if ending {
                // Everything durable was sent before.
                return Ok(response(self.end(pb::watch_end::Cause::Shutdown)));
            }
            tokio::select! {
                biased;
                () = drained(&mut draining) => ending = true,
                () = self.follower.changed() => {}
                () = tokio::time::sleep(self.heartbeat) => {
                    return Ok(response(Message::Heartbeat(pb::Heartbeat { revision: self.cursor.get() })));
                }
            }
        }
    }
}

/// Replays a bounded part of a log after a revision: the updates, and where to go on.
fn read_part(
    mut replay: Box<Replay>,
    cursor: Revision,
    viewer: Viewer,
    include_views: bool,
    most_bytes: usize,
) -> Result<(VecDeque<WatchGameResponse>, ReplayStart), Error> {
    let (mut updates, mut bytes) = (VecDeque::new(), 0);
    while updates.len() < MAX_STEPS && bytes < most_bytes {
        let step = match replay.next_step() {
            Ok(Some(step)) => step,
            Err(error) if updates.is_empty() => return Err(error),
            // The game may have gone on since its log was read, and not all of it was read; a fault is met again, after what
            // comes before it.
            Ok(None) | Err(_) => {
                let start =
                    replay.position().map_or(ReplayStart::Unknown, |position| ReplayStart::At(position.clone()));
                return Ok((updates, start));
            }
        };
        if step.position.revision() > cursor {
            let update = WatchGameResponse::new(&update(&step, viewer, include_views));
            bytes += update.size();
            updates.push_back(update);
        }
    }
    Ok((updates, ReplayStart::Replay(replay)))
}

fn update(step: &Step, viewer: Viewer, include_view: bool) -> pb::WatchGameResponse {
    pb::WatchGameResponse { message: Some(Message::Update(responses::update(step, viewer, include_view))) }
}

fn response(message: Message) -> WatchGameResponse {
    pb::WatchGameResponse { message: Some(message) }.into()
}

/// Waits until the server drains.
pub(super) async fn drained(draining: &mut watch::Receiver<bool>) {
    // A server that is gone has drained too.
    drop(draining.wait_for(|draining| *draining).await);
}

#[cfg(test)]
mod tests {
    use tokio::sync::Semaphore;

    use super::*;
    use crate::api::tests::{open, played, played_by};
    use crate::session::replayed;

    async fn watch(games: &Games, id: GameId, after: u64, include_views: bool) -> Watch {
        watch_among(games, id, after, include_views, 1).await
    }

    /// A watch while so many are open.
    async fn watch_among(games: &Games, id: GameId, after: u64, include_views: bool, open: usize) -> Watch {
        let request = pb::WatchGameRequest {
            game_id: id.to_string(),
            after_revision: Some(after),
            include_views,
            ..Default::default()
        };
        let (_, draining) = watch::channel(false);
        let permit = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        let call = Call::new(None, &http::Extensions::new());
        Watch::begin(games.clone(), request, call, draining, permit, open).await.unwrap()
    }

    /// Takes updates up to a revision; answers with the parts in which they were made.
    async fn read_to(watch: &mut Watch, revision: u64) -> usize {
        let mut parts = 0;
        while watch.cursor.get() < revision {
            parts += usize::from(watch.ready.is_empty());
            let message = watch.next().await.unwrap().unwrap().decoded().unwrap().message;
            assert!(matches!(message, Some(Message::Update(update)) if update.revision == watch.cursor.get()));
            if let ReplayStart::Replay(replay) = &watch.start {
                assert!(replay.held_bytes() < 2 * MAX_LOG_BYTES);
            }
        }
        parts
    }

    #[tokio::test]
    async fn a_late_watcher_has_each_record_replayed_once() {
        let dir = tempfile::tempdir().unwrap();
        let games = open(dir.path());
        let (id, records) = played_by(&games, 6, 200).await;
        replayed::take(id);
        for (after, least_parts) in [(0, 3), (30, 2), (records - 1, 1)] {
            for include_views in [false, true] {
                let mut late = watch(&games, id, after, include_views).await;
                let parts = read_to(&mut late, records).await;
                assert_eq!(replayed::take(id) as u64, records, "from {after}");
                assert!(parts >= least_parts, "{records} records from {after} came in {parts} parts");
            }
        }
        games.close();
    }

    #[tokio::test]
    async fn where_many_watch_each_holds_little_and_is_told_everything_once() {
        let dir = tempfile::tempdir().unwrap();
        let games = open(dir.path());
        let (id, records) = played_by(&games, 6, 200).await;
        replayed::take(id);
        let mut late = watch_among(&games, id, 0, true, 10_000).await;
        assert_eq!(late.part_bytes(), 4_194);
        let mut most = 0;
        while late.cursor.get() < records {
            let message = late.next().await.unwrap().unwrap().decoded().unwrap().message;
            assert!(matches!(message, Some(Message::Update(update)) if update.revision == late.cursor.get()));
            let ready: usize = late.ready.iter().map(WatchGameResponse::size).sum();
            let log = if let ReplayStart::Replay(replay) = &late.start { replay.held_bytes() } else { 0 };
            most = most.max(ready + log);
        }
        // Give or take an update and a record.
        assert!((2_000..16_000).contains(&most), "{most} bytes");
        assert_eq!(replayed::take(id) as u64, records, "each record is replayed once");
        games.close();
    }

    /// One who reads slowly while the game goes on is given the log in pieces, each from where the last one ended.
    #[tokio::test]
    async fn a_watcher_who_falls_behind_goes_on_from_their_place() {
        let dir = tempfile::tempdir().unwrap();
        let games = open(dir.path());
        let id = played(&games, 40).await;
        let stored = games.stored(id).await.unwrap();
        replayed::take(id);
        let mut position = None;
        let mut pieces = 0;
        loop {
            let replay = match position.take() {
                None => Replay::new(id, stored.clone()).unwrap(),
                Some(position) => Replay::after(position, stored.clone()),
            };
            let mut replay = replay.cut(1_000);
            let mut steps = 0;
            while replay.next_step().unwrap().is_some() {
                steps += 1;
            }
            if steps == 0 {
                break;
            }
            pieces += 1;
            position = replay.position().cloned();
        }
        assert!(pieces > 3, "{pieces}");
        assert_eq!(replayed::take(id), 40);
        games.close();
    }
}
