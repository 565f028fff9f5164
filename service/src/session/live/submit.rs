//! What is asked of a live game: judged against its tip, computed on a copy, handed to the writer.

use std::sync::Arc;

use divelog_engine::{AnyAction, Seat};
use divelog_ledger::{Position, Revision, Sequence, Stamp};

use super::state::{Pending, State};
use super::{ActionResult, LiveGame, Reply};
use crate::session::commit::{AppendHandle, Ticket, append_of, not_queued};
use crate::session::refusal::{self, RefusedCall, RefusedRequest};
use crate::session::request::{AbandonRequest, ActRequest, check_request, expect_complete, expect_revision, refused};
use crate::session::{Accepted, Error, Step};

/// How many records of one game may be on their way to disk.
const MAX_PENDING: usize = 1024;

/// What became of a request at once.
pub enum Submitted {
    /// The reply is or will be called.
    Taken,
    /// The request id stands in the log already: answer with the step of that record, if it is the same request.
    Repeated { sequence: Sequence, request: ActRequest, reply: Reply },
    /// There is no room for its record now, and nothing was done: submit it again when there is, or refuse it.
    Full { what: &'static str, request: ActRequest, reply: Reply },
}

/// What a record is made for: an action or an abandonment, already checked.
enum Body {
    Act(Seat, AnyAction),
    Abandon(String),
}

/// What a dry run says: the revision at which it was judged.
fn dry_run(position: &Position, request: &ActRequest) -> Result<Revision, Error> {
    let (seat, action) = check_request(position, request)?;
    position.check(seat, &action).map_err(|violation| refused(position, request.seat, violation))?;
    Ok(position.revision())
}

impl LiveGame {
    /// Judges an action and, if the rules allow it, sends its record to disk. The reply comes when it is there.
    pub fn act(self: &Arc<Self>, request: ActRequest, time_ms: u64, appends: &AppendHandle, reply: Reply) -> Submitted {
        let mut state = self.state();
        // Also by a copy that takes nothing any more: what is done is not answered with "nothing was done".
        if let Some(sequence) = state.repeated(&request) {
            match state.repeat_from_memory(sequence, &request) {
                Some(answer) => self.answer_in(&mut state, request, time_ms, reply, answer),
                None => return Submitted::Repeated { sequence, request, reply },
            }
            return Submitted::Taken;
        }
        if state.superseded {
            state.answer(reply, Err(Error::Conflict(self.id)));
            return Submitted::Taken;
        }
        let result = match check_request(&state.tip, &request) {
            Ok((seat, action)) => {
                self.append(&mut state, Body::Act(seat, action), &request.request_id, time_ms, appends, reply)
            }
            Err(error) => Err((error, reply)),
        };
        if let Err((error, reply)) = result {
            if let Error::Busy(what) = error {
                return Submitted::Full { what, request, reply };
            }
            self.answer_in(&mut state, request, time_ms, reply, Err(error));
        }
        Submitted::Taken
    }

    /// Gives an action an answer that was found elsewhere, after those to everything that was asked before.
    pub(in crate::session) fn answer_act(&self, request: ActRequest, time_ms: u64, reply: Reply, answer: ActionResult) {
        self.answer_in(&mut self.state(), request, time_ms, reply, answer);
    }

    /// Answers an action once what the answer rests on is on disk. A refusal is kept then.
    fn answer_in(&self, state: &mut State, request: ActRequest, time_ms: u64, reply: Reply, answer: ActionResult) {
        let ActRequest { seat, action, request_id, caller, copies, .. } = request;
        // The server's own copying of a fork's past is nothing that anybody has asked.
        if answer.is_ok() || copies {
            return state.answer(reply, answer);
        }
        let (asked, revision) = (RefusedCall::Action { seat, action }, state.tip.revision());
        let refused = RefusedRequest { asked, request_id, caller, time_ms, revision };
        state.answer(self.record_refusal_on_reply(refused, reply), answer);
    }

    /// Whether another record may be on its way to disk.
    pub(in crate::session) fn has_room(&self) -> bool {
        self.state().pending.len() < MAX_PENDING
    }

    /// Judges an action without doing it, by what is on disk.
    pub fn check(&self, request: &ActRequest) -> Result<Revision, Error> {
        dry_run(&self.state().durable, request)
    }

    /// Whether the request id of an action stands in the game already.
    pub(in crate::session) fn has_done(&self, request: &ActRequest) -> bool {
        self.state().repeated(request).is_some()
    }

    /// Judges an action without doing it, behind everything that was asked before it: the answer comes when that is on disk.
    /// Gives the reply back if the action was done before and its answer has to be read: it is that of this record.
    pub fn check_in_order(&self, request: &ActRequest, reply: Reply) -> Option<(Sequence, Reply)> {
        let mut state = self.state();
        if let Some(sequence) = state.repeated(request) {
            let Some(first) = state.repeat_from_memory(sequence, request) else { return Some((sequence, reply)) };
            state.answer(reply, first.map(|first| Accepted::Valid(first.revision())));
            return None;
        }
        let judged = match state.superseded {
            true => Err(Error::Conflict(self.id)),
            false => dry_run(&state.tip, request),
        };
        state.answer(reply, judged.map(Accepted::Valid));
        None
    }

    /// Abandons the game. The reply comes when that is on disk.
    pub fn abandon(self: &Arc<Self>, request: AbandonRequest, time_ms: u64, appends: &AppendHandle, reply: Reply) {
        let mut state = self.state();
        if let Some(sequence) = state.repeated(&request) {
            let answer = state.repeat_abandonment(sequence, &request);
            return self.answer_abandonment(&mut state, request, time_ms, reply, answer);
        }
        if state.superseded {
            return state.answer(reply, Err(Error::Conflict(self.id)));
        }
        let may_be_abandoned = match request.never_complete {
            true => Ok(()),
            false => expect_complete(&state.tip),
        };
        let result = match may_be_abandoned.and_then(|()| expect_revision(&state.tip, request.expected_revision)) {
            Ok(()) => {
                let body = Body::Abandon(request.reason.clone());
                self.append(&mut state, body, &request.request_id, time_ms, appends, reply)
            }
            Err(error) => Err((error, reply)),
        };
        if let Err((error, reply)) = result {
            self.answer_abandonment(&mut state, request, time_ms, reply, Err(error));
        }
    }

    /// As [`LiveGame::answer_in`].
    fn answer_abandonment(
        &self,
        state: &mut State,
        request: AbandonRequest,
        time_ms: u64,
        reply: Reply,
        answer: ActionResult,
    ) {
        let (AbandonRequest { request_id, caller, .. }, asked) = (request, RefusedCall::Abandonment);
        if answer.is_ok() {
            return state.answer(reply, answer);
        }
        let refused = RefusedRequest { asked, request_id, caller, time_ms, revision: state.tip.revision() };
        state.answer(self.record_refusal_on_reply(refused, reply), answer);
    }

    /// A reply that keeps the refusal it gives: when it is given, not when it is judged, since it may rest on records that
    /// are still on their way.
    fn record_refusal_on_reply(&self, asked: RefusedRequest, reply: Reply) -> Reply {
        let (refusals, game) = (self.refusals.clone(), self.id);
        Box::new(move |answer| {
            if let Err(error) = &answer {
                refusal::keep(&refusals, game, asked, error);
            }
            reply(answer);
        })
    }

    /// Computes the record on a copy and hands it to the writer; only then the tip moves. A refusal gives the reply back.
    fn append(
        self: &Arc<Self>,
        state: &mut State,
        body: Body,
        request_id: &str,
        time_ms: u64,
        appends: &AppendHandle,
        reply: Reply,
    ) -> Result<(), (Error, Reply)> {
        if state.pending.len() >= MAX_PENDING {
            return Err((Error::Busy("too many actions of this game are on their way to disk"), reply));
        }
        let stamp = Stamp { time_ms, request_id };
        let (step, record) = match body {
            Body::Act(seat, action) => match state.tip.act(seat, &action, stamp) {
                Ok(advance) => Step::fresh(advance, Some((seat, action))),
                Err(violation) => return Err((refused(&state.tip, seat.0.into(), violation), reply)),
            },
            Body::Abandon(reason) => match state.tip.abandon(&reason, stamp) {
                Ok(advance) => Step::fresh(advance, None),
                Err(violation) => return Err((refused(&state.tip, u32::MAX, violation), reply)),
            },
        };
        let step = Arc::new(step);
        let ticket = Ticket::Advance(Arc::clone(self), Arc::clone(&step));
        let append = append_of(self.id, state.tip.head_hash(), &step.position, record.clone(), None, ticket);
        if let Err(error) = appends.send(append) {
            return Err((not_queued(error).0, reply));
        }
        if !request_id.is_empty() {
            state.requests.insert(request_id.to_owned(), step.position.last_record());
        }
        state.tip = step.position.clone();
        state.pending.push_back(Pending { step, _record: record, reply, later: Vec::new() });
        Ok(())
    }
}
