//! A stream of requests. It is counted as one from beginning to end, and beyond that whenever it waits for the rest of a large
//! message; that is put together here and not handed on before it is whole, and a task of its own drops it when its time is
//! over, because a stream whose answers are not read is not asked for anything.

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::task::JoinHandle;
use tonic::Status;

use super::messages::Messages;
use super::{REQUEST_DEADLINE, TOO_MUCH_COMING};
use crate::api::call::Call;
use crate::lock::lock;
use crate::session::Error;
use crate::transport::{Held, Peer};

const TOO_MANY_STREAMS: Error = Error::Busy("as many streams of actions are open as this server allows");

/// A stream of requests.
pub struct Incoming {
    _open: Held,
    call: Call,
    peer: Peer,
    messages: Messages,
    /// A large message that has begun and is not whole.
    pub(super) large: Option<Large>,
}

/// What has come of a large message.
pub(super) struct Large {
    pub(super) part: Arc<Mutex<Part>>,
    /// Drops it when its time is over, once it is waited for.
    pub(super) deadline: Option<JoinHandle<()>>,
}

#[derive(Default)]
pub(super) struct Part {
    pub(super) bytes: BytesMut,
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
    pub fn new(call: &Call, peer: &Peer) -> Result<Incoming, Error> {
        let open = peer.action_streams.try_take(1).ok_or(TOO_MANY_STREAMS)?;
        let (call, peer, messages) = (call.clone(), peer.clone(), Messages::default());
        Ok(Incoming { _open: open, call, peer, messages, large: None })
    }

    /// Whether a part of a large message is there.
    pub fn holds_part(&self) -> bool {
        self.large.is_some()
    }

    /// Takes in what has come; returns what may be read of it: everything but a large message that is not whole.
    pub fn pass(&mut self, data: Bytes) -> Bytes {
        let Some(large) = &mut self.large else {
            let at = self.messages.pass(&data);
            if !self.messages.is_large() {
                return data;
            }
            // Read up to where it begins, if that is in these bytes.
            self.large = Some(Large::begin(&data[at..]));
            return data.slice(..at);
        };
        let message = self.messages.begun();
        let at = self.messages.pass(&data);
        let is_whole = self.messages.unfinished() == 0 || self.messages.begun() != message;
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
    pub fn is_over(&self, context: &Context<'_>) -> Option<Status> {
        let mut part = lock(&self.large.as_ref()?.part);
        part.reader = Some(context.waker().clone());
        part.over.then(|| self.call.fail(&Error::Incomplete))
    }

    /// What there is of a large message when the stream has ended.
    pub fn rest(&mut self) -> Option<Bytes> {
        let large = self.large.take()?;
        let bytes = std::mem::take(&mut lock(&large.part).bytes);
        Some(bytes.freeze())
    }

    /// Nothing has come. Within a large message that is counted, and has an end.
    pub fn poll_wait(&mut self, context: &mut Context<'_>) -> Poll<Status> {
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
pub(super) async fn drop_late(part: Arc<Mutex<Part>>, time: Duration) {
    tokio::time::sleep(time).await;
    let dropped = std::mem::replace(&mut *lock(&part), Part { over: true, ..Part::default() });
    if let Some(reader) = dropped.reader {
        reader.wake();
    }
}
