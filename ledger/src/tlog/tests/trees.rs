//! The tree and its files.

use super::*;

#[test]
fn every_size_has_the_naive_root_and_can_be_loaded_again() {
    let naive = Naive::new(600);
    let (folder, mut tree) = (Folder::default(), Tree::empty());
    assert_eq!(tree.root(), naive_root(&[]));
    for size in 1..=600 {
        let files = tree.append(&[leaf(size - 1)], &folder).unwrap();
        folder.write(files);
        assert_eq!((tree.size(), tree.root()), (size, naive_root(&naive.first(size))), "{size} leaves");
        assert_eq!(Tree::load(size, &folder), Ok(tree), "{size} leaves, loaded");
    }
    // Every older tree is still there too.
    for size in 0..=600 {
        assert_eq!(Tree::load(size, &folder).unwrap().root(), naive_root(&naive.first(size)), "{size} leaves, later");
    }
}

#[test]
fn groups_of_any_length_give_the_same_files() {
    let (one_by_one, tree) = Folder::with(600, 1);
    for group in [2, 3, 100, 255, 256, 257, 512, 600] {
        let (folder, same) = Folder::with(600, group);
        assert_eq!(same, tree, "groups of {group}");
        for (path, bytes) in folder.files.borrow().iter() {
            assert_eq!(one_by_one.files.borrow().get(path), Some(bytes), "groups of {group}: {path}");
        }
    }
}

#[test]
fn files_lie_where_the_layout_wants_them() {
    let (folder, mut tree) = Folder::with(250, 250);
    let paths = |files: &[(String, Vec<u8>)]| files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
    let files: Vec<(String, Vec<u8>)> = folder.files.borrow().clone().into_iter().collect();
    assert_eq!(paths(&files), ["tile/0/000.p/250", "tile/entries/000.p/250"]);
    assert_eq!(files[0].1.len(), 250 * 32);
    let entry = [&[0, 72][..], &leaf(0).encode()].concat();
    assert_eq!(files[1].1.len(), 250 * 74);
    assert_eq!(files[1].1[..74], entry);
    let files = tree.append(&(250..520).map(leaf).collect::<Vec<_>>(), &folder).unwrap();
    let expected = [
        "tile/0/000",
        "tile/entries/000",
        "tile/0/001",
        "tile/entries/001",
        "tile/0/002.p/8",
        "tile/entries/002.p/8",
        "tile/1/000.p/2",
    ];
    assert_eq!(paths(&files), expected);
    folder.write(files);
    assert_eq!(tree.append(&[], &folder), Ok(vec![]));
    let (large, _) = Folder::with(256 * 1001, 256 * 1001);
    assert!(large.files.borrow().contains_key("tile/0/x001/000"), "numbers are in groups of three digits");
}

#[test]
fn a_large_tree_is_right_and_its_edge_is_read_once() {
    let (folder, mut tree) = Folder::with(65_530, 5_000);
    let naive = Naive::new(66_100);
    assert_eq!(tree.root(), naive_root(&naive.first(65_530)));
    folder.reads.borrow_mut().clear();
    let files = tree.append(&(65_530..66_100).map(leaf).collect::<Vec<_>>(), &folder).unwrap();
    let read = folder.reads.borrow().clone();
    assert_eq!(read.len(), 3, "the edge is two tiles and one bundle, not {read:?}");
    folder.write(files);
    assert_eq!(tree.root(), naive_root(&naive.first(66_100)));
    assert!(folder.files.borrow().contains_key("tile/2/000.p/1"), "three levels");
    for index in [0, 255, 256, 65_529, 65_530, 65_535, 65_536, 66_099] {
        let proof = Tree::prove_inclusion(66_100, index, &folder).unwrap();
        assert_eq!(proof, naive_path(index as usize, &naive.first(66_100)), "leaf {index}");
        assert_eq!(Tree::leaf(index, 66_100, &folder), Ok(leaf(index)));
    }
    let proof = Tree::prove_consistency(65_530, 66_100, &folder).unwrap();
    assert_eq!(proof, naive_consistency(65_530, &naive.first(66_100), true));
}

#[test]
fn a_full_tile_stands_in_for_a_partial_one_that_is_gone() {
    let (folder, _) = Folder::with(600, 50);
    folder.files.borrow_mut().retain(|path, _| {
        let gone = ["tile/0/000.p/", "tile/0/001.p/", "tile/entries/000.p/", "tile/entries/001.p/"];
        !gone.iter().any(|gone| path.starts_with(gone))
    });
    let naive = Naive::new(600);
    for size in [100, 300, 500] {
        assert_eq!(Tree::load(size, &folder).unwrap().root(), naive_root(&naive.first(size)), "{size} leaves");
        assert_eq!(Tree::leaf(size - 1, size, &folder), Ok(leaf(size - 1)));
    }
    assert!(Tree::load(530, &folder).is_err(), "that size was never published");
}

#[test]
fn nothing_is_built_on_or_proved_from_a_damaged_file() {
    let damaged = |path: &str| {
        let (folder, tree) = Folder::with(300, 300);
        folder.damage(path, 77);
        (folder, tree)
    };
    for path in ["tile/0/001.p/44", "tile/1/000.p/1"] {
        let (folder, mut tree) = damaged(path);
        let before = tree;
        assert!(matches!(tree.append(&[leaf(300)], &folder), Err(TlogError::Damaged { .. })), "{path}");
        assert_eq!(tree, before, "a refused append changes nothing");
        assert_ne!(Tree::load(300, &folder), Ok(tree), "{path}");
    }
    let (folder, mut tree) = damaged("tile/entries/001.p/44");
    let error = tree.append(&[leaf(300)], &folder).unwrap_err();
    assert!(error.to_string().contains("tile/entries/001.p/44"), "{error}");
    assert!(Tree::leaf(256, 300, &folder).is_err());
    // A full tile is checked against the one above it.
    let (folder, _) = damaged("tile/0/000");
    let error = Tree::prove_inclusion(300, 5, &folder).unwrap_err();
    assert!(matches!(&error, TlogError::Damaged { path, .. } if path == "tile/0/000"), "{error}");
    assert!(Tree::prove_consistency(100, 300, &folder).is_err());
    assert!(Tree::leaf(2, 300, &folder).is_err());
}

#[test]
fn missing_and_cut_files_are_named() {
    let (folder, mut tree) = Folder::with(300, 300);
    let tile = folder.files.borrow_mut().remove("tile/0/001.p/44").unwrap();
    let error = tree.append(&[leaf(300)], &folder).unwrap_err();
    assert_eq!(error.to_string(), "tile/0/001.p/44: there is no such file");
    folder.files.borrow_mut().insert("tile/0/001.p/44".into(), tile[..43 * 32].to_vec());
    let error = tree.append(&[leaf(300)], &folder).unwrap_err();
    assert!(matches!(&error, TlogError::Damaged { path, .. } if path == "tile/0/001.p/44"), "{error}");
}

#[test]
fn places_and_sizes_that_do_not_exist_are_refused() {
    let (folder, _) = Folder::with(10, 10);
    assert!(Tree::prove_inclusion(10, 10, &folder).is_err());
    assert!(Tree::prove_inclusion(0, 0, &folder).is_err());
    assert!(Tree::prove_inclusion(11, 3, &folder).is_err(), "that size was never published");
    assert!(Tree::leaf(10, 10, &folder).is_err());
    assert!(Tree::leaf(0, 0, &folder).is_err());
    for size in [MAX_TREE_SIZE + 1, 1 << 63, u64::MAX] {
        assert!(Tree::load(size, &folder).is_err());
        assert!(Tree::prove_inclusion(size, 0, &folder).is_err());
        assert!(Tree::prove_consistency(1, size, &folder).is_err());
        assert!(Tree::leaf(0, size, &folder).is_err());
    }
    assert!(Tree::load(MAX_TREE_SIZE, &folder).is_err());
}
