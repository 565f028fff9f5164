//! Games that are over, published whole beside the log: checked against the log, every finished game of a store can
//! be rebuilt from what was published alone. Tiles cannot give them back: a leaf is a hash.
//!
//! What is in them is no secret any more. Running games are not published, and neither are forks, whose secret would open
//! that of their source.

use bytes::Bytes;
use divelog_ledger::bundle::{ClaimsOf, claims, to_file};
use divelog_ledger::tlog::{Leaf, VerifierKey};
use divelog_ledger::{ForkOrigin, GameId, Secret, Sequence, Status};
use divelog_proto::v1 as pb;

use super::SealError;
use super::files::Folder;
use crate::session::Error;
use crate::store::{Store, StoredGame};

/// The program that exports.
const PRODUCER: &str = concat!("divelogd ", env!("CARGO_PKG_VERSION"));

/// A stored game as evidence, without a proof of its own; with the secret only if it is to be shown.
pub fn evidence(
    id: GameId,
    stored: &StoredGame,
    revealed: Option<[u8; 32]>,
    key: &VerifierKey,
) -> Result<pb::Bundle, Error> {
    let records: Vec<Bytes> = stored.records.iter().map(|record| record.bytes.clone()).collect();
    let sequence = Some(Sequence::SETUP);
    let missing = || Error::Damaged { game: id, sequence, kind: None, detail: "the game's secret is missing".into() };
    let secret = Secret(stored.secret.ok_or_else(missing)?);
    let claims = claims(ClaimsOf {
        game_id: id,
        secret: &secret,
        records: &records,
        reveals_secret: revealed.is_some(),
        producer: PRODUCER,
        verifier_key: Some(key),
    })
    .map_err(|fault| Error::fault(id, fault))?;
    Ok(pb::Bundle {
        game_id: id.to_string(),
        records,
        secret: revealed.map(|secret| Bytes::copy_from_slice(&secret)).unwrap_or_default(),
        claims: Some(claims),
        ..pb::Bundle::default()
    })
}

/// Publishes every game that ends with one of these leaves.
pub(super) fn publish(folder: &Folder, store: &Store, key: &VerifierKey, leaves: &[Leaf]) -> Result<(), SealError> {
    let mut files = Vec::new();
    for leaf in leaves.iter().filter(|leaf| leaf.status != Status::Running) {
        match bundle(store, leaf.game, key) {
            Ok(Some(bundle)) => files.push((format!("games/{}.dlbundle", leaf.game), to_file(&bundle))),
            Ok(None) => {}
            // The game itself says so when it is read; the others and the log go on.
            Err(error) => tracing::error!(game = %leaf.game, %error, "a game that is over cannot be published"),
        }
    }
    Ok(folder.put_games(&files)?)
}

/// The evidence of a game that is over; none for a fork.
fn bundle(store: &Store, id: GameId, key: &VerifierKey) -> Result<Option<pb::Bundle>, Error> {
    let stored = store.read_game(id).map_err(Error::reading)?.ok_or(Error::NotFound(id))?;
    let first = stored.records.first().map(|record| &record.bytes);
    let origin = first.map(ForkOrigin::of_record).transpose().map_err(|fault| Error::fault(id, fault))?;
    if origin.flatten().is_some() {
        return Ok(None);
    }
    evidence(id, &stored, stored.secret, key).map(Some)
}
