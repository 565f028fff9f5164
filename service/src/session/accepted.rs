//! What is answered to requests that were not refused, and the first answers to requests that came again.
//!
//! A repeated request is answered by what was answered the first time. That is in memory while its record is on its way and
//! as long as it is its game's newest. Otherwise the game's log says it, which costs a replay: so the answers to all requests
//! of the game are kept that the replay has come by, as bytes, of all games [`MAX_BYTES`].

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use divelog_engine::{Kind, Viewer};
#[cfg(test)]
use divelog_ledger::Hash;
use divelog_ledger::{GameId, Revision, Sequence, convert};
use divelog_proto::v1 as pb;
use lru::LruCache;
use prost::Message;

use super::reader::Reader;
use super::request::ActRequest;
use super::step::{Step, replay_stored};
use super::{Error, Games};
use crate::lock::lock;
use crate::store::StoredGame;

/// How many bytes the first answers of all games take in memory.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// What one of them takes beside its own bytes: its place among the others.
const ENTRY_BYTES: usize = 192;

/// What is answered to a request that was not refused.
#[derive(Clone, Debug)]
pub enum Accepted {
    /// It is done: the step of its record, which is on disk.
    Done(Arc<Step>),
    /// It was done before: what was answered then.
    Before(Arc<FirstAnswer>),
    /// It would be done: a dry run, judged at this revision.
    Valid(Revision),
}

impl Accepted {
    /// The game's revision by then.
    pub fn revision(&self) -> Revision {
        match self {
            Accepted::Done(step) => step.position.revision(),
            Accepted::Before(first) => first.revision,
            Accepted::Valid(revision) => *revision,
        }
    }

    /// As the caller is answered.
    pub fn response(&self) -> pb::SubmitActionResponse {
        match self {
            Accepted::Done(step) => submitted(step),
            // It was encoded here.
            Accepted::Before(first) => pb::SubmitActionResponse::decode(first.response.clone()).unwrap_or_default(),
            Accepted::Valid(revision) => pb::SubmitActionResponse { revision: revision.get(), ..Default::default() },
        }
    }

    /// The hash of the record; none of a dry run.
    #[cfg(test)]
    pub fn record_hash(&self) -> Option<Hash> {
        self.response().record_hash[..].try_into().ok()
    }
}

/// The answer to an action, with what the seat that acted may see.
fn submitted(step: &Step) -> pb::SubmitActionResponse {
    let position = &step.position;
    let viewer = step.seat.map_or(Viewer::Spectator, Viewer::Seat);
    pb::SubmitActionResponse {
        revision: position.revision().get(),
        record_hash: Bytes::copy_from_slice(&position.head_hash()),
        time: Some(convert::time_to_proto(position.time_ms())),
        events: convert::events_for(step.position.game(), &step.events, viewer),
        status: convert::status_to_proto(position.status()).into(),
        to_act: convert::seats_to_proto(position.to_act()),
    }
}

/// What was answered to an action, and what the action was.
#[derive(Debug)]
pub struct FirstAnswer {
    revision: Revision,
    kind: Kind,
    seat: u32,
    /// The encoded [`pb::GameAction`], made of the action as it was read.
    action: Vec<u8>,
    response: Bytes,
}

impl FirstAnswer {
    /// None where nobody acted.
    fn of(step: &Step) -> Option<FirstAnswer> {
        Some(FirstAnswer {
            revision: step.position.revision(),
            kind: step.position.kind(),
            seat: step.seat?.0.into(),
            action: convert::action_to_proto(step.action.as_ref()?).encode_to_vec(),
            response: submitted(step).encode_to_vec().into(),
        })
    }

    /// Whether it is the answer to this request.
    fn answers(&self, request: &ActRequest) -> bool {
        // Read and made again, because one action can be written in more than one way.
        let action = convert::action_from_proto(self.kind, request.action.as_ref());
        request.seat == self.seat
            && action.is_ok_and(|action| convert::action_to_proto(&action).encode_to_vec() == self.action)
    }

    fn bytes(&self) -> usize {
        ENTRY_BYTES + self.action.len() + self.response.len()
    }
}

/// The first answers that were read back from logs, the least recently used leaving first. Clones share them.
#[derive(Clone)]
pub(super) struct FirstAnswers(Arc<Mutex<Kept>>);

struct Kept {
    answers: LruCache<(GameId, Sequence), Arc<FirstAnswer>>,
    bytes: usize,
}

impl Default for FirstAnswers {
    fn default() -> Self {
        // Bounded by hand, in bytes.
        FirstAnswers(Arc::new(Mutex::new(Kept { answers: LruCache::unbounded(), bytes: 0 })))
    }
}

impl FirstAnswers {
    fn get(&self, game: GameId, sequence: Sequence) -> Option<Arc<FirstAnswer>> {
        lock(&self.0).answers.get(&(game, sequence)).cloned()
    }

    fn put(&self, game: GameId, sequence: Sequence, answer: Arc<FirstAnswer>) {
        let mut kept = lock(&self.0);
        kept.bytes += answer.bytes();
        if let Some(before) = kept.answers.put((game, sequence), answer) {
            kept.bytes -= before.bytes();
        }
        while kept.bytes > MAX_BYTES {
            let Some((_, oldest)) = kept.answers.pop_lru() else { return };
            kept.bytes -= oldest.bytes();
        }
    }

    fn read(&self, reader: &Reader, game: GameId, wanted: Sequence) -> Result<Arc<FirstAnswer>, Error> {
        // Somebody may have read it meanwhile.
        match self.get(game, wanted) {
            Some(found) => Ok(found),
            None => self.find(game, &reader.game(game)?, wanted),
        }
    }

    /// Replays a game for the answer to one of its requests, and keeps those to all others.
    pub(super) fn find(&self, game: GameId, stored: &StoredGame, wanted: Sequence) -> Result<Arc<FirstAnswer>, Error> {
        let mut found = None;
        let replayed = replay_stored(game, stored, |step, request_id| {
            let sequence = step.position.last_record();
            if !request_id.is_empty()
                && let Some(answer) = FirstAnswer::of(&step).map(Arc::new)
            {
                if sequence == wanted {
                    found = Some(Arc::clone(&answer));
                }
                self.put(game, sequence, answer);
            }
            ControlFlow::Continue(())
        });
        // A record that is damaged behind it is no matter.
        match found {
            Some(found) => {
                // Among so many it may have left already.
                self.put(game, wanted, Arc::clone(&found));
                Ok(found)
            }
            None => Err(replayed.err().unwrap_or(Error::NotFound(game))),
        }
    }
}

impl Games {
    /// The answer to a repeated action, whose record is in the log.
    pub(super) async fn first_answer(
        &self,
        game: GameId,
        sequence: Sequence,
        request: &ActRequest,
    ) -> Result<Accepted, Error> {
        let answers = &self.shared.first_answers;
        let first = match answers.get(game, sequence) {
            Some(first) => first,
            None => {
                let (reader, answers) = (self.shared.reader.clone(), answers.clone());
                let read = move || answers.read(&reader, game, sequence);
                let first = self.shared.pools.play.run(self.caller, read).await?;
                self.all_answered().await;
                first
            }
        };
        match first.answers(request) {
            true => Ok(Accepted::Before(first)),
            false => Err(Error::RequestIdReused(request.request_id.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_answers_are_bounded_in_bytes() {
        let answers = FirstAnswers::default();
        let answer = |bytes: usize| {
            let (action, response) = (Vec::new(), Bytes::from(vec![0; bytes]));
            Arc::new(FirstAnswer { revision: Revision::BEGUN, kind: Kind::DeepSeaAdventure, seat: 0, action, response })
        };
        let id = |number: u64| GameId(u128::from(number).to_be_bytes());
        for number in 0..100_000 {
            answers.put(id(number), Sequence::SETUP, answer(100));
            // One is asked for again and again.
            assert!(answers.get(id(0), Sequence::SETUP).is_some());
        }
        let kept = |answers: &FirstAnswers| {
            let kept = lock(&answers.0);
            let bytes: usize = kept.answers.iter().map(|(_, answer)| answer.bytes()).sum();
            assert_eq!(bytes, kept.bytes);
            (kept.bytes, kept.answers.len())
        };
        let (bytes, count) = kept(&answers);
        assert!(bytes <= MAX_BYTES && count > 20_000, "{count} answers of {bytes} bytes");
        assert!(answers.get(id(1), Sequence::SETUP).is_none());
        answers.put(id(0), Sequence::SETUP, answer(MAX_BYTES));
        assert_eq!(kept(&answers), (0, 0), "what is larger than all of it is not kept");
    }
}
