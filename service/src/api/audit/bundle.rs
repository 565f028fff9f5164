//! A game's evidence in one message.

use bytes::Bytes;
use divelog_ledger::bundle::{ClaimsOf, claims};
use divelog_ledger::{GameId, Secret};
use divelog_proto::v1 as pb;

use super::{draws, fields, shown_secret};
use crate::session::{Error, Games};
use crate::store::StoredGame;
use crate::transparency::Transparency;

/// The program that exports.
const PRODUCER: &str = concat!("divelogd ", env!("CARGO_PKG_VERSION"));

/// Exports a game, sealed up to its newest leaf.
///
/// Where the log is broken or cannot be written the evidence goes out without a proof: a verifier says so, and a dispute
/// need not wait for the operator.
pub(super) async fn export(
    games: &Games,
    transparency: &Transparency,
    request: pb::ExportBundleRequest,
) -> Result<pb::Bundle, Error> {
    let id = fields::game_id(&request.game_id)?;
    let open_draws = fields::draws(request.open_draws)?;
    let stored = games.stored(id).await?;
    let signed = match transparency.seal().await {
        Ok(signed) => Some(signed),
        Err(error @ (Error::LogBroken(_) | Error::SealingFailed(_) | Error::LogNotReady)) => {
            tracing::warn!(game = %id, %error, "a bundle is exported without a proof of inclusion");
            None
        }
        Err(error) => return Err(error),
    };
    let transparency = transparency.clone();
    games
        .blocking(move || {
            let mut bundle = evidence(id, &stored, request.include_secret, &open_draws, &transparency)?;
            if let Some(signed) = signed
                && let Some(inclusion) = transparency.prove_up_to(&signed, id, stored.head.revision)?
            {
                bundle.inclusion = Some(inclusion);
                bundle.checkpoint = signed.note.clone();
            }
            Ok(bundle)
        })
        .await
}

/// Everything but the proof.
fn evidence(
    id: GameId,
    stored: &StoredGame,
    include_secret: bool,
    open_draws: &[u64],
    transparency: &Transparency,
) -> Result<pb::Bundle, Error> {
    let records: Vec<Bytes> = stored.records.iter().map(|record| record.bytes.clone()).collect();
    let revealed = shown_secret(stored, include_secret);
    let missing =
        || Error::Damaged { game: id, sequence: Some(0), kind: None, detail: "the game's secret is missing".into() };
    let secret = Secret(stored.secret.ok_or_else(missing)?);
    let claims = claims(ClaimsOf {
        game_id: id,
        secret: &secret,
        records: &records,
        reveals_secret: revealed.is_some(),
        producer: PRODUCER,
        verifier_key: Some(transparency.verifier_key()),
    })
    .map_err(|fault| Error::fault(id, fault))?;
    Ok(pb::Bundle {
        game_id: id.to_string(),
        records,
        secret: revealed.map(|secret| Bytes::copy_from_slice(&secret)).unwrap_or_default(),
        opened_draws: draws::keys(id, stored, open_draws)?,
        inclusion: None,
        checkpoint: Bytes::new(),
        claims: Some(claims),
    })
}
