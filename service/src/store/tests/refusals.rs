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
    assert_eq!(rig.store.list_refusals(id(1)).unwrap(), KeptRefusals::default());
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
