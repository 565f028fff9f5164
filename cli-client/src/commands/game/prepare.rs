//! `divelog game prepare`: the promise of a future game.

use divelog_proto::v1::PrepareGameRequest;

use crate::{
    args::Global,
    connect,
    errors::CliError,
    output::{self, Output, table},
};

/// Asks for a promise and prints it.
pub async fn run(global: &Global, quiet: bool, out: &mut Output) -> Result<(), CliError> {
    let connection = connect::open(global).await?;
    let response = connection.call(PrepareGameRequest {}).await?;
    if let Some(prepared) = &response.prepared {
        let commitment = hex::encode(&prepared.seed_commitment);
        out.done(format!("{}:{commitment} was promised", prepared.game_id));
    }
    if !quiet && !out.is_table() {
        return out.message(&response);
    }
    let prepared = response.prepared.ok_or_else(|| CliError::Protocol("it has no promise".into()))?;
    let (game, commitment) = (output::clean(&prepared.game_id), hex::encode(&prepared.seed_commitment));
    if quiet {
        return out.text(&format!("{game}:{commitment}"));
    }
    let pairs = [("game", game.clone()), ("commitment", commitment.clone())];
    out.text(&table::pairs(&pairs, out.table_screen()))?;
    output::note(&format!(
        "show both to the players; when each has said what to add: divelog game create KIND --entropy SEAT=HEX ... --prepared {game}:{commitment}"
    ));
    Ok(())
}
