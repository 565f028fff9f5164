//! Requests on their way in.
//!
//! | module | what it is for |
//! |---|---|
//! | `reading` | a call with one request, which begins when the request is there |
//! | `incoming` | a stream of requests, and its large messages |
//! | `messages` | where messages begin and end in what comes |

mod incoming;
mod messages;
mod reading;
#[cfg(test)]
mod tests;

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;

use self::incoming::Incoming;
pub use self::reading::Reading;
use crate::api::call::Call;
use crate::session::{Error, REQUEST_SECONDS};
use crate::transport::Peer;

/// How long a request may take to come, and may then wait for room for its answer.
pub(super) const REQUEST_DEADLINE: Duration = Duration::from_secs(REQUEST_SECONDS);
/// What comes before each message: whether it is compressed, and its length.
const PREFIX_BYTES: usize = 5;

/// Why there is no request.
const TOO_MUCH_COMING: Error =
    Error::Busy("requests that have not come whole take all the room that there is for them");

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
            Some(peer) => Some(Incoming::new(call, peer)?),
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
        let is_part_there = self.stream.as_ref().is_some_and(Incoming::holds_part);
        self.first.is_none() && self.error.is_none() && !is_part_there && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
