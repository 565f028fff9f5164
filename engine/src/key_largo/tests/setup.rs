//! KL-0 to KL-3: what a game begins with.

use alloc::{vec, vec::Vec};

use super::super::{Card, CardId, Depth, Diver, Encounter, Event, Half, Options, Phase, Rules, State, Stock, Tables};
use super::table::{asked, diamond, fresh, gold, goods, unshuffled};
use crate::contract::Scripted;
use crate::{Game, Seat, SeatCount, Step};

fn by_default(seats: u8) -> State {
    fresh(&Options::default(), seats, 0).next
}

#[test]
fn kl_0_three_to_five_players() {
    for seats in 1..=6 {
        if (3..=5).contains(&seats) {
            assert_eq!(by_default(seats).seats().get(), seats);
            continue;
        }
        let count = SeatCount::new(seats.into()).unwrap();
        // Even options that are wrong are judged after the seats.
        let options = Options { dolphins: Some(vec![]), ..Options::default() };
        let violation = State::setup(State::NEWEST_RULES, &options, count, &mut Scripted::new([])).unwrap_err();
        assert_eq!((violation.rule, violation.reason), ("KL-0", "SEAT_COUNT"));
        assert_eq!(violation.sentence, alloc::format!("Key Largo has 3 to 5 seats, not {seats}"));
    }
}

#[test]
fn kl_1_every_player_begins_with_100_dollars_and_one_bare_diver() {
    for seats in 3..=5 {
        let state = by_default(seats);
        for player in &state.players {
            assert_eq!(player.cash, 100);
            assert_eq!(player.divers[..], [Diver::default()]);
            assert!(player.hand.is_empty() && player.encounters.is_empty());
            assert_eq!((player.boat, player.programme, player.played), (None, None, None));
        }
        assert_eq!(state.reserve, Stock { divers: 15 - seats, items: [20, 10, 10] });
        assert_eq!(state.gone, Stock::default());
    }
}

#[test]
fn kl_2_wrecks_of_five_by_the_number_of_players() {
    for (seats, counts, removed) in [(3, [3, 4, 4], [5, 10, 10]), (4, [4, 5, 5], [0, 5, 5]), (5, [4, 6, 6], [0, 0, 0])]
    {
        let state = by_default(seats);
        let of_depth = |depth| state.wrecks.iter().filter(|wreck| wreck.depth == depth).count();
        assert_eq!(Depth::ALL.map(of_depth), counts, "{seats} players");
        assert!(state.wrecks.iter().all(|wreck| wreck.cards.len() == 5));
        assert!(state.wrecks.is_sorted_by_key(|wreck| wreck.depth), "shallow first");
        let removed_of = |depth| state.removed().of_depth(depth).len();
        assert_eq!(Depth::ALL.map(removed_of), removed, "{seats} players");
        // Every card is somewhere, once.
        let mut ids: Vec<CardId> = state.wrecks.iter().flat_map(|wreck| wreck.cards.to_vec()).collect();
        ids.extend(state.removed().iter());
        ids.sort_unstable();
        assert_eq!(ids, (0..80).map(CardId).collect::<Vec<_>>());
        assert!(ids.iter().all(|id| state.wrecks.iter().all(|w| !w.cards.contains(id) || w.depth == id.depth())));
    }
}

#[test]
fn kl_2_the_top_five_are_the_first_wreck() {
    let state = by_default(4);
    for (wreck, top) in [(0, 0), (1, 5), (3, 15), (4, 20), (8, 40), (9, 50), (13, 70)] {
        let ids: Vec<u8> = state.wrecks[wreck].cards.iter().map(|card| card.0).collect();
        assert_eq!(ids, (top..top + 5).collect::<Vec<_>>(), "wreck {wreck}");
    }
    let removed: Vec<u8> = state.removed().iter().map(|card| card.0).collect();
    assert_eq!(removed, [45, 46, 47, 48, 49, 75, 76, 77, 78, 79]);
}

#[test]
fn kl_2_each_depth_is_shuffled_by_itself_then_the_encounters_then_the_first_player() {
    // The first draw of each shuffle puts the first card last; the others leave everything.
    let swapped = |cards: u32| [(cards, 0)].into_iter().chain(unshuffled(cards - 1));
    let draws = swapped(20).chain(swapped(30)).chain(swapped(30)).chain(swapped(24)).chain([(3, 2)]);
    let draws = draws.chain([20, 30, 30].into_iter().flat_map(unshuffled));
    let options = Options { encounters: true, ..Options::default() };
    let seats = SeatCount::new(3).unwrap();
    let step = State::setup(State::NEWEST_RULES, &options, seats, &mut Scripted::new(draws)).unwrap();
    let state = &step.next;
    let face = |id| state.face(CardId(id));
    assert_eq!([face(0), face(18), face(19)], [super::table::antiques(3), super::table::antiques(2), gold(1)]);
    assert_eq!([face(20), face(49)], [super::table::antiques(5), super::table::MONSTER]);
    assert_eq!([face(50), face(79)], [super::table::antiques(7), super::table::MONSTER]);
    assert_eq!(state.encounter_deck[0], Encounter::GoldDigger);
    assert_eq!(state.encounter_deck[23], Encounter::Volunteer);
    assert_eq!((state.first_seat, state.turn), (Seat(2), Seat(2)));

    let card = |id| Card { depth: CardId(id).depth(), face: Some(face(id)), id: Some(CardId(id)) };
    let deck = state.encounter_deck.iter().map(|card| Some(*card)).collect();
    let expected = [
        Event::GameStarted { encounters: true, tables: Tables::reconstructed(State::NEWEST_RULES).into() },
        Event::WrecksLaid { wrecks: [3, 4, 4], cards: (0..80).map(card).collect() },
        Event::EncountersShuffled { deck },
        Event::DayStarted { day: 1, first_seat: Seat(2) },
    ];
    assert_eq!(step.events, expected);
}

#[test]
fn kl_2_without_encounters_there_is_no_deck_and_no_shuffle_of_it() {
    let step = fresh(&Options::default(), 3, 1);
    assert!(step.next.encounter_deck.is_empty());
    assert!(!step.events.iter().any(|event| matches!(event, Event::EncountersShuffled { .. })));
}

#[test]
fn kl_3_the_first_player_is_drawn_and_the_first_friday_begins() {
    for seats in 3..=5 {
        for first in 0..seats {
            let step = fresh(&Options::default(), seats, first);
            let state = step.next;
            assert_eq!((state.first_seat, state.day, state.half), (Seat(first), 1, Half::Morning));
            assert_eq!(asked(&state), (Phase::Program, (0..seats).collect()));
            assert_eq!(step.events.last(), Some(&Event::DayStarted { day: 1, first_seat: Seat(first) }));
        }
    }
}

#[test]
fn kl_t1_the_reconstructed_wreck_cards() {
    let state = by_default(5);
    let faces = |ids: core::ops::Range<u8>| ids.map(|id| state.face(CardId(id))).collect::<Vec<_>>();
    assert_eq!(faces(0..6), [1, 1, 1, 2, 2, 2].map(gold));
    assert_eq!(faces(6..13), [1, 1, 1, 2, 2, 2, 3].map(goods));
    assert_eq!(faces(13..20), [1, 1, 1, 2, 2, 2, 3].map(super::table::antiques));
    assert_eq!(faces(20..25), [super::table::MONSTER; 5]);
    assert_eq!(faces(25..27), [100, 100].map(diamond));
    assert_eq!(faces(27..34), [2, 2, 3, 3, 3, 4, 4].map(gold));
    assert_eq!(faces(34..42), [2, 2, 3, 3, 3, 4, 4, 5].map(goods));
    assert_eq!(faces(42..50), [2, 2, 3, 3, 3, 4, 4, 5].map(super::table::antiques));
    assert_eq!(faces(50..59), [super::table::MONSTER; 9]);
    assert_eq!(faces(59..63), [150, 200, 200, 250].map(diamond));
    assert_eq!(faces(63..68), [4, 4, 5, 5, 6].map(gold));
    assert_eq!(faces(68..74), [4, 5, 5, 6, 6, 7].map(goods));
    assert_eq!(faces(74..80), [4, 5, 5, 6, 6, 7].map(super::table::antiques));
}

#[test]
fn kl_r16_an_id_is_the_place_where_the_card_was_laid_version_1() {
    assert_eq!([0, 19, 20, 49, 50, 79].map(|id| CardId(id).depth() as u8), [1, 1, 2, 2, 3, 3]);
    assert_eq!(CardId::of(80), None);
    assert_eq!(CardId::of(256), None);
    // The same id is another card after another shuffle.
    let draws = [(20, 0)].into_iter().chain(unshuffled(19)).chain(unshuffled(30)).chain(unshuffled(30)).chain([(3, 0)]);
    let seats = SeatCount::new(3).unwrap();
    let other = State::setup(Rules::V1, &Options::default(), seats, &mut Scripted::new(draws)).unwrap().next;
    assert_ne!(other.face(CardId(0)), by_default(3).face(CardId(0)));
    assert_eq!(other.wrecks[0].cards[..], [0, 1, 2, 3, 4].map(CardId));
}

/// A game of three by version 2 with these draws for the shallow ids; everything else stays in its order.
fn with_shallow_ids(draws: impl IntoIterator<Item = (u32, u32)>) -> Step<State> {
    let deeper = || [30, 30].into_iter().flat_map(unshuffled);
    let draws = unshuffled(20).chain(deeper()).chain([(3, 1)]).chain(draws).chain(deeper());
    let seats = SeatCount::new(3).unwrap();
    State::setup(Rules::V2, &Options::default(), seats, &mut Scripted::new(draws)).unwrap()
}

#[test]
fn kl_r16_the_ids_of_each_depth_are_shuffled_after_the_first_player_version_2() {
    // The first draw puts the lowest id last and the highest first; the others leave everything.
    let Step { next: state, events } = with_shallow_ids([(20, 0)].into_iter().chain(unshuffled(19)));
    let plain = by_default(3);
    assert_eq!(state.first_seat, Seat(1));
    assert_eq!(state.wrecks[0].cards[..], [19, 1, 2, 3, 4].map(CardId));
    assert_eq!(state.wrecks[1].cards, plain.wrecks[1].cards);
    // What lies where is as it was: only the names of the cards are others.
    assert_eq!((state.face(CardId(19)), state.face(CardId(0))), (plain.face(CardId(0)), plain.face(CardId(19))));
    let removed: Vec<u8> = state.removed().iter().map(|card| card.0).collect();
    assert_eq!(removed[..6], [0, 15, 16, 17, 18, 40]);
    let Event::WrecksLaid { cards, .. } = &events[1] else { panic!("{events:?}") };
    let laid = [19].into_iter().chain(1..19).chain([0]).chain(20..80).map(CardId);
    assert_eq!(cards.iter().map(|card| card.id.unwrap()).collect::<Vec<_>>(), laid.collect::<Vec<_>>());
    assert!(cards.iter().all(|card| card.face == Some(state.face(card.id.unwrap()))));
    assert_eq!(cards[0], Card { depth: Depth::Shallow, face: Some(gold(1)), id: Some(CardId(19)) });
}

#[test]
fn kl_r16_an_id_tells_the_depth_alone_version_2() {
    let events = with_shallow_ids([(20, 7)].into_iter().chain(unshuffled(19))).events;
    let Event::WrecksLaid { cards, .. } = &events[1] else { panic!("{events:?}") };
    let ids: Vec<CardId> = cards.iter().map(|card| card.id.unwrap()).collect();
    for (place, id) in ids.iter().enumerate() {
        assert_eq!(id.depth(), CardId(place as u8).depth());
    }
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..80).map(CardId).collect::<Vec<_>>(), "each id once");
}
