//! Answers that are bytes already.
//!
//! A step of a game is shown to many: each distinct viewer's message is encoded once, off the thread that serves calls where
//! that can be, and what remains for each reader is to copy its bytes. On the wire nothing differs.

use std::marker::PhantomData;

use bytes::{Buf, BufMut, Bytes};
use prost::encoding::{DecodeContext, WireType, skip_field};
use prost::{DecodeError, Message};

/// What `WatchGame` answers.
pub type WatchGameResponse = Encoded<crate::v1::WatchGameResponse>;
/// What `ReplayGame` answers.
pub type ReplayGameResponse = Encoded<crate::v1::ReplayGameResponse>;

/// The bytes of a message. Copies share them.
#[derive(Debug)]
pub struct Encoded<M> {
    bytes: Bytes,
    message: PhantomData<fn() -> M>,
}

impl<M: Message> Encoded<M> {
    /// Encodes a message.
    pub fn new(message: &M) -> Self {
        Self { bytes: message.encode_to_vec().into(), message: PhantomData }
    }
}

impl<M> Encoded<M> {
    /// How many bytes it has.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }
}

impl<M: Message + Default> Encoded<M> {
    /// The message again.
    pub fn decoded(&self) -> Result<M, DecodeError> {
        M::decode(self.bytes.clone())
    }
}

impl<M> Clone for Encoded<M> {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.clone(), message: PhantomData }
    }
}

impl<M> Default for Encoded<M> {
    fn default() -> Self {
        Self { bytes: Bytes::new(), message: PhantomData }
    }
}

impl<M: Message> From<M> for Encoded<M> {
    fn from(message: M) -> Self {
        Self::new(&message)
    }
}

impl<M> Message for Encoded<M>
where
    M: Send + Sync,
{
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        buffer.put_slice(&self.bytes);
    }

    fn encoded_len(&self) -> usize {
        self.bytes.len()
    }

    /// Servers do not read what they answer: nothing is kept.
    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buffer: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        skip_field(wire_type, tag, buffer, context)
    }

    fn clear(&mut self) {
        self.bytes = Bytes::new();
    }
}
