//! A game at one revision: the engine's state together with the log's end, and the two ways on from it — writing the next
//! record, or replaying one that was written. Both run the same code, so what is written can be replayed.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use divelog_engine::{
    AnyAction, AnyEvent, AnyGame, AnyOptions, ChanceKey, Kind, Outcome, Seat, SeatCount, SeatSet, SeededChance,
    Violation,
};
use divelog_proto::v1 as pb;

use crate::record::{decode, effects_digest, encode};
use crate::secret::chance_commitment;
use crate::{GameId, Hash, Keys, LogFault, Secret, convert, hash_record};

/// How far a game is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Somebody is to act.
    Running,
    /// Played to its end.
    Finished,
    /// Given up.
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
    /// One entry per seat.
    pub players: Vec<pb::Player>,
    /// The creator's labels.
    pub labels: BTreeMap<String, String>,
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
    revision: u64,
    head_hash: Hash,
    time_ms: u64,
    next_chance: ChanceKey,
}

/// A record to append, and where it leads.
#[derive(Clone, Debug)]
pub struct Advance {
    /// The game after it.
    pub position: Position,
    /// What happened, for an auditor's eyes: redact before showing.
    pub events: Vec<AnyEvent>,
    /// The record's bytes.
    pub record: Bytes,
}

/// A record read back, and where it leads.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The game after it.
    pub position: Position,
    /// What happened, for an auditor's eyes.
    pub events: Vec<AnyEvent>,
    /// What the record says.
    pub record: pb::Record,
}

impl Position {
    /// Creates a game and writes its record 0.
    pub fn create(new: NewGame, secret: &Secret, stamp: Stamp<'_>) -> Result<Advance, Violation> {
        let NewGame { game_id, rules_version, options, players, labels } = new;
        let setup = pb::Setup {
            kind: convert::kind_to_proto(options.kind()).into(),
            rules_version: rules_version.into(),
            options: Some(convert::options_to_proto(&options)),
            players,
            labels,
            seed_commitment: Bytes::copy_from_slice(&secret.commitment(game_id)),
            chance_commitment: Bytes::new(),
            fork: None,
        };
        let keys = Keys::derive(secret, game_id, setup.players.iter().map(|player| &*player.entropy));
        let (position, events) = Position::set_up(game_id, &setup, &options, keys, stamp)?;
        let setup = pb::Setup {
            chance_commitment: Bytes::copy_from_slice(&chance_commitment(&position.keys.chance_key(0))),
            ..setup
        };
        let body = pb::record::Body::Setup(setup);
        Ok(position.seal(body, events, stamp, Bytes::new()))
    }

    /// Reads record 0.
    pub fn open(game_id: GameId, bytes: &Bytes, secret: &Secret) -> Result<Replayed, LogFault> {
        let record = decode(0, bytes)?;
        let Some(pb::record::Body::Setup(setup)) = &record.body else {
            return Err(LogFault::malformed(0, "the first record does not set a game up"));
        };
        if *setup.seed_commitment != secret.commitment(game_id) {
            return Err(LogFault::hash_differs(0, "the game's secret does not fit the seed commitment"));
        }
        let options = convert::setup_options(setup).map_err(|message| LogFault::malformed(0, message))?;
        let keys = Keys::derive(secret, game_id, setup.players.iter().map(|player| &*player.entropy));
        if *setup.chance_commitment != chance_commitment(&keys.chance_key(0)) {
            return Err(LogFault::hash_differs(0, "the set-up's chance does not derive from the committed seed"));
        }
        let stamp = Stamp { time_ms: record.time_ms, request_id: &record.request_id };
        let (position, events) = Position::set_up(game_id, setup, &options, keys, stamp)
            .map_err(|violation| LogFault::replay_differs(0, format!("the rules refuse this set-up: {violation}")))?;
        position.check_and_close(record, bytes, events)
    }

    /// Does a seat's action and writes its record.
    pub fn act(&self, seat: Seat, action: &AnyAction, stamp: Stamp<'_>) -> Result<Advance, Violation> {
        self.refuse_if_abandoned()?;
        let (game, events) = self.game.apply(seat, action, &mut SeededChance::new(self.next_chance))?;
        let action = convert::action_to_proto(action);
        let body = pb::record::Body::Move(pb::Move { seat: seat.0.into(), action: Some(action) });
        Ok(self.after(Arc::new(game)).seal(body, events, stamp, Bytes::copy_from_slice(&self.head_hash)))
    }

    /// Whether the rules would accept an action, without saying what it would lead to.
    pub fn check(&self, seat: Seat, action: &AnyAction) -> Result<(), Violation> {
        self.refuse_if_abandoned()?;
        self.game.apply(seat, action, &mut SeededChance::new(self.next_chance)).map(|_| ())
    }

    /// Gives the game up and writes that record.
    pub fn abandon(&self, reason: &str, stamp: Stamp<'_>) -> Result<Advance, Violation> {
        if self.status() != Status::Running {
            return Err(Violation::over());
        }
        let mut next = self.after(Arc::clone(&self.game));
        next.abandon_reason = Some(reason.into());
        let body = pb::record::Body::Abandonment(pb::Abandonment { reason: reason.into() });
        Ok(next.seal(body, Vec::new(), stamp, Bytes::copy_from_slice(&self.head_hash)))
    }

    /// Replays the next record of the log.
    pub fn replay(&self, bytes: &Bytes) -> Result<Replayed, LogFault> {
        let sequence = self.revision;
        let record = decode(sequence, bytes)?;
        if *record.previous_hash != self.head_hash {
            let message = "its previous_hash is not the hash of the record before: that record or this one was altered";
            return Err(LogFault::hash_differs(sequence, message));
        }
        if record.time_ms < self.time_ms {
            return Err(LogFault::malformed(sequence, "it is older than the record before"));
        }
        if self.status() != Status::Running {
            return Err(LogFault::replay_differs(sequence, "the game was over before this record"));
        }
        let (next, events) = match &record.body {
            Some(pb::record::Body::Move(step)) => {
                let seat = u8::try_from(step.seat)
                    .map_err(|_| LogFault::malformed(sequence, format!("there is no seat {}", step.seat)))?;
                let action = convert::action_from_proto(self.game.kind(), step.action.as_ref())
                    .map_err(|message| LogFault::malformed(sequence, message))?;
                let (game, events) = self
                    .game
                    .apply(Seat(seat), &action, &mut SeededChance::new(self.next_chance))
                    .map_err(|violation| {
                        LogFault::replay_differs(sequence, format!("the rules refuse this action: {violation}"))
                    })?;
                (self.after(Arc::new(game)), events)
            }
            Some(pb::record::Body::Abandonment(abandonment)) => {
                let mut next = self.after(Arc::clone(&self.game));
                next.abandon_reason = Some(abandonment.reason.as_str().into());
                (next, Vec::new())
            }
            Some(pb::record::Body::Setup(_)) => {
                return Err(LogFault::malformed(sequence, "a game is set up once, in record 0"));
            }
            None => return Err(LogFault::malformed(sequence, "the record has no body")),
        };
        next.check_and_close(record, bytes, events)
    }

    /// The game before record 0 is sealed: revision 0, no head.
    fn set_up(
        game_id: GameId,
        setup: &pb::Setup,
        options: &AnyOptions,
        keys: Keys,
        stamp: Stamp<'_>,
    ) -> Result<(Position, Vec<AnyEvent>), Violation> {
        let version = u16::try_from(setup.rules_version).unwrap_or(u16::MAX);
        if !(1..=options.kind().rules_version()).contains(&version) {
            return Err(Violation::malformed(format!(
                "{} has rules versions 1 to {}, not {}",
                options.kind().title(),
                options.kind().rules_version(),
                setup.rules_version
            )));
        }
        let seats =
            SeatCount::new(setup.players.len()).ok_or_else(|| options.kind().refuse_seats(setup.players.len()))?;
        let mut chance = SeededChance::new(keys.chance_key(0));
        let (game, events) = AnyGame::setup(version, options, seats, &mut chance)?;
        let header = Header {
            game_id,
            rules_version: version,
            options: convert::options_to_proto(options),
            players: setup.players.clone(),
            labels: setup.labels.clone(),
            create_time_ms: stamp.time_ms,
            seed_commitment: setup.seed_commitment[..].try_into().unwrap_or_default(),
            request_id: stamp.request_id.to_owned(),
        };
        let position = Position {
            header: Arc::new(header),
            next_chance: keys.chance_key(1),
            keys: Arc::new(keys),
            game: Arc::new(game),
            abandon_reason: None,
            revision: 0,
            head_hash: Hash::default(),
            time_ms: stamp.time_ms,
        };
        Ok((position, events))
    }

    /// This position with another state and the next record's chance; revision and head follow when it is closed.
    fn after(&self, game: Arc<AnyGame>) -> Position {
        Position {
            header: Arc::clone(&self.header),
            next_chance: self.keys.chance_key(self.revision + 1),
            keys: Arc::clone(&self.keys),
            game,
            abandon_reason: self.abandon_reason.clone(),
            revision: self.revision,
            head_hash: self.head_hash,
            time_ms: self.time_ms,
        }
    }

    /// Writes the record that led here.
    fn seal(
        mut self,
        body: pb::record::Body,
        events: Vec<AnyEvent>,
        stamp: Stamp<'_>,
        previous_hash: Bytes,
    ) -> Advance {
        // A clock that was set back must not make the log run backwards.
        self.time_ms = self.time_ms.max(stamp.time_ms);
        let [game_id, effects_digest, next_chance_commitment, nonce] = one_buffer([
            &self.header.game_id.0,
            &effects_digest(&events, &self.game),
            &chance_commitment(&self.next_chance),
            &self.keys.nonce(self.revision),
        ]);
        let record = encode(&pb::Record {
            game_id,
            sequence: self.revision,
            time_ms: self.time_ms,
            request_id: stamp.request_id.to_owned(),
            body: Some(body),
            effects_digest,
            next_chance_commitment,
            nonce,
            previous_hash,
        });
        self.revision += 1;
        self.head_hash = hash_record(&record);
        Advance { position: self, events, record }
    }

    /// Checks everything in a replayed record that the replay itself determines.
    fn check_and_close(
        mut self,
        record: pb::Record,
        bytes: &Bytes,
        events: Vec<AnyEvent>,
    ) -> Result<Replayed, LogFault> {
        let sequence = self.revision;
        if *record.game_id != self.header.game_id.0 {
            return Err(LogFault::malformed(sequence, "it belongs to another game"));
        }
        if record.sequence != sequence {
            let message = format!("it says that it is record {}", record.sequence);
            return Err(LogFault::malformed(sequence, message));
        }
        if sequence == 0 && !record.previous_hash.is_empty() {
            return Err(LogFault::malformed(sequence, "the first record has no record before it"));
        }
        if *record.nonce != self.keys.nonce(sequence) {
            return Err(LogFault::hash_differs(sequence, "its nonce does not derive from the game's secret"));
        }
        if *record.next_chance_commitment != chance_commitment(&self.next_chance) {
            return Err(LogFault::hash_differs(sequence, "the next record's chance does not derive from the seed"));
        }
        if *record.effects_digest != effects_digest(&events, &self.game) {
            return Err(LogFault::replay_differs(sequence, "the rules give other events or another state"));
        }
        self.time_ms = record.time_ms;
        self.revision += 1;
        self.head_hash = hash_record(bytes);
        Ok(Replayed { position: self, events, record })
    }

    fn refuse_if_abandoned(&self) -> Result<(), Violation> {
        if self.abandon_reason.is_some() { Err(Violation::over()) } else { Ok(()) }
    }

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
    pub fn revision(&self) -> u64 {
        self.revision
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

    /// Why the game was abandoned.
    pub fn abandon_reason(&self) -> Option<&str> {
        self.abandon_reason.as_deref()
    }

    /// The result of a finished game.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }
}

/// Several byte fields in one allocation: a record has many, and this is done for every action.
fn one_buffer<const N: usize>(parts: [&[u8]; N]) -> [Bytes; N] {
    let whole = Bytes::from(parts.concat());
    let mut from = 0;
    parts.map(|part| {
        from += part.len();
        whole.slice(from - part.len()..from)
    })
}
