//! The journal in front of the database: what a start finds in it, and what readers see before it is settled.

use std::sync::MutexGuard;

use super::opening::{SmallDisk, accepting, refusal};
use super::*;
use crate::lock::lock;
use crate::store::log::files::MIN_JOURNAL_BYTES;

const FRAMES_AT: usize = 8_192;

/// Keeps the housekeeper from bringing anything to the database.
fn unsettled(rig: &Rig) -> MutexGuard<'_, ()> {
    lock(&rig.store.0.shared.housekeeping)
}

/// The folder as a killed process leaves it; nobody writes meanwhile.
fn crashed(rig: &Rig, _unsettled: &MutexGuard<'_, ()>) -> tempfile::TempDir {
    let to = tempfile::tempdir().unwrap();
    copy_files(&rig.store.0.shared.dir, to.path());
    to
}

pub(super) fn copy_files(from: &Path, to: &Path) {
    std::fs::create_dir_all(to.join("blobs")).unwrap();
    for file in ["db", "conf", "watermark", "journal-0", "journal-1"] {
        if from.join(file).exists() {
            std::fs::copy(from.join(file), to.join(file)).unwrap();
        }
    }
}

/// A folder with this many blocks of game 1 in the database and as many more in the journal alone.
fn half_settled(settled: u32, more: u32) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, settled);
    rig.store.housekeep().unwrap();
    let held = unsettled(&rig);
    rig.play(id(1), settled, more);
    crashed(&rig, &held)
}

/// Where the frame of a block lies in the first file: the form is written out here
/// once more, from `docs/log-format.md`.
fn frame_of(bytes: &[u8], block: u64) -> std::ops::Range<usize> {
    let mut at = FRAMES_AT;
    loop {
        assert_eq!(&bytes[at..at + 4], b"DLF1", "no frame of block {block}");
        let number = |from: usize, to: usize| bytes[at + from..at + to].iter().fold(0, |n, b| n << 8 | usize::from(*b));
        let end = at + 24 + number(16, 20) + number(20, 24);
        if number(8, 16) as u64 == block {
            return at..end;
        }
        at = end.next_multiple_of(8);
    }
}

fn change_journal(dir: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let path = dir.join("journal-0");
    let mut bytes = std::fs::read(&path).unwrap();
    change(&mut bytes);
    std::fs::write(path, bytes).unwrap();
}

fn in_database(rig: &Rig) -> usize {
    rig.store.0.shared.database.blocks().since(0).count()
}

#[test]
fn blocks_are_read_before_they_are_settled() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    let held = unsettled(&rig);
    rig.play(id(1), 0, 3);
    let check = |rig: &Rig| {
        assert_eq!(rig.bytes(id(1)), records(id(1), 3));
        assert_eq!(rig.store.read_game(id(1)).unwrap().unwrap().secret, Some(secret(id(1))));
        assert_eq!(rig.store.durable_block(), Some(2));
        assert_eq!(rig.store.read_block(3).unwrap(), None);
        [0, 1, 2].map(|number| rig.store.read_block(number).unwrap().unwrap())
    };
    let before = check(&rig);
    assert_eq!(in_database(&rig), 0);
    assert_eq!(&before[0].secrets[..4], b"DLS1");
    assert!(before[1].secrets.is_empty());
    drop(held);
    rig.store.housekeep().unwrap();
    assert_eq!(in_database(&rig), 3);
    assert_eq!(rig.store.0.shared.overlay().unsettled.first(), None, "memory is freed");
    assert_eq!(check(&rig), before);
    rig.close();
    assert_eq!(check(&Rig::open(dir.path())), before);
}

#[test]
fn after_a_crash_the_journal_is_brought_to_the_database() {
    for (settled, more) in [(0, 1), (0, 5), (4, 5), (5, 0)] {
        let dir = half_settled(settled, more);
        let all = settled + more;
        for play in 0..2 {
            let rig = Rig::open(dir.path());
            assert_eq!(in_database(&rig) as u32, all + play);
            assert_eq!(rig.bytes(id(1)), records(id(1), all + play));
            assert_eq!(rig.play(id(1), all + play, 1), [u64::from(all + play)]);
            rig.close();
        }
    }
}

#[test]
fn frames_of_settled_blocks_are_not_looked_at() {
    // A crash after the settling, before the frames are overwritten.
    let dir = half_settled(4, 0);
    tamper(dir.path(), |db| {
        db.open_tree("blocks").unwrap().insert(1_u64.to_be_bytes(), b"garbage").unwrap();
    });
    let rig = Rig::open(dir.path());
    let error = rig.store.read_game(id(1)).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { block: 1, .. }), "{error}");
    rig.close();
}

#[test]
fn a_torn_last_frame_was_never_acknowledged() {
    let whole = half_settled(2, 3);
    let bytes = std::fs::read(whole.path().join("journal-0")).unwrap();
    let last = frame_of(&bytes, 4);
    for keep in [0, 1, 8, 24, last.len() / 2, last.len() - 1] {
        let dir = tempfile::tempdir().unwrap();
        copy_files(whole.path(), dir.path());
        change_journal(dir.path(), |bytes| bytes[last.start + keep..last.end].fill(0));
        let rig = Rig::open(dir.path());
        assert_eq!(rig.bytes(id(1)), records(id(1), 4), "{keep} bytes kept");
        assert_eq!(rig.play(id(1), 4, 1), [4], "its number is free");
        rig.close();
        assert_eq!(Rig::open(dir.path()).bytes(id(1)), records(id(1), 5));
    }
}

#[test]
fn a_damaged_frame_before_sound_ones_is_a_missing_block() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 1);
    rig.store.housekeep().unwrap();
    let held = unsettled(&rig);
    rig.play(id(1), 1, 4);
    rig.play(id(2), 0, 1);
    let whole = crashed(&rig, &held);
    let length = frame_of(&std::fs::read(whole.path().join("journal-0")).unwrap(), 3).len();
    for at in [0, 5, 12, 18, 40, length - 1] {
        let dir = tempfile::tempdir().unwrap();
        copy_files(whole.path(), dir.path());
        change_journal(dir.path(), |bytes| {
            let frame = frame_of(bytes, 3);
            bytes[frame.start + at] ^= 0x40;
        });
        for _ in 0..2 {
            let rig = Rig::open(dir.path());
            let error = rig.store.read_game(id(1)).unwrap_err();
            assert!(
                matches!(error, StoreError::Damaged { sequence: Some(at), block: 3, .. } if at.get() == 3),
                "byte {at}: {error}"
            );
            assert_eq!(rig.bytes(id(2)), records(id(2), 1), "has a later record");
            rig.close();
        }
    }
}

#[test]
fn a_gap_behind_the_last_block_of_the_database_is_a_loss() {
    let dir = half_settled(2, 3);
    change_journal(dir.path(), |bytes| {
        let frame = frame_of(bytes, 2);
        bytes[frame.start + 30] ^= 1;
    });
    for _ in 0..2 {
        let error = refusal(options(dir.path()));
        assert!(matches!(error, StoreError::Lost { expected_block: 2, found_last: Some(1), .. }), "{error}");
    }
    let rig = Rig::with(accepting(dir.path())).unwrap();
    let error = rig.store.read_game(id(1)).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { block: 2, .. }), "{error}");
    // No file `numbers` came with the crash.
    assert_eq!(rig.put(append(id(2), 0)), 5 + log::files::numbers::STEP);
    rig.close();
    Rig::open(dir.path()).close();
}

#[test]
fn a_loss_that_was_accepted_is_no_gap_after_the_next_crash() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 5);
    rig.close();
    tamper(dir.path(), |db| {
        db.open_tree("blocks").unwrap().remove(4_u64.to_be_bytes()).unwrap();
    });
    let rig = Rig::with(accepting(dir.path())).unwrap();
    let held = unsettled(&rig);
    assert_eq!(rig.play(id(1), 4, 1), [log::files::numbers::STEP]);
    let after = crashed(&rig, &held);
    assert_eq!(Rig::open(after.path()).bytes(id(1)), records(id(1), 5));
}

#[test]
fn a_journal_of_another_store_is_refused() {
    let dir = half_settled(2, 3);
    let other = half_settled(1, 9);
    let own = std::fs::read(dir.path().join("journal-0")).unwrap();
    std::fs::copy(other.path().join("journal-0"), dir.path().join("journal-0")).unwrap();
    for options in [options(dir.path()), accepting(dir.path())] {
        let error = refusal(options);
        assert!(matches!(error, StoreError::ForeignJournal { which: 0, .. }), "{error}");
        assert!(error.to_string().contains("belongs to another store"), "{error}");
    }
    std::fs::write(dir.path().join("journal-0"), own).unwrap();
    assert_eq!(Rig::open(dir.path()).bytes(id(1)), records(id(1), 5));
}

#[test]
fn a_journal_without_its_store_is_never_overwritten() {
    let left = half_settled(2, 3);
    let dir = tempfile::tempdir().unwrap();
    let journal = std::fs::read(left.path().join("journal-0")).unwrap();
    std::fs::write(dir.path().join("journal-0"), &journal).unwrap();
    let error = refusal(options(dir.path()));
    assert!(matches!(error, StoreError::ForeignJournal { .. }), "{error}");
    assert_eq!(std::fs::read(dir.path().join("journal-0")).unwrap(), journal);
    Rig::with(accepting(dir.path())).unwrap().close();
    assert_eq!(std::fs::read(dir.path().join("journal-0.old")).unwrap(), journal, "set aside");
    Rig::open(dir.path()).close();
}

#[test]
fn a_journal_that_is_missing_or_cut_is_refused_until_that_is_accepted() {
    type Harm = fn(&Path);
    let harms: [(Harm, u32); 4] = [
        (|file| std::fs::remove_file(file).unwrap(), 2),
        (|file| drop(std::fs::File::create(file).unwrap()), 2),
        (|file| std::fs::File::options().write(true).open(file).unwrap().set_len(100_000).unwrap(), 5),
        (
            |file| {
                let mut bytes = std::fs::read(file).unwrap();
                bytes[9] ^= 1;
                std::fs::write(file, bytes).unwrap();
            },
            5,
        ),
    ];
    for (harm, left) in harms {
        let dir = half_settled(2, 3);
        harm(&dir.path().join("journal-0"));
        for _ in 0..2 {
            let error = refusal(options(dir.path()));
            assert!(matches!(error, StoreError::JournalDamaged { which: 0, .. }), "{error}");
            assert!(error.to_string().contains("--accept-loss"), "{error}");
        }
        let rig = Rig::with(accepting(dir.path())).unwrap();
        assert_eq!(rig.bytes(id(1)), records(id(1), left));
        rig.close();
        Rig::open(dir.path()).close();
    }
}

#[test]
fn both_files_are_filled_again_and_again() {
    let dir = tempfile::tempdir().unwrap();
    let small = |dir: &Path| Options { journal_bytes: MIN_JOURNAL_BYTES, ..options(dir) };
    let body = |at: u32| format!("R {at} {}", "x".repeat(500 + (at as usize * 7_919) % 9_000)).into_bytes();
    let before = |at: u32| if at == 1 { record(id(1), 0) } else { body(at - 1) };
    let expected =
        |count: u32| -> Vec<Vec<u8>> { std::iter::once(record(id(1), 0)).chain((1..count).map(body)).collect() };
    let rig = Rig::with(small(dir.path())).unwrap();
    rig.put(append(id(1), 0));
    let mut written = 0;
    let (laps, mut count) = (20, 1);
    while written < laps * 2 * MIN_JOURNAL_BYTES {
        rig.put(after(&before(count), append_bytes(id(1), count, body(count))));
        written += body(count).len() as u64;
        count += 1;
        if count % 150 == 0 {
            // A crash at any place of a lap, with and without something unsettled.
            let copy = crashed(&rig, &unsettled(&rig));
            let again = Rig::with(small(copy.path())).unwrap();
            assert_eq!(again.bytes(id(1)), expected(count));
            again.put(after(&before(count), append_bytes(id(1), count, body(count))));
            again.close();
        }
    }
    for which in 0..2 {
        let file = std::fs::metadata(dir.path().join(format!("journal-{which}"))).unwrap();
        assert_eq!(file.len(), MIN_JOURNAL_BYTES, "the files never grow");
    }
    assert_eq!(rig.bytes(id(1)), expected(count));
    rig.close();
    assert_eq!(Rig::with(small(dir.path())).unwrap().bytes(id(1)), expected(count));
}

#[test]
fn the_writer_waits_for_the_file_that_is_not_settled() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::with(Options { journal_bytes: MIN_JOURNAL_BYTES, ..options(dir.path()) }).unwrap();
    rig.put(append(id(1), 0));
    let body = |at: u32| format!("R {at} {}", "x".repeat(30_000)).into_bytes();
    let before = |at: u32| if at == 1 { record(id(1), 0) } else { body(at - 1) };
    let held = unsettled(&rig);
    let count = 40;
    for at in 1..count {
        rig.writer.append(after(&before(at), append_bytes(id(1), at, body(at)))).unwrap();
    }
    let mut answered = 1;
    rig.until_writer_waits();
    while let Ok((tickets, durability)) = rig.groups.try_recv() {
        assert!(matches!(durability, Durability::Durable { .. }), "{durability:?}");
        answered += tickets.len();
    }
    assert!(answered > 5 && answered < count as usize, "{answered} answered: both files are full");
    assert_eq!(rig.bytes(id(1)).len(), answered, "nothing is shown that is not synced");
    // A crash now finds both files full.
    let copy = crashed(&rig, &held);
    assert_eq!(Rig::open(copy.path()).bytes(id(1)).len(), answered);
    drop(held);
    while answered < count as usize {
        answered += rig.groups.recv().unwrap().0.len();
    }
    rig.close();
}

#[test]
fn a_full_disk_at_the_making_of_the_journal_is_a_clear_error() {
    let Some(disk) = SmallDisk::mount("28m", "journal on a full disk") else {
        return;
    };
    let dir = disk.0.path().join("store");
    let large = || Options { journal_bytes: 16 << 20, ..options(&dir) };
    for _ in 0..2 {
        let error = refusal(large()).to_string();
        assert!(error.contains("making the journal") && error.contains("No space left"), "{error}");
        for which in 0..2 {
            assert!(!dir.join(format!("journal-{which}.new")).exists(), "the room is given back");
        }
    }
    disk.grow("64m");
    let rig = Rig::with(large()).unwrap();
    rig.play(id(1), 0, 2);
    rig.close();
}

#[test]
fn a_store_of_the_format_before_gets_a_journal() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 3);
    rig.close();
    for which in 0..2 {
        std::fs::remove_file(dir.path().join(format!("journal-{which}"))).unwrap();
    }
    tamper(dir.path(), |db| {
        let meta = db.open_tree("meta").unwrap();
        meta.remove("store").unwrap().expect("the store has an id");
        meta.insert("format", &1_u32.to_be_bytes()).unwrap();
        let secrets = db.open_tree("secrets").unwrap();
        let framed = secrets.get(0_u64.to_be_bytes()).unwrap().unwrap();
        secrets.insert(0_u64.to_be_bytes(), &framed[16..framed.len() - 4]).unwrap();
    });
    let rig = Rig::open(dir.path());
    assert_eq!(rig.bytes(id(1)), records(id(1), 3));
    assert_eq!(rig.store.read_game(id(1)).unwrap().unwrap().secret, Some(secret(id(1))));
    rig.play(id(1), 3, 1);
    rig.close();
    assert_eq!(Rig::open(dir.path()).bytes(id(1)), records(id(1), 4));
}
