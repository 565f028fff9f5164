//! The common refusals, in their order: OVER, TURN, MALFORMED, PHASE; the game's own rules come after them.

use alloc::{vec, vec::Vec};

use super::super::ActionCard::{A1, A2, A3, A4};
use super::super::{Action, ActionCard, Deck, Half, Phase, State};
use super::table::{Table, act, act_with, island, islands, refusal};
use crate::{Game, Seat};

/// One action of each kind; none of them malformed at a table of four.
fn one_of_each() -> Vec<Action> {
    vec![
        Action::Pass { island: island("g12") },
        Action::Play { island: island("g12"), show: Half::Sea, bonus: 9 },
        Action::TakeTreasure,
        Action::StealTreasure { seat: Seat(0) },
        Action::StealBonus { seat: Seat(0) },
        Action::DrawBonus,
        Action::SwapWith { seat: Seat(0) },
        Action::GiveBack { islands: islands("g12 g11 g10") },
        Action::PeekDeck { deck: Deck::RedBlue },
        Action::Reorder { order: vec![0, 1, 2] },
        Action::TakePlayed { seat: Seat(0) },
        Action::DiscardIsland { island: island("g12") },
    ]
}

fn malformed() -> Vec<Action> {
    let mut actions: Vec<Action> = [4, 5, 6, 255]
        .into_iter()
        .flat_map(|seat| {
            let seat = Seat(seat);
            [
                Action::StealTreasure { seat },
                Action::StealBonus { seat },
                Action::SwapWith { seat },
                Action::TakePlayed { seat },
            ]
        })
        .collect();
    actions.push(Action::GiveBack { islands: islands("r1 r1") });
    actions.push(Action::PeekDeck { deck: Deck::Single });
    actions.push(Action::Reorder { order: vec![0, 1, 1] });
    actions
}

/// A state of four players in every phase, seat 0 being asked, with the kinds of action that belong to it.
fn every_phase() -> Vec<(State, &'static [usize])> {
    let trick = |card: ActionCard| {
        let other = if card == A3 { A1 } else { A3 };
        Table::of(4).cards(card, other).up("r1 g1").plays("b9 b2 p9 p2").played().next
    };
    let swapping = act_with(&trick(A2), 0, Action::SwapWith { seat: Seat(1) }, &[(2, 0), (1, 0)]).next;
    let peeking = act(&trick(A3), 0, Action::PeekDeck { deck: Deck::RedBlue }).next;
    let discarding = act(&trick(A4), 0, Action::TakePlayed { seat: Seat(1) }).next;
    vec![
        (Table::of(4).passing().more(3).ready(), &[0]),
        (Table::of(4).ready(), &[1]),
        (Table::of(4).up("b1 g1").plays("b9 b2 p9 p2").played().next, &[2, 3]),
        (trick(A1), &[4, 5]),
        (trick(A2), &[6]),
        (swapping, &[7]),
        (trick(A3), &[8]),
        (peeking, &[9]),
        (trick(A4), &[10]),
        (discarding, &[11]),
    ]
}

#[test]
fn over_comes_before_everything() {
    let mut state = Table::of(4).ready();
    (state.phase, state.turn) = (Phase::Over, None);
    for seat in [0, 1, 3, 4, 5, 6, 255] {
        for action in one_of_each().into_iter().chain(malformed()) {
            assert_eq!(refusal(&state, seat, action), ("OVER", "GAME_OVER"));
        }
    }
}

#[test]
fn turn_comes_before_form_phase_and_rules() {
    for (state, _) in every_phase() {
        let strangers: &[u8] = if state.phase == Phase::Pass { &[4, 5, 6, 255] } else { &[1, 2, 3, 4, 5, 6, 255] };
        for seat in strangers {
            for action in one_of_each().into_iter().chain(malformed()) {
                assert_eq!(refusal(&state, *seat, action), ("TURN", "NOT_ASKED"));
            }
        }
    }
}

#[test]
fn form_comes_before_phase_and_rules() {
    for (state, _) in every_phase() {
        for action in malformed() {
            assert_eq!(refusal(&state, 0, action), ("MALFORMED", "MALFORMED_ACTION"));
        }
    }
}

#[test]
fn phase_comes_before_the_rules_of_the_game() {
    for (state, own) in every_phase() {
        assert!(!state.legal_actions(Seat(0)).is_empty(), "{:?}", state.phase);
        for (kind, action) in one_of_each().into_iter().enumerate() {
            if own.contains(&kind) {
                let answer = state.apply(Seat(0), &action, &mut crate::contract::Scripted::new([]));
                assert!(answer.is_ok_and(|_| true) || refusal(&state, 0, action).0.starts_with("VI"));
            } else {
                assert_eq!(refusal(&state, 0, action), ("PHASE", "WRONG_PHASE"), "{:?}", state.phase);
            }
        }
    }
}
