//! What is behind a live game's lock: positions, records on their way, and answers in the order of the requests.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use divelog_ledger::{Position, Sequence};

use super::{ActionResult, Reply};
use crate::session::request::{AbandonRequest, Repeatable};
use crate::session::{Accepted, Error, Step};

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
    /// The newest durable step, so that a request is repeated from memory that came again because its answer was lost. None of
    /// a game that was just created.
    pub newest: Option<Arc<Step>>,
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
    /// repeated requests. They are answered after this step itself, in the order in which they were asked.
    pub later: Vec<(Reply, ActionResult)>,
}

impl State {
    /// Of a game whose records are all on disk.
    pub fn new(position: Position, newest: Option<Arc<Step>>, requests: HashMap<String, Sequence>) -> State {
        State {
            durable: position.clone(),
            tip: position,
            pending: VecDeque::new(),
            requests,
            newest,
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

    /// The step of a record that is on its way, or is the newest on disk.
    fn in_memory(&self, sequence: Sequence) -> Option<&Arc<Step>> {
        let place = |pending: &Pending| pending.step.position.last_record();
        match self.pending.binary_search_by_key(&sequence, place) {
            Ok(pending) => Some(&self.pending[pending].step),
            Err(_) => self.newest.as_ref().filter(|newest| newest.position.last_record() == sequence),
        }
    }

    /// Answers a repeated request by the step it first led to, if that is in memory or can be no action.
    pub fn repeat_from_memory(&self, sequence: Sequence, request: &impl Repeatable) -> Option<ActionResult> {
        let reused = || Err(Error::RequestIdReused(request.request_id().to_owned()));
        if let Some(step) = self.in_memory(sequence) {
            return Some(if request.matches(step) { Ok(Accepted::Done(Arc::clone(step))) } else { reused() });
        }
        (sequence == Sequence::SETUP).then(reused)
    }

    /// The answer to a repeated abandonment: it is its game's last record, and in memory as long as the game is.
    pub fn repeat_abandonment(&self, sequence: Sequence, request: &AbandonRequest) -> ActionResult {
        let reused = || Err(Error::RequestIdReused(request.request_id.clone()));
        self.repeat_from_memory(sequence, request).unwrap_or_else(reused)
    }

    /// Answers when everything on its way is on disk: the answers of a game come in the order of its requests.
    pub fn answer(&mut self, reply: Reply, answer: ActionResult) {
        match self.pending.back_mut() {
            Some(pending) => pending.later.push((reply, answer)),
            None => reply(answer),
        }
    }
}
