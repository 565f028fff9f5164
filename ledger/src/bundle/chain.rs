//! The chain of records, checked without the secret.

use bytes::Bytes;
use divelog_engine::Kind;
use divelog_proto::v1 as pb;
use pb::record::Body;

use super::verdict::{Check, Findings};
use crate::record::decode;
use crate::{GameId, LogFault, NONCE_BYTES, RequestIds, Revision, Sequence, Status, convert, hash_record};

/// Records that are one chain.
pub(super) struct Chain<'a> {
    pub(super) game: GameId,
    pub(super) setup: pb::Setup,
    pub(super) records: &'a [Bytes],
    pub(super) decoded: Vec<pb::Record>,
}

impl Chain<'_> {
    pub(super) fn revision(&self) -> Revision {
        Revision::of(self.records)
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
    pub(super) fn status_at(&self, revision: Revision) -> Option<Status> {
        if revision < self.revision() {
            return Some(Status::Running);
        }
        let abandoned = matches!(self.decoded.last()?.body, Some(Body::Abandonment(_)));
        abandoned.then_some(Status::Abandoned)
    }
}

/// Checks that the records are one chain.
pub(super) fn check<'a>(game: GameId, records: &'a [Bytes], found: &mut Findings) -> Option<Chain<'a>> {
    match read(game, records) {
        Ok(chain) => {
            let head = records.last().map(|record| hex::encode(hash_record(record))).unwrap_or_default();
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
    let mut chain = Chain { game, setup: pb::Setup::default(), records, decoded: Vec::with_capacity(records.len()) };
    let mut request_ids = RequestIds::default();
    for (bytes, sequence) in records.iter().zip(Sequence::SETUP.onward()) {
        let record = decode(sequence, bytes)?;
        check_place(&chain, &record).map_err(|(fault, field)| fault.in_field(field, bytes))?;
        request_ids.note(&record, bytes)?;
        if let Some(Body::Setup(setup)) = &record.body {
            chain.setup = setup.clone();
        }
        chain.decoded.push(record);
    }
    let players = &chain.setup.players;
    let too_long = players.iter().any(|player| player.entropy.len() > usize::from(u8::MAX));
    if too_long || players.len() > usize::from(u8::MAX) {
        let message = "it has more seats or longer entropy than a seed can be derived from";
        return Err(LogFault::malformed(Sequence::SETUP, message).in_field("setup", &records[0]));
    }
    Ok(chain)
}

/// Whether a record belongs after those that were read so far; if not, which field says so.
fn check_place(chain: &Chain<'_>, record: &pb::Record) -> Result<(), (LogFault, &'static str)> {
    let sequence = Revision::of(&chain.decoded).next_record();
    let malformed = |field, message: &str| Err((LogFault::malformed(sequence, message), field));
    if *record.game_id != chain.game.0 {
        return malformed("game_id", "it belongs to another game");
    }
    if record.sequence != sequence.get() {
        return malformed("sequence", &format!("it says that it is record {}", record.sequence));
    }
    match (chain.decoded.last(), &record.body) {
        (_, None) => return malformed("body", "the record has no body"),
        (None, Some(Body::Setup(_))) if record.previous_hash.is_empty() => {}
        (None, Some(Body::Setup(_))) => return malformed("previous_hash", "the first record has no record before it"),
        (None, Some(_)) => return malformed("body", "the first record does not set a game up"),
        (Some(_), Some(Body::Setup(_))) => return malformed("setup", "a game is set up once, in record 0"),
        (Some(before), Some(_)) => {
            if *record.previous_hash != hash_record(&chain.records[chain.decoded.len() - 1]) {
                let message =
                    "its previous_hash is not the hash of the record before: that record or this one was altered";
                return Err((LogFault::hash_differs(sequence, message), "previous_hash"));
            }
            if record.time_ms < before.time_ms {
                return malformed("time_ms", "it is older than the record before");
            }
            if matches!(before.body, Some(Body::Abandonment(_))) {
                return malformed("body", "the game was abandoned before this record");
            }
        }
    }
    let lengths = [
        ("effects_digest", record.effects_digest.len(), 32),
        ("next_chance_commitment", record.next_chance_commitment.len(), 32),
        ("nonce", record.nonce.len(), NONCE_BYTES),
    ];
    match lengths.iter().find(|(_, is, must)| is != must) {
        Some((field, is, must)) => malformed(field, &format!("its {field} has {is} bytes instead of {must}")),
        None => Ok(()),
    }
}

/// A fork must never be taken for its source.
fn check_fork(chain: &Chain<'_>, found: &mut Findings) {
    let Some(fork) = &chain.setup.fork else { return };
    let Some(source) = chain.fork_of() else {
        let fault =
            LogFault::malformed(Sequence::SETUP, "the id of the game that it was forked from does not have 16 bytes");
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
