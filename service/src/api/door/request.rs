//! Requests on their way in.
//!
//! A call with one request does not begin before the request is there: what has come of it is counted against what its
//! connection and all connections may hold, with its head, and the rest must come in time. A request that comes in one piece,
//! which is almost every one, is neither counted nor copied. A stream of requests is counted as one from beginning to end, and beyond that
//! whenever it waits for the rest of a large message; that is put together here and not handed on before it is whole, and a
//! task of its own drops it when its time is over, because a stream whose answers are not read is not asked for anything.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::request::Parts;
use http_body::{Body as _, Frame, SizeHint};
use tokio::task::JoinHandle;
use tokio::time::Sleep;
use tonic::Status;
use tonic::body::Body;

use crate::api::call::Call;
use crate::lock::lock;
use crate::server::MAX_REQUEST_BYTES;
use crate::session::{Error, REQUEST_SECONDS};
use crate::transport::{Held, Peer};

/// How long a request may take to come, and may then wait for room for its answer.
pub(super) const REQUEST_DEADLINE: Duration = Duration::from_secs(REQUEST_SECONDS);
/// A request of at most this size is not counted while its call is served: it is no larger than the rest of a call.
const SMALL: usize = 4 * 1024;
/// What a call that waits costs beside its bytes, in h2 and here: 2.8 KiB were measured.
const CALL_BYTES: usize = 3 * 1024;
/// What a field of its head costs beside its name and value, as HTTP/2 counts it.
const FIELD_BYTES: usize = 32;
/// A stream that waits for a message of at most this size is not counted beyond what every stream is counted.
const SMALL_OF_STREAM: usize = 64 * 1024;
/// What comes before each message: whether it is compressed, and its length.
const PREFIX_BYTES: usize = 5;

/// Why there is no request.
const TOO_MUCH_COMING: Error =
    Error::Busy("requests that have not come whole take all the room that there is for them");
const TOO_MANY_STREAMS: Error = Error::Busy("as many streams of actions are open as this server allows");
const TOO_MANY_WAIT: Error = Error::Busy("too many calls wait until answers of this connection are read");

/// A request as the services read it.
pub struct RequestBody {
    /// What has come already.
    first: Option<Bytes>,
    /// An end that is none.
    error: Option<Status>,
    /// What is still to come.
    rest: Body,
    stream: Option<Incoming>,
}

impl RequestBody {
    /// A stream of requests, which is counted from now on.
    pub fn stream(rest: Body, call: &Call, peer: Option<&Peer>) -> Result<RequestBody, Error> {
        let stream = match peer {
            Some(peer) => Some(Incoming {
                _open: peer.action_streams.try_take(1).ok_or(TOO_MANY_STREAMS)?,
                call: call.clone(),
                peer: peer.clone(),
                messages: Messages::default(),
                large: None,
            }),
            None => None,
        };
        Ok(RequestBody { first: None, error: None, rest, stream })
    }

    fn poll_data(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        if let Some(error) = self.error.take() {
            return Poll::Ready(Some(Err(error)));
        }
        let Some(stream) = &mut self.stream else { return Pin::new(&mut self.rest).poll_frame(context) };
        loop {
            if let Some(error) = stream.is_over(context) {
                return Poll::Ready(Some(Err(error)));
            }
            match Pin::new(&mut self.rest).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => {
                        let ready = stream.pass(data);
                        if !ready.is_empty() {
                            return Poll::Ready(Some(Ok(Frame::data(ready))));
                        }
                    }
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                // What there is of a message that will not be whole: the reader says so.
                Poll::Ready(None) => return Poll::Ready(stream.rest().map(|rest| Ok(Frame::data(rest)))),
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
                Poll::Pending => return stream.poll_wait(context).map(|error| Some(Err(error))),
            }
        }
    }
}

impl http_body::Body for RequestBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        self.get_mut().poll_data(context)
    }

    fn is_end_stream(&self) -> bool {
        let is_part_there = self.stream.as_ref().is_some_and(|stream| stream.large.is_some());
        self.first.is_none() && self.error.is_none() && !is_part_there && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

/// A stream of requests.
struct Incoming {
    _open: Held,
    call: Call,
    peer: Peer,
    messages: Messages,
    /// A large message that has begun and is not whole.
    large: Option<Large>,
}

/// What has come of a large message.
struct Large {
    part: Arc<Mutex<Part>>,
    /// Drops it when its time is over, once it is waited for.
    deadline: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Part {
    bytes: BytesMut,
    /// The room for the whole of it.
    held: Option<Held>,
    /// Whether it did not come in time.
    over: bool,
    /// Who reads the stream.
    reader: Option<Waker>,
}

impl Large {
    fn begin(bytes: &[u8]) -> Large {
        let part = Part { bytes: BytesMut::from(bytes), ..Part::default() };
        Large { part: Arc::new(Mutex::new(part)), deadline: None }
    }
}

impl Drop for Large {
    fn drop(&mut self) {
        if let Some(deadline) = &self.deadline {
            deadline.abort();
        }
        // That task may hold it a little longer.
        *lock(&self.part) = Part::default();
    }
}

impl Incoming {
    /// Takes in what has come; returns what may be read of it: everything but a large message that is not whole.
    fn pass(&mut self, data: Bytes) -> Bytes {
        let Some(large) = &mut self.large else {
            let at = self.messages.pass(&data);
            if !self.messages.is_large() {
                return data;
            }
            // Read up to where it begins, if that is in these bytes.
            self.large = Some(Large::begin(&data[at..]));
            return data.slice(..at);
        };
        let message = self.messages.begun;
        let at = self.messages.pass(&data);
        let is_whole = self.messages.unfinished() == 0 || self.messages.begun != message;
        let mut part = lock(&large.part);
        if !is_whole {
            part.bytes.extend_from_slice(&data);
            return Bytes::new();
        }
        // Another large one may begin in the same bytes.
        let next = self.messages.is_large().then(|| Large::begin(&data[at..]));
        let end = if next.is_some() { at } else { data.len() };
        part.bytes.extend_from_slice(&data[..end]);
        let whole = std::mem::take(&mut part.bytes).freeze();
        drop(part);
        self.large = next;
        whole
    }

    /// Whether a large message was dropped.
    fn is_over(&self, context: &Context<'_>) -> Option<Status> {
        let mut part = lock(&self.large.as_ref()?.part);
        part.reader = Some(context.waker().clone());
        part.over.then(|| self.call.fail(&Error::Incomplete))
    }

    /// What there is of a large message when the stream has ended.
    fn rest(&mut self) -> Option<Bytes> {
        let large = self.large.take()?;
        let bytes = std::mem::take(&mut lock(&large.part).bytes);
        Some(bytes.freeze())
    }

    /// Nothing has come. Within a large message that is counted, and has an end.
    fn poll_wait(&mut self, context: &mut Context<'_>) -> Poll<Status> {
        let whole = self.messages.unfinished();
        let Some(large) = &mut self.large else { return Poll::Pending };
        let mut part = lock(&large.part);
        part.reader = Some(context.waker().clone());
        if part.held.is_none() {
            let Some(held) = self.peer.requests.try_take(whole) else {
                return Poll::Ready(self.call.fail(&TOO_MUCH_COMING));
            };
            part.held = Some(held);
        }
        drop(part);
        // The deadline is that of the message, not of its next piece.
        if large.deadline.is_none() {
            large.deadline = Some(tokio::spawn(drop_late(Arc::clone(&large.part), REQUEST_DEADLINE)));
        }
        Poll::Pending
    }
}

/// Drops what has come of a message that takes too long.
async fn drop_late(part: Arc<Mutex<Part>>, time: Duration) {
    tokio::time::sleep(time).await;
    let dropped = std::mem::replace(&mut *lock(&part), Part { over: true, ..Part::default() });
    if let Some(reader) = dropped.reader {
        reader.wake();
    }
}

/// Where messages begin and end in what comes.
#[derive(Default)]
struct Messages {
    prefix: [u8; PREFIX_BYTES],
    seen: usize,
    /// How many have begun.
    begun: u64,
    /// Of the message that has begun.
    length: usize,
    rest: usize,
}

impl Messages {
    /// Passes over bytes; returns where in them the newest message begins: at 0 if it has begun before.
    fn pass(&mut self, mut data: &[u8]) -> usize {
        let (all, mut begins) = (data.len(), 0);
        while !data.is_empty() {
            if self.rest > 0 {
                let passed = self.rest.min(data.len());
                self.rest -= passed;
                data = &data[passed..];
                continue;
            }
            if self.seen == 0 {
                begins = all - data.len();
            }
            let taken = (PREFIX_BYTES - self.seen).min(data.len());
            self.prefix[self.seen..self.seen + taken].copy_from_slice(&data[..taken]);
            self.seen += taken;
            data = &data[taken..];
            if self.seen == PREFIX_BYTES {
                let [_, length @ ..] = self.prefix;
                self.length = u32::from_be_bytes(length) as usize;
                (self.rest, self.seen) = (self.length, 0);
                self.begun += 1;
            }
        }
        begins
    }

    /// The size of the message that has begun and has not ended; 0 between messages. One that is too large is refused as
    /// soon as its size is known.
    fn unfinished(&self) -> usize {
        if self.rest == 0 { 0 } else { self.length.min(MAX_REQUEST_BYTES) }
    }

    /// Whether a message has begun and has not ended that is counted while it is waited for.
    fn is_large(&self) -> bool {
        self.rest > 0 && (SMALL_OF_STREAM + 1..=MAX_REQUEST_BYTES).contains(&self.length)
    }
}

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

#[cfg(test)]
mod tests {
    use super::super::tests::Arriving;
    use super::*;
    use crate::transport::Budgets;

    #[tokio::test]
    async fn a_large_message_of_a_stream_has_one_deadline_however_it_comes() {
        let peer = Budgets::new().connection(None);
        let call = Call::new(None, &http::Extensions::new());
        let arriving = Arriving::default();
        let mut body = RequestBody::stream(Body::new(arriving.clone()), &call, Some(&peer)).unwrap();
        let mut context = Context::from_waker(std::task::Waker::noop());
        let mut begin = vec![0];
        begin.extend(100_000_u32.to_be_bytes());
        arriving.push(begin);
        assert!(body.poll_data(&mut context).is_pending(), "it is handed on when it is whole");
        assert_eq!(peer.requests.held(), 100_000);
        let waits = |body: &RequestBody| body.stream.as_ref().unwrap().large.is_some();
        arriving.push(vec![7]);
        assert!(body.poll_data(&mut context).is_pending());
        assert!(waits(&body), "the deadline is that of the message");
        arriving.push(vec![7; 99_999]);
        assert_eq!(length(body.poll_data(&mut context)), PREFIX_BYTES + 100_000);
        assert!(!waits(&body), "it is whole");
        assert_eq!(peer.requests.held(), 0);
        // The end of one and the beginning of the next in one piece.
        let mut two = vec![0];
        two.extend(70_000_u32.to_be_bytes());
        arriving.push(two.clone());
        assert!(body.poll_data(&mut context).is_pending());
        arriving.push([vec![7; 70_000], two].concat());
        assert_eq!(length(body.poll_data(&mut context)), PREFIX_BYTES + 70_000);
        assert_eq!(peer.requests.held(), 0, "another message has its own");
        assert!(body.poll_data(&mut context).is_pending() && waits(&body));
        assert_eq!(peer.requests.held(), 70_000);
    }

    fn length(polled: Poll<Option<Result<Frame<Bytes>, Status>>>) -> usize {
        let Poll::Ready(Some(Ok(frame))) = polled else { panic!("nothing is ready") };
        frame.into_data().unwrap().len()
    }

    /// A reader whose answers nobody takes does not ask for more requests.
    #[tokio::test]
    async fn a_large_message_that_does_not_come_is_dropped_also_if_nobody_asks_for_it() {
        let peer = Budgets::new().connection(None);
        let call = Call::new(None, &http::Extensions::new());
        let arriving = Arriving::default();
        let mut body = RequestBody::stream(Body::new(arriving.clone()), &call, Some(&peer)).unwrap();
        let mut context = Context::from_waker(std::task::Waker::noop());
        let mut begin = vec![0];
        begin.extend(100_000_u32.to_be_bytes());
        begin.resize(90_000, 7);
        arriving.push(begin);
        assert!(body.poll_data(&mut context).is_pending());
        assert_eq!(peer.requests.held(), 100_000);
        let large = body.stream.as_ref().unwrap().large.as_ref().unwrap();
        assert!(large.deadline.is_some());
        drop_late(Arc::clone(&large.part), Duration::ZERO).await;
        assert_eq!(peer.requests.held(), 0);
        assert_eq!(lock(&large.part).bytes.capacity(), 0, "its bytes are gone too");
        let Poll::Ready(Some(Err(status))) = body.poll_data(&mut context) else { panic!("no end") };
        assert_eq!(status.code(), tonic::Code::DeadlineExceeded);
    }

    #[tokio::test]
    async fn a_stream_is_handed_on_unchanged_however_it_is_cut() {
        let framed = |length: u32| {
            let mut bytes = vec![0];
            bytes.extend(length.to_be_bytes());
            bytes.resize(PREFIX_BYTES + length as usize, length as u8);
            bytes
        };
        let large = SMALL_OF_STREAM as u32 + 1;
        let lengths = [3, large, 0, large + 7, large + 9, SMALL_OF_STREAM as u32, 1];
        let bytes = lengths.map(framed).concat();
        for piece in [1_021, 4_096, 16_384, 70_000, bytes.len()] {
            let peer = Budgets::new().connection(None);
            let call = Call::new(None, &http::Extensions::new());
            let arriving = Arriving::default();
            let mut body = RequestBody::stream(Body::new(arriving.clone()), &call, Some(&peer)).unwrap();
            let mut context = Context::from_waker(std::task::Waker::noop());
            let mut read = Vec::new();
            for piece in bytes.chunks(piece) {
                arriving.push(piece.to_vec());
                while let Poll::Ready(Some(Ok(frame))) = body.poll_data(&mut context) {
                    read.extend_from_slice(&frame.into_data().unwrap());
                }
            }
            assert!(read == bytes, "in pieces of {piece}");
            assert_eq!(peer.requests.held(), 0);
        }
    }

    #[test]
    fn messages_are_followed_through_any_pieces() {
        let framed = |length: u32| {
            let mut bytes = vec![0];
            bytes.extend(length.to_be_bytes());
            bytes.resize(PREFIX_BYTES + length as usize, 7);
            bytes
        };
        let bytes = [framed(0), framed(3), framed(70_000), framed(1)].concat();
        for piece in [1, 4, 5, 6, 1_000, bytes.len()] {
            let mut messages = Messages::default();
            for (at, piece) in bytes.chunks(piece).enumerate().map(|(at, data)| (at * piece + data.len(), data)) {
                messages.pass(piece);
                // Behind the prefix of the third one, and before its end.
                let inside = (18..70_018).contains(&at);
                assert_eq!(messages.unfinished() == 70_000, inside, "{at}");
            }
            assert_eq!(messages.unfinished(), 0);
        }
        let mut messages = Messages::default();
        messages.pass(&[0, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(messages.unfinished(), MAX_REQUEST_BYTES, "no more is ever waited for");
    }
}
