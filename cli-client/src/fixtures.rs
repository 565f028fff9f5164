//! Real games, logs, bundles and transparency logs for tests.

use std::collections::BTreeMap;

use bytes::Bytes;
use divelog_engine::{AnyAction, AnyGame, Seat, SeededChance};
use divelog_ledger::{
    GameId, Hash, NewGame, Position, Revision, SECRET_BYTES, Secret, Stamp, Status, bundle, convert, hash_record,
    tlog::{Checkpoint, Leaf, ReadTile, SigningKey, Tree},
};
use divelog_proto::v1::{Bundle, GameKind, InclusionProof, LogHeader, Player, StoredRecord};

use crate::log_file::Log;

/// A game, and everything there is to know about it.
pub struct PlayedGame {
    pub game_id: GameId,
    pub secret: Secret,
    pub records: Vec<Bytes>,
    pub position: Position,
}

/// A game of Deep Sea Adventure for two, each action the first of the legal ones.
pub fn game(number: u8, actions: usize) -> PlayedGame {
    played(GameKind::DeepSeaAdventure, &[], number, 2, actions, |game| {
        let seat = game.to_act().iter().next()?;
        Some((seat, game.legal_actions(seat)[0].nth(0)))
    })
}

/// A whole game by rules version 1, of as many players as there can be, who have no plan; with options as they are typed.
pub fn aimless_game(kind: GameKind, options: &[&str], number: u8) -> PlayedGame {
    let mut choices = SeededChance::new([number; 32]);
    let seats = *convert::kind_from_proto(kind.into()).unwrap().seats().end();
    played(kind, options, number, seats, usize::MAX, |game| game.any_choice(&mut choices))
}

/// A game by rules version 1.
fn played(
    kind: GameKind,
    options: &[&str],
    number: u8,
    seats: u8,
    actions: usize,
    mut choose: impl FnMut(&AnyGame) -> Option<(Seat, AnyAction)>,
) -> PlayedGame {
    let game_id = GameId([number; 16]);
    let secret = Secret([number ^ 0x55; SECRET_BYTES]);
    let options: Vec<String> = options.iter().map(|option| option.to_string()).collect();
    let options = crate::options::options(kind, Default::default(), &options).unwrap();
    let new = NewGame {
        game_id,
        rules_version: 1,
        options: convert::options_from_proto(Some(&options)).unwrap(),
        players: (1..=seats).map(|seat| Player { name: String::new(), entropy: vec![seat; 4].into() }).collect(),
        labels: Default::default(),
        fork: None,
        request: None,
    };
    let stamp = Stamp { time_ms: 1_000, request_id: "" };
    let mut advance = Position::create(new, &secret, stamp).unwrap();
    let mut records = vec![advance.record.clone()];
    for _ in 0..actions {
        let Some((seat, action)) = choose(advance.position.game()) else { break };
        advance = advance.position.act(seat, &action, stamp).unwrap();
        records.push(advance.record.clone());
    }
    PlayedGame { game_id, secret, records, position: advance.position }
}

impl PlayedGame {
    pub fn log(&self) -> Log {
        let stored =
            |record: &Bytes| StoredRecord { hash: hash_record(record).to_vec().into(), record: record.clone() };
        Log {
            header: LogHeader {
                game_id: self.game_id.to_string(),
                revision: self.position.revision().get(),
                head_hash: self.position.head_hash().to_vec().into(),
                secret: self.secret.0.to_vec().into(),
            },
            records: self.records.iter().map(stored).collect(),
        }
    }

    /// With the secret, without a place in a transparency log.
    pub fn bundle(&self) -> Bundle {
        let of = bundle::ClaimsOf {
            game_id: self.game_id,
            secret: &self.secret,
            records: &self.records,
            reveals_secret: true,
            producer: "test",
            verifier_key: None,
        };
        Bundle {
            game_id: self.game_id.to_string(),
            records: self.records.clone(),
            secret: self.secret.0.to_vec().into(),
            claims: Some(bundle::claims(of).unwrap()),
            ..Default::default()
        }
    }
}

/// A transparency log in memory.
#[derive(Clone)]
pub struct MerkleLog {
    pub key: std::rc::Rc<SigningKey>,
    leaves: Vec<Leaf>,
    files: BTreeMap<String, Vec<u8>>,
    tree: std::rc::Rc<Tree>,
}

struct Files<'a>(&'a BTreeMap<String, Vec<u8>>);

impl ReadTile for Files<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.0.get(path).cloned().ok_or_else(|| "no such tile".into())
    }
}

impl MerkleLog {
    /// A log with these leaves, signed with the key of a seed.
    pub fn new(seed: u8, leaves: Vec<Leaf>) -> Self {
        let key = SigningKey::generate("log.example", [seed; 32]).unwrap();
        let mut tree = Tree::empty();
        let files = tree.append(&leaves, &Files(&BTreeMap::new())).unwrap().into_iter().collect();
        Self { key: key.into(), leaves, files, tree: tree.into() }
    }

    pub fn size(&self) -> u64 {
        self.tree.size()
    }

    pub fn verifier_key(&self) -> String {
        self.key.verifier_key().to_string()
    }

    /// The signed note of the whole log.
    pub fn note(&self) -> Bytes {
        let checkpoint =
            Checkpoint { origin: self.key.origin().to_owned(), size: self.tree.size(), root: self.tree.root() };
        checkpoint.sign(&self.key).unwrap().into()
    }

    /// The proof that an earlier log is the beginning of this one.
    pub fn consistency(&self, old: u64) -> Vec<Bytes> {
        let hashes = Tree::prove_consistency(old, self.size(), &Files(&self.files)).unwrap();
        hashes.iter().map(|hash| Bytes::copy_from_slice(hash)).collect()
    }

    /// The proof that a leaf is in this log.
    pub fn inclusion(&self, index: usize) -> InclusionProof {
        let hashes = Tree::prove_inclusion(self.size(), index as u64, &Files(&self.files)).unwrap();
        InclusionProof {
            leaf: self.leaves[index].encode().to_vec().into(),
            leaf_index: index as u64,
            tree_size: self.size(),
            hashes: hashes.iter().map(|hash| Bytes::copy_from_slice(hash)).collect(),
        }
    }
}

/// A leaf of some game.
pub fn leaf(number: u8, revision: u64, record_hash: Hash) -> Leaf {
    Leaf { game: GameId([number; 16]), revision: Revision::new(revision), record_hash, status: Status::Running }
}

/// Leaves of so many games.
pub fn leaves(count: u8) -> Vec<Leaf> {
    (0..count).map(|number| leaf(number, 1, [number; 32])).collect()
}
