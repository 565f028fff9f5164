//! Answers on their way out, counted from the time they are made until the socket has taken them.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tonic::Code;

use super::{OpenCall, code_of};
use crate::transport::{Held, OpenOnConnection, Peer, Unread, WaitTicket};

/// What a piece of an answer costs beside its bytes, from here to the socket.
const PIECE_BYTES: usize = 512;

/// How an answer is counted.
pub(super) enum Counting {
    /// It is not: no connection is known, or nothing more is to come.
    Not,
    /// There is room for it.
    One { peer: Peer, held: Held },
    /// Each piece of it is made when there is room.
    Stream {
        peer: Peer,
        place: Option<WaitTicket>,
        /// Its own place among the streams of its kind, where they are limited.
        open: Option<Held>,
    },
}

type Polled<E> = Option<Result<Frame<Bytes>, E>>;

/// An answer on its way: one message, or a stream of them.
pub struct Answer<B: Body<Data = Bytes>> {
    /// None if there is only a status.
    body: Option<B>,
    /// Made, and not taken yet.
    ready: Option<Polled<B::Error>>,
    counting: Counting,
    /// A single answer, until h2 has it; then, like the pieces of a stream, by itself.
    _unread: Option<Unread>,
    _call: Option<OpenOnConnection>,
    /// None once it has ended.
    open: Option<OpenCall>,
}

impl<B: Body<Data = Bytes> + Unpin> Answer<B> {
    /// A single answer is made at once: in bytes it takes less than as a message, and it is known how many.
    pub(super) fn new(
        body: B,
        counting: Counting,
        call: Option<OpenOnConnection>,
        open: Option<OpenCall>,
        context: &mut Context<'_>,
    ) -> Answer<B> {
        let unread = match &counting {
            Counting::One { peer, .. } => Some(peer.progress.unread()),
            Counting::Not | Counting::Stream { .. } => None,
        };
        let mut answer = Answer { body: Some(body), ready: None, counting, _unread: unread, _call: call, open };
        if matches!(answer.counting, Counting::One { .. })
            && let Poll::Ready(polled) = answer.poll_body(context)
        {
            answer.ready = Some(polled);
        }
        answer
    }

    fn poll_body(&mut self, context: &mut Context<'_>) -> Poll<Polled<B::Error>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        if let Counting::Stream { peer, place, .. } = &mut self.counting {
            ready!(peer.streams.poll_room(place, context));
        }
        let Some(open) = &self.open else { return Pin::new(body).poll_frame(context) };
        let frame = ready!(open.scoped(|| Pin::new(body).poll_frame(context)));
        let (code, trailers) = match &frame {
            Some(Ok(frame)) if frame.is_data() => (None, None),
            Some(Ok(frame)) => (frame.trailers_ref().and_then(code_of), frame.trailers_ref()),
            Some(Err(_)) | None => (Some(Code::Unknown), None),
        };
        if let Some(code) = code
            && let Some(open) = self.open.take()
        {
            open.end(code, trailers);
        }
        Poll::Ready(frame.map(|frame| frame.map(|frame| frame.map_data(|data| self.counting.count(data)))))
    }
}

impl<B: Body<Data = Bytes>> Answer<B> {
    /// Only a status.
    pub(super) fn none() -> Answer<B> {
        Answer { body: None, ready: None, counting: Counting::Not, _unread: None, _call: None, open: None }
    }
}

impl Counting {
    fn count(&mut self, data: Bytes) -> Bytes {
        let bytes = data.len() + PIECE_BYTES;
        match std::mem::replace(self, Counting::Not) {
            Counting::Not => data,
            Counting::One { peer, mut held } => {
                held.correct(bytes);
                held.with(data, peer.progress.unread())
            }
            Counting::Stream { peer, place, open } => {
                let (held, unread) = (peer.streams.take(bytes), peer.progress.unread());
                *self = Counting::Stream { peer, place, open };
                held.with(data, unread)
            }
        }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Answer<B>
where
    B::Error: Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        match self.ready.take() {
            Some(polled) => Poll::Ready(polled),
            None => self.poll_body(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.ready.is_none() && self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
