//! The common refusals, in their order: OVER, TURN, PHASE; the game's own rules come after them.

use super::super::Action;
use super::table::{DOWN, TURN_BACK, Table, refusal};
use crate::{Game, Seat};

const NONSENSE: Action = Action::PutDown { load_index: 99 };
const ALL: [Action; 5] = [DOWN, TURN_BACK, Action::Leave, Action::PickUp, NONSENSE];

#[test]
fn over_comes_before_everything() {
    let state = Table::of(2).over().ready();
    for seat in [0, 1, 2, 5, 6, 255] {
        for action in ALL {
            assert_eq!(refusal(&state, seat, action), ("OVER", "GAME_OVER"));
        }
        assert_eq!(state.admit(Seat(seat)).unwrap_err().rule, "OVER");
    }
}

#[test]
fn turn_comes_before_phase_and_rules() {
    for state in [Table::of(2).ready(), Table::of(2).at(0, 3).search().ready()] {
        for seat in [1, 2, 5, 6, 255] {
            for action in ALL {
                assert_eq!(refusal(&state, seat, action), ("TURN", "NOT_ASKED"));
            }
            assert_eq!(state.admit(Seat(seat)).unwrap_err().rule, "TURN");
        }
        assert_eq!(state.admit(Seat(0)), Ok(()));
    }
}

#[test]
fn phase_comes_before_the_rules_of_the_game() {
    // Turning back would break DSA-7 here, putting down DSA-11.
    let searching = Table::of(2).at(0, 3).turns_taken(0, 1).search().ready();
    for action in [DOWN, TURN_BACK] {
        assert_eq!(refusal(&searching, 0, action), ("PHASE", "WRONG_PHASE"));
    }
    let diving = Table::of(2).at(0, 3).ready();
    for action in [Action::Leave, Action::PickUp, Action::PutDown { load_index: 0 }, NONSENSE] {
        assert_eq!(refusal(&diving, 0, action), ("PHASE", "WRONG_PHASE"));
    }
}

#[test]
fn in_the_submarine_there_is_nothing_to_search() {
    let state = Table::of(2).ready();
    assert_eq!(refusal(&state, 0, Action::PickUp), ("PHASE", "WRONG_PHASE"));
}
