//! Syncs of the database's file: a failed one is never forgotten, and the end comes after the database's own.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::opening::{accepting, refusal};
use super::*;
use crate::store::database::sync_hooks::{self as hooks, Moment};

/// A disk that refuses to sync the database's file while the flag is set.
fn failing(dir: &Path) -> (Arc<AtomicBool>, hooks::Set) {
    let fails = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&fails);
    let set = hooks::set(dir, move |moment| match moment {
        Moment::Before if asked.load(Ordering::SeqCst) => Err(io::Error::from_raw_os_error(5)),
        _ => Ok(()),
    });
    (fails, set)
}

fn journals(dir: &Path) -> Vec<Vec<u8>> {
    [0, 1].map(|which| std::fs::read(dir.join(format!("journal-{which}"))).unwrap()).into()
}

/// The disk refuses the pages once, and takes what comes later: the kernel calls them clean, reads still show them.
fn refused_ever_after(dir: &Path) {
    let before = journals(dir);
    for options in [options(dir), accepting(dir), options(dir)] {
        let error = refusal(options);
        assert!(matches!(error, StoreError::Unsynced { .. }), "{error}");
        assert!(error.to_string().contains("divelogd restore --from"), "{error}");
    }
    assert!(journals(dir) == before, "the journal is as it was");
}

#[test]
fn a_failed_sync_is_not_forgotten_by_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 3);
    let (fails, _set) = failing(dir.path());
    fails.store(true, Ordering::SeqCst);
    let error = rig.store.housekeep().unwrap_err().to_string();
    assert!(error.contains("syncing"), "{error}");
    fails.store(false, Ordering::SeqCst);
    // Somebody else's sync, a moment later, would succeed.
    let error = rig.store.housekeep().unwrap_err().to_string();
    assert!(error.contains("an earlier sync has failed"), "{error}");
    assert_eq!(rig.bytes(id(1)), records(id(1), 3), "can still be read");
    assert_eq!(rig.store.0.shared.overlay().unsettled.first(), Some(0), "nothing is let go of");
    rig.close();
    refused_ever_after(dir.path());
}

/// The database learns of a write that the disk refused, and fails; nobody syncs after that. Our descriptor is asked all the same.
#[test]
fn a_refused_write_that_only_the_database_has_seen_is_not_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 3);
    let (fails, _set) = failing(dir.path());
    fails.store(true, Ordering::SeqCst);
    let error = raw::io_error("writing a block", io::Error::from_raw_os_error(5));
    rig.store.0.shared.fail(error);
    fails.store(false, Ordering::SeqCst);
    rig.close();
    refused_ever_after(dir.path());
}

#[test]
fn a_sync_that_fails_for_the_sealer_is_the_stores_failure() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 3);
    let (fails, _set) = failing(dir.path());
    fails.store(true, Ordering::SeqCst);
    let leaves: Vec<LeafPlace> =
        (0..40_000).map(|index| LeafPlace { game: id(index.into()), revision: Revision::BEGUN, index }).collect();
    rig.store.put_leaves(&leaves, 40_000).unwrap_err();
    fails.store(false, Ordering::SeqCst);
    rig.store.housekeep().unwrap_err();
    rig.close();
    refused_ever_after(dir.path());
}

#[test]
fn a_sync_that_fails_while_opening_is_not_forgotten_by_the_next_start() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 3);
    rig.close();
    let (fails, _set) = failing(dir.path());
    fails.store(true, Ordering::SeqCst);
    let error = refusal(options(dir.path()));
    assert!(matches!(error, StoreError::Io { doing: "syncing", .. }), "{error}");
    fails.store(false, Ordering::SeqCst);
    refused_ever_after(dir.path());
}

/// Also the database's: it writes what nobody has synced when it goes.
#[test]
fn the_length_is_noted_when_the_database_has_written_its_last() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 3);
    rig.store.housekeep().unwrap();
    let leaves: Vec<LeafPlace> =
        (0..5_000).map(|index| LeafPlace { game: id(index.into()), revision: Revision::BEGUN, index }).collect();
    rig.store.put_leaves(&leaves, 5_000).unwrap();
    let reader = rig.store.clone();
    rig.close();
    assert_eq!(crate::store::database::clean_shutdown::read(dir.path()), None, "somebody still has it open");
    drop(reader);
    let bytes = std::fs::metadata(dir.path().join("db")).unwrap().len();
    assert_eq!(crate::store::database::clean_shutdown::read(dir.path()).map(|closed| closed.bytes), Some(bytes));
    let rig = Rig::open(dir.path());
    assert_eq!(rig.store.leaves_through().unwrap(), 5_000);
    rig.close();
}

/// A power cut after the last sync of a stop and before the database has written its last: the journal is still there.
#[test]
fn the_journal_counts_until_the_database_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 3);
    let reader = rig.store.clone();
    rig.close();
    let cut = tempfile::tempdir().unwrap();
    super::journal::copy_files(dir.path(), cut.path());
    drop(reader);
    // Nothing of the database's last writes has reached the disk, and not all of those before.
    tamper(cut.path(), |db| {
        let blocks = db.open_tree("blocks").unwrap();
        blocks.remove(2_u64.to_be_bytes()).unwrap();
    });
    assert_eq!(Rig::open(cut.path()).bytes(id(1)), records(id(1), 3));
}

#[test]
fn a_block_that_the_database_lacks_before_its_last_is_taken_from_the_journal() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 1);
    rig.play(id(2), 0, 4);
    rig.store.housekeep().unwrap();
    // A crash now: everything is in the database, and still in the journal.
    let killed = tempfile::tempdir().unwrap();
    super::journal::copy_files(dir.path(), killed.path());
    tamper(killed.path(), |db| {
        let key = 1_u64.to_be_bytes();
        db.open_tree("blocks").unwrap().remove(key).unwrap().unwrap();
        db.open_tree("secrets").unwrap().remove(key).unwrap().unwrap();
        // The index knows nothing of it either, and says that it does.
        db.open_tree("games").unwrap().remove(id(2).0).unwrap().unwrap();
    });
    let rig = Rig::open(killed.path());
    assert_eq!(rig.bytes(id(2)), records(id(2), 4));
    assert_eq!(rig.store.read_game(id(2)).unwrap().unwrap().secret, Some(secret(id(2))));
    assert_eq!(rig.put(append(id(1), 1)), 5);
    rig.close();
}

/// The database has lost a block before its last, and the index entries of its games: a start takes the block from the
/// journal and builds the index again. It is killed at each sync on the way. The next start must not take what is there of
/// the index for the whole.
#[test]
fn a_kill_while_the_index_is_built_again_leaves_no_half_index() {
    const GAMES: u128 = 25_000;
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    for game in 0..GAMES {
        rig.writer.append(append(id(game), 0)).unwrap();
    }
    let mut left = GAMES as usize;
    while left > 0 {
        left -= rig.groups.recv().unwrap().0.len();
    }
    rig.store.housekeep().unwrap();
    let crashed = tempfile::tempdir().unwrap();
    super::journal::copy_files(dir.path(), crashed.path());
    let lost = rig.store.durable_block().unwrap() - 1;
    let games = rig.store.list(None, usize::MAX, |entry| entry.last_block == lost, usize::MAX).unwrap().entries;
    assert!(!games.is_empty());
    tamper(crashed.path(), |db| {
        db.open_tree("blocks").unwrap().remove(lost.to_be_bytes()).unwrap().unwrap();
        for entry in games {
            db.open_tree("games").unwrap().remove(entry.id.0).unwrap().unwrap();
        }
    });
    let killed = Arc::new(std::sync::Mutex::new(Vec::new()));
    let set = {
        let (killed, from) = (Arc::clone(&killed), crashed.path().to_path_buf());
        hooks::set(crashed.path(), move |moment| {
            if moment == Moment::After {
                let to = tempfile::tempdir().unwrap();
                super::journal::copy_files(&from, to.path());
                killed.lock().unwrap().push(to);
            }
            Ok(())
        })
    };
    Rig::open(crashed.path()).close();
    drop(set);
    let killed = std::mem::take(&mut *killed.lock().unwrap());
    assert!(killed.len() > 4, "{} syncs", killed.len());
    for (at, dir) in killed.iter().enumerate() {
        let rig = Rig::open(dir.path());
        let page = rig.store.list(None, usize::MAX, |_| true, usize::MAX).unwrap();
        assert_eq!(page.entries.len() as u128, GAMES, "killed at sync {at}");
    }
}
