//! A group in the making: which records may come into it, and what they change once they are durable.

use crate::store::block::NO_BLOCK;
use crate::store::database::index::{CreationKey, creation_key};
use crate::store::error::StoreError;
use crate::store::log::{Before, Group, GroupRecord};
use crate::store::types::{Append, CreationFacts, GameEntry, GameMap, NewGameData};
use crate::store::{GameId, Revision, Status};

/// What a group changes once it is durable, and who waits for that.
pub(in crate::store) struct Effects<T> {
    /// The games as they are after it. Their newest block has no number yet: see [`Work::apply`].
    pub entries: GameMap<GameEntry>,
    pub creations: Vec<(CreationKey, GameId)>,
    pub tickets: Vec<T>,
    pub records: u64,
    pub bytes: u64,
}

/// A group in the making.
pub(in crate::store) struct Staged<T> {
    pub group: Group,
    pub effects: Effects<T>,
}

/// A game that the log has.
pub(in crate::store) struct KnownGame {
    pub entry: GameEntry,
    pub last_record: Before,
}

/// Where a record belongs: what its game was before it, and where the record before it is.
pub(in crate::store) struct Predecessor {
    pub entry: GameEntry,
    pub before: Before,
}

impl<T> Staged<T> {
    pub fn with_capacity(appends: usize) -> Staged<T> {
        let tickets = Vec::with_capacity(appends);
        let effects = Effects { entries: GameMap::default(), creations: Vec::new(), tickets, records: 0, bytes: 0 };
        Staged { group: Group::default(), effects }
    }

    /// Whether the append continues its game.
    pub fn check(&self, known: Option<KnownGame>, append: &Append<T>) -> Result<Predecessor, StoreError> {
        let Append { game, sequence, .. } = *append;
        expect_continues(known.as_ref().map(|known| &known.entry), append)?;
        let invalid = |detail| StoreError::InvalidAppend { game, sequence, detail };
        match (known, append.new_game.as_deref()) {
            (None, Some(NewGameData { creation, .. })) => {
                Ok(Predecessor { entry: created(game, creation, append.time_ms), before: Before::Nowhere })
            }
            (Some(KnownGame { entry, last_record }), None) => Ok(Predecessor { entry, before: last_record }),
            (None, None) => Err(invalid("record 0 needs a creation and a secret")),
            (Some(_), Some(_)) => Err(invalid("only record 0 has a creation and a secret")),
        }
    }

    pub fn push(&mut self, append: Append<T>, predecessor: Predecessor) {
        let Append { game, sequence, record, hash, status, time_ms, new_game, ticket, .. } = append;
        let Predecessor { entry, before } = predecessor;
        if let Some(new_game) = new_game {
            let NewGameData { creation, secret } = *new_game;
            self.group.secrets.push((game, secret));
            if !creation.request_id.is_empty() {
                self.effects.creations.push((creation_key(&creation.request_id), game));
            }
        }
        let revision = sequence.revision_after();
        let entry = GameEntry { updated_ms: time_ms, status, revision, head_hash: hash, ..entry };
        self.effects.records += 1;
        self.effects.bytes += record.len() as u64;
        self.group.push(GroupRecord { game, before, sequence, status, record });
        self.effects.entries.insert(game, entry);
        self.effects.tickets.push(ticket);
    }
}

/// Refuses a record that does not continue its game's log.
pub(in crate::store) fn expect_continues<T>(known: Option<&GameEntry>, append: &Append<T>) -> Result<(), StoreError> {
    let Append { game, sequence, .. } = *append;
    let expected = known.map_or(Revision::NONE, |entry| entry.revision);
    if sequence != expected.next_record() {
        return Err(StoreError::OutOfSequence { game, given: sequence, expected });
    }
    // The last guard of one history: also a second copy of a game in memory can only be refused here.
    if append.previous != known.map_or([0; 32], |entry| entry.head_hash) {
        return Err(StoreError::OtherHistory { game, given: sequence });
    }
    Ok(())
}

/// The entry of a new game, before its first record is counted.
pub(in crate::store) fn created(id: GameId, creation: &CreationFacts, time_ms: u64) -> GameEntry {
    GameEntry {
        id,
        kind: creation.kind,
        seats: creation.seats,
        labels: creation.labels.clone(),
        fork_of: creation.fork_of,
        created_ms: time_ms,
        updated_ms: time_ms,
        status: Status::Running,
        revision: Revision::NONE,
        head_hash: [0; 32],
        last_block: NO_BLOCK,
    }
}
