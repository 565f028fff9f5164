//! From durable blocks to a signed checkpoint.
//!
//! The order of one pass: tiles and entries on disk, then the state, then the signed checkpoint. A crash at any point
//! leaves a checkpoint that all its tiles support, and a state from which the same leaves are appended again in the same
//! order: the same blocks give the same bytes, so no two trees of one size are ever signed.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use divelog_ledger::tlog::{Checkpoint, Leaf, SigningKey, Tree, verify_consistency};
use divelog_ledger::{Hash, Sequence, hash_record};
use sha2::{Digest, Sha256};

use super::files::{CHECKPOINT, Folder, VERIFIER_KEY, WriteError};
use super::state::{self, Point, State};
use super::{SealError, Signed, games, previous};
use crate::store::{LeafPlace, RawBlock, Sealed, Store, StoreError};

/// How many blocks are read before their leaves are written.
const BLOCKS_AT_ONCE: u64 = 4_096;
/// How many leaves are written together; the last block may bring some more.
const LEAVES_AT_ONCE: usize = 4_096;
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

/// What some blocks bring.
struct Chunk {
    leaves: Vec<Leaf>,
    next_block: u64,
    last_block: Hash,
}

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
            _ => sealer.begin_anew(&known)?,
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
    fn begin_anew(&mut self, known: &[Point]) -> Result<(), SealError> {
        if let Some(known) = known.iter().map(|point| point.size).max().filter(|size| *size > 0) {
            let folder = self.folder.path().display();
            tracing::warn!(%folder, known, "the log's files are not there: it is built again from the store");
        }
        self.store.clear_leaves()?;
        // First of all: a crash in the middle must not pass for a damaged folder.
        let promised = known.iter().copied().max_by_key(|point| point.size).unwrap_or(self.point());
        self.write_state(promised)
    }

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

    /// Seals everything that is durable now. Answers with the newest checkpoint; none if `go_on` said no before the end:
    /// then nothing was signed, and the state on disk tells the next run where to go on, and what it must grow through.
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

    /// At least one block, unless all are missing; fewer than there are if `go_on` says no.
    fn read_chunk(&self, durable: u64, go_on: &dyn Fn() -> bool) -> Result<Chunk, SealError> {
        let end = durable.min(self.next_block.saturating_add(BLOCKS_AT_ONCE - 1));
        let mut chunk = Chunk { leaves: Vec::new(), next_block: self.next_block, last_block: NO_BLOCK };
        // Of all blocks only the last one's hash is kept, so only that one is computed.
        let mut last = None;
        while chunk.next_block <= end && chunk.leaves.len() < LEAVES_AT_ONCE {
            let number = chunk.next_block;
            if number > self.next_block && !go_on() {
                break;
            }
            last = self.store.read_block(number)?;
            chunk.next_block = match &last {
                Some(block) => {
                    if let Err(detail) = due_leaves(block, &mut chunk.leaves) {
                        self.pass_over(number, number, detail)?;
                        last = None;
                    }
                    number + 1
                }
                None => {
                    // All that are missing here at once: after an accepted loss many numbers are left out.
                    let next = self.store.block_from(number)?.map_or(end, |next| next - 1).min(durable) + 1;
                    self.pass_over(number, next - 1, "it is missing")?;
                    next
                }
            };
        }
        chunk.last_block = last.as_ref().map_or(NO_BLOCK, block_hash);
        Ok(chunk)
    }

    /// Goes on without these blocks, if the operator has accepted their loss.
    fn pass_over(&self, first: u64, last: u64, detail: &str) -> Result<(), SealError> {
        let accepted = self.store.accepted_block()?;
        if accepted < Some(last) {
            let number = accepted.map_or(first, |accepted| first.max(accepted + 1));
            return Err(SealError::broken(format!(
                "block {number} cannot be sealed ({detail}): restore the store from a backup, or start once with \
                 --accept-loss to go on without it"
            )));
        }
        tracing::error!(first, last, detail, "blocks whose loss was accepted are not in the transparency log");
        Ok(())
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

/// The leaves of a block's records, in their order.
fn due_leaves(block: &RawBlock, leaves: &mut Vec<Leaf>) -> Result<(), &'static str> {
    let before = leaves.len();
    for record in block.records()? {
        let revision = Sequence::new(record.sequence.into()).revision_after();
        if !Leaf::is_due(revision, record.status) {
            continue;
        }
        let Some(bytes) = block.bytes_of(&record) else {
            leaves.truncate(before);
            return Err("a record of it fails its checksum");
        };
        leaves.push(Leaf { game: record.game, revision, record_hash: hash_record(&bytes), status: record.status });
    }
    Ok(())
}

fn block_hash(block: &RawBlock) -> Hash {
    Sha256::digest(&block.block).into()
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
            // The database answers damage with a panic; to read it again and again fixes nothing.
            StoreError::DatabasePanic { .. } => {
                SealError::broken(format!("the store cannot be read: {error}: restore it"))
            }
            error => SealError::Failing(format!("the store cannot be read: {error}").into()),
        }
    }
}
