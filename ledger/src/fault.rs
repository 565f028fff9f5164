//! What can be wrong with a log.

use std::ops::Range;

use crate::{Sequence, wire};

/// The first thing in a log that does not agree.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("record {sequence}: {message}")]
pub struct LogFault {
    /// The bad record.
    pub sequence: Sequence,
    /// What kind of fault.
    pub kind: FaultKind,
    /// A sentence for people.
    pub message: String,
    /// The first field of the record that does not agree, by its name in `record.proto` and, within the body, its path
    /// (`move.action`). None if the fault is not one field's.
    pub field: Option<&'static str>,
    /// Where that field, tag and length included, or the unreadable part lies in the record's bytes. None if the record
    /// does not have the field.
    pub bytes: Option<Range<usize>>,
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
    pub(crate) fn malformed(sequence: Sequence, message: impl Into<String>) -> LogFault {
        LogFault::new(sequence, FaultKind::Malformed, message.into())
    }

    pub(crate) fn hash_differs(sequence: Sequence, message: impl Into<String>) -> LogFault {
        LogFault::new(sequence, FaultKind::HashDiffers, message.into())
    }

    pub(crate) fn replay_differs(sequence: Sequence, message: impl Into<String>) -> LogFault {
        LogFault::new(sequence, FaultKind::ReplayDiffers, message.into())
    }

    /// Names the field that is wrong, and finds it in the record's bytes.
    pub(crate) fn in_field(self, field: &'static str, record: &[u8]) -> LogFault {
        LogFault { field: Some(field), bytes: wire::find(record, field), ..self }
    }

    /// Names the part of the record's bytes that cannot be read.
    pub(crate) fn in_unreadable(self, record: &[u8]) -> LogFault {
        let (field, bytes) = wire::find_unreadable(record);
        LogFault { field, bytes: Some(bytes), ..self }
    }

    fn new(sequence: Sequence, kind: FaultKind, message: String) -> LogFault {
        LogFault { sequence, kind, message, field: None, bytes: None }
    }
}
