//! A game at one revision: the engine's state together with the log's end, and the two ways to continue it: writing the next
//! record, or replaying one that was written. Both run the same code, so what is written can be replayed.

mod replay;
mod write;

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use divelog_engine::{
    AnyEvent, AnyGame, AnyOptions, AnyView, ChanceKey, Kind, Outcome, SeatCount, SeatSet, SeededChance, Viewer,
    Violation,
};
use divelog_proto::v1 as pb;

use crate::{ForkOrigin, ForkPoint, GameId, Hash, Keys, NONCE_BYTES, Revision, Sequence, convert};

/// Whether a game is still played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Somebody has to act.
    Running,
    /// Played to its end.
    Finished,
    /// Ended before it was played out.
    Abandoned,
}

/// What record 0 fixed.
#[derive(Clone, Debug)]
pub struct Header {
    /// The game's id.
    pub game_id: GameId,
    /// The rules it is played by.
    pub rules_version: u16,
    /// Its options, as in the log.
    pub options: pb::GameOptions,
    /// The players, by seat: their names and what they added to the seed.
    pub players: Vec<pb::Player>,
    /// The creator's labels.
    pub labels: BTreeMap<String, String>,
    /// When it was created.
    pub create_time_ms: u64,
    /// The commitment to its secret.
    pub seed_commitment: Hash,
    /// The request id of its creation.
    pub request_id: String,
    /// Where it was forked from; none for a game of its own.
    pub fork: Option<ForkOrigin>,
    /// How its creation was asked for; none without a request id, and in older logs.
    pub request: Option<pb::CreationRequest>,
}

/// What a new game is made of.
#[derive(Clone, Debug)]
pub struct NewGame {
    /// Its id.
    pub game_id: GameId,
    /// The rules version.
    pub rules_version: u16,
    /// The options, which also choose the kind.
    pub options: AnyOptions,
    /// One entry per seat. A fork must have its source's: what they added is part of the source's seed.
    pub players: Vec<pb::Player>,
    /// The creator's labels.
    pub labels: BTreeMap<String, String>,
    /// The game whose past it begins with; none for a game of its own. Its records after the setup are
    /// written by doing the source's actions again, up to the revision that it is forked at.
    pub fork: Option<ForkPoint>,
    /// How it was asked for, if the creation has a request id.
    pub request: Option<pb::CreationRequest>,
}

/// When and at whose request a record is written.
#[derive(Clone, Copy, Debug)]
pub struct Stamp<'a> {
    /// The wall clock, in milliseconds since 1970.
    pub time_ms: u64,
    /// The caller's request id; may be empty.
    pub request_id: &'a str,
}

/// A game at one revision.
#[derive(Clone, Debug)]
pub struct Position {
    header: Arc<Header>,
    keys: Arc<Keys>,
    /// Shared, so that a copy of a position does not copy the table.
    game: Arc<AnyGame>,
    abandon_reason: Option<Arc<str>>,
    revision: Revision,
    head_hash: Hash,
    time_ms: u64,
    next_chance: ChanceKey,
}

/// A record to append, and where it leads.
#[derive(Clone, Debug)]
pub struct Advance {
    /// The game after it.
    pub position: Position,
    /// What happened, as an auditor sees it: redact before showing.
    pub events: Vec<AnyEvent>,
    /// The record's bytes.
    pub record: Bytes,
}

/// A record read back, and where it leads.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The game after it.
    pub position: Position,
    /// What happened, as an auditor sees it.
    pub events: Vec<AnyEvent>,
    /// What the record says.
    pub record: pb::Record,
}

impl Position {
    /// What record 0 fixed.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What is played.
    pub fn kind(&self) -> Kind {
        self.game.kind()
    }

    /// The engine's state.
    pub fn game(&self) -> &AnyGame {
        &self.game
    }

    /// The number of records so far.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The place of the record that led here.
    pub fn last_record(&self) -> Sequence {
        self.revision.last_record().expect("whoever has a position has its setup")
    }

    /// The hash of the last record.
    pub fn head_hash(&self) -> Hash {
        self.head_hash
    }

    /// When the last record was written.
    pub fn time_ms(&self) -> u64 {
        self.time_ms
    }

    /// How far the game is.
    pub fn status(&self) -> Status {
        if self.abandon_reason.is_some() {
            Status::Abandoned
        } else if self.game.to_act().is_empty() {
            Status::Finished
        } else {
            Status::Running
        }
    }

    /// Who is asked to act; nobody once the game is over or abandoned.
    pub fn to_act(&self) -> SeatSet {
        if self.abandon_reason.is_some() { SeatSet::EMPTY } else { self.game.to_act() }
    }

    /// The table as a viewer may see it. The rules know nothing of an abandonment, so in the engine's own view of an
    /// abandoned game somebody is still to act; in this one nobody is.
    pub fn view(&self, viewer: Viewer) -> AnyView {
        let view = self.game.view(viewer);
        if self.abandon_reason.is_some() { view.without_to_act() } else { view }
    }

    /// Why the game was abandoned.
    pub fn abandon_reason(&self) -> Option<&str> {
        self.abandon_reason.as_deref()
    }

    /// The result of a finished game.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The game before record 0 is sealed: revision 0, no head.
    fn set_up(
        game_id: GameId,
        setup: &pb::Setup,
        version: u16,
        options: &AnyOptions,
        fork: Option<ForkOrigin>,
        keys: Keys,
        stamp: Stamp<'_>,
    ) -> Result<(Position, Vec<AnyEvent>), Violation> {
        let seats =
            SeatCount::new(setup.players.len()).ok_or_else(|| options.kind().refuse_seats(setup.players.len()))?;
        let mut chance = SeededChance::new(keys.chance_key(Sequence::SETUP));
        let (game, events) = AnyGame::setup(version, options, seats, &mut chance)?;
        let header = Header {
            game_id,
            rules_version: version,
            options: convert::options_to_proto(version, options),
            players: setup.players.clone(),
            labels: setup.labels.clone(),
            create_time_ms: stamp.time_ms,
            seed_commitment: setup.seed_commitment[..].try_into().unwrap_or_default(),
            request_id: stamp.request_id.to_owned(),
            fork,
            request: setup.request.clone(),
        };
        let position = Position {
            header: Arc::new(header),
            next_chance: keys.chance_key(Sequence::SETUP.next()),
            keys: Arc::new(keys),
            game: Arc::new(game),
            abandon_reason: None,
            revision: Revision::NONE,
            head_hash: Hash::default(),
            time_ms: stamp.time_ms,
        };
        Ok((position, events))
    }

    /// This position with another state and the next record's chance; revision and head follow when it is closed. And the
    /// nonce of the record that leads there.
    fn after(&self, game: Arc<AnyGame>) -> (Position, [u8; NONCE_BYTES]) {
        let (nonce, next_chance) = self.keys.nonce_and_next_chance(self.revision.next_record());
        let next = Position {
            header: Arc::clone(&self.header),
            next_chance,
            keys: Arc::clone(&self.keys),
            game,
            abandon_reason: self.abandon_reason.clone(),
            revision: self.revision,
            head_hash: self.head_hash,
            time_ms: self.time_ms,
        };
        (next, nonce)
    }

    fn refuse_if_abandoned(&self) -> Result<(), Violation> {
        if self.abandon_reason.is_some() { Err(Violation::over()) } else { Ok(()) }
    }
}

/// A rules version by its number, if this build has it.
fn known_version(asked: u32, kind: Kind) -> Result<u16, Violation> {
    let known = u16::try_from(asked).ok().filter(|_| kind.has_rules_version(asked));
    known.ok_or_else(|| kind.refuse_rules_version(asked))
}
