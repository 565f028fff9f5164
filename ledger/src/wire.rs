//! Where a field lies in a record's bytes: a walk over the protobuf wire format, for faults only.
//!
//! Decoding a record forgets where its fields were. A fault names the bytes that are to blame, also in bytes that cannot be
//! decoded at all.

use std::ops::Range;

use divelog_proto::v1 as pb;
use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, skip_field};

/// The fields that a fault can name, with the numbers that lead to them.
const FIELDS: &[(&str, &[u32])] = &[
    ("game_id", &[1]),
    ("sequence", &[2]),
    ("time_ms", &[3]),
    ("request_id", &[4]),
    ("setup", &[5]),
    ("setup.rules_version", &[5, 2]),
    ("setup.options", &[5, 3]),
    ("setup.seed_commitment", &[5, 6]),
    ("setup.chance_commitment", &[5, 7]),
    ("setup.fork", &[5, 8]),
    ("setup.fork.game_id", &[5, 8, 1]),
    ("setup.fork.revision", &[5, 8, 2]),
    ("setup.fork.head_hash", &[5, 8, 3]),
    ("setup.fork.sealed_secret", &[5, 8, 5]),
    ("move", &[6]),
    ("move.seat", &[6, 1]),
    ("move.action", &[6, 2]),
    ("abandonment", &[7]),
    ("effects_digest", &[8]),
    ("next_chance_commitment", &[9]),
    ("nonce", &[10]),
    ("previous_hash", &[11]),
];

/// One field on the wire.
struct Field {
    number: u32,
    /// Tag, length and value.
    whole: Range<usize>,
    /// What lies within a length-delimited field.
    content: Option<Range<usize>>,
}

/// The field of this name, if the record has it. Where one stands several times the last counts, as for a decoder.
pub(crate) fn find(record: &[u8], name: &str) -> Option<Range<usize>> {
    let (_, path) = FIELDS.iter().find(|(known, _)| *known == name)?;
    let (last, parents) = path.split_last()?;
    let mut within = 0..record.len();
    for parent in parents {
        within = last_of(record, within, *parent)?.content?;
    }
    Some(last_of(record, within, *last)?.whole)
}

/// The first field that cannot be read, if its name is known, and everything from it to the end.
pub(crate) fn find_unreadable(record: &[u8]) -> (Option<&'static str>, Range<usize>) {
    let mut at = 0;
    while at < record.len() {
        match read_field(record, at..record.len()) {
            // A part of a message is a message: a field that can be read can be decoded alone.
            Some(field) if pb::Record::decode(&record[field.whole.clone()]).is_ok() => at = field.whole.end,
            _ => break,
        }
    }
    let number = decode_key(&mut &record[at..]).ok().map(|(number, _)| number);
    let name = FIELDS.iter().find(|(_, path)| number.is_some_and(|number| **path == [number]));
    (name.map(|(name, _)| *name), at..record.len())
}

fn last_of(record: &[u8], within: Range<usize>, number: u32) -> Option<Field> {
    let mut found = None;
    let mut at = within.start;
    while at < within.end {
        let field = read_field(record, at..within.end)?;
        at = field.whole.end;
        if field.number == number {
            found = Some(field);
        }
    }
    found
}

/// The field that begins where the range begins and ends within it.
fn read_field(record: &[u8], within: Range<usize>) -> Option<Field> {
    let bytes = record.get(within.clone())?;
    let mut rest = bytes;
    let (number, wire_type) = decode_key(&mut rest).ok()?;
    let after_tag = bytes.len() - rest.len();
    skip_field(wire_type, number, &mut rest, DecodeContext::default()).ok()?;
    let end = within.start + bytes.len() - rest.len();
    let content = (wire_type == WireType::LengthDelimited).then(|| {
        let mut value = &bytes[after_tag..end - within.start];
        let length = prost::encoding::decode_varint(&mut value).unwrap_or_default();
        let start = end - usize::try_from(length).unwrap_or_default();
        start..end
    });
    Some(Field { number, whole: within.start..end, content })
}
