//! A game's evidence in one message.

use divelog_ledger::GameId;
use divelog_proto::v1 as pb;

use prost::Message;

use super::{draws, shown_secret, validate};
use crate::session::{Error, Games};
use crate::store::StoredRecord;
use crate::transparency::{Transparency, evidence};

/// How large a bundle may be. A game that is played to its end has far less; this bounds what one answer takes whatever
/// the rules of a game to come allow.
const MAX_BUNDLE_BYTES: usize = 16 * 1024 * 1024;

fn expect_fits(game: GameId, bytes: usize) -> Result<(), Error> {
    match bytes <= MAX_BUNDLE_BYTES {
        true => Ok(()),
        false => Err(Error::BundleTooLarge { game, bytes, most: MAX_BUNDLE_BYTES }),
    }
}

/// Before anything is made of them.
fn expect_records_fit(game: GameId, records: &[StoredRecord]) -> Result<(), Error> {
    expect_fits(game, records.iter().map(|record| record.bytes.len()).sum())
}

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
    expect_records_fit(id, &stored.records)?;
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
            expect_fits(id, bundle.encoded_len())?;
            Ok(bundle)
        })
        .await
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    #[test]
    fn a_bundle_has_a_bound_and_who_asks_is_told_it() {
        let game = GameId([1; 16]);
        let records = |count| vec![StoredRecord { bytes: Bytes::from(vec![0; 1 << 20]), block: 0 }; count];
        assert!(expect_records_fit(game, &records(16)).is_ok());
        let error = expect_records_fit(game, &records(17)).unwrap_err();
        let status = crate::api::errors::status(&error);
        assert_eq!(status.code(), tonic::Code::FailedPrecondition);
        assert!(status.message().contains("at most 16777216"), "{}", status.message());
    }
}
