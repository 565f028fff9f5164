//! What can go wrong, the exit code each case has, and how it is reported: a sentence and what to do next for people, one
//! JSON object for programs.
//!
//! Where two things go wrong, the worse one decides ([`worst`]): a verdict on evidence wins over everything that happened
//! while it was fetched or printed.

use std::{fmt::Write as _, io};

use divelog_client::{CallError, ErrorDetails};
use divelog_text::ParseError;
use serde_json::{Value, json};
use thiserror::Error;

pub use crate::exit::Exit;
use crate::{args::Format, interrupt::Interruption, output, repeat::Repeat, status, verify::FailedVerification};

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
    /// A file or a stream that was to be read failed, or this process.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
    /// Standard output or a file did not take the answer.
    #[error("{what}: {source}")]
    Unwritten {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: io::Error,
        /// What was done nevertheless; may be empty.
        done: String,
    },
    /// A write that may or may not have been done, or that is worth another try.
    #[error("{error}")]
    Repeatable {
        /// Why there is no answer.
        error: Box<CliError>,
        /// What asks for the same thing once more.
        repeat: Repeat,
    },
    /// The user, or whoever has started the program, has ended it.
    #[error("interrupted by {}", .0.name())]
    Interrupted(Interruption),
    /// Two things went wrong.
    #[error("{worse}")]
    Both {
        /// What decides.
        worse: Box<CliError>,
        /// What happened beside it.
        other: Box<CliError>,
    },
}

/// The worse of two outcomes, with the other one beside it.
pub fn worst(first: Result<(), CliError>, second: Result<(), CliError>) -> Result<(), CliError> {
    let (first, second) = match (first, second) {
        (Ok(()), outcome) | (outcome, Ok(())) => return outcome,
        (Err(first), Err(second)) => (first, second),
    };
    let (worse, other) = if second.severity() > first.severity() { (second, first) } else { (first, second) };
    // That nobody reads the output says nothing.
    if other.is_broken_pipe() {
        return Err(worse);
    }
    Err(CliError::Both { worse: worse.into(), other: other.into() })
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

    /// An answer that could not be written.
    pub fn unwritten(what: impl Into<String>, source: io::Error) -> Self {
        Self::Unwritten { what: what.into(), source, done: String::new() }
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
            Self::Io { .. } => Exit::Usage,
            // `divelog ... | head` does what was asked and is no failure.
            Self::Unwritten { .. } if self.is_broken_pipe() => Exit::Done,
            Self::Unwritten { .. } => Exit::Unwritten,
            Self::Repeatable { error, .. } => error.exit(),
            // The process ends by the signal, and not by an exit code.
            Self::Interrupted(_) => Exit::Unreachable,
            Self::Both { worse, .. } => worse.exit(),
        }
    }

    /// The signal that has ended the command, if nothing worse has.
    pub fn interruption(&self) -> Option<Interruption> {
        match self {
            Self::Interrupted(interruption) => Some(*interruption),
            Self::Both { worse, .. } => worse.interruption(),
            _ => None,
        }
    }

    /// Which of two errors decides: the higher one.
    fn severity(&self) -> u8 {
        match self.exit() {
            Exit::Unverified => 2,
            Exit::Refused | Exit::Usage | Exit::Unreachable => 1,
            Exit::Unwritten | Exit::Done => 0,
        }
    }

    /// Prints the error on stderr, in the output format.
    pub fn report(&self, format: Format) {
        if self.is_broken_pipe() {
            return;
        }
        match format {
            Format::Table | Format::Wide => output::note(&self.text()),
            Format::Json | Format::Jsonl => output::note(&output::json::safe(&self.json().to_string())),
        }
    }

    /// Whether the next call would meet the same error, whatever it asks for.
    pub fn is_of_the_server(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Timeout { .. } => true,
            Self::Status(refused) => status::is_of_the_server(refused),
            _ => false,
        }
    }

    /// Whether nobody reads the output any more.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Unwritten { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }

    /// What to do next; empty when there is nothing to say.
    fn hint(&self) -> String {
        match self {
            Self::Usage { hint, .. } | Self::Disproved { hint, .. } => hint.clone(),
            Self::Unreachable { .. } => {
                "is divelogd running there? Choose another address with --server or DIVELOG_SERVER".into()
            }
            Self::Timeout { .. } => "wait longer with --timeout".into(),
            Self::Status(refused) => status::hint(refused),
            Self::Unverified(verdict) => verdict.hint().into(),
            Self::Protocol(_) => {
                "client and server may be of different versions; compare `divelog --version` and `divelogd --version`"
                    .into()
            }
            Self::Unwritten { done, .. } if done.is_empty() => String::new(),
            Self::Unwritten { done, .. } => format!("this was done all the same: {done}"),
            Self::Repeatable { error, repeat } => {
                let hint = error.hint();
                let gap = if hint.is_empty() { "" } else { "\n" };
                format!("{hint}{gap}{}", repeat.sentence())
            }
            Self::Both { worse, .. } => worse.hint(),
            Self::Unsupported(_) | Self::Io { .. } | Self::Interrupted(_) => String::new(),
        }
    }

    fn headline(&self) -> String {
        match self {
            Self::Status(refused) => status::text(refused),
            Self::Repeatable { error, .. } => error.headline(),
            Self::Both { worse, other } => format!("{}\nbeside that: {}", worse.headline(), other.headline()),
            other => format!("error: {}", output::clean(&other.to_string())),
        }
    }

    fn text(&self) -> String {
        let mut text = self.headline();
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
            Self::Interrupted(_) => ("CANCELLED", "INTERRUPTED"),
            Self::Unwritten { .. } => ("INTERNAL", "NOT_WRITTEN"),
            Self::Repeatable { error, repeat } => {
                let mut value = error.json();
                value["request_id"] = repeat.request_id.as_str().into();
                value["repeat"] = repeat.command.as_str().into();
                return value;
            }
            Self::Both { worse, other } => {
                let mut value = worse.json();
                value["also"] = other.json();
                return value;
            }
        };
        let mut value = json!({
            "code": code,
            "reason": reason,
            "rule": null,
            "message": self.to_string(),
            "revision": null,
            "to_act": [],
            "legal_actions": [],
            "legal_actions_truncated": false,
        });
        if let Self::Unwritten { done, .. } = self {
            value["done"] = done.as_str().into();
        }
        value
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
        "to_act": refused.refusal.as_ref().map_or(&[][..], |refusal| &refusal.to_act),
        "legal_actions": legal,
        "legal_actions_truncated": refused.refusal.as_ref().is_some_and(|refusal| refusal.legal_actions_truncated),
    })
}

/// The actions of a list in words, for a sentence.
pub fn in_words(legal: &[divelog_proto::v1::LegalAction]) -> String {
    let words: Vec<String> = legal.iter().map(divelog_text::legal_words).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests;
