//! DSA-11: the search.

use alloc::vec::Vec;

use super::super::{Action, Event, Phase};
use super::table::{DOWN, Table, play, refusal, stack, values};
use crate::{Game, Seat};

const PUT_FIRST: Action = Action::PutDown { load_index: 0 };

#[test]
fn dsa_11_doing_nothing_changes_nothing_on_the_path() {
    let state = Table::of(2).at(0, 4).load(0, &[&[9]]).search().ready();
    let step = play(&state, Action::Leave, &[]);
    assert_eq!(step.events[0], Event::LeftSpace { seat: Seat(0) });
    assert_eq!(step.next.path, state.path);
    assert_eq!(step.next.loads.of(Seat(0)), state.loads.of(Seat(0)));
}

#[test]
fn dsa_11_picking_up_leaves_a_blank_and_comes_last_in_the_load() {
    let state = Table::of(2).path(&[&[0], &[1, 2, 3], &[4]]).at(0, 2).load(0, &[&[9]]).search().ready();
    assert_eq!(state.legal_actions(Seat(0)), [Action::Leave, Action::PickUp]);
    let step = play(&state, Action::PickUp, &[]);
    assert_eq!(step.events[0], Event::PickedUp { seat: Seat(0), space: 2, stack: stack(&[1, 2, 3]).faces() });
    assert_eq!(values(&step.next.path), [&[0][..], &[], &[4]]);
    assert_eq!(values(step.next.loads.of(Seat(0))), [&[9][..], &[1, 2, 3]]);
}

#[test]
fn dsa_11_putting_down_replaces_the_blank_with_any_one_of_the_load() {
    let load: &[&[u8]] = &[&[9], &[1, 2, 3], &[5]];
    let state = Table::of(2).at(0, 4).blank(4).load(0, load).search().ready();
    let offered: Vec<Action> = (0..3).map(|load_index| Action::PutDown { load_index }).collect();
    assert_eq!(state.legal_actions(Seat(0))[0], Action::Leave);
    assert_eq!(state.legal_actions(Seat(0))[1..], offered);
    for (index, action) in offered.into_iter().enumerate() {
        let step = play(&state, action, &[]);
        let put = stack(load[index]).faces();
        assert_eq!(step.events[0], Event::PutDown { seat: Seat(0), space: 4, load_index: index as u8, stack: put });
        assert_eq!(*step.next.space(4), stack(load[index]));
        let kept: Vec<&[u8]> = load.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, kept)| *kept).collect();
        assert_eq!(values(step.next.loads.of(Seat(0))), kept);
    }
}

#[test]
fn dsa_11_picking_up_needs_a_chip_and_putting_down_a_blank() {
    let chip = Table::of(2).at(0, 4).load(0, &[&[0]]).search().ready();
    assert_eq!(refusal(&chip, 0, PUT_FIRST), ("DSA-11", "NOT_A_BLANK"));
    let blank = Table::of(2).at(0, 4).blank(4).load(0, &[&[0]]).search().ready();
    assert_eq!(refusal(&blank, 0, Action::PickUp), ("DSA-11", "NOTHING_HERE"));
}

#[test]
fn dsa_11_only_what_is_in_the_load_can_be_put_down() {
    let state = Table::of(2).at(0, 4).blank(4).load(0, &[&[0], &[1]]).search().ready();
    for load_index in [2, 3, 256, u32::MAX] {
        assert_eq!(refusal(&state, 0, Action::PutDown { load_index }), ("DSA-11", "NOT_IN_LOAD"));
    }
    let empty_handed = Table::of(2).at(0, 4).blank(4).search().ready();
    assert_eq!(refusal(&empty_handed, 0, PUT_FIRST), ("DSA-11", "NOT_IN_LOAD"));
    assert_eq!(empty_handed.legal_actions(Seat(0)), [Action::Leave]);
}

#[test]
fn dsa_11_a_load_of_any_size_is_allowed() {
    let all_but_one: Vec<&[u8]> = [&[3u8][..]; 31].to_vec();
    let state = Table::of(2).path(&[&[7]]).at(0, 1).load(0, &all_but_one).search().ready();
    assert_eq!(
        play(&state, Action::PickUp, &[]).events[0],
        Event::PickedUp { seat: Seat(0), space: 1, stack: stack(&[7]).faces() }
    );
}

#[test]
fn dsa_11_the_search_is_asked_after_every_move_that_ends_on_a_space() {
    for (load, dice, from, to) in [(0, [1, 1], 0, 2), (2, [1, 1], 6, 6), (0, [3, 3], 32, 32)] {
        let load = &[&[0u8][..]; 2][..load];
        let state = play(&Table::of(2).at(0, from).load(0, load).ready(), DOWN, &dice).next;
        assert_eq!((state.phase, state.turn, state.explorers[0].position), (Phase::Search, Seat(0), to));
    }
}

#[test]
fn dsa_11_a_chip_put_down_can_be_picked_up_again() {
    let state = Table::of(2).at(0, 4).blank(4).load(0, &[&[15], &[2]]).search().ready();
    let mut state = play(&state, PUT_FIRST, &[]).next;
    assert_eq!(values([state.space(4)]), [[15]]);
    state.turn = Seat(0);
    state.phase = Phase::Search;
    let state = play(&state, Action::PickUp, &[]).next;
    assert_eq!(values(state.loads.of(Seat(0))), [[2], [15]], "it is now the last picked up");
}
