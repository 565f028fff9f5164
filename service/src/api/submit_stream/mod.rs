//! `SubmitActions`: many actions of many games on one stream, each answered once, in order per game.
//!
//! One object both reads and answers: its connection asks it for answers, and when there is none it takes in what the
//! caller has sent since. A caller who does not read answers is therefore not read from either.
//!
//! | file | what it holds |
//! |---|---|
//! | this one | the stream: what is read, and what is answered |
//! | `answer_queue` | answers on their way to the stream, and its wake-up |
//! | `drained` | whether the server drains, asked at every poll |

mod answer_queue;
mod drained;

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use divelog_ledger::GameId;
use divelog_proto::v1 as pb;
use tokio::sync::watch;
use tokio_stream::Stream;
use tonic::{Code, Status, Streaming};
use tracing::Level;

use super::call::Call;
use super::games::{act_request, keep_refusal};
use super::{errors, unreadable, validate};
use crate::access::Caller;
use crate::scheduler;
use crate::session::{Accepted, Error, Games, LiveGame, Reply, Submitted, Which};
use answer_queue::AnswerQueue;
use drained::Drained;

/// How many requests of one stream may be unanswered; the server stops reading at that.
const MAX_IN_FLIGHT: usize = 4_096;

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The answers of one stream, and the requests that they are for.
pub struct Answers {
    games: Games,
    call: Call,
    requests: Streaming<pb::SubmitActionsRequest>,
    /// Says when the server drains: then no more requests are read.
    drained: Drained,
    /// Whether no more requests are read.
    closed: bool,
    /// How many more requests are read of a caller who does not pause while the server drains.
    last_reads: usize,
    /// What the stream ends with when everything that was read is answered, if the caller may have sent more than that.
    cut_off: Option<Status>,
    /// The newest request's game, under the id as the caller writes it: most streams stay with one game for a while.
    newest: Option<(String, Arc<LiveGame>)>,
    /// A request that waits for the disk; the next one is read after it.
    waiting: Option<Task>,
    /// How many requests were read.
    read: u64,
    unanswered: usize,
    answers: Arc<AnswerQueue<TaggedAnswer>>,
}

/// Begins to read a stream of requests.
pub fn open(
    games: Games,
    requests: Streaming<pb::SubmitActionsRequest>,
    call: Call,
    draining: watch::Receiver<bool>,
) -> Answers {
    Answers {
        games,
        call,
        requests,
        drained: Drained::new(draining),
        closed: false,
        last_reads: MAX_IN_FLIGHT,
        cut_off: None,
        newest: None,
        waiting: None,
        read: 0,
        unanswered: 0,
        answers: Arc::default(),
    }
}

impl Answers {
    /// Takes in what the caller has sent. The stream's task is woken when it sends more, unless too much is unanswered:
    /// then the next answer wakes it.
    fn read(&mut self, context: &mut Context<'_>) {
        while !scheduler::turn_is_over() {
            if let Some(waiting) = &mut self.waiting {
                if waiting.as_mut().poll(context).is_pending() {
                    return;
                }
                self.waiting = None;
            }
            if self.closed || self.unanswered >= MAX_IN_FLIGHT {
                return;
            }
            match Pin::new(&mut self.requests).poll_next(context) {
                Poll::Ready(Some(Ok(request))) => {
                    self.handle_request(request);
                    if self.drained.has_begun() {
                        match self.last_reads.checked_sub(1) {
                            Some(left) => self.last_reads = left,
                            None => self.shut_down(),
                        }
                    }
                }
                Poll::Ready(Some(Err(status))) => {
                    let error = unreadable::cause(&status, Which::Message(self.read + 1));
                    self.cut_off(error.map_or(status, |error| self.call.fail(&error)));
                }
                Poll::Ready(None) => self.closed = true,
                Poll::Pending => {
                    // More may be on its way: only an end that the caller has sent says that everything was answered.
                    if self.drained.poll(context) {
                        self.shut_down();
                    }
                    return;
                }
            }
        }
        context.waker().wake_by_ref();
    }

    fn shut_down(&mut self) {
        let status = self.call.fail(&Error::ShuttingDown);
        self.cut_off(status);
    }

    fn cut_off(&mut self, status: Status) {
        self.closed = true;
        self.cut_off = Some(status);
    }

    fn handle_request(&mut self, request: pb::SubmitActionsRequest) {
        let pb::SubmitActionsRequest { tag, action } = request;
        self.read += 1;
        self.unanswered += 1;
        let answers = Arc::clone(&self.answers);
        let shown = Shown::of(action.as_ref());
        let reply: Reply = Box::new(move |result| answers.put(TaggedAnswer { tag, shown, result }));
        // Of no game: there is no order to keep.
        let Some(mut action) = action else {
            return reply(Err(Error::invalid("action", "the request has no action")));
        };
        let is_newest = |(game_id, live): &(String, Arc<LiveGame>)| *game_id == action.game_id && !live.is_retired();
        if !self.newest.as_ref().is_some_and(is_newest) {
            let id = match validate::game_id(&action.game_id) {
                Ok(id) => id,
                Err(error) => return reply(Err(error)),
            };
            let game_id = std::mem::take(&mut action.game_id);
            self.newest = self.games.in_memory(id).map(|live| (game_id, live));
            if self.newest.is_none() {
                return self.wait_for_disk(|games, caller| async move {
                    match validate::check_request_id(&action.request_id) {
                        Ok(()) if action.validate_only => {
                            games.check_in_order(id, &act_request(action, caller), reply).await
                        }
                        Ok(()) => games.submit(id, act_request(action, caller), reply).await,
                        Err(error) => refuse(&games, id, &action, error, reply).await,
                    }
                });
            }
        }
        let Some((_, live)) = &self.newest else { return };
        let live = Arc::clone(live);
        if let Err(error) = validate::check_request_id(&action.request_id) {
            return self
                .wait_for_disk(|games, _| async move { refuse(&games, live.id(), &action, error, reply).await });
        }
        if action.validate_only {
            let request = act_request(action, self.call.caller());
            if let Some((sequence, reply)) = live.check_in_order(&request, reply) {
                self.wait_for_disk(
                    |games, _| async move { games.finish_check(&live, sequence, &request, reply).await },
                );
            }
            return;
        }
        let submitted = self.games.submit_to(&live, act_request(action, self.call.caller()), reply);
        if !matches!(submitted, Submitted::Taken) {
            // Its answer is in the log, or there is no room for it: nothing more is read of this stream meanwhile.
            self.wait_for_disk(|games, _| async move { games.finish(live, submitted).await });
        }
    }

    fn wait_for_disk<W: Future<Output = ()> + Send + 'static>(&mut self, work: impl FnOnce(Games, Caller) -> W) {
        self.waiting = Some(Box::pin(work(self.games.clone(), self.call.caller())));
    }

    fn answer(&mut self, TaggedAnswer { tag, shown, result }: TaggedAnswer) -> pb::SubmitActionsResponse {
        self.unanswered -= 1;
        if let Some(shown) = shown {
            shown.log(tag, &result);
        }
        let result = match result {
            Ok(accepted) => pb::submit_actions_response::Result::Done(accepted.response()),
            Err(error) => {
                self.call.note_fault(&error);
                pb::submit_actions_response::Result::Failure(errors::failure(&error))
            }
        };
        pb::SubmitActionsResponse { tag, result: Some(result) }
    }
}

/// Refuses a request that is not even shown to its game.
async fn refuse(games: &Games, id: GameId, action: &pb::SubmitActionRequest, error: Error, reply: Reply) {
    keep_refusal(games, id, action, &error).await;
    games.refuse(id, error, reply);
}

impl Stream for Answers {
    type Item = Result<pb::SubmitActionsResponse, Status>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        // The transport asks for answers as long as there are some, and refusals are there at once: a caller who sends
        // nothing else would keep the thread.
        if scheduler::turn_is_over() {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if let Some(answer) = this.answers.take() {
            return Poll::Ready(Some(Ok(this.answer(answer))));
        }
        this.read(context);
        match this.answers.take_or_wake(context.waker()) {
            Some(answer) => Poll::Ready(Some(Ok(this.answer(answer)))),
            None if this.closed && this.unanswered == 0 => Poll::Ready(this.cut_off.take().map(Err)),
            None => Poll::Pending,
        }
    }
}

/// What the log shows of an action beside its answer. Only made while calls are logged.
struct Shown {
    /// As the caller writes it.
    game_id: String,
    since: Instant,
}

impl Shown {
    fn of(action: Option<&pb::SubmitActionRequest>) -> Option<Box<Shown>> {
        if !tracing::enabled!(Level::DEBUG) {
            return None;
        }
        let game_id = action.map(|action| action.game_id.clone()).unwrap_or_default();
        Some(Box::new(Shown { game_id, since: Instant::now() }))
    }

    fn log(&self, tag: u64, result: &Result<Accepted, Error>) {
        let (game_id, micros) = (&self.game_id, self.since.elapsed().as_micros() as u64);
        match result {
            Ok(accepted) => {
                tracing::debug!(tag, game_id, revision = accepted.revision().get(), outcome = "OK", micros, "action");
            }
            Err(error) => {
                let pb::Failure { code, reason, .. } = errors::failure(error);
                tracing::debug!(tag, game_id, outcome = ?Code::from_i32(code), reason, micros, "action");
            }
        }
    }
}

/// An answer, and the caller's tag of the request that it is for.
struct TaggedAnswer {
    tag: u64,
    shown: Option<Box<Shown>>,
    result: Result<Accepted, Error>,
}
