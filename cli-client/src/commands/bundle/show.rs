//! `divelog bundle show`: what a bundle holds, as it says itself. Nothing is checked.

use divelog_ledger::{hash_record, tlog::Checkpoint};
use divelog_proto::v1::{Bundle, BundleClaims};
use divelog_text::Seating;

use super::super::{log, print_table, standings, status_word};
use crate::{
    errors::CliError,
    output::{self, Output, Screen, table},
};

/// Prints a bundle.
pub fn run(bundle: &Bundle, out: &mut Output) -> Result<(), CliError> {
    if !out.is_table() {
        return out.message(bundle);
    }
    let paint = out.screen().paint;
    let seating = log::seating(bundle.records.first().map(AsRef::as_ref));
    if let Some(mark) = seating.fork() {
        out.text(&paint.alarm(mark))?;
    }
    out.text(&claims(bundle, &seating, out.table_screen()))?;
    let hashes: Vec<_> = bundle.records.iter().map(|record| hash_record(record)).collect();
    let records = bundle.records.iter().zip(&hashes).map(|(record, hash)| (record.as_ref(), hash.as_slice()));
    out.text("")?;
    print_table(&log::records(records), out)?;
    output::note("nothing of this is checked: `divelog bundle verify` does that");
    Ok(())
}

fn claims(bundle: &Bundle, seating: &Seating, screen: Screen) -> String {
    let claims = bundle.claims.clone().unwrap_or_default();
    let BundleClaims { rules_version, producer, verifier_key, .. } = &claims;
    let opened: Vec<String> = bundle.opened_draws.iter().map(|draw| draw.sequence.to_string()).collect();
    let checkpoint = Checkpoint::read_unverified(&bundle.checkpoint).ok();
    let covers = checkpoint.map(|checkpoint| format!("{} of {} leaves", checkpoint.origin, checkpoint.size));
    let leaf = bundle.inclusion.as_ref().map(|proof| format!("leaf {} of {}", proof.leaf_index, proof.tree_size));
    table::pairs(
        &[
            ("game", bundle.game_id.clone()),
            ("kind", format!("{} (rules version {rules_version})", divelog_text::code_name(claims.kind()))),
            ("players", seating.all()),
            ("status", status_word(claims.status()).into()),
            ("outcome", claims.outcome.as_ref().map(|outcome| standings(outcome, seating)).unwrap_or_default()),
            ("secret", if bundle.secret.is_empty() { "not in it".into() } else { hex::encode(&bundle.secret) }),
            ("opened draws", opened.join(", ")),
            ("checkpoint", covers.unwrap_or_else(|| "not in it".into())),
            ("inclusion", leaf.unwrap_or_else(|| "not in it".into())),
            ("named key", verifier_key.clone()),
            ("exported by", producer.clone()),
        ],
        screen,
    )
}
