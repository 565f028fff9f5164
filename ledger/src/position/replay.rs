//! Reading records back.

use std::sync::Arc;

use bytes::Bytes;
use divelog_engine::{AnyEvent, AnyGame, Seat, SeededChance, Violation};
use divelog_proto::v1 as pb;
use pb::record::Body;
use prost::Message;

use super::{Position, Replayed, Stamp, Status, known_version};
use crate::hash::{sha256, sha256_each};
use crate::record::{PlainRecord, decode, effects};
use crate::secret::chance_commitment;
use crate::{GameId, LogFault, NONCE_BYTES, Secret, Sequence, convert, fork, hash_record};

/// A record done again, before what it says about itself is compared.
pub(crate) struct UncheckedReplay {
    /// The game after it, not yet closed.
    next: Position,
    events: Vec<AnyEvent>,
    record: pb::Record,
    /// The nonce that it should have.
    nonce: [u8; NONCE_BYTES],
}

impl Position {
    /// Reads record 0.
    pub fn open(game_id: GameId, bytes: &Bytes, secret: &Secret) -> Result<Replayed, LogFault> {
        Position::reopen(game_id, bytes, secret)?.checked(bytes)
    }

    /// Replays the next record of the log.
    pub fn replay(&self, bytes: &Bytes) -> Result<Replayed, LogFault> {
        let record = decode(self.revision.next_record(), bytes)?;
        self.check_link(&record, bytes)?;
        self.redo(record, bytes)?.checked(bytes)
    }

    /// Sets the game of a record 0 up again.
    pub(crate) fn reopen(game_id: GameId, bytes: &Bytes, secret: &Secret) -> Result<UncheckedReplay, LogFault> {
        let record = decode(Sequence::SETUP, bytes)?;
        let Some(Body::Setup(setup)) = &record.body else {
            return Err(
                LogFault::malformed(Sequence::SETUP, "the first record does not set a game up").in_field("body", bytes)
            );
        };
        if *record.game_id != game_id.0 {
            return Err(LogFault::malformed(Sequence::SETUP, OTHER_GAME).in_field("game_id", bytes));
        }
        if *setup.seed_commitment != secret.commitment(game_id) {
            let message = "the game's secret does not fit the seed commitment";
            return Err(LogFault::hash_differs(Sequence::SETUP, message).in_field("setup.seed_commitment", bytes));
        }
        let options = convert::setup_options(setup)
            .map_err(|message| LogFault::malformed(Sequence::SETUP, message).in_field("setup.options", bytes))?;
        let (keys, origin) = fork::keys(game_id, setup, secret).map_err(|bad| bad.at(bytes))?;
        if *setup.chance_commitment != chance_commitment(&keys.chance_key(Sequence::SETUP)) {
            let message = "the set-up's chance does not derive from the committed seed";
            return Err(LogFault::hash_differs(Sequence::SETUP, message).in_field("setup.chance_commitment", bytes));
        }
        let stamp = Stamp { time_ms: record.time_ms, request_id: &record.request_id };
        let refused = |field: &'static str| {
            move |violation: Violation| {
                LogFault::replay_differs(Sequence::SETUP, format!("the rules refuse this set-up: {violation}"))
                    .in_field(field, bytes)
            }
        };
        let version = known_version(setup.rules_version, options.kind()).map_err(refused("setup.rules_version"))?;
        let (next, events) =
            Position::set_up(game_id, setup, version, &options, origin, keys, stamp).map_err(refused("setup"))?;
        Ok(UncheckedReplay { nonce: next.keys.nonce(Sequence::SETUP), next, events, record })
    }

    /// Checks that a record follows the one before. This is checked before the rules: they may refuse a record that
    /// belongs elsewhere, and the fault would be reported as theirs.
    pub(crate) fn check_link(&self, record: &pb::Record, bytes: &Bytes) -> Result<(), LogFault> {
        let sequence = self.revision.next_record();
        if *record.previous_hash != self.head_hash {
            let message = "its previous_hash is not the hash of the record before: that record or this one was altered";
            return Err(LogFault::hash_differs(sequence, message).in_field("previous_hash", bytes));
        }
        if record.time_ms < self.time_ms {
            return Err(LogFault::malformed(sequence, "it is older than the record before").in_field("time_ms", bytes));
        }
        Ok(())
    }

    /// Does again what the next record asks.
    pub(crate) fn redo(&self, record: pb::Record, bytes: &Bytes) -> Result<UncheckedReplay, LogFault> {
        let sequence = self.revision.next_record();
        if self.status() != Status::Running {
            let fault = LogFault::replay_differs(sequence, "the game was over before this record");
            return Err(fault.in_field(body_field(&record), bytes));
        }
        let ((mut next, nonce), events) = match &record.body {
            Some(Body::Move(step)) => {
                let (game, events) = self.redo_move(step, bytes)?;
                (self.after(game), events)
            }
            Some(Body::Abandonment(_)) => (self.after(Arc::clone(&self.game)), Vec::new()),
            Some(Body::Setup(_)) => {
                return Err(
                    LogFault::malformed(sequence, "a game is set up once, in record 0").in_field("setup", bytes)
                );
            }
            None => return Err(LogFault::malformed(sequence, "the record has no body").in_field("body", bytes)),
        };
        if let Some(Body::Abandonment(abandonment)) = &record.body {
            next.abandon_reason = Some(abandonment.reason.as_str().into());
        }
        Ok(UncheckedReplay { next, events, record, nonce })
    }

    /// Replays a plain move on this position itself, if everything in it agrees; a position after `false` is of no use.
    /// Made for whole logs: it copies no state, keeps no events, and says nothing about what is wrong.
    pub(crate) fn replay_in_place(&mut self, record: &PlainRecord<'_>, bytes: &[u8], effects: &mut Vec<u8>) -> bool {
        let PlainRecord { frame, seat, action } = record;
        let sequence = self.revision.next_record();
        let follows = frame.previous_hash == Some(&self.head_hash)
            && frame.time_ms >= self.time_ms
            && *frame.game_id == self.header.game_id.0
            && frame.sequence == sequence
            && self.status() == Status::Running;
        let (nonce, next_chance) = self.keys.nonce_and_next_chance(sequence);
        if !follows || *frame.nonce != nonce {
            return false;
        }
        let Ok(seat) = u8::try_from(*seat).map(Seat) else { return false };
        let Ok(action) = pb::GameAction::decode(*action) else { return false };
        let Ok(action) = convert::action_from_proto(self.game.kind(), Some(&action)) else { return false };
        let mut chance = SeededChance::new(self.next_chance);
        effects.clear();
        if Arc::make_mut(&mut self.game).act_encoded(seat, &action, &mut chance, effects).is_err() {
            return false;
        }
        let [effects_digest, head_hash, commitment] = sha256_each([effects, bytes, &next_chance]);
        if *frame.effects_digest != effects_digest || *frame.next_chance_commitment != commitment {
            return false;
        }
        self.next_chance = next_chance;
        self.time_ms = frame.time_ms;
        self.revision = sequence.revision_after();
        self.head_hash = head_hash;
        true
    }

    fn redo_move(&self, step: &pb::Move, bytes: &Bytes) -> Result<(Arc<AnyGame>, Vec<AnyEvent>), LogFault> {
        let sequence = self.revision.next_record();
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
        let mut game = Arc::clone(&self.game);
        let mut chance = SeededChance::new(self.next_chance);
        let events = Arc::make_mut(&mut game).act(seat, &action, &mut chance).map_err(refused)?;
        Ok((game, events))
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

impl UncheckedReplay {
    /// Checks everything in the record that doing it again determines.
    pub(crate) fn check(&self, bytes: &Bytes) -> Result<(), LogFault> {
        let UncheckedReplay { next, events, record, nonce } = self;
        let sequence = next.revision.next_record();
        if *record.game_id != next.header.game_id.0 {
            return Err(LogFault::malformed(sequence, OTHER_GAME).in_field("game_id", bytes));
        }
        if record.sequence != sequence.get() {
            let message = format!("it says that it is record {}", record.sequence);
            return Err(LogFault::malformed(sequence, message).in_field("sequence", bytes));
        }
        if sequence == Sequence::SETUP && !record.previous_hash.is_empty() {
            let fault = LogFault::malformed(sequence, "the first record has no record before it");
            return Err(fault.in_field("previous_hash", bytes));
        }
        if *record.nonce != *nonce {
            let fault = LogFault::hash_differs(sequence, "its nonce does not derive from the game's secret");
            return Err(fault.in_field("nonce", bytes));
        }
        if *record.next_chance_commitment != chance_commitment(&next.next_chance) {
            let fault = LogFault::hash_differs(sequence, "the next record's chance does not derive from the seed");
            return Err(fault.in_field("next_chance_commitment", bytes));
        }
        if *record.effects_digest != sha256(&effects(events, &next.game)) {
            let fault = LogFault::replay_differs(sequence, "the rules give other events or another state");
            return Err(fault.in_field("effects_digest", bytes));
        }
        Ok(())
    }

    /// The game after the record, whether it agrees or not.
    pub(crate) fn close(self, bytes: &Bytes) -> Replayed {
        let UncheckedReplay { next: mut position, events, record, .. } = self;
        position.time_ms = record.time_ms;
        position.revision = position.revision.next();
        position.head_hash = hash_record(bytes);
        Replayed { position, events, record }
    }

    fn checked(self, bytes: &Bytes) -> Result<Replayed, LogFault> {
        self.check(bytes)?;
        Ok(self.close(bytes))
    }
}
