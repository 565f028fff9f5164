//! The published transparency log as a yardstick: which games there were, and how far they had come.
//!
//! Its leaves hold hashes, not records: nothing can be restored from it, but what is missing can be named by it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use divelog_ledger::tlog::{Checkpoint, LEAF_BYTES, Leaf, MAX_CHECKPOINT_BYTES, VerifierKey};
use divelog_ledger::{GameId, Hash};
use sha2::{Digest, Sha256};

use super::{Progress, RecoveryError};

/// Leaves in a full file of entries.
const WIDTH: u64 = 256;

/// What was published of one game, by ascending revision.
#[derive(Default)]
pub(super) struct Heads(Vec<Leaf>);

impl Heads {
    pub fn has(&self, revision: u64, hash: &Hash) -> bool {
        self.0.iter().any(|leaf| leaf.revision == revision && leaf.record_hash == *hash)
    }

    pub fn revision(&self) -> u64 {
        self.0.iter().map(|leaf| leaf.revision).max().unwrap_or(0)
    }

    /// The first published revision whose record is another one here.
    pub fn contradiction(&self, hash_at: impl Fn(u64) -> Option<Hash>) -> Option<u64> {
        let differs = |leaf: &&Leaf| hash_at(leaf.revision).is_some_and(|hash| hash != leaf.record_hash);
        self.0.iter().filter(differs).map(|leaf| leaf.revision).min()
    }
}

/// A published log that was read whole.
pub(super) struct Published {
    pub dir: PathBuf,
    pub size: u64,
    pub root: Hash,
    pub games: BTreeMap<GameId, Heads>,
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
        let mut games: BTreeMap<GameId, Heads> = BTreeMap::new();
        let mut tree = Root::default();
        progress.begin(format!("reading the published log in {}", dir.display()), checkpoint.size);
        for tile in 0..checkpoint.size.div_ceil(WIDTH) {
            let width = (checkpoint.size - tile * WIDTH).min(WIDTH);
            for leaf in read_entries(dir, tile, width)? {
                tree.push(leaf.hash());
                games.entry(leaf.game).or_default().0.push(leaf);
            }
            progress.at(tile * WIDTH + width);
        }
        if tree.root() != checkpoint.root {
            return Err(bad("its entries are not those that the checkpoint was signed for".into()));
        }
        let Checkpoint { size, root, .. } = checkpoint;
        Ok(Some(Published { dir: dir.to_path_buf(), size, root, games, key: key.cloned() }))
    }
}

fn read_entries(dir: &Path, tile: u64, width: u64) -> Result<Vec<Leaf>, RecoveryError> {
    let whole = entries_path(tile);
    let partial = format!("{whole}.p/{width}");
    // A full file may have taken the place of the partial one.
    let names = if width < WIDTH { vec![partial, whole] } else { vec![whole] };
    let found = names.iter().map(|name| dir.join(name)).find(|path| path.exists());
    let path = found.unwrap_or_else(|| dir.join(&names[0]));
    let bytes = std::fs::read(&path).map_err(RecoveryError::io("reading", &path))?;
    let prefix = u16::try_from(LEAF_BYTES).expect("a leaf is small").to_be_bytes();
    let entries = bytes.chunks_exact(prefix.len() + LEAF_BYTES);
    let leaves = entries.map(|entry| Leaf::decode(entry.strip_prefix(&prefix)?).ok());
    let leaves: Option<Vec<Leaf>> = leaves.take(usize::try_from(width).unwrap_or_default()).collect();
    leaves.filter(|leaves| leaves.len() as u64 == width).ok_or_else(|| RecoveryError::Published {
        dir: dir.to_path_buf(),
        problem: format!("{} is damaged", path.display()),
    })
}

/// Where the entries of a tile lie: groups of three digits, all but the last with an x before them.
fn entries_path(tile: u64) -> String {
    let mut path = format!("{:03}", tile % 1000);
    let mut rest = tile / 1000;
    while rest > 0 {
        path = format!("x{:03}/{path}", rest % 1000);
        rest /= 1000;
    }
    format!("tile/entries/{path}")
}

/// The root of an RFC 6962 tree, leaf by leaf: the roots of the full trees that the leaves so far make, largest first.
#[derive(Default)]
struct Root(Vec<(u32, Hash)>);

impl Root {
    fn push(&mut self, leaf: Hash) {
        let (mut height, mut hash) = (0, leaf);
        while let Some((_, left)) = self.0.pop_if(|(other, _)| *other == height) {
            hash = node(&left, &hash);
            height += 1;
        }
        self.0.push((height, hash));
    }

    fn root(&self) -> Hash {
        let joined = self.0.iter().rev().map(|(_, hash)| *hash).reduce(|right, left| node(&left, &right));
        joined.unwrap_or_else(|| Sha256::digest([]).into())
    }
}

fn node(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::entries_path;

    #[test]
    fn paths_of_entries_are_grouped_by_three_digits() {
        assert_eq!(entries_path(0), "tile/entries/000");
        assert_eq!(entries_path(67), "tile/entries/067");
        assert_eq!(entries_path(1_234_067), "tile/entries/x001/x234/067");
        assert_eq!(entries_path(1_000), "tile/entries/x001/000");
    }
}
