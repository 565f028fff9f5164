//! DSA-13 to DSA-18: how a round ends, and what the next one starts from.

use super::super::by_seat::BySeat;
use super::super::{Action, Event, Phase, RoundEnd};
use super::table::{DOWN, TURN_BACK, Table, chips, play, round_end, values};
use crate::Seat;

#[test]
fn dsa_13_the_round_ends_when_every_explorer_is_back() {
    let state = Table::of(3).back(1).back(2).at(0, 1).load(0, &[&[0]]).air(9).ready();
    let step = play(&state, TURN_BACK, &[1, 1]);
    assert_eq!(round_end(&step.events), Some(RoundEnd::AllBack));
    assert_eq!(step.next.round, 2);
}

#[test]
fn dsa_13_all_back_is_the_cause_on_record_also_when_the_air_is_gone() {
    let state = Table::of(2).back(1).at(0, 1).load(0, &[&[0]]).air(0).ready();
    assert_eq!(round_end(&play(&state, TURN_BACK, &[1, 1]).events), Some(RoundEnd::AllBack));
}

#[test]
fn dsa_13_the_round_ends_at_the_end_of_a_turn_with_the_air_at_0_or_below() {
    for (air, ends) in [(1, false), (0, true), (-4, true)] {
        let state = Table::of(2).at(0, 4).at(1, 8).air(air).ready();
        let state = play(&state, DOWN, &[1, 1]).next;
        assert_eq!((state.round, state.phase), (1, Phase::Search), "not before the turn's end");
        for action in [Action::Leave, Action::PickUp] {
            let cause = round_end(&play(&state, action, &[]).events);
            assert_eq!(cause, ends.then_some(RoundEnd::NoAir), "air {air}, {action:?}");
        }
    }
}

#[test]
fn dsa_13_the_next_load_may_take_the_last_air_and_the_round_goes_on_until_that_turn_ends() {
    let state = Table::of(2).at(0, 4).at(1, 8).load(1, &[&[0], &[1]]).air(2).search().ready();
    let step = play(&state, Action::Leave, &[]);
    assert_eq!((step.next.air, step.next.turn, round_end(&step.events)), (0, Seat(1), None));
}

#[test]
fn dsa_14_those_who_are_back_score_every_chip_of_every_stack() {
    let state = Table::of(3)
        .path(&[&[1], &[2], &[3]])
        .back(2)
        .load(2, &[&[15], &[0, 7, 11]])
        .back(1)
        .load(1, &[&[4]])
        .scored(1, &[3])
        .at(0, 2)
        .load(0, &[&[14]])
        .air(0)
        .search()
        .ready();
    let step = play(&state, Action::Leave, &[]);
    assert_eq!(step.next.scored.of(Seat(2)), chips(&[15, 0, 7, 11]));
    assert_eq!(step.next.scored.of(Seat(1)), chips(&[3, 4]));
    assert_eq!(step.next.scored.of(Seat(0)), []);
    assert_eq!([0, 1, 2].map(|seat| step.next.points(Seat(seat))), [0, 7, 33]);
    let scored: alloc::vec::Vec<_> = step
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Scored { seat, chips, points } => Some((seat.0, chips.len(), *points)),
            _ => None,
        })
        .collect();
    assert_eq!(scored, [(2, 4, 33), (1, 1, 4)], "in the order of coming back");
    // Out of play: neither in a load nor on the path, where only the lost 14 was added.
    assert_eq!(step.next.loads, BySeat::default());
    assert_eq!(step.next.path.len(), state.path.len() + 1);
}

#[test]
fn dsa_15_lost_loads_go_to_the_far_end_furthest_explorer_first() {
    let state = Table::of(3)
        .path(&[&[0], &[1], &[2], &[3], &[3]])
        .at(0, 2)
        .load(0, &[&[8], &[9]])
        .at(1, 4)
        .load(1, &[&[10]])
        .at(2, 3)
        .load(2, &[&[11]])
        .air(0)
        .search()
        .ready();
    let step = play(&state, Action::Leave, &[]);
    assert_eq!(values(&step.next.path), [&[0][..], &[1], &[2], &[3], &[3], &[10, 11, 8], &[9]]);
    let lost: alloc::vec::Vec<u8> = step
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Lost { seat, .. } => Some(seat.0),
            _ => None,
        })
        .collect();
    assert_eq!(lost, [1, 2, 0]);
    assert_eq!((step.next.loads, step.next.scored), (BySeat::default(), BySeat::default()));
}

#[test]
fn dsa_16_the_path_closes_up_and_everything_starts_again() {
    let state = Table::of(2)
        .path(&[&[], &[1], &[], &[], &[3]])
        .at(0, 3)
        .turned_back(0)
        .load(0, &[&[9]])
        .back(1)
        .air(-2)
        .search()
        .ready();
    let step = play(&state, Action::Leave, &[]);
    let next = step.next;
    assert_eq!(values(&next.path), [[1], [3], [9]]);
    assert!(step.events.contains(&Event::PathClosed { spaces: 3 }));
    assert_eq!((next.round, next.air, next.phase), (2, 25, Phase::Dive));
    assert!(next.back_order.is_empty());
    for (seat, explorer) in next.explorers.iter().enumerate() {
        assert!(explorer.position == 0 && !explorer.turned_back && !explorer.back, "{explorer:?}");
        assert_eq!(explorer.turns_taken, u16::from(seat == 0), "seat 0 has begun its first turn");
    }
}

#[test]
fn dsa_16_blanks_are_taken_away_after_round_3_too() {
    let state =
        Table::of(2).round(3).path(&[&[0], &[], &[5]]).at(0, 3).load(0, &[&[7]]).at(1, 1).air(0).search().ready();
    let next = play(&state, Action::Leave, &[]).next;
    assert_eq!(next.phase, Phase::Over);
    assert_eq!(values(&next.path), [[0], [5], [7]]);
    assert_eq!(next.air, 25);
    assert!(next.explorers.iter().all(|explorer| explorer.position == 0));
    assert_eq!(next.loads, BySeat::default());
}

#[test]
fn dsa_17_the_furthest_explorer_starts_the_next_round() {
    let state = Table::of(4).at(0, 4).at(1, 9).at(2, 7).back(3).air(0).search().ready();
    let step = play(&state, Action::Leave, &[]);
    assert_eq!((step.next.first_seat, step.next.turn), (Seat(1), Seat(1)));
    assert!(step.events.contains(&Event::RoundStarted { round: 2, first_seat: Seat(1), air: 25 }));
}

#[test]
fn dsa_17_if_all_came_back_the_last_one_starts() {
    let state = Table::of(3).back(2).back(0).at(1, 1).load(1, &[&[0]]).turn(1).ready();
    let next = play(&state, TURN_BACK, &[3, 3]).next;
    assert_eq!((next.first_seat, next.turn), (Seat(1), Seat(1)));
}

#[test]
fn dsa_18_a_pile_is_one_space_and_one_chip_until_it_scores() {
    // One space: two steps lead from before the pile to behind it.
    let spaces: &[&[u8]] = &[&[0], &[1, 2, 9], &[3], &[3]];
    assert_eq!(play(&Table::of(2).path(spaces).at(0, 1).ready(), DOWN, &[1, 1]).next.explorers[0].position, 3);
    // One chip for load, air and move.
    let state = Table::of(2).path(spaces).at(0, 2).search().ready();
    let mut state = play(&state, Action::PickUp, &[]).next;
    state.turn = Seat(1);
    state.phase = Phase::Search;
    state.explorers[1].position = 4;
    let step = play(&state, Action::Leave, &[]);
    assert_eq!(step.events.last(), Some(&Event::TurnStarted { seat: Seat(0), air_used: 1, air: 24 }));
    let step = play(&step.next, TURN_BACK, &[1, 1]);
    let moved = step.events.iter().find(|event| matches!(event, Event::Moved { .. }));
    assert!(matches!(moved, Some(Event::Moved { steps: 1, from: 2, to: 1, .. })), "{moved:?}");
    // Put down whole, and scored whole.
    let state = Table::of(2).path(&[&[], &[5]]).at(0, 1).load(0, &[&[1, 2, 9]]).search().ready();
    let state = play(&state, Action::PutDown { load_index: 0 }, &[]).next;
    assert_eq!(values(&state.path), [&[1, 2, 9][..], &[5]]);
    let state = Table::of(2).at(0, 1).load(0, &[&[1, 2, 9]]).back(1).ready();
    assert_eq!(play(&state, TURN_BACK, &[3, 3]).next.points(Seat(0)), 12);
}
