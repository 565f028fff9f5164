//! The published transparency log as a reference: which games there were, and which revision they had reached.
//!
//! Its leaves hold hashes, not records: nothing can be restored from it, but what is missing can be named by it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use divelog_ledger::tlog::{
    Checkpoint, ENTRIES_PER_FILE, GrowingRoot, Leaf, MAX_CHECKPOINT_BYTES, VerifierKey, entries_paths, read_entries,
};
use divelog_ledger::{GameId, Hash, Revision};

use super::{Progress, RecoveryError};

/// What was published of one game, by ascending revision.
#[derive(Default)]
pub(super) struct PublishedHeads(Vec<Leaf>);

impl PublishedHeads {
    pub fn has(&self, revision: Revision, hash: &Hash) -> bool {
        self.0.iter().any(|leaf| leaf.revision == revision && leaf.record_hash == *hash)
    }

    pub fn revision(&self) -> Revision {
        self.0.iter().map(|leaf| leaf.revision).max().unwrap_or_default()
    }

    /// The first published revision whose record is another one here.
    pub fn contradiction(&self, hash_at: impl Fn(Revision) -> Option<Hash>) -> Option<Revision> {
        let differs = |leaf: &&Leaf| hash_at(leaf.revision).is_some_and(|hash| hash != leaf.record_hash);
        self.0.iter().filter(differs).map(|leaf| leaf.revision).min()
    }
}

/// A published log that was read whole.
pub(super) struct Published {
    pub dir: PathBuf,
    pub size: u64,
    pub root: Hash,
    pub games: BTreeMap<GameId, PublishedHeads>,
    /// The key that has signed it; none if there was no key to check it with. A signature that fits none is an error.
    pub key: Option<VerifierKey>,
}

impl Published {
    /// Reads the log in a folder. Every leaf is checked against the checkpoint's root. None: there is no log.
    pub fn read(dir: &Path, keys: &[VerifierKey], progress: &Progress) -> Result<Option<Published>, RecoveryError> {
        let path = dir.join("checkpoint");
        if !path.exists() {
            return Ok(None);
        }
        let bad = |problem: String| RecoveryError::Published { dir: dir.to_path_buf(), problem };
        let note = std::fs::read(&path).map_err(RecoveryError::io("reading", &path))?;
        if note.len() > MAX_CHECKPOINT_BYTES {
            return Err(bad("the checkpoint is too long".into()));
        }
        let key = keys.iter().find(|key| Checkpoint::open(&note, key).is_ok()).or(keys.first());
        let checkpoint = match key {
            Some(key) => Checkpoint::open(&note, key),
            None => Checkpoint::read_unverified(&note),
        };
        let checkpoint = checkpoint.map_err(|error| bad(error.to_string()))?;
        let mut games: BTreeMap<GameId, PublishedHeads> = BTreeMap::new();
        let mut tree = GrowingRoot::default();
        progress.begin(format!("reading the published log in {}", dir.display()), checkpoint.size);
        let full = u64::from(ENTRIES_PER_FILE);
        for number in 0..checkpoint.size.div_ceil(full) {
            let first = number * full;
            let width =
                u32::try_from(checkpoint.size - first).map_or(ENTRIES_PER_FILE, |rest| rest.min(ENTRIES_PER_FILE));
            for leaf in read_leaves(dir, number, width)? {
                tree.push(&leaf);
                games.entry(leaf.game).or_default().0.push(leaf);
            }
            progress.at(first + u64::from(width));
        }
        if tree.root() != checkpoint.root {
            return Err(bad("its entries are not those that the checkpoint was signed for".into()));
        }
        let Checkpoint { size, root, .. } = checkpoint;
        Ok(Some(Published { dir: dir.to_path_buf(), size, root, games, key: key.cloned() }))
    }
}

fn read_leaves(dir: &Path, number: u64, width: u32) -> Result<Vec<Leaf>, RecoveryError> {
    let paths: Vec<PathBuf> = entries_paths(number, width).iter().map(|path| dir.join(path)).collect();
    let path = paths.iter().find(|path| path.exists()).unwrap_or(&paths[0]);
    let bytes = std::fs::read(path).map_err(RecoveryError::io("reading", path))?;
    read_entries(&bytes, width).ok_or_else(|| RecoveryError::Published {
        dir: dir.to_path_buf(),
        problem: format!("{} is damaged", path.display()),
    })
}
