//! Games that begin as a copy of another game's past.
//!
//! A fork has a secret, nonces, commitments and a chain of its own. Only its luck is borrowed: up to the fork, or with
//! `same_seed` for ever, chance comes from the source's keys. The source's secret stands in the fork's record 0, hidden by
//! the fork's own, so that a fork can be replayed from its own log and secret alone.

use bytes::Bytes;
use divelog_proto::v1 as pb;

use crate::{GameId, Hash, LogFault, SECRET_BYTES, Secret, record};

/// Where a new game is to be forked from.
#[derive(Clone, Debug)]
pub struct ForkPoint {
    /// The source, which must not be a fork itself: its past would have the luck of a third game.
    pub game_id: GameId,
    /// Up to which revision of the source both games are the same; at least 1.
    pub revision: u64,
    /// The hash of the source's record `revision` - 1.
    pub head_hash: Hash,
    /// Whether later luck is the source's too.
    pub same_seed: bool,
    /// The source's secret.
    pub secret: Secret,
}

/// Where a game was forked from, as its record 0 says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForkOrigin {
    /// The source.
    pub game_id: GameId,
    /// Up to which revision of the source both games are the same; at least 1.
    pub revision: u64,
    /// The hash of the source's record `revision` - 1.
    pub head_hash: Hash,
    /// Whether later luck is the source's too.
    pub same_seed: bool,
}

impl ForkPoint {
    /// What record 0 of the fork says; `own` is the fork's secret.
    pub(crate) fn to_proto(&self, fork: GameId, own: &Secret) -> pb::Fork {
        pb::Fork {
            game_id: Bytes::copy_from_slice(&self.game_id.0),
            revision: self.revision,
            head_hash: Bytes::copy_from_slice(&self.head_hash),
            same_seed: self.same_seed,
            sealed_secret: Bytes::copy_from_slice(&own.seal_source(fork, &self.secret.0)),
        }
    }
}

impl ForkOrigin {
    /// The origin that a game's record 0 names; none for a game of its own.
    pub fn of_record(record: &Bytes) -> Result<Option<ForkOrigin>, LogFault> {
        match record::decode(0, record)?.body {
            Some(pb::record::Body::Setup(pb::Setup { fork: Some(fork), .. })) => {
                let (origin, _) = read(&fork).map_err(|fault| fault.at(record))?;
                Ok(Some(origin))
            }
            _ => Ok(None),
        }
    }

    /// The last record, exclusive, whose luck is the source's.
    pub(crate) fn borrowed_until(&self) -> u64 {
        if self.same_seed { u64::MAX } else { self.revision }
    }
}

/// A fork block that makes no sense.
pub(crate) struct BadFork {
    field: &'static str,
    message: &'static str,
}

impl BadFork {
    pub(crate) fn at(self, record: &[u8]) -> LogFault {
        LogFault::malformed(0, self.message).in_field(self.field, record)
    }
}

/// The origin and the sealed secret of a fork block.
pub(crate) fn read(fork: &pb::Fork) -> Result<(ForkOrigin, [u8; SECRET_BYTES]), BadFork> {
    let bad = |field, message| BadFork { field, message };
    let game_id = fork.game_id[..].try_into();
    let head_hash = fork.head_hash[..].try_into();
    let sealed = fork.sealed_secret[..].try_into();
    let origin = ForkOrigin {
        game_id: GameId(game_id.map_err(|_| bad("setup.fork.game_id", "the fork's source has no game id"))?),
        revision: fork.revision,
        head_hash: head_hash
            .map_err(|_| bad("setup.fork.head_hash", "the head hash of the fork's source is no hash"))?,
        same_seed: fork.same_seed,
    };
    if origin.revision == 0 {
        return Err(bad("setup.fork.revision", "a fork begins at a revision of its source, from 1 on"));
    }
    let sealed =
        sealed.map_err(|_| bad("setup.fork.sealed_secret", "the fork's sealed secret is not of its length"))?;
    Ok((origin, sealed))
}
