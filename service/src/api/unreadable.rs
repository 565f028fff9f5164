//! Requests that cannot be read. The transport judges them before any handler sees them, with codes and sentences of its
//! own; callers get ours.

use http::Response;
use tonic::{Code, Status};

use super::door::code_of;
use super::errors;
use crate::session::{Error, Which};

/// How the transport's sentences about messages that it cannot read begin. Whatever else it says under the same codes stays
/// as it is. A test sends a message of each kind, so a version that says it in other words is noticed.
const UNREADABLE: [&str; 5] = [
    "failed to decode Protobuf message",
    "protocol error: received message with",
    "Missing request message",
    "Unexpected EOF decoding stream",
    "Error decompressing",
];
const TOO_LARGE: &str = "Error, decoded message length too large: found ";

/// What a status of the transport says of a message, if it says that the message cannot be read.
pub(super) fn cause(status: &Status, which: Which) -> Option<Error> {
    let message = status.message();
    match status.code() {
        Code::OutOfRange => {
            let mut numbers = message.strip_prefix(TOO_LARGE)?.split(' ').filter_map(|word| word.parse().ok());
            let (bytes, most) = (numbers.next()?, numbers.next()?);
            Some(Error::TooLarge { which, bytes, most })
        }
        Code::Internal if UNREADABLE.iter().any(|begins| message.starts_with(begins)) => {
            Some(Error::Unreadable { which, detail: message.trim_end_matches('.').to_owned() })
        }
        _ => None,
    }
}

/// The answer to a call, in our words if the transport could not read the request.
pub(super) fn with_reason<B>(mut response: Response<B>) -> Response<B> {
    // Such an answer has no messages. Everything that works comes this way too, so the code is looked at first.
    if !matches!(code_of(response.headers()), Some(Code::Internal | Code::OutOfRange)) {
        return response;
    }
    let status = Status::from_header_map(response.headers()).filter(|status| status.details().is_empty());
    if let Some(error) = status.and_then(|status| cause(&status, Which::Request)) {
        // Replaces code and sentence.
        drop(errors::status(&error).add_header(response.headers_mut()));
    }
    response
}
