//! Reading records back.

use std::sync::Arc;

use bytes::Bytes;
use divelog_engine::{AnyEvent, Seat, SeededChance, Violation};
use divelog_proto::v1 as pb;
use pb::record::Body;

use super::{Position, Replayed, Stamp, Status};
use crate::record::{decode, effects_digest};
use crate::secret::chance_commitment;
use crate::{GameId, Keys, LogFault, Secret, convert, fork, hash_record};

/// A record done again, before what it says of itself is compared.
pub(crate) struct Redone {
    /// The game after it, not yet closed.
    next: Position,
    events: Vec<AnyEvent>,
    record: pb::Record,
}

impl Position {
    /// Reads record 0.
    pub fn open(game_id: GameId, bytes: &Bytes, secret: &Secret) -> Result<Replayed, LogFault> {
        Position::reopen(game_id, bytes, secret)?.checked(bytes)
    }

    /// Replays the next record of the log.
    pub fn replay(&self, bytes: &Bytes) -> Result<Replayed, LogFault> {
        self.redo(bytes)?.checked(bytes)
    }

    /// Sets the game of a record 0 up again.
    pub(crate) fn reopen(game_id: GameId, bytes: &Bytes, secret: &Secret) -> Result<Redone, LogFault> {
        let record = decode(0, bytes)?;
        let Some(Body::Setup(setup)) = &record.body else {
            return Err(LogFault::malformed(0, "the first record does not set a game up").in_field("body", bytes));
        };
        if *record.game_id != game_id.0 {
            return Err(LogFault::malformed(0, OTHER_GAME).in_field("game_id", bytes));
        }
        if *setup.seed_commitment != secret.commitment(game_id) {
            let message = "the game's secret does not fit the seed commitment";
            return Err(LogFault::hash_differs(0, message).in_field("setup.seed_commitment", bytes));
        }
        let options = convert::setup_options(setup)
            .map_err(|message| LogFault::malformed(0, message).in_field("setup.options", bytes))?;
        let entropy = || setup.players.iter().map(|player| &*player.entropy);
        let mut keys = Keys::derive(secret, game_id, entropy());
        let mut origin = None;
        if let Some(block) = &setup.fork {
            let (from, sealed) = fork::read(block).map_err(|bad| bad.at(bytes))?;
            let source = Secret(secret.seal_source(game_id, &sealed));
            keys = keys.borrowing(Keys::derive(&source, from.game_id, entropy()), from.borrowed_until());
            origin = Some(from);
        }
        if *setup.chance_commitment != chance_commitment(&keys.chance_key(0)) {
            let message = "the set-up's chance does not derive from the committed seed";
            return Err(LogFault::hash_differs(0, message).in_field("setup.chance_commitment", bytes));
        }
        let stamp = Stamp { time_ms: record.time_ms, request_id: &record.request_id };
        let (next, events) = Position::set_up(game_id, setup, &options, origin, keys, stamp).map_err(|violation| {
            LogFault::replay_differs(0, format!("the rules refuse this set-up: {violation}")).in_field("setup", bytes)
        })?;
        Ok(Redone { next, events, record })
    }

    /// Does again what the next record asks.
    pub(crate) fn redo(&self, bytes: &Bytes) -> Result<Redone, LogFault> {
        let sequence = self.revision;
        let record = decode(sequence, bytes)?;
        if *record.previous_hash != self.head_hash {
            let message = "its previous_hash is not the hash of the record before: that record or this one was altered";
            return Err(LogFault::hash_differs(sequence, message).in_field("previous_hash", bytes));
        }
        if record.time_ms < self.time_ms {
            return Err(LogFault::malformed(sequence, "it is older than the record before").in_field("time_ms", bytes));
        }
        if self.status() != Status::Running {
            let fault = LogFault::replay_differs(sequence, "the game was over before this record");
            return Err(fault.in_field(body_field(&record), bytes));
        }
        let (next, events) = match &record.body {
            Some(Body::Move(step)) => self.redo_move(step, bytes)?,
            Some(Body::Abandonment(abandonment)) => {
                let mut next = self.after(Arc::clone(&self.game));
                next.abandon_reason = Some(abandonment.reason.as_str().into());
                (next, Vec::new())
            }
            Some(Body::Setup(_)) => {
                return Err(
                    LogFault::malformed(sequence, "a game is set up once, in record 0").in_field("setup", bytes)
                );
            }
            None => return Err(LogFault::malformed(sequence, "the record has no body").in_field("body", bytes)),
        };
        Ok(Redone { next, events, record })
    }

    fn redo_move(&self, step: &pb::Move, bytes: &Bytes) -> Result<(Position, Vec<AnyEvent>), LogFault> {
        let sequence = self.revision;
        let seat = u8::try_from(step.seat).map(Seat).map_err(|_| {
            LogFault::malformed(sequence, format!("there is no seat {}", step.seat)).in_field("move.seat", bytes)
        })?;
        let action = convert::action_from_proto(self.game.kind(), step.action.as_ref())
            .map_err(|message| LogFault::malformed(sequence, message).in_field("move.action", bytes))?;
        let refused = |violation: Violation| {
            let field = if self.to_act().contains(seat) { "move.action" } else { "move.seat" };
            LogFault::replay_differs(sequence, format!("the rules refuse this action: {violation}"))
                .in_field(field, bytes)
        };
        let (game, events) =
            self.game.apply(seat, &action, &mut SeededChance::new(self.next_chance)).map_err(refused)?;
        Ok((self.after(Arc::new(game)), events))
    }
}

const OTHER_GAME: &str = "it belongs to another game";

fn body_field(record: &pb::Record) -> &'static str {
    match &record.body {
        Some(Body::Setup(_)) => "setup",
        Some(Body::Move(_)) => "move",
        Some(Body::Abandonment(_)) => "abandonment",
        None => "body",
    }
}

impl Redone {
    /// Checks everything in the record that doing it again determines.
    pub(crate) fn check(&self, bytes: &Bytes) -> Result<(), LogFault> {
        let Redone { next, events, record } = self;
        let sequence = next.revision;
        if *record.game_id != next.header.game_id.0 {
            return Err(LogFault::malformed(sequence, OTHER_GAME).in_field("game_id", bytes));
        }
        if record.sequence != sequence {
            let message = format!("it says that it is record {}", record.sequence);
            return Err(LogFault::malformed(sequence, message).in_field("sequence", bytes));
        }
        if sequence == 0 && !record.previous_hash.is_empty() {
            let fault = LogFault::malformed(sequence, "the first record has no record before it");
            return Err(fault.in_field("previous_hash", bytes));
        }
        if *record.nonce != next.keys.nonce(sequence) {
            let fault = LogFault::hash_differs(sequence, "its nonce does not derive from the game's secret");
            return Err(fault.in_field("nonce", bytes));
        }
        if *record.next_chance_commitment != chance_commitment(&next.next_chance) {
            let fault = LogFault::hash_differs(sequence, "the next record's chance does not derive from the seed");
            return Err(fault.in_field("next_chance_commitment", bytes));
        }
        if *record.effects_digest != effects_digest(events, &next.game) {
            let fault = LogFault::replay_differs(sequence, "the rules give other events or another state");
            return Err(fault.in_field("effects_digest", bytes));
        }
        Ok(())
    }

    /// The game after the record, whether it agrees or not.
    pub(crate) fn close(self, bytes: &Bytes) -> Replayed {
        let Redone { next: mut position, events, record } = self;
        position.time_ms = record.time_ms;
        position.revision += 1;
        position.head_hash = hash_record(bytes);
        Replayed { position, events, record }
    }

    fn checked(self, bytes: &Bytes) -> Result<Replayed, LogFault> {
        self.check(bytes)?;
        Ok(self.close(bytes))
    }
}
