//! The worked examples of the rule book.

use super::super::{Action, Dice, Event, Phase, RoundEnd, Rules};
use super::table::{DOWN, TURN_BACK, Table, chips, dive_to, play, round_end, values};
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

#[test]
fn dsa_example_8_a_stack_of_three_is_lost() {
    // X is seat 1 with a = 4 and the stack b c d = 5 to 7, Y is seat 0 with e = 8 and f = 9.
    let piles = |rules| {
        let table = Table::of(2).rules(rules).at(1, 20).load(1, &[&[4], &[5, 6, 7]]).at(0, 7).load(0, &[&[8], &[9]]);
        let state = table.blank(20).blank(7).air(0).search().ready();
        values(&play(&state, Action::Leave, &[]).next.path)[30..].to_vec()
    };
    assert_eq!(piles(Rules::V2), [[5, 6, 7], [4, 8, 9]]);
    assert_eq!(piles(Rules::V1), [[4, 5, 6], [7, 8, 9]]);
}

#[test]
fn dsa_example_9_a_stack_is_one_chip_until_it_scores() {
    let path: &[&[u8]] = &[&[0], &[1], &[4, 5, 6], &[7], &[9]];
    let state = Table::of(2).path(path).at(0, 3).load(0, &[&[8]]).at(1, 5).air(9).search().ready();
    let state = play(&state, Action::PickUp, &[]).next;
    assert_eq!(values(state.loads.of(Seat(0))), [&[8][..], &[4, 5, 6]], "a load of 2");
    let state = play(&play(&state, DOWN, &[1, 1]).next, Action::Leave, &[]).next;
    assert_eq!((state.turn, state.air), (Seat(0), 7));
    let step = play(&state, TURN_BACK, &[2, 3]);
    assert_eq!(step.events[0], Event::TurnedBack { seat: Seat(0) });
    assert_eq!(
        step.events[1],
        Event::Moved { seat: Seat(0), dice: Dice([2, 3]), steps: 3, from: 3, to: 0 },
        "5 less the load"
    );
    assert!(step.next.explorer(Seat(0)).back);
    // The other explorer uses up the air with an empty hand: the round is ended by scoring who is back.
    let mut state = step.next;
    state.air = 0;
    let step = play(&play(&state, DOWN, &[1, 1]).next, Action::Leave, &[]);
    assert_eq!(round_end(&step.events), Some(RoundEnd::NoAir));
    let scored = step.next.scored.of(Seat(0));
    assert_eq!(scored, chips(&[8, 4, 5, 6]));
    assert_eq!(scored.iter().map(|chip| chip.value()).sum::<u8>(), 23);
}
