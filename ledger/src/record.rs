//! A record's bytes and digests.

use bytes::Bytes;
use divelog_engine::{AnyEvent, AnyGame, Canonical};
use divelog_proto::v1 as pb;
use prost::Message;
use sha2::{Digest, Sha256};

use crate::LogFault;

/// A SHA-256.
pub type Hash = [u8; 32];

/// A record's hash: the SHA-256 of its bytes as stored.
pub fn hash_record(record: &[u8]) -> Hash {
    Sha256::digest(record).into()
}

/// Room for the canonical bytes of most steps without growing.
const USUAL_EFFECTS: usize = 1024;

/// The digest of what a record caused: its events, then the state after it.
pub(crate) fn effects_digest(events: &[AnyEvent], state: &AnyGame) -> Hash {
    // Gathered first: hashing many small writes one by one costs more than the hash.
    let mut effects = Vec::with_capacity(USUAL_EFFECTS);
    events.encode(&mut effects);
    state.encode(&mut effects);
    Sha256::digest(&effects).into()
}

pub(crate) fn encode(record: &pb::Record) -> Bytes {
    record.encode_to_vec().into()
}

pub(crate) fn decode(sequence: u64, record: &Bytes) -> Result<pb::Record, LogFault> {
    pb::Record::decode(record.clone()).map_err(|error| {
        LogFault::malformed(sequence, format!("the bytes are not a record: {error}")).in_unreadable(record)
    })
}
