//! KL-15 to KL-18 and KL-R13: recruits, pickpockets and rounds.

use alloc::{vec, vec::Vec};

use super::super::{Action, Card, CardId, Depth, Diver, Encounter, Event, Offer, Phase, Place};
use super::table::{
    Table, antiques, asked, cash, faces, gold, goods, held, hoses, is_offered, only, plain, play, play_all, play_with,
    refusal, unshuffled, wreck_faces,
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

fn round(wrecks: &[u32]) -> Action {
    Action::BuyRound { wrecks: wrecks.to_vec() }
}

#[test]
fn kl_15_each_at_most_once_and_in_any_order() {
    let table = || Table::of(3).cash(0, 1000).hand(1, Depth::Shallow, &[gold(1); 3]);
    let state = table().go(&at_bar(1));
    let actions = [Action::Recruit, steal(1, Depth::Shallow), round(&[0, 1])];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut state = state.clone();
        for which in order {
            let stolen = 4 - held(&state, 0).len() as u32 - 1;
            let draws: Vec<(u32, u32)> = match which {
                0 => vec![],
                1 => vec![(stolen, 0)],
                _ => unshuffled(5).chain(unshuffled(5)).collect(),
            };
            state = play_with(&state, 0, actions[which].clone(), draws).next;
            assert_eq!(refusal(&state, 0, actions[which].clone()), ("KL-15", "ONCE_PER_VISIT"));
        }
        assert_eq!(cash(&state, 0), 1000 - 80 - 60 - 20);
        let state = play(&state, 0, Action::Done).next;
        assert_eq!(asked(&state), (Phase::Shop, [1].into()));
    }
    // Nothing at all is possible too, and a new visit begins anew.
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
    for (action, price) in [(Action::Recruit, 80), (steal(1, Depth::Deep), 60), (round(&[0, 1]), 20)] {
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
fn kl_18_a_round_looks_into_two_wrecks_which_are_shuffled_in_the_order_named() {
    let state = Table::of(3).wreck(0, &[gold(1), goods(2)]).wreck(3, &[antiques(5), gold(4), goods(3)]).go(&at_bar(3));
    // Wreck 3 first: its first draw puts the top card last. Then wreck 0, swapped.
    let step = play_with(&state, 0, round(&[3, 0]), [(3, 0), (2, 1), (2, 0)]);
    let state = step.next;
    assert_eq!(cash(&state, 0), 80, "$20, however many are present");
    assert_eq!(wreck_faces(&state, 3), [goods(3), gold(4), antiques(5)]);
    assert_eq!(wreck_faces(&state, 0), [goods(2), gold(1)]);
    let seen = |depth, face| Card { depth, face: Some(face), id: None };
    let lies = |id| Card { depth: CardId(id).depth(), face: Some(state.face(CardId(id))), id: Some(CardId(id)) };
    let (m, s) = (Depth::Medium, Depth::Shallow);
    assert_eq!(
        step.events,
        [
            Event::RoundBought { seat: Seat(0), wrecks: vec![3, 0], price: 20 },
            Event::WreckSeen {
                seat: Seat(0),
                wreck: 3,
                cards: vec![seen(m, gold(4)), seen(m, goods(3)), seen(m, antiques(5))]
            },
            Event::WreckShuffled { wreck: 3, cards: vec![lies(22), lies(21), lies(20)] },
            Event::WreckSeen { seat: Seat(0), wreck: 0, cards: vec![seen(s, gold(1)), seen(s, goods(2))] },
            Event::WreckShuffled { wreck: 0, cards: vec![lies(1), lies(0)] },
        ]
    );
}

#[test]
fn kl_18_two_different_wrecks_that_are_left() {
    let state = Table::of(3).wreck(1, &[]).go(&at_bar(1));
    for wrecks in [&[][..], &[0], &[0, 2, 3]] {
        assert_eq!(refusal(&state, 0, round(wrecks)), ("KL-18", "NUMBER_OF_WRECKS"), "{wrecks:?}");
    }
    assert_eq!(refusal(&state, 0, round(&[0, 1])), ("KL-18", "WRECK_GONE"));
    for wrecks in [&[0, 0][..], &[0, 11], &[11], &[2, 3, 2]] {
        assert_eq!(refusal(&state, 0, round(wrecks)), ("MALFORMED", "MALFORMED_ACTION"), "{wrecks:?}");
    }
}

#[test]
fn kl_18_one_wreck_if_only_one_is_left_and_none_if_none() {
    let one = Table::of(3).only_wrecks(&[5]).go(&at_bar(1));
    let step = play_with(&one, 0, round(&[5]), unshuffled(5));
    assert_eq!(only(&step.events, |event| matches!(event, Event::WreckSeen { .. }).then_some(())).len(), 1);
    assert_eq!(refusal(&one, 0, round(&[5, 6])), ("KL-18", "WRECK_GONE"));
    assert_eq!(refusal(&one, 0, round(&[])), ("KL-18", "NUMBER_OF_WRECKS"));
    let none = Table::of(3).only_wrecks(&[]).go(&at_bar(1));
    for wrecks in [&[][..], &[5], &[5, 6]] {
        assert_eq!(refusal(&none, 0, round(wrecks)), ("KL-18", "NO_WRECK_LEFT"));
    }
    // A wreck under a boat can be asked about too.
    let state = Table::of(3).only_wrecks(&[0]).go(&[Place::Dive, Bar, Dolphins]);
    let state = play(&state, 0, Action::PlaceBoat { wreck: 0 }).next;
    let state = play_all(&state, 0, [Action::DrawCard { diver: 0 }, Action::Surface]);
    play_with(&state, 1, round(&[0]), unshuffled(4));
}

#[test]
fn kl_18_a_look_lasts_until_the_next_action() {
    let state = Table::of(3).go(&at_bar(1));
    let state = play_with(&state, 0, round(&[2, 4]), unshuffled(5).chain(unshuffled(5))).next;
    assert_eq!(state.look.as_ref().unwrap().wrecks[..], [2, 4]);
    assert_eq!(play(&state, 0, Action::Recruit).next.look, None);
    assert_eq!(play(&state, 0, Action::Done).next.look, None);
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
