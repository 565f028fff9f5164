//! The index: lists, lookups, and its rebuilding from the blocks.

use super::*;
use crate::lock::lock;
use crate::store::database::raw::KEY_THROUGH;

/// Ten games of different lengths, in blocks of their own.
fn ten_games(rig: &Rig) {
    for game in 1..=10 {
        rig.play(id(game), 0, 1 + game as u32 % 4);
    }
    let last = Append { status: Status::Finished, ..append(id(3), 4) };
    rig.put(last);
}

#[test]
fn what_is_synced_is_shown_at_once_and_after_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    ten_games(&rig);
    let check = |rig: &Rig| {
        for game in 1..=10 {
            let game = id(game);
            let stored = rig.store.read_game(game).unwrap().unwrap();
            assert_eq!(stored.secret, Some(secret(game)));
            assert_eq!(Some(&stored.head), rig.store.entry(game).unwrap().as_ref());
            assert_eq!(stored.head.revision, Revision::of(&stored.records));
            let count = stored.records.len() as u32;
            assert_eq!(rig.bytes(game), records(game, count));
            let found = rig.store.creation(&format!("request-{game}")).unwrap();
            assert_eq!(found, Some(game));
        }
        assert_eq!(rig.store.entry(id(3)).unwrap().unwrap().status, Status::Finished);
        assert_eq!(rig.store.entry(id(11)).unwrap(), None);
        assert_eq!(rig.store.read_game(id(11)).unwrap(), None);
        assert_eq!(rig.store.creation("").unwrap(), None);
        assert_eq!(rig.store.creation("unheard of").unwrap(), None);
    };
    check(&rig);
    rig.store.housekeep().unwrap();
    check(&rig);
    let before = rig.entries();
    rig.close();
    let rig = Rig::open(dir.path());
    check(&rig);
    assert_eq!(rig.entries(), before);
    assert_eq!(rig.play(id(10), 3, 1), [before.iter().map(|e| e.last_block).max().unwrap() + 1]);
    rig.close();
}

#[test]
fn entries_being_written_stay_visible() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 1);
    rig.store.housekeep().unwrap();
    rig.play(id(1), 1, 1);
    rig.play(id(2), 0, 1);
    {
        // As the housekeeper leaves it while it writes to the trees.
        let _alone = lock(&rig.store.0.shared.housekeeping);
        let mut overlay = rig.store.0.shared.overlay();
        overlay.writing = Arc::new(std::mem::take(&mut overlay.dirty));
        overlay.writing_creations = Arc::new(std::mem::take(&mut overlay.dirty_creations));
    }
    rig.play(id(3), 0, 1);
    let shown: Vec<_> = rig.entries().iter().map(|e| (e.id, e.revision.get())).collect();
    assert_eq!(shown, [(id(3), 1), (id(2), 1), (id(1), 2)]);
    assert_eq!(rig.store.creation(&format!("request-{}", id(2))).unwrap(), Some(id(2)));
    assert_eq!(rig.bytes(id(1)), records(id(1), 2));
}

#[test]
fn the_index_is_rebuilt_equal() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    ten_games(&rig);
    let before = rig.entries();
    rig.close();
    type Change = fn(&raw::Db);
    let wipe_all: Change = |db| {
        for tree in ["games", "creations"] {
            db.drop_tree(tree).unwrap();
        }
    };
    let no_through: Change = |db| {
        let games = db.open_tree("games").unwrap();
        games.remove(KEY_THROUGH).unwrap();
        // What is left of such an index is not believed.
        games.insert(id(99).0, b"nonsense").unwrap();
    };
    let entries_ahead: Change = |db| {
        let games = db.open_tree("games").unwrap();
        games.insert(KEY_THROUGH, &5_u64.to_be_bytes()).unwrap();
    };
    let behind: Change = |db| {
        // As after a crash: nothing of the later blocks is in the index.
        let games = db.open_tree("games").unwrap();
        games.insert(KEY_THROUGH, &4_u64.to_be_bytes()).unwrap();
        for item in games.iter() {
            let (key, value) = item.unwrap();
            let Ok(key) = key.as_ref().try_into() else {
                continue;
            };
            let first = super::super::entry::decode(GameId(key), &value).unwrap();
            if first.last_block > 4 {
                games.remove(key).unwrap();
            }
        }
        db.open_tree("creations").unwrap().clear().unwrap();
        let two = super::super::database::index::creation_key(&format!("request-{}", id(1)));
        db.open_tree("creations").unwrap().insert(two, &id(1).0).unwrap();
    };
    // Game 2 ends in block 4, so block 4 is a boundary between games.
    for change in [wipe_all, no_through, entries_ahead, behind] {
        tamper(dir.path(), change);
        let rig = Rig::open(dir.path());
        assert_eq!(rig.entries(), before);
        for entry in &before {
            assert_eq!(rig.bytes(entry.id).len() as u64, entry.revision.get());
        }
        for game in [1, 3, 10] {
            let found = rig.store.creation(&format!("request-{}", id(game))).unwrap();
            assert_eq!(found, Some(id(game)));
        }
        rig.close();
    }
}

#[test]
fn start_up_reads_only_the_tail() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    ten_games(&rig);
    rig.close();
    // Had the scan described a record, opening would fail.
    let never: Describe = |_| panic!("a record was read");
    let rig = Rig::with(Options { describe: never, ..options(dir.path()) }).unwrap();
    assert_eq!(rig.entries().len(), 10);
    rig.close();
}

#[test]
fn lists_go_page_by_page_newest_first() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    // Old ones in the tree, new ones in the overlay, some in both.
    for game in 1..=20 {
        rig.play(id(game), 0, 1);
    }
    rig.store.housekeep().unwrap();
    for game in 15..=30 {
        rig.play(id(game), u32::from(game <= 20), 1);
    }
    let walk = |scan_limit: usize, page: usize, keep: fn(&GameEntry) -> bool| {
        let (mut found, mut before, mut calls) = (Vec::new(), None, 0);
        loop {
            let page_found = rig.store.list(before, scan_limit, keep, page).unwrap();
            assert!(page_found.entries.len() <= page.min(scan_limit));
            found.extend(page_found.entries.iter().map(|e| u128::from_be_bytes(e.id.0)));
            calls += 1;
            assert!(calls < 100, "the walk ends");
            match page_found.next {
                Some(next) => before = Some(next),
                None => return (found, calls),
            }
        }
    };
    let all: Vec<u128> = (1..=30).rev().collect();
    let even: Vec<u128> = (1..=30).rev().filter(|n| n % 2 == 0).collect();
    let is_even: fn(&GameEntry) -> bool = |e| e.id.0[15] % 2 == 0;
    // (scan limit, page, calls for all)
    for (scan_limit, page, calls) in [(1000, 1000, 1), (1000, 30, 1), (1000, 7, 5), (4, 1000, 8), (1, 1, 30)] {
        assert_eq!(walk(scan_limit, page, |_| true), (all.clone(), calls));
        assert_eq!(walk(scan_limit, page, is_even).0, even);
    }
    // A page without a match still says where to go on.
    let none = rig.store.list(None, 5, |_| false, 10).unwrap();
    assert_eq!((none.entries.len(), none.next), (0, Some(id(26))));
    let two = rig.store.list(Some(id(3)), 50, |_| true, 10).unwrap();
    assert_eq!(two.entries.iter().map(|e| e.id).collect::<Vec<_>>(), [id(2), id(1)]);
    assert_eq!(rig.entries().iter().filter(|e| e.revision.get() == 2).count(), 6);
    rig.close();
}

#[test]
fn the_watermark_names_a_synced_block_and_rests_when_nothing_changes() {
    use std::os::unix::fs::MetadataExt;
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    assert_eq!(super::watermark::read(dir.path()).unwrap(), None);
    for sequence in 0..20 {
        let block = rig.play(id(1), sequence, 1)[0];
        rig.store.housekeep().unwrap();
        let mark = super::watermark::read(dir.path()).unwrap().unwrap();
        let stats = rig.store.stats();
        assert_eq!((mark.block, stats.watermark), (block, Some(block)));
        assert!(Some(mark.block) <= stats.last_durable_block);
        let value = rig.store.0.shared.database.blocks().get(block).unwrap().unwrap();
        assert_eq!(mark, super::watermark::Watermark::of(block, &value));
    }
    let file = || std::fs::metadata(dir.path().join("watermark")).unwrap().ino();
    let before = file();
    rig.store.housekeep().unwrap();
    assert_eq!(file(), before, "nothing changed, nothing written");
    // A block that is inserted but not synced is not named.
    let shared = &rig.store.0.shared;
    shared.database.blocks().put(20, b"not synced").unwrap();
    rig.store.housekeep().unwrap();
    assert_eq!(super::watermark::read(dir.path()).unwrap().unwrap().block, 19);
}

#[test]
fn the_writer_waits_when_too_much_is_dirty() {
    let dir = tempfile::tempdir().unwrap();
    // The journal must not be what it waits for.
    let rig = Rig::with(Options { journal_bytes: 16 << 20, ..options(dir.path()) }).unwrap();
    let most = super::shared_state::MAX_DIRTY;
    let count = most + 5_000;
    // While this is held the housekeeper cannot take anything.
    let held = lock(&rig.store.0.shared.housekeeping);
    for game in 0..count {
        rig.writer.append(append(id(game as u128), 0)).unwrap();
    }
    let mut answered = 0;
    while answered <= most {
        answered += rig.groups.recv().unwrap().0.len();
    }
    assert!(answered <= most + super::block::MAX_RECORDS);
    rig.until_writer_waits();
    assert!(rig.groups.try_recv().is_err(), "the writer goes on");
    drop(held);
    while answered < count {
        answered += rig.groups.recv().unwrap().0.len();
    }
    rig.store.housekeep().unwrap();
    assert!(rig.store.0.shared.overlay().dirty.is_empty());
    assert_eq!(rig.store.entry(id(count as u128 - 1)).unwrap().unwrap().revision.get(), 1);
    rig.close();
}
