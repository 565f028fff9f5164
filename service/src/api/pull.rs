//! Server streams are pulled: a message is made when the reader of the stream has room for it. There is no task, no channel
//! and no thread that waits for a client.

use std::pin::Pin;

use futures_util::stream::unfold;
use tokio_stream::Stream;
use tonic::Status;

use super::call::Call;
use crate::session::Error;

/// Messages that are ready for a reader take no more than about this many bytes, give or take a message: as much as the
/// transport puts into one write.
pub const MAX_READY_BYTES: usize = 32 * 1024;

/// A stream of answers.
pub type Pulled<M> = Pin<Box<dyn Stream<Item = Result<M, Status>> + Send>>;

/// What a stream is pulled from: where it is, and what it needs to go on from there.
pub trait Cursor: Send + 'static {
    /// What comes of it.
    type Message;

    /// The next message, when there is one; none at the end. After an error nothing comes any more.
    fn next(&mut self) -> impl Future<Output = Result<Option<Self::Message>, Error>> + Send;
}

/// The stream of a cursor's messages. Whatever the cursor holds is given back with the last message, or when the caller
/// goes away.
pub fn pulled<C: Cursor>(call: Call, cursor: C) -> Pulled<C::Message> {
    // Boxed, because each message moves the state twice.
    let cursor = Box::new(cursor);
    Box::pin(unfold(Some((call, cursor)), async |state| {
        let (call, mut cursor) = state?;
        match cursor.next().await {
            Ok(Some(message)) => Some((Ok(message), Some((call, cursor)))),
            Ok(None) => None,
            Err(error) => Some((Err(call.fail(&error)), None)),
        }
    }))
}
