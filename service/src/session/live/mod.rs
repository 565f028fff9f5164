//! One live game: what is on disk, what is on its way there, and those who wait for it.
//!
//! | file | what it holds |
//! |---|---|
//! | this one | the game in memory, and what watchers get of it |
//! | `submit` | requests: judged, computed on a copy, handed to the writer |
//! | `on_durable` | what happens to a record when the disk has it or has refused it |
//! | `state` | positions, records on their way, and answers in the order of the requests |

mod on_durable;
mod state;
mod submit;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use divelog_ledger::{GameId, Position, Revision, Secret, Sequence, Status};

use super::followers::{FanOut, Follower, Followers};
use super::{Accepted, Error, Step};
use crate::lock::lock;
use crate::store::Refusals;
use state::State;
pub use submit::Submitted;

/// Takes the answer to one request, once. Every record's answer goes back this way: also that of a game's first record, and
/// where a task waits for it. Those who wait for the work under a creation's request id have another way (`creation::turns`):
/// each of them also holds a part of a bounded room until it is answered.
pub type Reply = Box<dyn FnOnce(ActionResult) + Send>;

/// The answer to one request.
pub type ActionResult = Result<Accepted, Error>;

/// What a watcher at some revision gets next.
pub enum WatchNext {
    /// It has everything.
    UpToDate { over: bool },
    /// The next step.
    Step(Arc<Step>),
    /// It is too far behind: read the log.
    ReadLog,
}

/// One game in memory.
pub struct LiveGame {
    id: GameId,
    secret: Secret,
    state: Mutex<State>,
    /// Those who follow it, and who wakes them.
    followers: Arc<Followers>,
    fan_out: FanOut,
    /// Where requests that were refused are kept.
    refusals: Refusals,
    /// Whether this copy has ended: then the game must be loaded again.
    retired: AtomicBool,
}

impl LiveGame {
    /// A game whose records are all on disk; with the step of the newest, where there is one.
    pub(super) fn new(
        position: Position,
        newest: Option<Arc<Step>>,
        secret: Secret,
        requests: HashMap<String, Sequence>,
        refusals: Refusals,
        fan_out: FanOut,
    ) -> LiveGame {
        LiveGame {
            id: position.header().game_id,
            secret,
            refusals,
            retired: AtomicBool::new(false),
            followers: Arc::default(),
            fan_out,
            state: Mutex::new(State::new(position, newest, requests)),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change of the state is complete before anything in it can panic.
        lock(&self.state)
    }

    pub fn id(&self) -> GameId {
        self.id
    }

    /// The game's secret: for auditors, and for all once the game is over.
    pub fn secret(&self) -> &Secret {
        &self.secret
    }

    /// Whether this copy has ended: whoever holds it asks for the game again.
    pub fn is_retired(&self) -> bool {
        self.retired.load(Ordering::SeqCst)
    }

    /// Whether it takes nothing any more and everything that it has sent is answered.
    pub(super) fn is_done(&self) -> bool {
        let state = self.state();
        state.superseded && state.pending.is_empty()
    }

    /// Ends it, when nobody can find it any more, and wakes those who follow it.
    pub(super) fn retire(&self) {
        // Before the wake-up: who begins to follow after that sees it.
        self.retired.store(true, Ordering::SeqCst);
        self.followers.notify(&self.fan_out);
    }

    /// The newest position on disk.
    pub fn durable(&self) -> Position {
        self.state().durable.clone()
    }

    /// Learns of each new durable revision.
    pub fn follow(&self) -> Follower {
        Follower::new(&self.followers)
    }

    /// What a watcher who has everything up to `revision` gets next.
    pub fn after(&self, revision: Revision) -> WatchNext {
        let state = self.state();
        let durable = state.durable.revision();
        if revision >= durable {
            return WatchNext::UpToDate { over: state.durable.status() != Status::Running };
        }
        let wanted = revision.next_record();
        match state.recent.iter().find(|step| step.position.last_record() == wanted) {
            Some(step) => WatchNext::Step(Arc::clone(step)),
            None => WatchNext::ReadLog,
        }
    }

    #[cfg(test)]
    pub(super) fn tip(&self) -> Position {
        self.state().tip.clone()
    }

    /// The records on their way, oldest first.
    #[cfg(test)]
    pub(super) fn pending_steps(&self) -> Vec<Arc<Step>> {
        self.state().pending.iter().map(|pending| Arc::clone(&pending.step)).collect()
    }

    /// Gives an answer that was found elsewhere, after those to everything that was asked before.
    pub(super) fn answer(&self, reply: Reply, answer: ActionResult) {
        self.state().answer(reply, answer);
    }
}
