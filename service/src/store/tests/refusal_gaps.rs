//! When refusals may be missing: what a start makes of the store that it finds.

use super::*;
use crate::store::database::clean_shutdown;
use crate::store::refusals::GameGaps;
use divelog_ledger::Sequence;

fn numbers(kept: &KeptRefusals) -> Vec<u64> {
    kept.newest_first.iter().map(|(number, _)| *number).collect()
}

fn gaps(rig: &Rig, game: u128) -> GameGaps {
    rig.store.list_refusals(id(game)).unwrap().gaps
}

fn now_ms() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64
}

#[test]
fn a_store_that_is_closed_leaves_no_gap_and_one_that_is_not_leaves_one() {
    let dir = tempfile::tempdir().unwrap();
    let copy = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 1);
    rig.store.refusals().keep(id(1), b"written".to_vec());
    rig.store.housekeep().unwrap();
    // What a kill leaves: everything that was synced, and nothing of what waits.
    rig.store.refusals().keep(id(1), b"waits".to_vec());
    let held = rig.store.refusals();
    let held = held.hold();
    for file in std::fs::read_dir(dir.path()).unwrap().map(Result::unwrap) {
        if file.file_type().unwrap().is_file() {
            std::fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
        }
    }
    drop(held);
    rig.close();

    let killed = Rig::open(copy.path());
    let kept = killed.store.list_refusals(id(1)).unwrap();
    assert!(kept.newest_first.iter().any(|(_, value)| value == b"written"));
    let [gap] = kept.gaps.list[..] else { panic!("{:?}", kept.gaps) };
    assert_eq!((gap.cause, gap.count), (GapCause::UncleanEnd, 0));
    assert!(gap.from_ms <= gap.to_ms && kept.gaps.known_since_ms.is_none());
    killed.close();
    let again = Rig::open(copy.path());
    assert_eq!(again.store.list_refusals(id(1)).unwrap().gaps, kept.gaps, "a stop in good order adds none");
    again.close();

    let rig = Rig::open(dir.path());
    let kept = rig.store.list_refusals(id(1)).unwrap();
    assert_eq!((numbers(&kept), kept.gaps.list), (vec![1, 0], vec![]));
    rig.close();
}

/// A store of an earlier version, and one that was restored, knows nothing of what came before.
#[test]
fn a_store_without_a_mark_knows_of_gaps_only_from_now_on() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 1);
    assert_eq!(gaps(&rig, 1), GameGaps::default());
    rig.close();
    tamper(dir.path(), |db| {
        let meta = db.open_tree("meta").unwrap();
        meta.remove("refusals-through").unwrap().expect("a mark");
        meta.remove("refusal-gaps").unwrap().expect("gaps");
    });
    let before = now_ms();
    let rig = Rig::open(dir.path());
    let since = gaps(&rig, 1).known_since_ms.unwrap();
    assert!((before..=now_ms()).contains(&since), "{since} {before}");
    rig.play(id(2), 0, 1);
    rig.play(id(1), 1, 1);
    rig.close();
    let rig = Rig::open(dir.path());
    assert_eq!(gaps(&rig, 1), GameGaps { known_since_ms: Some(since), list: vec![] });
    assert_eq!(gaps(&rig, 2), GameGaps::default(), "it began later");
    rig.close();
}

/// Somebody who only looks at a store, as a restore does, refuses nothing and knows nothing of refusals.
#[test]
fn a_store_that_was_only_checked_knows_of_gaps_from_the_first_time_that_it_is_served() {
    let dir = tempfile::tempdir().unwrap();
    let mut new = crate::store::rebuild::Rebuild::create(dir.path()).unwrap();
    let first = block::Placed {
        game: id(1),
        previous_block: block::NO_BLOCK,
        sequence: Sequence::SETUP,
        status: Status::Running,
        record: record(id(1), 0),
    };
    new.put(0, &block::encode(0, &[first]), &[(id(1), secret(id(1)))]).unwrap();
    new.finish().unwrap();
    for _ in 0..2 {
        let store = open_to_check(&options(dir.path())).unwrap();
        assert!(store.read_game(id(1)).unwrap().is_some());
        store.close();
    }
    let before = now_ms();
    let rig = Rig::open(dir.path());
    assert!(gaps(&rig, 1).known_since_ms.unwrap() >= before);
    rig.close();
    // Checked in between it is as it was.
    open_to_check(&options(dir.path())).unwrap().close();
    let rig = Rig::open(dir.path());
    let [gap] = gaps(&rig, 1).list[..] else { panic!("whoever looked at it has left no note of the run") };
    assert_eq!(gap.cause, GapCause::OtherDatabase);
    rig.close();
}

/// A store that has refused something in a first run and, after the copy was taken, in a second one.
fn put_back(dir: &Path, more_records: bool) {
    let rig = Rig::open(dir);
    rig.play(id(1), 0, 1);
    rig.store.refusals().keep(id(1), b"first run".to_vec());
    rig.close();
    let older = std::fs::read(dir.join("db")).unwrap();
    let rig = Rig::open(dir);
    rig.store.refusals().keep(id(1), b"second run".to_vec());
    if more_records {
        rig.play(id(1), 1, 1);
    }
    rig.close();
    std::fs::write(dir.join("db"), older).unwrap();
}

#[test]
fn an_older_database_that_is_put_back_does_not_vouch_for_what_came_after_it() {
    let dir = tempfile::tempdir().unwrap();
    put_back(dir.path(), true);
    let error = super::opening::refusal(options(dir.path()));
    assert!(matches!(error, StoreError::Shortened { .. } | StoreError::Lost { .. }), "{error}");
    let before = now_ms();
    let rig = Rig::with(super::opening::accepting(dir.path())).unwrap();
    let kept = rig.store.list_refusals(id(1)).unwrap();
    assert_eq!((kept.newest_first.len(), kept.dropped), (1, 0), "of the second run nothing is there");
    assert!(kept.gaps.known_since_ms.unwrap() >= before, "{kept:?}");
    rig.close();
}

/// Where no record was written in between nothing refuses it.
#[test]
fn an_older_database_with_the_same_records_is_noticed_too() {
    for killed in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        put_back(dir.path(), false);
        if killed {
            std::fs::remove_file(dir.path().join("closed")).unwrap();
        }
        let before = now_ms();
        // The older file may be shorter than the one that was closed.
        let rig = match Rig::with(options(dir.path())) {
            Err(StoreError::Shortened { .. }) => Rig::with(super::opening::accepting(dir.path())).unwrap(),
            opened => opened.unwrap(),
        };
        let kept = rig.store.list_refusals(id(1)).unwrap();
        assert_eq!(kept.newest_first.len(), 1);
        match kept.gaps.known_since_ms {
            Some(since) => assert!(!killed && since >= before, "{kept:?}"),
            None => assert!(killed && matches!(kept.gaps.list[..], [gap] if gap.to_ms >= before), "{kept:?}"),
        }
        rig.close();
    }
}

/// A version that keeps no mark leaves a note of the end without a run, or none.
#[test]
fn a_version_without_marks_that_has_served_the_store_since_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 1);
    rig.close();
    assert!(clean_shutdown::read(dir.path()).unwrap().run.is_some());
    clean_shutdown::write(dir.path(), None).unwrap();
    let rig = Rig::open(dir.path());
    let noted = gaps(&rig, 1);
    let [gap] = noted.list[..] else { panic!("{noted:?}") };
    assert_eq!((gap.cause, noted.known_since_ms), (GapCause::OtherDatabase, None));
    rig.play(id(2), 0, 1);
    rig.close();
    let rig = Rig::open(dir.path());
    assert_eq!((gaps(&rig, 1), gaps(&rig, 2)), (noted, GameGaps::default()), "once, and for those that were there");
    rig.close();
}

/// A game that a clock has dated far ahead was there during the gap all the same.
#[test]
fn a_clock_that_was_ahead_hides_no_gap() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    let far_ahead = now_ms() + 100 * 365 * 24 * 3_600_000;
    let record = format!("C {far_ahead} 7 4 request table=1").into_bytes();
    rig.put(append_bytes(id(1), 0, record));
    rig.close();
    std::fs::remove_file(dir.path().join("closed")).unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(2), 0, 1);
    let entry = rig.store.entry(id(1)).unwrap().unwrap();
    let [gap] = gaps(&rig, 1).list[..] else { panic!("it is hidden") };
    assert!(gap.to_ms < entry.created_ms, "the clock says that the game began after the gap");
    assert_eq!(gaps(&rig, 2).list, [], "it began after the gap, and its clock says 1970");
    // A game whose first record cannot be read may have been there.
    rig.play(id(2), 1, 1);
    rig.close();
    tamper(dir.path(), |db| {
        db.open_tree("blocks").unwrap().insert(1_u64.to_be_bytes(), b"garbage").unwrap();
    });
    let rig = Rig::open(dir.path());
    assert!(rig.store.read_game(id(2)).is_err());
    assert_eq!(gaps(&rig, 2).list.len(), gaps(&rig, 1).list.len());
    rig.close();
}
