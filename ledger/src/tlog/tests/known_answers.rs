//! Known answers: published test vectors, and our own, which must never change.

use super::*;

/// The entries and roots with which Certificate Transparency's implementations are tested: our own reference is right.
#[test]
fn the_naive_tree_gives_the_published_roots() {
    let entries = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
    let entries = entries.map(|entry| hex::decode(entry).unwrap());
    let entries: Vec<&[u8]> = entries.iter().map(|entry| &entry[..]).collect();
    let roots = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];
    for (count, root) in roots.iter().enumerate() {
        assert_eq!(hex::encode(naive_root(&entries[..count])), *root, "{count} entries");
    }
}

#[test]
fn a_leaf_is_pinned() {
    let leaf =
        Leaf { game: GameId([7; 16]), revision: Revision::new(64), record_hash: [9; 32], status: Status::Finished };
    let bytes =
        format!("{}{}{}{}02", hex::encode(b"divelog/leaf/v1"), "07".repeat(16), "0000000000000040", "09".repeat(32));
    assert_eq!(hex::encode(leaf.encode()), bytes);
    assert_eq!(leaf.encode().len(), LEAF_BYTES);
    assert_eq!(LEAF_BYTES, 72);
    assert_eq!(Leaf::decode(&hex::decode(&bytes).unwrap()), Ok(leaf));
    let hash: Hash = Sha256::new().chain_update([0]).chain_update(hex::decode(&bytes).unwrap()).finalize().into();
    assert_eq!(leaf.hash(), hash);
}

#[test]
fn only_leaves_are_read_as_leaves() {
    let good = leaf(5).encode();
    assert!(Leaf::decode(&good[..71]).is_err());
    assert!(Leaf::decode(&[&good[..], &[0]].concat()).is_err());
    assert!(Leaf::decode(&[]).is_err());
    for status in [0, 4, 255] {
        let mut bytes = good;
        bytes[71] = status;
        assert!(Leaf::decode(&bytes).is_err(), "status {status}");
    }
    let nothing = Leaf { revision: Revision::NONE, ..leaf(5) };
    assert!(Leaf::decode(&nothing.encode()).is_err(), "a game without records");
    let mut tag = good;
    tag[14] = b'2';
    assert!(Leaf::decode(&tag).is_err(), "another version");
}

#[test]
fn leaves_are_due_at_the_beginning_at_intervals_and_at_the_end() {
    let due: Vec<u64> = (0..=200).filter(|revision| Leaf::is_due(Revision::new(*revision), Status::Running)).collect();
    assert_eq!(due, [1, 64, 128, 192]);
    let seventh = Revision::new(7);
    assert!(Leaf::is_due(seventh, Status::Finished) && Leaf::is_due(seventh, Status::Abandoned));
}

/// The keys of the tests of Go's note package.
#[test]
fn keys_are_those_of_go() {
    let peter = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
    let key = SigningKey::parse(&format!("{peter}\n")).unwrap();
    assert_eq!(key.to_text(), peter);
    assert_eq!(key.origin(), "PeterNeumann");
    let public = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    assert_eq!(key.verifier_key().to_string(), public);
    assert_eq!(public.parse(), Ok(key.verifier_key().clone()));
    let enoch = SigningKey::generate("EnochRoot", [0; 32]).unwrap();
    let public = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop";
    assert_eq!(enoch.verifier_key().to_string(), public);
    assert_eq!(SigningKey::parse(enoch.to_text()).unwrap().verifier_key(), enoch.verifier_key());
}

#[test]
fn a_signing_key_does_not_show_itself() {
    let key = SigningKey::generate("example.com/log", [5; 32]).unwrap();
    let secret = key.to_text().rsplit('+').next().unwrap();
    assert!(!format!("{key:?}").contains(secret));
    assert!(key.to_text().ends_with(secret) && secret.len() == 44);
}

#[test]
fn what_is_no_key_is_refused() {
    let long = "x".repeat(256);
    for origin in ["", "two words", "a+b", "line\nbreak", "bell\u{7}", &long] {
        assert!(SigningKey::generate(origin, [0; 32]).is_err(), "{origin:?}");
    }
    let good = SigningKey::generate("example.com/log", [5; 32]).unwrap();
    let public = good.verifier_key().to_string();
    let renamed = public.replacen("example", "exemple", 1);
    let cut = &public[..public.len() - 4];
    let [name, hash, data]: [&str; 3] = public.splitn(3, '+').collect::<Vec<_>>().try_into().unwrap();
    let capitals = format!("{name}+{}+{data}", hash.to_uppercase());
    assert_ne!(capitals, public);
    for wrong in
        ["", "example.com/log", cut, &renamed, &capitals, good.to_text(), &format!("{}{public}", "x".repeat(400))]
    {
        assert!(wrong.parse::<VerifierKey>().is_err(), "{wrong}");
    }
    assert!(SigningKey::parse(&public).is_err());
    assert!(SigningKey::parse(&good.to_text().replacen("example", "exemple", 1)).is_err());
}
