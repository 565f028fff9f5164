//! The log's promises: the tree is RFC 6962's, proofs prove what they say and nothing else, and a rewritten log is caught.

use std::{cell::RefCell, collections::BTreeMap};

use sha2::{Digest, Sha256};

use super::*;
use crate::{GameId, Hash, Revision, Sequence, Status};

mod known_answers;
mod notes;
mod proofs;
mod trees;

/// A log's folder in memory, which counts what is read.
#[derive(Default)]
struct Folder {
    files: RefCell<BTreeMap<String, Vec<u8>>>,
    reads: RefCell<Vec<String>>,
}

impl ReadTile for Folder {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.reads.borrow_mut().push(path.to_owned());
        self.files.borrow().get(path).cloned().ok_or_else(|| "there is no such file".to_owned())
    }
}

impl Folder {
    fn write(&self, files: Vec<(String, Vec<u8>)>) {
        self.files.borrow_mut().extend(files);
    }

    /// A log of the first so many leaves, appended in groups.
    fn with(count: u64, group: usize) -> (Folder, Tree) {
        let (folder, mut tree) = (Folder::default(), Tree::empty());
        let leaves: Vec<Leaf> = (0..count).map(leaf).collect();
        for group in leaves.chunks(group) {
            let files = tree.append(group, &folder).unwrap();
            folder.write(files);
        }
        (folder, tree)
    }

    /// Flips a bit of a file.
    fn damage(&self, path: &str, bit: usize) {
        let mut files = self.files.borrow_mut();
        files.get_mut(path).unwrap_or_else(|| panic!("{path} is not there"))[bit / 8] ^= 1 << (bit % 8);
    }
}

/// A leaf like no other.
fn leaf(index: u64) -> Leaf {
    let mut game = [7; 16];
    game[8..].copy_from_slice(&index.to_be_bytes());
    let status = [Status::Running, Status::Finished, Status::Abandoned][index as usize % 3];
    Leaf {
        game: GameId(game),
        revision: Sequence::new(index).revision_after(),
        record_hash: Sha256::digest(index.to_be_bytes()).into(),
        status,
    }
}

/// RFC 6962's tree head, straight from its definition.
fn naive_root(entries: &[&[u8]]) -> Hash {
    match entries {
        [] => Sha256::digest([]).into(),
        [entry] => Sha256::new().chain_update([0]).chain_update(entry).finalize().into(),
        _ => {
            let (left, right) = entries.split_at(split(entries.len()));
            node(naive_root(left), naive_root(right))
        }
    }
}

/// RFC 6962's audit path, straight from its definition.
fn naive_path(index: usize, entries: &[&[u8]]) -> Vec<Hash> {
    if entries.len() == 1 {
        return Vec::new();
    }
    let (left, right) = entries.split_at(split(entries.len()));
    let (mut path, sibling) = if index < left.len() {
        (naive_path(index, left), naive_root(right))
    } else {
        (naive_path(index - left.len(), right), naive_root(left))
    };
    path.push(sibling);
    path
}

/// RFC 6962's consistency proof, straight from its definition.
fn naive_consistency(old: usize, entries: &[&[u8]], known: bool) -> Vec<Hash> {
    if old == entries.len() {
        return if known { Vec::new() } else { vec![naive_root(entries)] };
    }
    let (left, right) = entries.split_at(split(entries.len()));
    let (mut proof, sibling) = if old <= left.len() {
        (naive_consistency(old, left, known), naive_root(right))
    } else {
        (naive_consistency(old - left.len(), right, false), naive_root(left))
    };
    proof.push(sibling);
    proof
}

fn node(left: Hash, right: Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

/// The largest power of two below a number above 1.
fn split(count: usize) -> usize {
    count.next_power_of_two() / 2
}

/// The naive tree's entries.
struct Naive(Vec<[u8; LEAF_BYTES]>);

impl Naive {
    fn new(count: u64) -> Naive {
        Naive((0..count).map(|index| leaf(index).encode()).collect())
    }

    fn first(&self, count: u64) -> Vec<&[u8]> {
        self.0[..count as usize].iter().map(|entry| &entry[..]).collect()
    }
}
