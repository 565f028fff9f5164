//! The worked examples of the rule book.

use alloc::{vec, vec::Vec};

use super::super::{
    Action, BarPrices, Depth, Encounter, Event, Half, Item, Options, Phase, Place, Play, Rules, State, Ware,
};
use super::table::{
    MONSTER, Table, antiques, asked, cash, diamond, faces, fresh_by, gold, goods, held, hoses, is_offered, plain, play,
    play_all, play_with, refusal, trident, unshuffled, weight, wreck_faces,
};
use crate::{Game, RulesVersion, Seat, Viewer};

use Place::{Bar, Dive, Dolphins, Market, Shop};

/// A round that asks about two wrecks, by the version of the game.
fn round(state: &State, seat: u8, [first, second]: [u32; 2]) -> State {
    if state.rules == Rules::V1 {
        let round = Action::BuyRound { wrecks: [first, second].into() };
        return play_with(state, seat, round, unshuffled(5).chain(unshuffled(5))).next;
    }
    let state = play_with(state, seat, Action::FirstWreck { wreck: first }, unshuffled(5)).next;
    play_with(&state, seat, Action::SecondWreck { wreck: second }, unshuffled(5)).next
}

#[test]
fn kl_example_1_the_first_day_of_four_players() {
    for rules in Rules::ALL {
        first_day_of_four_players(*rules);
    }
}

fn first_day_of_four_players(rules: Rules) {
    let (red, green, yellow, mauve) = (0, 1, 2, 3);
    let wreck = [MONSTER, gold(3), goods(2), goods(4), goods(5)];
    let mut state = Table::by(rules, 4).wreck(4, &wreck).ready();
    for (seat, morning, afternoon) in
        [(mauve, Shop, Dive), (red, Bar, Dive), (yellow, Dolphins, Bar), (green, Dolphins, Bar)]
    {
        state = play(&state, seat, Action::Program { morning, afternoon }).next;
    }
    // Morning.
    let state = play(&state, red, Action::Recruit).next;
    let state = round(&state, red, [0, 9]);
    assert_eq!(cash(&state, red), 0);
    let state = play(&state, red, Action::Done).next;
    assert_eq!([cash(&state, green), cash(&state, yellow)], [140, 140]);
    let hose = Action::Buy { item: Item::Hose, diver: 0 };
    let state = play_all(&state, mauve, [hose, Action::Buy { item: Item::Trident, diver: 0 }]);
    assert_eq!(cash(&state, mauve), 50);
    let state = play(&state, mauve, Action::Done).next;
    // Afternoon.
    assert_eq!((state.half, asked(&state)), (Half::Afternoon, (Phase::PlaceBoat, [red].into())));
    let state = play(&state, red, Action::PlaceBoat { wreck: 0 }).next;
    let state = play(&state, mauve, Action::PlaceBoat { wreck: 4 }).next;
    let state = play_all(&state, red, [0, 1].map(|diver| Action::DrawCard { diver }));
    assert_eq!(held(&state, red).len(), 2);
    let state = play(&state, red, Action::Surface).next;
    let state = play(&state, green, Action::Recruit).next;
    let state = round(&state, green, [1, 5]);
    let state = play(&state, green, Action::Done).next;
    let state = play_all(&state, yellow, [Action::Recruit, Action::Done]);
    assert_eq!([cash(&state, green), cash(&state, yellow)], [20, 40]);
    let state = play(&state, mauve, Action::DrawCard { diver: 0 }).next;
    assert_eq!(asked(&state), (Phase::Monster, [mauve].into()));
    let state = play(&state, mauve, Action::UseTrident { diver: 0 }).next;
    assert_eq!(faces(&state, mauve), [gold(3)]);
    // Evening.
    let step = play(&state, mauve, Action::Surface);
    assert_eq!(step.next.first_seat, Seat(green));
    assert_eq!(step.events.last(), Some(&Event::DayStarted { day: 2, first_seat: Seat(green) }));
}

#[test]
fn kl_example_2_goods_of_5_units_and_gold_of_2() {
    for (present, income) in [(1, 200), (2, 150), (3, 100)] {
        let places = [0, 1, 2].map(|seat| if seat < present { Market } else { Bar });
        let state = Table::of(3).hand(0, Depth::Medium, &[goods(5)]).go(&places);
        let state = play(&state, 0, Action::Sell { cards: held(&state, 0) }).next;
        assert_eq!(cash(&state, 0), 100 + income);
        let state = Table::of(3).hand(0, Depth::Medium, &[gold(2)]).go(&places);
        let state = play(&state, 0, Action::Sell { cards: held(&state, 0) }).next;
        assert_eq!(cash(&state, 0), 160);
    }
    let unsold = |face| Table::of(3).cash(0, 0).hand(0, Depth::Medium, &[face]).ready().fortune(Seat(0));
    assert_eq!([unsold(goods(5)), unsold(gold(2))], [100, 40]);
}

#[test]
fn kl_example_3_two_hoses_and_one() {
    for (wreck, cards) in [(7, 1), (3, 2)] {
        let table = Table::of(3).divers(0, &[hoses(2), hoses(1)]).wreck(wreck, &[gold(4); 5]);
        let mut state = table.dive_on(wreck.into());
        while let Some(diver) = (0..3).find(|diver| is_offered(&state, 0, &Action::DrawCard { diver: *diver })) {
            state = play(&state, 0, Action::DrawCard { diver }).next;
        }
        assert_eq!(held(&state, 0).len(), cards);
    }
}

#[test]
fn kl_example_4_two_divers_no_trident_monster_first() {
    let table = Table::of(3).divers(0, &[hoses(1), hoses(1)]).wreck(3, &[MONSTER, gold(2), gold(3)]);
    let state = play_all(&table.dive_on(3), 0, [Action::DrawCard { diver: 0 }, Action::Flee]);
    assert_eq!(state.players[0].divers.len(), 1);
    let surfaced = play_with(&state, 0, Action::Surface, unshuffled(3)).next;
    assert_eq!(wreck_faces(&surfaced, 3), [gold(2), gold(3), MONSTER]);
    let drawn = play(&state, 0, Action::DrawCard { diver: 0 }).next;
    let surfaced = play_with(&drawn, 0, Action::Surface, [(2, 0)]).next;
    assert_eq!(wreck_faces(&surfaced, 3), [MONSTER, gold(3)]);
}

#[test]
fn kl_example_5_a_monster_as_the_only_card_stays_alone() {
    let table = Table::of(3).divers(0, &[hoses(1)]).wreck(3, &[MONSTER]);
    let state = play_all(&table.dive_on(3), 0, [Action::DrawCard { diver: 0 }, Action::Flee]);
    let step = play(&state, 0, Action::Surface);
    assert_eq!(wreck_faces(&step.next, 3), [MONSTER]);
    assert!(!step.events.iter().any(|event| matches!(event, Event::WreckGone { .. })));
}

#[test]
fn kl_example_6_one_boat_to_a_wreck() {
    let state = Table::of(3).divers(1, &[trident(hoses(2))]).go(&[Dive, Dive, Bar]);
    let state = play(&state, 0, Action::PlaceBoat { wreck: 0 }).next;
    assert_eq!(refusal(&state, 1, Action::PlaceBoat { wreck: 0 }), ("KL-8", "BOAT_THERE"));
}

#[test]
fn kl_example_7_a_round_names_its_second_wreck_once_the_first_is_seen() {
    let table = |rules| Table::by(rules, 3).wreck(3, &[MONSTER, gold(4)]).go(&[Bar, Shop, Shop]);
    let state = table(Rules::V2);
    let step = play_with(&state, 0, Action::FirstWreck { wreck: 3 }, unshuffled(2));
    let Event::WreckSeen { wreck: 3, cards, .. } = &step.events[1] else { panic!("{:?}", step.events) };
    assert_eq!(cards.iter().map(|card| card.face.unwrap()).collect::<Vec<_>>(), [MONSTER, gold(4)]);
    assert_eq!((cash(&step.next, 0), asked(&step.next)), (80, (Phase::SecondWreck, [0].into())));
    assert_eq!(refusal(&step.next, 0, Action::Recruit), ("PHASE", "WRONG_PHASE"));
    let named = play_with(&step.next, 0, Action::SecondWreck { wreck: 0 }, unshuffled(5)).next;
    let declined = play(&step.next, 0, Action::NoSecondWreck).next;
    for state in [named, declined] {
        assert_eq!(cash(&state, 0), 80);
        play(&state, 0, Action::Recruit);
    }
    let at_once = Action::BuyRound { wrecks: [3, 0].into() };
    play_with(&table(Rules::V1), 0, at_once, unshuffled(2).chain(unshuffled(5)));
}

#[test]
fn kl_example_8_an_unsold_unit_may_be_worth_35() {
    let options = Options { unsold_unit: Some(35), ..Options::default() };
    let table = Table::at(fresh_by(Rules::V2, &options, 3, 0).next).cash(0, 0).cash(1, 0);
    let state = table.hand(0, Depth::Medium, &[goods(5)]).hand(1, Depth::Medium, &[diamond(100)]).ready();
    assert_eq!([0, 1].map(|seat| state.fortune(Seat(seat))), [175, 100]);
}

#[test]
fn kl_example_9_a_novice_diver_makes_nothing_dearer() {
    for (rules, paid) in [(Rules::V1, 60), (Rules::V2, 10)] {
        let bar = BarPrices { diver: [10].into(), pickpocket: [60].into() };
        let options = Options { encounters: true, bar: Some(bar), ..Options::default() };
        let table = Table::at(fresh_by(rules, &options, 3, 0).next).holds(0, &[Encounter::NoviceDiver]);
        let state = play_all(&table.go(&[Bar, Shop, Shop]), 0, [plain(Encounter::NoviceDiver), Action::Recruit]);
        assert_eq!(cash(&state, 0), 100 - paid);
    }
}

#[test]
fn kl_example_10_a_weight_after_a_treasure() {
    let table = Table::of(3).divers(0, &[hoses(0), weight(hoses(0))]).wreck(0, &[gold(2), goods(3), antiques(1)]);
    let use_weight = Action::UseWeight { diver: 1 };
    let state = table.dive_on(0);
    assert!(!is_offered(&state, 0, &use_weight), "no treasure was drawn");
    let state = play_all(&state, 0, [Action::DrawCard { diver: 0 }, use_weight]);
    assert!(!state.players[0].divers[1].weight);
    assert_eq!(faces(&state, 0), [gold(2), goods(3)]);
    let state = play(&state, 0, Action::DrawCard { diver: 1 }).next;
    assert_eq!(faces(&state, 0), [gold(2), goods(3), antiques(1)]);
}

#[test]
fn kl_example_11_a_pickpocket_for_a_deep_card() {
    let (red, green, yellow) = (0, 1, 2);
    let table = Table::of(3).hand(green, Depth::Shallow, &[goods(1)]).hand(green, Depth::Deep, &[gold(5), goods(6)]);
    let state = table.go(&[Bar, Shop, Shop]);
    let hire = Action::HirePickpocket { seat: green.into(), depth: Depth::Deep };
    let step = play_with(&state, red, hire, [(2, 0)]);
    assert_eq!(cash(&step.next, red), 100 - 60);
    assert_eq!((faces(&step.next, red), faces(&step.next, green)), (vec![gold(5)], vec![goods(1), goods(6)]));
    for (seat, face) in [(red, Some(gold(5))), (green, Some(gold(5))), (yellow, None)] {
        let seen = State::redact(State::NEWEST_RULES, &step.events[1], Viewer::Seat(Seat(seat)));
        let Some(Event::CardStolen { card, .. }) = seen else { panic!("{seen:?}") };
        assert_eq!((card.depth, card.face), (Depth::Deep, face));
    }
}

#[test]
fn kl_example_12_a_hasty_buyer_takes_the_goods() {
    let table = Table::with_encounters(3).holds(0, &[Encounter::HastyBuyer]).divers(0, &[hoses(0), hoses(0)]);
    let state = table.wreck(0, &[goods(3), gold(2), gold(1)]).dive_on(0);
    let state = play_all(&state, 0, [0, 1].map(|diver| Action::DrawCard { diver }));
    let treasure = held(&state, 0)[0];
    let state = play(&state, 0, Action::PlayEncounter(Play::HastyBuyer { treasure })).next;
    assert_eq!((cash(&state, 0), faces(&state, 0)), (100 + 120, vec![gold(2)]));
}

#[test]
fn kl_example_13_a_dupe_makes_antiques_sell_as_goods() {
    let table = Table::with_encounters(3).holds(0, &[Encounter::Dupe]);
    let state = table.hand(0, Depth::Medium, &[goods(4), antiques(3)]).go(&[Market, Market, Bar]);
    let [goods, antiques] = held(&state, 0)[..] else { panic!("two cards") };
    for (alone, income) in [(goods, 120), (antiques, 90)] {
        assert_eq!(cash(&play(&state, 0, Action::Sell { cards: vec![alone] }).next, 0), 100 + income);
    }
    let dupe = Action::PlayEncounter(Play::Dupe { treasure: antiques, ware: Ware::Goods });
    let state = play_all(&state, 0, [dupe, Action::Sell { cards: vec![goods, antiques] }]);
    assert_eq!(cash(&state, 0), 100 + 210);
}
