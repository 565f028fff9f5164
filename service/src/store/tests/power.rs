//! Power cuts with writes out of order: whatever is on disk of the database's file since its last sync is any subset of the
//! pages written since then.
//!
//! Around every sync of the database's file a hook looks at it. What it held when the last sync was done is on the disk; of
//! each page that differs now either version may be. Images of such disks are made with the journal as it is at that
//! moment (each of its frames is synced before it counts), and every image is opened and must hold all that was
//! acknowledged.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::*;
use crate::lock::lock;
use crate::store::database::sync_hooks::{self as hooks, Moment};
use crate::test_rng::TestRng;

const PAGE: usize = 4_096;
const IMAGES_PER_CUT: usize = 2;

/// Chance from `DIVELOG_CRASH_SEED`, or from a new seed that is printed.
fn rng(test: &str) -> TestRng {
    let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seed = std::env::var("DIVELOG_CRASH_SEED").map_or_else(|_| now(), |text| text.parse().unwrap());
    println!("{test}: DIVELOG_CRASH_SEED={seed}");
    TestRng::new(seed)
}

/// How many images a test makes at most.
fn most_images(default: usize) -> usize {
    std::env::var("DIVELOG_POWER_CUTS").map_or(default, |text| text.parse().unwrap())
}

/// Records of each game that were acknowledged, and how large they are.
type Acked = Arc<Mutex<Vec<u32>>>;

/// The disk under one folder.
struct Disk {
    dir: std::path::PathBuf,
    rng: TestRng,
    acked: Acked,
    /// The database's file when its last sync was done.
    synced: Mutex<Vec<u8>>,
    images: Mutex<Vec<(tempfile::TempDir, Vec<u32>)>>,
    most_images: usize,
    /// One in so many syncs is cut off.
    one_in: usize,
    offset: usize,
    /// Most bytes that differed at a sync.
    most_unsynced: AtomicU64,
    syncs: AtomicUsize,
}

impl Disk {
    fn under(dir: &Path, rng: TestRng, acked: &Acked, most_images: usize, one_in: usize) -> (Arc<Disk>, hooks::Set) {
        let offset = rng.below(one_in);
        let disk = Arc::new(Disk {
            dir: dir.to_path_buf(),
            rng,
            offset,
            acked: Arc::clone(acked),
            synced: Mutex::new(std::fs::read(dir.join("db")).unwrap_or_default()),
            images: Mutex::default(),
            most_images,
            one_in,
            most_unsynced: AtomicU64::new(0),
            syncs: AtomicUsize::new(0),
        });
        let hook = {
            let disk = Arc::clone(&disk);
            move |moment| {
                match moment {
                    Moment::Before => disk.cut(),
                    Moment::After => *lock(&disk.synced) = std::fs::read(disk.dir.join("db")).unwrap(),
                }
                Ok(())
            }
        };
        (disk, hooks::set(dir, hook))
    }

    fn cut(&self) {
        // In this order: what is acknowledged is in the journal before, and stays there until this sync is done.
        let acked = lock(&self.acked).clone();
        let synced = lock(&self.synced);
        let now = std::fs::read(self.dir.join("db")).unwrap();
        fn part(bytes: &[u8], at: usize) -> &[u8] {
            &bytes[at.min(bytes.len())..(at + PAGE).min(bytes.len())]
        }
        let page = |bytes: &[u8], at: usize| -> Vec<u8> {
            let mut page = part(bytes, at).to_vec();
            page.resize(PAGE, 0);
            page
        };
        let differing: Vec<usize> = (0..now.len())
            .step_by(PAGE)
            // Quickly, and only then as the disk has it: what is not there reads as zeros.
            .filter(|at| part(&synced, *at) != part(&now, *at) && page(&synced, *at) != page(&now, *at))
            .collect();
        self.most_unsynced.fetch_max((differing.len() * PAGE) as u64, Ordering::Relaxed);
        if differing.is_empty() {
            return;
        }
        let turn = self.syncs.fetch_add(1, Ordering::Relaxed) + self.offset;
        if lock(&self.images).len() >= self.most_images || !turn.is_multiple_of(self.one_in) {
            return;
        }
        // Several disks that may be left by this cut.
        for _ in 0..IMAGES_PER_CUT {
            let image = self.image(&synced, &now, &differing);
            lock(&self.images).push((image, acked.clone()));
        }
    }

    fn image(&self, synced: &[u8], now: &[u8], differing: &[usize]) -> tempfile::TempDir {
        // The file's new length is metadata, and on disk or not like every page.
        let length = if self.rng.below(2) == 0 { now.len() } else { now.len().min(synced.len().max(PAGE)) };
        let mut db = synced.to_vec();
        db.resize(length, 0);
        // Some disks have taken most, some hardly anything, some only what came late or early.
        let (from, to) = match self.rng.below(4) {
            0 => (0, differing.len()),
            1 => (self.rng.below(differing.len()), differing.len()),
            2 => (0, self.rng.below(differing.len()) + 1),
            _ => (differing.len(), 0),
        };
        let share = 1 + self.rng.below(99);
        for (place, at) in differing.iter().copied().enumerate() {
            let certain = (from..to).contains(&place) && share > 50;
            if at < length && (certain || self.rng.below(100) < share) {
                let end = (at + PAGE).min(length).min(now.len());
                db[at..end].copy_from_slice(&now[at..end]);
            }
        }
        let image = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(&self.dir).unwrap().map(Result::unwrap) {
            let name = entry.file_name();
            if entry.path().is_file() && name != "db" {
                // A file that is being replaced may be gone by now.
                std::fs::copy(entry.path(), image.path().join(name)).ok();
            }
        }
        std::fs::create_dir_all(image.path().join("blobs")).unwrap();
        std::fs::write(image.path().join("db"), db).unwrap();
        image
    }

    /// Opens every image; each must hold what was acknowledged. Answers with the number of images.
    fn check(&self, journal_bytes: u64) -> usize {
        let images = std::mem::take(&mut *lock(&self.images));
        let mut lost = Vec::new();
        for (at, (image, acked)) in images.iter().enumerate() {
            let opened = Rig::with(Options { journal_bytes, ..options(image.path()) });
            let rig = match opened {
                Ok(rig) => rig,
                Err(error) => {
                    lost.push(format!("image {at}: {error}"));
                    continue;
                }
            };
            for (game, count) in (0_u32..).zip(acked).filter(|(_, count)| **count > 0) {
                let found = match rig.store.read_game(id(game.into())) {
                    Ok(Some(found)) => found,
                    other => {
                        lost.push(format!("image {at}: game {game}: {:?}", other.map(|_| "is not there")));
                        continue;
                    }
                };
                let whole =
                    (0_u32..).zip(&found.records).all(|(sequence, record)| record.bytes == body(game, sequence));
                if (found.records.len() as u32) < *count || !whole || found.secret != Some(secret(id(game.into()))) {
                    lost.push(format!("image {at}: game {game} has {} of {count} records", found.records.len()));
                }
            }
        }
        assert!(
            lost.is_empty(),
            "{} of {} images:\n{}",
            lost.len(),
            images.len(),
            lost[..lost.len().min(9)].join("\n")
        );
        let most = self.most_unsynced.load(Ordering::Relaxed) / 1024;
        println!(
            "{} images, {} syncs, {most} KiB between two syncs at most",
            images.len(),
            self.syncs.load(Ordering::Relaxed)
        );
        assert!(most < 8 * 1024, "{most} KiB without a sync: a segment of the database");
        images.len()
    }
}

/// Large records in the first games, small ones in the others: blocks and index entries.
fn body(game: u32, sequence: u32) -> Vec<u8> {
    match (sequence, game) {
        (1.., ..LARGE) => {
            let mut body = format!("R {sequence} ").into_bytes();
            // Nothing that could be taken for another record's.
            body.extend(
                (0_u32..4_000)
                    .flat_map(|at| (at ^ (game << 20) ^ (sequence << 8)).to_be_bytes().map(|b| b'a' + b % 26)),
            );
            body
        }
        _ => record(id(game.into()), sequence),
    }
}

const LARGE: u32 = 4;
const GAMES: u32 = 400;

/// Appends one record to each of these games and waits for all.
fn append_all(rig: &Rig, acked: &Acked, games: &[u32]) {
    for game in games {
        let sequence = lock(acked)[*game as usize];
        let before = sequence.checked_sub(1).map(|before| body(*game, before)).unwrap_or_default();
        let append = append_bytes(id((*game).into()), sequence, body(*game, sequence));
        rig.writer.append(if sequence == 0 { append } else { after(&before, append) }).unwrap();
    }
    let mut left = games.len();
    while left > 0 {
        let (tickets, durability) = rig.groups.recv().unwrap();
        assert!(matches!(durability, Durability::Durable { .. }), "{durability:?}");
        left -= tickets.len();
        for (game, sequence) in tickets {
            lock(acked)[u128::from_be_bytes(game.0) as usize] = sequence + 1;
        }
    }
}

const JOURNAL: u64 = 16 << 20;

/// Writes some MiB of records, large and small.
fn fill(rig: &Rig, acked: &Acked, mebibytes: u32) {
    let small: Vec<u32> = (LARGE..GAMES).collect();
    append_all(rig, acked, &small);
    for _ in 0..mebibytes * 16 {
        append_all(rig, acked, &[0, 1, 2, 3]);
    }
}

/// A whole file of the journal is settled in one pass.
#[test]
fn a_power_cut_while_a_full_journal_is_settled() {
    let dir = tempfile::tempdir().unwrap();
    let acked: Acked = Arc::new(Mutex::new(vec![0; GAMES as usize]));
    let rig = Rig::with(Options { journal_bytes: JOURNAL, ..options(dir.path()) }).unwrap();
    let rng = rng("a_power_cut_while_a_full_journal_is_settled");
    let (disk, hook) = Disk::under(dir.path(), rng, &acked, most_images(4), 3);
    let rounds = if std::env::var_os("DIVELOG_POWER_CUTS").is_some() { 6 } else { 2 };
    for _ in 0..rounds {
        let held = lock(&rig.store.0.shared.housekeeping);
        // A whole file at least is free.
        fill(&rig, &acked, 15);
        drop(held);
        rig.store.housekeep().unwrap();
    }
    drop(hook);
    rig.close();
    assert!(disk.check(JOURNAL) > 0);
}

/// A killed process leaves full journals and no index; the next start brings everything to the database.
#[test]
fn a_power_cut_while_a_start_replays_the_journal_and_builds_the_index() {
    let dir = tempfile::tempdir().unwrap();
    let acked: Acked = Arc::new(Mutex::new(vec![0; GAMES as usize]));
    let rig = Rig::with(Options { journal_bytes: JOURNAL, ..options(dir.path()) }).unwrap();
    fill(&rig, &acked, 4);
    rig.store.housekeep().unwrap();
    let held = lock(&rig.store.0.shared.housekeeping);
    fill(&rig, &acked, 24);
    let killed = tempfile::tempdir().unwrap();
    super::journal::copy_files(dir.path(), killed.path());
    drop(held);
    rig.close();
    tamper(killed.path(), |db| {
        db.open_tree("games").unwrap().remove("through").unwrap().unwrap();
    });
    let rng = rng("a_power_cut_while_a_start_replays_the_journal");
    let (disk, hook) = Disk::under(killed.path(), rng, &acked, most_images(4), 5);
    Rig::with(Options { journal_bytes: JOURNAL, ..options(killed.path()) }).unwrap().close();
    drop(hook);
    assert!(disk.check(JOURNAL) > 0);
}
