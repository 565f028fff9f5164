//! Games that begin as a copy of another game's past.
//!
//! A fork has a secret, nonces, commitments and a chain of its own. Only its luck is borrowed: up to the fork, or with
//! `same_seed` always, it is the source's, and so in part that of the game that the source itself was forked from. The
//! seeds of that luck stand in the fork's record 0, hidden by the fork's own secret, so that a fork can be replayed from its
//! own log and secret alone.

use bytes::Bytes;
use divelog_engine::Violation;
use divelog_proto::v1 as pb;

use crate::secret::BorrowedSeed;
use crate::{GameId, Hash, Keys, LogFault, Position, Revision, Secret, Sequence, record};

/// The most games whose luck a fork borrows, which bounds how often forks of forks can be forked.
pub const MAX_BORROWED_SEEDS: usize = 64;

/// Where a new game is to be forked from: made by [`Position::fork_point`].
#[derive(Clone, Debug)]
pub struct ForkPoint {
    origin: ForkOrigin,
    luck: Vec<BorrowedSeed>,
}

/// Where a game was forked from, as its record 0 says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForkOrigin {
    /// The source.
    pub game_id: GameId,
    /// Up to which revision of the source both games are the same; at least 1.
    pub revision: Revision,
    /// The hash of the source's last record there.
    pub head_hash: Hash,
    /// Whether later luck is the source's too.
    pub same_seed: bool,
}

impl Position {
    /// Where a game that begins with this one's past is forked from.
    pub fn fork_point(&self, same_seed: bool) -> ForkPoint {
        let header = self.header();
        let origin =
            ForkOrigin { game_id: header.game_id, revision: self.revision(), head_hash: self.head_hash(), same_seed };
        ForkPoint { origin, luck: self.keys().seeds_until(origin.borrowed_until()) }
    }
}

impl ForkPoint {
    /// What the fork's record 0 will say of its origin.
    pub fn origin(&self) -> ForkOrigin {
        self.origin
    }

    /// The fork's keys, from its own.
    pub(crate) fn keys(self, own: Keys) -> Result<Keys, Violation> {
        if self.luck.len() > MAX_BORROWED_SEEDS {
            return Err(Violation::malformed(format!(
                "a fork has the luck of {MAX_BORROWED_SEEDS} other games at most"
            )));
        }
        Ok(own.borrowing(self.luck))
    }

    /// What record 0 of the fork says; `own` is the fork's secret.
    pub(crate) fn to_proto(&self, fork: GameId, own: &Secret) -> pb::Fork {
        let sealed = |(luck, place): (&BorrowedSeed, u32)| pb::BorrowedLuck {
            until: luck.until.get(),
            sealed_seed: Bytes::copy_from_slice(&own.seal_seed(fork, place, &luck.seed)),
        };
        let ForkOrigin { game_id, revision, head_hash, same_seed } = self.origin;
        pb::Fork {
            game_id: Bytes::copy_from_slice(&game_id.0),
            revision: revision.get(),
            head_hash: Bytes::copy_from_slice(&head_hash),
            same_seed,
            luck: self.luck.iter().zip(0..).map(sealed).collect(),
        }
    }
}

impl ForkOrigin {
    /// The origin that a game's record 0 names; none for a game of its own.
    pub fn of_record(record: &Bytes) -> Result<Option<ForkOrigin>, LogFault> {
        match record::decode(Sequence::SETUP, record)?.body {
            Some(pb::record::Body::Setup(pb::Setup { fork: Some(fork), .. })) => {
                let origin = read_origin(&fork).map_err(|bad| bad.at(record))?;
                Ok(Some(origin))
            }
            _ => Ok(None),
        }
    }

    /// Up to which revision the fork's luck is the source's.
    pub(crate) fn borrowed_until(&self) -> Revision {
        if self.same_seed { Revision::MAX } else { self.revision }
    }
}

/// A fork block that makes no sense.
pub(crate) struct BadFork {
    field: &'static str,
    message: &'static str,
}

impl BadFork {
    pub(crate) fn at(self, record: &[u8]) -> LogFault {
        LogFault::malformed(Sequence::SETUP, self.message).in_field(self.field, record)
    }
}

/// The keys of a game with this set-up, and where it was forked from.
pub(crate) fn keys(game_id: GameId, setup: &pb::Setup, secret: &Secret) -> Result<(Keys, Option<ForkOrigin>), BadFork> {
    let own = Keys::derive(secret, game_id, setup.players.iter().map(|player| &*player.entropy));
    let Some(fork) = &setup.fork else { return Ok((own, None)) };
    let origin = read_origin(fork)?;
    let bad = |message| BadFork { field: "setup.fork.luck", message };
    if fork.luck.len() > MAX_BORROWED_SEEDS {
        return Err(bad("the fork borrows the luck of too many games"));
    }
    if !fork.luck.is_sorted_by(|one, next| one.until < next.until)
        || fork.luck.last().map(|last| last.until) != Some(origin.borrowed_until().get())
    {
        return Err(bad("the fork's borrowed luck does not reach from its first record to where its own begins"));
    }
    let open = |(luck, place): (&pb::BorrowedLuck, u32)| {
        let sealed = luck.sealed_seed[..].try_into().map_err(|_| bad("a sealed seed has the wrong length"))?;
        Ok(BorrowedSeed { until: Revision::new(luck.until), seed: secret.seal_seed(game_id, place, &sealed) })
    };
    let luck = fork.luck.iter().zip(0..).map(open).collect::<Result<_, _>>()?;
    Ok((own.borrowing(luck), Some(origin)))
}

/// Where a fork block says that the game comes from.
fn read_origin(fork: &pb::Fork) -> Result<ForkOrigin, BadFork> {
    let bad = |field, message| BadFork { field, message };
    let game_id = fork.game_id[..].try_into();
    let head_hash = fork.head_hash[..].try_into();
    let origin = ForkOrigin {
        game_id: GameId(game_id.map_err(|_| bad("setup.fork.game_id", "the fork's source is not a game id"))?),
        revision: Revision::new(fork.revision),
        head_hash: head_hash
            .map_err(|_| bad("setup.fork.head_hash", "the head hash of the fork's source is not a hash"))?,
        same_seed: fork.same_seed,
    };
    if origin.revision == Revision::NONE {
        return Err(bad("setup.fork.revision", "a fork begins at a revision of its source, from 1 on"));
    }
    Ok(origin)
}
