//! HTTP/2 frames, byte by byte (RFC 9113). Written by hand because the attacks that need them break rules that
//! every library keeps: pings without waiting for an answer, calls that are reset as soon as they are opened.

use bytes::{BufMut, Bytes, BytesMut};

/// What a client sends first.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The bytes before each frame's payload.
pub const HEADER_BYTES: usize = 9;
/// CANCEL: the caller does not want the call any more.
const CANCEL: u32 = 8;

/// The types of frames.
pub mod kind {
    /// A part of a message.
    pub const DATA: u8 = 0;
    /// The beginning of a call or an answer, or its trailers.
    pub const HEADERS: u8 = 1;
    /// The early end of a call.
    pub const RST_STREAM: u8 = 3;
    /// What a side can take.
    pub const SETTINGS: u8 = 4;
    /// Whether the other side is alive.
    pub const PING: u8 = 6;
    /// The end of the connection.
    pub const GOAWAY: u8 = 7;
}

/// No flags.
const NONE: u8 = 0;
/// The last frame of this side of the call.
const END_STREAM: u8 = 1;
/// The headers are whole.
const END_HEADERS: u8 = 4;

/// A frame.
fn frame(out: &mut BytesMut, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    out.put_uint(payload.len() as u64, 3);
    out.put_u8(kind);
    out.put_u8(flags);
    out.put_u32(stream);
    out.put_slice(payload);
}

/// The preface and empty settings.
pub fn greeting() -> Bytes {
    let mut out = BytesMut::from(PREFACE);
    frame(&mut out, kind::SETTINGS, NONE, 0, &[]);
    out.freeze()
}

/// Pings, one behind the other.
pub fn pings(count: usize) -> Bytes {
    let mut out = BytesMut::new();
    for _ in 0..count {
        frame(&mut out, kind::PING, NONE, 0, &[0; 8]);
    }
    out.freeze()
}

/// A gRPC call with its whole request.
pub fn call(out: &mut BytesMut, stream: u32, headers: &[u8], message: &[u8]) {
    frame(out, kind::HEADERS, END_HEADERS, stream, headers);
    frame(out, kind::DATA, END_STREAM, stream, message);
}

/// A gRPC call of which the request is still to come.
pub fn head(out: &mut BytesMut, stream: u32, headers: &[u8]) {
    frame(out, kind::HEADERS, END_HEADERS, stream, headers);
}

/// Cancels a call.
pub fn reset(out: &mut BytesMut, stream: u32) {
    frame(out, kind::RST_STREAM, NONE, stream, &CANCEL.to_be_bytes());
}

/// The headers of a gRPC call in HPACK (RFC 7541), each one written out or taken from the static table, so that the
/// same bytes stand for the same headers on every stream.
pub fn grpc_headers(authority: &str, path: &str) -> Bytes {
    let mut out = BytesMut::new();
    // Whole entries of the static table: `:method: POST`, `:scheme: http`.
    out.put_slice(&[0x83, 0x86]);
    // Names of the static table, without indexing: `:authority` is 1, `:path` is 4, `content-type` is 31.
    for (name, value) in [(&[1][..], authority), (&[4], path), (&[15, 31 - 15], "application/grpc")] {
        out.put_slice(name);
        text(&mut out, value);
    }
    out.put_u8(0);
    text(&mut out, "te");
    text(&mut out, "trailers");
    out.freeze()
}

/// A text of at most 126 bytes: longer ones have another form, which nobody needs here.
fn text(out: &mut BytesMut, text: &str) {
    let bytes = &text.as_bytes()[..text.len().min(126)];
    out.put_u8(bytes.len() as u8);
    out.put_slice(bytes);
}

/// Finds the frames in bytes that arrive in chunks.
#[derive(Default)]
pub struct Frames {
    header: Vec<u8>,
    /// Bytes of the current payload that have not arrived.
    missing: usize,
}

impl Frames {
    /// Takes the next chunk, and reports the kinds of the frames that began in it.
    pub fn take(&mut self, mut bytes: &[u8], mut begun: impl FnMut(u8)) {
        while !bytes.is_empty() {
            let skipped = self.missing.min(bytes.len());
            self.missing -= skipped;
            bytes = &bytes[skipped..];
            let taken = (HEADER_BYTES - self.header.len()).min(bytes.len());
            self.header.extend_from_slice(&bytes[..taken]);
            bytes = &bytes[taken..];
            if let [a, b, c, kind, ..] = self.header[..]
                && self.header.len() == HEADER_BYTES
            {
                self.missing = u32::from_be_bytes([0, a, b, c]) as usize;
                self.header.clear();
                begun(kind);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ping() {
        assert_eq!(&pings(1)[..], [0, 0, 8, kind::PING, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(pings(3).len(), 51);
    }

    #[test]
    fn headers() {
        let expected = [b"\x83\x86\x01\x01a\x04\x02/p\x0f\x10\x10application/grpc".as_slice(), b"\0\x02te\x08trailers"];
        assert_eq!(grpc_headers("a", "/p"), expected.concat());
    }

    #[test]
    fn frames_are_found_in_chunks_of_any_size() {
        let mut all = BytesMut::new();
        call(&mut all, 1, b"headers", b"message");
        reset(&mut all, 1);
        all.extend_from_slice(&pings(1));
        let expected = [kind::HEADERS, kind::DATA, kind::RST_STREAM, kind::PING];
        for size in 1..=all.len() {
            let (mut frames, mut found) = (Frames::default(), Vec::new());
            all.chunks(size).for_each(|piece| frames.take(piece, |kind| found.push(kind)));
            assert_eq!(found, expected, "in chunks of {size}");
        }
    }
}
