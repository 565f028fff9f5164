//! Sled's tree of blocks: each is written once, under its number.
//!
//! Keys are made some way ahead of the blocks, with empty values. Sled splits a
//! leaf at more than 16 values, and writes both halves again with everything in them:
//! blocks that are added at the end of the tree would be written about three times.
//! A leaf that has been split off while its values were empty never changes again,
//! except that each of its blocks comes in, once. So a block is only put where the
//! last leaf cannot be.
//!
//! An empty value is therefore no block, at the end of the tree or anywhere else.

use std::sync::atomic::{AtomicU64, Ordering};

use sled::{IVec, Tree};

use super::error::failed;
use crate::store::error::StoreError;

/// A leaf with more values is split.
const LEAF_VALUES: u64 = 16;
/// How many keys are made at a time.
const KEYS_AHEAD: u64 = 4 * LEAF_VALUES;

pub(in crate::store) struct Blocks {
    tree: Tree,
    /// All keys from the last block to below this one are there.
    keys_end: AtomicU64,
}

impl Blocks {
    pub fn open(tree: Tree) -> Result<Blocks, StoreError> {
        let last = tree.last().map_err(failed("finding the last block"))?;
        let last = last.and_then(|(key, _)| number_of(&key));
        Ok(Blocks { tree, keys_end: AtomicU64::new(last.map_or(0, |last| last.saturating_add(1))) })
    }

    /// The newest block's number.
    pub fn last(&self) -> Result<Option<u64>, StoreError> {
        for item in self.tree.iter().rev() {
            let (key, value) = item.map_err(failed("finding the last block"))?;
            if !value.is_empty() {
                return Ok(number_of(&key));
            }
        }
        Ok(None)
    }

    pub fn get(&self, number: u64) -> Result<Option<IVec>, StoreError> {
        let value = self.tree.get(number.to_be_bytes()).map_err(failed("reading a block"))?;
        Ok(value.filter(|value| !value.is_empty()))
    }

    /// Writes a block, not synced. One thread at a time, in the order of the numbers.
    pub fn put(&self, number: u64, block: impl Into<IVec>) -> Result<(), StoreError> {
        let keys_end = self.keys_end.load(Ordering::Relaxed);
        // The last leaf has one more value than it may have, until the next key comes.
        if keys_end <= number.saturating_add(LEAF_VALUES + 1) {
            let wanted = number.saturating_add(KEYS_AHEAD);
            for key in keys_end.max(number)..wanted {
                self.insert(key, IVec::default())?;
            }
            self.keys_end.store(wanted, Ordering::Relaxed);
        }
        self.insert(number, block.into())
    }

    /// All blocks from a number on. Must not be used after its first error: sled's iterators go on failing.
    pub fn since(&self, number: u64) -> impl Iterator<Item = Result<(u64, IVec), StoreError>> {
        self.tree.range(number.to_be_bytes()..).filter_map(|item| match item {
            Ok((_, value)) if value.is_empty() => None,
            Ok((key, value)) => match number_of(&key) {
                Some(number) => Some(Ok((number, value))),
                None => {
                    tracing::error!(key = ?key, "the tree of blocks holds a foreign key");
                    None
                }
            },
            Err(error) => Some(Err(failed("scanning the blocks")(error))),
        })
    }

    fn insert(&self, number: u64, value: IVec) -> Result<(), StoreError> {
        self.tree.insert(number.to_be_bytes(), value).map(|_| ()).map_err(failed("writing a block"))
    }

    /// For tests that write what nobody else would.
    #[cfg(test)]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }
}

fn number_of(key: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(key.try_into().ok()?))
}
