//! A store in memory whose writer does one step when it is told to, for the simulation of the session.
//!
//! The queue, and the decision whether a record continues its game's log, are the real ones. What is durable is a list of
//! groups that survives a crash; everything else is made anew from it, as at a start.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use super::core::Failure;
use super::queue::Queue;
use super::types::{Append, Durability, GameEntry, Page, StoredGame, StoredRecord};
use super::writer::{self, Writer};
use super::{GameId, Hash, KeptRefusals, NewGameData, Refusals, Status, StoreError};
use crate::lock::lock;

/// A record as it lies on the simulated disk.
#[derive(Clone)]
struct DurableRecord {
    game: GameId,
    sequence: u32,
    bytes: bytes::Bytes,
    hash: Hash,
    status: Status,
    time_ms: u64,
    new_game: Option<Arc<NewGameData>>,
}

/// What survives a crash: groups of records, in the order in which they were synced.
#[derive(Clone, Default)]
pub(crate) struct Disk(Arc<Mutex<Vec<Vec<DurableRecord>>>>);

/// What readers of the store see.
#[derive(Clone, Default)]
pub(crate) struct SteppedStore {
    visible: Arc<Mutex<Visible>>,
    refusals: Refusals,
}

#[derive(Default)]
struct Visible {
    games: BTreeMap<GameId, StoredGame>,
    creations: HashMap<String, GameId>,
    durable: Option<u64>,
}

impl Visible {
    fn publish(&mut self, block: u64, group: &[DurableRecord]) {
        for record in group {
            let stored = StoredRecord { bytes: record.bytes.clone(), block };
            if let Some(new_game) = &record.new_game {
                let head = writer::created(record.game, &new_game.creation, record.time_ms);
                let game = StoredGame { records: Vec::new(), secret: Some(new_game.secret), head };
                self.games.insert(record.game, game);
                if !new_game.creation.request_id.is_empty() {
                    self.creations.insert(new_game.creation.request_id.clone(), record.game);
                }
            }
            let game = self.games.get_mut(&record.game).expect("the writer takes no record of an unknown game");
            game.head = head_after(&game.head, record, block);
            game.records.push(stored);
        }
        self.durable = Some(block);
    }
}

fn head_after(head: &GameEntry, record: &DurableRecord, block: u64) -> GameEntry {
    GameEntry {
        updated_ms: record.time_ms,
        status: record.status,
        revision: u64::from(record.sequence) + 1,
        head_hash: record.hash,
        last_block: block,
        ..head.clone()
    }
}

/// Opens what is on the disk.
pub(crate) fn open<T>(disk: &Disk, queue: usize) -> (SteppedStore, Writer<T>, SteppedWriter<T>) {
    let store = SteppedStore::default();
    {
        let mut visible = lock(&store.visible);
        for (block, group) in (0..).zip(lock(&disk.0).iter()) {
            visible.publish(block, group);
        }
    }
    let queue = Arc::new(Queue::new(queue));
    let failure = Arc::new(Failure::default());
    let known = lock(&store.visible).games.values().map(|game| (game.head.id, game.head.clone())).collect();
    let writer = Writer::new(Arc::clone(&queue), Arc::clone(&failure));
    let stepped = SteppedWriter {
        queue,
        failure,
        disk: disk.clone(),
        store: store.clone(),
        known,
        unchecked: false,
        phase: Phase::Idle,
    };
    (store, writer, stepped)
}

/// The writer, which does what its thread would do, a step at a time.
pub(crate) struct SteppedWriter<T> {
    queue: Arc<Queue<Append<T>>>,
    failure: Arc<Failure>,
    disk: Disk,
    store: SteppedStore,
    known: HashMap<GameId, GameEntry>,
    /// A planted defect: takes whatever comes.
    pub unchecked: bool,
    phase: Phase<T>,
}

enum Phase<T> {
    Idle,
    /// Taken from the queue, not on disk.
    Staged(Vec<T>, Vec<DurableRecord>),
    /// On disk; nobody sees it.
    Durable(Vec<T>, u64),
    /// Readers see it; nobody is answered.
    Visible(Vec<T>, u64),
}

impl<T> SteppedWriter<T> {
    /// Whether there is something to do.
    pub fn is_ready(&self) -> bool {
        !matches!(self.phase, Phase::Idle) || self.queue.is_ready()
    }

    /// Does the next step. A group has at most so many records.
    pub fn step(&mut self, most: usize, on_group: &mut dyn FnMut(Vec<T>, Durability)) {
        self.phase = match std::mem::replace(&mut self.phase, Phase::Idle) {
            Phase::Idle => self.stage(most, on_group),
            Phase::Staged(tickets, group) => {
                let mut disk = lock(&self.disk.0);
                disk.push(group);
                Phase::Durable(tickets, disk.len() as u64 - 1)
            }
            Phase::Durable(tickets, block) => {
                lock(&self.store.visible).publish(block, &lock(&self.disk.0)[block as usize]);
                Phase::Visible(tickets, block)
            }
            Phase::Visible(tickets, block) => {
                on_group(tickets, Durability::Durable { block });
                Phase::Idle
            }
        };
    }

    /// The disk fails: what is on its way is answered so, whether it has come to the disk or not, and all that follows.
    pub fn fail(&mut self, on_group: &mut dyn FnMut(Vec<T>, Durability)) {
        let error =
            self.failure.set(StoreError::DatabasePanic { doing: "simulating", detail: "the disk fails".into() });
        if let Phase::Staged(tickets, _) = std::mem::replace(&mut self.phase, Phase::Idle) {
            on_group(tickets, Durability::Failed(error));
        }
    }

    /// Whether the next step is the one that a disk can fail at.
    pub fn can_fail(&self) -> bool {
        matches!(self.phase, Phase::Staged(..))
    }

    /// Brings the group that is on its way to the disk, whatever is answered.
    pub fn sync_silently(&mut self) {
        if let Phase::Staged(_, group) = &self.phase {
            lock(&self.disk.0).push(group.clone());
        }
    }

    fn stage(&mut self, most: usize, on_group: &mut dyn FnMut(Vec<T>, Durability)) -> Phase<T> {
        if !self.queue.is_ready() {
            return Phase::Idle;
        }
        let mut count = 0;
        let waiting = self.queue.take(|_| {
            count += 1;
            count <= most
        });
        if let Some(error) = self.failure.get() {
            on_group(waiting.into_iter().map(|append| append.ticket).collect(), Durability::Failed(error));
            return Phase::Idle;
        }
        let (mut tickets, mut group) = (Vec::new(), Vec::new());
        for append in waiting {
            let known = self.known.get(&append.game);
            let continues = match self.unchecked && (known.is_some() || append.new_game.is_some()) {
                true => Ok(()),
                false => writer::expect_continues(known, &append),
            };
            if let Err(error) = continues {
                on_group(vec![append.ticket], Durability::Refused(Arc::new(error)));
                continue;
            }
            let Append { game, sequence, record, hash, status, time_ms, new_game, ticket, .. } = append;
            let new_game = new_game.map(|new_game| Arc::new(*new_game));
            let record = DurableRecord { game, sequence, bytes: record, hash, status, time_ms, new_game };
            let head = match (&record.new_game, known) {
                (Some(new_game), _) => writer::created(game, &new_game.creation, time_ms),
                (None, Some(head)) => head.clone(),
                (None, None) => unreachable!("record 0 has a creation"),
            };
            self.known.insert(game, head_after(&head, &record, 0));
            tickets.push(ticket);
            group.push(record);
        }
        match group.is_empty() {
            true => Phase::Idle,
            false => Phase::Staged(tickets, group),
        }
    }
}

/// What the session reads, with the names and meanings that [`super::Store`] has.
#[allow(clippy::unnecessary_wraps, reason = "as the store on disk answers")]
impl SteppedStore {
    pub fn read_game(&self, id: GameId) -> Result<Option<StoredGame>, StoreError> {
        Ok(lock(&self.visible).games.get(&id).cloned())
    }

    pub fn entry(&self, id: GameId) -> Result<Option<GameEntry>, StoreError> {
        Ok(lock(&self.visible).games.get(&id).map(|game| game.head.clone()))
    }

    pub fn creation(&self, request_id: &str) -> Result<Option<GameId>, StoreError> {
        Ok(lock(&self.visible).creations.get(request_id).copied())
    }

    /// All of them, newest first: no simulation has more than one page.
    pub fn list(
        &self,
        _before: Option<GameId>,
        _scan_limit: usize,
        mut keep: impl FnMut(&GameEntry) -> bool,
        page: usize,
    ) -> Result<Page, StoreError> {
        let visible = lock(&self.visible);
        let entries = visible.games.values().rev().map(|game| &game.head).filter(|head| keep(head));
        Ok(Page { entries: entries.take(page).cloned().collect(), next: None })
    }

    pub fn durable_block(&self) -> Option<u64> {
        lock(&self.visible).durable
    }

    pub fn refusals(&self) -> Refusals {
        self.refusals.clone()
    }

    pub fn list_refusals(&self, _game: GameId) -> Result<KeptRefusals, StoreError> {
        Ok(KeptRefusals::default())
    }
}
