//! One draw, opened: the key of a single record's chance against the commitment that was made before.

use bytes::Bytes;
use divelog_proto::v1 as pb;

use crate::record::decode;
use crate::secret::chance_commitment;
use crate::{LogFault, Position};
use divelog_engine::ChanceKey;

impl Position {
    /// The key of a written record's chance. None for records to come: their luck stays closed.
    pub fn open_draw(&self, sequence: u64) -> Option<ChanceKey> {
        (sequence < self.revision()).then(|| self.keys().chance_key(sequence))
    }
}

/// Whether an opened draw fits the commitment in the record before it, or, for record 0, in itself.
///
/// A fault names the record that holds the commitment. Nothing else of the log is judged.
pub fn check_draw(records: &[Bytes], draw: &pb::OpenedDraw) -> Result<(), LogFault> {
    let sequence = draw.sequence;
    if sequence >= records.len() as u64 {
        return Err(LogFault::malformed(sequence, "a draw of this record was opened, but the log does not have it"));
    }
    let Ok(key) = ChanceKey::try_from(&draw.chance_key[..]) else {
        return Err(LogFault::malformed(sequence, "the opened key of this record's chance is not 32 bytes long"));
    };
    let holder = sequence.saturating_sub(1);
    let bytes = &records[holder as usize];
    let record = decode(holder, bytes)?;
    let (field, committed) = match (sequence, &record.body) {
        (0, Some(pb::record::Body::Setup(setup))) => ("setup.chance_commitment", &setup.chance_commitment),
        (0, _) => return Err(LogFault::malformed(0, "the first record does not set a game up")),
        _ => ("next_chance_commitment", &record.next_chance_commitment),
    };
    if **committed != chance_commitment(&key) {
        let message = format!("the opened key of record {sequence}'s chance does not fit the commitment made here");
        return Err(LogFault::hash_differs(holder, message).in_field(field, bytes));
    }
    Ok(())
}
