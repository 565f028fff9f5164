//! Writing records.

use std::sync::Arc;

use bytes::Bytes;
use divelog_engine::{AnyAction, AnyEvent, Seat, SeededChance, Violation};
use divelog_proto::v1 as pb;

use super::{Advance, NewGame, Position, Stamp, Status};
use crate::record::{effects_digest, encode};
use crate::secret::chance_commitment;
use crate::{ForkOrigin, ForkPoint, Keys, Secret, convert, hash_record};

impl Position {
    /// Creates a game and writes its record 0.
    pub fn create(new: NewGame, secret: &Secret, stamp: Stamp<'_>) -> Result<Advance, Violation> {
        let NewGame { game_id, rules_version, options, players, labels, fork } = new;
        let setup = pb::Setup {
            kind: convert::kind_to_proto(options.kind()).into(),
            rules_version: rules_version.into(),
            options: Some(convert::options_to_proto(&options)),
            players,
            labels,
            seed_commitment: Bytes::copy_from_slice(&secret.commitment(game_id)),
            chance_commitment: Bytes::new(),
            fork: fork.as_ref().map(|point| point.to_proto(game_id, secret)),
        };
        let entropy = || setup.players.iter().map(|player| &*player.entropy);
        let mut keys = Keys::derive(secret, game_id, entropy());
        let mut origin = None;
        if let Some(ForkPoint { game_id, revision, head_hash, same_seed, secret }) = fork {
            if revision == 0 {
                return Err(Violation::malformed("a fork begins at a revision of its source, from 1 on"));
            }
            let from = origin.insert(ForkOrigin { game_id, revision, head_hash, same_seed });
            keys = keys.borrowing(Keys::derive(&secret, game_id, entropy()), from.borrowed_until());
        }
        let (position, events) = Position::set_up(game_id, &setup, &options, origin, keys, stamp)?;
        let setup = pb::Setup {
            chance_commitment: Bytes::copy_from_slice(&chance_commitment(&position.keys.chance_key(0))),
            ..setup
        };
        let body = pb::record::Body::Setup(setup);
        Ok(position.seal(body, events, stamp, Bytes::new()))
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
