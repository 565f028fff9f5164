//! One draw, opened: the key of a single record's chance against the commitment that was made before.

use bytes::Bytes;
use divelog_proto::v1 as pb;

use crate::record::decode;
use crate::secret::chance_commitment;
use crate::{LogFault, Position, Revision, Sequence};
use divelog_engine::ChanceKey;

impl Position {
    /// The key of a written record's chance. None for records that are not written yet: their luck stays closed.
    pub fn open_draw(&self, sequence: Sequence) -> Option<ChanceKey> {
        self.revision().includes(sequence).then(|| self.keys().chance_key(sequence))
    }
}

/// The record that holds the commitment to a record's chance: the one before it. The setup holds that to its own.
pub fn committing_record(sequence: Sequence) -> Sequence {
    sequence.revision_before().last_record().unwrap_or(Sequence::SETUP)
}

/// Whether an opened draw fits the commitment in the record before it, or, for record 0, in itself.
///
/// A fault names the record that holds the commitment. Nothing else in the log is checked.
pub fn check_draw(records: &[Bytes], draw: &pb::OpenedDraw) -> Result<(), LogFault> {
    let sequence = Sequence::new(draw.sequence);
    if !Revision::of(records).includes(sequence) {
        return Err(LogFault::malformed(sequence, "a draw of this record was opened, but the log does not have it"));
    }
    let Ok(key) = ChanceKey::try_from(&draw.chance_key[..]) else {
        return Err(LogFault::malformed(sequence, "the opened key of this record's chance is not 32 bytes long"));
    };
    let holder = committing_record(sequence);
    let bytes = &records[holder.index()];
    let record = decode(holder, bytes)?;
    let (field, committed) = match (sequence, &record.body) {
        (Sequence::SETUP, Some(pb::record::Body::Setup(setup))) => {
            ("setup.chance_commitment", &setup.chance_commitment)
        }
        (Sequence::SETUP, _) => return Err(LogFault::malformed(sequence, "the first record does not set a game up")),
        _ => ("next_chance_commitment", &record.next_chance_commitment),
    };
    if **committed != chance_commitment(&key) {
        let message = format!("the opened key of record {sequence}'s chance does not fit the commitment made here");
        return Err(LogFault::hash_differs(holder, message).in_field(field, bytes));
    }
    Ok(())
}
