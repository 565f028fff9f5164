//! What a start must notice, and what it must survive.

use std::process::Command;

use super::*;

pub(super) fn refusal(options: Options) -> StoreError {
    match Rig::with(options) {
        Ok(rig) => panic!("opened with {} games", rig.entries().len()),
        Err(error) => error,
    }
}

pub(super) fn accepting(dir: &Path) -> Options {
    Options { accept_loss: true, ..options(dir) }
}

/// A closed store with this many blocks, one record each, of one game.
fn filled(dir: &Path, blocks: u32) {
    let rig = Rig::open(dir);
    rig.play(id(1), 0, blocks);
    rig.close();
}

const CHILD_DIR: &str = "STORE_TEST_CHILD_DIR";

/// Not a test of its own: the child of the next one.
#[test]
fn child_opens_a_store_in_use() {
    if let Some(dir) = std::env::var_os(CHILD_DIR) {
        let error = refusal(options(Path::new(&dir)));
        assert!(matches!(error, StoreError::InUse { .. }), "{error}");
        println!("child saw: {error}");
    }
}

#[test]
fn a_second_open_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::open(dir.path());
    rig.play(id(1), 0, 1);
    let error = refusal(options(dir.path()));
    assert!(matches!(error, StoreError::InUse { .. }), "{error}");
    assert!(error.to_string().contains("in use by another process"));

    let (_, module) = module_path!().split_once("::").unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg(format!("{module}::child_opens_a_store_in_use"))
        .env(CHILD_DIR, dir.path())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && output.contains("child saw: "), "{output}");
    rig.play(id(1), 1, 1);
    rig.close();
}

#[test]
fn a_newer_format_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path(), 1);
    tamper(dir.path(), |db| {
        db.open_tree("meta").unwrap().insert("format", &4_u32.to_be_bytes()).unwrap();
    });
    for options in [options(dir.path()), accepting(dir.path())] {
        let error = refusal(options);
        assert!(matches!(error, StoreError::NewerFormat { found: 4, supported: 3, .. }), "{error}");
    }
}

/// Up to format 2 no key was made ahead of its block.
#[test]
fn a_store_of_an_earlier_format_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path(), 30);
    tamper(dir.path(), |db| {
        db.open_tree("meta").unwrap().insert("format", &2_u32.to_be_bytes()).unwrap();
        let blocks = db.open_tree("blocks").unwrap();
        for (key, value) in blocks.iter().map(Result::unwrap) {
            if value.is_empty() {
                blocks.remove(key).unwrap();
            }
        }
        assert_eq!(blocks.len(), 30);
    });
    let rig = Rig::open(dir.path());
    rig.play(id(1), 30, 100);
    rig.close();
    let rig = Rig::open(dir.path());
    assert_eq!(rig.store.read_game(id(1)).unwrap().unwrap().records.len(), 130);
}

#[test]
fn a_missing_block_at_the_watermark_is_a_loss() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path(), 5);
    tamper(dir.path(), |db| {
        db.open_tree("blocks").unwrap().remove(4_u64.to_be_bytes()).unwrap();
    });
    for _ in 0..2 {
        let error = refusal(options(dir.path()));
        let StoreError::Lost { expected_block: 4, found_last: Some(3), .. } = error else {
            panic!("{error}");
        };
        assert!(error.to_string().contains("--accept-loss"), "{error}");
    }
    let rig = Rig::with(accepting(dir.path())).unwrap();
    assert_eq!(rig.bytes(id(1)), records(id(1), 4));
    rig.close();
    // The decision lasts, and a number is not used twice.
    let rig = Rig::open(dir.path());
    let numbers = rig.play(id(1), 4, 1);
    assert_eq!(numbers, [log::files::numbers::STEP], "behind all that may have been given out");
    assert_eq!(rig.bytes(id(1)), records(id(1), 5));
    rig.close();
    // A later loss is noticed, and the gap is none.
    let rig = Rig::open(dir.path());
    assert_eq!(rig.play(id(2), 0, 1), [log::files::numbers::STEP + 1]);
    rig.close();
}

#[test]
fn an_index_that_knows_more_than_the_blocks_is_a_loss() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path(), 5);
    std::fs::remove_file(dir.path().join("watermark")).unwrap();
    tamper(dir.path(), |db| db.open_tree("blocks").unwrap().clear().unwrap());
    let error = refusal(options(dir.path()));
    assert!(matches!(error, StoreError::Lost { expected_block: 4, found_last: None, .. }), "{error}");
}

#[test]
fn a_block_at_the_watermark_that_differs() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path(), 3);
    let other = tempfile::tempdir().unwrap();
    filled(other.path(), 3);
    tamper(dir.path(), |db| {
        let record = b"R 5 another story";
        let sequence = Sequence::new(2);
        let other = block::Placed { game: id(1), previous_block: 1, sequence, status: Status::Running, record };
        db.open_tree("blocks").unwrap().insert(2_u64.to_be_bytes(), block::encode(2, &[other])).unwrap();
    });
    let error = refusal(options(dir.path()));
    assert!(matches!(error, StoreError::Replaced { block: 2, .. }), "{error}");
    let rig = Rig::with(accepting(dir.path())).unwrap();
    assert_eq!(rig.bytes(id(1))[2], b"R 5 another story");
    rig.close();
    Rig::open(dir.path()).close();
    // Damage is not a refusal: the game says so.
    tamper(other.path(), |db| {
        db.open_tree("blocks").unwrap().insert(2_u64.to_be_bytes(), b"garbage").unwrap();
    });
    let rig = Rig::open(other.path());
    let error = rig.store.read_game(id(1)).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { sequence: Some(at), block: 2, .. } if at.get() == 2), "{error}");
    rig.play(id(2), 0, 1);
    rig.close();
}

#[test]
fn the_watermark_file_missing_or_unreadable() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path(), 3);
    let path = dir.path().join("watermark");
    std::fs::remove_file(&path).unwrap();
    let rig = Rig::open(dir.path());
    assert_eq!(rig.bytes(id(1)), records(id(1), 3));
    assert_eq!(rig.store.stats().watermark, Some(2), "written again");
    rig.close();
    for contents in [&b""[..], b"divelog-watermark 1 2 abc", b"\xff\xfe", &[b'x'; 5000]] {
        std::fs::write(&path, contents).unwrap();
        let error = refusal(options(dir.path()));
        assert!(matches!(error, StoreError::WatermarkUnreadable { .. }), "{error}");
        Rig::with(accepting(dir.path())).unwrap().close();
        Rig::open(dir.path()).close();
    }
}

#[test]
fn a_shortened_file_never_opens_as_a_smaller_store() {
    for part in [0, 1, 2, 3] {
        let dir = tempfile::tempdir().unwrap();
        filled(dir.path(), 60);
        let db = dir.path().join("db");
        let file = std::fs::OpenOptions::new().write(true).open(&db).unwrap();
        let length = file.metadata().unwrap().len();
        file.set_len(length * part / 4).unwrap();
        let before = std::fs::read(&db).unwrap();
        if part > 0 {
            let error = refusal(options(dir.path()));
            assert!(matches!(error, StoreError::Shortened { closed_bytes, .. } if closed_bytes == length), "{error}");
            assert_eq!(std::fs::read(&db).unwrap(), before, "the database has not seen it");
            // After a crash there is no such note.
            std::fs::remove_file(dir.path().join("closed")).unwrap();
        }
        let error = refusal(options(dir.path()));
        println!("{part}/4 of {length} bytes: {error}");
        assert!(
            matches!(
                error,
                StoreError::Lost { expected_block: 59, .. }
                    | StoreError::NoFile { expected_block: 59, .. }
                    | StoreError::Unopenable { .. }
            ),
            "{error}"
        );
        if part == 0 {
            assert!(matches!(error, StoreError::NoFile { .. }), "{error}");
            assert_eq!(std::fs::read(&db).unwrap(), before, "nothing was changed");
        }
        if !matches!(error, StoreError::Unopenable { .. }) {
            let again = refusal(options(dir.path()));
            assert_eq!(again.to_string(), error.to_string());
            let rig = Rig::with(accepting(dir.path())).unwrap();
            let found = rig.entries().first().map_or(0, |entry| entry.revision.get() as u32);
            assert!(found < 60);
            assert_eq!(rig.play(id(1), found, 1), [log::files::numbers::STEP]);
            rig.close();
            let rig = Rig::open(dir.path());
            assert_eq!(rig.bytes(id(1)), records(id(1), found + 1));
            rig.close();
        }
    }
}

#[test]
fn a_file_that_reads_as_nothing_is_not_a_new_store() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path(), 10);
    // Without a watermark only the file itself shows that there was something.
    std::fs::remove_file(dir.path().join("watermark")).unwrap();
    let db = dir.path().join("db");
    let length = std::fs::metadata(&db).unwrap().len() as usize;
    std::fs::write(&db, vec![0xAA; length]).unwrap();
    for _ in 0..3 {
        // Each time: a supervisor may start the service again and again.
        let error = refusal(options(dir.path()));
        assert!(matches!(error, StoreError::Emptied { .. }), "{error}");
    }
    Rig::with(accepting(dir.path())).unwrap().close();
    filled(dir.path(), 1);
}

/// Flips in the database's own file: it may panic, lose records or be unharmed.
/// The store must answer with an error, or with the bytes that were written.
#[test]
fn a_flipped_bit_in_the_databases_file() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path(), 40);
    let db = dir.path().join("db");
    let sound = std::fs::read(&db).unwrap();
    let sound_mark = std::fs::read(dir.path().join("watermark")).unwrap();
    let step = sound.len() / 40;
    for at in (step / 2..sound.len()).step_by(step) {
        let flipped = tempfile::tempdir().unwrap();
        let mut bytes = sound.clone();
        bytes[at] ^= 8;
        std::fs::write(flipped.path().join("db"), bytes).unwrap();
        std::fs::write(flipped.path().join("watermark"), &sound_mark).unwrap();
        for file in ["conf", "journal-0", "journal-1"] {
            std::fs::copy(dir.path().join(file), flipped.path().join(file)).unwrap();
        }
        std::fs::create_dir_all(flipped.path().join("blobs")).unwrap();
        match Rig::with(options(flipped.path())) {
            Err(error) => println!("byte {at}: {error}"),
            Ok(rig) => match rig.store.read_game(id(1)) {
                Ok(Some(game)) => {
                    let bytes: Vec<_> = game.records.iter().map(|r| r.bytes.to_vec()).collect();
                    assert_eq!(bytes, records(id(1), 40), "byte {at}");
                }
                Ok(None) => panic!("byte {at}: the game is gone without a word"),
                Err(error) => println!("byte {at}: {error}"),
            },
        }
    }
}

/// A tmpfs for as long as the value lives.
pub(super) struct SmallDisk(pub tempfile::TempDir);

impl SmallDisk {
    /// None where the test may not mount one: then the end of the run names the test and the reason.
    pub fn mount(size: &str, test: &str) -> Option<SmallDisk> {
        let dir = tempfile::tempdir().unwrap();
        let options = format!("size={size}");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(dir.path()).output();
        let why = match mounted {
            Ok(done) if done.status.success() => return Some(SmallDisk(dir)),
            Ok(done) => String::from_utf8_lossy(&done.stderr).into_owned(),
            Err(error) => error.to_string(),
        };
        not_run::not_run(test, &format!("this machine mounts no tmpfs: {why}"));
        None
    }

    pub fn grow(&self, size: &str) {
        let done = Command::new("mount").args(["-o", &format!("remount,size={size}")]).arg(self.0.path()).status();
        assert!(done.unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(self.0.path()).status().ok();
    }
}

#[test]
fn a_full_disk_is_a_clear_sticky_error_and_loses_nothing() {
    let Some(disk) = SmallDisk::mount("4m", "store on a full disk") else {
        return;
    };
    let dir = disk.0.path().join("store");
    let rig = Rig::open(&dir);
    rig.put(append(id(1), 0));
    let mut count = 1;
    let body = |sequence: u32| format!("R {sequence} {}", "x".repeat(20_000)).into_bytes();
    let next = |count: u32| {
        let before = if count == 1 { record(id(1), 0) } else { body(count - 1) };
        after(&before, append_bytes(id(1), count, body(count)))
    };
    let error = loop {
        match rig.writer.append(next(count)) {
            Ok(()) => {}
            Err(AppendError::Failed(_, error)) => break error,
            Err(other) => panic!("{other}"),
        }
        match rig.groups.recv().unwrap().1 {
            Durability::Durable { .. } => count += 1,
            Durability::Failed(error) => break error,
            Durability::Refused(error) => panic!("{error}"),
        }
        assert!(count < 10_000, "the disk gets full");
    };
    println!("after {count} records: {error}");
    assert!(error.to_string().contains("No space left"), "{error}");
    let refused = rig.writer.append(next(count));
    assert!(matches!(refused, Err(AppendError::Failed(..))), "sticky");
    assert!(rig.store.failure().is_some());
    // What is acknowledged but did not reach the database is still shown.
    assert_eq!(rig.bytes(id(1)).len(), count as usize);
    rig.close();

    disk.grow("64m");
    let rig = Rig::open(&dir);
    let stored = rig.bytes(id(1));
    // The record that failed may be there or not: it was never acknowledged.
    assert!(stored.len() >= count as usize, "{} of {count}", stored.len());
    for (sequence, bytes) in stored.iter().enumerate().skip(1) {
        assert_eq!(*bytes, body(sequence as u32));
    }
    rig.put(next(stored.len() as u32));
    rig.close();
}
