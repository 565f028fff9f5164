//! Tables and verdicts of `divelog log`.

use clap::Parser as _;
use divelog_proto::v1::{
    Abandonment, Fork, GameKind, Move, Outcome, Player, Setup, Standing, VerifyFailure, VerifyGameResponse,
    verify_failure::Fault,
};

use super::{verify::verdict, *};
use crate::{args::Cli, output::Screen};

const WIDE: Screen = Screen::plain(usize::MAX);

fn stored(sequence: u64, request_id: &str, body: Body) -> StoredRecord {
    let record = Record {
        sequence,
        time_ms: 1_000 * sequence,
        request_id: request_id.into(),
        body: Some(body),
        ..Default::default()
    };
    StoredRecord {
        record: record.encode_to_vec().into(),
        hash: vec![0xa0 + u8::try_from(sequence).unwrap(); 32].into(),
    }
}

#[test]
fn records_in_words() {
    let player = |name: &str| Player { name: name.into(), ..Default::default() };
    let action = divelog_text::parse_action(GameKind::DeepSeaAdventure, 1, &["dive".into()]).unwrap();
    let setup = Setup { kind: 1, rules_version: 1, players: vec![player("Ana"), player("")], ..Default::default() };
    let log = [
        stored(0, "", Body::Setup(setup)),
        stored(1, "r-1", Body::Move(Move { seat: 0, action: Some(action) })),
        stored(2, "", Body::Abandonment(Abandonment { reason: "late\u{1b}".into() })),
        StoredRecord { record: vec![0xff].into(), hash: vec![].into() },
    ];
    let rows = log.iter().map(|stored| (stored.record.as_ref(), stored.hash.as_ref()));
    let expected = "\
seq  time                  seat  action                                                            hash          request id
0    1970-01-01T00:00:00Z  -     create deep_sea_adventure, rules version 1: Ana (seat 0), seat 1  a0a0a0a0a0a0  -
1    1970-01-01T00:00:01Z  0     dive                                                              a1a1a1a1a1a1  r-1
2    1970-01-01T00:00:02Z  -     abandon: late\\u001b                                               a2a2a2a2a2a2  -
3    -                     -     (not a record)                                                    -             -";
    let table = records(rows);
    assert_eq!(table.render(WIDE), expected);
    let at_80 = "\
seq  time                  seat  action                             hash
0    1970-01-01T00:00:00Z  -     create deep_sea_adventure, rules   a0a0a0a0a0a0
                                 version 1: Ana (seat 0), seat 1
1    1970-01-01T00:00:01Z  0     dive                               a1a1a1a1a1a1
2    1970-01-01T00:00:02Z  -     abandon: late\\u001b                a2a2a2a2a2a2
3    -                     -     (not a record)                     -";
    assert_eq!(table.render(Screen::plain(80)), at_80);
}

#[test]
fn verdicts() {
    let outcome = Outcome { standings: vec![Standing { seat: 0, points: 5, rank: 1 }], winners: vec![0] };
    let good = VerifyGameResponse {
        verified: true,
        records_verified: 12,
        head_hash: vec![0xab; 2].into(),
        outcome: Some(outcome),
        failure: None,
    };
    assert_eq!(
        verdict("g", &good, &Seating::default(), "here".into(), WIDE),
        "\
VERIFIED
game          g
checks        here
good records  12
head hash     abab
outcome       1. seat 0: 5"
    );
    let failure =
        VerifyFailure { sequence: 3, fault: Fault::HashDiffers.into(), message: "m".into(), ..Default::default() };
    let bad = VerifyGameResponse { records_verified: 3, failure: Some(failure), ..Default::default() };
    assert!(verdict("g", &bad, &Seating::default(), "here".into(), WIDE).starts_with("NOT VERIFIED\n"));
}

#[test]
fn verify_takes_a_game_or_a_file() {
    let parse = |line: &str| Cli::try_parse_from(line.split(' '));
    assert!(parse("divelog log verify g").is_ok());
    assert!(parse("divelog log verify g --on-server").is_ok());
    assert!(parse("divelog log verify --file f").is_ok());
    assert!(parse("divelog log verify").is_err());
    assert!(parse("divelog log verify g --file f").is_err());
    assert!(parse("divelog log verify --file f --on-server").is_err());
    assert!(parse("divelog log verify --all --kind key_largo --status finished --label a=1").is_ok());
    assert!(parse("divelog log verify --all g").is_err());
    assert!(parse("divelog log verify --all --on-server").is_err());
}

#[test]
fn a_forks_records_say_so() {
    let fork = Fork { game_id: vec![7; 16].into(), revision: 37, ..Default::default() };
    let setup = Setup { players: vec![Player::default()], fork: Some(fork), ..Default::default() };
    let record = stored(0, "", Body::Setup(setup));
    let mark = "FORK of 07070707-0707-0707-0707-070707070707 at 37";
    assert_eq!(seating_of(std::slice::from_ref(&record)).fork(), Some(mark));
    let rows = std::iter::once((record.record.as_ref(), record.hash.as_ref()));
    assert!(records(rows).render(WIDE).contains("FORK at 37"));
    assert_eq!(seating_of(&[]).fork(), None);
}
