//! A record's bytes and digests.

use bytes::Bytes;
use divelog_engine::{AnyEvent, AnyGame, Canonical, Sink};
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

/// Gathers canonical bytes into a digest; small writes are collected because hashing them one by one costs more.
struct Hasher {
    sha: Sha256,
    buffer: [u8; 512],
    filled: usize,
}

impl Sink for Hasher {
    fn put(&mut self, bytes: &[u8]) {
        if bytes.len() > self.buffer.len() - self.filled {
            self.sha.update(&self.buffer[..self.filled]);
            self.filled = 0;
            if bytes.len() > self.buffer.len() {
                self.sha.update(bytes);
                return;
            }
        }
        self.buffer[self.filled..self.filled + bytes.len()].copy_from_slice(bytes);
        self.filled += bytes.len();
    }
}

/// The digest of what a record caused: its events, then the state after it.
pub(crate) fn effects_digest(events: &[AnyEvent], state: &AnyGame) -> Hash {
    let mut hasher = Hasher { sha: Sha256::new(), buffer: [0; 512], filled: 0 };
    events.encode(&mut hasher);
    state.encode(&mut hasher);
    let filled = hasher.filled;
    hasher.sha.update(&hasher.buffer[..filled]);
    hasher.sha.finalize().into()
}

pub(crate) fn encode(record: &pb::Record) -> Bytes {
    record.encode_to_vec().into()
}

pub(crate) fn decode(sequence: u64, record: &Bytes) -> Result<pb::Record, LogFault> {
    pb::Record::decode(record.clone())
        .map_err(|error| LogFault::malformed(sequence, format!("the bytes are not a record: {error}")))
}
