//! DSA-R1 to DSA-R7 and DSA-R9: what the rulebook leaves open. DSA-R8 is tested with the end of the game.

use alloc::{vec, vec::Vec};

use super::super::{Action, Event, Phase, RoundEnd, Rules, State};
use super::table::{DOWN, TURN_BACK, Table, dive_to, play, refusal, round_end, values};
use crate::{Game, RulesVersion, Seat, Viewer};

const PUT_FIRST: Action = Action::PutDown { load_index: 0 };

#[test]
fn dsa_r1_who_has_turned_back_keeps_at_least_one_of_the_load() {
    let table = || Table::of(2).at(0, 4).blank(4).search();
    let one_left = table().turned_back(0).load(0, &[&[1, 2, 3]]).ready();
    assert_eq!(refusal(&one_left, 0, PUT_FIRST), ("DSA-R1", "LAST_OF_LOAD"));
    assert_eq!(one_left.legal_actions(Seat(0)), [Action::Leave]);
    play(&table().turned_back(0).load(0, &[&[1], &[2]]).ready(), PUT_FIRST, &[]);
    play(&table().load(0, &[&[1]]).ready(), PUT_FIRST, &[]);
}

#[test]
fn dsa_r1_turning_back_needs_a_load() {
    let state = Table::of(2).at(0, 4).ready();
    assert_eq!(refusal(&state, 0, TURN_BACK), ("DSA-7", "EMPTY_LOAD"));
    assert_eq!(state.legal_actions(Seat(0)), [DOWN]);
}

#[test]
fn dsa_r1_an_index_beyond_the_load_is_judged_before_the_last_of_the_load() {
    let state = Table::of(2).at(0, 4).blank(4).search().turned_back(0).load(0, &[&[1]]).ready();
    assert_eq!(refusal(&state, 0, Action::PutDown { load_index: 1 }), ("DSA-11", "NOT_IN_LOAD"));
}

#[test]
fn dsa_r2_with_the_far_end_taken_the_last_free_space_on_the_way_is_the_end() {
    let taken = |at: u8| Table::of(3).at(0, at).at(1, 32).at(2, 31).ready();
    assert_eq!(dive_to(&taken(28), [3, 3]), 30);
    assert_eq!(dive_to(&taken(30), [3, 3]), 30, "it may be the one they stand on");
    let gap = Table::of(3).at(0, 28).at(1, 32).at(2, 30).ready();
    assert_eq!(dive_to(&gap, [3, 3]), 31);
}

/// What explorers carry, the furthest's first.
type Loads<'a> = &'a [&'a [&'a [u8]]];

/// The path after a round whose explorers lose these loads, the furthest's first, and how many piles were laid.
fn after_losing(rules: Rules, path: &[&[u8]], loads: Loads<'_>) -> (Vec<Vec<u8>>, usize) {
    let mut table = Table::of(loads.len().max(2) as u8).rules(rules).path(path).air(0).search();
    for (seat, load) in loads.iter().enumerate() {
        table = table.at(seat as u8, (path.len() - seat) as u8).load(seat as u8, load);
    }
    let step = play(&table.ready(), Action::Leave, &[]);
    let laid = step.events.iter().find_map(|event| match event {
        Event::PilesLaid { piles } => Some(piles.len()),
        _ => None,
    });
    (values(&step.next.path), laid.unwrap_or(0))
}

#[test]
fn dsa_r3_piles_are_built_fresh() {
    for rules in Rules::ALL {
        // The earlier pile of two is not topped up; the last pile holds what is left.
        let path: &[&[u8]] = &[&[0], &[12, 13]];
        let (path, laid) = after_losing(*rules, path, &[&[&[10, 11]], &[&[4], &[5], &[6]]]);
        assert_eq!(path, [&[0][..], &[12, 13], &[10, 11, 4], &[5, 6]], "{rules:?}");
        assert_eq!(laid, 2, "{rules:?}");
    }
}

#[test]
fn dsa_r3_a_carried_stack_is_opened_in_version_1() {
    let loads: Loads<'_> = &[&[&[10, 11]], &[&[4, 5, 6], &[7], &[8, 9]]];
    let (path, laid) = after_losing(Rules::V1, &[&[0], &[12, 13]], loads);
    assert_eq!(path, [&[0][..], &[12, 13], &[10, 11, 4], &[5, 6, 7], &[8, 9]]);
    assert_eq!(laid, 3);
}

#[test]
fn dsa_r3_a_carried_stack_of_three_stays_whole_in_version_2() {
    // Each case: the loads, the furthest explorer's first, and the piles.
    let cases: &[(Loads<'_>, &[&[u8]])] = &[
        // A stack of three alone, and several.
        (&[&[&[4, 5, 6]]], &[&[4, 5, 6]]),
        (&[&[&[4, 5, 6], &[1, 2, 3]], &[&[9, 8, 7]]], &[&[4, 5, 6], &[1, 2, 3], &[9, 8, 7]]),
        // It comes before the loose chips that were picked up earlier, because their pile is complete later.
        (&[&[&[1], &[4, 5, 6], &[2], &[3]]], &[&[4, 5, 6], &[1, 2, 3]]),
        (&[&[&[1], &[2], &[3], &[4, 5, 6]]], &[&[1, 2, 3], &[4, 5, 6]]),
        // Loose chips are gathered across explorers, past the stacks; what is left comes last.
        (&[&[&[1], &[4, 5, 6]], &[&[2], &[7, 8, 9], &[3], &[0]]], &[&[4, 5, 6], &[7, 8, 9], &[1, 2, 3], &[0]]),
        // A stack of one or two is taken apart.
        (&[&[&[10, 11]], &[&[4, 5, 6], &[7], &[8, 9]]], &[&[4, 5, 6], &[10, 11, 7], &[8, 9]]),
        (&[&[&[1], &[2], &[7, 8]]], &[&[1, 2, 7], &[8]]),
    ];
    for (loads, piles) in cases {
        let (path, laid) = after_losing(Rules::V2, &[&[0], &[12, 13]], loads);
        assert_eq!(path[..2], [&[0][..], &[12, 13]]);
        assert_eq!(path[2..], **piles, "{loads:?}");
        assert_eq!(laid, piles.len());
    }
}

#[test]
fn dsa_r3_the_levels_of_a_whole_stack_are_all_that_is_told_in_version_2() {
    let state = Table::of(2).path(&[&[0]]).at(0, 1).load(0, &[&[4, 8, 12], &[1]]).air(0).search().ready();
    let step = play(&state, Action::Leave, &[]);
    let laid = step.events.iter().find(|event| matches!(event, Event::PilesLaid { .. })).unwrap();
    let Some(Event::PilesLaid { piles }) = State::redact(State::NEWEST_RULES, laid, Viewer::Seat(Seat(0))) else {
        panic!("everybody sees that piles are laid")
    };
    let seen: Vec<Vec<_>> =
        piles.iter().map(|pile| pile.iter().map(|face| (face.level, face.value)).collect()).collect();
    assert_eq!(seen, [vec![(2, None), (3, None), (4, None)], vec![(1, None)]]);
}

#[test]
fn dsa_r3_nothing_lost_lays_no_pile() {
    let state = Table::of(2).path(&[&[0], &[]]).at(0, 1).at(1, 2).air(0).search().ready();
    let step = play(&state, Action::Leave, &[]);
    assert!(!step.events.iter().any(|event| matches!(event, Event::PilesLaid { .. } | Event::Lost { .. })));
    assert_eq!(values(&step.next.path), [[0]]);
}

#[test]
fn dsa_r4_among_those_at_0_the_later_in_turn_order_is_further() {
    for (first, furthest) in [(0, 3), (1, 0), (2, 0), (3, 2)] {
        // Seat 1 is back, the others never left: in turn order the last of them counts as furthest.
        let state = Table::of(4).path(&[]).first(first).turn(if first == 0 { 2 } else { 0 }).back(1).air(0).ready();
        let next = play(&state, DOWN, &[1, 1]).next;
        assert_eq!(next.first_seat, Seat(furthest), "round begun by {first}");
    }
}

#[test]
fn dsa_r4_any_space_is_further_than_the_submarine() {
    let state = Table::of(3).at(0, 1).search().air(0).ready();
    assert_eq!(play(&state, Action::Leave, &[]).next.first_seat, Seat(0));
}

#[test]
fn dsa_r5_without_a_free_space_an_explorer_stays_in_the_submarine_unsearched() {
    let state = Table::of(3).path(&[&[0], &[1]]).at(1, 1).at(2, 2).ready();
    let step = play(&state, DOWN, &[3, 3]);
    let explorer = step.next.explorer(Seat(0));
    assert_eq!((explorer.position, explorer.back), (0, false));
    assert_eq!((step.next.turn, step.next.phase), (Seat(1), Phase::Dive));
    assert!(!step.events.contains(&Event::CameBack { seat: Seat(0) }));
}

#[test]
fn dsa_r5_who_has_not_left_yet_keeps_the_round_going() {
    let state = Table::of(2).at(0, 1).load(0, &[&[3]]).ready();
    let step = play(&state, TURN_BACK, &[3, 3]);
    assert_eq!(round_end(&step.events), None);
    assert_eq!(step.next.turn, Seat(1));
}

#[test]
fn dsa_r6_who_comes_back_on_the_turn_on_which_the_air_runs_out_scores() {
    let state = Table::of(2).blank(27).blank(29).at(0, 2).load(0, &[&[13]]).at(1, 5).load(1, &[&[14]]).air(-1).ready();
    let step = play(&state, TURN_BACK, &[3, 3]);
    assert_eq!(round_end(&step.events), Some(RoundEnd::NoAir));
    assert_eq!([step.next.points(Seat(0)), step.next.points(Seat(1))], [13, 0]);
}

#[test]
fn dsa_r7_a_lap_in_which_nothing_changes_ends_the_round() {
    // Empty-handed on blanks at the far end, the third explorer back.
    let state = Table::of(3).path(&[&[0], &[], &[]]).at(0, 3).at(1, 2).back(2).ready();
    let state = play(&play(&state, DOWN, &[1, 1]).next, Action::Leave, &[]).next;
    assert_eq!((state.idle_turns, state.turn), (0, Seat(1)), "the table began in the middle of a turn that counts");
    let state = play(&play(&state, DOWN, &[1, 1]).next, Action::Leave, &[]).next;
    assert_eq!((state.idle_turns, state.round), (1, 1));
    let step = play(&play(&state, DOWN, &[1, 1]).next, Action::Leave, &[]);
    assert_eq!(round_end(&step.events), Some(RoundEnd::Standstill));
    assert_eq!((step.next.idle_turns, step.next.round, step.next.air), (0, 2, 25));
}

#[test]
fn dsa_r7_a_move_a_chip_or_air_used_starts_the_count_again() {
    let idle_once = |table: Table| {
        let mut state = table.ready();
        state.idle_turns = 1;
        state.turn_is_idle = state.loads.of(Seat(0)).is_empty();
        state
    };
    let end = || Table::of(3).path(&[&[0], &[1], &[2], &[3]]).at(1, 2).at(2, 3);
    // Each case: the table, what seat 0 does in the search, idle turns in a row afterwards.
    for (table, action, idle, why) in [
        (end().at(0, 4), Action::Leave, 2, "nothing"),
        (end().at(0, 4), Action::PickUp, 0, "a chip picked up"),
        (end().at(0, 1), Action::Leave, 0, "a move to 4"),
        (end().at(0, 4).load(0, &[&[9]]), Action::Leave, 0, "air used"),
        (end().at(0, 4).blank(4).load(0, &[&[9]]), PUT_FIRST, 0, "a chip put down"),
    ] {
        let state = play(&idle_once(table), DOWN, &[1, 1]).next;
        assert_eq!(play(&state, action, &[]).next.idle_turns, idle, "{why}");
    }
}

#[test]
fn dsa_r7_explorers_who_cannot_move_but_use_air_are_no_standstill() {
    let heavy: &[&[u8]] = &[&[0], &[0], &[1], &[1], &[2], &[2]];
    let mut state = Table::of(2).path(&[&[], &[], &[3]]).at(0, 1).load(0, heavy).at(1, 2).load(1, heavy).ready();
    // Loads of 6 never move: 19, 13, 7, 1, and only then the air is gone.
    for air in [19, 13, 7, 1] {
        state = play(&play(&state, DOWN, &[3, 3]).next, Action::Leave, &[]).next;
        assert_eq!((state.air, state.idle_turns, state.round), (air, 0, 1));
    }
}

#[test]
fn dsa_r7_a_path_without_spaces_ends_the_round_after_one_lap() {
    let mut state = Table::of(2).round(2).path(&[]).ready();
    state.turn_is_idle = true;
    let state = play(&state, DOWN, &[1, 1]).next;
    assert_eq!((state.turn, state.idle_turns), (Seat(1), 1));
    assert_eq!(round_end(&play(&state, DOWN, &[3, 3]).events), Some(RoundEnd::Standstill));
}

#[test]
fn dsa_r9_while_anybody_is_not_back_the_next_starter_is_one_of_those() {
    // Seat 0 comes back as the air runs out; seat 1 never found a free space. Both are at 0, but seat 0 is back.
    for first in [0, 1] {
        let state = Table::of(2).path(&[&[]]).first(first).at(0, 1).load(0, &[&[5]]).air(0).ready();
        let step = play(&state, TURN_BACK, &[1, 1]);
        assert_eq!(round_end(&step.events), Some(RoundEnd::NoAir));
        assert_eq!(step.next.first_seat, Seat(1));
    }
}
