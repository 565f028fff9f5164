//! The common refusals, in their order: OVER, TURN, MALFORMED, PHASE; the game's own rules come after them.

use alloc::vec::Vec;

use super::super::{Action, Diver, Phase, State, Suit};
use super::table::{Table, harpoon, knife, net, place, plunder, refusal};
use crate::{Game, Seat};

const NO_SUCH_SEAT: u8 = 9;

/// One action of each kind.
fn all() -> Vec<Action> {
    let victim = |seat| Action::NameVictim { seat: Seat(seat) };
    let mut actions = alloc::vec![Action::Draw, Action::Surface, net(Suit::Key), Action::Misfire { suit: Suit::Key }];
    actions.push(place("key 4"));
    for seat in [0, 1, NO_SUCH_SEAT] {
        actions.extend([victim(seat), knife(seat, Suit::Key), harpoon(seat, Suit::Key), plunder(seat)]);
    }
    actions
}

/// A state of each phase in which seat 0 is asked, with the name of the phase.
fn phases() -> Vec<State> {
    let table = || Table::of(2).hold(0, "key 4").hold(1, "map 5, net 3").graveyard("siren 4").row("siren 5");
    alloc::vec![
        table().diver(0, Diver::Saboteuse).phase(Phase::NameVictim).ready(),
        table().ready(),
        table().phase(Phase::Knife).ready(),
        table().phase(Phase::Harpoon).ready(),
        table().open_net("net 4", 1).phase(Phase::Net).ready(),
        table().diver(1, Diver::Misfire).phase(Phase::Misfire).ready(),
        table().map_shows(1).ready(),
        table().diver(0, Diver::Plunderer).plunder(2).ready(),
    ]
}

#[test]
fn over_comes_before_everything() {
    let state = Table::of(2).over().ready();
    for seat in [0, 1, 2, 6, 255] {
        for action in all() {
            assert_eq!(refusal(&state, seat, action), ("OVER", "GAME_OVER"));
        }
        assert_eq!(state.admit(Seat(seat)).unwrap_err().rule, "OVER");
    }
}

#[test]
fn turn_comes_before_all_but_over() {
    for state in phases() {
        for seat in [1, 2, 6, 255] {
            for action in all() {
                assert_eq!(refusal(&state, seat, action), ("TURN", "NOT_ASKED"), "{:?}", state.phase);
            }
            assert!(state.legal_actions(Seat(seat)).is_empty());
        }
        assert_eq!(state.admit(Seat(0)), Ok(()));
    }
}

#[test]
fn a_seat_that_does_not_exist_is_malformed_in_every_phase() {
    for state in phases() {
        for seat in [2, 3, NO_SUCH_SEAT, 255] {
            let victim = Action::NameVictim { seat: Seat(seat) };
            for action in [victim, knife(seat, Suit::Map), harpoon(seat, Suit::Map), plunder(seat)] {
                assert_eq!(refusal(&state, 0, action), ("MALFORMED", "MALFORMED_ACTION"), "{:?}", state.phase);
            }
        }
    }
}

#[test]
fn an_action_of_another_phase_is_refused_before_the_rules_of_the_game() {
    let of_phase = |action: &Action| match action {
        Action::NameVictim { .. } => 0,
        Action::Draw | Action::Surface => 1,
        Action::Knife { .. } => 2,
        Action::Harpoon { .. } => 3,
        Action::Net { .. } => 4,
        Action::Misfire { .. } => 5,
        Action::PlaceFromMap { .. } => 6,
        Action::Plunder { .. } => 7,
    };
    for (number, state) in phases().into_iter().enumerate() {
        for action in all() {
            let is_malformed =
                [knife(NO_SUCH_SEAT, Suit::Key), harpoon(NO_SUCH_SEAT, Suit::Key), plunder(NO_SUCH_SEAT)];
            let names_nobody = Action::NameVictim { seat: Seat(NO_SUCH_SEAT) };
            if of_phase(&action) == number || is_malformed.contains(&action) || action == names_nobody {
                continue;
            }
            assert_eq!(refusal(&state, 0, action), ("PHASE", "WRONG_PHASE"), "{:?} in {:?}", action, state.phase);
        }
    }
}

#[test]
fn sentences_say_what_is_wrong_and_what_would_be_right() {
    let sentence = |state: &State, action: Action| {
        let answer = state.apply(Seat(0), &action, &mut crate::contract::Scripted::new([]));
        answer.map(|_| ()).expect_err("against the rules").sentence
    };
    let state = Table::of(3).hold(0, "key 2").hold(1, "key 4").phase(Phase::Harpoon).ready();
    for (action, expected) in [
        (harpoon(0, Suit::Key), "seat 0 is your own: this is for an opponent"),
        (harpoon(2, Suit::Key), "the hold of seat 2 has no key: choose a suit that is there"),
        (harpoon(1, Suit::Key), "your hold has the suit key: a harpoon takes a suit that you do not have"),
        (harpoon(3, Suit::Key), "there is no seat 3: seats are 0 to 2"),
        (Action::Draw, "now you use the harpoon: choose an opponent and a suit of their hold"),
    ] {
        assert_eq!(sentence(&state, action), expected);
    }
    let state = Table::of(2).demand(3).ready();
    assert_eq!(sentence(&state, Action::Surface), "a squid asks for 3 more cards before you may surface: draw");
}
