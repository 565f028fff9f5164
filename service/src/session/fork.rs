//! Forks: a new game with another game's past and a future of its own.
//!
//! Record 0 of the fork is created like any game's; then the source's moves are done again, one by one, on the ordinary
//! way to disk. Until all of them are there the fork takes no other action, so that its past is the source's whatever
//! happens in between: repeated with the same request id, a fork that a crash cut short is found and completed.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use divelog_ledger::{ForkOrigin, GameId, Position, Revision, Sequence, Status, convert, hash_record};
use divelog_proto::v1 as pb;
use prost::Message;

use super::creation::{MAX_LABELS, Plan};
use super::games::reply_once;
use super::request::ActRequest;
use super::step::replay_stored;
use super::{Error, Games, LiveGame};
use crate::store::StoredGame;

/// How many moves are on their way to disk at once.
const MOVES_AT_ONCE: usize = 128;
/// How often and how long a full queue is waited for.
const BUSY_TRIES: u32 = 200;
const BUSY_PAUSE: Duration = Duration::from_millis(20);

/// A request to fork a game.
#[derive(Clone, Debug, PartialEq)]
pub struct ForkRequest {
    /// The game to be forked.
    pub game_id: GameId,
    /// Up to which revision the fork is the same; none is the newest.
    pub at_revision: Option<Revision>,
    /// Whether later luck is the source's too.
    pub same_seed: bool,
    /// Labels of the fork, beside those of the source.
    pub labels: BTreeMap<String, String>,
    /// The request id; may be empty.
    pub request_id: String,
}

impl Games {
    /// Makes a fork, or finds and completes the one that this request made before.
    pub(super) async fn do_fork(&self, request: ForkRequest) -> Result<Position, Error> {
        let before = self.first_step_of(&request.request_id).await?;
        let id = before.as_ref().map_or_else(|| self.shared.runtime.new_id(), |step| step.position.header().game_id);
        // Before anybody can find the fork: it is not abandoned while it is copied.
        let _alone = self.shared.forks.claim(id).await;
        match before {
            Some(step) if matches(&step.position, &request) => {}
            Some(_) => return Err(Error::RequestIdReused(request.request_id)),
            None => drop(self.create_new(self.plan(&request).await?, id, None).await?),
        }
        let live = self.live(id).await?;
        let origin = live.durable().header().fork.ok_or(Error::RequestIdReused(request.request_id))?;
        self.complete(&live, origin).await?;
        let position = live.durable();
        let complete = match position.revision() == origin.revision {
            true => position,
            false => self.step(id, origin.revision).await?.position,
        };
        expect_copied(&complete, origin)?;
        Ok(complete)
    }

    /// Reads the source and decides what the fork begins with.
    async fn plan(&self, request: &ForkRequest) -> Result<Plan, Error> {
        let stored = self.stored_by(&self.shared.pools.play, request.game_id).await?;
        let ForkRequest { game_id: source, at_revision: asked_revision, same_seed, labels, request_id } =
            request.clone();
        let at_revision = chosen_revision(&stored, request.at_revision)?;
        let plan = move || {
            let position = position_at(source, &stored, at_revision)?;
            let header = position.header();
            let options = convert::options_from_proto(Some(&header.options)).map_err(|detail| Error::Damaged {
                game: source,
                sequence: Some(Sequence::SETUP),
                kind: None,
                detail,
            })?;
            Ok(Plan {
                options,
                rules_version: header.rules_version,
                players: header.players.clone(),
                labels: merged_labels(&position, &labels)?,
                request_id,
                fork: Some(position.fork_point(same_seed)),
                request: pb::CreationRequest { at_revision: named(asked_revision), labels, ..Default::default() },
            })
        };
        self.shared.pools.play.run(self.caller, plan).await
    }

    /// Does the source's moves again until the fork has all of them.
    async fn complete(&self, live: &Arc<LiveGame>, origin: ForkOrigin) -> Result<(), Error> {
        expect_copied(&live.durable(), origin)?;
        if live.durable().revision() >= origin.revision {
            return Ok(());
        }
        let stored = self.stored_by(&self.shared.pools.play, origin.game_id).await?;
        let moves = moves_until(&stored, origin)?;
        let mut tries = BUSY_TRIES;
        loop {
            let revision = live.durable().revision();
            if revision >= origin.revision {
                return Ok(());
            }
            let begin = moves.partition_point(|(sequence, _)| revision.includes(*sequence));
            let next = moves[begin..].chunks(MOVES_AT_ONCE).next().unwrap_or_default();
            match self.copy(live, next).await {
                Ok(()) => {}
                Err(Error::Busy(_)) if tries > 0 => {}
                Err(error) => return Err(error),
            }
            if live.durable().revision() == revision {
                // No progress: wait for room, but not without end.
                tries =
                    tries.checked_sub(1).ok_or(Error::Busy("the fork's records find no room in the store's queue"))?;
                self.shared.runtime.pause(BUSY_PAUSE).await;
            }
        }
    }

    /// Whether nobody can complete an unfinished fork that nobody is at: a crash has cut short a request without an id,
    /// which cannot be repeated; or the source cannot give the fork its past any more.
    pub(super) async fn is_never_complete(&self, fork: &LiveGame, origin: ForkOrigin) -> Result<bool, Error> {
        if fork.durable().header().request_id.is_empty() {
            return Ok(true);
        }
        match self
            .stored_by(&self.shared.pools.play, origin.game_id)
            .await
            .and_then(|stored| moves_until(&stored, origin))
        {
            Ok(_) => Ok(false),
            Err(Error::Damaged { .. } | Error::NotFound(_)) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Does moves that follow each other, and waits until they are on disk.
    async fn copy(&self, live: &Arc<LiveGame>, moves: &[(Sequence, pb::Move)]) -> Result<(), Error> {
        let id = live.durable().header().game_id;
        let mut waiting = Vec::new();
        for (sequence, step) in moves {
            let request = ActRequest {
                seat: step.seat,
                action: step.action.clone(),
                expected_revision: Some(sequence.revision_before()),
                request_id: String::new(),
                caller: None,
                copies: true,
            };
            let (reply, receiver) = reply_once();
            self.submit(id, request, reply).await;
            waiting.push(receiver);
        }
        let mut result = Ok(());
        for receiver in waiting {
            let answer = receiver.await.unwrap_or(Err(Error::ShuttingDown)).map(|_| ());
            // The first failure says why; those after it follow from it.
            result = result.and(answer);
        }
        result
    }
}

/// The revision to fork at. An abandonment is no part of a past that goes on.
fn chosen_revision(stored: &StoredGame, asked: Option<Revision>) -> Result<Revision, Error> {
    let revision = stored.head.revision;
    let abandonment = revision.last_record().filter(|_| stored.head.status == Status::Abandoned);
    let last = abandonment.map_or(revision, Sequence::revision_before);
    match (asked, abandonment) {
        (None, _) => Ok(last),
        (Some(asked), _) if asked > revision => Err(Error::Ahead { given: asked, actual: revision }),
        (Some(asked), Some(record)) if asked > last => {
            let description =
                format!("the game was abandoned by record {record}: fork it at revision {last} or before");
            Err(Error::invalid("at_revision", description))
        }
        (Some(asked), _) => Ok(asked),
    }
}

/// A revision as requests name it on the wire, where 0 is the newest.
fn named(asked: Option<Revision>) -> u64 {
    asked.map_or(0, Revision::get)
}

fn position_at(id: GameId, stored: &StoredGame, revision: Revision) -> Result<Position, Error> {
    let mut found = None;
    replay_stored(id, stored, |step, _| {
        if step.position.revision() < revision {
            return ControlFlow::Continue(());
        }
        found = Some(step.position);
        ControlFlow::Break(())
    })?;
    found.ok_or(Error::NotFound(id))
}

/// The source's labels and, where both have one, the request's.
fn merged_labels(source: &Position, given: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Error> {
    let mut labels = source.header().labels.clone();
    labels.extend(given.clone());
    if labels.len() > MAX_LABELS {
        let description = format!("with the source's they are {}, and a game has at most {MAX_LABELS}", labels.len());
        return Err(Error::invalid("labels", description));
    }
    Ok(labels)
}

/// Whether a game is the fork that this request asks for.
fn matches(fork: &Position, request: &ForkRequest) -> bool {
    let header = fork.header();
    let same_origin = |origin: ForkOrigin| {
        origin.game_id == request.game_id
            && origin.same_seed == request.same_seed
            // What "the newest revision" was then is not asked again.
            && request.at_revision.is_none_or(|asked| asked == origin.revision)
    };
    let as_asked = match &header.request {
        Some(asked) => asked.at_revision == named(request.at_revision) && asked.labels == request.labels,
        // An older log does not say how it was asked for.
        None => request.labels.iter().all(|(key, value)| header.labels.get(key) == Some(value)),
    };
    header.fork.is_some_and(same_origin) && as_asked
}

/// Refuses a fork that ended before it had its whole past.
fn expect_copied(fork: &Position, origin: ForkOrigin) -> Result<(), Error> {
    match fork.status() == Status::Abandoned && fork.revision() <= origin.revision {
        true => Err(Error::ForkAbandoned { revision: fork.revision().previous(), wanted: origin.revision }),
        false => Ok(()),
    }
}

/// The moves of the source that the fork does again, with their places: those of all records after the set-up, up to the
/// revision that it was forked at.
fn moves_until(source: &StoredGame, origin: ForkOrigin) -> Result<Vec<(Sequence, pb::Move)>, Error> {
    let damaged = |sequence: Sequence, detail: &str| Error::Damaged {
        game: origin.game_id,
        sequence: Some(sequence),
        kind: None,
        detail: detail.to_owned(),
    };
    let last = origin.revision.last_record();
    let Some((last, head)) = last.and_then(|last| Some((last, source.records.get(last.index())?))) else {
        let missing = Revision::of(&source.records).next_record();
        return Err(damaged(missing, "the fork needs it, and the log ends before it"));
    };
    if hash_record(&head.bytes) != origin.head_hash {
        return Err(damaged(last, "it is not the one that the game was forked at"));
    }
    let records = Sequence::SETUP.onward().zip(&source.records).take_while(|(sequence, _)| *sequence <= last);
    let moves = records.skip(1).map(|(sequence, record)| {
        match pb::Record::decode(&record.bytes[..]).ok().and_then(|record| record.body) {
            Some(pb::record::Body::Move(step)) => Ok((sequence, step)),
            _ => Err(damaged(sequence, "the fork needs a move of it, and it has none")),
        }
    });
    moves.collect()
}
