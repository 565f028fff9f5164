//! `divelog log prove`: that a record of a game, as the server shows it now, is in the signed transparency log.

use divelog_ledger::{
    Revision, hash_record,
    tlog::{Checkpoint, Leaf, verify_inclusion},
};
use divelog_proto::v1::{GetCheckpointRequest, GetInclusionProofRequest, GetInclusionProofResponse, StoredRecord};
use serde_json::{Value, json};

use super::read;
use crate::{
    args::{GameArg, Global, KeyArg},
    connect::{self, required},
    errors::CliError,
    input,
    key::{self, TrustedKey},
    output::{Output, json, table},
};

/// Has the server seal, fetches the proof and the log, and checks one against the other.
pub async fn run(
    global: &Global,
    game: &GameArg,
    revision: u64,
    key: &KeyArg,
    out: &mut Output,
) -> Result<(), CliError> {
    let given = key::given(key)?;
    let game_id = input::game_id(game)?;
    let connection = connect::open(global).await?;
    // Sealed first: a record that was just written is not in the log yet.
    let sealed = connection.call(GetCheckpointRequest { seal_now: true }).await?;
    let servers = if given.is_some() { String::new() } else { sealed.verifier_key };
    let trusted = TrustedKey::choose(given, &servers)?;
    let response = connection.call(GetInclusionProofRequest { game_id: game_id.clone(), revision }).await?;
    let log = read(&connection, &game_id, false).await?;
    let checkpoint = Checkpoint::open(&response.checkpoint, &trusted.key).map_err(|problem| {
        CliError::disproved(format!("the checkpoint cannot be trusted: {problem}"), "compare the keys")
    })?;
    let checked = check(&response, &checkpoint, &game_id, Revision::new(revision), &log.records);
    let (leaf, verdict) = match checked {
        Ok(leaf) => (Some(leaf), Ok(())),
        Err(error) => (None, Err(error)),
    };
    out.judged(verdict, |out| {
        if !out.is_table() {
            return out.value(&to_value(&response, leaf.as_ref(), &game_id, &trusted)?);
        }
        // Where nothing is proved, the error says everything.
        let Some(leaf) = leaf else { return Ok(()) };
        let proof = required(response.inclusion.as_ref(), "it has no proof")?;
        out.text(&out.screen().paint.good("PROVED: the game is in the signed log"))?;
        let pairs = [
            ("game", game_id),
            ("revision", format!("{} of {}", leaf.revision, log.header.revision)),
            ("record hash", hex::encode(leaf.record_hash)),
            ("leaf", format!("{} of {} in the log {}", proof.leaf_index, checkpoint.size, checkpoint.origin)),
            ("root", hex::encode(checkpoint.root)),
            ("signed", trusted.sentence().into()),
        ];
        out.text(&table::pairs(&pairs, out.table_screen()))
    })
}

/// The proof for programs, also of what it does not prove: it is evidence then.
fn to_value(
    response: &GetInclusionProofResponse,
    leaf: Option<&Leaf>,
    game_id: &str,
    trusted: &TrustedKey,
) -> Result<Value, CliError> {
    Ok(json!({
        "proved": leaf.is_some(),
        "game_id": game_id,
        "revision": leaf.map(|leaf| leaf.revision.get()),
        "record_hash": leaf.map(|leaf| hex::encode(leaf.record_hash)),
        "inclusion": response.inclusion.as_ref().map(json::to_value).transpose()?,
        "checkpoint": String::from_utf8_lossy(&response.checkpoint),
        "verifier_key": trusted.key.to_string(),
        "key_is_given": trusted.is_given,
    }))
}

/// That the proof leads to the checkpoint, and that its leaf is the record which the server shows.
fn check(
    response: &GetInclusionProofResponse,
    checkpoint: &Checkpoint,
    game_id: &str,
    revision: Revision,
    records: &[StoredRecord],
) -> Result<Leaf, CliError> {
    let disproved = |message: String| {
        CliError::disproved(
            message,
            "keep the proof (-o json) and the log (`divelog log show GAME -o json`) as they are",
        )
    };
    let proof = required(response.inclusion.as_ref(), "it has no proof")?;
    let leaf = verify_inclusion(proof, checkpoint)
        .map_err(|problem| disproved(format!("the game is not shown to be in the log: {problem}")))?;
    if leaf.game.to_string() != game_id || leaf.revision < revision {
        return Err(disproved(format!("the proof is for game {} at revision {}", leaf.game, leaf.revision)));
    }
    let last = leaf.revision.last_record();
    let Some((sequence, stored)) = last.and_then(|last| Some((last, records.get(last.index())?))) else {
        return Err(disproved(format!(
            "the signed log has the game at revision {}, but the server shows only {} records",
            leaf.revision,
            records.len()
        )));
    };
    if hash_record(&stored.record) != leaf.record_hash {
        return Err(disproved(format!(
            "record {sequence} is not the one in the signed log: it was altered after it was sealed"
        )));
    }
    Ok(leaf)
}

#[cfg(test)]
mod tests;
