//! From `append` to the answer.

use super::*;
use crate::lock::lock;

#[test]
fn tickets_come_back_once_and_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    let (games, moves) = (40_u128, 50_u32);
    for sequence in 0..moves {
        for game in 0..games {
            rig.writer.append(append(id(game), sequence)).unwrap();
        }
    }
    let total = games as usize * moves as usize;
    let mut seen = Vec::new();
    let mut last_block = None;
    let mut groups = 0;
    while seen.len() < total {
        let (tickets, durability) = rig.groups.recv().unwrap();
        let Durability::Durable { block } = durability else {
            panic!("{durability:?}");
        };
        assert!(Some(block) > last_block, "block numbers grow");
        assert!(tickets.len() <= super::block::MAX_RECORDS);
        last_block = Some(block);
        groups += 1;
        seen.extend(tickets);
    }
    assert!(groups < total, "records are written in groups");
    for game in 0..games {
        let of_game: Vec<u32> = seen.iter().filter(|t| t.0 == id(game)).map(|t| t.1).collect();
        assert_eq!(of_game, (0..moves).collect::<Vec<_>>());
        assert_eq!(rig.bytes(id(game)), records(id(game), moves));
    }
    assert_eq!(rig.store.stats().records, total as u64);
    assert_eq!(rig.store.stats().blocks, groups as u64);
    assert!(rig.groups.try_recv().is_err(), "no ticket twice");
    rig.close();
}

#[test]
fn a_group_is_one_block_and_bounded_in_size() {
    let dir = tempfile::tempdir().unwrap();
    let (rig, gate) = Rig::gated(options(dir.path()));
    rig.writer.append(append(id(1), 0)).unwrap();
    rig.groups.recv().unwrap();
    // The writer is held: these wait together. 600 exceed the count of a block,
    // and the large ones its size.
    for sequence in 1..=600 {
        rig.writer.append(append(id(1), sequence)).unwrap();
    }
    let mut before = record(id(1), 600);
    for sequence in 601..=604 {
        let mut large = format!("R {sequence} ").into_bytes();
        large.resize(MAX_RECORD_BYTES, b'x');
        rig.writer.append(after(&before, append_bytes(id(1), sequence, large.clone()))).unwrap();
        before = large;
    }
    drop(gate);
    let mut sizes = Vec::new();
    while sizes.iter().sum::<usize>() < 604 {
        sizes.push(rig.groups.recv().unwrap().0.len());
    }
    assert_eq!(sizes, [512, 89, 1, 1, 1]);
    rig.store.housekeep().unwrap();
    let blocks: Vec<_> = rig.store.0.shared.database.blocks().since(0).map(|item| item.unwrap().1.len()).collect();
    assert_eq!(blocks.len(), 6);
    assert!(blocks.into_iter().all(|bytes| bytes <= super::block::MAX_BLOCK_BYTES));
    assert_eq!(rig.store.read_game(id(1)).unwrap().unwrap().records.len(), 605);
    rig.close();
}

/// The database never syncs its blob files; see `SEGMENT_BYTES`.
#[test]
fn the_largest_blocks_do_not_become_blob_files() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.put(append(id(1), 0));
    let shared = &rig.store.0.shared;
    for number in 1..200_u64 {
        let block = vec![number as u8; super::block::MAX_BLOCK_BYTES];
        shared.database.blocks().put(number, block).unwrap();
        shared.database.sync().unwrap();
    }
    let blobs = std::fs::read_dir(dir.path().join("blobs")).unwrap().count();
    assert_eq!(blobs, 0);
}

/// A number that stands in a block once, and nowhere else.
fn mark(number: u64) -> [u8; 16] {
    Sha256::digest(number.to_be_bytes())[..16].try_into().unwrap()
}

/// The database writes a leaf again when it splits it; see `blocks`.
#[test]
fn a_block_is_written_to_the_database_once() {
    const COUNT: u64 = 300;
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    let shared = &rig.store.0.shared;
    for number in 0..COUNT {
        let mut block = vec![number as u8; 8_000];
        block[4_000..4_016].copy_from_slice(&mark(number));
        shared.database.blocks().put(number, block).unwrap();
        if number % 7 == 0 {
            shared.database.sync().unwrap();
        }
    }
    shared.database.sync().unwrap();
    let file = std::fs::read(dir.path().join("db")).unwrap();
    let mut copies = std::collections::HashMap::<&[u8], u32>::new();
    for window in file.windows(16) {
        *copies.entry(window).or_default() += 1;
    }
    for number in 0..COUNT {
        assert_eq!(copies.get(mark(number).as_slice()), Some(&1), "copies of block {number}");
    }
    // What was only reserved is no block, neither the last one nor one of the scan's.
    assert_eq!(shared.database.blocks().last().unwrap(), Some(COUNT - 1));
    assert_eq!(shared.database.blocks().get(COUNT).unwrap(), None);
    assert_eq!(shared.database.blocks().since(0).map(|item| item.unwrap().0).max(), Some(COUNT - 1));
}

#[test]
fn a_full_queue_hands_the_append_back() {
    let dir = tempfile::tempdir().unwrap();
    let (rig, gate) = Rig::gated(Options { queue: 3, ..options(dir.path()) });
    rig.writer.append(append(id(1), 0)).unwrap();
    rig.groups.recv().unwrap();
    for sequence in 1..=3 {
        rig.writer.append(append(id(1), sequence)).unwrap();
    }
    // What is not synced is not shown.
    assert_eq!(rig.store.entry(id(1)).unwrap().unwrap().revision.get(), 1);
    let Err(AppendError::Full(back)) = rig.writer.append(append(id(1), 4)) else {
        panic!("the queue holds three");
    };
    assert_eq!((back.ticket, back.record.to_vec()), ((id(1), 4), record(id(1), 4)));
    drop(gate);
    assert_eq!(rig.groups.recv().unwrap().0.len(), 3);
    assert_eq!(rig.put(back), 2);
    rig.close();
}

#[test]
fn a_wrong_append_fails_alone() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 2);
    let refused = |append: Append<Ticket>| {
        rig.writer.append(append).unwrap();
        match rig.groups.recv().unwrap() {
            (tickets, Durability::Refused(error)) if tickets.len() == 1 => error,
            other => panic!("{other:?}"),
        }
    };
    for (game, sequence, has) in [(1, 1, 2), (1, 3, 2), (1, 0, 2), (2, 1, 0)] {
        match *refused(append(id(game), sequence)) {
            StoreError::OutOfSequence { given, expected, .. } => {
                assert_eq!((given.get(), expected.get()), (sequence.into(), has));
            }
            ref other => panic!("{other}"),
        }
    }
    // The sequence fits, and the record before is another one: the log stays as it is.
    let other = refused(Append { previous: [7; 32], ..append(id(1), 2) });
    assert!(
        matches!(*other, StoreError::OtherHistory { given, .. } if given.get() == 2) && other.is_conflict(),
        "{other}"
    );
    let other = refused(Append { previous: [7; 32], ..append(id(3), 0) });
    assert!(matches!(*other, StoreError::OtherHistory { given: Sequence::SETUP, .. }), "{other}");
    for wrong in [
        Append { new_game: None, ..append(id(3), 0) },
        Append { new_game: append(id(1), 0).new_game, ..append(id(1), 2) },
    ] {
        let error = refused(wrong);
        assert!(matches!(*error, StoreError::InvalidAppend { .. }), "{error}");
    }
    let large = Append { record: vec![0; MAX_RECORD_BYTES + 1].into(), ..append(id(1), 2) };
    assert!(matches!(rig.writer.append(large), Err(AppendError::TooLarge { .. })));
    let mut wordy = append(id(3), 0);
    let creation = &mut wordy.new_game.as_mut().unwrap().creation;
    creation.labels.push(("k".into(), "v".repeat(MAX_CREATION_TEXT_BYTES)));
    assert!(matches!(rig.writer.append(wordy), Err(AppendError::TooLarge { .. })));

    assert!(rig.store.failure().is_none(), "none of this is the store's failure");
    rig.play(id(1), 2, 1);
    rig.play(id(3), 0, 1);
    rig.close();
}

#[test]
fn close_drains_the_queue() {
    let dir = tempfile::tempdir().unwrap();
    let (rig, gate) = Rig::gated(options(dir.path()));
    let count = 2_000;
    for sequence in 0..count {
        rig.writer.append(append(id(1), sequence)).unwrap();
    }
    drop(gate);
    let Rig { store, writer, groups } = rig;
    store.close();
    let answered: usize = groups.iter().map(|(tickets, _)| tickets.len()).sum();
    assert_eq!(answered, count as usize);
    // The writer outlives the store, and neither keeps the folder nor hangs.
    assert!(matches!(writer.append(append(id(2), 0)), Err(AppendError::Closed(_))));
    let rig = Rig::open(dir.path());
    assert_eq!(rig.bytes(id(1)), records(id(1), count));
    let stats = rig.store.stats();
    assert_eq!(stats.watermark, stats.last_durable_block);
    rig.close();
}

#[test]
fn a_panicking_answer_becomes_a_sticky_failure() {
    let dir = tempfile::tempdir().unwrap();
    let (store, writer) = open(options(dir.path()), |_: Vec<Ticket>, _| panic!("on purpose")).unwrap();
    writer.append(append(id(1), 0)).unwrap();
    let thread = lock(&store.0.writer).take().unwrap();
    thread.join().unwrap();
    assert!(store.failure().is_some());
    let refused = writer.append(append(id(1), 1));
    assert!(matches!(refused, Err(AppendError::Failed(..))));
    store.close();
    assert_eq!(Rig::open(dir.path()).bytes(id(1)), records(id(1), 1));
}

/// The housekeeper has noticed that a file was deleted, and has ended; the group that the writer was syncing comes after.
#[test]
fn a_group_that_comes_after_a_file_was_found_deleted_is_brought_to_the_database_at_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    let block = rig.put(append(id(1), 0));
    rig.store.housekeep().unwrap();
    let shared = Arc::clone(&rig.store.0.shared);
    let path = dir.path().join("journal-0");
    shared.fail(StoreError::Gone { path, how: "is not there any more", only_copy: false });
    let deadline = Instant::now() + Duration::from_secs(120);
    while !lock(&rig.store.0.housekeeper).as_ref().unwrap().is_finished() {
        assert!(Instant::now() < deadline, "the housekeeper goes on");
        std::thread::sleep(Duration::from_millis(1));
    }
    let (late, before) = (block + 1, shared.block(block).unwrap().unwrap());
    let value = settle::Value { block: before, secrets: Bytes::new() };
    shared.publish(late, Some(value), [], []);
    drop(shared);
    rig.close();
    let blocks = raw(dir.path()).open_tree("blocks").unwrap();
    assert!(blocks.get(late.to_be_bytes()).unwrap().is_some(), "it was in the journal alone");
}
