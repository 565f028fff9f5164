//! Dispute bundles: one game's evidence in one file, and what a stranger can conclude from it offline.
//!
//! A verdict says in plain sentences what is proved, what is not, and what is wrong. It never says more than the bytes
//! show: without the secret the rules are not replayed, without a key from elsewhere the checkpoint's signature proves nothing.
//! `docs/bundle-format.md` describes the format and every check.

mod chain;
mod chance;
mod claims;
mod file;
mod log;
mod replay;
mod verdict;

use divelog_proto::v1 as pb;

pub use claims::{ClaimsOf, claims};
pub use file::{BundleError, MAGIC, MAX_BUNDLE_BYTES, MAX_BUNDLE_RECORDS, MAX_RECORD_BYTES, from_file, to_file};
pub use verdict::{Check, Finding, Judgement, Verdict};

use crate::{GameId, Revision, Secret, tlog::VerifierKey};
use verdict::Findings;

#[cfg(test)]
mod tests;

/// Verifies a bundle. The key is the log's public one, from a source other than the bundle.
pub fn verify(bundle: &pb::Bundle, key: Option<&VerifierKey>) -> Verdict {
    let mut found = Findings::default();
    let mut verdict = Verdict::unknown(bundle.game_id.clone(), Revision::of(&bundle.records));
    let Some((game, secret)) = check_form(bundle, &mut found) else {
        verdict.findings = found.list;
        return verdict;
    };
    let chain = chain::check(game, &bundle.records, &mut found);
    verdict.head_hash = bundle.records.last().map(|record| crate::hash_record(record));
    if let Some(chain) = &chain {
        verdict.kind = chain.kind();
        verdict.rules_version = Some(chain.setup.rules_version);
        verdict.fork_of = chain.fork_of();
        chance::check(chain, secret.as_ref(), &mut found);
        let replayed = replay::check(chain, bundle, secret.as_ref(), &mut found);
        verdict.status = replayed.as_ref().map(|replayed| replayed.status).or(chain.status_at(chain.revision()));
        verdict.outcome = replayed.and_then(|replayed| replayed.outcome);
    } else {
        found.skip([Check::Commitment, Check::Entropy, Check::Replay, Check::Outcome], "the records are not one chain");
    }
    chance::check_opened_draws(bundle, &mut found);
    verdict.leaf = log::check_inclusion(bundle, game, chain.as_ref(), verdict.status, &mut found);
    verdict.checkpoint = log::check_signature(bundle, key, &mut found);
    verdict.findings = found.list;
    verdict
}

/// What everything else rests on: the id, at least one record, and lengths that are right.
fn check_form(bundle: &pb::Bundle, found: &mut Findings) -> Option<(GameId, Option<Secret>)> {
    let problem = || -> Result<(GameId, Option<Secret>), String> {
        let game: GameId = bundle.game_id.parse().map_err(|error| format!("its game id cannot be read: {error}"))?;
        file::check_counts(bundle).map_err(|error| error.to_string())?;
        let secret = match bundle.secret.len() {
            0 => None,
            crate::SECRET_BYTES => Some(Secret(bundle.secret[..].try_into().unwrap_or_default())),
            length => return Err(format!("its secret has {length} bytes instead of {}", crate::SECRET_BYTES)),
        };
        if bundle.inclusion.is_some() && bundle.checkpoint.is_empty() {
            return Err("it has an inclusion proof but no checkpoint that the proof leads to".into());
        }
        Ok((game, secret))
    };
    match problem() {
        Ok((game, secret)) => {
            let with = if secret.is_some() { "with" } else { "without" };
            let count = bundle.records.len();
            found.proved(
                Check::Form,
                format!("The bundle is well formed: {count} records of game {game}, {with} its secret."),
            );
            Some((game, secret))
        }
        Err(problem) => {
            found.failed(Check::Form, format!("The bundle is not well formed: {problem}."), None);
            let rest = [Check::Chain, Check::Commitment, Check::Entropy, Check::Replay, Check::Outcome];
            found.skip(rest, "the bundle is not well formed");
            found.skip([Check::Inclusion, Check::Signature], "the bundle is not well formed");
            None
        }
    }
}
