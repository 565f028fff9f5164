//! Refused requests: numbered, bounded, there after a restart, and of games that exist.

use super::*;

fn numbers(kept: &KeptRefusals) -> Vec<u64> {
    kept.newest_first.iter().map(|(number, _)| *number).collect()
}

#[test]
fn refusals_are_there_at_once_and_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 1);
    rig.play(id(2), 0, 1);
    let refusals = rig.store.refusals();
    let nothing = rig.store.list_refusals(id(1)).unwrap();
    assert_eq!(nothing, KeptRefusals { gaps: nothing.gaps.clone(), ..KeptRefusals::default() });
    refusals.keep(id(1), b"a".to_vec());
    refusals.keep(id(2), b"of another game".to_vec());
    refusals.keep(id(1), b"b".to_vec());
    let wanted = vec![(1, b"b".to_vec()), (0, b"a".to_vec())];
    assert_eq!(rig.store.list_refusals(id(1)).unwrap().newest_first, wanted);
    rig.store.housekeep().unwrap();
    assert_eq!(rig.store.list_refusals(id(1)).unwrap().newest_first, wanted);
    refusals.keep(id(1), b"c".to_vec());
    assert_eq!(numbers(&rig.store.list_refusals(id(1)).unwrap()), [2, 1, 0]);
    rig.close();
    let rig = Rig::open(dir.path());
    let kept = rig.store.list_refusals(id(1)).unwrap();
    assert_eq!((numbers(&kept), kept.dropped), (vec![2, 1, 0], 0));
    assert_eq!(kept.newest_first[0].1, b"c");
    rig.store.refusals().keep(id(1), b"d".to_vec());
    assert_eq!(numbers(&rig.store.list_refusals(id(1)).unwrap()), [3, 2, 1, 0]);
    assert_eq!(numbers(&rig.store.list_refusals(id(2)).unwrap()), [0]);
}

#[test]
fn only_the_newest_of_a_game_are_kept_and_the_rest_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 1);
    let most = KEPT_PER_GAME as u64;
    let refusals = rig.store.refusals();
    let mut count: u64 = 0;
    for more in [most - 1, 2, 100, 3 * most, 10_000] {
        for _ in 0..more {
            refusals.keep(id(1), count.to_string().into_bytes());
            count += 1;
        }
        for written in [false, true] {
            let kept = rig.store.list_refusals(id(1)).unwrap();
            let first = count.saturating_sub(most);
            assert_eq!(numbers(&kept), (first..count).rev().collect::<Vec<_>>(), "after {count}, written: {written}");
            assert!(kept.newest_first.iter().all(|(number, value)| *value == number.to_string().into_bytes()));
            assert_eq!(kept.dropped, first);
            rig.store.housekeep().unwrap();
        }
    }
    rig.close();
    let db = raw(dir.path());
    assert_eq!(db.open_tree("refusals").unwrap().len(), KEPT_PER_GAME + 1, "no more is on disk, and the counter");
}

#[test]
fn a_flood_over_many_games_is_bounded_and_its_counts_are_right() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    let games = 20;
    for game in 0..games {
        rig.play(id(game), 0, 1);
    }
    let refusals = rig.store.refusals();
    let each = 1_000_u64;
    for round in 0..each {
        for game in 0..games {
            refusals.keep(id(game), round.to_string().into_bytes());
        }
    }
    rig.store.housekeep().unwrap();
    for game in 0..games {
        let kept = rig.store.list_refusals(id(game)).unwrap();
        assert_eq!(kept.dropped + kept.newest_first.len() as u64, each, "each was numbered");
        assert_eq!(kept.newest_first[0], (each - 1, (each - 1).to_string().into_bytes()), "the newest is there");
        assert!(kept.newest_first.iter().all(|(number, value)| *value == number.to_string().into_bytes()));
    }
}

#[test]
fn nothing_is_kept_of_a_game_that_does_not_exist_and_nothing_too_large() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 1);
    let refusals = rig.store.refusals();
    for game in 2..10_000 {
        refusals.keep(id(game), b"x".to_vec());
    }
    rig.store.housekeep().unwrap();
    refusals.keep(id(1), vec![0; MAX_REFUSAL_BYTES + 1]);
    refusals.keep(id(1), vec![0; MAX_REFUSAL_BYTES]);
    rig.close();
    let db = raw(dir.path());
    assert_eq!(db.open_tree("refusals").unwrap().len(), 2, "one refusal and its game's counter");
}

/// What a flood drops was not worth encoding.
#[test]
fn a_refusal_is_encoded_only_when_it_is_written_or_read() {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 1);
    let encoded = Arc::new(AtomicUsize::new(0));
    let refusals = rig.store.refusals();
    for number in 0..10_000_u64 {
        let encoded = Arc::clone(&encoded);
        refusals.keep_later(id(1), move || {
            encoded.fetch_add(1, SeqCst);
            number.to_string().into_bytes()
        });
    }
    rig.store.housekeep().unwrap();
    // The housekeeper may have come by itself while they were handed in.
    let passes = encoded.load(SeqCst).div_ceil(KEPT_PER_GAME);
    assert!((1..=8).contains(&passes), "{passes} passes");
    assert_eq!(rig.store.list_refusals(id(1)).unwrap().newest_first[0], (9_999, b"9999".to_vec()));
}

/// One game's flood is that game's alone; many games' floods say how many of the newest they have cost.
#[test]
fn a_flood_says_what_it_has_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    for game in 1..=20 {
        rig.play(id(game), 0, 1);
    }
    let most = KEPT_PER_GAME as u64;
    let refusals = rig.store.refusals();
    refusals.keep(id(1), b"before the flood".to_vec());
    for number in 0..10 * most {
        refusals.keep(id(2), number.to_string().into_bytes());
    }
    let kept = rig.store.list_refusals(id(1)).unwrap();
    assert_eq!((numbers(&kept), kept.dropped, kept.overflowed), (vec![0], 0, 0), "another game's flood");
    let flooded = rig.store.list_refusals(id(2)).unwrap();
    assert_eq!((flooded.dropped, flooded.overflowed), (9 * most, 0), "only the newest are kept anyway");
    rig.store.housekeep().unwrap();

    // More than can wait, from more games than one: the oldest in the buffer is dropped, also of a game that has few.
    let held = refusals.hold();
    for number in 0..most {
        for game in 3..=20 {
            refusals.keep(id(game), number.to_string().into_bytes());
        }
    }
    drop(held);
    let mut overflowed = 0;
    for game in 3..=20 {
        for written in [false, true] {
            let kept = rig.store.list_refusals(id(game)).unwrap();
            assert_eq!(kept.dropped + kept.newest_first.len() as u64, most, "each was counted, written: {written}");
            assert_eq!(kept.overflowed, kept.dropped, "all of them belong to the newest");
            assert_eq!(kept.gaps.list, [], "nothing is unknown");
            overflowed += kept.overflowed;
            if !written && game == 20 {
                rig.store.housekeep().unwrap();
            }
        }
    }
    assert_eq!(overflowed, 2 * (18 * most - 2_048), "no more are dropped than there is no room for");
    rig.close();
}

/// Not even the number of a refusal is kept where too many games come at once: then the time is known, and how many.
#[test]
fn a_flood_over_too_many_games_leaves_a_gap_with_a_count() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 1);
    let refusals = rig.store.refusals();
    let held = refusals.hold();
    for game in 2..2_050 {
        refusals.keep(id(game), b"x".to_vec());
    }
    for _ in 0..5 {
        refusals.keep(id(1), b"not even counted".to_vec());
    }
    drop(held);
    let gaps = |rig: &Rig| rig.store.list_refusals(id(1)).unwrap().gaps.list;
    let check = |gaps: &[RefusalGap]| {
        let [gap] = gaps else { panic!("{gaps:?}") };
        assert_eq!((gap.cause, gap.count), (GapCause::Overflow, 5));
        assert!(gap.from_ms <= gap.to_ms);
    };
    check(&gaps(&rig));
    rig.store.housekeep().unwrap();
    check(&gaps(&rig));
    rig.close();
    let rig = Rig::open(dir.path());
    check(&gaps(&rig));
    rig.close();
}

/// A mark is written where something is synced anyway, and not otherwise before its time.
#[test]
fn a_pass_without_work_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 1);
    rig.store.housekeep().unwrap();
    let mark = || rig.store.0.shared.database.refusal_mark().unwrap().unwrap();
    let first = mark();
    rig.store.housekeep().unwrap();
    // Unless this machine took a minute from there to here.
    let second = mark();
    assert!(second == first || second.through_ms >= first.through_ms + 60_000);
    rig.play(id(1), 1, 1);
    rig.store.housekeep().unwrap();
    assert!(mark().through_ms >= first.through_ms);
    rig.close();
}
