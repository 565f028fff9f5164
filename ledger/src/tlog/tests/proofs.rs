//! Proofs: they hold for what is there, for nothing else, and a rewritten log has none.

use bytes::Bytes;
use divelog_proto::v1 as pb;

use super::*;

const ORIGIN: &str = "example.com/divelog";

fn checkpoint(tree: Tree) -> Checkpoint {
    Checkpoint { origin: ORIGIN.into(), size: tree.size(), root: tree.root() }
}

fn inclusion(index: u64, size: u64, folder: &Folder) -> pb::InclusionProof {
    let hashes = Tree::prove_inclusion(size, index, folder).unwrap();
    pb::InclusionProof {
        leaf: Bytes::copy_from_slice(&leaf(index).encode()),
        leaf_index: index,
        tree_size: size,
        hashes: hashes.iter().map(|hash| Bytes::copy_from_slice(hash)).collect(),
    }
}

#[test]
fn every_leaf_of_every_small_tree_is_proved() {
    for size in (1..=40).chain([255, 256, 257, 300, 511, 512, 513, 600]) {
        let (folder, tree) = Folder::with(size, 100);
        let naive = Naive::new(size);
        for index in 0..size {
            let proof = inclusion(index, size, &folder);
            let naive: Vec<Bytes> =
                naive_path(index as usize, &naive.first(size)).into_iter().map(Bytes::from_owner).collect();
            assert_eq!(proof.hashes, naive, "leaf {index} of {size}");
            assert_eq!(verify_inclusion(&proof, &checkpoint(tree)), Ok(leaf(index)), "leaf {index} of {size}");
        }
    }
}

#[test]
fn every_two_sizes_are_proved_consistent() {
    let size = 300;
    let (folder, _) = Folder::with(size, 1);
    let naive = Naive::new(size);
    let roots: Vec<Hash> = (0..=size).map(|size| naive_root(&naive.first(size))).collect();
    let at = |size: u64| Checkpoint { origin: ORIGIN.into(), size, root: roots[size as usize] };
    for new in (1..=70).chain([255, 256, 257, 300]) {
        for old in 1..=new {
            let proof = Tree::prove_consistency(old, new, &folder).unwrap();
            assert_eq!(proof, naive_consistency(old as usize, &naive.first(new), true), "{old} to {new}");
            assert_eq!(verify_consistency(&at(old), &at(new), &proof), Ok(()), "{old} to {new}");
        }
    }
    assert_eq!(verify_consistency(&at(0), &at(70), &[]), Ok(()));
    assert!(Tree::prove_consistency(0, 5, &folder).is_err());
    assert!(Tree::prove_consistency(6, 5, &folder).is_err());
}

#[test]
fn any_single_changed_bit_of_an_inclusion_proof_is_found() {
    let (folder, tree) = Folder::with(300, 300);
    let good = inclusion(271, 300, &folder);
    let checkpoint = checkpoint(tree);
    assert!(verify_inclusion(&good, &checkpoint).is_ok());
    let flip = |bytes: &Bytes, bit: usize| {
        let mut bytes = bytes.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        Bytes::from(bytes)
    };
    let refused = |proof: &pb::InclusionProof, what: &str| {
        assert!(verify_inclusion(proof, &checkpoint).is_err(), "{what}");
    };
    for bit in 0..LEAF_BYTES * 8 {
        refused(&pb::InclusionProof { leaf: flip(&good.leaf, bit), ..good.clone() }, &format!("leaf, bit {bit}"));
    }
    for bit in 0..64 {
        let leaf_index = good.leaf_index ^ 1 << bit;
        refused(&pb::InclusionProof { leaf_index, ..good.clone() }, &format!("index {leaf_index}"));
        let tree_size = good.tree_size ^ 1 << bit;
        refused(&pb::InclusionProof { tree_size, ..good.clone() }, &format!("size {tree_size}"));
    }
    for at in 0..good.hashes.len() {
        for bit in 0..256 {
            let mut proof = good.clone();
            proof.hashes[at] = flip(&proof.hashes[at], bit);
            refused(&proof, &format!("hash {at}, bit {bit}"));
        }
        let mut proof = good.clone();
        proof.hashes.remove(at);
        refused(&proof, &format!("without hash {at}"));
        let mut proof = good.clone();
        proof.hashes.insert(at, Bytes::from_static(&[1; 32]));
        refused(&proof, &format!("a hash too many at {at}"));
        let mut proof = good.clone();
        proof.hashes[at] = proof.hashes[at].slice(..31);
        refused(&proof, &format!("short hash {at}"));
    }
    let mut endless = good.clone();
    endless.hashes = vec![Bytes::from_static(&[1; 32]); 100_000];
    refused(&endless, "a hundred thousand hashes");
    for bit in 0..256 {
        let mut root = checkpoint.root;
        root[bit / 8] ^= 1 << (bit % 8);
        assert!(verify_inclusion(&good, &Checkpoint { root, ..checkpoint.clone() }).is_err(), "root, bit {bit}");
    }
}

#[test]
fn any_single_changed_bit_of_a_consistency_proof_is_found() {
    let (folder, new) = Folder::with(300, 300);
    let (_, old) = Folder::with(199, 199);
    let (old, new) = (checkpoint(old), checkpoint(new));
    let good = Tree::prove_consistency(199, 300, &folder).unwrap();
    assert_eq!(verify_consistency(&old, &new, &good), Ok(()));
    for bit in 0..good.len() * 256 {
        let mut proof = good.clone();
        proof[bit / 256][bit / 8 % 32] ^= 1 << (bit % 8);
        assert!(verify_consistency(&old, &new, &proof).is_err(), "proof, bit {bit}");
    }
    for bit in 0..256 {
        for which in [&old, &new] {
            let mut altered = which.clone();
            altered.root[bit / 8] ^= 1 << (bit % 8);
            let (old, new) = if which == &old { (&altered, &new) } else { (&old, &altered) };
            assert!(verify_consistency(old, new, &good).is_err(), "a root, bit {bit}");
        }
    }
    assert!(verify_consistency(&new, &old, &good).is_err(), "a log does not shrink");
    let renamed = Checkpoint { origin: "example.com/other".into(), ..new.clone() };
    assert!(verify_consistency(&old, &renamed, &good).is_err(), "two logs");
    assert!(verify_consistency(&old, &new, &vec![[1; 32]; 1000]).is_err());
    assert!(verify_consistency(&old, &Checkpoint { size: u64::MAX, ..new }, &good).is_err());
}

/// Whoever kept a checkpoint notices every change of what it covered, whatever proof the operator then makes.
#[test]
fn a_rewritten_log_is_caught_by_an_old_checkpoint() {
    let (_, kept) = Folder::with(199, 199);
    for rewritten in [0, 5, 100, 198] {
        let folder = Folder::default();
        let mut tree = Tree::empty();
        let mut leaves: Vec<Leaf> = (0..300).map(leaf).collect();
        leaves[rewritten].record_hash[0] ^= 1;
        let files = tree.append(&leaves, &folder).unwrap();
        folder.write(files);
        let proof = Tree::prove_consistency(199, 300, &folder).unwrap();
        let error = verify_consistency(&checkpoint(kept), &checkpoint(tree), &proof).unwrap_err();
        assert!(error.to_string().contains("rewritten"), "{error}");
    }
    let (folder, tree) = Folder::with(300, 300);
    let proof = Tree::prove_consistency(199, 300, &folder).unwrap();
    assert_eq!(
        verify_consistency(&checkpoint(kept), &checkpoint(tree), &proof),
        Ok(()),
        "what was not rewritten is fine"
    );
}
