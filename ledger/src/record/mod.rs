//! A record's bytes and digests.

use bytes::{BufMut, Bytes};
use divelog_engine::{AnyEvent, AnyGame, Canonical};
use divelog_proto::v1 as pb;
use pb::record::Body;
use prost::Message;
use prost::encoding::{decode_varint, encode_varint, encoded_len_varint};

use crate::hash::sha256;
use crate::{LogFault, NONCE_BYTES, Sequence};

/// A SHA-256.
pub type Hash = [u8; 32];

/// A record's hash: the SHA-256 of its bytes as stored.
pub fn hash_record(record: &[u8]) -> Hash {
    sha256(record)
}

/// Room for the canonical bytes of most steps without growing.
pub(crate) const USUAL_EFFECTS: usize = 1024;

/// The canonical bytes of what a record caused: its events, then the state after it. Their SHA-256 is the effects digest.
pub(crate) fn effects(events: &[AnyEvent], state: &AnyGame) -> Vec<u8> {
    // Gathered first: hashing many small writes one by one costs more than the hash.
    let mut effects = Vec::with_capacity(USUAL_EFFECTS);
    state.encode_events(events, &mut effects);
    state.encode(&mut effects);
    effects
}

/// A record beside its body, borrowed from wherever its parts lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) game_id: &'a [u8; 16],
    pub(crate) sequence: Sequence,
    pub(crate) time_ms: u64,
    pub(crate) request_id: &'a str,
    pub(crate) effects_digest: &'a Hash,
    pub(crate) next_chance_commitment: &'a Hash,
    pub(crate) nonce: &'a [u8; NONCE_BYTES],
    /// None in record 0.
    pub(crate) previous_hash: Option<&'a Hash>,
}

/// A move as it is usually written, its action not yet decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PlainRecord<'a> {
    pub(crate) frame: Frame<'a>,
    pub(crate) seat: u32,
    pub(crate) action: &'a [u8],
}

/// Tags as `record.proto` numbers them, with their wire types.
mod tag {
    pub(super) const GAME_ID: u8 = 1 << 3 | 2;
    pub(super) const SEQUENCE: u8 = 2 << 3;
    pub(super) const TIME_MS: u8 = 3 << 3;
    pub(super) const REQUEST_ID: u8 = 4 << 3 | 2;
    pub(super) const MOVE: u8 = 6 << 3 | 2;
    pub(super) const MOVE_SEAT: u8 = 1 << 3;
    pub(super) const MOVE_ACTION: u8 = 2 << 3 | 2;
    pub(super) const EFFECTS_DIGEST: u8 = 8 << 3 | 2;
    pub(super) const NEXT_CHANCE_COMMITMENT: u8 = 9 << 3 | 2;
    pub(super) const NONCE: u8 = 10 << 3 | 2;
    pub(super) const PREVIOUS_HASH: u8 = 11 << 3 | 2;
}

/// A record's bytes: what `pb::Record::encode` gives, without the many small buffers of that message.
pub(crate) fn encode(frame: &Frame<'_>, body: &Body) -> Bytes {
    let number = |value: u64| if value == 0 { 0 } else { 1 + encoded_len_varint(value) };
    let text = |length: usize| if length == 0 { 0 } else { 1 + encoded_len_varint(length as u64) + length };
    let hashes = if frame.previous_hash.is_some() { 3 } else { 2 };
    let length = text(16)
        + number(frame.sequence.get())
        + number(frame.time_ms)
        + text(frame.request_id.len())
        + body.encoded_len()
        + hashes * text(32)
        + text(NONCE_BYTES);
    let mut record = Vec::with_capacity(length);
    put_bytes(&mut record, tag::GAME_ID, frame.game_id);
    put_number(&mut record, tag::SEQUENCE, frame.sequence.get());
    put_number(&mut record, tag::TIME_MS, frame.time_ms);
    put_bytes(&mut record, tag::REQUEST_ID, frame.request_id.as_bytes());
    body.encode(&mut record);
    put_bytes(&mut record, tag::EFFECTS_DIGEST, frame.effects_digest);
    put_bytes(&mut record, tag::NEXT_CHANCE_COMMITMENT, frame.next_chance_commitment);
    put_bytes(&mut record, tag::NONCE, frame.nonce);
    put_bytes(&mut record, tag::PREVIOUS_HASH, frame.previous_hash.map_or(&[], |hash| &hash[..]));
    debug_assert_eq!(record.len(), length, "the room was measured");
    record.into()
}

/// A number field; proto3 leaves zeros out.
fn put_number(record: &mut Vec<u8>, tag: u8, value: u64) {
    if value != 0 {
        record.put_u8(tag);
        encode_varint(value, record);
    }
}

/// A field of bytes or text; proto3 leaves empty ones out.
fn put_bytes(record: &mut Vec<u8>, tag: u8, value: &[u8]) {
    if !value.is_empty() {
        record.put_u8(tag);
        encode_varint(value.len() as u64, record);
        record.put_slice(value);
    }
}

pub(crate) fn decode(sequence: Sequence, record: &Bytes) -> Result<pb::Record, LogFault> {
    pb::Record::decode(record.clone()).map_err(|error| {
        LogFault::malformed(sequence, format!("the bytes are not a record: {error}")).in_unreadable(record)
    })
}

/// Reads a move that has every field once and in order, as [`encode`] writes it. For such bytes this gives what [`decode`]
/// gives, without a copy; all others are none, and must be decoded.
pub(crate) fn read_plain_move(record: &[u8]) -> Option<PlainRecord<'_>> {
    let mut rest = Rest(record);
    let game_id = rest.array(tag::GAME_ID)?;
    let sequence = Sequence::new(rest.number(tag::SEQUENCE)?);
    let time_ms = rest.number(tag::TIME_MS)?;
    let request_id = if rest.begins_with(tag::REQUEST_ID) { rest.bytes(tag::REQUEST_ID)? } else { &[] };
    let mut body = Rest(rest.bytes(tag::MOVE)?);
    let seat = if body.begins_with(tag::MOVE_SEAT) { body.number(tag::MOVE_SEAT)? } else { 0 };
    let action = body.bytes(tag::MOVE_ACTION)?;
    let frame = Frame {
        game_id,
        sequence,
        time_ms,
        request_id: str::from_utf8(request_id).ok()?,
        effects_digest: rest.array(tag::EFFECTS_DIGEST)?,
        next_chance_commitment: rest.array(tag::NEXT_CHANCE_COMMITMENT)?,
        nonce: rest.array(tag::NONCE)?,
        previous_hash: Some(rest.array(tag::PREVIOUS_HASH)?),
    };
    let is_all = body.0.is_empty() && rest.0.is_empty();
    let seat = u32::try_from(seat).ok()?;
    is_all.then_some(PlainRecord { frame, seat, action })
}

/// What is left to read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn begins_with(&self, tag: u8) -> bool {
        self.0.first() == Some(&tag)
    }

    fn number(&mut self, tag: u8) -> Option<u64> {
        self.0 = self.0.strip_prefix(&[tag])?;
        decode_varint(&mut self.0).ok()
    }

    fn bytes(&mut self, tag: u8) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number(tag)?).ok()?;
        let (value, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(value)
    }

    /// A field whose length takes one byte, as it should.
    fn array<const N: usize>(&mut self, tag: u8) -> Option<&'a [u8; N]> {
        let (value, rest) = self.0.strip_prefix(&[tag, N as u8])?.split_first_chunk()?;
        self.0 = rest;
        Some(value)
    }
}

#[cfg(test)]
mod tests;
