//! A store whose writer does one step when it is asked to, on the log in memory, for the simulation of the session.
//!
//! The queue, the log and the staging of a group are the real ones, and what readers see is read from the log's blocks, as a
//! start reads it. There is no database: everything is made again from the log, which survives a crash.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::block::{self, Block};
use super::log::memory::{Disk, Durable, MemoryLog};
use super::log::{Before, Log, NextError, Ordered};
use super::queue::Queue;
use super::shared_state::Failure;
use super::types::{Append, Durability, GameEntry, Page, StoredGame, StoredRecord};
use super::writer::{self, Effects, KnownGame, Predecessor, Staged, Writer};
use super::{Describe, GameId, KeptRefusals, RecordFacts, Refusals, StoreError};
use crate::lock::lock;

/// What readers of the store see.
#[derive(Clone, Default)]
pub(crate) struct SimulatedStore {
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
    fn publish(&mut self, describe: Describe, group: &Durable) {
        let at = group.at;
        let block = Block::parse(at, &group.block).expect("the log keeps what was written");
        for item in block.records() {
            let bytes = item.record(&group.block).expect("the log keeps what was written");
            let RecordFacts { time_ms, creation } = describe(bytes).expect("the session reads its own records");
            if let Some(creation) = creation {
                let head = writer::created(item.game, &creation, time_ms);
                let secret = block::find_secret(at, &group.secrets, item.game);
                self.games.insert(item.game, StoredGame { records: Vec::new(), secret, head });
                if !creation.request_id.is_empty() {
                    self.creations.insert(creation.request_id, item.game);
                }
            }
            let game = self.games.get_mut(&item.game).expect("the writer takes no record of an unknown game");
            game.head = GameEntry {
                updated_ms: time_ms,
                status: item.status,
                revision: item.sequence.revision_after(),
                head_hash: Sha256::digest(bytes).into(),
                last_block: at,
                ..game.head.clone()
            };
            game.records.push(StoredRecord { bytes: group.block.slice_ref(bytes), block: at });
        }
        self.durable = Some(at);
    }
}

/// Opens what is on the disk.
pub(crate) fn open<T>(disk: &Disk, describe: Describe, queue: usize) -> (SimulatedStore, Writer<T>, ManualWriter<T>) {
    let store = SimulatedStore::default();
    {
        let mut visible = lock(&store.visible);
        for group in disk.groups() {
            visible.publish(describe, &group);
        }
    }
    let queue = Arc::new(Queue::new(queue));
    let failure = Arc::new(Failure::default());
    let known = lock(&store.visible).games.values().map(|game| (game.head.id, game.head.clone())).collect();
    let writer = Writer::new(Arc::clone(&queue), Arc::clone(&failure));
    let manual = ManualWriter {
        queue,
        failure,
        disk: disk.clone(),
        log: MemoryLog::open(disk, 0, usize::MAX),
        describe,
        store: store.clone(),
        known,
        unchecked: false,
        phase: Phase::Idle,
    };
    (store, writer, manual)
}

/// The writer, which does what its thread would do, a step at a time.
pub(crate) struct ManualWriter<T> {
    queue: Arc<Queue<Append<T>>>,
    failure: Arc<Failure>,
    disk: Disk,
    log: MemoryLog,
    describe: Describe,
    store: SimulatedStore,
    known: HashMap<GameId, GameEntry>,
    /// An injected defect: takes whatever comes.
    pub unchecked: bool,
    phase: Phase<T>,
}

enum Phase<T> {
    Idle,
    /// Proposed to the log, not on disk.
    Proposed(Effects<T>),
    /// On disk; nobody sees it.
    Durable(Effects<T>, Durable),
    /// Readers see it; nobody is answered.
    Visible(Effects<T>, u64),
}

impl<T> ManualWriter<T> {
    /// Whether there is something to do.
    pub fn is_ready(&self) -> bool {
        !matches!(self.phase, Phase::Idle) || self.queue.is_ready()
    }

    /// Does the next step. A group has at most so many records.
    pub fn step(&mut self, most: usize, on_group: &mut dyn FnMut(Vec<T>, Durability)) {
        self.phase = match std::mem::replace(&mut self.phase, Phase::Idle) {
            Phase::Idle => self.propose(most, on_group),
            Phase::Proposed(effects) => match self.log.next(Duration::ZERO) {
                Ok(Some(Ordered { at, block, secrets, .. })) => Phase::Durable(effects, Durable { at, block, secrets }),
                Ok(None) => {
                    assert_eq!(self.log.deposed().len(), 1, "what does not come back is deposed");
                    on_group(effects.tickets, Durability::Refused(Arc::new(StoreError::Deposed)));
                    Phase::Idle
                }
                Err(NextError::Full { .. } | NextError::Failed(_)) => unreachable!("it has room, and no disk"),
            },
            Phase::Durable(effects, group) => {
                let entries = effects.entries.values().map(|entry| (entry.id, entry.clone()));
                self.known.extend(entries);
                lock(&self.store.visible).publish(self.describe, &group);
                Phase::Visible(effects, group.at)
            }
            Phase::Visible(effects, block) => {
                on_group(effects.tickets, Durability::Durable { block });
                Phase::Idle
            }
        };
    }

    /// The disk fails: what is on its way is answered so, whether it has come to the disk or not, and all that follows.
    pub fn fail(&mut self, on_group: &mut dyn FnMut(Vec<T>, Durability)) {
        let error =
            self.failure.set(StoreError::DatabasePanic { doing: "simulating", detail: "the disk fails".into() });
        if let Phase::Proposed(effects) = std::mem::replace(&mut self.phase, Phase::Idle) {
            on_group(effects.tickets, Durability::Failed(error));
        }
    }

    /// Whether the next step is the one that a disk can fail at, and that somebody else's group can come before.
    pub fn is_proposed(&self) -> bool {
        matches!(self.phase, Phase::Proposed(_))
    }

    /// Brings the group that is on its way to the disk, whatever is answered.
    pub fn sync_silently(&mut self) {
        if self.is_proposed() {
            drop(self.log.next(Duration::ZERO));
        }
    }

    /// Somebody else's group comes before the one that is on its way, which is refused late.
    pub fn depose(&mut self) {
        self.disk.depose(1);
    }

    fn propose(&mut self, most: usize, on_group: &mut dyn FnMut(Vec<T>, Durability)) -> Phase<T> {
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
        let mut staged = Staged::with_capacity(waiting.len());
        for append in waiting {
            let staged_entry = staged.effects.entries.get(&append.game).cloned();
            let known = staged_entry.or_else(|| self.known.get(&append.game).cloned());
            match self.predecessor(&staged, known, &append) {
                Ok(predecessor) => staged.push(append, predecessor),
                Err(error) => on_group(vec![append.ticket], Durability::Refused(Arc::new(error))),
            }
        }
        if staged.group.records.is_empty() {
            return Phase::Idle;
        }
        self.log.propose(staged.group).expect("a log in memory takes everything");
        Phase::Proposed(staged.effects)
    }

    fn predecessor(
        &self,
        staged: &Staged<T>,
        known: Option<GameEntry>,
        append: &Append<T>,
    ) -> Result<Predecessor, StoreError> {
        // Nobody follows the blocks of a game here.
        let last_record = Before::SameGroup;
        if self.unchecked && (known.is_some() || append.new_game.is_some()) {
            let created = append.new_game.as_ref();
            let created = created.map(|new_game| writer::created(append.game, &new_game.creation, append.time_ms));
            let entry = created.or(known).expect("one of both is there");
            return Ok(Predecessor { entry, before: last_record });
        }
        staged.check(known.map(|entry| KnownGame { entry, last_record }), append)
    }
}

/// What the session reads, with the names and meanings that [`super::Store`] has.
#[allow(clippy::unnecessary_wraps, reason = "as the store on disk answers")]
impl SimulatedStore {
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
