//! Games and results in words.

use divelog_proto::v1::{GameKind, Standing};

use super::*;
use crate::output::Screen;

const WIDE: Screen = Screen::plain(usize::MAX);

#[test]
fn standings_are_listed_best_first() {
    let outcome = Outcome {
        standings: vec![Standing { seat: 0, points: 12, rank: 2 }, Standing { seat: 1, points: 30, rank: 1 }],
        winners: vec![1],
    };
    assert_eq!(standings(&outcome, &Seating::new(["Ana", ""])), "1. seat 1: 30, 2. Ana (seat 0): 12");
}

#[test]
fn a_game_is_listed_without_what_it_lacks() {
    let game = Game {
        game_id: "g".into(),
        kind: 1,
        rules_version: 1,
        players: vec!["Ana\u{7}".into(), String::new()],
        status: GameStatus::Running.into(),
        revision: 1,
        to_act: vec![0],
        head_hash: vec![0xab].into(),
        ..Default::default()
    };
    let expected = "\
game        g
kind        deep_sea_adventure (rules version 1)
players     Ana\\u0007 (seat 0), seat 1
status      running
to act      Ana\\u0007 (seat 0)
revision    1
labels      -
created     -
head hash   ab";
    assert_eq!(game_pairs(&game, WIDE, false), expected);
}

#[test]
fn a_fork_and_its_options_are_listed() {
    let option = ["variant=sudden_death".to_owned()];
    let game = Game {
        game_id: "f".into(),
        kind: GameKind::CaptainCarcass.into(),
        rules_version: 1,
        options: Some(options::options(GameKind::CaptainCarcass, Default::default(), &option).unwrap()),
        fork_of: Some(ForkOrigin { game_id: "g".into(), revision: 37, same_seed: true, ..Default::default() }),
        ..Default::default()
    };
    let lines = game_pairs(&game, WIDE, false);
    for line in ["fork        FORK of g at 37, with the same luck as the source", "options     variant=sudden_death"] {
        assert!(lines.lines().any(|listed| listed == line), "{line}: {lines}");
    }
}

#[test]
fn an_abandonment_has_a_sentence() {
    assert_eq!(sentences(&[], GameStatus::Abandoned, &Seating::default(), Lang::En), ["The game is abandoned."]);
    assert!(sentences(&[], GameStatus::Running, &Seating::default(), Lang::En).is_empty());
}
