//! The common refusals, in their order: OVER, TURN, MALFORMED, PHASE; the game's own rules come after them.

use alloc::{vec, vec::Vec};

use super::super::{Action, Depth, Encounter, Item, Phase, Place, Play, State, Ware};
use super::table::{MONSTER, Table, gold, hoses, plain, play, play_with, refusal, unshuffled};
use crate::{Game, Seat};

use Place::{Bar, Dive, Dolphins, Market, Shop};

/// One action of each kind, all well formed.
fn all() -> Vec<Action> {
    vec![
        Action::Program { morning: Bar, afternoon: Shop },
        Action::PlaceBoat { wreck: 0 },
        Action::Pass,
        Action::DrawCard { diver: 0 },
        Action::UseWeight { diver: 0 },
        Action::Surface,
        Action::UseTrident { diver: 0 },
        Action::Flee,
        Action::Recruit,
        Action::HirePickpocket { seat: 1, depth: Depth::Deep },
        Action::FirstWreck { wreck: 0 },
        Action::Buy { item: Item::Hose, diver: 0 },
        Action::Sell { cards: vec![0] },
        Action::Done,
        Action::SecondWreck { wreck: 0 },
        Action::NoSecondWreck,
    ]
}

/// Actions that name what no game has.
fn malformed() -> Vec<Action> {
    let big = u32::MAX;
    let played = [
        Play::Volunteer { diver: 3 },
        Play::Volunteer { diver: 256 },
        Play::HastyBuyer { treasure: 80 },
        Play::HastyBuyer { treasure: 256 },
        Play::Saboteur { seat: 3, diver: 0 },
        Play::Saboteur { seat: 256, diver: 0 },
        Play::Saboteur { seat: 1, diver: 3 },
        Play::Drunkard { wreck: 11 },
        Play::Drunkard { wreck: 256 },
        Play::Dupe { treasure: 80, ware: Ware::Gold },
        Play::Trafficker { treasures: vec![80] },
        Play::Trafficker { treasures: vec![1, 1] },
        Play::Jeweller { diamond: 80 },
        Play::Jeweller { diamond: big },
    ];
    let needy = [
        Encounter::Volunteer,
        Encounter::HastyBuyer,
        Encounter::Saboteur,
        Encounter::Drunkard,
        Encounter::Dupe,
        Encounter::Trafficker,
        Encounter::Jeweller,
    ];
    let mut actions = vec![
        Action::PlaceBoat { wreck: 11 },
        Action::PlaceBoat { wreck: 256 },
        Action::DrawCard { diver: 3 },
        Action::DrawCard { diver: 256 },
        Action::UseWeight { diver: 3 },
        Action::UseTrident { diver: big },
        Action::HirePickpocket { seat: 3, depth: Depth::Deep },
        Action::HirePickpocket { seat: 256, depth: Depth::Deep },
        Action::BuyRound { wrecks: vec![0, 11] },
        Action::BuyRound { wrecks: vec![0, 1] },
        Action::FirstWreck { wreck: 11 },
        Action::SecondWreck { wreck: 11 },
        Action::SecondWreck { wreck: 256 },
        Action::Buy { item: Item::Hose, diver: 3 },
        Action::Sell { cards: vec![80] },
        Action::Sell { cards: vec![0, 0] },
    ];
    actions.extend(played.map(Action::PlayEncounter));
    actions.extend(needy.map(plain));
    actions
}

/// A state of each phase in which seat 0 is asked, by the number of its phase.
fn phases() -> Vec<State> {
    let table = || {
        Table::with_encounters(3)
            .divers(0, &[hoses(1)])
            .wreck(3, &[MONSTER, gold(2), gold(3)])
            .holds(0, &[Encounter::Family])
            .hand(0, Depth::Deep, &[gold(6)])
    };
    let placing = table().go(&[Dive, Bar, Bar]);
    let sabotage = play(&placing, 0, Action::PlaceBoat { wreck: 3 }).next;
    let dive = play(&sabotage, 0, Action::Pass).next;
    let monster = play(&dive, 0, Action::DrawCard { diver: 0 }).next;
    let visits = [Bar, Dolphins, Shop, Market].map(|place| table().go(&[place, Bar, Bar]));
    let round = play_with(&visits[0], 0, Action::FirstWreck { wreck: 1 }, unshuffled(5)).next;
    [table().ready(), placing, sabotage, dive, monster].into_iter().chain(visits).chain([round]).collect()
}

#[test]
fn every_phase_is_there() {
    let numbers: Vec<u8> = phases().iter().map(|state| state.phase as u8).collect();
    let over = Phase::Over as u8;
    assert_eq!(numbers, (1..=11).filter(|number| *number != over).collect::<Vec<_>>());
    assert!(phases().iter().all(|state| state.to_act().contains(Seat(0))));
}

#[test]
fn over_comes_before_everything() {
    let mut state = Table::with_encounters(3).ready();
    state.phase = Phase::Over;
    for seat in [0, 1, 2, 3, 5, 6, 255] {
        for action in all().into_iter().chain(malformed()) {
            assert_eq!(refusal(&state, seat, action), ("OVER", "GAME_OVER"));
        }
    }
}

#[test]
fn turn_comes_before_malformed_phase_and_rules() {
    for state in &phases()[1..] {
        for seat in [1, 2, 3, 5, 6, 255] {
            for action in all().into_iter().chain(malformed()) {
                assert_eq!(refusal(state, seat, action), ("TURN", "NOT_ASKED"));
            }
        }
        assert_eq!(state.admit(Seat(0)), Ok(()));
    }
}

#[test]
fn malformed_comes_before_phase() {
    for state in &phases() {
        for action in malformed() {
            assert_eq!(refusal(state, 0, action.clone()), ("MALFORMED", "MALFORMED_ACTION"), "{action:?}");
        }
    }
}

#[test]
fn phase_comes_before_the_rules_of_the_game() {
    // By action of `all`, the phases in which it can be asked for.
    let belongs: [&[u8]; 16] =
        [&[1], &[2], &[3], &[4], &[4], &[4], &[5], &[5], &[6], &[6], &[6], &[8], &[9], &[6, 7, 8, 9], &[11], &[11]];
    for state in &phases() {
        for (action, own) in all().into_iter().zip(belongs) {
            if own.contains(&(state.phase as u8)) {
                continue;
            }
            assert_eq!(refusal(state, 0, action.clone()), ("PHASE", "WRONG_PHASE"), "{action:?} in {:?}", state.phase);
        }
        let plays = ![1, 2, 11].contains(&(state.phase as u8));
        let answer = refusal(state, 0, plain(Encounter::Regular));
        assert_eq!(answer, if plays { ("KL-26", "NOT_IN_HAND") } else { ("PHASE", "WRONG_PHASE") });
    }
}
