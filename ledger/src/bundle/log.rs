//! The game in the transparency log: inclusion, how far it reaches, and who signed.

use divelog_proto::v1 as pb;

use super::chain::Chain;
use super::verdict::{Check, Findings};
use crate::tlog::{Checkpoint, Leaf, VerifierKey, verify_inclusion};
use crate::{GameId, Revision, Status, hash_record};

/// Checks that a head of the game is in the checkpoint's tree, and how many records it covers.
pub(super) fn check_inclusion(
    bundle: &pb::Bundle,
    game: GameId,
    chain: Option<&Chain<'_>>,
    status: Option<Status>,
    found: &mut Findings,
) -> Option<Leaf> {
    let Some(proof) = &bundle.inclusion else {
        let sentence = "The bundle has no inclusion proof: that the game is in the transparency log is not proved.";
        found.not_proved(Check::Inclusion, sentence);
        return None;
    };
    let leaf = Checkpoint::read_unverified(&bundle.checkpoint)
        .and_then(|checkpoint| verify_inclusion(proof, &checkpoint))
        .map_err(|error| error.to_string())
        .and_then(|leaf| check_leaf(&leaf, bundle, game, chain, status).map(|()| leaf));
    match leaf {
        Ok(leaf) => {
            let sentence = format!(
                "The game's head at revision {} is leaf {} of the checkpoint's tree of {} leaves.",
                leaf.revision, proof.leaf_index, proof.tree_size
            );
            found.proved(Check::Inclusion, sentence);
            report_coverage(leaf.revision, Revision::of(&bundle.records), found);
            Some(leaf)
        }
        Err(problem) => {
            found.failed(Check::Inclusion, format!("The game is not shown to be in the log: {problem}."), None);
            None
        }
    }
}

/// Whether a leaf speaks of these records.
fn check_leaf(
    leaf: &Leaf,
    bundle: &pb::Bundle,
    game: GameId,
    chain: Option<&Chain<'_>>,
    status: Option<Status>,
) -> Result<(), String> {
    if leaf.game != game {
        return Err(format!("the leaf is of game {}", leaf.game));
    }
    let count = Revision::of(&bundle.records);
    let Some(last) = leaf.revision.last_record().filter(|last| count.includes(*last)) else {
        return Err(format!(
            "the log knows {} records of it and the bundle has only {count}: records were cut off",
            leaf.revision
        ));
    };
    let hash = hash_record(&bundle.records[last.index()]);
    if leaf.record_hash != hash {
        let (is, was) = (hex::encode(hash), hex::encode(leaf.record_hash));
        return Err(format!("record {last} has the hash {is} and the log has {was} there: it was altered"));
    }
    let known = chain.and_then(|chain| chain.status_at(leaf.revision)).or(status.filter(|_| leaf.revision == count));
    match known {
        Some(known) if known != leaf.status => {
            Err(format!("the leaf says that the game was {} then, and it was {}", word(leaf.status), word(known)))
        }
        // An abandonment would be in the record.
        None if leaf.status == Status::Abandoned && chain.is_some() => {
            Err("the leaf says that the game was abandoned then, and it was not".into())
        }
        _ => Ok(()),
    }
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Running => "running",
        Status::Finished => "finished",
        Status::Abandoned => "abandoned",
    }
}

fn report_coverage(covered: Revision, count: Revision, found: &mut Findings) {
    if covered == count {
        let sentence = format!(
            "That head covers all {count} records of the bundle: none can be changed without changing the log."
        );
        return found.proved(Check::Coverage, sentence);
    }
    let sentence = format!(
        "That head covers the first {covered} of {count} records. The {} after them hang on the chain but are not in the \
         log yet: nothing here stops the operator from replacing those.",
        count.get() - covered.get()
    );
    found.not_proved(Check::Coverage, sentence);
}

/// Checks who signed the checkpoint.
pub(super) fn check_signature(
    bundle: &pb::Bundle,
    key: Option<&VerifierKey>,
    found: &mut Findings,
) -> Option<Checkpoint> {
    if bundle.checkpoint.is_empty() {
        found.not_proved(Check::Signature, "The bundle has no checkpoint: nobody has signed anything.");
        return None;
    }
    let claimed = bundle.claims.as_ref().map_or("", |claims| &claims.verifier_key);
    // The claim is checked in any case: a false one is a fault of the bundle, a true one proves nothing.
    if !claimed.is_empty() {
        let opened = claimed.parse().and_then(|claimed| Checkpoint::open(&bundle.checkpoint, &claimed));
        if let Err(error) = opened {
            let sentence = format!("The checkpoint does not fit even the key that the bundle itself names: {error}.");
            found.failed(Check::Signature, sentence, None);
            return None;
        }
    }
    let Some(key) = key else { return check_unsigned(bundle, claimed, found) };
    match Checkpoint::open(&bundle.checkpoint, key) {
        Ok(checkpoint) => {
            let sentence = format!(
                "The checkpoint of {} leaves is signed by the key of {} that you gave: its operator has committed to this tree.",
                checkpoint.size, checkpoint.origin
            );
            found.proved(Check::Signature, sentence);
            Some(checkpoint)
        }
        Err(error) => {
            found.failed(
                Check::Signature,
                format!("The checkpoint is not signed by the key that you gave: {error}."),
                None,
            );
            None
        }
    }
}

/// Without a key from elsewhere, a signature proves nothing.
fn check_unsigned(bundle: &pb::Bundle, claimed: &str, found: &mut Findings) -> Option<Checkpoint> {
    match Checkpoint::read_unverified(&bundle.checkpoint) {
        Ok(checkpoint) => {
            let names = if claimed.is_empty() {
                "The bundle names no key.".to_owned()
            } else {
                format!("The bundle claims the key {claimed}, which a forger could have put there.")
            };
            let sentence = format!(
                "No key was given, so the checkpoint's signature proves nothing. {names} Get the key of {} from its operator \
                 or from somebody who kept it.",
                checkpoint.origin
            );
            found.not_proved(Check::Signature, sentence);
            Some(checkpoint)
        }
        Err(error) => {
            found.failed(Check::Signature, format!("The checkpoint cannot be read: {error}."), None);
            None
        }
    }
}
