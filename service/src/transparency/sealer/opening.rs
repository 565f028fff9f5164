//! The beginning of a run: where an earlier one has stopped, and whether everything that it left agrees.

use std::path::PathBuf;

use divelog_ledger::tlog::{Checkpoint, SigningKey, Tree};

use super::blocks::block_hash;
use super::{NO_BLOCK, Sealer};
use crate::store::Store;
use crate::transparency::files::{CHECKPOINT, Folder, VERIFIER_KEY, WriteError};
use crate::transparency::state::{self, Point, State};
use crate::transparency::{SealError, previous};

impl Sealer {
    /// Finds where an earlier run has stopped, and checks that everything it left agrees.
    pub fn open(
        store: Store,
        data: PathBuf,
        folder: Folder,
        key: SigningKey,
        games: bool,
    ) -> Result<Sealer, SealError> {
        let (tree, next_block, last_block) = (Tree::empty(), 0, NO_BLOCK);
        let mut sealer = Sealer {
            store,
            data,
            folder,
            key,
            games,
            tree,
            next_block,
            last_block,
            noted_block: 0,
            promises: Vec::new(),
            signed: None,
        };
        let previous = previous::read(&sealer.data, &sealer.key)?;
        let state = sealer.read_state()?;
        let known = sealer.known_points(state.as_ref())?;
        match state {
            Some(state) if sealer.folder.has_tiles() || state.tree.size == 0 => sealer.resume(&state)?,
            _ => sealer.begin_again(&known)?,
        }
        sealer.promises = known;
        sealer.check_promised_trees()?;
        let text = format!("{}\n", sealer.key.verifier_key());
        sealer.folder.replace(VERIFIER_KEY, text.as_bytes())?;
        if let Some(note) = previous {
            sealer.folder.replace(previous::PREVIOUS_LOG, &note)?;
        }
        Ok(sealer)
    }

    fn read_state(&self) -> Result<Option<State>, SealError> {
        let path = state::path(&self.data);
        let state = state::read(&self.data).map_err(|detail| {
            SealError::broken(format!(
                "the file {} cannot be used ({detail}): put it back from a backup, or move it away and restart: the log is \
                 then built again from the store and compared with what was published",
                path.display()
            ))
        })?;
        match state {
            Some(state) if state.key != self.key.verifier_key().to_string() => Err(SealError::broken(format!(
                "the log is signed with the key {}, but the signing key is {}: give the right key, or, to begin a new log, \
                 move {} and the folder {} away and restart",
                state.key,
                self.key.verifier_key(),
                path.display(),
                self.folder.path().display()
            ))),
            state => Ok(state),
        }
    }

    /// Every tree that may have been shown to somebody: by the state, by the store, and by the published file.
    fn known_points(&self, state: Option<&State>) -> Result<Vec<Point>, SealError> {
        let mut known: Vec<Point> = state.map(|state| state.promised).into_iter().collect();
        let remembered = self.store.sealed()?.filter(|sealed| sealed.key_hash == self.key_hash());
        known.extend(remembered.map(|sealed| Point { size: sealed.size, root: sealed.root }));
        let path = self.folder.path().join(CHECKPOINT);
        let note = self.folder.checkpoint().map_err(|source| WriteError::Io { path: path.clone(), source })?;
        if let Some(note) = note {
            let checkpoint = Checkpoint::open(&note, self.key.verifier_key()).map_err(|error| {
                SealError::broken(format!(
                    "{} is not a checkpoint of this log ({error}): put it back from a backup, or move the folder {} away and \
                     restart: it is then built again",
                    path.display(),
                    self.folder.path().display()
                ))
            })?;
            known.push(Point { size: checkpoint.size, root: checkpoint.root });
        }
        Ok(known)
    }

    /// Goes on with the tiles of an earlier run.
    fn resume(&mut self, state: &State) -> Result<(), SealError> {
        let tree = Tree::load(state.tree.size, &self.folder).map_err(|error| self.damaged(&error))?;
        if tree.root() != state.tree.root {
            return Err(self.damaged(&format!(
                "its tiles do not lead to the root of the {} leaves that were sealed",
                state.tree.size
            )));
        }
        self.check_last_block(state)?;
        (self.tree, self.next_block, self.last_block) = (tree, state.next_block, state.last_block);
        self.noted_block = state.next_block;
        Ok(())
    }

    /// The store must be the one that was sealed.
    fn check_last_block(&self, state: &State) -> Result<(), SealError> {
        let Some(last) = state.next_block.checked_sub(1).filter(|_| state.last_block != NO_BLOCK) else {
            return Ok(());
        };
        match self.store.read_block(last)? {
            Some(block) if block_hash(&block) == state.last_block => Ok(()),
            // Damage, not another history: its games say so when they are read.
            Some(block) if block.records().is_err() => {
                tracing::error!(block = last, "the last block that was sealed is damaged now");
                Ok(())
            }
            None if self.store.accepted_block()? >= Some(last) => {
                tracing::error!(block = last, "blocks that were sealed are lost, which was accepted; the log goes on");
                Ok(())
            }
            found => Err(SealError::broken(format!(
                "the store is not the one that was sealed: its block {last} {}. Restore the store from a backup; signing on \
                 top of another history would be caught by everybody who kept a checkpoint",
                if found.is_some() { "has other contents" } else { "is missing" }
            ))),
        }
    }

    /// Builds the log again from block 0; nothing is signed before it has grown through what is known.
    fn begin_again(&mut self, known: &[Point]) -> Result<(), SealError> {
        if let Some(known) = known.iter().map(|point| point.size).max().filter(|size| *size > 0) {
            let folder = self.folder.path().display();
            tracing::warn!(%folder, known, "the log's files are not there: it is built again from the store");
        }
        self.store.clear_leaves()?;
        // First of all: a crash in the middle must not pass for a damaged folder.
        let promised = known.iter().copied().max_by_key(|point| point.size).unwrap_or(self.point());
        self.write_state(promised)
    }
}
