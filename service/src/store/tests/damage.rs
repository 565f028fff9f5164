//! Flipped bits and lost blocks: a read gives the bytes that were written, or
//! says that they are damaged. Never other bytes, never a shorter game.

use super::*;
use crate::lock::lock;
use crate::store::database::raw::KEY_THROUGH;

const OLD: u128 = 1;
const BOTH: u128 = 2;
const OTHER: u128 = 3;
const NEW: u128 = 4;

/// Games in this one block: BOTH goes on in it with two records, OTHER ends in
/// it, NEW begins in it. OLD is not in it. Returns the block's number.
fn shared_block(dir: &Path) -> u64 {
    let rig = Rig::open(dir);
    rig.play(id(OLD), 0, 3);
    rig.play(id(BOTH), 0, 2);
    rig.play(id(OTHER), 0, 1);
    rig.close();
    let (rig, gate) = Rig::gated(options(dir));
    rig.put(Append { status: Status::Finished, ..append(id(OLD), 3) });
    for (game, sequence) in [(BOTH, 2), (BOTH, 3), (OTHER, 1), (NEW, 0)] {
        rig.writer.append(append(id(game), sequence)).unwrap();
    }
    drop(gate);
    let (tickets, durability) = rig.groups.recv().unwrap();
    assert_eq!(tickets.len(), 4, "one group");
    let Durability::Durable { block } = durability else { panic!() };
    rig.close();
    block
}

/// The game whole, or damaged (and then where); anything else is a failure.
fn whole_or_damaged(rig: &Rig, game: u128, count: u32, at: usize) -> Option<(Option<u64>, u64)> {
    match rig.store.read_game(id(game)) {
        Ok(Some(stored)) => {
            let bytes: Vec<_> = stored.records.iter().map(|r| r.bytes.to_vec()).collect();
            assert_eq!(bytes, records(id(game), count), "byte {at}");
            None
        }
        Err(StoreError::Damaged { game: named, sequence, block, .. }) => {
            assert_eq!(named, id(game));
            Some((sequence.map(Sequence::get), block))
        }
        other => panic!("byte {at}, game {game}: {other:?}"),
    }
}

fn block_value(rig: &Rig, block: u64) -> Vec<u8> {
    let value = rig.store.0.shared.database.blocks().get(block);
    value.unwrap().unwrap().to_vec()
}

#[test]
fn every_flipped_bit_of_a_block_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let block = shared_block(dir.path());
    let rig = Rig::open(dir.path());
    let sound = block_value(&rig, block);
    let blocks = rig.store.0.shared.database.blocks().tree();
    for at in 0..sound.len() {
        for bit in 0..8 {
            let mut value = sound.clone();
            value[at] ^= 1 << bit;
            blocks.insert(block.to_be_bytes(), value).unwrap();
            assert_eq!(whole_or_damaged(&rig, OLD, 4, at), None, "another block's game");
            let damaged =
                [(BOTH, 4), (OTHER, 2), (NEW, 1)].map(|(game, count)| whole_or_damaged(&rig, game, count, at));
            assert!(damaged.iter().any(Option::is_some), "byte {at} is in use");
            for (_, named) in damaged.into_iter().flatten() {
                assert_eq!(named, block);
            }
        }
    }
    for cut in 0..sound.len() {
        blocks.insert(block.to_be_bytes(), &sound[..cut]).unwrap();
        assert!(whole_or_damaged(&rig, BOTH, 4, cut).is_some());
    }
    blocks.insert(block.to_be_bytes(), sound).unwrap();
    for (game, count) in [(OLD, 4), (BOTH, 4), (OTHER, 2), (NEW, 1)] {
        assert_eq!(whole_or_damaged(&rig, game, count, 0), None);
    }
}

#[test]
fn a_flipped_record_damages_its_game_alone_and_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let block = shared_block(dir.path());
    let rig = Rig::open(dir.path());
    let mut value = block_value(&rig, block);
    // The bodies are in order: two of BOTH, one of OTHER, one of NEW at the end.
    let new = record(id(NEW), 0).len();
    let other = record(id(OTHER), 1).len();
    let at = value.len() - new - other;
    value[at - 1] ^= 1;
    rig.store.0.shared.database.blocks().put(block, value).unwrap();
    assert_eq!(whole_or_damaged(&rig, BOTH, 4, at), Some((Some(3), block)));
    assert_eq!(whole_or_damaged(&rig, OTHER, 2, at), None);
    assert_eq!(whole_or_damaged(&rig, NEW, 1, at), None);
}

/// The same flips, found by the scan at start: a head must not end before the
/// damage. The scan runs on an open store, which is as good and far quicker.
#[test]
fn a_flip_before_the_index_is_written_never_shortens_a_game() {
    let dir = tempfile::tempdir().unwrap();
    let block = shared_block(dir.path());
    let rig = Rig::open(dir.path());
    let shared = &rig.store.0.shared;
    let sound = block_value(&rig, block);
    // Not the housekeeper's business meanwhile.
    let _alone = lock(&shared.housekeeping);
    let (mut left_out, mut in_doubt, mut pointed_at) = (0, 0, 0);
    for (at, bit) in (0..sound.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
        let mut value = sound.clone();
        value[at] ^= 1 << bit;
        shared.database.blocks().put(block, value).unwrap();
        *shared.overlay() = Default::default();
        *lock(&shared.unknown_block) = None;
        let note = |block| {
            *lock(&shared.unknown_block) = Some(block);
            Ok(())
        };
        crate::store::recover::index(shared, None, describe, None, note).unwrap();

        assert_eq!(whole_or_damaged(&rig, OLD, 4, at), None, "finished before the damage");
        let both = whole_or_damaged(&rig, BOTH, 4, at);
        let other = whole_or_damaged(&rig, OTHER, 2, at);
        in_doubt += usize::from(lock(&shared.unknown_block).is_some());
        pointed_at += usize::from(lock(&shared.unknown_block).is_none() && both.and(other).is_some());
        match rig.store.read_game(id(NEW)) {
            // Its only record is unreadable, so nothing is known of it.
            Ok(None) => left_out += 1,
            _ => assert_eq!(whole_or_damaged(&rig, NEW, 1, at), None),
        }
    }
    // Each of the ways to handle it was taken.
    println!("left out {left_out}, in doubt {in_doubt}, pointed at {pointed_at}");
    assert!(left_out > 0 && in_doubt > 0 && pointed_at > 0);
    let unharmed = sound.len() * 8 - left_out;
    assert!(unharmed > 0);
}

#[test]
fn a_damaged_block_in_the_middle_is_found_through_later_ones() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    let blocks = rig.play(id(1), 0, 5);
    rig.play(id(2), 0, 1);
    rig.close();
    type Change = fn(&raw::Tree, u64);
    let remove: Change = |tree, block| {
        tree.remove(block.to_be_bytes()).unwrap();
    };
    let garbage: Change = |tree, block| {
        tree.insert(block.to_be_bytes(), vec![7; 300]).unwrap();
    };
    for change in [garbage, remove] {
        for wipe in [false, true] {
            tamper(dir.path(), |db| {
                change(&db.open_tree("blocks").unwrap(), blocks[2]);
                if wipe {
                    db.open_tree("games").unwrap().remove(KEY_THROUGH).unwrap();
                }
            });
            let rig = Rig::open(dir.path());
            assert_eq!(rig.store.entry(id(1)).unwrap().unwrap().revision.get(), 5);
            assert_eq!(whole_or_damaged(&rig, 1, 5, 0), Some((Some(2), blocks[2])));
            assert_eq!(whole_or_damaged(&rig, 2, 1, 0), None, "has a later record");
            rig.close();
        }
    }
}

#[test]
fn a_lost_block_puts_running_games_in_doubt_until_it_is_accepted() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 2);
    rig.put(append(id(2), 0));
    rig.put(Append { status: Status::Finished, ..append(id(2), 1) });
    let lost = rig.play(id(1), 2, 1)[0];
    rig.play(id(3), 0, 1);
    rig.close();
    tamper(dir.path(), |db| {
        db.open_tree("blocks").unwrap().remove(lost.to_be_bytes()).unwrap();
        db.open_tree("games").unwrap().remove(KEY_THROUGH).unwrap();
    });
    for _ in 0..2 {
        // Also at the next start, which does not scan the gap again.
        let rig = Rig::open(dir.path());
        assert_eq!(whole_or_damaged(&rig, 1, 3, 0), Some((Some(2), lost)));
        assert_eq!(whole_or_damaged(&rig, 2, 2, 0), None);
        assert_eq!(whole_or_damaged(&rig, 3, 1, 0), None);
        rig.close();
    }
    let accept = Options { accept_loss: true, ..options(dir.path()) };
    Rig::with(accept).unwrap().close();
    tamper(dir.path(), |db| {
        db.open_tree("games").unwrap().remove(KEY_THROUGH).unwrap();
    });
    let rig = Rig::open(dir.path());
    assert_eq!(rig.bytes(id(1)), records(id(1), 2));
    rig.play(id(1), 2, 1);
    rig.close();
}

#[test]
fn a_damaged_index_entry_is_an_error_not_an_absence() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 1);
    rig.play(id(2), 0, 1);
    rig.store.housekeep().unwrap();
    let games = rig.store.0.shared.database.games().clone();
    let sound = games.get(id(1).0).unwrap().unwrap();
    for at in 0..sound.len() {
        let mut value = sound.to_vec();
        value[at] ^= 4;
        games.insert(id(1).0, value).unwrap();
        let error = rig.store.entry(id(1)).unwrap_err();
        assert!(matches!(error, StoreError::IndexDamaged { .. }), "{error}");
        assert!(rig.store.read_game(id(1)).is_err());
        assert_eq!(rig.entries().len(), 1, "lists leave it out");
    }
}
