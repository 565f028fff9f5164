//! What is read of the store: the leaves that the next blocks bring.

use divelog_ledger::tlog::Leaf;
use divelog_ledger::{Hash, hash_record};
use sha2::{Digest, Sha256};

use super::{NO_BLOCK, Sealer};
use crate::store::RawBlock;
use crate::transparency::SealError;

/// How many blocks are read before their leaves are written.
const BLOCKS_AT_ONCE: u64 = 4_096;
/// How many leaves are written together; the last block may bring some more.
pub(super) const LEAVES_AT_ONCE: usize = 4_096;

/// What some blocks bring.
pub(super) struct Chunk {
    pub leaves: Vec<Leaf>,
    pub next_block: u64,
    pub last_block: Hash,
}

impl Sealer {
    /// At least one block, unless all are missing; fewer than there are if `go_on` says no.
    pub(super) fn read_chunk(&self, durable: u64, go_on: &dyn Fn() -> bool) -> Result<Chunk, SealError> {
        let end = durable.min(self.next_block.saturating_add(BLOCKS_AT_ONCE - 1));
        let mut chunk = Chunk { leaves: Vec::new(), next_block: self.next_block, last_block: NO_BLOCK };
        // Of all blocks only the last one's hash is kept, so only that one is computed.
        let mut last = None;
        while chunk.next_block <= end && chunk.leaves.len() < LEAVES_AT_ONCE {
            let number = chunk.next_block;
            if number > self.next_block && !go_on() {
                break;
            }
            last = self.store.read_block(number)?;
            chunk.next_block = match &last {
                Some(block) => {
                    if let Err(detail) = due_leaves(block, &mut chunk.leaves) {
                        self.pass_over(number, number, detail)?;
                        last = None;
                    }
                    number + 1
                }
                None => {
                    // All that are missing here at once: after an accepted loss many numbers are left out.
                    let next = self.store.block_from(number)?.map_or(end, |next| next - 1).min(durable) + 1;
                    self.pass_over(number, next - 1, "it is missing")?;
                    next
                }
            };
        }
        chunk.last_block = last.as_ref().map_or(NO_BLOCK, block_hash);
        Ok(chunk)
    }

    /// Goes on without these blocks, if the operator has accepted their loss.
    fn pass_over(&self, first: u64, last: u64, detail: &str) -> Result<(), SealError> {
        let accepted = self.store.accepted_block()?;
        if accepted < Some(last) {
            let number = accepted.map_or(first, |accepted| first.max(accepted + 1));
            return Err(SealError::broken(format!(
                "block {number} cannot be sealed ({detail}): restore the store from a backup, or start once with \
                 --accept-loss to go on without it"
            )));
        }
        tracing::error!(first, last, detail, "blocks whose loss was accepted are not in the transparency log");
        Ok(())
    }
}

/// The leaves of a block's records, in their order.
fn due_leaves(block: &RawBlock, leaves: &mut Vec<Leaf>) -> Result<(), &'static str> {
    let before = leaves.len();
    for record in block.records()? {
        let revision = record.sequence.revision_after();
        if !Leaf::is_due(revision, record.status) {
            continue;
        }
        let Some(bytes) = block.bytes_of(&record) else {
            leaves.truncate(before);
            return Err("a record of it fails its checksum");
        };
        leaves.push(Leaf { game: record.game, revision, record_hash: hash_record(&bytes), status: record.status });
    }
    Ok(())
}

pub(super) fn block_hash(block: &RawBlock) -> Hash {
    Sha256::digest(&block.block).into()
}
