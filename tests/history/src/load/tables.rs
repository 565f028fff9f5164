//! The games that are played, and what their next moves may be.
//!
//! The clients of a load know each game's secret, so that they can play ahead: the next move is chosen on a position that
//! is computed, not asked for. When somebody else has moved, that position is wrong, and the log is read again.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use divelog_engine::Kind;
use divelog_ledger::{GameId, Position, Secret, Stamp, Status, convert, hash_record};
use divelog_proto::games::{deep_sea_adventure::v1 as dsa, key_largo::v1 as kl};
use divelog_proto::v1 as pb;

use super::lock;
use crate::Choices;

/// How many games beside those that are played are remembered, to be read, forked and watched.
const MAX_OLDER: usize = 200;

/// One game.
pub(super) struct Table {
    pub id: GameId,
    /// The same as text.
    pub name: String,
    state: Mutex<State>,
    /// Whether somebody reads the log now.
    reading: AtomicBool,
    /// How many actions are on their way: before they are answered the log says little about what comes next.
    on_their_way: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// The newest position that is known from the log.
    known: Option<Position>,
    /// Where the moves that were sent should lead.
    ahead: Option<Position>,
    over: bool,
}

/// What to do next at a table.
pub(super) struct NextMove {
    pub seat: u32,
    pub action: pb::GameAction,
    /// The revision at which it should be done.
    pub revision: u64,
}

impl Table {
    pub fn new(id: GameId) -> Arc<Table> {
        Arc::new(Table {
            id,
            name: id.to_string(),
            state: Mutex::default(),
            reading: AtomicBool::new(false),
            on_their_way: AtomicUsize::new(0),
        })
    }

    /// Chooses a move and plays ahead with it.
    pub fn next_move(&self, choices: &mut Choices) -> Option<NextMove> {
        let mut state = lock(&self.state);
        let position = state.ahead.as_ref()?;
        let Some((seat, action)) = position.game().any_choice(choices) else {
            state.over = true;
            return None;
        };
        let revision = position.revision().get();
        let next = position.act(seat, &action, Stamp { time_ms: 0, request_id: "" }).ok()?.position;
        state.ahead = Some(next);
        Some(NextMove { seat: seat.0.into(), action: convert::action_to_proto(&action), revision })
    }

    /// The moves that were sent did not lead where they should: the log must be read.
    pub fn mark_stale(&self) {
        lock(&self.state).ahead = None;
    }

    /// Whether the log must be read, and this caller is the one to do it.
    pub fn begin_reading(&self) -> bool {
        let needed = {
            let state = lock(&self.state);
            state.ahead.is_none() && !state.over
        };
        needed && self.on_their_way.load(Ordering::SeqCst) == 0 && !self.reading.swap(true, Ordering::SeqCst)
    }

    /// What the log has; nothing if it could not be read.
    pub fn end_reading(&self, log: Option<(&[Bytes], [u8; 32])>) {
        if let Some((records, secret)) = log {
            let known = lock(&self.state).known.clone();
            let newest = replay(self.id, known, records, &Secret(secret));
            let mut state = lock(&self.state);
            if let Some(newest) = newest {
                state.over = newest.status() != Status::Running;
                state.ahead = Some(newest.clone());
                state.known = Some(newest);
            } else {
                // Not a log that can be played on; the checker will say what is wrong with it.
                state.over = true;
            }
        }
        self.reading.store(false, Ordering::SeqCst);
    }

    /// An action was sent.
    pub fn sent(&self) {
        self.on_their_way.fetch_add(1, Ordering::SeqCst);
    }

    /// An action was answered, or will not be.
    pub fn answered(&self) {
        self.on_their_way.fetch_sub(1, Ordering::SeqCst);
    }

    pub fn is_over(&self) -> bool {
        lock(&self.state).over
    }

    pub fn set_over(&self) {
        lock(&self.state).over = true;
    }

    /// A revision that the log has, and the number of seats.
    pub fn known(&self) -> Option<(u64, u8)> {
        let state = lock(&self.state);
        state.known.as_ref().map(|known| (known.revision().get(), known.game().seats().get()))
    }
}

/// The newest position of a log, from one that is known.
fn replay(id: GameId, known: Option<Position>, records: &[Bytes], secret: &Secret) -> Option<Position> {
    let known = known.filter(|known| {
        let last = records.get(known.last_record().index());
        last.is_some_and(|record| hash_record(record) == known.head_hash())
    });
    let mut position = match known {
        Some(known) => known,
        None => Position::open(id, records.first()?, secret).ok()?.position,
    };
    for record in records.get(position.revision().next_record().index()..)? {
        position = position.replay(record).ok()?.position;
    }
    Some(position)
}

/// All games of a round.
#[derive(Default)]
pub(super) struct Tables {
    /// Those that are played.
    open: Mutex<Vec<Arc<Table>>>,
    /// Those that are not, newest last.
    older: Mutex<VecDeque<Arc<Table>>>,
}

impl Tables {
    pub fn open_count(&self) -> usize {
        lock(&self.open).len()
    }

    /// Opens a table to all clients.
    pub fn open(&self, table: Arc<Table>) {
        let mut open = lock(&self.open);
        if open.iter().all(|known| known.id != table.id) {
            open.push(table);
        }
    }

    /// Remembers a game that is not played by all.
    pub fn remember(&self, table: Arc<Table>) {
        let mut older = lock(&self.older);
        if older.len() >= MAX_OLDER {
            older.pop_front();
        }
        older.push_back(table);
    }

    /// A game that is played. Those that are over are put away.
    pub fn pick(&self, choices: &mut Choices) -> Option<Arc<Table>> {
        let mut open = lock(&self.open);
        let at = choices.below(open.len());
        let table = open.get(at)?.clone();
        if table.is_over() {
            open.swap_remove(at);
            drop(open);
            self.remember(table);
            return None;
        }
        Some(table)
    }

    /// Any game.
    pub fn pick_any(&self, choices: &mut Choices) -> Option<Arc<Table>> {
        if choices.percent(50) {
            let older = lock(&self.older);
            let at = choices.below(older.len());
            if let Some(table) = older.get(at) {
                return Some(Arc::clone(table));
            }
        }
        self.pick(choices)
    }
}

/// A first action of a game of which nothing is known but its kind; it may well be refused.
pub(super) fn opening(kind: Kind, seats: u32, choices: &mut Choices) -> (u32, pb::GameAction) {
    let seat = choices.below(seats.max(1) as usize) as u32;
    let action = match kind {
        Kind::KeyLargo => pb::game_action::Action::KeyLargo(program(choices)),
        _ => pb::game_action::Action::DeepSeaAdventure(dsa::Action {
            action: Some(dsa::action::Action::Dive(dsa::Dive { turn_back: false })),
        }),
    };
    (seat, pb::GameAction { action: Some(action) })
}

/// Any programme of a day: all seats choose theirs at the same time.
pub(super) fn program(choices: &mut Choices) -> kl::Action {
    let morning = choices.between(1, 5) as i32;
    let afternoon = 1 + (morning - 1 + choices.between(1, 4) as i32) % 5;
    kl::Action { action: Some(kl::action::Action::Program(kl::Program { morning, afternoon })) }
}
