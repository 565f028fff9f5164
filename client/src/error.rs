//! How a call ends without an answer.

use std::{error::Error, time::Duration};

use thiserror::Error;
use tonic::Status;

use crate::{Endpoint, EndpointError, ErrorDetails};

/// Every way in which a call ends without an answer.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CallError {
    /// The address is none.
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
        /// How long it was waited.
        waited: Duration,
    },
    /// The server, or the connection to it, answered with an error.
    #[error(transparent)]
    Status(Box<ErrorDetails>),
}

impl CallError {
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
