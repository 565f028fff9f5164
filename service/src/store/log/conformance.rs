//! What every log must do. Each test runs on each log.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::files::numbers::Numbers;
use super::files::{self, Frame, Journal, StoreId};
use super::memory::{Disk, MemoryLog};
use super::{Before, Group, GroupRecord, Log, NextError, Ordered, ProposalId};
use crate::store::block::{Block, MAX_RECORD_BYTES, NO_BLOCK, find_secret};
use crate::store::{GameId, Options, Sequence, Status};

const STORE: StoreId = [5; 16];

/// A kind of log, on a disk of its own that survives it.
enum Kind {
    Files(tempfile::TempDir),
    Memory(Disk),
}

impl Kind {
    fn all() -> [Kind; 2] {
        [Kind::Files(tempfile::tempdir().unwrap()), Kind::Memory(Disk::default())]
    }

    /// The log as a start finds it, and what it holds by then.
    fn open(&self) -> (Box<dyn Log>, Vec<Ordered>) {
        match self {
            Kind::Files(dir) => open_files(dir.path()),
            Kind::Memory(disk) => {
                let held = disk.groups().into_iter();
                let held =
                    held.map(|held| Ordered { at: held.at, block: held.block, secrets: held.secrets, mine: None });
                (Box::new(MemoryLog::open(disk, 0, 20)), held.collect())
            }
        }
    }
}

fn open_files(dir: &Path) -> (Box<dyn Log>, Vec<Ordered>) {
    let options = Options {
        dir: dir.to_path_buf(),
        describe: |_| Err("nothing is described here".to_owned()),
        queue: 1,
        cache_bytes: 0,
        journal_bytes: files::MIN_JOURNAL_BYTES,
        accept_loss: false,
    };
    let store = dir.join("journal-0").exists().then_some(&STORE);
    let found = files::read(&options, store, None, |_| Ok(true)).unwrap();
    let held = |(at, frame): (&u64, &Frame)| {
        let (block, secrets) = (frame.block.clone().into(), frame.secrets.clone().into());
        Ordered { at: *at, block, secrets, mine: None }
    };
    let held: Vec<Ordered> = found.frames.iter().map(held).collect();
    let next = held.last().map_or(0, |newest| newest.at + 1);
    let numbers = Arc::new(Numbers::open(dir, next).unwrap());
    (Box::new(Journal::open(&options, STORE, &found, numbers, next).unwrap()), held)
}

fn game(number: u8) -> GameId {
    GameId([number; 16])
}

fn record(game: GameId, before: Before, sequence: u64, record: Vec<u8>) -> GroupRecord {
    let sequence = Sequence::new(sequence);
    GroupRecord { game, before, sequence, status: Status::Running, record: Bytes::from(record) }
}

/// A group that creates a game and plays one action of it.
fn group(number: u8) -> Group {
    let mut group = Group::default();
    group.push(record(game(number), Before::Nowhere, 0, vec![number; 10]));
    group.push(record(game(number), Before::SameGroup, 1, vec![number; 20]));
    group.secrets.push((game(number), [number; 32]));
    group
}

/// A group of one record as large as they come.
fn large(number: u8) -> Group {
    let mut group = Group::default();
    group.push(record(game(number), Before::Block(7), 3, vec![number; MAX_RECORD_BYTES]));
    group
}

fn next(log: &mut dyn Log) -> Option<Ordered> {
    log.next(Duration::ZERO).unwrap()
}

/// The group of this number is what was proposed, under the place that it has.
fn expect_group(ordered: &Ordered, number: u8) {
    let block = Block::parse(ordered.at, &ordered.block).unwrap();
    let items: Vec<_> = block.records().collect();
    let places: Vec<_> = items.iter().map(|item| (item.game, item.sequence.get(), item.previous_block)).collect();
    assert_eq!(places, [(game(number), 0, NO_BLOCK), (game(number), 1, ordered.at)]);
    assert_eq!(items[1].record(&ordered.block).unwrap(), [number; 20]);
    assert_eq!(find_secret(ordered.at, &ordered.secrets, game(number)), Some([number; 32]));
}

#[test]
fn groups_come_back_in_the_order_in_which_they_were_proposed() {
    for kind in Kind::all() {
        let (mut log, held) = kind.open();
        assert!(held.is_empty() && next(&mut *log).is_none());
        let proposals: Vec<ProposalId> = (1..=5).map(|number| log.propose(group(number)).unwrap()).collect();
        for (number, proposal) in (1..).zip(&proposals) {
            let ordered = next(&mut *log).unwrap();
            assert_eq!((ordered.at, ordered.mine), (u64::from(number) - 1, Some(*proposal)));
            expect_group(&ordered, number);
        }
        assert!(next(&mut *log).is_none() && log.deposed().is_empty());
    }
}

#[test]
fn what_came_back_is_there_at_the_next_start_and_what_did_not_is_not() {
    for kind in Kind::all() {
        let (mut log, _) = kind.open();
        for number in 1..=3 {
            log.propose(group(number)).unwrap();
        }
        next(&mut *log).unwrap();
        next(&mut *log).unwrap();
        drop(log);
        let (mut log, held) = kind.open();
        assert_eq!(held.len(), 2);
        for (number, ordered) in (1..).zip(&held) {
            expect_group(ordered, number);
        }
        log.propose(group(9)).unwrap();
        assert_eq!(next(&mut *log).unwrap().at, 2, "places go on where they were");
    }
}

#[test]
fn a_full_log_says_what_must_be_settled_and_goes_on_when_it_is() {
    for kind in Kind::all() {
        let (mut log, _) = kind.open();
        let mut given = Vec::new();
        let mut filled = 0;
        for number in 0..200 {
            let proposal = log.propose(large(number)).unwrap();
            let ordered = loop {
                match log.next(Duration::ZERO) {
                    Ok(ordered) => break ordered.unwrap(),
                    Err(NextError::Full { until }) => {
                        assert!(given.contains(&until), "{until} was never given back");
                        assert!(matches!(log.next(Duration::ZERO), Err(NextError::Full { .. })), "still full");
                        filled += 1;
                        log.settled(until).unwrap();
                    }
                    Err(NextError::Failed(error)) => panic!("{error}"),
                }
            };
            assert_eq!(ordered.mine, Some(proposal), "nothing is lost or passed over by waiting");
            let block = Block::parse(ordered.at, &ordered.block).unwrap();
            let item = block.records().next().unwrap();
            assert_eq!((item.game, item.previous_block), (game(number), 7));
            given.push(ordered.at);
        }
        assert!(filled > 1, "it was never full");
        assert_eq!(given, (0..200).collect::<Vec<u64>>());
    }
}

/// Only a log that others write to can refuse late; this is what the writer relies on then.
#[test]
fn a_deposed_proposal_never_comes_back_and_holds_up_no_other() {
    let disk = Disk::default();
    let mut log = MemoryLog::open(&disk, 0, 20);
    let proposals: Vec<ProposalId> = (1..=3).map(|number| log.propose(group(number)).unwrap()).collect();
    disk.depose(1);
    assert!(next(&mut log).is_none());
    assert_eq!(log.deposed(), [proposals[0]]);
    assert!(log.deposed().is_empty(), "it is said once");
    for (number, proposal) in (2..).zip(&proposals[1..]) {
        let ordered = next(&mut log).unwrap();
        assert_eq!(ordered.mine, Some(*proposal));
        expect_group(&ordered, number);
    }
    assert_eq!(disk.groups().len(), 2);
}
