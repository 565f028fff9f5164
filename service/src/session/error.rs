//! Everything that can be answered instead of what was asked. `api/errors.rs` gives each its gRPC code.

use std::sync::Arc;

use divelog_engine::{AnyOffer, SeatSet, Violation};
use divelog_ledger::{FaultKind, GameId, LogFault, Revision, Sequence};

use crate::store::StoreError;

/// How long a request may take to come, once it has begun.
pub const REQUEST_SECONDS: u64 = 10;

/// Why a request was not done.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The rules refuse the action.
    #[error("{}", .0.violation)]
    Refused(Box<Refused>),
    /// The caller decided on another revision.
    #[error("the game is at revision {actual}, not {expected}: look at it and decide again")]
    Stale { expected: Revision, actual: Revision },
    /// The caller has seen a revision that does not exist.
    #[error("the game is at revision {actual} and has no revision {given}")]
    Ahead { given: Revision, actual: Revision },
    /// A field that cannot be read or is out of bounds.
    #[error("{field}: {description}")]
    Invalid { field: &'static str, description: String },
    /// The luck of a record that is not written yet.
    #[error("record {sequence} is not written yet (the game has {revision} records), and luck to come is never shown")]
    DrawToCome { sequence: Sequence, revision: Revision },
    /// A fork that does not have its source's whole past yet.
    #[error(
        "the fork has {revision} of the {wanted} records of its past: repeat ForkGame with the same request id to complete it"
    )]
    ForkIncomplete { revision: Revision, wanted: Revision },
    /// A fork that was abandoned before it had its source's whole past.
    #[error(
        "the fork was abandoned when it had {revision} of the {wanted} records of its past: fork again with a new request id"
    )]
    ForkAbandoned { revision: Revision, wanted: Revision },
    /// The game has no leaf there yet.
    #[error(
        "game {game} has no leaf at or after revision {revision} in the transparency log yet: a game enters it when it \
         begins, every {interval} records and when it is over; `divelog log checkpoint --seal` seals what is on disk",
        interval = divelog_ledger::tlog::LEAF_INTERVAL
    )]
    NoLeaf { game: GameId, revision: Revision },
    /// A tree that is larger than the newest checkpoint's.
    #[error("the newest checkpoint covers {size} leaves, not {given}")]
    TreeSizeAhead { given: u64, size: u64 },
    /// The transparency log does not agree with itself: nothing is signed.
    #[error("{0}")]
    LogBroken(Arc<str>),
    /// The transparency log cannot be written now.
    #[error("{0}")]
    SealingFailed(Arc<str>),
    /// The transparency log is still being built.
    #[error("the transparency log is still being built from the store: try again later")]
    LogNotReady,
    /// No such game.
    #[error("there is no game {0}")]
    NotFound(GameId),
    /// The request id was used for something else.
    #[error("request id {0:?} was used for another request: choose a new one")]
    RequestIdReused(String),
    /// More is waiting than the server takes.
    #[error("{0}: try again in a moment")]
    Busy(&'static str),
    /// The rest of a request has not come.
    #[error("the request did not come whole within {REQUEST_SECONDS} seconds of its beginning")]
    Incomplete,
    /// The time that the caller gave the call was over before it began.
    #[error("the call's deadline had passed before it began, and nothing was done: give it more time")]
    DeadlinePassed,
    /// The time that the caller gave the call is over. It may go on.
    #[error(
        "the call was not answered before its deadline, and may or may not have been done: repeat it with the same request \
         id and more time"
    )]
    DeadlineExceeded,
    /// The game has gone on without the copy that this was judged by. Nothing was done.
    #[error("game {0} has changed meanwhile, and nothing was done: try again")]
    Conflict(GameId),
    /// The store has failed. What was asked may or may not be on disk. Callers do not get the cause, which names files of
    /// the server; the server's log does.
    #[error(
        "the store has failed and takes no more records until the server is restarted: repeat the request with the same \
         request id then"
    )]
    StoreFailed(Arc<StoreError>),
    /// A message that is not what the method takes.
    #[error("{which} cannot be read: {detail}. It must be the protobuf message that the method's proto names")]
    Unreadable { which: Which, detail: String },
    /// A message with more bytes than are taken.
    #[error("{which} has {bytes} bytes, and at most {most} are taken")]
    TooLarge { which: Which, bytes: u64, most: u64 },
    /// A game whose evidence is too large for one answer.
    #[error(
        "the bundle of game {game} has at least {bytes} bytes, and at most {most} go into one answer: read its log by ReadLog"
    )]
    BundleTooLarge { game: GameId, bytes: usize, most: usize },
    /// A promise that this run of the server has not made.
    #[error("game {0} was not prepared with this commitment by this run of the server: prepare a game again")]
    NotPrepared(GameId),
    /// A promise that was kept already.
    #[error("the prepared game {0} is created already: each promise is good for one game")]
    AlreadyPrepared(GameId),
    /// The server is going down.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// The game's log cannot be read back as it was written.
    #[error("the log of game {game} is damaged at {}: {detail}", At(*.sequence))]
    Damaged { game: GameId, sequence: Option<Sequence>, kind: Option<FaultKind>, detail: String },
}

/// A refusal with what the caller needs to do better.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The rule that was broken.
    pub violation: Violation,
    /// The revision at which the action was judged.
    pub revision: Revision,
    /// Who is asked instead.
    pub to_act: SeatSet,
    /// What the seat could do.
    pub legal: Vec<AnyOffer>,
}

/// Which message of a call is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The only one.
    Request,
    /// One of a stream, by its number: the first is 1.
    Message(u64),
}

impl std::fmt::Display for Which {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Which::Request => f.write_str("the request"),
            Which::Message(number) => write!(f, "message {number} of the stream"),
        }
    }
}

struct At(Option<Sequence>);

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(sequence) => write!(f, "record {sequence}"),
            None => write!(f, "an unknown place"),
        }
    }
}

impl Error {
    /// A fault found while replaying a game.
    pub fn fault(game: GameId, fault: LogFault) -> Error {
        Error::Damaged { game, sequence: Some(fault.sequence), kind: Some(fault.kind), detail: fault.message }
    }

    /// An error of the store while it read something.
    pub fn reading(error: StoreError) -> Error {
        match error {
            StoreError::Damaged { game, sequence, block, detail } => {
                Error::Damaged { game, sequence, kind: None, detail: format!("{detail} (block {block})") }
            }
            StoreError::IndexDamaged { game, detail } => {
                Error::Damaged { game, sequence: None, kind: None, detail: format!("its index entry: {detail}") }
            }
            other => Error::StoreFailed(Arc::new(other)),
        }
    }

    /// A field that is not as it must be.
    pub fn invalid(field: &'static str, description: impl Into<String>) -> Error {
        Error::Invalid { field, description: description.into() }
    }
}
