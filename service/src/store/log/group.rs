//! What is proposed to a log, and what comes back.

use bytes::Bytes;

use crate::store::block::{self, NO_BLOCK, Placed, SecretPair};
use crate::store::{GameId, Sequence, Status};

/// A part of all games that has one order of its own. There is one part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct Shard(pub u16);

/// Which ownership of a shard a group was proposed under. On one machine there is one owner, always the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct Epoch(pub u64);

/// Names a proposal to the log that took it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::store) struct ProposalId(pub u64);

/// Records that become durable together.
#[derive(Default)]
pub(in crate::store) struct Group {
    /// The shard that its games belong to.
    pub shard: Shard,
    /// The ownership that it was proposed under.
    pub epoch: Epoch,
    /// The records, in order.
    pub records: Vec<GroupRecord>,
    /// The games that it creates, with their secrets.
    pub secrets: Vec<SecretPair>,
    /// Bytes of all records.
    record_bytes: usize,
}

/// A record of a group. Its bytes are shared with whoever made them.
pub(in crate::store) struct GroupRecord {
    pub game: GameId,
    pub before: Before,
    pub sequence: Sequence,
    pub status: Status,
    pub record: Bytes,
}

/// Where the record before it in its game's log is.
#[derive(Clone, Copy)]
pub(in crate::store) enum Before {
    /// There is none: it is record 0.
    Nowhere,
    /// In a block that was written before.
    Block(u64),
    /// In the same group, which has no number before it is applied.
    SameGroup,
}

/// A group that is durable, at its place in the order, in the bytes that the store keeps.
pub(in crate::store) struct Ordered {
    /// The number of its block. Higher than those before it.
    pub at: u64,
    /// The block.
    pub block: Bytes,
    /// The value of the tree `secrets`; empty if the group creates no game.
    pub secrets: Bytes,
    /// The proposal that it was; none if somebody else's.
    pub mine: Option<ProposalId>,
}

impl Group {
    /// Adds a record.
    pub fn push(&mut self, record: GroupRecord) {
        self.record_bytes += record.record.len();
        self.records.push(record);
    }

    /// Whether it belongs to the one shard that there is without other machines, under its one owner.
    pub fn is_of_one_machine(&self) -> bool {
        (self.shard, self.epoch) == Default::default()
    }

    /// Bytes of its block.
    pub fn block_size(&self) -> usize {
        block::size(self.records.len(), self.record_bytes)
    }

    /// Bytes of its secrets.
    pub fn secrets_size(&self) -> usize {
        block::secrets_size(self.secrets.len())
    }

    /// Writes its block under this number behind what the buffer holds.
    pub fn write_block(&self, buffer: &mut Vec<u8>, number: u64) {
        block::write(buffer, number, self.records.iter().map(|record| record.placed(number)));
    }

    /// Writes its secrets under this number behind what the buffer holds.
    pub fn write_secrets(&self, buffer: &mut Vec<u8>, number: u64) {
        block::write_secrets(buffer, number, &self.secrets);
    }
}

impl GroupRecord {
    fn placed(&self, number: u64) -> Placed<&[u8]> {
        let previous_block = match self.before {
            Before::Nowhere => NO_BLOCK,
            Before::Block(before) => before,
            Before::SameGroup => number,
        };
        let GroupRecord { game, sequence, status, ref record, .. } = *self;
        Placed { game, previous_block, sequence, status, record }
    }
}
