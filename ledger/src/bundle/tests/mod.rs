//! What a bundle proves, what it does not, and that nothing can be changed in one without being noticed.

use std::{cell::RefCell, collections::BTreeMap};

use bytes::Bytes;
use divelog_engine::{AnyOptions, SeededChance, deep_sea_adventure::Options};
use divelog_proto::v1 as pb;

use super::*;
use crate::tlog::{Checkpoint, Leaf, ReadTile, SigningKey, Tree};
use crate::{ForkPoint, NewGame, Position, SECRET_BYTES, Sequence, Stamp, Status, hash_record};

mod changes;
mod files;
mod sentences;

const GAME: GameId = GameId([7; 16]);
const SECRET: Secret = Secret([42; SECRET_BYTES]);

/// A game that was played up to some record.
#[derive(Clone)]
struct Played {
    game: GameId,
    secret: Secret,
    records: Vec<Bytes>,
    position: Position,
}

/// What the three seats add to the seed.
const ENTROPY: [&[u8]; 3] = [b"salt", b"", b"pepper"];

fn new_game(game_id: GameId, entropy: [&'static [u8]; 3], fork: Option<ForkPoint>) -> NewGame {
    let players = entropy.map(|entropy| pb::Player { name: String::new(), entropy: entropy.into() });
    let options = AnyOptions::DeepSeaAdventure(Options);
    NewGame {
        game_id,
        rules_version: 1,
        options,
        players: players.to_vec(),
        labels: BTreeMap::new(),
        fork,
        request: None,
    }
}

/// Plays at random until the game is over or has this many records.
fn play_with(game: GameId, secret: Secret, entropy: [&'static [u8]; 3], max_records: usize) -> Played {
    let first = Position::create(new_game(game, entropy, None), &secret, stamp(0)).unwrap();
    play_on(Played { game, secret, records: vec![first.record], position: first.position }, max_records)
}

fn play_on(mut played: Played, max_records: usize) -> Played {
    while played.records.len() < max_records && played.position.status() == Status::Running {
        let mut luck = SeededChance::new([played.records.len() as u8; 32]);
        let (seat, action) = played.position.game().any_choice(&mut luck).unwrap();
        let advance = played.position.act(seat, &action, stamp(played.records.len() as u64)).unwrap();
        played.records.push(advance.record);
        played.position = advance.position;
    }
    played
}

fn play(max_records: usize) -> Played {
    play_with(GAME, SECRET, ENTROPY, max_records)
}

fn stamp(time_ms: u64) -> Stamp<'static> {
    Stamp { time_ms, request_id: "" }
}

fn key() -> SigningKey {
    SigningKey::generate("example.com/divelog", [3; 32]).unwrap()
}

/// A log's folder in memory.
#[derive(Default)]
struct Folder(RefCell<BTreeMap<String, Vec<u8>>>);

impl ReadTile for Folder {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.0.borrow().get(path).cloned().ok_or_else(|| "there is no such file".to_owned())
    }
}

/// The head of a game at a revision; `status` is what the log's writer knew of it.
fn leaf_of(played: &Played, revision: usize, status: Status) -> Leaf {
    let record_hash = hash_record(&played.records[revision - 1]);
    Leaf { game: played.game, revision: Revision::new(revision as u64), record_hash, status }
}

/// A small log in which this leaf is the third of five: the proof and the signed checkpoint.
fn log_with(leaf: Leaf, key: &SigningKey) -> (pb::InclusionProof, Bytes) {
    let other = |number| Leaf {
        game: GameId([number; 16]),
        revision: Revision::BEGUN,
        record_hash: [number; 32],
        status: Status::Running,
    };
    let leaves = [other(1), other(2), leaf, other(4), other(5)];
    let (folder, mut tree) = (Folder::default(), Tree::empty());
    let files = tree.append(&leaves, &folder).unwrap();
    folder.0.borrow_mut().extend(files);
    let hashes = Tree::prove_inclusion(5, 2, &folder).unwrap();
    let proof = pb::InclusionProof {
        leaf: Bytes::copy_from_slice(&leaf.encode()),
        leaf_index: 2,
        tree_size: 5,
        hashes: hashes.iter().map(|hash| Bytes::copy_from_slice(hash)).collect(),
    };
    let checkpoint = Checkpoint { origin: key.origin().into(), size: 5, root: tree.root() };
    (proof, checkpoint.sign(key).unwrap().into())
}

/// The bundle of a game whose head at the end is in the log, with or without its secret.
fn bundle_of(played: &Played, with_secret: bool) -> pb::Bundle {
    bundle_at(played, with_secret, played.records.len(), played.position.status())
}

/// The bundle of a game whose head at a revision is in the log.
fn bundle_at(played: &Played, with_secret: bool, revision: usize, status: Status) -> pb::Bundle {
    let key = key();
    let (inclusion, checkpoint) = log_with(leaf_of(played, revision, status), &key);
    let claims = claims(ClaimsOf {
        game_id: played.game,
        secret: &played.secret,
        records: &played.records,
        reveals_secret: with_secret,
        producer: "a test",
        verifier_key: Some(key.verifier_key()),
    });
    pb::Bundle {
        game_id: played.game.to_string(),
        records: played.records.clone(),
        secret: if with_secret { Bytes::copy_from_slice(&played.secret.0) } else { Bytes::new() },
        opened_draws: Vec::new(),
        inclusion: Some(inclusion),
        checkpoint,
        claims: Some(claims.unwrap()),
    }
}

fn verdict_on(bundle: &pb::Bundle) -> Verdict {
    verify(bundle, Some(key().verifier_key()))
}

/// The sentence of one check, which must have ended so.
#[track_caller]
fn sentence(verdict: &Verdict, check: Check, result: Judgement) -> &str {
    let finding = verdict.findings.iter().find(|finding| finding.check == check);
    let finding = finding.unwrap_or_else(|| panic!("{check:?} was not reported: {:#?}", verdict.findings));
    assert_eq!(finding.result, result, "{}", finding.sentence);
    &finding.sentence
}
