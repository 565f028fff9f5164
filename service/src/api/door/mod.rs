//! The door: one layer around all services, which every call passes and no handler can forget.
//!
//! It knows a call's method and caller when it begins, and its outcome and duration when it ends: for a stream that is
//! after the last message, whoever ends it. Spans and log lines come from here. With level debug off a call costs one
//! small allocation, its place in the request's extensions and a look at the clock.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http::{HeaderMap, Request, Response};
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;
use tonic::{Code, Status};
use tower_layer::Layer;
use tower_service::Service;

use super::call::{Call, Outcome};

/// Where the status of a call is: in the headers of an answer without messages, else in the trailers.
const GRPC_STATUS: &str = "grpc-status";

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

impl<S, I, O> Service<Request<I>> for Door<S>
where
    S: Service<Request<I>, Response = Response<O>>,
{
    type Response = Response<Answer<O>>;
    type Error = S::Error;
    type Future = Answering<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.services.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<I>) -> Self::Future {
        let call = Call::new(request.uri().path_and_query().cloned(), request.extensions());
        request.extensions_mut().insert(call.clone());
        let work = call.span().in_scope(|| self.services.call(request));
        Answering { work, open: Some(OpenCall(Some(call))) }
    }
}

/// A call that has not ended. Dropped before that, it ends because nobody waits for it any more.
struct OpenCall(Option<Call>);

impl OpenCall {
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
fn code_of(headers: &HeaderMap) -> Option<Code> {
    headers.get(GRPC_STATUS).map(|code| Code::from_bytes(code.as_bytes()))
}

pin_project! {
    /// A call whose answer has not begun.
    pub struct Answering<F> {
        #[pin]
        work: F,
        // None once it was answered.
        open: Option<OpenCall>,
    }
}

impl<F, O, E> Future for Answering<F>
where
    F: Future<Output = Result<Response<O>, E>>,
{
    type Output = Result<Response<Answer<O>>, E>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let work = || this.work.poll(context);
        let result = match this.open {
            Some(open) => ready!(open.scoped(work)),
            None => ready!(work()),
        };
        let mut open = this.open.take();
        let response = match result {
            Ok(response) => response,
            Err(error) => {
                if let Some(open) = open {
                    open.end(Code::Unknown, None);
                }
                return Poll::Ready(Err(error));
            }
        };
        if let Some(code) = code_of(response.headers())
            && let Some(open) = open.take()
        {
            open.end(code, Some(response.headers()));
        }
        Poll::Ready(Ok(response.map(|body| Answer { body, open })))
    }
}

pin_project! {
    /// An answer on its way: one message, or a stream of them.
    pub struct Answer<B> {
        #[pin]
        body: B,
        // None once it has ended.
        open: Option<OpenCall>,
    }
}

impl<B: Body> Body for Answer<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let this = self.project();
        let Some(open) = this.open else { return this.body.poll_frame(context) };
        let frame = ready!(open.scoped(|| this.body.poll_frame(context)));
        let (code, trailers) = match &frame {
            Some(Ok(frame)) if frame.is_data() => (None, None),
            Some(Ok(frame)) => (frame.trailers_ref().and_then(code_of), frame.trailers_ref()),
            Some(Err(_)) | None => (Some(Code::Unknown), None),
        };
        if let Some(code) = code
            && let Some(open) = this.open.take()
        {
            open.end(code, trailers);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
