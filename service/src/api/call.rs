//! One call, as the door and its handler know it.
//!
//! The door makes a `Call` for every request and puts it into the request's extensions. A handler takes it out, adds which
//! game and revision the call is about, and answers through it: there is no other way from an error to a status, so a
//! handler that did not come through the door can answer nothing but that.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use divelog_ledger::{GameId, Revision};
use http::Extensions;
use http::uri::PathAndQuery;
use tonic::{Code, Request, Response, Status};
use tracing::Span;
use tracing::field::{Empty, display};

use super::{errors, validate};
use crate::access::Caller;
use crate::session::Error;
use crate::transport::Peer;

/// One call. Copies share what is known of it.
#[derive(Clone)]
pub struct Call(Arc<CallState>);

struct CallState {
    /// `/package.Service/Method`, as the caller sent it.
    path: Option<PathAndQuery>,
    caller: Caller,
    started: Instant,
    /// Off unless calls are logged: one that is formatted for every call costs more than the call.
    span: Span,
    game: OnceLock<GameId>,
    /// 0: the call is about no revision.
    revision: AtomicU64,
    /// What broke, if it was the machinery that did.
    fault: OnceLock<Box<str>>,
}

impl Call {
    /// A call that begins now.
    pub(super) fn new(path: Option<PathAndQuery>, extensions: &Extensions) -> Call {
        let caller = Caller::from_address(remote_address(extensions));
        let span = tracing::debug_span!(
            "rpc",
            method = method_of(path.as_ref()),
            %caller,
            game_id = Empty,
            revision = Empty,
            outcome = Empty
        );
        Call(Arc::new(CallState {
            path,
            caller,
            started: Instant::now(),
            span,
            game: OnceLock::new(),
            revision: AtomicU64::new(0),
            fault: OnceLock::new(),
        }))
    }

    /// The call that a request came with, and its message.
    pub fn of<M>(mut request: Request<M>) -> Result<(Call, M), Status> {
        let call = request.extensions_mut().remove::<Call>();
        let call = call.ok_or_else(|| Status::internal("the request did not come through the server's door"))?;
        Ok((call, request.into_inner()))
    }

    /// Who called.
    pub fn caller(&self) -> Caller {
        self.0.caller
    }

    /// Its method's name, without package and service.
    fn method(&self) -> &str {
        method_of(self.0.path.as_ref())
    }

    /// The span that everything is done in that is done for this call.
    pub(super) fn span(&self) -> &Span {
        &self.0.span
    }

    /// Reads a game's id, and notes that the call is about that game.
    pub fn game(&self, text: &str) -> Result<GameId, Error> {
        let id = validate::game_id(text)?;
        self.set_game(id);
        Ok(id)
    }

    /// Notes that the call is about a game; the first one counts.
    pub fn set_game(&self, id: GameId) {
        if self.0.game.set(id).is_ok() {
            self.0.span.record("game_id", display(id));
        }
    }

    /// Notes that the call is about a revision; the last one counts.
    pub fn set_revision(&self, revision: Revision) {
        self.0.revision.store(revision.get(), Ordering::Relaxed);
    }

    /// Turns what a handler has found into its answer.
    pub async fn answer<R>(&self, work: impl Future<Output = Result<R, Error>>) -> Result<Response<R>, Status> {
        work.await.map(Response::new).map_err(|error| self.fail(&error))
    }

    /// What the caller is told of an error. A fault of the machinery is noted for the log.
    pub fn fail(&self, error: &Error) -> Status {
        self.note_fault(error);
        errors::status(error)
    }

    /// Notes a fault of the machinery for the log, with what callers are not told.
    pub fn note_fault(&self, error: &Error) {
        // The first one says why; what comes after it follows from it.
        match error {
            Error::Damaged { .. } => drop(self.0.fault.set(error.to_string().into())),
            Error::StoreFailed(cause) => drop(self.0.fault.set(format!("the store has failed: {cause}").into())),
            _ => {}
        }
    }

    /// Logs that the call is over. `sentence` is what the answer says, in case that it is a fault.
    pub(super) fn ended(&self, outcome: Outcome, sentence: impl FnOnce() -> Option<String>) {
        let CallState { span, game, revision, started, .. } = &*self.0;
        if let Some(error) = self.0.fault.get().map(|fault| fault.to_string()).or_else(|| {
            // Nobody noted it, so it comes from somewhere below the handlers.
            matches!(outcome, Outcome::Answered(Code::Internal | Code::DataLoss))
                .then(|| sentence().unwrap_or_default())
        }) {
            let game_id = game.get().map(GameId::to_string).unwrap_or_default();
            span.in_scope(|| tracing::error!(method = self.method(), game_id, error, "a call has failed"));
        }
        if span.is_disabled() {
            return;
        }
        match revision.load(Ordering::Relaxed) {
            0 => {}
            revision => drop(span.record("revision", revision)),
        }
        span.record("outcome", display(&outcome));
        let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        span.in_scope(|| match outcome {
            Outcome::Answered(_) => tracing::debug!(micros, "answered"),
            Outcome::Gone => tracing::debug!(micros, "the caller has gone, or the call's time was over"),
            Outcome::Panicked => tracing::debug!(micros, "panicked"),
        });
    }
}

/// How a call ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// With this status.
    Answered(Code),
    /// Nobody waited for the end.
    Gone,
    /// The handler has panicked.
    Panicked,
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Outcome::Answered(Code::Ok) => f.write_str("OK"),
            Outcome::Answered(code) => write!(f, "{code:?}"),
            Outcome::Gone => write!(f, "{:?}", Code::Cancelled),
            Outcome::Panicked => f.write_str("Panicked"),
        }
    }
}

fn method_of(path: Option<&PathAndQuery>) -> &str {
    path.and_then(|path| path.path().rsplit('/').next()).unwrap_or_default()
}

fn remote_address(extensions: &Extensions) -> Option<SocketAddr> {
    extensions.get::<Peer>().and_then(|peer| peer.address)
}
