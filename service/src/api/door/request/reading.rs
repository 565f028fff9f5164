//! A call with one request. It does not begin before the request is there: what has come of it is counted against what its
//! connection and all connections may hold, with its head, and the rest must come in time. A request that comes in one
//! piece, which is almost every one, is neither counted nor copied.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http::request::Parts;
use http_body::Body as _;
use tokio::time::Sleep;
use tonic::Status;
use tonic::body::Body;

use super::{PREFIX_BYTES, REQUEST_DEADLINE, RequestBody, TOO_MUCH_COMING};
use crate::server::MAX_REQUEST_BYTES;
use crate::session::Error;
use crate::transport::{Held, Peer};

/// A request of at most this size is not counted while its call is served: it is no larger than the rest of a call.
const SMALL: usize = 4 * 1024;
/// What a call that waits costs beside its bytes, in h2 and here: 2.8 KiB were measured.
const CALL_BYTES: usize = 3 * 1024;
/// What a field of its head costs beside its name and value, as HTTP/2 counts it.
const FIELD_BYTES: usize = 32;

const TOO_MANY_WAIT: Error = Error::Busy("too many calls wait until answers of this connection are read");

/// A request that is read before its call begins.
pub struct Reading {
    body: Body,
    peer: Option<Peer>,
    got: Got,
    held: Option<Held>,
    /// Whether the rest was asked for and did not come at once.
    asked: bool,
    deadline: Option<Pin<Box<Sleep>>>,
    error: Option<Status>,
    done: bool,
}

enum Got {
    Nothing,
    /// As it came.
    Piece(Bytes),
    /// Put together, so that small pieces do not keep the buffers that they came in.
    Pieces(BytesMut),
}

impl Got {
    fn len(&self) -> usize {
        match self {
            Got::Nothing => 0,
            Got::Piece(bytes) => bytes.len(),
            Got::Pieces(bytes) => bytes.len(),
        }
    }
}

impl Reading {
    /// Of a call that is not limited if no connection is known.
    pub fn new(body: Body, peer: Option<Peer>) -> Reading {
        Reading { body, peer, got: Got::Nothing, held: None, asked: false, deadline: None, error: None, done: false }
    }

    /// Done when the request is there, or when it is certain that it will be refused for what it is.
    pub fn poll(&mut self, head: &Parts, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        while !self.done {
            if self.body.is_end_stream() || self.got.len() > MAX_REQUEST_BYTES + PREFIX_BYTES {
                break;
            }
            match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => self.add(data)?,
                    // Trailers, which end it.
                    Err(_) => break,
                },
                Poll::Ready(Some(Err(error))) => {
                    self.error = Some(error);
                    break;
                }
                Poll::Ready(None) => break,
                Poll::Pending => return self.poll_wait(head, context).map(Err),
            }
        }
        (self.done, self.deadline) = (true, None);
        Poll::Ready(Ok(()))
    }

    fn add(&mut self, data: Bytes) -> Result<(), Error> {
        self.got = match std::mem::replace(&mut self.got, Got::Nothing) {
            Got::Nothing => Got::Piece(data),
            Got::Piece(first) => {
                let mut bytes = BytesMut::with_capacity(first.len() + data.len());
                bytes.extend_from_slice(&first);
                bytes.extend_from_slice(&data);
                Got::Pieces(bytes)
            }
            Got::Pieces(mut bytes) => {
                bytes.extend_from_slice(&data);
                Got::Pieces(bytes)
            }
        };
        let bytes = self.got.len();
        if bytes > SMALL { self.hold(bytes, TOO_MUCH_COMING) } else { Ok(()) }
    }

    /// Counts what is there, if nobody has yet.
    fn hold(&mut self, bytes: usize, otherwise: Error) -> Result<(), Error> {
        let Some(peer) = &self.peer else { return Ok(()) };
        let holds = match &mut self.held {
            Some(held) => held.bytes() >= bytes || held.try_grow(bytes - held.bytes()),
            None => {
                self.held = peer.requests.try_take(bytes);
                self.held.is_some()
            }
        };
        if holds { Ok(()) } else { Err(otherwise) }
    }

    fn poll_wait(&mut self, head: &Parts, context: &mut Context<'_>) -> Poll<Error> {
        if !self.asked {
            // The head of many calls comes before the first request of them: what is on its way is read before this is
            // looked at again, so most calls need no timer.
            self.asked = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if let Got::Piece(piece) = &self.got {
            self.got = Got::Pieces(BytesMut::from(piece.as_ref()));
        }
        // Also if nothing but the head has come.
        if let Err(error) = self.hold(self.got.len() + call_bytes(head), TOO_MUCH_COMING) {
            return Poll::Ready(error);
        }
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(REQUEST_DEADLINE)));
        ready!(deadline.as_mut().poll(context));
        Poll::Ready(Error::Incomplete)
    }

    /// The call must wait for something else: its request is counted meanwhile.
    pub fn wait(&mut self, head: &Parts) -> Result<(), Error> {
        self.hold(self.got.len() + call_bytes(head), TOO_MANY_WAIT)
    }

    /// The request, and what is held for it as long as its call is served.
    pub fn done(self) -> (RequestBody, Option<Held>) {
        let mut held = self.held;
        if self.got.len() <= SMALL {
            held = None;
        } else if let Some(held) = &mut held {
            held.correct(self.got.len());
        }
        let first = match self.got {
            Got::Nothing => None,
            Got::Piece(bytes) => Some(bytes),
            Got::Pieces(bytes) => Some(bytes.freeze()),
        };
        let first = first.filter(|bytes| !bytes.is_empty());
        (RequestBody { first, error: self.error, rest: self.body, stream: None }, held)
    }
}

/// What a call that waits costs beside the bytes of its request.
fn call_bytes(head: &Parts) -> usize {
    let fields = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + FIELD_BYTES);
    let path = head.uri.path_and_query().map_or(0, |path| path.as_str().len());
    let authority = head.uri.authority().map_or(0, |authority| authority.as_str().len());
    CALL_BYTES + path + authority + fields.sum::<usize>()
}
