//! VI-5 and VI-6: passing.

use alloc::{vec, vec::Vec};

use super::super::{Action, Event, Phase, State};
use super::table::{Table, act, fresh, island, legal, refusal, set};
use crate::{Game, Seat, SeatSet};

fn pass(text: &str) -> Action {
    Action::Pass { island: island(text) }
}

/// Three players who may pass r9, b3 or g2, and p12.
fn three() -> State {
    Table::of(3).passing().first(1).hand(0, "r2 r9 b12").hand(1, "b1 b3 g1 g2 p1").hand(2, "p11 p12 r1").ready()
}

#[test]
fn vi_6_the_highest_of_the_colour_held_most() {
    for (hand, right) in [
        ("r2 r9 b12", vec!["r9"]),
        ("r2 b1 b3 p1", vec!["b3"]),
        ("g12 g11 g1 r12 r11", vec!["g12"]),
        ("p1", vec!["p1"]),
        // Tied colours leave the choice.
        ("r1 r2 b5 b4", vec!["r2", "b5"]),
        ("r1 b1 g1 p1", vec!["r1", "b1", "g1", "p1"]),
        ("r1 r2 r3 b1 b2 b3 g1 g2 g12 p12 p11", vec!["r3", "b3", "g12"]),
    ] {
        let state = Table::of(3).passing().hand(0, hand).hand(1, "r4").hand(2, "r5").ready();
        let right: Vec<Action> = right.into_iter().map(pass).collect();
        assert_eq!(legal(&state, 0), right, "{hand}");
    }
}

#[test]
fn vi_6_everything_else_is_refused() {
    let state = Table::of(3).passing().hand(0, "r2 r9 b4 b12 g12").hand(1, "r4").hand(2, "r5").ready();
    assert_eq!(refusal(&state, 0, pass("r4")), ("VI-6", "NOT_IN_HAND"));
    assert_eq!(refusal(&state, 0, pass("r2")), ("VI-6", "NOT_HIGHEST"));
    assert_eq!(refusal(&state, 0, pass("b4")), ("VI-6", "NOT_HIGHEST"));
    assert_eq!(refusal(&state, 0, pass("g12")), ("VI-6", "NOT_MOST_HELD"));
}

#[test]
fn vi_6_all_pass_at_the_same_time_in_any_order() {
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let mut state = three();
        let mut asked = SeatSet::EMPTY.with(Seat(0)).with(Seat(1)).with(Seat(2));
        for (count, seat) in order.into_iter().enumerate() {
            assert_eq!(state.to_act(), asked);
            let action = [pass("r9"), pass("g2"), pass("p12")][usize::from(seat)].clone();
            let step = act(&state, seat, action.clone());
            let Action::Pass { island } = action else { unreachable!() };
            assert_eq!(step.events[0], Event::PassChosen { seat: Seat(seat), island: Some(island) });
            state = step.next;
            asked = asked.iter().filter(|other| *other != Seat(seat)).collect();
            if count < 2 {
                assert_eq!(step.events.len(), 1, "nothing moves yet");
                assert_eq!((state.phase, state.player(Seat(seat)).passing), (Phase::Pass, Some(island)));
                assert_eq!(refusal(&state, seat, pass("r9")), ("TURN", "NOT_ASKED"), "nobody passes twice");
            } else {
                let moved = |from, to, text| Event::IslandPassed { from, to, island: Some(super::table::island(text)) };
                let expected = [
                    moved(Seat(0), Seat(2), "r9"),
                    moved(Seat(1), Seat(0), "g2"),
                    moved(Seat(2), Seat(1), "p12"),
                    Event::TrickStarted { trick: 1, first_seat: Seat(1) },
                ];
                assert_eq!(step.events[1..], expected);
            }
        }
        // Each hand has what its left neighbour passed.
        let hands = [set("r2 b12 g2"), set("b1 b3 g1 p1 p12"), set("p11 r1 r9")];
        assert_eq!([0, 1, 2].map(|seat: usize| state.players[seat].hand), hands);
        assert_eq!((state.phase, state.turn, state.trick), (Phase::Play, Some(Seat(1)), 1));
        assert!(state.players.iter().all(|player| player.passing.is_none()));
    }
}

#[test]
fn vi_5_the_right_neighbour_is_the_seat_before() {
    for seats in 3..=5u8 {
        let mut state = fresh(seats, 0).next;
        let mut passed = Vec::new();
        for seat in 0..seats {
            let Some(Action::Pass { island }) = legal(&state, seat).pop() else { panic!("somebody passes") };
            passed.push(island);
            state = act(&state, seat, Action::Pass { island }).next;
        }
        for seat in 0..seats {
            let to = if seat == 0 { seats - 1 } else { seat - 1 };
            assert!(state.player(Seat(to)).hand.contains(passed[usize::from(seat)]), "{seats} players, seat {seat}");
        }
    }
}

#[test]
fn vi_6_passing_is_from_the_hand_as_dealt() {
    // Seat 2 passes p12 to seat 1, which would make purple its longest colour; but nothing has moved yet.
    let state = Table::of(3).passing().hand(0, "r1").hand(1, "b1 p11").hand(2, "p12").ready();
    let state = act(&state, 2, pass("p12")).next;
    assert_eq!(legal(&state, 1), [pass("b1"), pass("p11")]);
    assert_eq!(state.player(Seat(1)).hand, set("b1 p11"));
}
