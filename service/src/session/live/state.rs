//! What is behind a live game's lock: positions, records on their way, and answers in the order of the requests.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use divelog_ledger::{Position, Sequence};

use super::{Answer, Reply, Submitted};
use crate::session::request::Repeatable;
use crate::session::{Error, Step};

/// Positions, records on their way, and those who wait for them.
pub(super) struct State {
    /// The newest position on disk: what everybody is shown.
    pub durable: Position,
    /// The newest position, including records on their way to disk: what the next action is judged against.
    pub tip: Position,
    /// The records on their way, oldest first.
    pub pending: VecDeque<Pending>,
    /// Request ids in the log or on their way, with their record's place.
    pub requests: HashMap<String, Sequence>,
    /// The newest durable steps, oldest first; filled only while somebody follows.
    pub recent: VecDeque<Arc<Step>>,
    /// Whether a record of this copy was not written: its tip rests on it, so it takes nothing any more.
    pub superseded: bool,
}

pub(super) struct Pending {
    pub step: Arc<Step>,
    /// Kept so that it is freed by the thread that made it: the writer's thread drops its share earlier, and freeing
    /// another thread's memory is slow.
    pub _record: Bytes,
    /// Who asked for it.
    pub reply: Reply,
    /// What was asked later and found an answer before the next record: refusals that were judged against this step, and
    /// repeated requests. They are told after this step's own answer, in the order in which they were asked.
    pub later: Vec<(Reply, Answer)>,
}

impl State {
    /// Of a game whose records are all on disk.
    pub fn new(position: Position, requests: HashMap<String, Sequence>) -> State {
        State {
            durable: position.clone(),
            tip: position,
            pending: VecDeque::new(),
            requests,
            recent: VecDeque::new(),
            superseded: false,
        }
    }

    /// The record that a ticket names: the oldest on its way, unless one before it was refused alone.
    pub fn take_pending(&mut self, step: &Arc<Step>) -> Option<(usize, Pending)> {
        let at = self.pending.iter().position(|pending| Arc::ptr_eq(&pending.step, step))?;
        Some((at, self.pending.remove(at)?))
    }

    /// The place of the record that a request has led to before. A record that was not written is none.
    pub fn repeated(&self, request: &impl Repeatable) -> Option<Sequence> {
        let id = request.request_id();
        let sequence = if id.is_empty() { None } else { self.requests.get(id).copied() }?;
        let is_there = !self.superseded
            || sequence <= self.durable.last_record()
            || self.pending.iter().any(|pending| pending.step.position.last_record() == sequence);
        is_there.then_some(sequence)
    }

    /// Answers a repeated request by the step it first led to, or gives it back if that step is in the log only.
    pub fn repeat<R: Repeatable>(&mut self, sequence: Sequence, request: R, reply: Reply) -> Submitted<R> {
        let place = |pending: &Pending| pending.step.position.last_record();
        let Ok(pending) = self.pending.binary_search_by_key(&sequence, place) else {
            return Submitted::Repeated { sequence, request, reply };
        };
        let step = Arc::clone(&self.pending[pending].step);
        let answer = match request.matches(&step) {
            true => Ok(step),
            false => Err(Error::RequestIdReused(request.request_id().to_owned())),
        };
        self.answer(reply, answer);
        Submitted::Taken
    }

    /// Sends a refusal once the records it depends on are durable.
    pub fn refuse(&mut self, error: Error, reply: Reply) {
        self.answer(reply, Err(error));
    }

    /// Answers when everything on its way is on disk: the answers of a game come in the order of its requests.
    pub fn answer(&mut self, reply: Reply, answer: Answer) {
        match self.pending.back_mut() {
            Some(pending) => pending.later.push((reply, answer)),
            None => reply(answer),
        }
    }
}
