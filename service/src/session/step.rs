//! What one record did, fresh from the rules or replayed from the log.
//!
//! A replay can be kept between two steps and goes on where it was: whoever shows a long game in parts replays each record
//! once.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::vec;

use bytes::Bytes;
use divelog_engine::{AnyAction, AnyEvent, Seat, Viewer};
use divelog_ledger::{Advance, GameId, Position, Replayed, RequestIds, Secret, Sequence, convert};
use divelog_proto::encoded::WatchGameResponse;
use divelog_proto::v1 as pb;

use super::Error;
use crate::lock::lock;
use crate::store::{StoredGame, StoredRecord};

/// One record's effect. Events are as an auditor may see them: redact before showing.
#[derive(Clone, Debug)]
pub struct Step {
    /// The game after the record.
    pub position: Position,
    /// What happened.
    pub events: Vec<AnyEvent>,
    /// Who acted; nobody at set-up and abandonment.
    pub seat: Option<Seat>,
    /// What they did.
    pub action: Option<AnyAction>,
    /// What each kind of viewer is shown of it, once somebody has asked.
    pub shown: ShownUpdates,
}

/// The encoded updates of one step: one for each distinct viewer, however many watch.
#[derive(Debug, Default)]
pub struct ShownUpdates(Mutex<Vec<ShownUpdate>>);

/// A copy begins empty.
impl Clone for ShownUpdates {
    fn clone(&self) -> Self {
        Self::default()
    }
}

type ShownUpdate = ((Viewer, bool), WatchGameResponse);

impl ShownUpdates {
    /// The update for a viewer, with the table after it or without; `make` is called for the first who asks.
    pub fn get(
        &self,
        viewer: Viewer,
        with_view: bool,
        make: impl FnOnce() -> pb::WatchGameResponse,
    ) -> WatchGameResponse {
        // At most two for each seat, spectators and auditors.
        let mut shown = lock(&self.0);
        if let Some((_, update)) = shown.iter().find(|(whose, _)| *whose == (viewer, with_view)) {
            return update.clone();
        }
        let update = WatchGameResponse::new(&make());
        shown.push(((viewer, with_view), update.clone()));
        update
    }
}

impl Step {
    /// The step of a record that was just written, and the record.
    pub fn fresh(advance: Advance, actor: Option<(Seat, AnyAction)>) -> (Step, Bytes) {
        let (seat, action) = actor.unzip();
        (
            Step { position: advance.position, events: advance.events, seat, action, shown: Default::default() },
            advance.record,
        )
    }

    /// The step of a record from the log.
    fn replayed(replayed: Replayed) -> Step {
        let moved = match &replayed.record.body {
            Some(pb::record::Body::Move(moved)) => Some(moved),
            _ => None,
        };
        let kind = replayed.position.kind();
        Step {
            seat: moved.map(|moved| Seat(moved.seat as u8)),
            action: moved.and_then(|moved| convert::action_from_proto(kind, moved.action.as_ref()).ok()),
            position: replayed.position,
            events: replayed.events,
            shown: ShownUpdates::default(),
        }
    }
}

/// The records of a game that are still to be replayed, and the game before them.
pub struct Replay {
    replayer: Replayer,
    records: vec::IntoIter<StoredRecord>,
}

impl Replay {
    /// A replay from the first record on.
    pub fn new(game: GameId, stored: StoredGame) -> Result<Replay, Error> {
        let replayer = Replayer::new(game, &stored)?;
        Ok(Replay { replayer, records: stored.records.into_iter() })
    }

    /// A replay of what comes after a position of the same game, which was replayed or played before.
    pub fn after(position: Position, stored: StoredGame) -> Replay {
        let mut records = stored.records;
        let next = position.revision().next_record().index().min(records.len());
        let records = records.split_off(next).into_iter();
        Replay { replayer: Replayer::after(position), records }
    }

    /// The same replay of the next records alone, of about so many bytes: as if the log ended there. They are copied: what was
    /// read holds the blocks that they lie in, with records of other games.
    pub fn cut(self, bytes: usize) -> Replay {
        let mut left = bytes;
        let next = self.records.take_while(|record| {
            let more = left > 0;
            left = left.saturating_sub(record.bytes.len());
            more
        });
        let next = next.map(|record| StoredRecord { bytes: Bytes::copy_from_slice(&record.bytes), ..record });
        Replay { replayer: self.replayer, records: next.collect::<Vec<_>>().into_iter() }
    }

    /// What the records take that are still to be replayed.
    #[cfg(test)]
    pub fn held_bytes(&self) -> usize {
        self.records.as_slice().iter().map(|record| record.bytes.len()).sum()
    }

    /// Where it is: the game after the newest step; none before the first.
    pub fn position(&self) -> Option<&Position> {
        match &self.replayer.at {
            At::Start(_) => None,
            At::After(position) => Some(position),
        }
    }

    /// The next step; none after the last record.
    pub fn next_step(&mut self) -> Result<Option<Step>, Error> {
        match self.records.next() {
            Some(record) => self.replayer.step(&record.bytes).map(|(step, _)| Some(step)),
            None => Ok(None),
        }
    }
}

/// Replays a stored game and shows each step, with its request id, until `each` says stop.
pub fn replay_stored(
    game: GameId,
    stored: &StoredGame,
    mut each: impl FnMut(Step, String) -> ControlFlow<()>,
) -> Result<(), Error> {
    let mut replayer = Replayer::new(game, stored)?;
    for record in &stored.records {
        let (step, request_id) = replayer.step(&record.bytes)?;
        if each(step, request_id).is_break() {
            break;
        }
    }
    Ok(())
}

/// The game so far, ready for the next record.
struct Replayer {
    game: GameId,
    at: At,
    request_ids: RequestIds,
}

enum At {
    /// Before record 0, which only the secret can open.
    Start(Secret),
    After(Position),
}

impl Replayer {
    fn new(game: GameId, stored: &StoredGame) -> Result<Replayer, Error> {
        let Some(secret) = stored.secret else {
            let detail = "the game's secret is missing".to_owned();
            return Err(Error::Damaged { game, sequence: Some(Sequence::SETUP), kind: None, detail });
        };
        Ok(Replayer { game, at: At::Start(Secret(secret)), request_ids: RequestIds::default() })
    }

    /// The request ids before the position were checked by whoever came to it.
    fn after(position: Position) -> Replayer {
        let game = position.header().game_id;
        Replayer { game, at: At::After(position), request_ids: RequestIds::default() }
    }

    /// Replays one record: its step and its request id.
    fn step(&mut self, record: &Bytes) -> Result<(Step, String), Error> {
        #[cfg(test)]
        replayed::note(self.game);
        let fault = |fault| Error::fault(self.game, fault);
        let replayed = match &self.at {
            At::Start(secret) => Position::open(self.game, record, secret),
            At::After(position) => position.replay(record),
        };
        let replayed = replayed.map_err(fault)?;
        self.request_ids.note(&replayed.record, record).map_err(fault)?;
        self.at = At::After(replayed.position.clone());
        let request_id = replayed.record.request_id.clone();
        Ok((Step::replayed(replayed), request_id))
    }
}

/// How many records of each game were replayed: a test counts them instead of looking at a clock.
#[cfg(test)]
pub mod replayed {
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use divelog_ledger::GameId;

    use crate::lock::lock;

    static COUNTS: Mutex<BTreeMap<GameId, usize>> = Mutex::new(BTreeMap::new());

    pub(super) fn note(game: GameId) {
        *lock(&COUNTS).entry(game).or_default() += 1;
    }

    /// So many records of a game were replayed since the last time that somebody asked.
    pub fn take(game: GameId) -> usize {
        lock(&COUNTS).remove(&game).unwrap_or_default()
    }
}
