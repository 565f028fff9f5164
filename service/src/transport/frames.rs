//! Which frames a connection sends, and how many of those that carry no call it may send at once.
//!
//! h2 answers every PING and SETTINGS at once, for as long as there are any, and has no limit for them. No library offers one
//! either; all that is needed is the nine bytes before each frame: length, type, flags, stream.

use std::time::{Duration, Instant};

/// What comes before every frame.
const HEADER_BYTES: usize = 9;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
/// A frame of data with less than that is a piece of a message: five bytes come before each message, and an action has at
/// least a game's id.
const PIECE_BYTES: usize = 32;

/// How many control frames pass at once. gRPC for Go sends a PING in every round trip in which answers come, to measure the
/// line: on one machine that is thousands a second, all of them honest, and whatever comes behind one that is held back
/// waits with it. So the rate is one that costs the server about a hundredth of a core.
const CONTROL_FRAMES: u32 = 1_000;
/// And after that.
const CONTROL_FRAMES_PER_SECOND: u32 = 10_000;
/// How many small pieces of messages pass at once.
const PIECES: u32 = 10_000;
/// And after that.
const PIECES_PER_SECOND: u32 = 10_000;

/// A number of frames at once, and so many a second after that.
#[derive(Debug)]
struct Rate {
    burst: u32,
    per_second: u32,
    left: u32,
    since: Instant,
}

impl Rate {
    fn new(burst: u32, per_second: u32, now: Instant) -> Rate {
        Rate { burst, per_second, left: burst, since: now }
    }

    fn take(&mut self, now: impl FnOnce() -> Instant) -> Result<(), Duration> {
        if self.left == 0 {
            let each = Duration::from_secs(1) / self.per_second;
            let elapsed = now().saturating_duration_since(self.since);
            let earned = u32::try_from(elapsed.as_nanos() / each.as_nanos()).unwrap_or(u32::MAX);
            if earned == 0 {
                return Err(each.saturating_sub(elapsed));
            }
            self.left = earned.min(self.burst);
            self.since += if earned < self.burst { each * earned } else { elapsed };
        }
        self.left -= 1;
        Ok(())
    }
}

/// What a connection has sent, up to a byte.
#[derive(Debug)]
pub struct Frames {
    header: [u8; HEADER_BYTES],
    /// How much of the next frame's header was seen.
    seen: usize,
    /// How much of this frame is still to come.
    rest: usize,
    /// Frames that are answered or passed over at once.
    control: Rate,
    /// Small pieces of messages: h2 keeps about 250 bytes for each.
    pieces: Rate,
}

impl Frames {
    /// From behind the preface on.
    pub fn new(now: Instant) -> Frames {
        let control = Rate::new(CONTROL_FRAMES, CONTROL_FRAMES_PER_SECOND, now);
        Frames::with(control, Rate::new(PIECES, PIECES_PER_SECOND, now))
    }

    fn with(control: Rate, pieces: Rate) -> Frames {
        Frames { header: [0; HEADER_BYTES], seen: 0, rest: 0, control, pieces }
    }

    /// Passes over bytes; returns how many of them may be read now, and if not all, when to ask again.
    pub fn admit(&mut self, bytes: &[u8], now: impl Fn() -> Instant) -> (usize, Option<Duration>) {
        let mut at = 0;
        while at < bytes.len() {
            if self.rest > 0 {
                let passed = self.rest.min(bytes.len() - at);
                self.rest -= passed;
                at += passed;
                continue;
            }
            let (seen, begin) = (self.seen, at);
            let taken = (HEADER_BYTES - seen).min(bytes.len() - at);
            self.header[seen..seen + taken].copy_from_slice(&bytes[at..at + taken]);
            self.seen += taken;
            at += taken;
            if self.seen < HEADER_BYTES {
                break;
            }
            if let Err(wait) = self.next(&now) {
                self.seen = seen;
                return (begin, Some(wait));
            }
            self.seen = 0;
        }
        (at, None)
    }

    /// A whole header is there.
    fn next(&mut self, now: impl Fn() -> Instant) -> Result<(), Duration> {
        let [high, middle, low, kind, flags, ..] = self.header;
        let length = u32::from_be_bytes([0, high, middle, low]) as usize;
        match kind {
            DATA if length < PIECE_BYTES && flags & END_STREAM == 0 => self.pieces.take(now)?,
            // WINDOW_UPDATE comes for every message that a client reads, and RST_STREAM for every call that it gives up.
            DATA | HEADERS | RST_STREAM | WINDOW_UPDATE | CONTINUATION => {}
            _ => self.control.take(now)?,
        }
        self.rest = length;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow(now: Instant) -> Frames {
        Frames::with(Rate::new(100, 200, now), Rate::new(1_000, 1_000, now))
    }

    fn frame(kind: u8, flags: u8, length: usize) -> Vec<u8> {
        let mut bytes = vec![0, (length >> 8) as u8, length as u8, kind, flags, 0, 0, 0, 1];
        bytes.resize(HEADER_BYTES + length, kind);
        bytes
    }

    /// Hands on bytes in pieces, and whatever is held back again, until nothing more may be read; returns how many were.
    fn admit(frames: &mut Frames, bytes: &[u8], piece: usize, now: Instant) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            let end = (at + piece).min(bytes.len());
            match frames.admit(&bytes[at..end], || now) {
                (passed, None) => {
                    assert_eq!(passed, end - at);
                    at = end;
                }
                (passed, Some(wait)) => {
                    assert!(!wait.is_zero() && wait <= Duration::from_millis(5));
                    return at + passed;
                }
            }
        }
        at
    }

    #[test]
    fn calls_are_never_held_back_however_their_bytes_come() {
        let now = Instant::now();
        let mut bytes = Vec::new();
        for _ in 0..5_000 {
            bytes.extend([frame(1, 4, 40), frame(0, 0, 60), frame(0, 1, 7), frame(8, 0, 4), frame(3, 0, 4)].concat());
        }
        for piece in [1, 7, 9, 100, 16_384] {
            assert_eq!(admit(&mut slow(now), &bytes, piece, now), bytes.len(), "{piece}");
        }
    }

    #[test]
    fn control_frames_pass_at_their_rate_and_nothing_is_lost() {
        // PING, SETTINGS, PRIORITY, one that nobody knows; calls between them.
        let round = [frame(6, 0, 8), frame(4, 0, 6), frame(2, 0, 5), frame(77, 0, 3), frame(0, 0, 60)].concat();
        let bytes = round.repeat(250);
        for piece in [1, 5, 9, 1_000, 65_536] {
            let begin = Instant::now();
            let (mut frames, mut at) = (slow(begin), 0);
            // A header that is not let through is not handed on from where this piece of it began.
            let passed = |at: usize| at / round.len() * round.len();
            at += admit(&mut frames, &bytes, piece, begin);
            assert_eq!(passed(at), 25 * round.len(), "{piece}: a burst of 100");
            let mut seconds = 0.0;
            while at < bytes.len() {
                seconds += 0.5;
                let before = at;
                at += admit(&mut frames, &bytes[at..], piece, begin + Duration::from_secs_f64(seconds));
                let rounds = (at - before).div_ceil(round.len());
                assert!((24..=26).contains(&rounds), "{piece}: {rounds} rounds of four in half a second");
            }
            assert!((4.0..=5.0).contains(&seconds), "{piece}: {seconds}");
        }
    }

    #[test]
    fn whoever_was_silent_for_long_has_one_burst_and_not_more() {
        let begin = Instant::now();
        let mut frames = slow(begin);
        let pings = frame(6, 0, 8).repeat(1_000);
        assert_eq!(admit(&mut frames, &pings, 17, begin), 100 * 17);
        let later = begin + Duration::from_secs(3_600);
        assert_eq!(admit(&mut frames, &pings, 17, later), 100 * 17);
        assert_eq!(admit(&mut frames, &pings, 17, later), 0);
    }

    #[test]
    fn small_pieces_of_messages_pass_at_a_rate_of_their_own() {
        let now = Instant::now();
        let mut frames = slow(now);
        let pieces = frame(0, 0, 1).repeat(2_000);
        assert_eq!(admit(&mut frames, &pieces, 10, now), 1_000 * 10);
        let ends = frame(0, END_STREAM, 1).repeat(2_000);
        assert_eq!(admit(&mut frames, &ends, 10, now), ends.len(), "the last one of a call is none");
    }
}
