//! KL-18: rounds, by each version of the rules.

use alloc::{vec, vec::Vec};

use super::super::{Action, Card, CardId, Depth, Encounter, Event, Offer, Phase, Place, Play, Rules, State};
use super::table::{
    Table, antiques, asked, cash, gold, goods, only, play, play_all, play_with, refusal, unshuffled, wreck_faces,
};
use crate::contract::Scripted;
use crate::{Game, RulesVersion, Seat};

use Place::{Bar, Dolphins, Shop};

/// The places of three players of whom so many are at the bar, seat 0 first.
fn at_bar(present: usize) -> [Place; 3] {
    [0, 1, 2].map(|seat| if seat < present { Bar } else { Shop })
}

/// Version 1.
fn round(wrecks: &[u32]) -> Action {
    Action::BuyRound { wrecks: wrecks.to_vec() }
}

fn first(wreck: u32) -> Action {
    Action::FirstWreck { wreck }
}

fn second(wreck: u32) -> Action {
    Action::SecondWreck { wreck }
}

#[test]
fn kl_18_a_round_looks_into_two_wrecks_which_are_shuffled_in_the_order_named_version_1() {
    let state = Table::by(Rules::V1, 3)
        .wreck(0, &[gold(1), goods(2)])
        .wreck(3, &[antiques(5), gold(4), goods(3)])
        .go(&at_bar(3));
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
fn kl_18_two_different_wrecks_that_are_left_version_1() {
    let state = Table::by(Rules::V1, 3).wreck(1, &[]).go(&at_bar(1));
    for wrecks in [&[][..], &[0], &[0, 2, 3]] {
        assert_eq!(refusal(&state, 0, round(wrecks)), ("KL-18", "NUMBER_OF_WRECKS"), "{wrecks:?}");
    }
    assert_eq!(refusal(&state, 0, round(&[0, 1])), ("KL-18", "WRECK_GONE"));
    for wrecks in [&[0, 0][..], &[0, 11], &[11], &[2, 3, 2]] {
        assert_eq!(refusal(&state, 0, round(wrecks)), ("MALFORMED", "MALFORMED_ACTION"), "{wrecks:?}");
    }
}

#[test]
fn kl_18_one_wreck_if_only_one_is_left_and_none_if_none_version_1() {
    let one = Table::by(Rules::V1, 3).only_wrecks(&[5]).go(&at_bar(1));
    let step = play_with(&one, 0, round(&[5]), unshuffled(5));
    assert_eq!(only(&step.events, |event| matches!(event, Event::WreckSeen { .. }).then_some(())).len(), 1);
    assert_eq!(refusal(&one, 0, round(&[5, 6])), ("KL-18", "WRECK_GONE"));
    assert_eq!(refusal(&one, 0, round(&[])), ("KL-18", "NUMBER_OF_WRECKS"));
    let none = Table::by(Rules::V1, 3).only_wrecks(&[]).go(&at_bar(1));
    for wrecks in [&[][..], &[5], &[5, 6]] {
        assert_eq!(refusal(&none, 0, round(wrecks)), ("KL-18", "NO_WRECK_LEFT"));
    }
    // A wreck under a boat can be asked about too.
    let state = Table::by(Rules::V1, 3).only_wrecks(&[0]).go(&[Place::Dive, Bar, Dolphins]);
    let state = play(&state, 0, Action::PlaceBoat { wreck: 0 }).next;
    let state = play_all(&state, 0, [Action::DrawCard { diver: 0 }, Action::Surface]);
    play_with(&state, 1, round(&[0]), unshuffled(4));
}

#[test]
fn kl_18_a_look_lasts_until_the_next_action_version_1() {
    let state = Table::by(Rules::V1, 3).go(&at_bar(1));
    let state = play_with(&state, 0, round(&[2, 4]), unshuffled(5).chain(unshuffled(5))).next;
    assert_eq!(state.look.as_ref().unwrap().wrecks[..], [2, 4]);
    assert_eq!(play(&state, 0, Action::Recruit).next.look, None);
    assert_eq!(play(&state, 0, Action::Done).next.look, None);
}

#[test]
fn kl_18_the_second_wreck_is_named_once_the_first_is_seen_version_2() {
    let table = Table::of(3).wreck(0, &[gold(1), goods(2)]).wreck(3, &[antiques(5), gold(4), goods(3)]);
    let state = table.go(&at_bar(3));
    let step = play_with(&state, 0, first(3), [(3, 0), (2, 1)]);
    let state = step.next;
    assert_eq!(cash(&state, 0), 80, "$20, however many are present");
    assert_eq!(wreck_faces(&state, 3), [goods(3), gold(4), antiques(5)], "shuffled before the second is named");
    let seen = |depth, face| Card { depth, face: Some(face), id: None };
    let lies = |state: &State, id| Card {
        depth: CardId(id).depth(),
        face: Some(state.face(CardId(id))),
        id: Some(CardId(id)),
    };
    let (m, s) = (Depth::Medium, Depth::Shallow);
    assert_eq!(
        step.events,
        [
            Event::RoundBought { seat: Seat(0), wrecks: vec![3], price: 20 },
            Event::WreckSeen {
                seat: Seat(0),
                wreck: 3,
                cards: vec![seen(m, gold(4)), seen(m, goods(3)), seen(m, antiques(5))]
            },
            Event::WreckShuffled { wreck: 3, cards: [22, 21, 20].map(|id| lies(&state, id)).into() },
        ]
    );
    assert_eq!(asked(&state), (Phase::SecondWreck, [0].into()));
    let step = play_with(&state, 0, second(0), [(2, 0)]);
    assert_eq!(
        step.events,
        [
            Event::SecondWreckNamed { seat: Seat(0), wreck: 0 },
            Event::WreckSeen { seat: Seat(0), wreck: 0, cards: vec![seen(s, gold(1)), seen(s, goods(2))] },
            Event::WreckShuffled { wreck: 0, cards: [1, 0].map(|id| lies(&step.next, id)).into() },
        ]
    );
    assert_eq!(asked(&step.next), (Phase::Bar, [0].into()), "the visit goes on");
    assert_eq!(cash(&step.next, 0), 80, "the second wreck costs nothing");
    assert_eq!(refusal(&step.next, 0, first(1)), ("KL-15", "ONCE_PER_VISIT"));
}

#[test]
fn kl_18_no_second_wreck_has_to_be_named_version_2() {
    let state = play_with(&Table::of(3).go(&at_bar(1)), 0, first(2), unshuffled(5)).next;
    let step = play(&state, 0, Action::NoSecondWreck);
    assert_eq!(step.events, [Event::SecondWreckDeclined { seat: Seat(0) }]);
    assert_eq!(asked(&step.next), (Phase::Bar, [0].into()));
    assert_eq!(refusal(&step.next, 0, second(0)), ("PHASE", "WRONG_PHASE"));
    assert_eq!(refusal(&step.next, 0, Action::NoSecondWreck), ("PHASE", "WRONG_PHASE"));
    assert_eq!(refusal(&step.next, 0, first(0)), ("KL-15", "ONCE_PER_VISIT"));
}

#[test]
fn kl_18_nothing_else_can_be_done_before_the_second_wreck_version_2() {
    let table =
        Table::with_encounters(3).cash(0, 1000).holds(0, &[Encounter::Drunkard]).hand(1, Depth::Deep, &[gold(6)]);
    let state = play_with(&table.go(&at_bar(1)), 0, first(2), unshuffled(5)).next;
    let named = [0, 1, 3, 4, 5, 6, 7, 8, 9, 10].map(|wreck| Offer::Single(second(wreck)));
    let expected: Vec<Offer> = named.into_iter().chain([Offer::Single(Action::NoSecondWreck)]).collect();
    assert_eq!(state.legal_actions(Seat(0)), expected);
    let drunkard = Action::PlayEncounter(Play::Drunkard { wreck: 0 });
    let steal = Action::HirePickpocket { seat: 1, depth: Depth::Deep };
    for action in [Action::Recruit, steal, first(0), drunkard, Action::Done] {
        assert_eq!(refusal(&state, 0, action.clone()), ("PHASE", "WRONG_PHASE"), "{action:?}");
    }
}

#[test]
fn kl_18_the_second_wreck_is_another_one_that_is_left_version_2() {
    let state = Table::of(3).wreck(1, &[]).go(&at_bar(1));
    assert_eq!(refusal(&state, 0, first(1)), ("KL-18", "WRECK_GONE"));
    let state = play_with(&state, 0, first(0), unshuffled(5)).next;
    assert_eq!(refusal(&state, 0, second(0)), ("KL-18", "SAME_WRECK"));
    assert_eq!(refusal(&state, 0, second(1)), ("KL-18", "WRECK_GONE"));
    for wreck in [11, 256, u32::MAX] {
        assert_eq!(refusal(&state, 0, second(wreck)), ("MALFORMED", "MALFORMED_ACTION"));
        assert_eq!(refusal(&state, 0, first(wreck)), ("MALFORMED", "MALFORMED_ACTION"));
    }
}

#[test]
fn kl_18_with_one_wreck_left_there_is_no_second_version_2() {
    let one = Table::of(3).only_wrecks(&[5]).go(&at_bar(1));
    let step = play_with(&one, 0, first(5), unshuffled(5));
    assert_eq!(only(&step.events, |event| matches!(event, Event::WreckSeen { .. }).then_some(())).len(), 1);
    assert_eq!(asked(&step.next), (Phase::Bar, [0].into()));
    assert!(step.next.visit.round_bought);
    let none = Table::of(3).only_wrecks(&[]).go(&at_bar(1));
    assert_eq!(refusal(&none, 0, first(5)), ("KL-18", "NO_WRECK_LEFT"));
    // A wreck under a boat can be asked about too.
    let state = Table::of(3).only_wrecks(&[0]).go(&[Place::Dive, Bar, Dolphins]);
    let state = play(&state, 0, Action::PlaceBoat { wreck: 0 }).next;
    let state = play_all(&state, 0, [Action::DrawCard { diver: 0 }, Action::Surface]);
    play_with(&state, 1, first(0), unshuffled(4));
}

#[test]
fn kl_18_whether_a_second_wreck_is_asked_for_hangs_on_the_wrecks_alone_version_2() {
    for (left, phase) in [(&[4][..], Phase::Bar), (&[4, 5], Phase::SecondWreck)] {
        for (cash, held) in [(20, vec![]), (500, vec![Encounter::Drunkard, Encounter::BarTourist])] {
            let table = Table::with_encounters(3).cash(0, cash).holds(0, &held).only_wrecks(left);
            let state = play_with(&table.go(&at_bar(1)), 0, first(4), unshuffled(5)).next;
            assert_eq!(asked(&state), (phase, [0].into()));
        }
    }
}

#[test]
fn kl_18_a_look_lasts_until_the_next_action_version_2() {
    let state = play_with(&Table::of(3).go(&at_bar(1)), 0, first(2), unshuffled(5)).next;
    assert_eq!(state.look.as_ref().unwrap().wrecks[..], [2]);
    assert_eq!(play(&state, 0, Action::NoSecondWreck).next.look, None);
    let state = play_with(&state, 0, second(4), unshuffled(5)).next;
    assert_eq!(state.look.as_ref().unwrap().wrecks[..], [4], "the first wreck was seen before");
    assert_eq!(play(&state, 0, Action::Done).next.look, None);
}

#[test]
fn kl_18_each_version_refuses_the_forms_of_the_other_version_2() {
    let [old, new] = Rules::ALL else { panic!("two versions") };
    let cases = [
        (old, first(0), "by rules version 1 a round names all its wrecks at once"),
        (old, second(0), "by rules version 1 a round names all its wrecks at once"),
        (old, Action::NoSecondWreck, "by rules version 1 a round names all its wrecks at once"),
        (new, round(&[0, 1]), "by rules version 2 a round is bought with one wreck"),
        (new, round(&[0]), "by rules version 2 a round is bought with one wreck"),
        (new, round(&[]), "by rules version 2 a round is bought with one wreck"),
    ];
    for (rules, action, sentence) in cases {
        let state = Table::by(*rules, 3).go(&at_bar(1));
        assert_eq!(refusal(&state, 0, action.clone()), ("MALFORMED", "MALFORMED_ACTION"), "{action:?}");
        let violation = state.apply(Seat(0), &action, &mut Scripted::new([])).unwrap_err();
        assert!(violation.sentence.starts_with(sentence), "{violation}");
    }
}
