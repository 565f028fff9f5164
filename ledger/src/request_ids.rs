//! Checks that a log holds no request id twice.

use std::collections::HashSet;

use bytes::Bytes;
use divelog_proto::v1 as pb;

use crate::{LogFault, Sequence};

/// The request ids of a log so far. Each belongs to one record: a second record with the same id would mean
/// that a request was carried out twice.
#[derive(Clone, Debug, Default)]
pub struct RequestIds(HashSet<String>);

impl RequestIds {
    /// Notes a record's id; refuses one that an earlier record has. Any number of records may have none.
    pub fn note(&mut self, record: &pb::Record, bytes: &Bytes) -> Result<(), LogFault> {
        if record.request_id.is_empty() || self.0.insert(record.request_id.clone()) {
            return Ok(());
        }
        let message = format!("an earlier record has the request id {:?} too", record.request_id);
        Err(LogFault::malformed(Sequence::new(record.sequence), message).in_field("request_id", bytes))
    }
}
