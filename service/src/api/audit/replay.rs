//! A game replayed for a reader: a bounded batch of steps at a time, when the reader has taken the last one.

use std::collections::VecDeque;

use divelog_engine::Viewer;
use divelog_ledger::{GameId, Position, Revision, convert};
use divelog_proto::encoded::ReplayGameResponse;
use divelog_proto::v1 as pb;
use tokio::sync::OwnedSemaphorePermit;

use crate::api::pull::{Cursor, MAX_READY_BYTES};
use crate::api::{responses, validate};
use crate::session::{Error, Games, Replay, Step};
use crate::store::StoredGame;

/// How many records one batch replays at most: other work of the blocking threads comes in between.
const MAX_BATCH_STEPS: usize = 256;

/// A replay that its reader pulls.
pub(super) struct Replaying {
    games: Games,
    ready: VecDeque<ReplayGameResponse>,
    rest: Rest,
    _permit: OwnedSemaphorePermit,
}

/// What comes after the messages that are ready.
enum Rest {
    More(Box<Batches>),
    /// A fault: told after every step before it.
    Failed(Error),
    Done,
}

impl Replaying {
    /// Checks a request, and replays the set-up to know who may see what. Takes a while.
    pub async fn begin(
        games: &Games,
        id: GameId,
        stored: StoredGame,
        request: pb::ReplayGameRequest,
        permit: OwnedSemaphorePermit,
    ) -> Result<Replaying, Error> {
        let batches = games.blocking(move || Batches::new(id, stored, request)).await?;
        let rest = Rest::More(Box::new(batches));
        Ok(Replaying { games: games.clone(), ready: VecDeque::new(), rest, _permit: permit })
    }
}

impl Cursor for Replaying {
    type Message = ReplayGameResponse;

    async fn next(&mut self) -> Result<Option<ReplayGameResponse>, Error> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Ok(Some(message));
            }
            match std::mem::replace(&mut self.rest, Rest::Done) {
                // Replaying is work: it does not belong on the runtime's thread.
                Rest::More(batches) => {
                    (self.ready, self.rest) = self.games.blocking(move || Ok(batches.next())).await?
                }
                Rest::Failed(error) => return Err(error),
                Rest::Done => return Ok(None),
            }
        }
    }
}

/// The steps of a replay that were not shown yet.
struct Batches {
    replay: Replay,
    /// Record 0, which was replayed to read the request.
    first: Option<Step>,
    /// The game before the next step; none before the first.
    before: Option<Position>,
    range: Range,
    viewer: Viewer,
    request: pb::ReplayGameRequest,
}

impl Batches {
    fn new(id: GameId, stored: StoredGame, request: pb::ReplayGameRequest) -> Result<Batches, Error> {
        let range = Range::of(&request, Revision::of(&stored.records))?;
        let mut replay = Replay::new(id, stored)?;
        let first = replay.next_step()?.ok_or(Error::NotFound(id))?;
        let viewer = convert::viewer_from_proto(request.viewer.as_ref(), first.position.game().seats())
            .map_err(|description| Error::invalid("viewer", description))?;
        if request.include_all_views && viewer != Viewer::Auditor {
            let description = "what every seat saw is for an auditor: set viewer.role to ROLE_AUDITOR";
            return Err(Error::invalid("include_all_views", description));
        }
        Ok(Batches { replay, first: Some(first), before: None, range, viewer, request })
    }

    /// The next messages, and what comes after them.
    fn next(mut self: Box<Self>) -> (VecDeque<ReplayGameResponse>, Rest) {
        let (mut ready, mut bytes) = (VecDeque::new(), 0);
        for _ in 0..MAX_BATCH_STEPS {
            let step = match self.first.take() {
                Some(first) => Ok(Some(first)),
                None => self.replay.next_step(),
            };
            let step = match step {
                Ok(Some(step)) if step.position.revision() <= self.range.to => step,
                Ok(_) => return (ready, Rest::Done),
                Err(error) => return (ready, Rest::Failed(error)),
            };
            let before = self.before.replace(step.position.clone());
            if step.position.revision() >= self.range.from {
                // Encoded here, off the thread that serves calls.
                let message = responses::replay_step(before.as_ref(), &step, self.viewer, &self.request);
                let message = ReplayGameResponse::new(&message);
                bytes += message.size();
                ready.push_back(message);
                if bytes >= MAX_READY_BYTES {
                    break;
                }
            }
        }
        (ready, Rest::More(self))
    }
}

/// The revisions that a replay shows.
struct Range {
    from: Revision,
    to: Revision,
}

impl Range {
    fn of(request: &pb::ReplayGameRequest, revision: Revision) -> Result<Range, Error> {
        let from = validate::revision(request.from_revision).unwrap_or(Revision::BEGUN);
        let to = validate::revision(request.to_revision).unwrap_or(revision);
        for given in [from, to] {
            if given > revision {
                return Err(Error::Ahead { given, actual: revision });
            }
        }
        if from > to {
            return Err(Error::invalid("from_revision", format!("{from} lies after to_revision {to}")));
        }
        Ok(Range { from, to })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;
    use tokio::sync::Semaphore;

    use super::*;
    use crate::api::tests::{open, played};

    const RECORDS: u64 = 40;

    async fn begin(games: &Games, id: GameId, stored: StoredGame, request: pb::ReplayGameRequest) -> Replaying {
        let permit = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        Replaying::begin(games, id, stored, request, permit).await.unwrap()
    }

    fn auditor() -> pb::ReplayGameRequest {
        let viewer = Some(pb::Viewer { role: pb::viewer::Role::Auditor.into(), seat: 0 });
        pb::ReplayGameRequest { viewer, include_all_views: true, include_legal_actions: true, ..Default::default() }
    }

    #[tokio::test]
    async fn what_is_ready_is_bounded_and_nothing_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let games = open(dir.path());
        let id = played(&games, RECORDS).await;
        let stored = games.stored(id).await.unwrap();
        let mut replaying = begin(&games, id, stored.clone(), auditor()).await;
        assert!(replaying.ready.is_empty(), "nothing is replayed before somebody asks");
        let (mut revision, mut batches, mut largest) = (0, 0, 0);
        loop {
            batches += usize::from(replaying.ready.is_empty());
            let Some(message) = replaying.next().await.unwrap() else { break };
            let size = message.size();
            let message = message.decoded().unwrap();
            revision += 1;
            assert_eq!((message.revision, message.setup.is_some()), (revision, revision == 1));
            assert_eq!(message.legal_before.is_empty(), revision == 1);
            largest = largest.max(size);
            let ready: usize = replaying.ready.iter().map(ReplayGameResponse::size).sum();
            assert!(ready < MAX_READY_BYTES + largest, "{ready} bytes are ready");
        }
        assert_eq!(revision, RECORDS);
        assert!(batches > 2, "it came in {batches} parts");

        let request = pb::ReplayGameRequest { from_revision: 7, to_revision: 9, ..auditor() };
        let mut replaying = begin(&games, id, stored, request).await;
        for revision in 7..=9 {
            assert_eq!(replaying.next().await.unwrap().unwrap().decoded().unwrap().revision, revision);
        }
        assert!(replaying.next().await.unwrap().is_none());
        games.close();
    }

    #[tokio::test]
    async fn a_fault_comes_after_the_steps_before_it() {
        let dir = tempfile::tempdir().unwrap();
        let games = open(dir.path());
        let id = played(&games, RECORDS).await;
        let mut stored = games.stored(id).await.unwrap();
        let mut bytes = stored.records[30].bytes.to_vec();
        *bytes.last_mut().unwrap() ^= 1;
        stored.records[30].bytes = Bytes::from(bytes);
        let mut replaying = begin(&games, id, stored, pb::ReplayGameRequest::default()).await;
        for revision in 1..=30 {
            assert_eq!(replaying.next().await.unwrap().unwrap().decoded().unwrap().revision, revision);
        }
        let error = replaying.next().await.unwrap_err();
        assert!(matches!(error, Error::Damaged { sequence: Some(at), .. } if at.get() == 30), "{error}");
        assert!(replaying.next().await.unwrap().is_none());
        games.close();
    }
}
