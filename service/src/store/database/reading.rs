//! Sled's file read without sled: is it as sled leaves it?
//!
//! Sled repairs what it opens: what follows a damaged place in its newest segment is gone after that. So a file is read
//! first, and sled opens it only where every byte that sled would look at is under a checksum that fits. The format is that
//! of sled 0.34, whose files do not change any more:
//!
//! ```text
//! segments of 8 MiB, each:  u32 CRC-32 inverted of the rest of the head | u64 position | u64 newest stable position, both
//!                           with all bits but the highest inverted
//!   messages, each:         u32 CRC-32 inverted of the body and then the rest of the head | u8 kind | body's length
//!                           | number of the segment | page, all three of variable length
//!                           | the body
//! ```
//! All integers are little-endian. The position of a segment is its number times 8 MiB, and the segment with the highest is
//! the newest. A segment ends with a message of kind 2 or where no head fits any more; the newest one ends anywhere, and
//! what stands behind its end is zeros, or what an earlier use of the segment has left. A free segment is zeros, or as it
//! was.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use memchr::memmem;

use super::opening::SEGMENT_BYTES;
use crate::store::block;
use crate::store::watermark::Watermark;

const HEAD_BYTES: usize = 20;
/// No message begins where fewer bytes are left.
const MESSAGE_HEAD_BYTES: usize = 32;
const CAP: u8 = 2;
const KINDS: std::ops::RangeInclusive<u8> = 1..=11;
/// What is checked behind the end of the newest segment at most, in bytes: what is left there may look like many long messages.
const MAX_REST_BYTES: usize = 8 * SEGMENT_BYTES;

/// What of a file does not change while it is closed. Cheap to find: the heads, and the newest segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) struct Shape {
    pub bytes: u64,
    /// A checksum of the heads of all segments.
    pub heads: u32,
    /// Where the newest message ends in the file.
    pub end: u64,
}

impl Shape {
    pub fn of(path: &Path) -> io::Result<Shape> {
        let file = File::open(path)?;
        let heads = SegmentHeads::read(&file)?;
        let mut end = 0;
        if let Some(newest) = heads.newest() {
            let mut buffer = Vec::new();
            let segment = read_segment(&file, newest.offset, &mut buffer)?;
            end = newest.offset + walk(segment, newest.number, |_| {}).at() as u64;
        }
        Ok(Shape { bytes: heads.bytes, heads: heads.checksum, end })
    }
}

/// What reading a file has found.
pub(in crate::store) struct Reading {
    pub shape: Shape,
    /// Why sled must not open the file itself: a phrase.
    pub problem: Option<String>,
    /// Numbers of the blocks in it.
    pub blocks: BlockNumbers,
    /// Whether the block that the watermark names is in it.
    pub is_marked_block_there: bool,
}

/// Reads the whole file.
pub(in crate::store) fn read(path: &Path, mark: Option<&Watermark>) -> io::Result<Reading> {
    let file = File::open(path)?;
    let heads = SegmentHeads::read(&file)?;
    let mut problem = heads.problem();
    let mut blocks = BlockNumbers::default();
    let mut is_marked_block_there = false;
    let mut end = 0;
    let mut buffer = Vec::new();
    let newest = heads.newest().map(|newest| newest.offset);
    for segment in &heads.all {
        let bytes = read_segment(&file, segment.offset, &mut buffer)?;
        if !segment.is_sound {
            if problem.is_none() && bytes.iter().any(|byte| *byte != 0) {
                problem = Some(format!("the head of the segment at byte {} is damaged", segment.offset));
            }
            continue;
        }
        let ended = walk(bytes, segment.number, |body| {
            find_blocks(body, |candidate, block| {
                blocks.insert(candidate.number);
                is_marked_block_there |= is_marked(mark, candidate.number, block);
            });
        });
        let at = segment.offset + ended.at() as u64;
        if Some(segment.offset) == newest {
            end = at;
            if problem.is_none() && has_message_in(bytes, ended.at(), segment.number) {
                problem = Some(format!("what stands at byte {at} is damaged"));
            }
        } else if problem.is_none() && matches!(ended, End::Open(_)) {
            problem = Some(format!("what stands at byte {at} is damaged"));
        }
    }
    let shape = Shape { bytes: heads.bytes, heads: heads.checksum, end };
    Ok(Reading { shape, problem, blocks, is_marked_block_there })
}

fn is_marked(mark: Option<&Watermark>, number: u64, block: &[u8]) -> bool {
    // The number first: a hash of every block would take longer than everything else.
    mark.is_some_and(|mark| mark.block == number && *mark == Watermark::of(number, block))
}

/// Adds the blocks of a file that is not sled's, such as a journal.
pub(in crate::store) fn add_blocks(bytes: &[u8], mark: Option<&Watermark>, reading: &mut Reading) {
    find_blocks(bytes, |candidate, block| {
        reading.blocks.insert(candidate.number);
        reading.is_marked_block_there |= is_marked(mark, candidate.number, block);
    });
}

/// Calls `found` for every block of records in the file that is whole, also for those that no sound message holds.
pub(in crate::store) fn for_each_block(path: &Path, mut found: impl FnMut(u64)) -> io::Result<()> {
    let file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut buffer = Vec::new();
    // A message, and so a block, lies in one segment.
    for offset in (0..bytes).step_by(SEGMENT_BYTES) {
        let segment = read_segment(&file, offset, &mut buffer)?;
        find_blocks(segment, |candidate, block| {
            if !candidate.items.is_empty() && candidate.items.iter().all(|item| item.record(block).is_some()) {
                found(candidate.number);
            }
        });
    }
    Ok(())
}

/// Blocks with a sound head that are there to their end. What looks like a block inside one is somebody's text.
fn find_blocks(bytes: &[u8], mut found: impl FnMut(&block::BlockCandidate, &[u8])) {
    let finder = memmem::Finder::new(block::MAGIC);
    let mut from = 0;
    while let Some(at) = finder.find(&bytes[from..]).map(|at| from + at) {
        from = at + 1;
        let Some(candidate) = block::probe(&bytes[at..]) else { continue };
        if let Some(block) = bytes.get(at..at + candidate.bytes) {
            found(&candidate, block);
            from = at + candidate.bytes;
        }
    }
}

/// Reads a segment; a shorter piece at the end of the file.
fn read_segment<'b>(file: &File, offset: u64, buffer: &'b mut Vec<u8>) -> io::Result<&'b [u8]> {
    buffer.resize(SEGMENT_BYTES, 0);
    let mut filled = 0;
    while filled < SEGMENT_BYTES {
        match file.read_at(&mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(&buffer[..filled])
}

/// One segment's head.
struct Segment {
    offset: u64,
    /// Only of a head that is sound.
    number: u64,
    stable: u64,
    is_sound: bool,
}

struct SegmentHeads {
    bytes: u64,
    all: Vec<Segment>,
    checksum: u32,
}

impl SegmentHeads {
    fn read(file: &File) -> io::Result<SegmentHeads> {
        let bytes = file.metadata()?.len();
        let mut checksum = crc32fast::Hasher::new();
        let mut all = Vec::new();
        for offset in (0..bytes).step_by(SEGMENT_BYTES) {
            if bytes - offset < HEAD_BYTES as u64 {
                break;
            }
            let mut head = [0; HEAD_BYTES];
            file.read_exact_at(&mut head, offset)?;
            checksum.update(&head);
            all.push(Segment::parse(offset, &head));
        }
        Ok(SegmentHeads { bytes, all, checksum: checksum.finalize() })
    }

    fn sound(&self) -> impl Iterator<Item = &Segment> {
        self.all.iter().filter(|segment| segment.is_sound)
    }

    fn newest(&self) -> Option<&Segment> {
        self.sound().max_by_key(|segment| segment.number)
    }

    /// What sled would not understand, or cut off, because of the heads alone.
    fn problem(&self) -> Option<String> {
        let mut by_number: BTreeMap<u64, &Segment> = BTreeMap::new();
        for segment in self.sound() {
            if let Some(twin) = by_number.insert(segment.number, segment) {
                return Some(format!("the segments at bytes {} and {} are one", twin.offset, segment.offset));
            }
        }
        let newest = match by_number.last_key_value() {
            Some((newest, _)) => *newest,
            None if self.bytes > 0 => return Some("no segment in it can be read".to_owned()),
            None => return None,
        };
        // What comes after the newest stable position must be there without a gap.
        let stable = self.sound().map(|segment| segment.stable / SEGMENT_BYTES as u64).max().unwrap_or(0);
        let missing = (stable..=newest).find(|number| !by_number.contains_key(number));
        missing.map(|number| format!("segment {number} is missing, and {newest} is there"))
    }
}

impl Segment {
    fn parse(offset: u64, head: &[u8; HEAD_BYTES]) -> Segment {
        const INVERTED: u64 = i64::MAX as u64;
        let stored = u32::from_le_bytes(head[..4].try_into().expect("4 bytes"));
        let field = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("8 bytes")) ^ INVERTED;
        let (position, stable) = (field(4), field(12));
        let is_sound = crc32fast::hash(&head[4..]) == !stored
            && position <= INVERTED
            && position.is_multiple_of(SEGMENT_BYTES as u64);
        // Before anything is stable the field says -1.
        let stable = if stable > INVERTED { 0 } else { stable };
        Segment { offset, number: position / SEGMENT_BYTES as u64, stable, is_sound }
    }
}

/// Where the sound messages of a segment end.
#[derive(Clone, Copy, Debug)]
enum End {
    /// As a full segment ends.
    Full(usize),
    /// Before something that is no message.
    Open(usize),
}

impl End {
    fn at(self) -> usize {
        match self {
            End::Full(at) | End::Open(at) => at,
        }
    }
}

/// Goes through the messages of a segment as long as they are sound.
fn walk(segment: &[u8], number: u64, mut body: impl FnMut(&[u8])) -> End {
    let mut at = HEAD_BYTES;
    loop {
        if at > SEGMENT_BYTES - MESSAGE_HEAD_BYTES {
            return End::Full(at);
        }
        let Some(message) = Message::parse(segment, at, number).filter(|message| message.is_sound(segment)) else {
            return End::Open(at);
        };
        at = message.body.end;
        if message.kind == CAP {
            return End::Full(at);
        }
        body(&segment[message.body]);
    }
}

/// Whether a sound message of this segment stands anywhere behind `from`: then something before it is damaged. True also
/// where so much looks like messages that it is not clear.
fn has_message_in(segment: &[u8], from: usize, number: u64) -> bool {
    let mut checked = 0;
    (from + 1..segment.len()).any(|at| {
        let Some(message) = Message::parse(segment, at, number) else { return false };
        checked += message.body.len();
        checked > MAX_REST_BYTES || message.is_sound(segment)
    })
}

struct Message {
    crc: u32,
    kind: u8,
    /// Behind the checksum.
    head: Range<usize>,
    body: Range<usize>,
}

impl Message {
    /// What could be a message of this segment.
    fn parse(segment: &[u8], at: usize, number: u64) -> Option<Message> {
        let kind = *segment.get(at + 4)?;
        if !KINDS.contains(&kind) {
            return None;
        }
        let mut rest = segment.get(at + 5..)?;
        let length = variable(&mut rest)?;
        if variable(&mut rest)? != number {
            return None;
        }
        variable(&mut rest)?;
        let begin = segment.len() - rest.len();
        let end = begin.checked_add(usize::try_from(length).ok()?).filter(|end| *end <= segment.len())?;
        let crc = u32::from_le_bytes(segment[at..at + 4].try_into().expect("4 bytes"));
        Some(Message { crc, kind, head: at + 4..begin, body: begin..end })
    }

    fn is_sound(&self, segment: &[u8]) -> bool {
        let mut crc = crc32fast::Hasher::new();
        crc.update(&segment[self.body.clone()]);
        crc.update(&segment[self.head.clone()]);
        crc.finalize() == !self.crc
    }
}

/// An integer of variable length.
fn variable(bytes: &mut &[u8]) -> Option<u64> {
    let byte = |at: usize| bytes.get(at).map(|byte| u64::from(*byte));
    let first = byte(0)?;
    let (value, length) = match first {
        0..=240 => (first, 1),
        241..=248 => (240 + 256 * (first - 241) + byte(1)?, 2),
        249 => (2288 + 256 * byte(1)? + byte(2)?, 3),
        _ => {
            let length = first as usize - 247;
            let mut value = [0; 8];
            value[..length].copy_from_slice(bytes.get(1..=length)?);
            (u64::from_le_bytes(value), length + 1)
        }
    };
    *bytes = &bytes[length..];
    Some(value)
}

/// A set of block numbers, which mostly are dense.
#[derive(Default)]
pub(in crate::store) struct BlockNumbers(BTreeMap<u64, u64>);

impl BlockNumbers {
    fn insert(&mut self, number: u64) {
        *self.0.entry(number / 64).or_default() |= 1 << (number % 64);
    }

    fn contains(&self, number: u64) -> bool {
        self.0.get(&(number / 64)).is_some_and(|bits| bits >> (number % 64) & 1 == 1)
    }

    /// The first number that is missing, up to this one.
    pub fn first_missing(&self, last: u64) -> Option<u64> {
        (0..=last).find(|number| !self.contains(*number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_every_length_are_read() {
        let cases: [(&[u8], u64); 6] = [
            (&[240], 240),
            (&[241, 1], 241),
            (&[248, 255], 2287),
            (&[249, 0, 0], 2288),
            (&[250, 1, 2, 3], 0x03_02_01),
            (&[255, 1, 2, 3, 4, 5, 6, 7, 8], 0x08_07_06_05_04_03_02_01),
        ];
        for (bytes, value) in cases {
            let mut rest = bytes;
            assert_eq!((variable(&mut rest), rest.len()), (Some(value), 0), "{bytes:?}");
            assert_eq!(variable(&mut &bytes[..bytes.len() - 1]), None, "{bytes:?} cut");
        }
    }

    #[test]
    fn a_missing_number_is_found_among_many() {
        let mut numbers = BlockNumbers::default();
        (0..1000).filter(|number| *number != 777).for_each(|number| numbers.insert(number));
        assert_eq!((numbers.first_missing(776), numbers.first_missing(999)), (None, Some(777)));
        assert_eq!(BlockNumbers::default().first_missing(5), Some(0));
    }
}
