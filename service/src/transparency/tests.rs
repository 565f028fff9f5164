//! The sealer on a real store: what a crash leaves, what damage and other histories lead to.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use bytes::Bytes;
use divelog_ledger::tlog::{Checkpoint, Tree, verify_consistency};
use divelog_ledger::{GameId, Revision, Sequence, Status, hash_record};

use super::files::{CHECKPOINT, Folder};
use super::sealer::Sealer;
use super::{SealError, Signed, key, state};
use crate::store::{self, Append, CreationFacts, Durability, NewGameData, RecordFacts, Sealed, Store, Writer};

struct Rig {
    dir: tempfile::TempDir,
    store: Store,
    writer: Writer<()>,
    groups: Receiver<Durability>,
}

fn describe(record: &[u8]) -> Result<RecordFacts, String> {
    let creation = record.starts_with(b"create").then(|| CreationFacts {
        kind: 1,
        seats: 2,
        request_id: String::new(),
        labels: Vec::new(),
        fork_of: None,
    });
    Ok(RecordFacts { time_ms: 1, creation })
}

fn open_store(dir: &Path) -> (Store, Writer<()>, Receiver<Durability>) {
    open_with(dir, false)
}

fn open_with(dir: &Path, accept_loss: bool) -> (Store, Writer<()>, Receiver<Durability>) {
    let (sender, groups) = channel();
    let options = store::Options {
        dir: dir.to_path_buf(),
        describe,
        queue: 1_000,
        cache_bytes: 1 << 20,
        journal_bytes: 512 << 10,
        accept_loss,
    };
    let (store, writer) = store::open(options, move |_: Vec<()>, durability| {
        sender.send(durability).ok();
    })
    .unwrap();
    (store, writer, groups)
}

impl Rig {
    fn new() -> Rig {
        let dir = tempfile::tempdir().unwrap();
        let (store, writer, groups) = open_store(&dir.path().join("data"));
        Rig { dir, store, writer, groups }
    }

    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    fn folder(&self) -> Folder {
        Folder::new(self.data().join("tlog"))
    }

    fn sealer(&self) -> Result<Sealer, SealError> {
        let key = key::load(&self.data(), None, Some("example.com/test")).unwrap();
        Sealer::open(self.store.clone(), self.data(), self.folder(), key, false)
    }

    /// Opens a sealer and seals everything.
    fn seal(&self) -> Result<Arc<Signed>, SealError> {
        let signed = self.sealer()?.pass(&|| true)?;
        Ok(signed.expect("nobody stops it"))
    }

    /// Writes one record, in a block of its own.
    fn put(&self, game: GameId, sequence: u32, status: Status, text: &str) {
        let record = match sequence {
            0 => format!("create {game} {text}"),
            _ => format!("move {sequence} of {game} {text}"),
        };
        let record = Bytes::from(record.into_bytes());
        let facts = describe(&record).unwrap();
        let previous = self.store.entry(game).unwrap().map(|entry| entry.head_hash).unwrap_or_default();
        let append = Append {
            game,
            sequence: Sequence::new(sequence.into()),
            previous,
            hash: hash_record(&record),
            status,
            time_ms: facts.time_ms,
            record,
            new_game: facts.creation.map(|creation| Box::new(NewGameData { creation, secret: [7; 32] })),
            ticket: (),
        };
        assert!(self.writer.append(append).is_ok());
        assert!(matches!(self.groups.recv().unwrap(), Durability::Durable { .. }));
    }

    /// Games that begin; each is a leaf.
    fn begin(&self, games: std::ops::Range<u128>) {
        for game in games {
            self.put(id(game), 0, Status::Running, "");
        }
    }

    /// The file that the newest leaf's hash is in.
    fn newest_tile(&self) -> PathBuf {
        let tiles = self.folder().path().join("tile/0");
        let partial = fs::read_dir(&tiles).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir());
        let mut widths: Vec<PathBuf> =
            fs::read_dir(partial.unwrap()).unwrap().map(|entry| entry.unwrap().path()).collect();
        widths.sort_by_key(|path| path.file_name().unwrap().to_str().unwrap().parse::<u32>().unwrap());
        widths.pop().unwrap()
    }
}

fn id(number: u128) -> GameId {
    GameId(number.to_be_bytes())
}

fn broken(result: Result<Arc<Signed>, SealError>) -> String {
    match result {
        Err(SealError::Broken(message)) => message.to_string(),
        other => panic!("not broken: {other:?}"),
    }
}

/// The checkpoint's text; it was signed by our key.
fn checkpoint(rig: &Rig, signed: &Signed) -> Checkpoint {
    let key = key::load(&rig.data(), None, None).unwrap();
    Checkpoint::open(&signed.note, key.verifier_key()).unwrap()
}

#[test]
fn leaves_are_the_first_every_64th_and_the_last_record_in_the_order_of_the_store() {
    let rig = Rig::new();
    for sequence in 0..70 {
        rig.put(id(1), sequence, Status::Running, "");
    }
    rig.begin(2..3);
    rig.put(id(1), 70, Status::Finished, "");
    let signed = rig.seal().unwrap();
    let leaves: Vec<(GameId, u64, Status)> = (0..signed.size)
        .map(|index| Tree::leaf(index, signed.size, &rig.folder()).unwrap())
        .map(|leaf| (leaf.game, leaf.revision.get(), leaf.status))
        .collect();
    let wanted = [
        (id(1), 1, Status::Running),
        (id(1), 64, Status::Running),
        (id(2), 1, Status::Running),
        (id(1), 71, Status::Finished),
    ];
    assert_eq!(leaves, wanted);
    let place = |place: Option<store::LeafPlace>| place.map(|place| (place.revision.get(), place.index));
    assert_eq!(place(rig.store.leaf_from(id(1), Revision::new(2)).unwrap()), Some((64, 1)));
    assert_eq!(place(rig.store.leaf_from(id(1), Revision::new(65)).unwrap()), Some((71, 3)));
    assert_eq!(place(rig.store.leaf_from(id(1), Revision::new(72)).unwrap()), None);
    assert_eq!(place(rig.store.leaf_up_to(id(1), Revision::new(70)).unwrap()), Some((64, 1)));
    assert_eq!(place(rig.store.leaf_up_to(id(2), Revision::MAX).unwrap()), Some((1, 2)));
}

#[test]
fn every_checkpoint_continues_those_before_it_also_past_full_tiles() {
    let rig = Rig::new();
    let mut kept = vec![rig.seal().unwrap()];
    let mut sealer = rig.sealer().unwrap();
    for end in [1, 2, 255, 256, 257, 300, 520] {
        rig.begin(kept.last().unwrap().size.into()..end);
        kept.push(sealer.pass(&|| true).unwrap().unwrap());
        assert_eq!(kept.last().unwrap().size, end as u64);
    }
    let newest = checkpoint(&rig, kept.last().unwrap());
    for old in &kept {
        let old = checkpoint(&rig, old);
        let proof = match old.size {
            0 => Vec::new(),
            size => Tree::prove_consistency(size, newest.size, &rig.folder()).unwrap(),
        };
        verify_consistency(&old, &newest, &proof).unwrap();
        assert_eq!(Tree::load(old.size, &rig.folder()).unwrap().root(), old.root, "{}", old.size);
    }
    let tiles = rig.folder().path().join("tile/0");
    assert!(tiles.join("000").is_file() && !tiles.join("000.p").exists(), "a full tile takes the place of its parts");
}

#[test]
fn whatever_a_crash_leaves_out_is_done_again_and_gives_the_same_tree() {
    let rig = Rig::new();
    rig.begin(0..5);
    rig.seal().unwrap();
    let (state, note) = (state::path(&rig.data()), rig.folder().path().join(CHECKPOINT));
    let before = (fs::read(&state).unwrap(), fs::read(&note).unwrap());
    rig.begin(5..9);
    let signed = rig.seal().unwrap();
    let after = (fs::read(&state).unwrap(), fs::read(&note).unwrap());
    // After the tiles: neither the state nor the checkpoint was written. After the state: not the checkpoint.
    for (left_state, left_note) in [(&before.0, &before.1), (&after.0, &before.1), (&after.0, &after.1)] {
        fs::write(&state, left_state).unwrap();
        fs::write(&note, left_note).unwrap();
        rig.store.clear_leaves().unwrap();
        assert_eq!(*rig.seal().unwrap(), *signed);
        assert_eq!(fs::read(&note).unwrap(), signed.note);
        assert_eq!(rig.store.leaf_from(id(7), Revision::new(1)).unwrap().unwrap().index, 7, "the index is whole again");
    }
    rig.begin(9..12);
    assert_eq!(rig.seal().unwrap().size, 12);
}

#[test]
fn a_folder_that_is_gone_is_built_again_and_leads_to_what_was_signed() {
    let rig = Rig::new();
    rig.begin(0..300);
    let signed = rig.seal().unwrap();
    fs::remove_dir_all(rig.folder().path()).unwrap();
    assert_eq!(*rig.seal().unwrap(), *signed);
    fs::remove_dir_all(rig.folder().path()).unwrap();
    fs::remove_file(state::path(&rig.data())).unwrap();
    assert_eq!(*rig.seal().unwrap(), *signed);
}

/// As by SIGTERM: nothing is signed before the log has grown through what was signed, and nothing is begun again.
#[test]
fn a_log_that_is_built_again_can_be_stopped_and_goes_on() {
    let rig = Rig::new();
    rig.begin(0..300);
    let signed = rig.seal().unwrap();
    fs::remove_dir_all(rig.folder().path()).unwrap();
    let mut blocks = Vec::new();
    for allowed in [1, 70, 130] {
        let asked = std::cell::Cell::new(0);
        let go_on = || {
            asked.set(asked.get() + 1);
            asked.get() <= allowed
        };
        assert_eq!(rig.sealer().unwrap().pass(&go_on), Ok(None));
        assert_eq!(rig.folder().checkpoint().unwrap(), None, "nothing is signed");
        blocks.push(state::read(&rig.data()).unwrap().unwrap().next_block);
    }
    assert!(blocks.is_sorted_by(|a, b| a < b) && blocks[0] > 0 && blocks[2] < 300, "each run goes on: {blocks:?}");
    assert_eq!(*rig.seal().unwrap(), *signed);
    assert_eq!(rig.store.leaf_from(id(299), Revision::new(1)).unwrap().unwrap().index, 299, "the index is whole");
}

/// The store has lost the end of its journal with the numbers of blocks that were sealed.
#[test]
fn after_an_accepted_loss_the_log_goes_on_behind_all_numbers_that_were_sealed() {
    let mut rig = Rig::new();
    let data = rig.data();
    rig.begin(0..3);
    rig.store.close();
    // What comes from here on is lost with the folder, except what was sealed.
    let kept = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_file() {
            fs::copy(&entry, kept.path().join(entry.file_name().unwrap())).unwrap();
        }
    }
    (rig.store, rig.writer, rig.groups) = open_store(&data);
    rig.begin(3..10);
    assert_eq!(rig.seal().unwrap().size, 10);
    rig.store.close();
    for name in ["db", "conf", "journal-0", "journal-1", "watermark", "closed"] {
        fs::copy(kept.path().join(name), data.join(name)).unwrap();
    }
    for entry in fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.file_name().unwrap().to_str().unwrap().starts_with("snap.") {
            fs::remove_file(entry).unwrap();
        }
    }
    fs::remove_file(data.join("journal-1")).unwrap();
    // Also where the numbers that were taken ahead are lost.
    fs::remove_file(data.join("numbers")).unwrap();
    (rig.store, rig.writer, rig.groups) = open_with(&data, true);
    rig.begin(20..22);
    let blocks: Vec<u64> = [20, 21].map(|game| rig.store.entry(id(game)).unwrap().unwrap().last_block).into();
    assert!(blocks[0] >= 10, "sealed numbers are not used again: {blocks:?}");
    assert_eq!(rig.seal().unwrap().size, 12);
    assert_eq!(rig.store.leaf_from(id(21), Revision::new(1)).unwrap().unwrap().index, 11);
}

#[test]
fn a_log_that_does_not_lead_to_what_the_store_remembers_is_not_signed() {
    let rig = Rig::new();
    rig.begin(0..5);
    rig.seal().unwrap();
    let honest = rig.store.sealed().unwrap().unwrap();
    let forget = || {
        fs::remove_dir_all(rig.folder().path()).unwrap();
        fs::remove_file(state::path(&rig.data())).unwrap();
    };
    rig.store.put_sealed(Sealed { root: [9; 32], ..honest }).unwrap();
    forget();
    let message = broken(rig.seal());
    assert!(message.contains("first 5 leaves are not those that were signed"), "{message}");
    assert!(!rig.folder().path().join(CHECKPOINT).exists(), "nothing was signed");
    rig.store.put_sealed(Sealed { size: 6, ..honest }).unwrap();
    forget();
    let message = broken(rig.seal());
    assert!(message.contains("a log of 5 leaves, but one of 6 was signed"), "{message}");
    assert!(!rig.folder().path().join(CHECKPOINT).exists(), "nothing was signed");
    // Also after another start, which finds the folder but no checkpoint.
    broken(rig.seal());
    rig.store.put_sealed(honest).unwrap();
    forget();
    assert_eq!(rig.seal().unwrap().root, honest.root);
}

#[test]
fn a_damaged_file_of_the_log_is_noticed_and_named() {
    let rig = Rig::new();
    rig.begin(0..300);
    let signed = rig.seal().unwrap();
    let tile = rig.newest_tile();
    let whole = fs::read(&tile).unwrap();
    let name = tile.strip_prefix(rig.folder().path()).unwrap().to_str().unwrap().to_owned();
    let mut flipped = whole.clone();
    flipped[5] ^= 1;
    fs::write(&tile, &flipped).unwrap();
    let message = broken(rig.seal());
    assert!(message.contains(rig.folder().path().to_str().unwrap()), "{message}");
    fs::write(&tile, &whole[1..]).unwrap();
    assert!(broken(rig.seal()).contains(&name));
    fs::remove_file(&tile).unwrap();
    assert!(broken(rig.seal()).contains(&name));
    fs::write(&tile, &whole).unwrap();
    assert_eq!(*rig.seal().unwrap(), *signed);
    let note = rig.folder().path().join(CHECKPOINT);
    fs::write(&note, b"not a note").unwrap();
    assert!(broken(rig.seal()).contains("checkpoint"));
    fs::write(&note, &signed.note).unwrap();
    fs::write(state::path(&rig.data()), b"divelog-tlog 1\n").unwrap();
    assert!(broken(rig.seal()).contains("tlog-state"));
}

#[test]
fn another_store_under_the_same_log_is_noticed() {
    let rig = Rig::new();
    rig.begin(0..5);
    rig.seal().unwrap();
    let other = Rig::new();
    for game in 0..6 {
        other.put(id(game), 0, Status::Running, "another history");
    }
    for name in ["signing-key", "tlog-state"] {
        fs::copy(rig.data().join(name), other.data().join(name)).unwrap();
    }
    fs::rename(rig.folder().path(), other.folder().path()).unwrap();
    let message = broken(other.seal());
    assert!(message.contains("block 4") && message.contains("other contents"), "{message}");
    // Without the state the checkpoint says so, although tiles that lead to it are there.
    fs::remove_file(state::path(&other.data())).unwrap();
    assert!(broken(other.seal()).contains("first 5 leaves are not those that were signed"));
    // Without either, where a tile would have to change.
    fs::remove_file(state::path(&other.data())).unwrap();
    fs::remove_file(other.folder().path().join(CHECKPOINT)).unwrap();
    fs::write(other.folder().path().join("tile/0/000.p/6"), [0; 6 * 32]).unwrap();
    assert!(broken(other.seal()).contains("with other contents"));
}

#[test]
fn another_key_does_not_go_on_with_a_log() {
    let rig = Rig::new();
    rig.begin(0..2);
    rig.seal().unwrap();
    fs::rename(state::path(&rig.data()), rig.data().join("kept")).unwrap();
    fs::remove_file(rig.data().join("signing-key")).unwrap();
    rig.sealer().err().expect("the checkpoint in the folder is another key's");
    fs::rename(rig.data().join("kept"), state::path(&rig.data())).unwrap();
    let message = broken(rig.seal());
    assert!(message.contains("example.com/test+") && message.contains("give the right key"), "{message}");
}
