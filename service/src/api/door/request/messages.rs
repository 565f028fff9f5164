//! Where messages begin and end in what comes.

use super::PREFIX_BYTES;
use crate::server::MAX_REQUEST_BYTES;

/// A stream that waits for a message of at most this size is not counted beyond what every stream is counted.
pub(super) const SMALL_OF_STREAM: usize = 64 * 1024;

/// What has been passed over.
#[derive(Default)]
pub struct Messages {
    prefix: [u8; PREFIX_BYTES],
    seen: usize,
    begun: u64,
    /// Of the message that has begun.
    length: usize,
    rest: usize,
}

impl Messages {
    /// How many have begun.
    pub fn begun(&self) -> u64 {
        self.begun
    }

    /// Passes over bytes; returns where in them the newest message begins: at 0 if it has begun before.
    pub fn pass(&mut self, mut data: &[u8]) -> usize {
        let (all, mut begins) = (data.len(), 0);
        while !data.is_empty() {
            if self.rest > 0 {
                let passed = self.rest.min(data.len());
                self.rest -= passed;
                data = &data[passed..];
                continue;
            }
            if self.seen == 0 {
                begins = all - data.len();
            }
            let taken = (PREFIX_BYTES - self.seen).min(data.len());
            self.prefix[self.seen..self.seen + taken].copy_from_slice(&data[..taken]);
            self.seen += taken;
            data = &data[taken..];
            if self.seen == PREFIX_BYTES {
                let [_, length @ ..] = self.prefix;
                self.length = u32::from_be_bytes(length) as usize;
                (self.rest, self.seen) = (self.length, 0);
                self.begun += 1;
            }
        }
        begins
    }

    /// The size of the message that has begun and has not ended; 0 between messages. One that is too large is refused as
    /// soon as its size is known.
    pub fn unfinished(&self) -> usize {
        if self.rest == 0 { 0 } else { self.length.min(MAX_REQUEST_BYTES) }
    }

    /// Whether a message has begun and has not ended that is counted while it is waited for.
    pub fn is_large(&self) -> bool {
        self.rest > 0 && (SMALL_OF_STREAM + 1..=MAX_REQUEST_BYTES).contains(&self.length)
    }
}
