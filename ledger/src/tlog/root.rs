//! The root over leaves that come one by one, from the leaves alone: for those who do not trust, or do not have, the
//! tiles of hashes.

use tlog_tiles::{EMPTY_HASH, node_hash};

use super::Leaf;
use crate::Hash;

/// The tree so far: the roots of the full trees that the leaves make, largest first, each with its height.
#[derive(Clone, Default)]
pub struct GrowingRoot(Vec<(u32, tlog_tiles::Hash)>);

impl GrowingRoot {
    /// Adds the next leaf.
    pub fn push(&mut self, leaf: &Leaf) {
        let (mut height, mut hash) = (0, tlog_tiles::Hash(leaf.hash()));
        while let Some((_, left)) = self.0.pop_if(|(other, _)| *other == height) {
            hash = node_hash(left, hash);
            height += 1;
        }
        self.0.push((height, hash));
    }

    /// The root over all leaves so far.
    pub fn root(&self) -> Hash {
        let joined = self.0.iter().rev().map(|(_, hash)| *hash).reduce(|right, left| node_hash(left, right));
        joined.unwrap_or(EMPTY_HASH).0
    }
}
