//! A game's evidence in one message.

use divelog_ledger::GameId;
use divelog_proto::v1 as pb;

use super::{draws, shown_secret, validate};
use crate::session::{Error, Games};
use crate::transparency::{Transparency, evidence};

/// Exports a game, sealed up to its newest leaf.
///
/// Where the log is broken or cannot be written the evidence goes out without a proof: a verifier says so, and a dispute
/// need not wait for the operator.
pub(super) async fn export(
    games: &Games,
    transparency: &Transparency,
    id: GameId,
    request: pb::ExportBundleRequest,
) -> Result<pb::Bundle, Error> {
    let open_draws = validate::draws(request.open_draws)?;
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
            let revealed = shown_secret(&stored, request.include_secret);
            let mut bundle = evidence(id, &stored, revealed, transparency.verifier_key())?;
            bundle.opened_draws = draws::keys(id, &stored, &open_draws)?;
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
