//! DSA-0 to DSA-5: components and set-up.

use alloc::{vec, vec::Vec};

use super::super::pieces::{Dice, Stack};
use super::super::{Action, Chip, Event, Options, Phase, State};
use super::table::{DOWN, Table, fresh, play, values};
use crate::contract::Scripted;
use crate::{Game, Seat, SeatCount, SeatSet};

#[test]
fn dsa_0_two_to_six_players() {
    for (seats, allowed) in [(1, false), (2, true), (3, true), (4, true), (5, true), (6, true)] {
        if allowed {
            assert_eq!(fresh(seats, 0).next.seats().get(), seats);
            continue;
        }
        let count = SeatCount::new(usize::from(seats)).unwrap();
        let violation = State::setup(State::NEWEST_RULES, &Options, count, &mut Scripted::new([])).unwrap_err();
        assert_eq!((violation.rule, violation.reason), ("DSA-0", "SEAT_COUNT"));
    }
}

#[test]
fn dsa_1_two_chips_of_each_value_and_eight_of_each_level() {
    let state = fresh(2, 0).next;
    let chips: Vec<Chip> = state.path.iter().flat_map(|stack| stack.chips().to_vec()).collect();
    assert_eq!(chips.len(), 32);
    for (level, of_level) in [(1, [0, 1, 2, 3]), (2, [4, 5, 6, 7]), (3, [8, 9, 10, 11]), (4, [12, 13, 14, 15])] {
        for value in of_level {
            let same: Vec<&Chip> = chips.iter().filter(|chip| chip.value() == value).collect();
            assert_eq!(same.len(), 2, "value {value}");
            assert!(same.iter().all(|chip| chip.level() == level), "value {value}");
        }
    }
    assert_eq!(Chip::of_value(16), None);
}

#[test]
fn dsa_2_the_air_starts_every_round_at_25() {
    let step = fresh(3, 0);
    assert_eq!(step.next.air, 25);
    assert!(step.events.contains(&Event::RoundStarted { round: 1, first_seat: Seat(0), air: 25 }));
    let state = Table::of(2).air(0).at(0, 3).at(1, 5).search().ready();
    let step = play(&state, Action::Leave, &[]);
    assert_eq!(step.next.air, 25);
    assert!(step.events.contains(&Event::RoundStarted { round: 2, first_seat: Seat(1), air: 25 }));
}

#[test]
fn dsa_2_all_explorers_share_the_air() {
    let mut state = Table::of(3).at(0, 5).load(0, &[&[0]]).at(1, 9).load(1, &[&[0], &[1]]).air(20).ready();
    // Seats 1, 2 and 0 use 2, 0 and 1 of the same 20.
    for expected in [18, 18, 17] {
        state = play(&play(&state, DOWN, &[1, 2]).next, Action::Leave, &[]).next;
        assert_eq!(state.air, expected);
    }
}

#[test]
fn dsa_3_each_die_has_the_faces_1_1_2_2_3_3() {
    for (answer, face) in [(0, 1), (1, 1), (2, 2), (3, 2), (4, 3), (5, 3)] {
        assert_eq!(Dice::roll(&mut Scripted::new([(6, answer), (6, 5)])).0, [face, 3]);
        assert_eq!(Dice::roll(&mut Scripted::new([(6, 0), (6, answer)])).0, [1, face]);
    }
}

#[test]
fn dsa_4_levels_lie_in_order_level_1_nearest() {
    let state = fresh(2, 1).next;
    let in_order: Vec<Vec<u8>> = (0..32).map(|space| vec![space / 2]).collect();
    assert_eq!(values(&state.path), in_order);
}

#[test]
fn dsa_4_each_level_is_shuffled_by_itself_level_1_first() {
    // An identical shuffle answers each draw with the last place. Here the first draw of each level differs.
    let mut draws = Vec::new();
    for first in [0, 2, 4, 6] {
        draws.push((8, first));
        draws.extend((2..=7).rev().map(|bound| (bound, bound - 1)));
    }
    draws.push((5, 3));
    let seats = SeatCount::new(5).unwrap();
    let step = State::setup(State::NEWEST_RULES, &Options, seats, &mut Scripted::new(draws)).unwrap();
    let nearest_first: Vec<u8> = values(&step.next.path).concat();
    assert_eq!(nearest_first[..8], [3, 0, 1, 1, 2, 2, 3, 0]);
    assert_eq!(nearest_first[8..16], [4, 4, 7, 5, 6, 6, 7, 5]);
    assert_eq!(nearest_first[16..24], [8, 8, 9, 9, 11, 10, 11, 10]);
    assert_eq!(nearest_first[24..], [12, 12, 13, 13, 14, 14, 15, 15]);
    assert_eq!(step.next.turn, Seat(3), "the first player is drawn after the shuffles");
    let laid = Event::PathLaid { spaces: step.next.path.iter().map(Stack::faces).collect() };
    assert_eq!(step.events[0], laid);
}

#[test]
fn dsa_5_the_first_player_is_drawn_and_all_are_in_the_submarine() {
    for seats in 2..=6 {
        for first in 0..seats {
            let step = fresh(seats, first);
            let state = step.next;
            assert_eq!((state.turn, state.first_seat, state.phase), (Seat(first), Seat(first), Phase::Dive));
            assert_eq!(state.to_act(), SeatSet::only(Seat(first)));
            assert!(state.explorers.iter().all(|explorer| explorer.position == 0 && !explorer.back));
            let started = [
                Event::RoundStarted { round: 1, first_seat: Seat(first), air: 25 },
                Event::TurnStarted { seat: Seat(first), air_used: 0, air: 25 },
            ];
            assert_eq!(step.events[1..], started);
        }
    }
}

#[test]
fn dsa_5_play_goes_clockwise_and_wraps() {
    let mut state = fresh(4, 2).next;
    let mut turns = Vec::new();
    for _ in 0..6 {
        turns.push(state.turn.0);
        state = play(&play(&state, DOWN, &[3, 3]).next, Action::Leave, &[]).next;
    }
    assert_eq!(turns, [2, 3, 0, 1, 2, 3]);
}
