//! How a call fails.

use std::{error::Error, time::Duration};

use thiserror::Error;
use tonic::{Code, Status};

use crate::{Endpoint, EndpointError, ErrorDetails, retry};

/// Every way in which a call fails.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CallError {
    /// The address is not one.
    #[error(transparent)]
    Address(#[from] EndpointError),
    /// The connection could not be made.
    #[error("cannot connect to {server}: {cause}")]
    Unreachable {
        /// The address tried.
        server: String,
        /// Why it failed.
        cause: String,
    },
    /// The server is there and does not answer.
    #[error("no answer from {server} within {} s", waited.as_secs())]
    NoAnswer {
        /// The address.
        server: String,
        /// How long the client waited.
        waited: Duration,
    },
    /// The server, or the connection to it, answered with an error.
    #[error(transparent)]
    Status(Box<ErrorDetails>),
}

impl CallError {
    /// Whether the same call may succeed later: for programs that go on beyond the timeout and the tries of one call. What
    /// writes must have a request id.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Address(_) => false,
            Self::Unreachable { .. } | Self::NoAnswer { .. } => true,
            Self::Status(details) => details.code == Code::DeadlineExceeded || retry::is_transient(details),
        }
    }

    pub(crate) fn unreachable(server: &Endpoint, error: &tonic::transport::Error) -> Self {
        Self::Unreachable { server: server.to_string(), cause: root_cause(error) }
    }
}

impl From<Status> for CallError {
    fn from(status: Status) -> Self {
        Self::Status(Box::new(ErrorDetails::of(&status)))
    }
}

/// The innermost error: the outer ones say no more than "transport error".
fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_asked_again_later() {
        let server = || "127.0.0.1:1".to_owned();
        let status = |code| CallError::Status(Box::new(ErrorDetails::new(code, "")));
        let cases = [
            (CallError::Unreachable { server: server(), cause: "refused".into() }, true),
            (CallError::NoAnswer { server: server(), waited: Duration::from_secs(1) }, true),
            (status(Code::Unavailable), true),
            (status(Code::DeadlineExceeded), true),
            (status(Code::FailedPrecondition), false),
            (status(Code::DataLoss), false),
        ];
        for (error, passes) in cases {
            assert_eq!(error.is_passing(), passes, "{error:?}");
        }
    }
}
