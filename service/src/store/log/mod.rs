//! The log: where a group of records is made durable before anybody is answered.
//!
//! A log takes the groups that are proposed to it, makes them durable, and gives them back in the one order in which they
//! count. Only then is a group applied: it gets its block number, its block is shown to readers, and its callers are
//! answered. The log learns what the store has taken over, and may forget it then.
//!
//! | module | what it is |
//! |---|---|
//! | `group` | what is proposed, and what comes back |
//! | `files` | two files on this machine: what a server runs on |
//! | `memory` | a list in memory, for tests |
//! | `conformance` | what every log must do, tested on each |
//!
//! A log that several machines share will be the third. That is why a proposal can be refused late, when another owner of
//! the shard has got in before it, and why nothing is answered before it came back: a proposal says nothing yet.

#[cfg(test)]
mod conformance;
pub(super) mod files;
pub(super) mod group;
#[cfg(test)]
pub(crate) mod memory;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use self::files::numbers::Numbers;
use self::files::{Frame, Journal, LogContents, StoreId};
use super::Options;
use super::error::StoreError;

pub(super) use self::group::{Before, Group, GroupRecord, Ordered, ProposalId};

/// A log. The writer thread owns it, and calls it from there alone.
pub(super) trait Log: Send {
    /// Hands in a group. Does not wait, and promises nothing: the group counts when [`Log::next`] gives it back, and never
    /// does when [`Log::deposed`] names it. An error: nothing was handed in, and the log is broken.
    fn propose(&mut self, group: Group) -> Result<ProposalId, StoreError>;

    /// The next group in order, durable. None: nothing has come within this time.
    fn next(&mut self, wait: Duration) -> Result<Option<Ordered>, NextError>;

    /// Proposals that will never come back, since it was last asked. They were not written.
    fn deposed(&mut self) -> Vec<ProposalId>;

    /// The store has taken over every group up to this place, and will not ask for them again.
    fn settled(&mut self, at: u64) -> Result<(), StoreError>;
}

/// Why a log does not give the next group.
#[derive(Debug)]
pub(super) enum NextError {
    /// There is no room before everything up to this place is settled. Nothing is lost: ask again then.
    Full {
        /// What must be settled.
        until: u64,
    },
    /// The log is broken. What was proposed may or may not be in it.
    Failed(StoreError),
}

/// Which log a store is opened with.
#[derive(Clone)]
pub(super) enum LogKind {
    /// The journal in the store's folder.
    Files,
    /// A test's.
    #[cfg(test)]
    Memory(memory::Disk),
}

impl LogKind {
    /// What the log holds that the database may lack. See [`files::read`].
    pub fn read(
        &self,
        options: &Options,
        store: Option<&StoreId>,
        last: Option<u64>,
        lacks: impl Fn(&Frame) -> Result<bool, StoreError>,
    ) -> Result<LogContents, StoreError> {
        match self {
            LogKind::Files => files::read(options, store, last, lacks),
            #[cfg(test)]
            LogKind::Memory(disk) => LogContents::new(disk.frames(), last, lacks),
        }
    }

    /// The log, behind what was found in it, all of which is in the database by now.
    pub fn open(
        &self,
        options: &Options,
        store: StoreId,
        found: &LogContents,
        numbers: Arc<Numbers>,
        next: u64,
    ) -> Result<Box<dyn Log>, StoreError> {
        match self {
            LogKind::Files => Ok(Box::new(Journal::open(options, store, found, numbers, next)?)),
            #[cfg(test)]
            LogKind::Memory(disk) => Ok(Box::new(memory::MemoryLog::open(disk, next, memory::ROOM))),
        }
    }

    /// Notes that all groups below `next` are in the database, synced, and nothing of the log is needed any more. For a
    /// store that is closed in good order.
    pub fn mark_settled(&self, dir: &Path, store: &StoreId, next: u64) -> Result<(), StoreError> {
        match self {
            LogKind::Files => files::mark_settled(dir, store, next),
            #[cfg(test)]
            LogKind::Memory(disk) => {
                disk.forget_below(next);
                Ok(())
            }
        }
    }
}
