//! What salvage can do with blocks in raw bytes: damaged headers, bundles, two histories, forged text.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use divelog_engine::{AnyOptions, Chance, SeededChance, deep_sea_adventure};
use divelog_ledger::{GameId, NewGame, Position, Secret, Sequence, Stamp, Status, bundle};
use divelog_proto::v1 as pb;
use prost::Message;

use super::fsck;
use super::report::Why;
use super::restore::{self, restore};
use super::signing::LogOptions;
use super::{Problem, Progress, Report, open_copy};
use crate::store::block::{self, NO_BLOCK, Placed};
use crate::store::rebuild::Rebuild;

pub(super) const JOURNAL_BYTES: u64 = 1 << 20;

pub(super) struct Game {
    id: GameId,
    secret: [u8; 32],
    records: Vec<(Bytes, Status)>,
}

/// A game of so many records; different `luck` parts its ways after the set-up.
pub(super) fn game(number: u8, records: usize, luck: u8) -> Game {
    let (id, secret) = (GameId([number; 16]), [number + 100; 32]);
    let new = NewGame {
        game_id: id,
        rules_version: 1,
        options: AnyOptions::DeepSeaAdventure(deep_sea_adventure::Options),
        players: vec![pb::Player::default(); 3],
        labels: BTreeMap::new(),
        fork: None,
        request: None,
    };
    let stamp = |time_ms| Stamp { time_ms, request_id: "" };
    let first = Position::create(new, &Secret(secret), stamp(1_000)).expect("a legal set-up");
    let mut position = first.position;
    let mut all = vec![(first.record, position.status())];
    let mut choices = SeededChance::new([luck; 32]);
    while all.len() < records {
        let seat = position.to_act().iter().next().expect("the game goes on");
        let offers = position.game().legal_actions(seat);
        let action = offers[choices.below(offers.len() as u32) as usize].nth(0);
        let time_ms = 1_000 + all.len() as u64 + u64::from(luck) * 10_000;
        let advance = position.act(seat, &action, stamp(time_ms)).expect("a legal action");
        position = advance.position;
        all.push((advance.record, position.status()));
    }
    Game { id, secret, records: all }
}

/// A block with these records of games, whose records before are in the blocks given.
pub(super) fn block(number: u64, records: &[(&Game, usize, u64)]) -> Vec<u8> {
    let place = |(game, sequence, previous): &(&Game, usize, u64)| {
        let (record, status) = &game.records[*sequence];
        placed(game.id, *previous, *sequence as u32, *status, record)
    };
    block::encode(number, &records.iter().map(place).collect::<Vec<_>>())
}

fn placed(game: GameId, previous_block: u64, sequence: u32, status: Status, record: &[u8]) -> Placed<Vec<u8>> {
    let sequence = Sequence::new(sequence.into());
    Placed { game, previous_block, sequence, status, record: record.to_vec() }
}

pub(super) fn secrets(number: u64, games: &[&Game]) -> Vec<u8> {
    block::encode_secrets(number, &games.iter().map(|game| (game.id, game.secret)).collect::<Vec<_>>())
}

/// Pieces as they may lie in a file, with other bytes between them.
pub(super) fn write(dir: &Path, name: &str, pieces: &[Vec<u8>]) -> PathBuf {
    let mut bytes = vec![0xd1; 1_000];
    for piece in pieces {
        bytes.extend_from_slice(piece);
        bytes.extend_from_slice(b"DL DLB DLB1 and whatever a database writes between");
    }
    let path = dir.join(name);
    std::fs::write(&path, bytes).expect("written");
    path
}

pub(super) fn restored(from: &[PathBuf], to: &Path) -> Report {
    let options =
        restore::Options { from, data: to, tiles: None, log: LogOptions::default(), journal_bytes: JOURNAL_BYTES };
    let report = restore(options, &Progress::hidden()).expect("restored");
    assert!(report.database.as_ref().is_some_and(|database| database.sound), "{}", report.to_table());
    report
}

/// The records that the store in a folder has of a game.
pub(super) fn stored(dir: &Path, game: &Game) -> Vec<Bytes> {
    let store = open_copy::open(dir, JOURNAL_BYTES).expect("opens");
    let found = store.read_game(game.id).expect("readable");
    store.close();
    found.map_or(Vec::new(), |found| {
        assert_eq!(found.secret, Some(game.secret));
        found.records.into_iter().map(|record| record.bytes).collect()
    })
}

pub(super) fn records(game: &Game, count: usize) -> Vec<Bytes> {
    game.records[..count].iter().map(|(record, _)| record.clone()).collect()
}

#[test]
fn records_of_a_block_with_a_damaged_header_are_found_by_the_hash_after_them() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (game(1, 4, 1), game(2, 3, 1));
    let mut hit = block(1, &[(&one, 1, 0), (&one, 2, 1), (&two, 2, 0)]);
    hit[20] ^= 1;
    let pieces = [
        secrets(0, &[&one, &two]),
        block(0, &[(&one, 0, NO_BLOCK), (&two, 0, NO_BLOCK), (&two, 1, 0)]),
        hit,
        block(2, &[(&one, 3, 1)]),
    ];
    let file = write(dir.path(), "pieces", &pieces);
    let to = dir.path().join("new");
    let report = restored(&[file], &to);
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&to).unwrap());
    assert_eq!(mode & 0o777, 0o700, "it holds secrets");
    assert_eq!(stored(&to, &one), records(&one, 4), "{}", report.to_table());
    // Nothing knows the hash of this one's last record, so it does not count.
    assert_eq!(stored(&to, &two), records(&two, 2));
    assert!(!report.whole);
    let named: Vec<_> = report.problems.iter().map(|game| (game.game_id, game.problem)).collect();
    assert_eq!(named, [(two.id, Problem::MayLackItsEnd)]);
}

#[test]
fn a_damaged_copy_of_the_last_record_is_no_second_history() {
    let dir = tempfile::tempdir().unwrap();
    let one = game(1, 4, 1);
    // Without a header, so that bare records are looked for: its record is known by the one after it.
    let mut headless = block(1, &[(&one, 2, 0)]);
    headless[..8].fill(0xff);
    let mut copy = pb::Record::decode(one.records[3].0.clone()).unwrap();
    copy.time_ms += 1 << 20;
    let pieces = [
        secrets(0, &[&one]),
        block(0, &[(&one, 0, NO_BLOCK), (&one, 1, 0)]),
        headless,
        block(2, &[(&one, 3, 1)]),
        copy.encode_to_vec(),
    ];
    let to = dir.path().join("new");
    let report = restored(&[write(dir.path(), "pieces", &pieces)], &to);
    assert_eq!(stored(&to, &one), records(&one, 4), "{}", report.to_table());
    assert!(report.problems.iter().all(|problem| problem.problem == Problem::MayLackItsEnd), "{}", report.to_table());
}

#[test]
fn two_damaged_copies_of_a_block_make_a_whole_one() {
    let dir = tempfile::tempdir().unwrap();
    let one = game(1, 3, 1);
    let whole = block(0, &[(&one, 0, NO_BLOCK), (&one, 1, 0), (&one, 2, 0)]);
    let (mut left, mut right) = (whole.clone(), whole.clone());
    left[whole.len() - 10] ^= 1;
    right[16 + 3 * 37 + 4 + 30] ^= 1;
    // The secret's own checksum fails too: what record 0 commits to shows that these 32 bytes are sound.
    let mut secret = secrets(0, &[&one]);
    secret[5] ^= 1;
    let to = dir.path().join("new");
    let report = restored(&[write(dir.path(), "pieces", &[left, right, secret])], &to);
    assert_eq!(stored(&to, &one), records(&one, 3));
    assert!(report.whole, "{}", report.to_table());
}

#[test]
fn a_bundle_fills_what_blocks_lack_and_a_forged_one_does_not() {
    let dir = tempfile::tempdir().unwrap();
    let one = game(1, 9, 1);
    let pieces =
        [secrets(0, &[&one]), block(0, &[(&one, 0, NO_BLOCK), (&one, 1, 0)]), block(2, &[(&one, 4, 1), (&one, 5, 2)])];
    let file = write(dir.path(), "pieces", &pieces);
    let bundle = |name: &str, game: &Game| {
        let records = records(game, 7);
        let bundle = pb::Bundle { game_id: game.id.to_string(), records, ..Default::default() };
        let path = dir.path().join(name);
        std::fs::write(&path, bundle::to_file(&bundle)).unwrap();
        path
    };
    // Another record 6, chained to the true one before it: whoever has not the secret cannot make its nonce.
    let mut forged = Game { id: one.id, secret: one.secret, records: one.records.clone() };
    let mut last = pb::Record::decode(forged.records[6].0.clone()).unwrap();
    last.nonce = Bytes::from_static(&[0; 16]);
    forged.records[6].0 = last.encode_to_vec().into();
    let short = dir.path().join("short");
    let report = restored(&[file.clone(), bundle("forged.dlbundle", &forged)], &short);
    assert_eq!(stored(&short, &one), records(&one, 6), "{}", report.to_table());
    let to = dir.path().join("new");
    let report = restored(&[file, bundle("true.dlbundle", &one)], &to);
    assert_eq!(stored(&to, &one), records(&one, 7), "{}", report.to_table());
}

#[test]
fn what_a_crash_left_behind_gives_way_to_what_was_written_in_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (game(1, 3, 1), game(1, 3, 2));
    assert_eq!(old.records[0].0, new.records[0].0);
    assert_ne!(old.records[1].0, new.records[1].0);
    let first = block(0, &[(&old, 0, NO_BLOCK)]);
    let left = block(1, &[(&old, 1, 0)]);
    let written = [block(1, &[(&new, 1, 0)]), block(2, &[(&new, 2, 1)])].concat();
    for pieces in [[first.clone(), left.clone(), written.clone()], [first, written, left]] {
        let file = write(dir.path(), "pieces", &[pieces.concat(), secrets(0, &[&new])]);
        let to = dir.path().join("new");
        let report = restored(&[file], &to);
        assert_eq!(stored(&to, &new), records(&new, 3), "{}", report.to_table());
        assert_eq!(report.blocks.conflicting, [1]);
        // Whether the record that was replaced was acknowledged cannot be seen.
        let left: Vec<_> = report.left_out.iter().map(|left| (left.first.get(), left.last.get(), left.why)).collect();
        assert_eq!(left, [(1, 1, Why::OtherHistory)], "{}", report.to_table());
        assert!(!report.whole, "{}", report.to_table());
        std::fs::remove_dir_all(&to).unwrap();
    }
}

#[test]
fn a_block_in_somebodys_text_is_not_taken_for_one() {
    let dir = tempfile::tempdir().unwrap();
    let one = game(1, 2, 1);
    // A far number with a sound header, and a record that is none.
    let forged = block::encode(1 << 40, &[placed(one.id, 0, 2, Status::Running, b"not a record")]);
    let far = block::encode(1 << 41, &[placed(one.id, 0, 2, Status::Running, &one.records[1].0)]);
    let pieces = [secrets(0, &[&one]), block(0, &[(&one, 0, NO_BLOCK), (&one, 1, 0)]), forged, far];
    let to = dir.path().join("new");
    let report = restored(&[write(dir.path(), "pieces", &pieces)], &to);
    assert_eq!(stored(&to, &one), records(&one, 2));
    assert_eq!(report.blocks.last, Some(0), "{}", report.to_table());
}

#[test]
fn a_shorter_history_that_is_left_out_is_named_record_by_record() {
    let dir = tempfile::tempdir().unwrap();
    // Both were acknowledged: by a server, and by one that was restored from an early backup of it.
    let (short, long) = (game(1, 4, 1), game(1, 6, 2));
    let first = block(0, &[(&long, 0, NO_BLOCK)]);
    let one = write(
        dir.path(),
        "one",
        &[
            secrets(0, &[&short]),
            first.clone(),
            block(1, &[(&short, 1, 0), (&short, 2, 1)]),
            block(2, &[(&short, 3, 1)]),
        ],
    );
    let other = write(
        dir.path(),
        "other",
        &[
            secrets(0, &[&long]),
            first,
            block(1, &[(&long, 1, 0), (&long, 2, 1)]),
            block(2, &[(&long, 3, 1), (&long, 4, 2), (&long, 5, 2)]),
        ],
    );
    let to = dir.path().join("new");
    let report = restored(&[one, other], &to);
    assert_eq!(stored(&to, &long), records(&long, 6), "{}", report.to_table());
    assert!(!report.whole, "{}", report.to_table());
    let named: Vec<_> = report.problems.iter().map(|game| (game.game_id, game.problem)).collect();
    assert_eq!(named, [(long.id, Problem::Contradiction)], "{}", report.to_table());
    let line = format!("game {}: records 1 to 3 were left out", long.id);
    assert!(report.to_table().contains(&line), "{}", report.to_table());
}

#[test]
fn sound_records_after_a_gap_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (game(1, 9, 1), game(2, 4, 1));
    let pieces = [
        secrets(0, &[&one, &two]),
        block(0, &[(&one, 0, NO_BLOCK), (&one, 1, 0)]),
        block(1, &[(&one, 4, 1), (&one, 5, 2), (&one, 7, 2)]),
        // The first record is nowhere.
        block(2, &[(&two, 3, 1)]),
    ];
    let to = dir.path().join("new");
    let report = restored(&[write(dir.path(), "pieces", &pieces)], &to);
    let table = report.to_table();
    for (game, records) in [(&one, "records 4 to 5 were"), (&one, "record 7 was"), (&two, "record 3 was")] {
        assert!(table.contains(&format!("game {}: {records} left out", game.id)), "{table}");
    }
}

#[test]
fn a_backup_in_a_folder_that_has_lost_its_beginning_is_used_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let one = game(1, 3, 1);
    let folder = dir.path().join("backups");
    std::fs::create_dir(&folder).unwrap();
    let first = [secrets(0, &[&one]), block(0, &[(&one, 0, NO_BLOCK), (&one, 1, 0)])];
    let file = write(dir.path(), "sound", &first);
    write(&folder, "harmed.dlbackup", &[block(1, &[(&one, 2, 0)])]);
    std::fs::write(folder.join("notes.txt"), "not ours").unwrap();
    let to = dir.path().join("new");
    let report = restored(&[file, folder], &to);
    assert_eq!(stored(&to, &one), records(&one, 3), "{}", report.to_table());
    assert!(!report.whole && report.to_table().contains("harmed.dlbackup"), "{}", report.to_table());
}

#[test]
fn a_store_of_the_format_that_had_no_journal_needs_none() {
    let dir = tempfile::tempdir().unwrap();
    let one = game(1, 2, 1);
    let mut store = Rebuild::create(dir.path()).unwrap();
    store.put(0, &block(0, &[(&one, 0, NO_BLOCK), (&one, 1, 0)]), &[(one.id, one.secret)]).unwrap();
    store.finish().unwrap();
    let check = || {
        let options = fsck::Options { data: dir.path(), tiles: None, open_copy: false };
        fsck::fsck(options, &Progress::hidden()).expect("readable")
    };
    assert!(check().whole, "{}", check().to_table());
    // From its first start on it has one.
    open_copy::open(dir.path(), JOURNAL_BYTES).unwrap().close();
    assert!(check().whole, "{}", check().to_table());
    for which in ["journal-0", "journal-1"] {
        std::fs::remove_file(dir.path().join(which)).unwrap();
        let report = check();
        assert!(!report.whole && report.remarks.iter().any(|remark| remark.contains(which)), "{}", report.to_table());
    }
}
