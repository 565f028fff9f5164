//! Forks: the source's past, a chain of their own, and luck from the right keys.

use prost::Message;

use super::*;

const FORK: GameId = GameId([8; 16]);
const FORK_SECRET: Secret = Secret([99; SECRET_BYTES]);

fn decoded(record: &Bytes) -> pb::Record {
    pb::Record::decode(record.clone()).unwrap()
}

/// A log's position after some of its records.
fn position_at(game: GameId, secret: &Secret, records: &[Bytes], revision: u64) -> Position {
    let first = Position::open(game, &records[0], secret).unwrap().position;
    records[1..revision as usize].iter().fold(first, |position, record| position.replay(record).unwrap().position)
}

fn fork_point(source: &[Bytes], revision: u64, same_seed: bool) -> ForkPoint {
    position_at(GAME, &SECRET, source, revision).fork_point(same_seed)
}

/// Forks a game and does the source's records up to `to` again in the fork.
fn fork(source: &[Bytes], at: u64, same_seed: bool, to: usize) -> (Vec<Bytes>, Position) {
    fork_at(fork_point(source, at, same_seed), (FORK, &FORK_SECRET), source, to)
}

fn fork_at(
    point: ForkPoint,
    (game_id, secret): (GameId, &Secret),
    source: &[Bytes],
    to: usize,
) -> (Vec<Bytes>, Position) {
    let new = NewGame { game_id, fork: Some(point), ..new_game() };
    let first = Position::create(new, secret, stamp(50_000)).unwrap();
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
    let origin = ForkOrigin {
        game_id: GAME,
        revision: Revision::new(12),
        head_hash: hash_record(&source[11]),
        same_seed: false,
    };
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
    assert_eq!(position.open_draw(Sequence::new(40)), played.open_draw(Sequence::new(40)));
    assert_ne!(position.head_hash(), played.head_hash());
}

#[test]
fn a_fork_at_the_set_up_shares_the_set_up() {
    let (source, _) = play(60);
    let (records, position) = fork(&source, 1, false, 60);
    assert_eq!(decoded(&records[0]).effects_digest, decoded(&source[0]).effects_digest);
    assert_eq!(
        position.open_draw(Sequence::new(0)),
        Keys::derive(&SECRET, GAME, entropy()).chance_key(Sequence::new(0)).into()
    );
    assert_eq!(
        position.open_draw(Sequence::new(1)),
        Keys::derive(&FORK_SECRET, FORK, entropy()).chance_key(Sequence::new(1)).into()
    );
    assert!(verify_fork(&records).is_ok());
}

fn entropy() -> impl ExactSizeIterator<Item = &'static [u8]> {
    [&b"salt"[..], b"", b"pepper"].into_iter()
}

/// Computed apart from this code: the source's seed XOR HMAC-SHA-256(fork's secret, "divelog/fork/v1", the fork's id and
/// the seed's place as four bytes).
#[test]
fn the_sealed_seed_is_pinned() {
    let (source, _) = play(3);
    let (records, _) = fork(&source, 2, false, 2);
    let Some(pb::record::Body::Setup(setup)) = decoded(&records[0]).body else { panic!("record 0 is the set-up") };
    let luck = setup.fork.unwrap().luck;
    assert_eq!(luck.iter().map(|luck| luck.until).collect::<Vec<_>>(), [2]);
    assert_eq!(hex::encode(&luck[0].sealed_seed), "db01768e8d299b6f4f695b220616192c6eea06e739b3ce9b55bc1ee24ca1bd5a");
}

const GRANDCHILD: GameId = GameId([9; 16]);
const GRANDCHILD_SECRET: Secret = Secret([77; SECRET_BYTES]);

/// A fork at 12 with fresh luck, and some way on in it.
fn fresh_fork() -> (Vec<Bytes>, Vec<Bytes>) {
    let (source, _) = play(60);
    let (mut records, mut position) = fork(&source, 12, false, 12);
    while records.len() < 30 {
        let seat = position.to_act().iter().next().unwrap();
        let action = position.game().legal_actions(seat)[0].nth(0);
        let advance = position.act(seat, &action, stamp(50_000)).unwrap();
        records.push(advance.record);
        position = advance.position;
    }
    (source, records)
}

#[test]
fn a_fork_of_a_fork_has_the_luck_of_both() {
    let (source, parent) = fresh_fork();
    for same_seed in [false, true] {
        for at in [5, 12, 20] {
            let point = position_at(FORK, &FORK_SECRET, &parent, at).fork_point(same_seed);
            let (records, position) = fork_at(point, (GRANDCHILD, &GRANDCHILD_SECRET), &parent, at as usize);
            assert_eq!(same_effects(&parent, &records), at as usize);
            verify(GRANDCHILD, &GRANDCHILD_SECRET, &records, Expectation::default()).unwrap();
            assert_eq!(position.header().fork.unwrap().game_id, FORK);
            let commitment = |records: &[Bytes], at: usize| decoded(&records[at]).next_chance_commitment;
            // The first game's luck up to 12, the parent's up to the fork, then the parent's or its own.
            let early = usize::try_from(at.min(12)).unwrap() - 2;
            assert_eq!(commitment(&records, early), commitment(&source, early));
            let last = at as usize - 1;
            assert_eq!(commitment(&records, last) == commitment(&parent, last), same_seed, "{at}");
        }
    }
}

#[test]
fn forks_of_forks_have_an_end() {
    let (source, mut position) = (play(3).0, play(3).1);
    let mut records = source;
    for depth in 0..=MAX_BORROWED_SEEDS {
        let id = GameId([100 + depth as u8; 16]);
        let new = NewGame { game_id: id, fork: Some(position.fork_point(false)), ..new_game() };
        match Position::create(new, &FORK_SECRET, stamp(0)) {
            Ok(first) if depth < MAX_BORROWED_SEEDS => {
                // One step further each time, so that each game gives some luck of its own.
                records.truncate(1);
                (records[0], position) = (first.record, first.position);
                while position.revision().get() < depth as u64 + 4 {
                    let seat = position.to_act().iter().next().unwrap();
                    let action = position.game().legal_actions(seat)[0].nth(0);
                    let advance = position.act(seat, &action, stamp(0)).unwrap();
                    records.push(advance.record);
                    position = advance.position;
                }
                verify(id, &FORK_SECRET, &records, Expectation::default()).unwrap();
            }
            refused => {
                assert_eq!(depth, MAX_BORROWED_SEEDS);
                assert_eq!(refused.unwrap_err().rule, "MALFORMED");
            }
        }
    }
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
        (fault.sequence.get(), fault.kind, fault.field.unwrap())
    };
    let malformed = |field| (0, FaultKind::Malformed, field);
    assert_eq!(fault(|fork| fork.game_id.clear()), malformed("setup.fork.game_id"));
    assert_eq!(fault(|fork| fork.head_hash.truncate(31)), malformed("setup.fork.head_hash"));
    assert_eq!(fault(|fork| fork.luck[0].sealed_seed.truncate(31)), malformed("setup.fork.luck"));
    assert_eq!(fault(|fork| fork.luck.clear()), malformed("setup.fork.luck"));
    assert_eq!(fault(|fork| fork.luck[0].until = 5), malformed("setup.fork.luck"));
    assert_eq!(fault(|fork| fork.luck.push(fork.luck[0].clone())), malformed("setup.fork.luck"));
    assert_eq!(fault(|fork| fork.revision = 5), malformed("setup.fork.luck"));
    assert_eq!(fault(|fork| fork.same_seed = true), malformed("setup.fork.luck"));
    assert_eq!(fault(|fork| fork.revision = 0), malformed("setup.fork.revision"));
    // Another seed gives other luck than the one that was committed to.
    let luck = (0, FaultKind::HashDiffers, "setup.chance_commitment");
    assert_eq!(fault(|fork| fork.luck[0].sealed_seed = Bytes::from_static(&[1; 32])), luck);
    // Another revision shows where the luck changes hands.
    let other_end = |fork: &mut pb::Fork| (fork.revision, fork.luck[0].until) = (5, 5);
    assert_eq!(fault(other_end), (4, FaultKind::HashDiffers, "next_chance_commitment"));
}

#[test]
fn a_fork_is_not_its_source() {
    let (source, _) = play(9);
    let (records, _) = fork(&source, 6, false, 6);
    assert!(verify(GAME, &SECRET, &records, Expectation::default()).is_err());
    assert!(verify(FORK, &SECRET, &records, Expectation::default()).is_err());
    assert!(verify(FORK, &FORK_SECRET, &source, Expectation::default()).is_err());
}
