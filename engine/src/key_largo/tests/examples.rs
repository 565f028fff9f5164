//! The worked examples of the rule book.

use super::super::{Action, Depth, Event, Half, Item, Phase, Place};
use super::table::{
    MONSTER, Table, asked, cash, faces, gold, goods, held, hoses, is_offered, play, play_all, play_with, refusal,
    trident, unshuffled, wreck_faces,
};
use crate::Seat;

use Place::{Bar, Dive, Dolphins, Market, Shop};

fn round(wrecks: [u32; 2]) -> Action {
    Action::BuyRound { wrecks: wrecks.into() }
}

fn two_shuffles() -> impl Iterator<Item = (u32, u32)> {
    unshuffled(5).chain(unshuffled(5))
}

#[test]
fn kl_example_1_the_first_day_of_four_players() {
    let (red, green, yellow, mauve) = (0, 1, 2, 3);
    let wreck = [MONSTER, gold(3), goods(2), goods(4), goods(5)];
    let mut state = Table::of(4).wreck(4, &wreck).ready();
    for (seat, morning, afternoon) in
        [(mauve, Shop, Dive), (red, Bar, Dive), (yellow, Dolphins, Bar), (green, Dolphins, Bar)]
    {
        state = play(&state, seat, Action::Program { morning, afternoon }).next;
    }
    // Morning.
    let state = play(&state, red, Action::Recruit).next;
    let state = play_with(&state, red, round([0, 9]), two_shuffles()).next;
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
    let state = play_with(&state, green, round([1, 5]), two_shuffles()).next;
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
