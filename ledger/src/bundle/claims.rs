//! What an exporter claims about a game. Being in a bundle proves none of it: verifiers compare it.

use bytes::Bytes;
use divelog_proto::v1 as pb;

use super::replay::replay;
use crate::tlog::VerifierKey;
use crate::{GameId, LogFault, Secret, convert};

/// What claims are made from.
#[derive(Clone, Copy, Debug)]
pub struct ClaimsOf<'a> {
    /// The game.
    pub game_id: GameId,
    /// Its secret, which the exporter knows in any case.
    pub secret: &'a Secret,
    /// All its records.
    pub records: &'a [Bytes],
    /// Whether the bundle will hold the secret: what could be done reveals hidden cards, so it is claimed only then.
    pub reveals_secret: bool,
    /// The exporting program, such as `divelogd 0.1.0`.
    pub producer: &'a str,
    /// The key that the checkpoint is signed with, if there is one.
    pub verifier_key: Option<&'a VerifierKey>,
}

/// Replays a game and states the result. A log that does not verify is not exported as if it did.
pub fn claims(of: ClaimsOf<'_>) -> Result<pb::BundleClaims, LogFault> {
    let replayed = replay(of.game_id, of.secret, of.records)?;
    let digests = if of.reveals_secret { replayed.legal_digests } else { Vec::new() };
    Ok(pb::BundleClaims {
        kind: convert::kind_to_proto(replayed.kind).into(),
        rules_version: replayed.rules_version,
        status: convert::status_to_proto(replayed.status).into(),
        outcome: replayed.outcome.as_ref().map(convert::outcome_to_proto),
        producer: of.producer.to_owned(),
        legal_digests: digests.iter().map(|digest| Bytes::copy_from_slice(digest)).collect(),
        verifier_key: of.verifier_key.map(ToString::to_string).unwrap_or_default(),
    })
}
