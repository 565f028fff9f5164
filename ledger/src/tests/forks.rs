//! Forks: the source's past, a chain of their own, and luck from the right keys.

use prost::Message;

use super::*;

const FORK: GameId = GameId([8; 16]);
const FORK_SECRET: Secret = Secret([99; SECRET_BYTES]);

fn decoded(record: &Bytes) -> pb::Record {
    pb::Record::decode(record.clone()).unwrap()
}

fn fork_point(source: &[Bytes], revision: u64, same_seed: bool) -> ForkPoint {
    let head_hash = hash_record(&source[revision as usize - 1]);
    ForkPoint { game_id: GAME, revision, head_hash, same_seed, secret: SECRET }
}

/// Forks a game and does the source's records up to `to` again in the fork.
fn fork(source: &[Bytes], at: u64, same_seed: bool, to: usize) -> (Vec<Bytes>, Position) {
    let new = NewGame { game_id: FORK, fork: Some(fork_point(source, at, same_seed)), ..new_game() };
    let first = Position::create(new, &FORK_SECRET, stamp(50_000)).unwrap();
    let (mut records, mut position) = (vec![first.record], first.position);
    for record in &source[1..to] {
        let Some(pb::record::Body::Move(step)) = decoded(record).body else { panic!("the source only has moves") };
        let action = convert::action_from_proto(position.kind(), step.action.as_ref()).unwrap();
        // With fresh luck the source's actions may soon be against the rules.
        let Ok(advance) = position.act(Seat(step.seat as u8), &action, stamp(50_000)) else { break };
        records.push(advance.record);
        position = advance.position;
    }
    (records, position)
}

/// How many records from the first on had the same effects in both logs.
fn same_effects(one: &[Bytes], other: &[Bytes]) -> usize {
    let effects = |record: &Bytes| decoded(record).effects_digest;
    one.iter().zip(other).take_while(|(one, other)| effects(one) == effects(other)).count()
}

fn verify_fork(records: &[Bytes]) -> Result<Verified, LogFault> {
    verify(FORK, &FORK_SECRET, records, Expectation::default())
}

#[test]
fn a_fork_has_the_sources_past_and_its_own_future() {
    let (source, _) = play(60);
    let (records, position) = fork(&source, 12, false, 60);
    let shared = same_effects(&source, &records);
    assert!((12..60).contains(&shared), "{shared} records are the same");
    let (chance, nonce) = (|at: usize| decoded(&records[at]), |at: usize| decoded(&records[at]).nonce);
    // The record before the fork commits to the fork's own luck; the one before that to the source's.
    assert_eq!(chance(10).next_chance_commitment, decoded(&source[10]).next_chance_commitment);
    assert_ne!(chance(11).next_chance_commitment, decoded(&source[11]).next_chance_commitment);
    assert!((0..12).all(|at| nonce(at) != decoded(&source[at]).nonce), "nonces are the fork's own");
    let verified = verify_fork(&records).unwrap();
    assert_eq!(verified.head_hash, position.head_hash());
    let origin = ForkOrigin { game_id: GAME, revision: 12, head_hash: hash_record(&source[11]), same_seed: false };
    assert_eq!(position.header().fork, Some(origin));
    assert_eq!(Position::open(FORK, &records[0], &FORK_SECRET).unwrap().position.header().fork, Some(origin));
    assert_eq!(ForkOrigin::of_record(&records[0]).unwrap(), Some(origin));
    assert_eq!(ForkOrigin::of_record(&source[0]).unwrap(), None);
}

#[test]
fn a_fork_with_the_same_seed_goes_on_like_its_source() {
    let (source, played) = play(usize::MAX);
    let (records, position) = fork(&source, 12, true, source.len());
    assert_eq!(same_effects(&source, &records), source.len());
    assert_eq!(position.outcome(), played.outcome());
    assert!(verify_fork(&records).is_ok());
    assert_eq!(position.open_draw(40), played.open_draw(40));
    assert_ne!(position.head_hash(), played.head_hash());
}

#[test]
fn a_fork_at_the_set_up_shares_the_set_up() {
    let (source, _) = play(60);
    let (records, position) = fork(&source, 1, false, 60);
    assert_eq!(decoded(&records[0]).effects_digest, decoded(&source[0]).effects_digest);
    assert_eq!(position.open_draw(0), Keys::derive(&SECRET, GAME, entropy()).chance_key(0).into());
    assert_eq!(position.open_draw(1), Keys::derive(&FORK_SECRET, FORK, entropy()).chance_key(1).into());
    assert!(verify_fork(&records).is_ok());
}

fn entropy() -> impl ExactSizeIterator<Item = &'static [u8]> {
    [&b"salt"[..], b"", b"pepper"].into_iter()
}

/// Computed apart from this code: source secret XOR HMAC-SHA-256(fork's secret, "divelog/fork/v1" and the fork's id).
#[test]
fn the_sealed_secret_is_pinned() {
    let (source, _) = play(3);
    let (records, _) = fork(&source, 2, false, 2);
    let Some(pb::record::Body::Setup(setup)) = decoded(&records[0]).body else { panic!("record 0 is the set-up") };
    let sealed = setup.fork.unwrap().sealed_secret;
    let hex: String = sealed.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, "835683c16bcbee56d149b3250accd991b1315bbcdb9ac6b6be5ece34f8bd3398");
}

#[test]
fn a_fork_begins_at_a_revision() {
    let (source, _) = play(3);
    let point = ForkPoint { revision: 0, ..fork_point(&source, 1, false) };
    let new = NewGame { game_id: FORK, fork: Some(point), ..new_game() };
    assert_eq!(Position::create(new, &FORK_SECRET, stamp(0)).unwrap_err().rule, "MALFORMED");
}

#[test]
fn a_changed_fork_block_is_found() {
    let (source, _) = play(9);
    let (records, _) = fork(&source, 6, false, 6);
    let fault = |change: fn(&mut pb::Fork)| {
        let forged = forge(&records, 0, |record| match &mut record.body {
            Some(pb::record::Body::Setup(setup)) => change(setup.fork.as_mut().unwrap()),
            other => panic!("record 0 is the set-up, not {other:?}"),
        });
        let fault = verify_fork(&forged).unwrap_err();
        (fault.sequence, fault.kind, fault.field.unwrap())
    };
    let malformed = |field| (0, FaultKind::Malformed, field);
    assert_eq!(fault(|fork| fork.game_id.clear()), malformed("setup.fork.game_id"));
    assert_eq!(fault(|fork| fork.head_hash.truncate(31)), malformed("setup.fork.head_hash"));
    assert_eq!(fault(|fork| fork.sealed_secret.truncate(31)), malformed("setup.fork.sealed_secret"));
    assert_eq!(fault(|fork| fork.revision = 0), malformed("setup.fork.revision"));
    // Another source secret or source gives other luck than the one that was committed to.
    let luck = (0, FaultKind::HashDiffers, "setup.chance_commitment");
    assert_eq!(fault(|fork| fork.sealed_secret = Bytes::from_static(&[1; 32])), luck);
    assert_eq!(fault(|fork| fork.game_id = Bytes::from_static(&[1; 16])), luck);
    // Another revision shows where the luck changes hands.
    let later = (4, FaultKind::HashDiffers, "next_chance_commitment");
    assert_eq!(fault(|fork| fork.revision = 5), later);
    assert_eq!(fault(|fork| fork.same_seed = true), (5, FaultKind::HashDiffers, "next_chance_commitment"));
}

#[test]
fn a_fork_is_not_its_source() {
    let (source, _) = play(9);
    let (records, _) = fork(&source, 6, false, 6);
    assert!(verify(GAME, &SECRET, &records, Expectation::default()).is_err());
    assert!(verify(FORK, &SECRET, &records, Expectation::default()).is_err());
    assert!(verify(FORK, &FORK_SECRET, &source, Expectation::default()).is_err());
}
