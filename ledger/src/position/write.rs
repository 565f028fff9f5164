//! Writing records.

use std::sync::Arc;

use bytes::Bytes;
use divelog_engine::{AnyAction, AnyEvent, Seat, SeededChance, Violation};
use divelog_proto::v1 as pb;

use super::{Advance, NewGame, Position, Stamp, Status, known_version};
use crate::hash::sha256_each;
use crate::record::{Frame, effects, encode};
use crate::secret::chance_commitment;
use crate::{ForkPoint, Keys, NONCE_BYTES, Revision, Secret, Sequence, convert, hash_record};

impl Position {
    /// Creates a game and writes its record 0.
    pub fn create(new: NewGame, secret: &Secret, stamp: Stamp<'_>) -> Result<Advance, Violation> {
        let NewGame { game_id, rules_version, options, players, labels, fork, request } = new;
        let setup = pb::Setup {
            kind: convert::kind_to_proto(options.kind()).into(),
            rules_version: rules_version.into(),
            options: Some(convert::options_to_proto(rules_version, &options)),
            players,
            labels,
            seed_commitment: Bytes::copy_from_slice(&secret.commitment(game_id)),
            chance_commitment: Bytes::new(),
            fork: fork.as_ref().map(|point| point.to_proto(game_id, secret)),
            request,
        };
        let origin = fork.as_ref().map(ForkPoint::origin);
        let mut keys = Keys::derive(secret, game_id, setup.players.iter().map(|player| &*player.entropy));
        if let Some(point) = fork {
            keys = point.keys(keys)?;
        }
        let version = known_version(rules_version.into(), options.kind())?;
        let (position, events) = Position::set_up(game_id, &setup, version, &options, origin, keys, stamp)?;
        let setup = pb::Setup {
            chance_commitment: Bytes::copy_from_slice(&chance_commitment(&position.keys.chance_key(Sequence::SETUP))),
            ..setup
        };
        let body = pb::record::Body::Setup(setup);
        let nonce = position.keys.nonce(Sequence::SETUP);
        Ok(position.seal(body, events, stamp, &nonce))
    }

    /// Does a seat's action and writes its record.
    pub fn act(&self, seat: Seat, action: &AnyAction, stamp: Stamp<'_>) -> Result<Advance, Violation> {
        self.refuse_if_abandoned()?;
        let mut game = Arc::clone(&self.game);
        let events = Arc::make_mut(&mut game).act(seat, action, &mut SeededChance::new(self.next_chance))?;
        let action = convert::action_to_proto(action);
        let body = pb::record::Body::Move(pb::Move { seat: seat.0.into(), action: Some(action) });
        let (next, nonce) = self.after(game);
        Ok(next.seal(body, events, stamp, &nonce))
    }

    /// Whether the rules would accept an action, without saying what it would lead to.
    pub fn check(&self, seat: Seat, action: &AnyAction) -> Result<(), Violation> {
        self.refuse_if_abandoned()?;
        self.game.apply(seat, action, &mut SeededChance::new(self.next_chance)).map(|_| ())
    }

    /// Abandons the game and writes that record.
    pub fn abandon(&self, reason: &str, stamp: Stamp<'_>) -> Result<Advance, Violation> {
        if self.status() != Status::Running {
            return Err(Violation::over());
        }
        let (mut next, nonce) = self.after(Arc::clone(&self.game));
        next.abandon_reason = Some(reason.into());
        let body = pb::record::Body::Abandonment(pb::Abandonment { reason: reason.into() });
        Ok(next.seal(body, Vec::new(), stamp, &nonce))
    }

    /// Writes the record that led here.
    fn seal(
        mut self,
        body: pb::record::Body,
        events: Vec<AnyEvent>,
        stamp: Stamp<'_>,
        nonce: &[u8; NONCE_BYTES],
    ) -> Advance {
        // A clock that was set back must not make the log run backwards.
        self.time_ms = self.time_ms.max(stamp.time_ms);
        let effects = effects(&events, &self.game);
        let [effects_digest, next_chance_commitment] = sha256_each([&effects, &self.next_chance]);
        let sequence = self.revision.next_record();
        let frame = Frame {
            game_id: &self.header.game_id.0,
            sequence,
            time_ms: self.time_ms,
            request_id: stamp.request_id,
            effects_digest: &effects_digest,
            next_chance_commitment: &next_chance_commitment,
            nonce,
            // Until it is closed a position has the head of the one before; the first has none.
            previous_hash: (self.revision > Revision::NONE).then_some(&self.head_hash),
        };
        let record = encode(&frame, &body);
        self.revision = sequence.revision_after();
        self.head_hash = hash_record(&record);
        Advance { position: self, events, record }
    }
}
