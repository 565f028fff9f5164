//! DSA-6 to DSA-10: air, direction, move, the far end, coming back.

use super::super::{Action, Dice, Event, Phase, RoundEnd};
use super::table::{DOWN, TURN_BACK, Table, dive_to, play, refusal, round_end};
use crate::{Game, Seat};

#[test]
fn dsa_6_explorers_who_are_back_take_no_turns() {
    let state = Table::of(4).at(0, 4).back(1).back(2).at(3, 7).search().ready();
    let state = play(&state, Action::Leave, &[]).next;
    assert_eq!(state.turn, Seat(3));
    let state = play(&play(&state, DOWN, &[1, 1]).next, Action::Leave, &[]).next;
    assert_eq!(state.turn, Seat(0));
}

#[test]
fn dsa_6_the_air_drops_by_the_load_before_anything_is_asked() {
    let state = Table::of(2).at(0, 4).at(1, 7).load(1, &[&[0], &[1, 2, 3], &[4]]).air(20).search().ready();
    let step = play(&state, Action::Leave, &[]);
    assert_eq!((step.next.air, step.next.phase), (17, Phase::Dive));
    assert_eq!(step.events.last(), Some(&Event::TurnStarted { seat: Seat(1), air_used: 3, air: 17 }));
}

#[test]
fn dsa_6_a_turn_is_played_to_its_end_with_the_air_below_0() {
    let state = Table::of(2)
        .at(0, 4)
        .at(1, 7)
        .load(1, &[&[0], &[1], &[2], &[4]])
        .blank(1)
        .blank(3)
        .blank(5)
        .blank(10)
        .air(1)
        .search()
        .ready();
    let state = play(&state, Action::Leave, &[]).next;
    assert_eq!((state.air, state.round, state.turn), (-3, 1, Seat(1)));
    let state = play(&state, DOWN, &[3, 3]).next;
    assert_eq!((state.explorer(Seat(1)).position, state.phase, state.round), (9, Phase::Search, 1));
    assert_eq!(round_end(&play(&state, Action::PickUp, &[]).events), Some(RoundEnd::NoAir));
}

#[test]
fn dsa_7_turning_back_is_refused_on_the_first_turn_of_a_round() {
    let table = || Table::of(2).at(0, 4).load(0, &[&[0]]);
    assert_eq!(refusal(&table().turns_taken(0, 1).ready(), 0, TURN_BACK), ("DSA-7", "FIRST_TURN"));
    // With empty hands too, as on any real first turn.
    assert_eq!(refusal(&Table::of(2).turns_taken(0, 1).ready(), 0, TURN_BACK), ("DSA-7", "FIRST_TURN"));
    play(&table().turns_taken(0, 2).ready(), TURN_BACK, &[1, 1]);
}

#[test]
fn dsa_7_turning_back_is_refused_with_an_empty_load() {
    assert_eq!(refusal(&Table::of(2).at(0, 4).ready(), 0, TURN_BACK), ("DSA-7", "EMPTY_LOAD"));
}

#[test]
fn dsa_7_turning_back_is_said_once_and_never_undone() {
    let state = Table::of(2).at(0, 20).load(0, &[&[0]]).at(1, 30).ready();
    assert_eq!(state.legal_actions(Seat(0)), [DOWN, TURN_BACK]);
    let step = play(&state, TURN_BACK, &[1, 2]);
    assert_eq!(step.events[0], Event::TurnedBack { seat: Seat(0) });
    assert_eq!(step.next.explorer(Seat(0)).position, 18);
    let mut state = play(&step.next, Action::Leave, &[]).next;
    state = play(&play(&state, DOWN, &[1, 1]).next, Action::Leave, &[]).next;
    assert_eq!(state.turn, Seat(0));
    assert_eq!(refusal(&state, 0, TURN_BACK), ("DSA-7", "ALREADY_TURNED_BACK"));
    assert_eq!(state.legal_actions(Seat(0)), [DOWN]);
    assert_eq!(dive_to(&state, [3, 2]), 14, "a dive without turn_back keeps going up");
}

#[test]
fn dsa_8_the_move_is_the_dice_less_the_load_and_never_below_0() {
    let seven: &[&[u8]] = &[&[0], &[0], &[1], &[1], &[2], &[2], &[3]];
    for (load, dice, steps) in
        [(0, [1, 1], 2), (0, [3, 3], 6), (1, [3, 1], 3), (2, [1, 2], 1), (3, [1, 2], 0), (5, [3, 3], 1), (7, [3, 3], 0)]
    {
        let state = Table::of(2).at(0, 10).load(0, &seven[..load]).ready();
        let step = play(&state, DOWN, &dice);
        let moved = Event::Moved { seat: Seat(0), dice: Dice(dice), steps, from: 10, to: 10 + steps };
        assert_eq!(step.events, [moved], "load {load}, dice {dice:?}");
        assert_eq!(step.next.last_dice, Some(Dice(dice)));
    }
}

#[test]
fn dsa_8_others_are_jumped_over_and_not_counted_both_ways() {
    let table = || Table::of(4).at(0, 10).at(1, 11).at(2, 13).at(3, 9);
    assert_eq!(dive_to(&table().ready(), [1, 1]), 14, "counts 12 and 14");
    let up = table().load(0, &[&[0]]).turned_back(0).ready();
    assert_eq!(dive_to(&up, [1, 2]), 7, "counts 8 and 7");
}

#[test]
fn dsa_8_blanks_count() {
    let state = Table::of(2).at(0, 10).blank(11).blank(12).ready();
    assert_eq!(dive_to(&state, [1, 1]), 12);
}

#[test]
fn dsa_9_a_move_larger_than_the_way_left_ends_on_the_last_space() {
    let state = Table::of(2).at(0, 30).ready();
    let step = play(&state, DOWN, &[3, 3]);
    let moved = Event::Moved { seat: Seat(0), dice: Dice([3, 3]), steps: 6, from: 30, to: 32 };
    assert_eq!(step.events, [moved]);
    assert_eq!(step.next.phase, Phase::Search);
}

#[test]
fn dsa_9_nobody_is_forced_to_turn_back_at_the_far_end() {
    let state = Table::of(2).at(0, 32).load(0, &[&[0]]).ready();
    assert_eq!(state.legal_actions(Seat(0)), [DOWN, TURN_BACK]);
    assert_eq!(dive_to(&state, [3, 3]), 32);
}

#[test]
fn dsa_10_the_submarine_is_reached_exactly_or_with_steps_left_over() {
    for (from, dice, to, back) in
        [(3, [2, 2], 0, true), (3, [3, 3], 0, true), (3, [1, 2], 1, false), (1, [1, 1], 0, true), (4, [2, 2], 1, false)]
    {
        let state = Table::of(2).at(0, from).load(0, &[&[0]]).at(1, 9).ready();
        let step = play(&state, TURN_BACK, &dice);
        let explorer = step.next.explorer(Seat(0));
        assert_eq!((explorer.position, explorer.back), (to, back), "from {from} with {dice:?}");
        assert_eq!(step.events.contains(&Event::CameBack { seat: Seat(0) }), back);
        // Who is back has no search: the turn is the next explorer's.
        assert_eq!(step.next.turn, Seat(u8::from(back)));
    }
}

#[test]
fn dsa_10_any_number_of_explorers_can_be_in_the_submarine() {
    let state = Table::of(4).back(1).back(2).at(0, 2).load(0, &[&[0]]).at(3, 9).ready();
    let state = play(&state, TURN_BACK, &[3, 3]).next;
    assert_eq!(state.back_order[..], [Seat(1), Seat(2), Seat(0)]);
    assert_eq!(state.turn, Seat(3));
}

#[test]
fn dsa_10_others_next_to_the_submarine_are_jumped_on_the_way_in() {
    let state = Table::of(3).at(0, 3).load(0, &[&[0]]).at(1, 2).at(2, 1).ready();
    assert!(play(&state, TURN_BACK, &[1, 1]).next.explorer(Seat(0)).back, "one step is enough");
}
