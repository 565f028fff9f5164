//! The door: one layer around all services, which every call passes and no handler can forget.
//!
//! It knows a call's method and caller when it begins, and its outcome and duration when it ends: for a stream that is
//! after the last message, whoever ends it. Spans and log lines come from here. A call begins when its request is there
//! (`request`) and its connection has room for the answer; the answer is counted until the socket has taken it (`answer`).
//! With level debug off a call costs small allocations for itself, its request and its answer, a place in the request's
//! extensions, a look at the clock and a few counters.

mod answer;
mod deadline;
mod methods;
mod request;
#[cfg(test)]
mod tests;

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http::{HeaderMap, Request, Response};
use http_body::Body as HttpBody;
use pin_project_lite::pin_project;
use tokio::time::Sleep;
use tonic::body::Body;
use tonic::{Code, Status};
use tower_layer::Layer;
use tower_service::Service;

pub use answer::Answer;
pub use request::RequestBody;

use self::answer::Counting;
use self::deadline::Deadline;
use self::methods::{Answers, Method, method};
use self::request::{REQUEST_DEADLINE, Reading};
use super::call::{Call, Outcome};
use super::unreadable;
use crate::session::Error;
use crate::transport::{Held, OpenOnConnection, Peer, WaitTicket};

/// Where the status of a call is: in the headers of an answer without messages, else in the trailers.
pub(super) const GRPC_STATUS: &str = "grpc-status";

/// Why a call does not begin.
const NO_ROOM_FOR_THE_ANSWER: Error =
    Error::Busy("there was no room for the answer for as long as a call may wait: too many answers are not read");
const TOO_MANY_HEALTH_WATCHES: Error = Error::Busy("as many watches of the health are open as this server allows");

/// How long a call that lacks room waits for its refusal, unless its own time is over before, or too many wait like that.
/// Whoever then asks again at once would otherwise cost more than a call that is served.
const REFUSAL_PAUSE: Duration = Duration::from_secs(1);

/// Puts the door around services.
#[derive(Clone, Copy, Debug, Default)]
pub struct DoorLayer;

impl<S> Layer<S> for DoorLayer {
    type Service = Door<S>;

    fn layer(&self, services: S) -> Door<S> {
        Door { services }
    }
}

/// Services behind the door.
#[derive(Clone, Debug)]
pub struct Door<S> {
    services: S,
}

impl<S, O> Service<Request<Body>> for Door<S>
where
    S: Service<Request<RequestBody>, Response = Response<O>> + Clone,
    O: HttpBody<Data = bytes::Bytes> + Unpin,
{
    type Response = Response<Answer<O>>;
    type Error = S::Error;
    type Future = Answering<S>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.services.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let call = Call::new(request.uri().path_and_query().cloned(), request.extensions());
        request.extensions_mut().insert(call.clone());
        let peer = request.extensions().get::<Peer>().cloned();
        let method = method(request.uri().path());
        let deadline = Deadline::of(request.headers());
        // These services are ready, their copy may not be.
        let copy = self.services.clone();
        let services = std::mem::replace(&mut self.services, copy);
        let (head, body) = request.into_parts();
        let body = match method.requests {
            true => Coming::Stream(body),
            false => Coming::One(Reading::new(body, peer.clone())),
        };
        Answering {
            before: Some(Before { services, head, body, place: None, deadline: None }),
            work: None,
            refusal: None,
            method,
            call: peer.as_ref().filter(|_| method.awaited).map(|peer| peer.progress.call()),
            peer,
            request: None,
            room: None,
            deadline,
            open: Some(OpenCall(Some(call))),
        }
    }
}

/// A call that has not ended. Dropped before that, it ends because nobody waits for it any more.
struct OpenCall(Option<Call>);

impl OpenCall {
    fn call(&self) -> Option<&Call> {
        self.0.as_ref()
    }

    fn scoped<R>(&self, work: impl FnOnce() -> R) -> R {
        match &self.0 {
            Some(call) => call.span().in_scope(work),
            None => work(),
        }
    }

    fn end(mut self, code: Code, headers: Option<&HeaderMap>) {
        if let Some(call) = self.0.take() {
            let status = || headers.and_then(Status::from_header_map);
            call.ended(Outcome::Answered(code), || status().map(|status| status.message().to_owned()));
        }
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        if let Some(call) = self.0.take() {
            call.ended(if std::thread::panicking() { Outcome::Panicked } else { Outcome::Gone }, || None);
        }
    }
}

/// The status among headers or trailers.
pub(super) fn code_of(headers: &HeaderMap) -> Option<Code> {
    headers.get(GRPC_STATUS).map(|code| Code::from_bytes(code.as_bytes()))
}

/// A call that has not begun.
struct Before<S> {
    services: S,
    head: http::request::Parts,
    body: Coming,
    /// In the line of those who wait for room for their answers.
    place: Option<WaitTicket>,
    /// While it waits there.
    deadline: Option<Pin<Box<Sleep>>>,
}

/// A call that is refused after a pause.
struct Refusal {
    error: Error,
    pause: Pin<Box<Sleep>>,
    _place: Option<Held>,
}

impl Refusal {
    /// Gives the error back if too many calls of the connection, or in all, wait like that.
    fn after_pause(error: Error, peer: Option<&Peer>, deadline: &Deadline) -> Result<Refusal, Error> {
        let place = match peer {
            Some(peer) => match peer.refusals.try_take(1) {
                Some(place) => Some(place),
                None => return Err(error),
            },
            None => None,
        };
        // Early enough to be read before the caller's own time is over.
        let pause = deadline.left().map_or(REFUSAL_PAUSE, |left| REFUSAL_PAUSE.min(left / 2));
        Ok(Refusal { error, pause: Box::pin(tokio::time::sleep(pause)), _place: place })
    }
}

/// What a call needs of its request before it begins.
enum Coming {
    One(Reading),
    Stream(Body),
}

impl<S> Before<S> {
    /// Done when the call may begin: its request is there, and room for its answer or a place among the streams of its
    /// kind, which is returned.
    fn poll(
        &mut self,
        method: Method,
        peer: Option<&Peer>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<Held>, Error>> {
        if let Coming::One(reading) = &mut self.body {
            ready!(reading.poll(&self.head, context))?;
        }
        let Some(peer) = peer else { return Poll::Ready(Ok(None)) };
        let bytes = match method.answers {
            Answers::One(bytes) => bytes,
            Answers::Stream => return Poll::Ready(Ok(None)),
            Answers::HealthWatch => {
                let open = peer.health_watches.try_take(1);
                return Poll::Ready(open.map(Some).ok_or(TOO_MANY_HEALTH_WATCHES));
            }
        };
        if let Poll::Ready(room) = peer.answers.poll_take(bytes, &mut self.place, context) {
            return Poll::Ready(Ok(Some(room)));
        }
        if let Coming::One(reading) = &mut self.body {
            reading.wait(&self.head)?;
        }
        // What it has sent is held for it meanwhile, so this must end.
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(REQUEST_DEADLINE)));
        ready!(deadline.as_mut().poll(context));
        Poll::Ready(Err(NO_ROOM_FOR_THE_ANSWER))
    }

    /// Begins the call; returns what is held for its request while it is served.
    fn begin<F>(self, call: &Call, peer: Option<&Peer>) -> Result<(F, Option<Held>), Error>
    where
        S: Service<Request<RequestBody>, Future = F>,
    {
        let Before { mut services, head, body, .. } = self;
        let (body, held) = match body {
            Coming::One(reading) => reading.done(),
            Coming::Stream(body) => (RequestBody::stream(body, call, peer)?, None),
        };
        Ok((services.call(Request::from_parts(head, body)), held))
    }
}

pin_project! {
    /// A call whose answer has not begun.
    pub struct Answering<S>
    where
        S: Service<Request<RequestBody>>,
    {
        // None once it has begun.
        before: Option<Before<S>>,
        #[pin]
        work: Option<S::Future>,
        // Why it does not begin, which is said after a pause.
        refusal: Option<Refusal>,
        method: Method,
        peer: Option<Peer>,
        call: Option<OpenOnConnection>,
        // What is held for the request, and for the answer.
        request: Option<Held>,
        room: Option<Held>,
        deadline: Deadline,
        // None once it was answered.
        open: Option<OpenCall>,
    }
}

impl<S, O> Future for Answering<S>
where
    S: Service<Request<RequestBody>, Response = Response<O>>,
    O: HttpBody<Data = bytes::Bytes> + Unpin,
{
    type Output = Result<Response<Answer<O>>, S::Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if let Some(before) = this.before {
            let room = match this.deadline.has_passed() {
                true => Err(Error::DeadlinePassed),
                false => match before.poll(*this.method, this.peer.as_ref(), context) {
                    Poll::Ready(room) => room,
                    Poll::Pending => {
                        ready!(this.deadline.poll(context));
                        Err(Error::DeadlinePassed)
                    }
                },
            };
            let (Some(before), Some(call)) = (this.before.take(), this.open.as_ref().and_then(OpenCall::call)) else {
                return Poll::Pending;
            };
            let begun = room.and_then(|room| {
                *this.room = room;
                call.span().in_scope(|| before.begin(call, this.peer.as_ref()))
            });
            match begun {
                Ok((work, request)) => {
                    this.work.set(Some(work));
                    *this.request = request;
                }
                // What has come of the request is dropped by now, and no more is read.
                Err(error @ Error::Busy(_)) => match Refusal::after_pause(error, this.peer.as_ref(), this.deadline) {
                    Ok(refusal) => *this.refusal = Some(refusal),
                    Err(error) => return Poll::Ready(Ok(refuse(this.open.take(), &error))),
                },
                Err(error) => return Poll::Ready(Ok(refuse(this.open.take(), &error))),
            }
        }
        if let Some(refusal) = this.refusal {
            ready!(refusal.pause.as_mut().poll(context));
            return Poll::Ready(Ok(refuse(this.open.take(), &refusal.error)));
        }
        let Some(work) = this.work.as_mut().as_pin_mut() else { return Poll::Pending };
        let work = || work.poll(context);
        let polled = match this.open {
            Some(open) => open.scoped(work),
            None => work(),
        };
        let Poll::Ready(result) = polled else {
            ready!(this.deadline.poll(context));
            this.work.set(None);
            return Poll::Ready(Ok(refuse(this.open.take(), &Error::DeadlineExceeded)));
        };
        *this.request = None;
        let mut open = this.open.take();
        let response = match result {
            Ok(response) => unreadable::with_reason(response),
            Err(error) => {
                if let Some(open) = open {
                    open.end(Code::Unknown, None);
                }
                return Poll::Ready(Err(error));
            }
        };
        if let Some(code) = code_of(response.headers()) {
            if let Some(open) = open.take() {
                open.end(code, Some(response.headers()));
            }
            return Poll::Ready(Ok(response.map(|_| Answer::none())));
        }
        let counting = match (this.method.answers, this.room.take(), this.peer.take()) {
            (Answers::One(_), Some(held), Some(peer)) => Counting::One { peer, held },
            (Answers::Stream | Answers::HealthWatch, open, Some(peer)) => Counting::Stream { peer, place: None, open },
            _ => Counting::Not,
        };
        Poll::Ready(Ok(response.map(|body| Answer::new(body, counting, this.call.take(), open, context))))
    }
}

/// Answers a call that does not begin.
fn refuse<O: HttpBody<Data = bytes::Bytes>>(open: Option<OpenCall>, error: &Error) -> Response<Answer<O>> {
    let Some(open) = open else { return Response::new(Answer::none()) };
    let status = match open.call() {
        Some(call) => call.fail(error),
        None => super::errors::status(error),
    };
    let (head, ()) = status.into_http::<()>().into_parts();
    open.end(code_of(&head.headers).unwrap_or(Code::Unknown), Some(&head.headers));
    Response::from_parts(head, Answer::none())
}
