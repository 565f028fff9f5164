//! Tests of the store on a real database in temporary folders. No test waits for
//! time to pass: groups are awaited, and housekeeping is called.

mod damage;
mod index;
mod journal;
mod memory;
#[path = "../../../../tests/harness/not_run.rs"]
mod not_run;
mod opening;
mod power;
mod refusal_gaps;
mod refusals;
mod syncing;
mod writing;

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::database::raw;
use super::*;

type Ticket = (GameId, u32);

/// An open store whose groups are received one by one.
struct Rig {
    store: Store,
    writer: Writer<Ticket>,
    groups: Receiver<(Vec<Ticket>, Durability)>,
}

fn options(dir: &Path) -> Options {
    Options {
        dir: dir.to_path_buf(),
        describe,
        queue: 100_000,
        cache_bytes: 16 << 20,
        journal_bytes: 512 << 10,
        accept_loss: false,
    }
}

impl Rig {
    fn open(dir: &Path) -> Rig {
        Rig::with(options(dir)).expect("the store opens")
    }

    fn with(options: Options) -> Result<Rig, StoreError> {
        let (sender, groups) = channel();
        let (store, writer) = open(options, move |tickets, durability| {
            sender.send((tickets, durability)).ok();
        })?;
        Ok(Rig { store, writer, groups })
    }

    /// A writer that is held in `on_group` until the sender is used or dropped.
    fn gated(options: Options) -> (Rig, Sender<()>) {
        let (sender, groups) = channel();
        let (gate, opened) = channel::<()>();
        let (store, writer) = open(options, move |tickets, durability| {
            sender.send((tickets, durability)).ok();
            opened.recv().ok();
        })
        .expect("the store opens");
        (Rig { store, writer, groups }, gate)
    }

    /// Appends one record and waits until it is durable; its block.
    fn put(&self, append: Append<Ticket>) -> u64 {
        let ticket = append.ticket;
        self.writer.append(append).expect("the append is queued");
        let (tickets, durability) = self.groups.recv().expect("the writer answers");
        assert_eq!(tickets, [ticket]);
        match durability {
            Durability::Durable { block } => block,
            Durability::Failed(error) | Durability::Refused(error) => panic!("{error}"),
        }
    }

    /// Plays `count` more records of a game, a block each.
    fn play(&self, game: GameId, from: u32, count: u32) -> Vec<u64> {
        (from..from + count).map(|at| self.put(append(game, at))).collect()
    }

    /// Waits until the writer waits for the housekeeper: whatever it could do before that is done and answered.
    fn until_writer_waits(&self) {
        let deadline = Instant::now() + Duration::from_secs(120);
        while !self.store.0.shared.overlay().awaited {
            assert!(Instant::now() < deadline, "the writer never waits");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn bytes(&self, game: GameId) -> Vec<Vec<u8>> {
        let game = self.store.read_game(game).expect("readable");
        let records = game.expect("the game is there").records;
        records.iter().map(|record| record.bytes.to_vec()).collect()
    }

    fn entries(&self) -> Vec<GameEntry> {
        let page = self.store.list(None, 10_000, |_| true, 10_000);
        page.expect("listable").entries
    }

    fn close(self) {
        self.store.close();
    }
}

fn id(number: u128) -> GameId {
    GameId(number.to_be_bytes())
}

/// The record that every test expects at this place.
fn record(game: GameId, sequence: u32) -> Vec<u8> {
    let time = 1_000 + u64::from(sequence);
    match sequence {
        0 => format!("C {time} 7 4 request-{game} table={game}"),
        _ => format!("R {time} move {sequence} of {game}"),
    }
    .into_bytes()
}

fn records(game: GameId, count: u32) -> Vec<Vec<u8>> {
    (0..count).map(|sequence| record(game, sequence)).collect()
}

fn append(game: GameId, sequence: u32) -> Append<Ticket> {
    append_bytes(game, sequence, record(game, sequence))
}

fn append_bytes(game: GameId, sequence: u32, record: Vec<u8>) -> Append<Ticket> {
    let RecordFacts { time_ms, creation } = describe(&record).expect("a record of the tests");
    let before = sequence.checked_sub(1).map(|before| self::record(game, before));
    Append {
        game,
        sequence: Sequence::new(sequence.into()),
        previous: before.map(|before| Sha256::digest(before).into()).unwrap_or_default(),
        hash: Sha256::digest(&record).into(),
        time_ms,
        record: Bytes::from(record),
        status: Status::Running,
        new_game: creation.map(|creation| Box::new(NewGameData { creation, secret: secret(game) })),
        ticket: (game, sequence),
    }
}

/// The same append after another record than [`record`] has before it.
fn after(before: &[u8], append: Append<Ticket>) -> Append<Ticket> {
    Append { previous: Sha256::digest(before).into(), ..append }
}

fn secret(game: GameId) -> [u8; 32] {
    Sha256::digest(game.0).into()
}

/// Reads what [`record`] writes.
fn describe(record: &[u8]) -> Result<RecordFacts, String> {
    let text = std::str::from_utf8(record).map_err(|error| error.to_string())?;
    let words: Vec<&str> = text.split(' ').collect();
    let number = |at: usize| {
        let word = words.get(at).ok_or("a word is missing")?;
        word.parse::<u64>().map_err(|error| error.to_string())
    };
    let creation = match words[..] {
        ["C", _, _, _, request_id, label] => Some(CreationFacts {
            kind: number(2)? as u32,
            seats: number(3)? as u8,
            request_id: request_id.to_owned(),
            labels: label.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())).into_iter().collect(),
            fork_of: None,
        }),
        ["R", ..] => None,
        _ => return Err("neither C nor R".to_owned()),
    };
    Ok(RecordFacts { time_ms: number(1)?, creation })
}

/// The database without the store, to do what the store never does.
fn raw(dir: &Path) -> raw::Db {
    raw::open(&options(dir)).expect("the database opens")
}

/// Changes a closed store through the database, as if that had lost or changed something while it had its file open: what
/// changes a file that is closed is noticed by the note about it.
fn tamper(dir: &Path, change: impl FnOnce(&raw::Db)) {
    std::fs::remove_file(dir.join("closed")).ok();
    let db = raw(dir);
    change(&db);
    db.flush().expect("flushed");
}
