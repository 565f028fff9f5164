//! The canonical bytes of states and events, over which the log takes its digests.
//!
//! One value has one encoding: integers big-endian in a fixed width, sequences with their length before them, options and
//! choices with a tag byte. `docs/log-format.md` lists the fields of each game. Changing an encoding changes digests, so
//! it is a new rules version.

use alloc::vec::Vec;

/// Receives canonical bytes.
pub trait Sink {
    /// Takes the next bytes.
    fn put(&mut self, bytes: &[u8]);

    /// One byte.
    fn u8(&mut self, value: u8) {
        self.put(&[value]);
    }

    /// A flag as 0 or 1.
    fn bool(&mut self, value: bool) {
        self.put(&[u8::from(value)]);
    }

    /// Two bytes.
    fn u16(&mut self, value: u16) {
        self.put(&value.to_be_bytes());
    }

    /// Four bytes.
    fn u32(&mut self, value: u32) {
        self.put(&value.to_be_bytes());
    }

    /// Eight bytes.
    fn u64(&mut self, value: u64) {
        self.put(&value.to_be_bytes());
    }

    /// Four bytes, two's complement.
    fn i32(&mut self, value: i32) {
        self.put(&value.to_be_bytes());
    }

    /// A sequence's length, in two bytes, before its items.
    fn len(&mut self, length: usize) {
        self.u16(u16::try_from(length).expect("no sequence in any game has 65,536 items"));
    }
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// A value with exactly one encoding.
pub trait Canonical {
    /// Writes the canonical bytes.
    fn encode<S: Sink>(&self, sink: &mut S);

    /// The canonical bytes as a vector.
    fn canonical_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.encode(&mut bytes);
        bytes
    }
}

impl<T: Canonical> Canonical for [T] {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.len(self.len());
        for item in self {
            item.encode(sink);
        }
    }
}

#[cfg(test)]
pub(crate) mod pinned {
    //! How the games' tests write the bytes that may never change.

    use alloc::string::String;

    use super::Canonical;

    pub fn hex(value: &impl Canonical) -> String {
        hex::encode(value.canonical_bytes())
    }

    /// Spaces part the fields for the reader.
    pub fn unspaced(text: &str) -> String {
        text.split_whitespace().collect()
    }
}
