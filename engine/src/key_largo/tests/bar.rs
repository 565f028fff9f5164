//! KL-15 to KL-17 and KL-R13: recruits, pickpockets, and what the bar allows in a visit.

use alloc::{vec, vec::Vec};

use super::super::{Action, Card, CardId, Depth, Diver, Encounter, Event, Offer, Phase, Place};
use super::table::{
    Table, antiques, asked, cash, faces, gold, goods, held, hoses, is_offered, plain, play, play_with, refusal,
    unshuffled,
};
use crate::{Game, Seat};

use Place::{Bar, Dolphins, Shop};

/// The places of three players of whom so many are at the bar, seat 0 first.
fn at_bar(present: usize) -> [Place; 3] {
    [0, 1, 2].map(|seat| if seat < present { Bar } else { Shop })
}

fn steal(seat: u32, depth: Depth) -> Action {
    Action::HirePickpocket { seat, depth }
}

fn round(wreck: u32) -> Action {
    Action::FirstWreck { wreck }
}

#[test]
fn kl_15_each_at_most_once_and_in_any_order() {
    let table = || Table::of(3).cash(0, 1000).hand(1, Depth::Shallow, &[gold(1); 3]);
    let state = table().go(&at_bar(1));
    let actions = [Action::Recruit, steal(1, Depth::Shallow), round(0)];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut state = state.clone();
        for which in order {
            let stolen = 4 - held(&state, 0).len() as u32 - 1;
            let draws: Vec<(u32, u32)> = match which {
                0 => vec![],
                1 => vec![(stolen, 0)],
                _ => unshuffled(5).collect(),
            };
            state = play_with(&state, 0, actions[which].clone(), draws).next;
            if state.phase == Phase::SecondWreck {
                state = play(&state, 0, Action::NoSecondWreck).next;
            }
            assert_eq!(refusal(&state, 0, actions[which].clone()), ("KL-15", "ONCE_PER_VISIT"));
        }
        assert_eq!(cash(&state, 0), 1000 - 80 - 60 - 20);
        let state = play(&state, 0, Action::Done).next;
        assert_eq!(asked(&state), (Phase::Shop, [1].into()));
    }
    // Nothing at all is possible too, and a new visit begins with nothing.
    let state = play(&state, 0, Action::Done).next;
    assert_eq!(state.visit, Default::default());
}

#[test]
fn kl_16_a_diver_costs_by_the_number_present() {
    for (present, price) in [(1, 80), (2, 100), (3, 120)] {
        let state = Table::of(3).cash(0, 150).go(&at_bar(present));
        let step = play(&state, 0, Action::Recruit);
        assert_eq!(step.events, [Event::Recruited { seat: Seat(0), price, with_hose: false }]);
        assert_eq!(cash(&step.next, 0), 150 - price);
        assert_eq!(step.next.players[0].divers[..], [Diver::default(); 2]);
        assert_eq!(step.next.reserve.divers, 11);
    }
}

#[test]
fn kl_16_at_most_three_divers_and_only_while_the_reserve_has_any() {
    let state = Table::of(3).divers(0, &[hoses(0), hoses(1), hoses(2)]).go(&at_bar(1));
    assert_eq!(refusal(&state, 0, Action::Recruit), ("KL-16", "TEAM_FULL"));
    let state = Table::of(3).with(|state| state.reserve.divers = 0).go(&at_bar(1));
    assert_eq!(refusal(&state, 0, Action::Recruit), ("KL-16", "NO_DIVER_LEFT"));
    let state = Table::of(3).divers(0, &[]).go(&at_bar(1));
    assert_eq!(play(&state, 0, Action::Recruit).next.players[0].divers.len(), 1);
}

#[test]
fn kl_1_nobody_spends_more_than_they_have() {
    let table = |cash| Table::of(3).cash(0, cash).hand(1, Depth::Deep, &[gold(1)]);
    for (action, price) in [(Action::Recruit, 80), (steal(1, Depth::Deep), 60), (round(0), 20)] {
        let poor = table(price - 1).go(&at_bar(1));
        assert_eq!(refusal(&poor, 0, action.clone()), ("KL-1", "NOT_ENOUGH_MONEY"), "{action:?}");
        assert!(is_offered(&table(price).go(&at_bar(1)), 0, &action), "{action:?}");
    }
}

#[test]
fn kl_17_a_pickpocket_costs_by_the_number_present() {
    for (present, price) in [(1, 60), (2, 70), (3, 80)] {
        let state = Table::of(3).hand(2, Depth::Medium, &[gold(2)]).go(&at_bar(present));
        let step = play_with(&state, 0, steal(2, Depth::Medium), [(1, 0)]);
        let hired = Event::PickpocketHired { seat: Seat(0), victim: Seat(2), depth: Depth::Medium, price };
        assert_eq!(step.events[0], hired);
        assert_eq!(cash(&step.next, 0), 100 - price);
    }
}

#[test]
fn kl_17_a_card_of_the_depth_named_changes_hands_by_chance() {
    let table =
        Table::of(3).hand(1, Depth::Shallow, &[gold(1), goods(2), antiques(3)]).hand(1, Depth::Deep, &[gold(6)]);
    let state = table.go(&at_bar(1));
    let ids = held(&state, 1);
    for (draw, face) in [(0, gold(1)), (1, goods(2)), (2, antiques(3))] {
        let step = play_with(&state, 0, steal(1, Depth::Shallow), [(3, draw)]);
        assert_eq!(faces(&step.next, 0), [face]);
        assert_eq!(held(&step.next, 1).len(), 3);
        let id = CardId(ids[draw as usize] as u8);
        let card = Card { depth: Depth::Shallow, face: Some(face), id: Some(id) };
        assert_eq!(step.events[1], Event::CardStolen { thief: Seat(0), victim: Seat(1), card });
    }
    assert_eq!(faces(&play_with(&state, 0, steal(1, Depth::Deep), [(1, 0)]).next, 0), [gold(6)]);
}

#[test]
fn kl_17_the_victim_is_another_player_with_a_card_of_that_depth() {
    let table = Table::of(3).hand(0, Depth::Medium, &[gold(2)]).hand(1, Depth::Shallow, &[gold(1)]);
    let state = table.go(&at_bar(2));
    assert_eq!(refusal(&state, 0, steal(0, Depth::Medium)), ("KL-17", "OWN_CARDS"));
    assert_eq!(refusal(&state, 0, steal(2, Depth::Medium)), ("KL-17", "NO_CARDS"));
    assert_eq!(refusal(&state, 0, steal(1, Depth::Medium)), ("KL-17", "NO_SUCH_BACK"));
    assert_eq!(refusal(&state, 0, steal(3, Depth::Medium)), ("MALFORMED", "MALFORMED_ACTION"));
    assert!(is_offered(&state, 0, &steal(1, Depth::Shallow)), "wherever the victim is");
}

#[test]
fn kl_r13_without_treasures_of_others_no_pickpocket_can_be_hired() {
    let state = Table::of(3).hand(0, Depth::Medium, &[gold(2)]).go(&at_bar(1));
    for seat in 0..3 {
        assert_eq!(refusal(&state, 0, steal(seat, Depth::Medium)), ("KL-R13", "NOTHING_TO_STEAL"));
    }
}

#[test]
fn kl_r18_a_visit_lasts_until_done() {
    let table = || Table::with_encounters(3).cash(0, 0).hand(0, Depth::Deep, &[gold(6)]);
    let market = play(&table().go(&[Place::Market, Bar, Bar]), 0, Action::Sell { cards: vec![79] }).next;
    let family = [Encounter::Family];
    let dolphins = play(&table().holds(0, &family).go(&[Dolphins, Bar, Bar]), 0, plain(Encounter::Family)).next;
    let states = [table().go(&[Bar, Bar, Bar]), table().go(&[Shop, Bar, Bar]), market, dolphins];
    for (state, place) in states.into_iter().zip([Bar, Shop, Place::Market, Dolphins]) {
        assert_eq!(state.legal_actions(Seat(0)), [Offer::Single(Action::Done)], "{place:?}");
        let step = play(&state, 0, Action::Done);
        assert_eq!(step.events[0], Event::VisitEnded { seat: Seat(0), place });
    }
}

#[test]
fn kl_15_a_player_who_can_do_nothing_is_asked_all_the_same() {
    let state = Table::of(3).cash(0, 0).go(&at_bar(1));
    assert_eq!(asked(&state), (Phase::Bar, [0].into()));
    play(&state, 0, Action::Done);
}
