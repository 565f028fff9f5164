//! The table "who sees what", row by row: views and events for owners, other seats, spectators and auditors.

use alloc::{vec, vec::Vec};

use super::super::{
    Action, Card, CardId, Depth, Encounter, Event, Face, Half, Options, Phase, Place, Play, SaleWay, State, Ware,
};
use super::table::{
    MONSTER, Table, antiques, diamond, fresh, gold, goods, held, hoses, play, play_with, trident, unshuffled,
};
use crate::{Game, Seat, Viewer};

use Place::{Bar, Dive, Dolphins, Market, Shop};

const OWNER: Viewer = Viewer::Seat(Seat(0));
const OTHER: Viewer = Viewer::Seat(Seat(1));
const EVERYBODY: [Viewer; 5] = [OWNER, OTHER, Viewer::Seat(Seat(2)), Viewer::Spectator, Viewer::Auditor];

/// Whether a viewer sees what belongs to seat 0.
fn sees(viewer: Viewer) -> bool {
    viewer == OWNER || viewer == Viewer::Auditor
}

fn faces(cards: &[Card]) -> Vec<Option<Face>> {
    cards.iter().map(|card| card.face).collect()
}

fn backs(cards: &[Card]) -> Vec<Depth> {
    assert!(cards.iter().all(|card| card.face.is_none() && card.id.is_none()), "{cards:?}");
    cards.iter().map(|card| card.depth).collect()
}

/// An event as each viewer sees it.
fn shown(event: &Event) -> [Event; 5] {
    EVERYBODY.map(|viewer| State::redact(State::NEWEST_RULES, event, viewer).expect("everybody sees that it happened"))
}

#[test]
fn kl_4_a_programme_is_secret_until_its_half_day_each_on_its_own() {
    let state = fresh(&Options::default(), 3, 0).next;
    let step = play(&state, 0, Action::Program { morning: Bar, afternoon: Dive });
    for viewer in EVERYBODY {
        let seen = |place| sees(viewer).then_some(place);
        let player = &step.next.view(viewer).players[0];
        assert!(player.programmed, "that it is set is for all");
        assert_eq!((player.morning, player.afternoon, player.place), (seen(Bar), seen(Dive), None));
        let event = Event::Programmed { seat: Seat(0), morning: seen(Bar), afternoon: seen(Dive) };
        assert_eq!(State::redact(State::NEWEST_RULES, &step.events[0], viewer), Some(event));
        assert!(!step.next.view(viewer).players[1].programmed);
    }
    let morning = Table::of(3).go(&[Bar, Bar, Bar]);
    let afternoon = Table::of(3).afternoon().go(&[Bar, Bar, Bar]);
    for viewer in EVERYBODY {
        let player = &morning.view(viewer).players[0];
        assert_eq!((player.morning, player.place), (Some(Bar), Some(Bar)));
        assert_eq!(player.afternoon, sees(viewer).then_some(Shop));
        let player = &afternoon.view(viewer).players[0];
        assert_eq!((player.morning, player.afternoon, player.place), (Some(Shop), Some(Bar), Some(Bar)));
    }
}

#[test]
fn everybody_sees_money_divers_boats_wrecks_reserve_and_day() {
    let table =
        Table::with_encounters(3).day(4).cash(1, 77).divers(0, &[trident(hoses(2)), hoses(0)]).wreck(2, &[gold(1)]);
    let state = table.dive_on(2);
    for viewer in EVERYBODY {
        let view = state.view(viewer);
        assert_eq!((view.day, view.half, view.phase, view.first_seat), (4, Half::Morning, Phase::Dive, Seat(0)));
        assert_eq!((view.turn, view.to_act.bits()), (Some(Seat(0)), 1));
        assert_eq!(view.players[1].cash, 77);
        assert_eq!(view.players[0].divers, state.players[0].divers.to_vec());
        assert_eq!((view.players[0].boat, view.wrecks[2].boat), (Some(2), Some(Seat(0))));
        let wrecks: Vec<_> = view.wrecks.iter().map(|wreck| (wreck.depth, wreck.cards.len())).collect();
        assert_eq!(wrecks[..4], [(Depth::Shallow, 5), (Depth::Shallow, 5), (Depth::Shallow, 1), (Depth::Medium, 5)]);
        assert_eq!((view.reserve, view.gone), (state.reserve, state.gone));
        assert_eq!(view.encounter_deck.len(), 24);
        assert_eq!(view.tables, state.tables);
        // The four that the table took out of the wreck are nowhere else either.
        assert_eq!(view.removed.len(), 25 + 4);
        assert_eq!(view.dive.unwrap().wreck, 2);
    }
}

#[test]
fn kl_11_others_see_the_depth_of_each_back() {
    let table = Table::of(3).hand(0, Depth::Deep, &[gold(6), diamond(250)]).hand(0, Depth::Shallow, &[goods(1)]);
    let state = table.ready();
    for viewer in EVERYBODY {
        let view = state.view(viewer);
        let hand = &view.players[0].hand;
        if sees(viewer) {
            assert_eq!(faces(hand), [Some(goods(1)), Some(gold(6)), Some(diamond(250))]);
            assert_eq!(hand.iter().map(|card| card.id.unwrap().0).collect::<Vec<_>>(), [19, 78, 79]);
            assert_eq!(view.players[0].fortune, Some(100 + 20 + 120 + 250));
        } else {
            assert_eq!(backs(hand), [Depth::Shallow, Depth::Deep, Depth::Deep]);
            assert_eq!(view.players[0].fortune, None);
        }
    }
}

#[test]
fn kl_11_a_treasure_drawn_is_secret() {
    let state = Table::of(3).wreck(0, &[antiques(3), gold(1)]).dive_on(0);
    let step = play(&state, 0, Action::DrawCard { diver: 0 });
    for (viewer, event) in EVERYBODY.into_iter().zip(shown(&step.events[0])) {
        let Event::CardDrawn { card, .. } = event else { panic!("{event:?}") };
        let drawn = step.next.view(viewer).dive.unwrap().drawn;
        let seen = sees(viewer).then_some(antiques(3));
        assert_eq!((card.face, card.id), (seen, seen.map(|_| CardId(0))));
        assert_eq!(drawn, [card]);
    }
}

#[test]
fn kl_r21_everybody_sees_a_monster_but_not_which() {
    let state =
        Table::of(3).divers(0, &[trident(hoses(1)), hoses(1)]).wreck(3, &[MONSTER, MONSTER, gold(2)]).dive_on(3);
    let met = play(&state, 0, Action::DrawCard { diver: 0 });
    let killed = play(&met.next, 0, Action::UseTrident { diver: 0 });
    let fled = play(&killed.next, 0, Action::Flee);
    let back = play_with(&fled.next, 0, Action::Surface, unshuffled(2));
    for viewer in EVERYBODY {
        let auditor = viewer == Viewer::Auditor;
        let monster = |id| Card { depth: Depth::Medium, face: Some(MONSTER), id: auditor.then_some(CardId(id)) };
        assert_eq!(met.next.view(viewer).dive.unwrap().monster, Some(monster(20)));
        assert_eq!(killed.next.view(viewer).monsters_killed, [monster(20)]);
        assert_eq!(fled.next.view(viewer).dive.unwrap().set_aside, [monster(21)]);
        let redacted = |event| State::redact(State::NEWEST_RULES, event, viewer).unwrap();
        assert!(matches!(redacted(&met.events[0]), Event::CardDrawn { card, .. } if card == monster(20)));
        assert!(matches!(redacted(&killed.events[0]), Event::MonsterKilled { card, .. } if card == monster(20)));
        assert!(matches!(redacted(&back.events[1]), Event::MonstersReturned { cards, .. } if cards == [monster(21)]));
    }
}

#[test]
fn kl_25_others_see_the_number_of_encounter_cards() {
    let table = Table::with_encounters(3).holds(0, &[Encounter::Family, Encounter::Saboteur]);
    let state = table.ready();
    for viewer in EVERYBODY {
        let shown = |card| sees(viewer).then_some(card);
        let held = &state.view(viewer).players[0].encounters;
        assert_eq!(*held, [shown(Encounter::Family), shown(Encounter::Saboteur)]);
    }
    let step = Table::with_encounters(3).go_step(&[Dolphins, Bar, Bar]);
    let drawn = step.events.iter().find(|event| matches!(event, Event::EncounterDrawn { .. })).unwrap();
    for (viewer, event) in EVERYBODY.into_iter().zip(shown(drawn)) {
        let encounter = sees(viewer).then_some(Encounter::Volunteer);
        assert_eq!(event, Event::EncounterDrawn { seat: Seat(0), encounter });
    }
}

#[test]
fn kl_18_only_the_looker_sees_the_cards_and_until_the_next_action() {
    let state = Table::of(3).wreck(0, &[goods(3), gold(1)]).wreck(1, &[gold(2)]).go(&[Bar, Bar, Bar]);
    let step = play_with(&state, 0, Action::FirstWreck { wreck: 0 }, [(2, 1)]);
    for viewer in EVERYBODY {
        let looks = step.next.view(viewer).looks;
        assert_eq!(looks.iter().map(|look| (look.seat.0, look.wreck)).collect::<Vec<_>>(), [(0, 0)]);
        let Some(Event::WreckSeen { cards, .. }) = State::redact(State::NEWEST_RULES, &step.events[1], viewer) else {
            panic!()
        };
        assert_eq!(looks[0].cards, cards);
        if sees(viewer) {
            assert_eq!(faces(&cards), [Some(gold(1)), Some(goods(3))], "by face, not in the order of the pile");
            assert!(cards.iter().all(|card| card.id.is_none()));
        } else {
            assert_eq!(backs(&cards), [Depth::Shallow; 2]);
        }
        let later = play(&step.next, 0, Action::NoSecondWreck).next;
        assert!(later.view(viewer).looks.is_empty());
        let second = play(&step.next, 0, Action::SecondWreck { wreck: 1 });
        let looks = second.next.view(viewer).looks;
        assert_eq!(looks.iter().map(|look| (look.seat.0, look.wreck)).collect::<Vec<_>>(), [(0, 1)]);
        let named = Event::SecondWreckNamed { seat: Seat(0), wreck: 1 };
        assert_eq!(State::redact(State::NEWEST_RULES, &second.events[0], viewer), Some(named), "which one is for all");
        assert_eq!(faces(&looks[0].cards), [sees(viewer).then_some(gold(2))]);
    }
}

#[test]
fn kl_17_a_stolen_card_is_seen_by_thief_and_victim() {
    let state = Table::of(3).hand(1, Depth::Deep, &[gold(6)]).go(&[Bar, Bar, Bar]);
    let step = play_with(&state, 0, Action::HirePickpocket { seat: 1, depth: Depth::Deep }, [(1, 0)]);
    for (viewer, event) in EVERYBODY.into_iter().zip(shown(&step.events[1])) {
        let Event::CardStolen { card, .. } = event else { panic!("{event:?}") };
        let seen = sees(viewer) || viewer == OTHER;
        assert_eq!(
            (card.depth, card.face, card.id),
            (Depth::Deep, seen.then_some(gold(6)), seen.then_some(CardId(79)),)
        );
    }
}

#[test]
fn only_auditors_see_wrecks_decks_and_removed_cards() {
    let step = fresh(&Options { encounters: true, ..Options::default() }, 3, 0);
    for viewer in EVERYBODY {
        let view = step.next.view(viewer);
        let redacted = |place: usize| State::redact(State::NEWEST_RULES, &step.events[place], viewer).unwrap();
        let (Event::WrecksLaid { cards, .. }, Event::EncountersShuffled { deck }) = (redacted(1), redacted(2)) else {
            panic!("{:?}", step.events)
        };
        if viewer == Viewer::Auditor {
            assert_eq!(view.wrecks[1].cards.iter().map(|card| card.id.unwrap().0).collect::<Vec<_>>(), [5, 6, 7, 8, 9]);
            assert_eq!(view.removed[0], Card { depth: Depth::Shallow, face: Some(antiques(1)), id: Some(CardId(15)) });
            assert_eq!(view.encounter_deck[23], Some(Encounter::GoldDigger));
            assert_eq!((cards[79].face, deck[0]), (Some(antiques(7)), Some(Encounter::Volunteer)));
        } else {
            view.wrecks.iter().for_each(|wreck| assert_eq!(backs(&wreck.cards), [wreck.depth; 5]));
            assert_eq!(backs(&view.removed).len(), 25);
            assert!(view.encounter_deck.iter().chain(&deck).all(Option::is_none));
            assert_eq!(backs(&cards).len(), 80);
        }
    }
}

#[test]
fn a_shuffle_shows_its_order_to_auditors_alone() {
    let state = Table::of(3).go(&[Bar, Bar, Bar]);
    let step = play_with(&state, 0, Action::FirstWreck { wreck: 0 }, unshuffled(5));
    for (viewer, event) in EVERYBODY.into_iter().zip(shown(&step.events[2])) {
        let Event::WreckShuffled { cards, .. } = event else { panic!("{event:?}") };
        if viewer == Viewer::Auditor {
            assert_eq!(cards.iter().map(|card| card.id.unwrap().0).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        } else {
            assert_eq!(backs(&cards), [Depth::Shallow; 5]);
        }
    }
}

#[test]
fn kl_r21_cards_sold_are_shown_to_all_without_ids_in_an_order_that_tells_nothing() {
    let state = Table::of(3).hand(0, Depth::Shallow, &[gold(2), gold(1), goods(1)]).go(&[Market, Market, Bar]);
    let step = play(&state, 0, Action::Sell { cards: vec![17, 18] });
    for (viewer, event) in EVERYBODY.into_iter().zip(shown(&step.events[0])) {
        let Event::CardsSold { cards, way: SaleWay::Market, .. } = event else { panic!("{event:?}") };
        let view = step.next.view(viewer);
        if sees(viewer) {
            assert_eq!(cards.iter().map(|card| card.id.unwrap().0).collect::<Vec<_>>(), [17, 18]);
        } else {
            assert_eq!(faces(&cards), [Some(gold(1)), Some(gold(2))]);
            assert!(cards.iter().all(|card| card.id.is_none()));
        }
        if viewer == Viewer::Auditor {
            assert_eq!(view.sold, cards);
        } else {
            assert_eq!(faces(&view.sold), [Some(gold(1)), Some(gold(2))]);
            assert!(view.sold.iter().all(|card| card.id.is_none()));
        }
    }
}

#[test]
fn kl_r21_encounters_played_are_shown_to_all_but_a_dupes_card_stays_hidden_until_it_is_sold() {
    let table = Table::with_encounters(3).holds(0, &[Encounter::Dupe]).hand(0, Depth::Deep, &[gold(6)]);
    let state = table.go(&[Market, Bar, Bar]);
    let dupe = Play::Dupe { treasure: held(&state, 0)[0], ware: Ware::Goods };
    let step = play(&state, 0, Action::PlayEncounter(dupe));
    for (viewer, event) in EVERYBODY.into_iter().zip(shown(&step.events[0])) {
        let Event::EncounterPlayed { encounter, dupe: Some(card), ware, .. } = event else { panic!("{event:?}") };
        assert_eq!((encounter, ware, card.depth), (Encounter::Dupe, Some(Ware::Goods), Depth::Deep));
        assert_eq!(card.face, sees(viewer).then_some(gold(6)));
        let view = step.next.view(viewer);
        assert_eq!(view.visit.unwrap().dupe, Some((card, Ware::Goods)));
        assert_eq!(view.encounters_played, [Encounter::Dupe]);
        assert_eq!(view.players[0].encounter_played, Some(Encounter::Dupe));
    }
}

#[test]
fn visits_are_open() {
    let state = Table::of(3).go(&[Shop, Shop, Bar]);
    let state = play(&state, 0, Action::Buy { item: super::super::Item::Weight, diver: 0 }).next;
    for viewer in EVERYBODY {
        let visit = state.view(viewer).visit.unwrap();
        assert_eq!((visit.present, visit.bought), (2, [0, 0, 1]));
        assert_eq!(state.view(viewer).dive, None);
    }
}

#[test]
fn once_the_game_is_over_everybody_sees_everything() {
    let table = Table::with_encounters(3).day(10).afternoon().holds(0, &[Encounter::Regular]);
    let table = table.hand(0, Depth::Deep, &[gold(6)]).with(|state| state.sold.insert(CardId(70)));
    let state = play(&table.go(&[Dolphins, Dolphins, Dolphins]), 0, Action::Done).next;
    assert_eq!(state.phase, Phase::Over);
    let all = state.view(Viewer::Auditor);
    assert_eq!(all.players[0].encounters[0], Some(Encounter::Regular));
    assert!(all.wrecks.iter().flat_map(|wreck| &wreck.cards).all(|card| card.id.is_some()));
    for viewer in EVERYBODY {
        assert_eq!(state.view(viewer), all);
    }
}

#[test]
fn the_open_events_are_the_same_for_everybody() {
    let step = Table::of(3).cash(0, 500).go_step(&[Bar, Shop, Dolphins]);
    let recruited = play(&step.next, 0, Action::Recruit);
    let done = play(&recruited.next, 0, Action::Done);
    for event in step.events.iter().chain(&recruited.events).chain(&done.events) {
        assert!(shown(event).iter().all(|seen| seen == event), "{event:?}");
    }
}
