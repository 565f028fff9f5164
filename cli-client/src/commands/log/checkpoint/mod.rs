//! `divelog log checkpoint`: the newest signed checkpoint, and whether the log still holds what a kept one covers.
//!
//! Whoever keeps one small file from time to time catches an operator who rewrites history, whatever the server says.

use std::{fs::File, io::Read as _, path::Path};

use bytes::Bytes;
use divelog_ledger::{
    Hash,
    tlog::{Checkpoint, MAX_CHECKPOINT_BYTES, TlogError, VerifierKey, verify_consistency},
};
use divelog_proto::v1::{GetCheckpointRequest, GetConsistencyProofRequest};
use serde_json::{Value, json};

use crate::{
    args::{CheckpointArgs, Global},
    bundle_file,
    connect::{self, Connection},
    errors::{CliError, worst},
    key::{self, TrustedKey},
    output::{self, Output, table},
};

/// What to do when history was rewritten.
const KEEP_BOTH: &str = "keep both checkpoints: each is signed, and together they prove it to anybody";

/// A checkpoint and the signed note that it stands in.
struct SignedCheckpoint {
    note: Vec<u8>,
    checkpoint: Checkpoint,
}

/// Fetches the newest checkpoint, compares it with a kept one if there is one, and keeps it if asked to.
pub async fn run(global: &Global, args: &CheckpointArgs, out: &mut Output) -> Result<(), CliError> {
    let given = key::given(&args.key)?;
    let kept = args.since.as_deref().map(read_note).transpose()?;
    let connection = connect::open(global).await?;
    let response = connection.call(GetCheckpointRequest { seal_now: args.seal }).await?;
    if args.seal {
        out.done("everything that was on disk is sealed");
    }
    let trusted = TrustedKey::choose(given, &response.verifier_key)?;
    let newest = open(response.checkpoint.to_vec(), &trusted.key, "the server's newest checkpoint")?;
    let kept = match (kept, args.since.as_deref()) {
        (Some(note), Some(file)) => {
            Some(open(note, &trusted.key, &format!("the checkpoint kept in {}", file.display()))?)
        }
        _ => None,
    };
    let consistent = match &kept {
        Some(kept) => Some(compare(&connection, &kept.checkpoint, &newest.checkpoint).await?),
        None => None,
    };
    let is_consistent = consistent.as_ref().map(Result::is_ok);
    let verdict = consistent.unwrap_or(Ok(()));
    // Kept before it is printed: an output that fails is no reason not to keep what was compared.
    let saved = match &args.save {
        Some(file) if verdict.is_ok() => save(file, &newest, args.since.is_some(), out),
        _ => Ok(()),
    };
    let printed = out.judged(verdict, |out| print(&newest, kept.as_ref(), is_consistent, &trusted, out));
    worst(printed, saved)
}

/// Keeps a checkpoint that nothing speaks against.
fn save(file: &Path, newest: &SignedCheckpoint, compared: bool, out: &mut Output) -> Result<(), CliError> {
    let hint = "a kept checkpoint is replaced only after it was compared: add --since with the same file";
    bundle_file::write(file, &newest.note, compared, hint)?;
    out.done(format!("the checkpoint is kept in {}", file.display()));
    output::note(&format!("kept in {}", file.display()));
    Ok(())
}

/// A kept note, not yet verified.
fn read_note(path: &Path) -> Result<Vec<u8>, CliError> {
    let mut note = Vec::new();
    let limit = u64::try_from(MAX_CHECKPOINT_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path)
        .and_then(|file| file.take(limit).read_to_end(&mut note))
        .map_err(|source| CliError::io(format!("cannot read {}", path.display()), source))?;
    Checkpoint::read_unverified(&note).map_err(|problem| {
        CliError::usage_with(
            format!("{}: {problem}", path.display()),
            "`divelog log checkpoint --save FILE` keeps a checkpoint",
        )
    })?;
    Ok(note)
}

/// A checkpoint that the key has signed.
fn open(note: Vec<u8>, key: &VerifierKey, what: &str) -> Result<SignedCheckpoint, CliError> {
    let checkpoint = Checkpoint::open(&note, key).map_err(|problem| {
        CliError::disproved(
            format!("{what} cannot be trusted: {problem}"),
            "either it was altered, or the log has another key now: ask its operator for the reason, and compare keys",
        )
    })?;
    Ok(SignedCheckpoint { note, checkpoint })
}

/// Whether the newest log holds everything that the kept one held. The inner error is that it does not.
async fn compare(
    connection: &Connection,
    kept: &Checkpoint,
    newest: &Checkpoint,
) -> Result<Result<(), CliError>, CliError> {
    // There is no proof to ask for if the old log was empty or the log shrank.
    if kept.size == 0 || kept.size > newest.size {
        return Ok(consistency_result(kept, newest, verify_consistency(kept, newest, &[])));
    }
    let proof = connection.call(GetConsistencyProofRequest { old_size: kept.size, new_size: newest.size }).await?;
    let Some(hashes) = hashes(&proof.hashes) else {
        return Err(CliError::Protocol("a hash of its proof does not have 32 bytes".into()));
    };
    Ok(consistency_result(kept, newest, verify_consistency(kept, newest, &hashes)))
}

fn consistency_result(kept: &Checkpoint, newest: &Checkpoint, verdict: Result<(), TlogError>) -> Result<(), CliError> {
    verdict.map_err(|problem| {
        CliError::disproved(
            format!(
                "HISTORY WAS REWRITTEN: the log of {} with root {} does not continue the kept log of {} with root {}: \
                 {problem}",
                leaves(newest.size),
                output::short_hash(&newest.root),
                leaves(kept.size),
                output::short_hash(&kept.root)
            ),
            KEEP_BOTH,
        )
    })
}

fn leaves(count: u64) -> String {
    output::counted(count, "leaf", "leaves")
}

/// The hashes of a proof; none if one has another length.
fn hashes(hashes: &[Bytes]) -> Option<Vec<Hash>> {
    hashes.iter().map(|hash| hash.as_ref().try_into().ok()).collect()
}

fn print(
    newest: &SignedCheckpoint,
    kept: Option<&SignedCheckpoint>,
    consistent: Option<bool>,
    trusted: &TrustedKey,
    out: &mut Output,
) -> Result<(), CliError> {
    if !out.is_table() {
        return out.value(&json!({
            "checkpoint": to_value(newest),
            "since": kept.map(to_value),
            "consistent": consistent,
            "verifier_key": trusted.key.to_string(),
            "key_is_given": trusted.is_given,
        }));
    }
    let paint = out.screen().paint;
    match consistent {
        Some(true) => out.text(&paint.good("CONSISTENT: the log holds everything that the kept checkpoint covers"))?,
        Some(false) => out.text(&paint.alarm("NOT CONSISTENT: history was rewritten"))?,
        None => {}
    }
    let covers = |signed: &SignedCheckpoint| {
        format!("{}, root {}", leaves(signed.checkpoint.size), hex::encode(signed.checkpoint.root))
    };
    let pairs = [
        ("log", newest.checkpoint.origin.clone()),
        ("newest", covers(newest)),
        ("kept", kept.map(covers).unwrap_or_default()),
        ("signed", trusted.sentence().into()),
        ("key", trusted.key.to_string()),
    ];
    out.text(&table::pairs(&pairs, out.table_screen()))
}

fn to_value(signed: &SignedCheckpoint) -> Value {
    json!({
        "origin": signed.checkpoint.origin,
        "tree_size": signed.checkpoint.size,
        "root_hash": hex::encode(signed.checkpoint.root),
        "note": String::from_utf8_lossy(&signed.note),
    })
}

#[cfg(test)]
mod tests;
