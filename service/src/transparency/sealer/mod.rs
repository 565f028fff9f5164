//! From durable blocks to a signed checkpoint.
//!
//! The order of one pass: tiles and entries on disk, then the state, then the signed checkpoint. A crash at any point
//! leaves a checkpoint that all its tiles support, and a state from which the same leaves are appended again in the same
//! order: the same blocks give the same bytes, so no two trees of one size are ever signed.
//!
//! | file | what it holds |
//! |---|---|
//! | this one | one pass: the tree grows, and is signed |
//! | `opening` | where an earlier run has stopped, and whether everything that it left agrees |
//! | `blocks` | the leaves that the next blocks bring |

mod blocks;
mod opening;

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use divelog_ledger::Hash;
use divelog_ledger::tlog::{Checkpoint, SigningKey, Tree, verify_consistency};
use sha2::{Digest, Sha256};

use self::blocks::{Chunk, LEAVES_AT_ONCE};
use super::files::{CHECKPOINT, Folder, WriteError};
use super::state::{self, Point, State};
use super::{SealError, Signed, games};
use crate::store::{LeafPlace, Sealed, Store, StoreError};

/// After so many blocks without a leaf the state is written all the same, so that a restart need not read them again.
const BLOCKS_PER_STATE: u64 = 4_096;

/// The hash of a block that could not be read.
const NO_BLOCK: Hash = [0; 32];

pub(super) struct Sealer {
    pub store: Store,
    pub data: PathBuf,
    pub folder: Folder,
    pub key: SigningKey,
    /// Whether games that are over are published too.
    games: bool,
    tree: Tree,
    next_block: u64,
    last_block: Hash,
    /// The `next_block` of the state on disk.
    noted_block: u64,
    /// Trees beyond the present one that were signed once: it must grow through each of them before anything is signed.
    promises: Vec<Point>,
    signed: Option<Arc<Signed>>,
}

impl Sealer {
    /// Brings the store's index of leaves up to the tree: a crash may have taken its end. False: stopped before.
    fn catch_up_index(&self, go_on: &dyn Fn() -> bool) -> Result<bool, SealError> {
        let mut through = self.store.leaves_through()?;
        while through < self.tree.size() {
            if !go_on() {
                return Ok(false);
            }
            let end = (through + LEAVES_AT_ONCE as u64).min(self.tree.size());
            let mut places = Vec::new();
            for index in through..end {
                let leaf = Tree::leaf(index, self.tree.size(), &self.folder).map_err(|error| self.damaged(&error))?;
                places.push(LeafPlace { game: leaf.game, revision: leaf.revision, index });
            }
            self.store.put_leaves(&places, end)?;
            through = end;
        }
        Ok(true)
    }

    /// Seals everything that is durable now. Answers with the newest checkpoint; none if `go_on` was false before the end:
    /// then nothing was signed, and the state on disk says where the next run goes on, and what it must grow through.
    pub fn pass(&mut self, go_on: &dyn Fn() -> bool) -> Result<Option<Arc<Signed>>, SealError> {
        // Also where an earlier pass could not write its end.
        if !self.catch_up_index(go_on)? {
            return Ok(None);
        }
        let durable = self.store.durable_block();
        while durable.is_some_and(|durable| self.next_block <= durable) {
            if !go_on() {
                return Ok(None);
            }
            let chunk = self.read_chunk(durable.unwrap_or_default(), go_on)?;
            self.grow(chunk)?;
        }
        if let Some(promise) = self.promises.first() {
            return Err(SealError::broken(format!(
                "the store's records make a log of {} leaves, but one of {} was signed: records are missing. Restore the \
                 store from a backup; or, if the loss is accepted, begin a new log under a new key: move the signing key, {} \
                 and the folder {} away and restart",
                self.tree.size(),
                promise.size,
                state::path(&self.data).display(),
                self.folder.path().display()
            )));
        }
        match &self.signed {
            Some(signed) if signed.size == self.tree.size() => Ok(Some(Arc::clone(signed))),
            _ => self.sign().map(Some),
        }
    }

    /// Appends leaves: tiles first, then the state.
    fn grow(&mut self, chunk: Chunk) -> Result<(), SealError> {
        let mut tree = self.tree;
        let files = tree.append(&chunk.leaves, &self.folder).map_err(|error| self.damaged(&error))?;
        self.folder.put_tiles(&files)?;
        if self.games {
            games::publish(&self.folder, &self.store, self.key.verifier_key(), &chunk.leaves)?;
        }
        let places: Vec<LeafPlace> = (self.tree.size()..)
            .zip(&chunk.leaves)
            .map(|(index, leaf)| LeafPlace { game: leaf.game, revision: leaf.revision, index })
            .collect();
        let before = (self.tree, self.next_block, self.last_block);
        (self.tree, self.next_block, self.last_block) = (tree, chunk.next_block, chunk.last_block);
        let noted = self.check_promised_trees().and_then(|()| {
            if places.is_empty() && self.next_block < self.noted_block + BLOCKS_PER_STATE {
                return Ok(());
            }
            self.write_state(self.promises.last().copied().unwrap_or(self.point()))
        });
        if let Err(error) = noted {
            (self.tree, self.next_block, self.last_block) = before;
            return Err(error);
        }
        if !places.is_empty() {
            self.store.put_leaves(&places, self.tree.size())?;
        }
        Ok(())
    }

    /// Checks every promise that the tree has reached. What is left is sorted by size.
    fn check_promised_trees(&mut self) -> Result<(), SealError> {
        self.promises.sort_by_key(|promise| promise.size);
        let reached = self.promises.iter().filter(|promise| promise.size <= self.tree.size()).count();
        for promise in &self.promises[..reached] {
            if !self.continues(promise)? {
                return Err(SealError::broken(format!(
                    "the log's first {} leaves are not those that were signed: the store's history is another one, or the \
                     files in {} are. Rebuild the store with `divelogd restore` and the newest checkpoint that anybody was \
                     given, or with --new-log; signing this log would be caught by everybody who kept a checkpoint",
                    promise.size,
                    self.folder.path().display()
                )));
            }
        }
        self.promises.drain(..reached);
        Ok(())
    }

    /// Whether the tree begins with an earlier one. By the tiles of the present size: those of the earlier one may still lie
    /// there from another history.
    fn continues(&self, earlier: &Point) -> Result<bool, SealError> {
        let (old, new) = (self.checkpoint(*earlier), self.checkpoint(self.point()));
        let proof = match earlier.size {
            0 => Vec::new(),
            size => Tree::prove_consistency(size, new.size, &self.folder).map_err(|error| self.damaged(&error))?,
        };
        Ok(verify_consistency(&old, &new, &proof).is_ok())
    }

    fn checkpoint(&self, Point { size, root }: Point) -> Checkpoint {
        Checkpoint { origin: self.key.origin().to_owned(), size, root }
    }

    fn write_state(&mut self, promised: Point) -> Result<(), SealError> {
        let state = State {
            key: self.key.verifier_key().to_string(),
            tree: self.point(),
            next_block: self.next_block,
            last_block: self.last_block,
            promised,
        };
        state::write(&self.data, &state)?;
        self.noted_block = self.next_block;
        Ok(())
    }

    fn sign(&mut self) -> Result<Arc<Signed>, SealError> {
        let Point { size, root } = self.point();
        let note =
            self.checkpoint(self.point()).sign(&self.key).map_err(|error| SealError::broken(error.to_string()))?;
        self.folder.replace(CHECKPOINT, &note)?;
        self.store.put_sealed(Sealed { key_hash: self.key_hash(), size, root })?;
        let signed = Arc::new(Signed { size, root, note: Bytes::from(note) });
        self.signed = Some(Arc::clone(&signed));
        Ok(signed)
    }

    fn point(&self) -> Point {
        Point { size: self.tree.size(), root: self.tree.root() }
    }

    fn key_hash(&self) -> Hash {
        Sha256::digest(self.key.verifier_key().to_string()).into()
    }

    /// A tile that is not as it was written.
    fn damaged(&self, detail: &dyn std::fmt::Display) -> SealError {
        damaged(&self.folder, detail)
    }
}

/// A tile that is not as it was written.
pub(super) fn damaged(folder: &Folder, detail: &dyn std::fmt::Display) -> SealError {
    SealError::broken(format!(
        "the transparency log in {} is damaged: {detail}. Put the folder back from a backup, or move it away and restart: it is \
         then built again from the store and compared with what was signed",
        folder.path().display()
    ))
}

impl From<WriteError> for SealError {
    fn from(error: WriteError) -> SealError {
        match error {
            WriteError::Io { .. } => SealError::Failing(format!("the log cannot be written: {error}").into()),
            WriteError::Differs { .. } => SealError::broken(format!(
                "{error}: the folder belongs to another history. Move the folder away and restart: it is then built again \
                 and compared with what was signed"
            )),
        }
    }
}

impl From<StoreError> for SealError {
    fn from(error: StoreError) -> SealError {
        match error {
            // The database answers damage with a panic; to read it again and again repairs nothing.
            StoreError::DatabasePanic { .. } => {
                SealError::broken(format!("the store cannot be read: {error}: restore it"))
            }
            error => SealError::Failing(format!("the store cannot be read: {error}").into()),
        }
    }
}
