//! The worked examples of the rule book.

use super::super::{Action, Dice, Event, Phase, RoundEnd};
use super::table::{DOWN, TURN_BACK, Table, dive_to, play, round_end, values};
use crate::{Game, Seat, SeatSet};

#[test]
fn dsa_example_1_load_2_air_5_roll_1_and_2() {
    let state = Table::of(2).turn(1).at(1, 20).search().at(0, 10).load(0, &[&[0], &[1]]).air(5).ready();
    let state = play(&state, Action::Leave, &[]).next;
    assert_eq!((state.turn, state.air), (Seat(0), 3));
    assert_eq!(dive_to(&state, [1, 2]), 11);
}

#[test]
fn dsa_example_2_load_4_roll_1_and_1() {
    let state = Table::of(2).at(0, 10).load(0, &[&[0], &[0], &[1], &[1]]).ready();
    let step = play(&state, DOWN, &[1, 1]);
    assert_eq!(step.events, [Event::Moved { seat: Seat(0), dice: Dice([1, 1]), steps: 0, from: 10, to: 10 }]);
    assert_eq!((step.next.phase, step.next.turn), (Phase::Search, Seat(0)));
}

#[test]
fn dsa_example_3_jumping_over_two() {
    let state = Table::of(3).at(0, 3).at(1, 4).at(2, 1).turn(2).ready();
    assert_eq!(dive_to(&state, [1, 1]), 5);
}

#[test]
fn dsa_example_4_back_with_steps_left_over() {
    let state = Table::of(2).at(0, 2).load(0, &[&[9]]).at(1, 8).ready();
    let step = play(&state, TURN_BACK, &[3, 3]);
    assert!(step.next.explorer(Seat(0)).back);
    assert_eq!((step.next.turn, step.next.phase), (Seat(1), Phase::Dive), "nothing to search");
}

#[test]
fn dsa_example_5_the_air_runs_out_under_a_turn() {
    let state = Table::of(2)
        .turn(1)
        .at(1, 20)
        .search()
        .at(0, 10)
        .load(0, &[&[0], &[1], &[2]])
        .blank(1)
        .blank(3)
        .blank(5)
        .air(2)
        .ready();
    let state = play(&state, Action::Leave, &[]).next;
    assert_eq!((state.turn, state.air), (Seat(0), -1));
    let step = play(&state, DOWN, &[3, 2]);
    assert_eq!((step.next.phase, round_end(&step.events)), (Phase::Search, None));
    assert_eq!(round_end(&play(&step.next, Action::PickUp, &[]).events), Some(RoundEnd::NoAir));
}

#[test]
fn dsa_example_6_piles_behind_a_path_with_blanks() {
    // X is seat 1 with a to d = 4 to 7, Y is seat 0 with e = 8.
    let state = Table::of(2)
        .at(1, 20)
        .load(1, &[&[4], &[5], &[6], &[7]])
        .at(0, 7)
        .load(0, &[&[8]])
        .blank(9)
        .blank(10)
        .blank(11)
        .blank(12)
        .blank(32)
        .air(0)
        .search()
        .ready();
    let step = play(&state, Action::Leave, &[]);
    let spaces = values(&step.next.path);
    assert_eq!(spaces.len(), 27 + 2, "the five blanks are gone");
    assert_eq!(spaces[27..], [&[4, 5, 6][..], &[7, 8]]);
    assert!(spaces.iter().all(|space| !space.is_empty()));
}

#[test]
fn dsa_example_7_30_each_and_more_chips_of_level_4() {
    let state = Table::of(2).round(3).over().scored(0, &[15, 8, 7]).scored(1, &[15, 12, 3]).ready();
    let outcome = state.outcome().unwrap();
    assert_eq!([outcome.standings[0].points, outcome.standings[1].points], [30, 30]);
    assert_eq!(outcome.winners, SeatSet::only(Seat(1)));
    assert_eq!([outcome.standings[0].rank, outcome.standings[1].rank], [2, 1]);
}
