//! The store on a log in memory: what it does with a log that can refuse late, and with one that panics.

use super::log::memory::Panics;
use super::*;

fn open_rig(dir: &Path, disk: &Disk) -> Rig {
    let (sender, groups) = channel();
    let (store, writer) = open_in_memory(&options(dir), disk, move |tickets, durability| {
        sender.send((tickets, durability)).ok();
    })
    .expect("the store opens");
    Rig { store, writer, groups }
}

#[test]
fn a_group_that_is_refused_late_is_answered_so_and_changes_nothing() {
    let (dir, disk) = (tempfile::tempdir().unwrap(), Disk::default());
    let rig = open_rig(dir.path(), &disk);
    rig.play(id(1), 0, 2);
    disk.depose(1);
    rig.writer.queue(append(id(1), 2)).unwrap();
    rig.writer.append(append(id(2), 0)).unwrap();
    let (tickets, durability) = rig.groups.recv().unwrap();
    assert_eq!(tickets, [(id(1), 2), (id(2), 0)]);
    assert!(matches!(durability, Durability::Refused(ref error) if error.is_conflict()), "{durability:?}");
    assert!(rig.store.failure().is_none(), "the store is sound");
    assert_eq!(rig.bytes(id(1)), records(id(1), 2));
    assert!(rig.store.read_game(id(2)).unwrap().is_none());
    // The same records again: the writer does not believe that they were written.
    assert_eq!(rig.put(append(id(1), 2)), 2);
    assert_eq!(rig.put(append(id(2), 0)), 3);
    rig.close();
}

#[test]
fn what_the_database_lacks_is_taken_from_any_log() {
    let (dir, disk) = (tempfile::tempdir().unwrap(), Disk::default());
    let rig = open_rig(dir.path(), &disk);
    // More than the log has room for: some of it is settled meanwhile.
    rig.play(id(1), 0, 250);
    let survivor = disk.clone();
    assert!(!survivor.groups().is_empty());
    let copy = tempfile::tempdir().unwrap();
    {
        let _held = lock(&rig.store.0.shared.housekeeping);
        rig.play(id(1), 250, 3);
        journal::copy_files(&rig.store.0.shared.dir, copy.path());
    }
    let crashed = open_rig(copy.path(), &disk);
    assert_eq!(crashed.bytes(id(1)), records(id(1), 253));
    crashed.close();
    drop(rig);
}

/// A rig whose writer panics while it has one group in hand and one more waits.
fn panicked(disk: &Disk, dir: &Path, place: Option<Panics>) -> (Rig, Vec<Ticket>) {
    let (sender, groups) = channel();
    let (gate, opened) = channel::<()>();
    let mut calls = 0;
    let (store, writer) = open_in_memory(&options(dir), disk, move |tickets, durability| {
        sender.send((tickets, durability)).ok();
        calls += 1;
        if calls == 1 {
            opened.recv().ok();
            assert!(place.is_some(), "injected: the answer");
        }
    })
    .expect("the store opens");
    let rig = Rig { store, writer, groups };
    rig.writer.append(append(id(1), 0)).unwrap();
    assert_eq!(rig.groups.recv().unwrap().0, [(id(1), 0)]);
    let mut waiting = Vec::new();
    // More than one group takes.
    for game in 0..700 {
        rig.writer.append(append(id(100 + game), 0)).unwrap();
        waiting.push((id(100 + game), 0));
    }
    if let Some(place) = place {
        disk.panic_at(place);
    }
    drop(gate);
    (rig, waiting)
}

#[test]
fn whoever_waits_for_a_writer_that_panics_is_told_that_the_store_has_failed() {
    for place in [Some(Panics::Propose), Some(Panics::Next), None] {
        let (dir, disk) = (tempfile::tempdir().unwrap(), Disk::default());
        let (rig, waiting) = panicked(&disk, dir.path(), place);
        let mut answered = Vec::new();
        while answered.len() < waiting.len() {
            let answer = rig.groups.recv_timeout(Duration::from_secs(60));
            let (tickets, durability) =
                answer.unwrap_or_else(|_| panic!("{place:?}: {} were answered", answered.len()));
            assert!(matches!(durability, Durability::Failed(_)), "{durability:?}");
            answered.extend(tickets);
        }
        assert_eq!(answered, waiting, "{place:?}: each once, in order");
        let failure = rig.store.failure().expect("the store counts as failed").to_string();
        assert!(failure.contains("the writer thread panicked"), "{failure}");
        assert!(matches!(rig.writer.append(append(id(2), 0)), Err(AppendError::Failed(..))), "nothing more is taken");
    }
}
