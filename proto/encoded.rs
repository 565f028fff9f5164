//! Answers that are bytes already.
//!
//! A step of a game is shown to many: each distinct viewer's message is encoded once, off the thread that serves calls where
//! that can be, and what remains for each reader is to copy its bytes. On the wire nothing differs.

use std::marker::PhantomData;

use bytes::{Buf, BufMut, Bytes};
use prost::encoding::{DecodeContext, WireType, skip_field};
use prost::{DecodeError, Message};
use tonic::Status;
use tonic::codec::{BufferSettings, Codec, EncodeBuf, Encoder};
use tonic_prost::{ProstCodec, ProstDecoder, ProstEncoder};

/// What a stream's buffer for answers has before there is one. Tonic's own has 8 KiB, for as long as the stream lasts: that
/// is most of what a watch would take.
const FIRST_BYTES: usize = 64;
/// Answers that are ready together become one frame up to about this size.
const FRAME_BYTES: usize = 32 * 1024;

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

/// How a server reads requests and writes answers: as protobuf, like every client, in buffers that are no larger than what is
/// in them.
#[derive(Debug)]
pub struct ServerCodec<T, U>(PhantomData<fn() -> (T, U)>);

impl<T, U> Default for ServerCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> Codec for ServerCodec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ExactEncoder<T>;
    type Decoder = ProstDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ExactEncoder(ProstEncoder::new(BufferSettings::new(FIRST_BYTES, FRAME_BYTES)))
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<T, U>::raw_decoder(BufferSettings::default())
    }
}

/// Makes room for a message before it is written, so that the buffer has no more than is needed.
#[derive(Debug)]
pub struct ExactEncoder<T>(ProstEncoder<T>);

impl<T: Message> Encoder for ExactEncoder<T> {
    type Item = T;
    type Error = Status;

    fn encode(&mut self, item: T, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.reserve(item.encoded_len());
        self.0.encode(item, buffer)
    }

    fn buffer_settings(&self) -> BufferSettings {
        self.0.buffer_settings()
    }
}
