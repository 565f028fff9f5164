//! The tree over the log's leaves: appending to it, and proving from its tiles.

use tlog_tiles::{
    EMPTY_HASH, Error, HashReader, Tile, check_record, check_tree, prove_record, prove_tree, stored_hash_count,
    stored_hash_index, stored_hashes, tree_hash,
};

use super::tile::{HEIGHT, ReadTile, Stored, encode_entries, entries_path, hashes_path};
use super::{Leaf, TlogError};
use crate::Hash;

/// No log has more leaves: what claims to be larger is not computed with.
pub const MAX_TREE_SIZE: u64 = 1 << 40;

/// The tree at one size. It is small: the hashes are in the tiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tree {
    size: u64,
    root: Hash,
}

impl Tree {
    /// The tree without leaves.
    pub fn empty() -> Tree {
        Tree { size: 0, root: EMPTY_HASH.0 }
    }

    /// The tree of a log's first leaves, computed from its tiles. Compare the root with a checkpoint's.
    pub fn load(size: u64, tiles: &impl ReadTile) -> Result<Tree, TlogError> {
        check_size(size)?;
        let stored = Stored::new(size, tiles);
        let root = stored.cause(tree_hash(size, &stored))?.0;
        Ok(Tree { size, root })
    }

    /// The number of leaves.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The root.
    pub fn root(&self) -> Hash {
        self.root
    }

    /// Appends leaves. Returns the files, as path and bytes, that must be on disk before a checkpoint of the new size is
    /// published: hash tiles and entries, full or partial. If they cannot be written, go on with a copy from before.
    ///
    /// The tree's right edge is read once; it must fit the root, so that nothing is built on a damaged file.
    pub fn append(&mut self, leaves: &[Leaf], tiles: &impl ReadTile) -> Result<Vec<(String, Vec<u8>)>, TlogError> {
        if leaves.is_empty() {
            return Ok(Vec::new());
        }
        let new_size = self.size + leaves.len() as u64;
        check_size(new_size)?;
        let stored = Stored::new(self.size, tiles);
        if stored.cause(tree_hash(self.size, &stored))?.0 != self.root {
            let path = stored.tile_of_leaf(self.size - 1).map(hashes_path)?;
            return Err(TlogError::Damaged {
                path,
                message: "this tile or one above it does not lead to the tree's root",
            });
        }
        let mut grown = Grown { stored, from: stored_hash_count(self.size), new: Vec::new() };
        for (leaf, index) in leaves.iter().zip(self.size..) {
            let hashes = stored_hashes(index, &leaf.encode(), &grown);
            let hashes = grown.stored.cause(hashes)?;
            grown.new.extend(hashes);
        }
        let files = self.new_files(leaves, new_size, &grown)?;
        let root = grown.stored.cause(tree_hash(new_size, &grown))?.0;
        *self = Tree { size: new_size, root };
        Ok(files)
    }

    fn new_files<R: ReadTile>(
        &self,
        leaves: &[Leaf],
        new_size: u64,
        grown: &Grown<'_, R>,
    ) -> Result<Vec<(String, Vec<u8>)>, TlogError> {
        let mut files = Vec::new();
        for tile in Tile::new_tiles(HEIGHT, self.size, new_size) {
            files.push((hashes_path(tile), grown.stored.cause(tile.read_data(grown))?));
            if tile.level() > 0 {
                continue;
            }
            let first = tile.level_index() << HEIGHT;
            let end = first + u64::from(tile.width());
            // Only the first of the new tiles may have begun before: its old entries are in a partial bundle.
            let old =
                if first < self.size { grown.stored.entries(grown.stored.tile_of_leaf(first)?)? } else { Vec::new() };
            let new = &leaves[(first.max(self.size) - self.size) as usize..(end - self.size) as usize];
            files.push((entries_path(tile), encode_entries(old.iter().chain(new))));
        }
        Ok(files)
    }

    /// The hashes that lead from a leaf up to the root of the tree of this size. They were checked to do so.
    pub fn prove_inclusion(size: u64, index: u64, tiles: &impl ReadTile) -> Result<Vec<Hash>, TlogError> {
        check_size(size)?;
        if index >= size {
            return Err(TlogError::OutOfRange(format!("a tree of {size} leaves has no leaf {index}")));
        }
        let stored = Stored::new(size, tiles);
        let proof = stored.cause(prove_record(size, index, &stored))?;
        let root = stored.cause(tree_hash(size, &stored))?;
        let leaf = stored.cause(stored.hash(stored_hash_index(0, index)))?;
        check_record(&proof, size, root, index, leaf).map_err(|_| inconsistent(stored.tile_of_leaf(index)))?;
        Ok(proof.into_iter().map(|hash| hash.0).collect())
    }

    /// The hashes that show that the tree of the new size continues the one of the old size, which is at least 1. They were
    /// checked to do so.
    pub fn prove_consistency(old: u64, new: u64, tiles: &impl ReadTile) -> Result<Vec<Hash>, TlogError> {
        check_size(new)?;
        if old == 0 || old > new {
            return Err(TlogError::OutOfRange(format!(
                "a tree of {new} leaves continues trees of 1 to {new}, not of {old}"
            )));
        }
        let stored = Stored::new(new, tiles);
        let proof = stored.cause(prove_tree(new, old, &stored))?;
        let [old_root, new_root] = [stored.cause(tree_hash(old, &stored))?, stored.cause(tree_hash(new, &stored))?];
        check_tree(&proof, new, new_root, old, old_root).map_err(|_| inconsistent(stored.tile_of_leaf(old - 1)))?;
        Ok(proof.into_iter().map(|hash| hash.0).collect())
    }

    /// One leaf of the tree of this size.
    pub fn leaf(index: u64, size: u64, tiles: &impl ReadTile) -> Result<Leaf, TlogError> {
        check_size(size)?;
        let stored = Stored::new(size, tiles);
        if index >= size {
            return Err(TlogError::OutOfRange(format!("a tree of {size} leaves has no leaf {index}")));
        }
        let tile = stored.tile_of_leaf(index)?;
        let leaves = stored.entries(tile)?;
        let place = (index - (tile.level_index() << HEIGHT)) as usize;
        leaves
            .get(place)
            .copied()
            .ok_or(TlogError::Damaged { path: entries_path(tile), message: "entries are missing" })
    }
}

fn check_size(size: u64) -> Result<(), TlogError> {
    if size <= MAX_TREE_SIZE {
        Ok(())
    } else {
        Err(TlogError::OutOfRange(format!("no log has {size} leaves: {MAX_TREE_SIZE} are the most")))
    }
}

/// A proof from our own tiles that does not hold: one of them is damaged.
fn inconsistent(tile: Result<Tile, TlogError>) -> TlogError {
    match tile {
        Ok(tile) => TlogError::Damaged { path: hashes_path(tile), message: "this tile does not fit those above it" },
        Err(error) => error,
    }
}

/// The stored hashes, and behind them those of leaves that are being appended.
struct Grown<'a, R> {
    stored: Stored<'a, R>,
    from: u64,
    new: Vec<tlog_tiles::Hash>,
}

impl<R: ReadTile> HashReader for Grown<'_, R> {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<tlog_tiles::Hash>, Error> {
        let hash = |index: &u64| match index.checked_sub(self.from) {
            Some(new) => self.new.get(new as usize).copied().ok_or(Error::IndexesNotInTree),
            None => self.stored.hash(*index),
        };
        indexes.iter().map(hash).collect()
    }
}
