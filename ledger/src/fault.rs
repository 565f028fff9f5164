//! What can be wrong with a log.

/// The first thing in a log that does not agree.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("record {sequence}: {message}")]
pub struct LogFault {
    /// The bad record, from 0.
    pub sequence: u64,
    /// What kind of fault.
    pub kind: FaultKind,
    /// A sentence for people.
    pub message: String,
}

/// The kinds of fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// The bytes are not a record, or not one that belongs here.
    Malformed,
    /// A hash, commitment or nonce does not fit: the log was altered.
    HashDiffers,
    /// The rules give something else than the record says: the log was made by other rules, or this build is wrong.
    ReplayDiffers,
}

impl LogFault {
    pub(crate) fn malformed(sequence: u64, message: impl Into<String>) -> LogFault {
        LogFault { sequence, kind: FaultKind::Malformed, message: message.into() }
    }

    pub(crate) fn hash_differs(sequence: u64, message: impl Into<String>) -> LogFault {
        LogFault { sequence, kind: FaultKind::HashDiffers, message: message.into() }
    }

    pub(crate) fn replay_differs(sequence: u64, message: impl Into<String>) -> LogFault {
        LogFault { sequence, kind: FaultKind::ReplayDiffers, message: message.into() }
    }
}
