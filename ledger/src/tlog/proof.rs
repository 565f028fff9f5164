//! What a proof must say so that anybody can check it.

use divelog_proto::v1 as pb;
use tlog_tiles::{EMPTY_HASH, check_record, check_tree};

use super::{Checkpoint, Leaf, TlogError};
use crate::Hash;

/// The most hashes that a proof can need: one for each level on the way down, twice for consistency.
pub const MAX_PROOF_HASHES: usize = 128;

/// That the proof's leaf is in the checkpoint's tree. The checkpoint itself must be trusted for another reason.
pub fn verify_inclusion(proof: &pb::InclusionProof, checkpoint: &Checkpoint) -> Result<Leaf, TlogError> {
    if proof.tree_size != checkpoint.size {
        return Err(TlogError::Proof("the proof is for a tree of another size than the checkpoint's"));
    }
    if proof.leaf_index >= proof.tree_size {
        return Err(TlogError::Proof("the proof's leaf lies beyond the end of the tree"));
    }
    let leaf = Leaf::decode(&proof.leaf)?;
    let hashes = proof.hashes.iter().map(|hash| {
        let hash = hash[..].try_into().map_err(|_| TlogError::Proof("a hash of the proof does not have 32 bytes"))?;
        Ok(tlog_tiles::Hash(hash))
    });
    let hashes = hashes.take(MAX_PROOF_HASHES + 1).collect::<Result<Vec<_>, TlogError>>()?;
    let (root, leaf_hash) = (tlog_tiles::Hash(checkpoint.root), tlog_tiles::Hash(leaf.hash()));
    check_record(&hashes, proof.tree_size, root, proof.leaf_index, leaf_hash)
        .map_err(|_| TlogError::Proof("the proof does not lead from the leaf to the checkpoint's root"))?;
    Ok(leaf)
}

/// That the later tree begins with everything the earlier one held, in the same order. Both checkpoints must be trusted
/// for another reason.
pub fn verify_consistency(old: &Checkpoint, new: &Checkpoint, hashes: &[Hash]) -> Result<(), TlogError> {
    if old.origin != new.origin {
        return Err(TlogError::Proof("the checkpoints are of two different logs"));
    }
    if old.size > new.size {
        return Err(TlogError::Proof(
            "the earlier checkpoint covers more leaves than the later one: leaves were taken out",
        ));
    }
    if hashes.len() > MAX_PROOF_HASHES {
        return Err(TlogError::Proof("the proof is longer than any can be"));
    }
    let rewritten = TlogError::Proof("the later tree does not continue the earlier one: its history was rewritten");
    if old.size == 0 {
        // RFC 6962 knows no proof for it: every tree continues the empty one.
        return if old.root == EMPTY_HASH.0 && hashes.is_empty() { Ok(()) } else { Err(rewritten) };
    }
    let hashes = hashes.iter().map(|hash| tlog_tiles::Hash(*hash)).collect();
    let [old_root, new_root] = [old.root, new.root].map(tlog_tiles::Hash);
    check_tree(&hashes, new.size, new_root, old.size, old_root).map_err(|_| rewritten)
}
