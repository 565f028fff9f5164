//! A log in memory, for tests: what is durable is a list that survives the log, as files survive a process.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;

use super::files::Frame;
use super::{Group, Log, NextError, Ordered, ProposalId};
use crate::lock::lock;
use crate::store::error::StoreError;

/// Groups that a store's log has room for until they are settled.
pub(super) const ROOM: usize = 100;

/// A durable group.
#[derive(Clone)]
pub(crate) struct Durable {
    pub at: u64,
    pub block: Bytes,
    pub secrets: Bytes,
}

/// What survives the log. Copies are the same disk.
#[derive(Clone, Default)]
pub(crate) struct Disk(Arc<Mutex<OnDisk>>);

#[derive(Default)]
struct OnDisk {
    groups: Vec<Durable>,
    /// How many proposals the log of another owner gets in before.
    takeovers: usize,
    /// Where the log panics, once.
    panics: Option<Panics>,
}

/// Where a log may panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Panics {
    /// Before anything is handed in.
    Propose,
    /// When the next group is asked for.
    Next,
}

impl Disk {
    /// All groups that are kept, in order.
    pub fn groups(&self) -> Vec<Durable> {
        lock(&self.0).groups.clone()
    }

    /// The oldest proposals that are waiting when this many are next asked for will be refused late: somebody else has
    /// taken the shard over.
    pub fn depose(&self, proposals: usize) {
        lock(&self.0).takeovers += proposals;
    }

    /// The log panics at this place.
    pub fn panic_at(&self, place: Panics) {
        lock(&self.0).panics = Some(place);
    }

    fn panic_if_injected(&self, place: Panics) {
        let mut disk = lock(&self.0);
        if disk.panics == Some(place) {
            disk.panics = None;
            drop(disk);
            panic!("injected: {place:?}");
        }
    }

    /// What a start finds.
    pub(super) fn frames(&self) -> BTreeMap<u64, Frame> {
        let frame = |Durable { at, block, secrets }: Durable| {
            (at, Frame { number: at, secrets: secrets.to_vec(), block: block.to_vec() })
        };
        self.groups().into_iter().map(frame).collect()
    }

    pub(super) fn forget_below(&self, next: u64) {
        lock(&self.0).groups.retain(|group| group.at >= next);
    }

    /// The number after the newest block's.
    fn next(&self) -> u64 {
        lock(&self.0).groups.last().map_or(0, |newest| newest.at + 1)
    }
}

/// The log.
pub(crate) struct MemoryLog {
    disk: Disk,
    next: u64,
    /// Groups that may wait to be settled.
    most: usize,
    settled: Option<u64>,
    proposed: VecDeque<(ProposalId, Group)>,
    deposed: Vec<ProposalId>,
    proposals: u64,
}

impl MemoryLog {
    /// Goes on behind what is on the disk, and not before this number. Has room for so many groups that are not settled.
    pub fn open(disk: &Disk, next: u64, most: usize) -> MemoryLog {
        MemoryLog {
            disk: disk.clone(),
            next: disk.next().max(next),
            most,
            settled: None,
            proposed: VecDeque::new(),
            deposed: Vec::new(),
            proposals: 0,
        }
    }

    fn is_full(&self) -> Option<u64> {
        if self.most == usize::MAX {
            return None;
        }
        let groups = &lock(&self.disk.0).groups;
        let unsettled: Vec<u64> = groups.iter().map(|group| group.at).filter(|at| Some(*at) > self.settled).collect();
        (unsettled.len() >= self.most).then(|| unsettled[0])
    }
}

impl Log for MemoryLog {
    fn propose(&mut self, group: Group) -> Result<ProposalId, StoreError> {
        self.disk.panic_if_injected(Panics::Propose);
        let proposal = ProposalId(self.proposals);
        self.proposals += 1;
        self.proposed.push_back((proposal, group));
        Ok(proposal)
    }

    fn next(&mut self, _wait: Duration) -> Result<Option<Ordered>, NextError> {
        self.disk.panic_if_injected(Panics::Next);
        if self.proposed.is_empty() {
            return Ok(None);
        }
        if let Some(until) = self.is_full() {
            return Err(NextError::Full { until });
        }
        let Some((proposal, group)) = self.proposed.pop_front() else { return Ok(None) };
        let mut disk = lock(&self.disk.0);
        if disk.takeovers > 0 {
            disk.takeovers -= 1;
            self.deposed.push(proposal);
            return Ok(None);
        }
        let (mut block, mut secrets) = (Vec::new(), Vec::new());
        group.write_block(&mut block, self.next);
        group.write_secrets(&mut secrets, self.next);
        let durable = Durable { at: self.next, block: block.into(), secrets: secrets.into() };
        disk.groups.push(durable.clone());
        self.next += 1;
        let Durable { at, block, secrets } = durable;
        Ok(Some(Ordered { at, block, secrets, mine: Some(proposal) }))
    }

    fn deposed(&mut self) -> Vec<ProposalId> {
        std::mem::take(&mut self.deposed)
    }

    fn settled(&mut self, at: u64) -> Result<(), StoreError> {
        self.settled = self.settled.max(Some(at));
        Ok(())
    }
}
