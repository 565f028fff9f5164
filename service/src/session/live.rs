//! One live game: what is on disk, what is on its way there, and those who wait for it.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use divelog_engine::{AnyAction, Seat};
use divelog_ledger::{GameId, Hash, Position, Revision, Secret, Sequence, Stamp, Status};

use super::commit::{AppendHandle, Ticket};
use super::followers::{FanOut, Follower, Followers};
use super::refusal::{self, RefusedRequest};
use super::request::{
    AbandonRequest, ActRequest, Repeatable, check_request, expect_complete, expect_revision, refused,
};
use super::{Error, Step};
use crate::lock::lock;
use crate::store::{Append, AppendError, NewGameData, Refusals};

/// How many steps are kept for watchers; one who is farther behind is served from the log.
const RECENT_STEPS: usize = 8;
/// How many records of one game may be on their way to disk.
const MAX_PENDING: usize = 1024;

/// Takes the answer to one request, once.
pub type Reply = Box<dyn FnOnce(Result<Arc<Step>, Error>) + Send>;

/// What became of a request at once.
pub enum Submitted<R> {
    /// The reply is or will be called.
    Taken,
    /// The request id stands in the log already: answer with the step of that record, if it is the same request.
    Repeated { sequence: Sequence, request: R, reply: Reply },
    /// There is no room for its record now, and nothing was done: submit it again when there is, or refuse it.
    Full { what: &'static str, request: R, reply: Reply },
}

/// What a dry run says.
pub struct Checked {
    /// The revision at which it was judged.
    pub revision: Revision,
}

/// What a watcher at some revision gets next.
pub enum WatchNext {
    /// It has everything.
    UpToDate { over: bool },
    /// The next step.
    Step(Arc<Step>),
    /// It is too far behind: read the log.
    ReadLog,
}

/// One game in memory.
pub struct LiveGame {
    id: GameId,
    secret: Secret,
    state: Mutex<State>,
    /// Those who follow it, and who wakes them.
    followers: Arc<Followers>,
    fan_out: FanOut,
    /// Where requests that were refused are kept.
    refusals: Refusals,
    /// Whether this copy has ended: then the game must be loaded anew.
    retired: AtomicBool,
}

struct State {
    /// The newest position on disk: what everybody is shown.
    durable: Position,
    /// The newest position, including records on their way to disk: what the next action is judged against.
    tip: Position,
    /// The records on their way, oldest first.
    pending: VecDeque<Pending>,
    /// Request ids in the log or on their way, with their record's place.
    requests: HashMap<String, Sequence>,
    /// The newest durable steps, oldest first; filled only while somebody follows.
    recent: VecDeque<Arc<Step>>,
    /// Whether a record of this copy was not written: its tip rests on it, so it takes nothing any more.
    superseded: bool,
}

struct Pending {
    step: Arc<Step>,
    /// Kept so that it is freed by the thread that made it: the writer's thread drops its share earlier, and freeing
    /// another thread's memory is slow.
    _record: Bytes,
    /// Who asked for it.
    reply: Reply,
    /// What was asked later and found an answer before the next record: refusals that were judged against this step, and
    /// repeated requests. They are told after this step's own answer, in the order in which they were asked.
    later: Vec<(Reply, Answer)>,
}

type Answer = Result<Arc<Step>, Error>;

/// What a record is made for: an action or an abandonment, already checked.
enum Body {
    Act(Seat, AnyAction),
    Abandon(String),
}

impl LiveGame {
    /// A game whose records are all on disk.
    pub(super) fn new(
        position: Position,
        secret: Secret,
        requests: HashMap<String, Sequence>,
        refusals: Refusals,
        fan_out: FanOut,
    ) -> LiveGame {
        LiveGame {
            id: position.header().game_id,
            secret,
            refusals,
            retired: AtomicBool::new(false),
            followers: Arc::default(),
            fan_out,
            state: Mutex::new(State {
                durable: position.clone(),
                tip: position,
                pending: VecDeque::new(),
                requests,
                recent: VecDeque::new(),
                superseded: false,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change of the state is complete before anything in it can panic.
        lock(&self.state)
    }

    pub fn id(&self) -> GameId {
        self.id
    }

    /// The game's secret: for auditors, and for all once the game is over.
    pub fn secret(&self) -> &Secret {
        &self.secret
    }

    /// Whether this copy has ended: whoever holds it asks for the game again.
    pub fn is_retired(&self) -> bool {
        self.retired.load(Ordering::SeqCst)
    }

    /// Whether it takes nothing any more and everything that it has sent is answered.
    pub(super) fn is_done(&self) -> bool {
        let state = self.state();
        state.superseded && state.pending.is_empty()
    }

    /// Ends it, when nobody can find it any more, and wakes those who follow it.
    pub(super) fn retire(&self) {
        // Before the wake-up: who begins to follow after that sees it.
        self.retired.store(true, Ordering::SeqCst);
        self.followers.notify(&self.fan_out);
    }

    /// The newest position on disk.
    pub fn durable(&self) -> Position {
        self.state().durable.clone()
    }

    /// Learns of each new durable revision.
    pub fn follow(&self) -> Follower {
        Follower::new(&self.followers)
    }

    /// What a watcher who has everything up to `revision` gets next.
    pub fn after(&self, revision: Revision) -> WatchNext {
        let state = self.state();
        let durable = state.durable.revision();
        if revision >= durable {
            return WatchNext::UpToDate { over: state.durable.status() != Status::Running };
        }
        let wanted = revision.next_record();
        match state.recent.iter().find(|step| step.position.last_record() == wanted) {
            Some(step) => WatchNext::Step(Arc::clone(step)),
            None => WatchNext::ReadLog,
        }
    }

    /// Judges an action and, if the rules allow it, sends its record to disk. The reply comes when it is there.
    pub fn act(
        self: &Arc<Self>,
        request: ActRequest,
        time_ms: u64,
        appends: &AppendHandle,
        reply: Reply,
    ) -> Submitted<ActRequest> {
        let mut state = self.state();
        if state.superseded {
            state.answer(reply, Err(Error::Conflict(self.id)));
            return Submitted::Taken;
        }
        if let Some(sequence) = state.repeated(&request) {
            return state.repeat(sequence, request, reply);
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
            let ActRequest { seat, action, request_id, caller, copies, .. } = request;
            let revision = state.tip.revision();
            let asked = RefusedRequest { seat, action, request_id, caller, time_ms, revision };
            let reply = if copies { reply } else { self.record_refusal_on_reply(asked, reply) };
            state.refuse(error, reply);
        }
        Submitted::Taken
    }

    /// Whether another record may be on its way to disk.
    pub(super) fn has_room(&self) -> bool {
        self.state().pending.len() < MAX_PENDING
    }

    /// Judges an action without doing it.
    pub fn check(&self, request: &ActRequest) -> Result<Checked, Error> {
        let state = self.state();
        let position = &state.durable;
        check_request(position, request)
            .and_then(|(seat, action)| {
                position.check(seat, &action).map_err(|violation| refused(position, request.seat, violation))
            })
            .map(|()| Checked { revision: position.revision() })
    }

    /// Gives the game up. The reply comes when that is on disk.
    pub fn abandon(
        self: &Arc<Self>,
        request: AbandonRequest,
        time_ms: u64,
        appends: &AppendHandle,
        reply: Reply,
    ) -> Submitted<AbandonRequest> {
        let mut state = self.state();
        if state.superseded {
            state.answer(reply, Err(Error::Conflict(self.id)));
            return Submitted::Taken;
        }
        if let Some(sequence) = state.repeated(&request) {
            return state.repeat(sequence, request, reply);
        }
        let may_be_abandoned = match request.never_complete {
            true => Ok(()),
            false => expect_complete(&state.tip),
        };
        let result = match may_be_abandoned.and_then(|()| expect_revision(&state.tip, request.expected_revision)) {
            Ok(()) => {
                self.append(&mut state, Body::Abandon(request.reason), &request.request_id, time_ms, appends, reply)
            }
            Err(error) => Err((error, reply)),
        };
        if let Err((error, reply)) = result {
            let AbandonRequest { request_id, caller, .. } = request;
            let revision = state.tip.revision();
            let asked = RefusedRequest { seat: 0, action: None, request_id, caller, time_ms, revision };
            let reply = self.record_refusal_on_reply(asked, reply);
            state.refuse(error, reply);
        }
        Submitted::Taken
    }

    /// A reply that keeps the refusal it tells: when it is told, not when it is judged, since it may rest on records that
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

    /// A record is on disk: swap, publish, reply.
    pub(super) fn advanced(&self, step: &Arc<Step>) {
        let mut state = self.state();
        let Some((_, pending)) = state.take_pending(step) else { return };
        state.durable = pending.step.position.clone();
        let followed = self.followers.any();
        if followed {
            if state.recent.len() == RECENT_STEPS {
                state.recent.pop_front();
            }
            state.recent.push_back(Arc::clone(&pending.step));
        } else {
            state.recent.clear();
        }
        if followed {
            self.followers.notify(&self.fan_out);
        }
        // Still under the lock: what is asked now may be answered at once, and must not overtake these.
        (pending.reply)(Ok(pending.step));
        for (reply, answer) in pending.later {
            reply(answer);
        }
    }

    /// A record was not written. This copy of the game, whose tip rests on it, takes nothing any more and must be loaded
    /// anew; what is still on its way gets its own answer from the writer.
    pub(super) fn failed(&self, step: &Arc<Step>, error: &Error) {
        let mut state = self.state();
        state.superseded = true;
        let Some((at, Pending { reply, later, .. })) = state.take_pending(step) else { return };
        let durable = state.durable.revision();
        // The record before, which a writer that refuses this one alone answers later.
        let before = at.checked_sub(1).and_then(|before| state.pending.get_mut(before));
        let reach = before.as_ref().map_or(durable, |before| before.step.position.revision());
        let later = later.into_iter().map(|(reply, answer)| match answer {
            // The answer to a repeated request, which only waited for its turn: it is on disk, or comes with the record
            // before.
            Ok(found) if found.position.revision() <= reach => (reply, Ok(found)),
            _ => (reply, Err(error.clone())),
        });
        let answers = std::iter::once((reply, Err(error.clone()))).chain(later);
        match before {
            Some(before) => before.later.extend(answers),
            None => answers.for_each(|(reply, answer)| reply(answer)),
        }
    }

    #[cfg(test)]
    pub(super) fn tip(&self) -> Position {
        self.state().tip.clone()
    }

    /// The records on their way, oldest first.
    #[cfg(test)]
    pub(super) fn pending_steps(&self) -> Vec<Arc<Step>> {
        self.state().pending.iter().map(|pending| Arc::clone(&pending.step)).collect()
    }

    /// Gives an answer that was found elsewhere, after those to everything that was asked before.
    pub(super) fn answer(&self, reply: Reply, answer: Answer) {
        self.state().answer(reply, answer);
    }
}

impl State {
    /// The record that a ticket names: the oldest on its way, unless one before it was refused alone.
    fn take_pending(&mut self, step: &Arc<Step>) -> Option<(usize, Pending)> {
        let at = self.pending.iter().position(|pending| Arc::ptr_eq(&pending.step, step))?;
        Some((at, self.pending.remove(at)?))
    }

    fn repeated(&self, request: &impl Repeatable) -> Option<Sequence> {
        if request.request_id().is_empty() { None } else { self.requests.get(request.request_id()).copied() }
    }

    /// Answers a repeated request by the step it first led to, or gives it back if that step is in the log only.
    fn repeat<R: Repeatable>(&mut self, sequence: Sequence, request: R, reply: Reply) -> Submitted<R> {
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
    fn refuse(&mut self, error: Error, reply: Reply) {
        self.answer(reply, Err(error));
    }

    /// Answers when everything on its way is on disk: the answers of a game come in the order of its requests.
    fn answer(&mut self, reply: Reply, answer: Answer) {
        match self.pending.back_mut() {
            Some(pending) => pending.later.push((reply, answer)),
            None => reply(answer),
        }
    }
}

/// A record for the writer.
pub(super) fn append_of(
    game: GameId,
    previous: Hash,
    position: &Position,
    record: Bytes,
    new_game: Option<NewGameData>,
    ticket: Ticket,
) -> Append<Ticket> {
    Append {
        game,
        sequence: u32::try_from(position.last_record().get()).expect("no game has 2^32 records"),
        previous,
        record,
        hash: position.head_hash(),
        status: position.status(),
        time_ms: position.time_ms(),
        new_game: new_game.map(Box::new),
        ticket,
    }
}

/// What to answer when the writer takes no record, and the ticket it gave back.
pub(super) fn not_queued(error: AppendError<Ticket>) -> (Error, Ticket) {
    match error {
        AppendError::Full(append) => (Error::Busy("the store's queue is full"), append.ticket),
        AppendError::Failed(append, error) => (Error::StoreFailed(error), append.ticket),
        AppendError::Closed(append) => (Error::ShuttingDown, append.ticket),
        AppendError::TooLarge { append, what, size, most } => {
            let description = format!("{what} has {size} bytes in the log, at most {most} fit");
            (Error::invalid("request", description), append.ticket)
        }
    }
}
