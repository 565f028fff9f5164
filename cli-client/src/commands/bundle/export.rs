//! `divelog bundle export`: fetches a game's evidence and writes it to a file.

use std::path::{Path, PathBuf};

use divelog_ledger::bundle;
use divelog_proto::v1::{Bundle, ExportBundleRequest};
use serde_json::json;

use crate::{
    args::{ExportArgs, Global},
    bundle_file,
    connect::{self, required},
    errors::CliError,
    input,
    output::{self, Output, table},
};

/// Exports a game.
pub async fn run(global: &Global, args: &ExportArgs, out: &mut Output) -> Result<(), CliError> {
    let game_id = input::game_id(&args.game)?;
    let mut open_draws = args.open_draw.clone();
    open_draws.sort_unstable();
    open_draws.dedup();
    let connection = connect::open(global).await?;
    let call = ExportBundleRequest { game_id: game_id.clone(), include_secret: args.include_secret, open_draws };
    let response = connection.call(call).await?;
    let bundle = required(response.bundle, "it has no bundle")?;
    if bundle.game_id != game_id {
        return Err(CliError::Protocol(format!("it sent the bundle of {}", bundle.game_id)));
    }
    let bytes = bundle::to_file(&bundle);
    let file = args.file.clone().unwrap_or_else(|| PathBuf::from(format!("{game_id}.{}", bundle_file::EXTENSION)));
    if file == Path::new("-") {
        return out.bytes(&bytes);
    }
    bundle_file::write(&file, &bytes, args.force, "choose another with --file, or add --force")?;
    out.done(format!("the bundle is in {}", file.display()));
    print(&bundle, &file, bytes.len(), out)?;
    output::note(&format!("`divelog bundle verify {}` says what it proves, also without a server", file.display()));
    if bundle.inclusion.is_none() {
        output::note(
            "no checkpoint covers the game yet: `divelog log checkpoint --seal` makes one, then export it again",
        );
    }
    Ok(())
}

fn print(bundle: &Bundle, file: &Path, bytes: usize, out: &mut Output) -> Result<(), CliError> {
    let counts = [bundle.records.len(), bundle.opened_draws.len()];
    let [records, draws] = counts.map(|count| u64::try_from(count).unwrap_or(u64::MAX));
    let (has_secret, has_proof) = (!bundle.secret.is_empty(), bundle.inclusion.is_some());
    if !out.is_table() {
        return out.value(&json!({
            "file": file.display().to_string(), "bytes": bytes, "game_id": bundle.game_id, "records": records,
            "has_secret": has_secret, "opened_draws": draws, "has_inclusion_proof": has_proof,
        }));
    }
    let yes_no = |yes: bool, what: &str| format!("{} {what}", if yes { "with" } else { "without" });
    let holds = [
        output::counted(records, "record", "records"),
        yes_no(has_secret, "the secret"),
        yes_no(has_proof, "a proof of inclusion"),
        output::counted(draws, "draw opened", "draws opened"),
    ];
    let pairs = [
        ("file", format!("{} ({bytes} bytes)", file.display())),
        ("game", bundle.game_id.clone()),
        ("holds", holds.join(", ")),
    ];
    out.text(&table::pairs(&pairs, out.table_screen()))
}
