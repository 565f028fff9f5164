//! A bundle's file: what is written is read, and nothing else.

use prost::Message;

use super::*;

#[test]
fn a_file_is_read_as_it_was_written() {
    let bundle = bundle_of(&play(9), true);
    let file = to_file(&bundle);
    assert!(file.starts_with(b"DLBUNDLE1\n"));
    assert_eq!(file[MAGIC.len()..], bundle.encode_to_vec());
    assert_eq!(from_file(&file), Ok(bundle));
}

#[test]
fn cut_files_and_trailing_bytes_are_refused() {
    let file = to_file(&bundle_of(&play(9), true));
    for length in 0..file.len() {
        let cut = from_file(&file[..length]);
        // A file may end between two fields; then what is left is no whole bundle and shows less.
        let less = cut.is_ok_and(|bundle| verdict_on(&bundle).findings.len() < 10 || bundle.claims.is_none());
        assert!(less || from_file(&file[..length]).is_err(), "cut to {length}");
    }
    for trailing in [&b"\0"[..], b"x", b"\n", &[0x42, 0x00], &[0x78, 0x01], &[0x1a, 0x00]] {
        assert!(from_file(&[&file[..], trailing].concat()).is_err(), "{trailing:?} after the end");
    }
    assert_eq!(from_file(b"DLBUNDLE2\n"), Err(BundleError::NotABundle));
    assert_eq!(from_file(b""), Err(BundleError::NotABundle));
    assert_eq!(from_file(MAGIC), Err(BundleError::Empty));
}

/// The same content in another encoding could hide a difference between two readers.
#[test]
fn only_the_canonical_encoding_is_read() {
    let bundle = bundle_of(&play(9), true);
    let id = [&[0x0a, 36][..], bundle.game_id.as_bytes()].concat();
    let rest = &to_file(&bundle)[MAGIC.len() + id.len()..];
    assert!(from_file(&[MAGIC, &id, rest].concat()).is_ok());
    assert_eq!(from_file(&[MAGIC, rest, &id].concat()), Err(BundleError::NotCanonical), "another order");
    assert_eq!(from_file(&[MAGIC, &id, &id, rest].concat()), Err(BundleError::NotCanonical), "a field twice");
    let long = [&[0x0a, 0x80 | 36, 0x00][..], bundle.game_id.as_bytes()].concat();
    assert_eq!(from_file(&[MAGIC, &long, rest].concat()), Err(BundleError::NotCanonical), "a longer length");
}

#[test]
fn too_much_is_refused_before_it_takes_memory() {
    let mut large = MAGIC.to_vec();
    large.resize(MAX_BUNDLE_BYTES + 1, 0);
    assert_eq!(from_file(&large), Err(BundleError::TooLarge));
    // Two bytes an entry: a list of many millions of them.
    let mut many = MAGIC.to_vec();
    many.extend([0x12, 0x00].repeat(10_000_000));
    assert_eq!(from_file(&many), Err(BundleError::TooMany("entries")));
    let mut nested = MAGIC.to_vec();
    nested.push(0x3a);
    prost::encode_length_delimiter(8_000_000, &mut nested).unwrap();
    nested.extend([0x32, 0x00].repeat(4_000_000));
    assert_eq!(from_file(&nested), Err(BundleError::TooMany("entries")));
}

#[test]
fn every_list_has_a_maximum() {
    let good = bundle_of(&play(9), true);
    let refused = |change: &dyn Fn(&mut pb::Bundle)| {
        let mut bundle = good.clone();
        change(&mut bundle);
        let verdict = verdict_on(&bundle);
        assert_eq!(verdict.result(Check::Form), Some(Judgement::Failed));
        assert!(verdict.findings.iter().skip(1).all(|finding| finding.result == Judgement::NotProved));
        from_file(&to_file(&bundle)).unwrap_err()
    };
    let records = |bundle: &mut pb::Bundle| bundle.records = vec![Bytes::from_static(b"x"); MAX_BUNDLE_RECORDS + 1];
    assert_eq!(refused(&records), BundleError::TooMany("records"));
    let record = |bundle: &mut pb::Bundle| bundle.records[3] = vec![0; MAX_RECORD_BYTES + 1].into();
    assert_eq!(refused(&record), BundleError::TooMany("bytes in a record"));
    let draws = |bundle: &mut pb::Bundle| bundle.opened_draws = vec![pb::OpenedDraw::default(); MAX_BUNDLE_RECORDS + 1];
    assert_eq!(refused(&draws), BundleError::TooMany("opened draws"));
    let most = MAX_BUNDLE_RECORDS;
    let digests =
        |bundle: &mut pb::Bundle| bundle.claims.as_mut().unwrap().legal_digests.resize(most + 1, Bytes::new());
    assert_eq!(refused(&digests), BundleError::TooMany("digests of legal actions"));
    let hashes = |bundle: &mut pb::Bundle| bundle.inclusion.as_mut().unwrap().hashes.resize(129, Bytes::new());
    assert_eq!(refused(&hashes), BundleError::TooMany("hashes in the proof"));
    let checkpoint = |bundle: &mut pb::Bundle| bundle.checkpoint = vec![b'x'; 64 * 1024 + 1].into();
    assert_eq!(refused(&checkpoint), BundleError::TooMany("bytes in the checkpoint"));
    assert_eq!(refused(&|bundle: &mut pb::Bundle| bundle.records.clear()), BundleError::Empty);
}

#[test]
fn what_cannot_be_a_game_is_not_well_formed() {
    let good = bundle_of(&play(3), true);
    let refused = |change: fn(&mut pb::Bundle)| {
        let mut bundle = good.clone();
        change(&mut bundle);
        sentence(&verdict_on(&bundle), Check::Form, Judgement::Failed).to_owned()
    };
    assert!(refused(|bundle| bundle.game_id.clear()).contains("game id"));
    assert!(refused(|bundle| bundle.game_id = bundle.game_id.to_uppercase() + "A").contains("game id"));
    assert!(refused(|bundle| bundle.secret = bundle.secret.slice(..31)).contains("31 bytes"));
    assert!(refused(|bundle| bundle.checkpoint.clear()).contains("no checkpoint"));
}
