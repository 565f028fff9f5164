//! Golden bundles: one whole game of every kind in every rules version, verified and replayed on every build.
//!
//! Everything in them is fixed: secret, ids, times, the player's choices, the log around them and its key. A released rules
//! version's bundle never changes: every build makes them all again, but `regenerate` writes only those of the newest version
//! of each kind.

use std::{cell::RefCell, collections::BTreeMap, env, fs, path::PathBuf};

use bytes::Bytes;
use divelog_engine::{Kind, SeededChance};
use divelog_ledger::bundle::{self, Check, ClaimsOf, Judgement};
use divelog_ledger::tlog::{Checkpoint, Leaf, ReadTile, SigningKey, Tree, VerifierKey};
use divelog_ledger::{
    ForkPoint, GameId, NewGame, Position, Revision, Secret, Sequence, Stamp, Status, convert, hash_record, impact,
};
use divelog_proto::v1 as pb;

use crate::{CHANGE, REGENERATE, wire};

/// The key of the log that the golden bundles are in. Its secret half is [7; 32]: it vouches for nothing.
const KEY: &str = include_str!("../../golden/bundles/key.pub");
/// 2026-01-01T00:00:00Z.
const BEGINNING_MS: u64 = 1_767_225_600_000;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/bundles")
}

fn path(kind: Kind, rules_version: u16) -> PathBuf {
    folder().join(format!("{}-rules-{rules_version}.bundle", kind.code_name()))
}

fn bundles() -> Vec<(PathBuf, pb::Bundle)> {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "bundle")).collect();
    files.sort();
    let read = |path: PathBuf| {
        let bundle = bundle::from_file(&fs::read(&path).unwrap());
        let bundle = bundle.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path, bundle)
    };
    files.into_iter().map(read).collect()
}

#[test]
fn every_bundle_verifies_and_replays() {
    let key: VerifierKey = KEY.parse().unwrap();
    for (path, bundle) in bundles() {
        let name = path.display();
        let verdict = bundle::verify(&bundle, Some(&key));
        for finding in &verdict.findings {
            assert_eq!(finding.result, Judgement::Proved, "{name}: {}\n{CHANGE}", finding.sentence);
        }
        assert_eq!(verdict.findings.len(), 10, "{name}: not everything was checked");
        assert_eq!(verdict.status, Some(Status::Finished), "{name}");
        let secret = Secret(bundle.secret[..].try_into().unwrap());
        let claims = bundle.claims.as_ref().unwrap();
        assert!(claims.outcome.is_some(), "{name}");
        let impact = impact::compare(
            bundle.game_id.parse().unwrap(),
            &secret,
            &bundle.records,
            claims,
            impact::ReplayedBy::OwnRules,
        );
        assert!(impact.is_none(), "{name}: {impact:?}\n{CHANGE}");
    }
}

#[test]
fn every_game_and_rules_version_has_a_bundle() {
    let mut wanted: Vec<(i32, u32)> = Vec::new();
    for kind in Kind::ALL {
        for version in 1..=kind.rules_version() {
            assert!(path(*kind, version).exists(), "{} is missing", path(*kind, version).display());
            wanted.push((convert::kind_to_proto(*kind).into(), version.into()));
        }
    }
    let found = bundles().into_iter().map(|(_, bundle)| bundle.claims.unwrap());
    let mut found: Vec<(i32, u32)> = found.map(|claims| (claims.kind, claims.rules_version)).collect();
    found.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(found, wanted, "each bundle holds what its name says");
}

/// What is written today is what was written when the version was released, to the last byte.
#[test]
fn every_bundle_is_made_the_same_again() {
    for kind in Kind::ALL {
        for version in 1..=kind.rules_version() {
            check_or_write(path(*kind, version), *kind, version, &whole_game(*kind, version));
        }
    }
    for (name, bundle) in [("fork", fork()), ("running", running())] {
        let path = folder().join("others").join(format!("{name}.bundle"));
        check_or_write(path, Kind::DeepSeaAdventure, OTHERS_VERSION, &bundle);
    }
}

/// Writes a bundle of a kind's newest version where that is asked for, and checks every other.
fn check_or_write(path: PathBuf, kind: Kind, version: u16, bundle: &pb::Bundle) {
    let file = bundle::to_file(bundle);
    if env::var_os(REGENERATE).is_some() && version == kind.rules_version() {
        return fs::write(&path, file).unwrap();
    }
    let kept = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(kept == file, "{}: records are written otherwise now.\n{CHANGE}", path.display());
}

/// What a fork's bundle and a running game's do not prove, and nothing else is left open.
#[test]
fn forks_and_running_games_say_what_they_do_not_prove() {
    let open = |name: &str| {
        let file = fs::read(folder().join("others").join(name)).unwrap();
        let verdict = bundle::verify(&bundle::from_file(&file).unwrap(), Some(&KEY.parse().unwrap()));
        assert!(verdict.ok(), "{name}: {:#?}", verdict.findings);
        let open = verdict.findings.into_iter().filter(|finding| finding.result == Judgement::NotProved);
        open.map(|finding| finding.check).collect::<Vec<_>>()
    };
    assert_eq!(open("fork.bundle"), [Check::Fork]);
    let closed = [Check::Commitment, Check::Entropy, Check::Replay, Check::Outcome, Check::Coverage];
    assert_eq!(open("running.bundle"), closed);
}

/// A game as it was played, and the leaves that it led to.
struct Played {
    game_id: GameId,
    secret: Secret,
    position: Position,
    records: Vec<Bytes>,
    leaves: Vec<Leaf>,
}

/// A whole game of a kind by a player without a plan.
fn whole_game(kind: Kind, version: u16) -> pb::Bundle {
    bundle_of(&play(kind, version, None, u64::MAX), true)
}

/// The rules version of the fork and of the running game, which show nothing that another version would change.
const OTHERS_VERSION: u16 = 1;

/// A fork of the golden game at revision 20, some way on.
fn fork() -> pb::Bundle {
    let source = play(Kind::DeepSeaAdventure, OTHERS_VERSION, None, 20);
    let point = source.position.fork_point(false);
    bundle_of(&play(Kind::DeepSeaAdventure, OTHERS_VERSION, Some(point), 64), true)
}

/// The golden game before its end: its secret is closed, and two draws are opened.
fn running() -> pb::Bundle {
    let played = play(Kind::DeepSeaAdventure, OTHERS_VERSION, None, 70);
    let mut bundle = bundle_of(&played, false);
    for sequence in [0, 12] {
        let chance_key = Bytes::copy_from_slice(&played.position.open_draw(Sequence::new(sequence)).unwrap());
        bundle.opened_draws.push(pb::OpenedDraw { sequence, chance_key });
    }
    bundle
}

fn bundle_of(played: &Played, with_secret: bool) -> pb::Bundle {
    let key = SigningKey::generate("example.com/golden", [7; 32]).unwrap();
    let (inclusion, checkpoint) = log_of(&played.leaves, &key);
    let claims = bundle::claims(ClaimsOf {
        game_id: played.game_id,
        secret: &played.secret,
        records: &played.records,
        reveals_secret: with_secret,
        producer: "golden",
        verifier_key: Some(key.verifier_key()),
    });
    pb::Bundle {
        game_id: played.game_id.to_string(),
        records: played.records.clone(),
        secret: if with_secret { Bytes::copy_from_slice(&played.secret.0) } else { Bytes::new() },
        opened_draws: Vec::new(),
        inclusion: Some(inclusion),
        checkpoint,
        claims: Some(claims.unwrap()),
    }
}

/// Plays up to a revision or to the end. A fork's player makes the choices that the source's made.
fn play(kind: Kind, version: u16, fork: Option<ForkPoint>, until: u64) -> Played {
    let number = convert::kind_to_proto(kind) as u8 + if fork.is_some() { 0x80 } else { 0 };
    // Games of different versions are different games.
    let number = number + 0x10 * u8::try_from(version - 1).unwrap();
    let (game_id, secret) = (GameId([0x10 + number; 16]), Secret([0x20 + number; 32]));
    let seats = kind.seats().nth(1).expect("every kind has at least two numbers of seats");
    let player = |seat: u8| pb::Player { name: format!("p{seat}"), entropy: vec![seat; usize::from(seat)].into() };
    let new = NewGame {
        game_id,
        rules_version: version,
        options: wire::options(kind, "{}").unwrap(),
        players: (0..seats).map(player).collect(),
        labels: BTreeMap::from([("golden".to_owned(), kind.code_name().to_owned())]),
        fork,
        request: None,
    };
    let stamp = Stamp { time_ms: BEGINNING_MS, request_id: "golden-0" };
    let mut advance = Position::create(new, &secret, stamp).unwrap();
    let (mut records, mut leaves) = (Vec::new(), Vec::new());
    loop {
        let position = advance.position;
        records.push(advance.record);
        let (revision, status) = (position.revision().get(), position.status());
        if Leaf::is_due(position.revision(), status) {
            leaves.push(Leaf {
                game: game_id,
                revision: position.revision(),
                record_hash: position.head_hash(),
                status,
            });
        }
        let mut choices = [0; 32];
        choices[..8].copy_from_slice(&revision.to_be_bytes());
        let choice = position.game().any_choice(&mut SeededChance::new(choices));
        let Some((seat, action)) = choice.filter(|_| revision < until) else {
            return Played { game_id, secret, position, records, leaves };
        };
        let request_id = format!("golden-{revision}");
        let stamp = Stamp { time_ms: BEGINNING_MS + revision * 1000, request_id: &request_id };
        advance = position.act(seat, &action, stamp).unwrap();
    }
}

/// The proof of the last of a game's leaves, in a log where another game's leaf stands between each two of them.
fn log_of(leaves: &[Leaf], key: &SigningKey) -> (pb::InclusionProof, Bytes) {
    let other = |number: u8| Leaf {
        game: GameId([0xf0; 16]),
        revision: Revision::new(64 * u64::from(number) + 64),
        record_hash: hash_record(&[number]),
        status: Status::Running,
    };
    let log: Vec<Leaf> =
        leaves.iter().zip(0..).flat_map(|(leaf, number)| [other(number), *leaf]).chain([other(99)]).collect();
    let (folder, mut tree) = (Folder::default(), Tree::empty());
    let files = tree.append(&log, &folder).unwrap();
    folder.0.borrow_mut().extend(files);
    let (size, index) = (tree.size(), tree.size() - 2);
    let hashes = Tree::prove_inclusion(size, index, &folder).unwrap();
    let proof = pb::InclusionProof {
        leaf: Bytes::copy_from_slice(&Tree::leaf(index, size, &folder).unwrap().encode()),
        leaf_index: index,
        tree_size: size,
        hashes: hashes.iter().map(|hash| Bytes::copy_from_slice(hash)).collect(),
    };
    let checkpoint = Checkpoint { origin: key.origin().into(), size, root: tree.root() };
    (proof, checkpoint.sign(key).unwrap().into())
}

/// A log's folder in memory.
#[derive(Default)]
struct Folder(RefCell<BTreeMap<String, Vec<u8>>>);

impl ReadTile for Folder {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.0.borrow().get(path).cloned().ok_or_else(|| "there is no such file".to_owned())
    }
}
