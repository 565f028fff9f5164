//! What happened, read back from the log.

use std::ops::ControlFlow;

use divelog_ledger::{GameId, Revision};

use super::blocking::WorkerPool;
use super::step::{Step, replay_stored};
use super::{Error, Games};
use crate::store::StoredGame;

impl Games {
    /// The first step of the game that was created under a request id.
    pub(super) async fn first_step_of(&self, request_id: &str) -> Result<Option<Step>, Error> {
        if request_id.is_empty() {
            return Ok(None);
        }
        let (reader, key) = (self.shared.reader.clone(), request_id.to_owned());
        let found =
            self.shared.pools.play.run(self.caller, move || reader.creation(&key).map_err(Error::reading)).await?;
        let Some(id) = found else { return Ok(None) };
        let step = self.step(id, Revision::BEGUN).await?;
        // The index knows only a part of a hash of the id: it may be another one.
        Ok(Some(step).filter(|step| step.position.header().request_id == request_id))
    }

    /// The step that led to one revision, from the log.
    pub async fn step(&self, id: GameId, revision: Revision) -> Result<Step, Error> {
        let steps = self.steps(id, revision, 1).await?;
        steps.into_iter().next().ok_or(Error::NotFound(id))
    }

    /// Steps of a game from the log: those that led to `from_revision` and after, at most `count`. For those who play and
    /// watch; an audit begins with [`Games::stored`].
    pub async fn steps(&self, id: GameId, from_revision: Revision, count: usize) -> Result<Vec<Step>, Error> {
        let reader = self.shared.reader.clone();
        let replay = move || {
            let stored = reader.game(id)?;
            let mut steps = Vec::new();
            replay_stored(id, &stored, |step, _| {
                if step.position.revision() >= from_revision {
                    steps.push(step);
                }
                if steps.len() >= count { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            Ok(steps)
        };
        let steps = self.shared.pools.play.run(self.caller, replay).await?;
        self.all_answered().await;
        Ok(steps)
    }

    /// A game's records and secret, as stored, for an audit.
    pub async fn stored(&self, id: GameId) -> Result<StoredGame, Error> {
        self.stored_by(&self.shared.pools.audit, id).await
    }

    pub(super) async fn stored_by(&self, pool: &WorkerPool, id: GameId) -> Result<StoredGame, Error> {
        let reader = self.shared.reader.clone();
        let stored = pool.run(self.caller, move || reader.game(id)).await?;
        self.all_answered().await;
        Ok(stored)
    }

    /// Runs a part of an audit off the runtime's thread: a replay, a proof, a piece of a backup.
    pub async fn blocking<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<R, Error> + Send + 'static,
    ) -> Result<R, Error> {
        self.shared.pools.audit.run(self.caller, work).await
    }

    /// A game's records and secret, as stored, for somebody who watches it.
    pub async fn stored_to_watch(&self, id: GameId) -> Result<StoredGame, Error> {
        self.stored_by(&self.shared.pools.watch, id).await
    }

    /// Replays a part of a game for somebody who watches it.
    pub async fn replay_to_watch<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<R, Error> + Send + 'static,
    ) -> Result<R, Error> {
        self.shared.pools.watch.run(self.caller, work).await
    }

    /// Waits until everything is answered that the store shows by now. It shows a record a moment before the record's game
    /// does: without this somebody who has read the store could see less in the game.
    pub async fn all_answered(&self) {
        let durable = self.shared.reader.durable_block();
        let mut answered = self.shared.answered.clone();
        // An error: the store is closed, and there is nobody left who could.
        drop(answered.wait_for(|answered| *answered >= durable).await);
    }
}
