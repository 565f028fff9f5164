//! The chain of records, checked without the secret.

use bytes::Bytes;
use divelog_engine::Kind;
use divelog_proto::v1 as pb;

use super::verdict::{Check, Findings};
use crate::record::decode;
use crate::{GameId, Hash, LogFault, NONCE_BYTES, Status, convert, hash_record};

/// Records that are one chain.
pub(super) struct Chain<'a> {
    pub(super) game: GameId,
    pub(super) setup: pb::Setup,
    pub(super) records: &'a [Bytes],
    pub(super) decoded: Vec<pb::Record>,
}

impl Chain<'_> {
    pub(super) fn revision(&self) -> u64 {
        self.records.len() as u64
    }

    pub(super) fn kind(&self) -> Option<Kind> {
        convert::kind_from_proto(self.setup.kind)
    }

    pub(super) fn fork_of(&self) -> Option<GameId> {
        let fork = self.setup.fork.as_ref()?;
        fork.game_id[..].try_into().ok().map(GameId)
    }

    /// How far the game was at a revision, as far as the records alone tell: whoever wrote another record was not at the
    /// end, and whoever abandons says so. Whether the last record finished the game, only the rules know.
    pub(super) fn status_at(&self, revision: u64) -> Option<Status> {
        if revision < self.revision() {
            return Some(Status::Running);
        }
        let abandoned = matches!(self.decoded.last()?.body, Some(pb::record::Body::Abandonment(_)));
        abandoned.then_some(Status::Abandoned)
    }
}

/// Checks that the records are one chain.
pub(super) fn check<'a>(game: GameId, records: &'a [Bytes], found: &mut Findings) -> Option<Chain<'a>> {
    match read(game, records) {
        Ok(chain) => {
            let head = records.last().map(|record| hex(&hash_record(record))).unwrap_or_default();
            let sentence = format!(
                "The {} records are one unbroken chain: each holds the hash of the one before it. The last one's hash is {head}.",
                records.len()
            );
            found.proved(Check::Chain, sentence);
            check_fork(&chain, found);
            Some(chain)
        }
        Err(fault) => {
            found.fault(Check::Chain, "The records are not one chain.", fault);
            None
        }
    }
}

fn read(game: GameId, records: &[Bytes]) -> Result<Chain<'_>, LogFault> {
    let mut decoded: Vec<pb::Record> = Vec::with_capacity(records.len());
    let mut previous: Option<(Hash, u64)> = None;
    let mut setup = None;
    for (bytes, sequence) in records.iter().zip(0..) {
        let record = decode(sequence, bytes)?;
        check_place(game, sequence, &record, previous, decoded.last())?;
        if let Some(pb::record::Body::Setup(body)) = &record.body {
            setup = Some(body.clone());
        }
        previous = Some((hash_record(bytes), record.time_ms));
        decoded.push(record);
    }
    let setup = setup.ok_or_else(|| LogFault::malformed(0, "there is no record that sets the game up"))?;
    let too_long = setup.players.iter().any(|player| player.entropy.len() > usize::from(u8::MAX));
    if too_long || setup.players.len() > usize::from(u8::MAX) {
        return Err(LogFault::malformed(0, "it has more seats or longer entropy than a seed can be derived from"));
    }
    Ok(Chain { game, setup, records, decoded })
}

/// Whether a record belongs where it stands.
fn check_place(
    game: GameId,
    sequence: u64,
    record: &pb::Record,
    previous: Option<(Hash, u64)>,
    before: Option<&pb::Record>,
) -> Result<(), LogFault> {
    let malformed = |message: &str| Err(LogFault::malformed(sequence, message));
    if *record.game_id != game.0 {
        return malformed("it belongs to another game");
    }
    if record.sequence != sequence {
        return malformed(&format!("it says that it is record {}", record.sequence));
    }
    match (previous, &record.body) {
        (_, None) => return malformed("the record has no body"),
        (None, Some(pb::record::Body::Setup(_))) if record.previous_hash.is_empty() => {}
        (None, Some(pb::record::Body::Setup(_))) => return malformed("the first record has no record before it"),
        (None, Some(_)) => return malformed("the first record does not set a game up"),
        (Some(_), Some(pb::record::Body::Setup(_))) => return malformed("a game is set up once, in record 0"),
        (Some((hash, _)), Some(_)) if *record.previous_hash != hash => {
            let message = "its previous_hash is not the hash of the record before: that record or this one was altered";
            return Err(LogFault::hash_differs(sequence, message));
        }
        (Some((_, time_ms)), Some(_)) if record.time_ms < time_ms => {
            return malformed("it is older than the record before");
        }
        (Some(_), Some(_)) => {}
    }
    if before.is_some_and(|before| matches!(before.body, Some(pb::record::Body::Abandonment(_)))) {
        return malformed("the game was abandoned before this record");
    }
    let lengths = [record.effects_digest.len(), record.next_chance_commitment.len(), record.nonce.len()];
    if lengths != [32, 32, NONCE_BYTES] {
        return malformed("a digest, commitment or nonce has a wrong length");
    }
    Ok(())
}

/// A fork must never be taken for its source.
fn check_fork(chain: &Chain<'_>, found: &mut Findings) {
    let Some(fork) = &chain.setup.fork else { return };
    let Some(source) = chain.fork_of() else {
        let fault = LogFault::malformed(0, "the id of the game that it was forked from has not 16 bytes");
        return found.fault(Check::Fork, "The game is a fork of an unreadable game.", fault);
    };
    let luck =
        if fork.same_seed { "and the luck after it is the source's too" } else { "and the luck after it is its own" };
    let sentence = format!(
        "This game is a fork, not an original: it repeats game {source} up to revision {}, {luck}. \
         That {source} went like this is not proved here; its own bundle would show it.",
        fork.revision
    );
    found.not_proved(Check::Fork, sentence);
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
