//! What can go wrong, the exit code each case has, and how it is reported: a sentence and what to do next for people, one
//! JSON object for programs.

use std::{fmt::Write as _, io};

use divelog_client::{CallError, ErrorDetails};
use divelog_text::ParseError;
use serde_json::{Value, json};
use thiserror::Error;

use crate::{args::Format, output, status, verify::FailedVerification};

/// The exit codes: an interface, documented in `divelog --help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// The server said no, or failed.
    Refused = 1,
    /// The arguments or the input make no sense.
    Usage = 2,
    /// No connection, or no answer in time.
    Unreachable = 3,
    /// A log does not verify.
    Unverified = 4,
}

/// Every way in which a command ends without success.
#[derive(Debug, Error)]
pub enum CliError {
    /// An argument that clap could not check alone.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do instead; may be empty.
        hint: String,
    },
    /// The connection could not be made.
    #[error("cannot reach the server at {server}: {cause}")]
    Unreachable {
        /// The address tried.
        server: String,
        /// Why it failed.
        cause: String,
    },
    /// The server is there but does not answer.
    #[error("no answer from {server} within {seconds} s")]
    Timeout {
        /// The address.
        server: String,
        /// How long the client waited.
        seconds: u64,
    },
    /// The server answered with an error.
    #[error("{}", .0.message)]
    Status(Box<ErrorDetails>),
    /// The server broke the protocol's promises.
    #[error("the server's answer makes no sense: {0}")]
    Protocol(String),
    /// A log does not verify.
    #[error("verification failed at {0}")]
    Unverified(FailedVerification),
    /// Other evidence does not verify: a bundle, a checkpoint, or some of many games.
    #[error("{message}")]
    Disproved {
        /// What is wrong.
        message: String,
        /// What to do next.
        hint: String,
    },
    /// Something is missing from this build.
    #[error("{0}")]
    Unsupported(String),
    /// A file or a stream of this process failed.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
}

impl From<ParseError> for CliError {
    fn from(error: ParseError) -> Self {
        match error {
            ParseError::Words { message, hint } => Self::Usage { message, hint },
            ParseError::UnknownKind => Self::Unsupported(
                "this client does not know this kind of game; a newer divelog does, and -o json still works".into(),
            ),
        }
    }
}

impl From<CallError> for CliError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Address(error) => {
                Self::usage_with(error.to_string(), "--server takes an address such as 127.0.0.1:7646")
            }
            CallError::Unreachable { server, cause } => Self::Unreachable { server, cause },
            CallError::NoAnswer { server, waited } => Self::Timeout { server, seconds: waited.as_secs() },
            CallError::Status(refused) => Self::Status(refused),
        }
    }
}

impl CliError {
    /// A usage error without a hint.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::usage_with(message, "")
    }

    /// A usage error that says what to do instead.
    pub fn usage_with(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: hint.into() }
    }

    /// An I/O error with what was tried.
    pub fn io(what: impl Into<String>, source: io::Error) -> Self {
        Self::Io { what: what.into(), source }
    }

    /// Evidence that does not hold.
    pub fn disproved(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Disproved { message: message.into(), hint: hint.into() }
    }

    /// The exit code of this error.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } => Exit::Usage,
            Self::Unreachable { .. } | Self::Timeout { .. } => Exit::Unreachable,
            Self::Status(refused) => status::exit(refused),
            Self::Unverified(_) | Self::Disproved { .. } => Exit::Unverified,
            Self::Protocol(_) | Self::Unsupported(_) => Exit::Refused,
            // `divelog ... | head` does what was asked and is no failure.
            Self::Io { .. } if self.is_broken_pipe() => Exit::Done,
            Self::Io { .. } => Exit::Usage,
        }
    }

    /// Prints the error on stderr, in the output format.
    pub fn report(&self, format: Format) {
        if self.is_broken_pipe() {
            return;
        }
        match format {
            Format::Table => output::note(&self.text()),
            Format::Json | Format::Jsonl => output::note(&self.json().to_string()),
        }
    }

    fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }

    /// What to do next; empty when there is nothing to say.
    fn hint(&self) -> String {
        match self {
            Self::Usage { hint, .. } | Self::Disproved { hint, .. } => hint.clone(),
            Self::Unreachable { .. } => {
                "is divelogd running there? Choose another address with --server or DIVELOG_SERVER".into()
            }
            Self::Timeout { .. } => {
                "the call may still have been carried out; repeat it with the same --request-id, or wait longer with --timeout"
                    .into()
            }
            Self::Status(refused) => status::hint(refused),
            Self::Unverified(verdict) => verdict.hint().into(),
            Self::Protocol(_) => {
                "client and server may be of different versions; compare `divelog --version` and `divelogd --version`"
                    .into()
            }
            Self::Unsupported(_) | Self::Io { .. } => String::new(),
        }
    }

    fn text(&self) -> String {
        let mut text = match self {
            Self::Status(refused) => status::text(refused),
            other => format!("error: {}", output::clean(&other.to_string())),
        };
        let hint = self.hint();
        if !hint.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{}", output::clean(&hint));
        }
        text
    }

    /// The error for programs.
    pub fn json(&self) -> Value {
        let (code, reason) = match self {
            Self::Usage { .. } => ("INVALID_ARGUMENT", "USAGE"),
            Self::Unreachable { .. } => ("UNAVAILABLE", "UNREACHABLE"),
            Self::Timeout { .. } => ("DEADLINE_EXCEEDED", "NO_ANSWER"),
            Self::Status(refused) => return status_json(refused),
            Self::Unverified(verdict) => ("DATA_LOSS", verdict.name()),
            Self::Disproved { .. } => ("DATA_LOSS", "DISPROVED"),
            Self::Protocol(_) => ("INTERNAL", "PROTOCOL"),
            Self::Unsupported(_) => ("UNIMPLEMENTED", "UNSUPPORTED"),
            Self::Io { .. } => ("INVALID_ARGUMENT", "IO"),
        };
        json!({
            "code": code,
            "reason": reason,
            "rule": null,
            "message": self.to_string(),
            "revision": null,
            "legal_actions": [],
        })
    }
}

fn status_json(refused: &ErrorDetails) -> Value {
    let legal: Vec<Value> =
        status::legal_actions(refused).iter().filter_map(|action| output::json::to_value(action).ok()).collect();
    json!({
        "code": refused.code_name(),
        "reason": refused.reason,
        "rule": refused.rule,
        "message": refused.message,
        "revision": refused.revision,
        "legal_actions": legal,
    })
}

/// The actions of a list in words, for a sentence.
pub fn in_words(legal: &[divelog_proto::v1::LegalAction]) -> String {
    let words: Vec<String> = legal.iter().map(divelog_text::legal_words).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic::Code;

    #[test]
    fn each_error_has_its_exit_code() {
        let refused = |code| CliError::Status(Box::new(ErrorDetails::new(code, "no")));
        let cases = [
            (CliError::usage("x"), Exit::Usage),
            (CliError::Unreachable { server: "s".into(), cause: "c".into() }, Exit::Unreachable),
            (CliError::Timeout { server: "s".into(), seconds: 1 }, Exit::Unreachable),
            (refused(Code::FailedPrecondition), Exit::Refused),
            (refused(Code::Unavailable), Exit::Unreachable),
            (refused(Code::DataLoss), Exit::Unverified),
            (CliError::Unverified(FailedVerification::default()), Exit::Unverified),
            (CliError::disproved("m", "h"), Exit::Unverified),
            (CliError::Protocol("x".into()), Exit::Refused),
            (CliError::io("cannot write", io::Error::from(io::ErrorKind::BrokenPipe)), Exit::Done),
            (CliError::io("cannot read", io::Error::from(io::ErrorKind::NotFound)), Exit::Usage),
        ];
        for (error, exit) in cases {
            assert_eq!(error.exit(), exit, "{error}");
        }
    }

    #[test]
    fn text_says_what_to_do_next() {
        let error = CliError::Unreachable { server: "http://x".into(), cause: "refused".into() };
        assert_eq!(
            error.text(),
            "error: cannot reach the server at http://x: refused\n\
             is divelogd running there? Choose another address with --server or DIVELOG_SERVER"
        );
    }

    #[test]
    fn json_has_the_same_fields_for_local_errors() {
        let value = CliError::usage("bad word").json();
        assert_eq!(value["code"], "INVALID_ARGUMENT");
        assert_eq!(value["message"], "bad word");
        assert_eq!(value["legal_actions"], json!([]));
        assert!(value["revision"].is_null());
    }
}
