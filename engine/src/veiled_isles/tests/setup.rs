//! VI-0 to VI-5: components and set-up.

use alloc::{collections::BTreeSet, vec::Vec};

use super::super::{ActionCard, Colour, Deck, Event, Island, Options, Phase, State, Treasure};
use super::table::{fresh, fresh_with, identity, island, islands, treasure, treasures};
use crate::contract::Scripted;
use crate::{Game, Seat, SeatCount, SeatSet};

fn all_treasures(state: &State) -> Vec<Treasure> {
    let mut all: Vec<Treasure> =
        state.decks.iter().flat_map(|deck| deck.turned_up.iter().chain(&deck.face_down).copied()).collect();
    all.sort_unstable();
    all
}

fn points_of(state: &State, colour: Colour) -> Vec<u8> {
    all_treasures(state).iter().filter(|treasure| treasure.colour == colour).map(|treasure| treasure.points).collect()
}

#[test]
fn vi_0_three_to_five_players() {
    for count in 1..=6 {
        let seats = SeatCount::new(count).unwrap();
        if (3..=5).contains(&count) {
            assert_eq!(fresh(count as u8, 0).next.seats(), seats);
            continue;
        }
        // The number of seats is judged before the options.
        for options in [Options::default(), Options { treasure_values: Some(Vec::new()), ..Options::default() }] {
            let violation = State::setup(State::NEWEST_RULES, &options, seats, &mut Scripted::new([])).unwrap_err();
            assert_eq!((violation.rule, violation.reason), ("VI-0", "SEAT_COUNT"));
        }
    }
}

#[test]
fn vi_1_islands_are_four_colours_times_1_to_12() {
    let all = Island::all();
    let different: BTreeSet<(Colour, u8)> = all.iter().map(|island| (island.colour(), island.number())).collect();
    assert_eq!((all.len(), different.len()), (48, 48));
    assert!(all.iter().all(|island| (1..=12).contains(&island.number())));
    for colour in Colour::ALL {
        assert_eq!((Island::new(colour, 0), Island::new(colour, 13), Island::new(colour, 255)), (None, None, None));
        for number in 1..=12 {
            let island = Island::new(colour, number).unwrap();
            assert_eq!((island.colour(), island.number()), (colour, number));
        }
    }
}

#[test]
fn vi_1_treasures_bonus_cards_and_action_cards() {
    let state = fresh(4, 0).next;
    assert_eq!(all_treasures(&state).len(), 32);
    for colour in Colour::ALL {
        assert_eq!(points_of(&state, colour), [1, 2, 2, 3, 3, 4, 4, 5]);
    }
    assert_eq!(state.supply, 22);
    assert!(state.players.iter().all(|player| player.bonus == 0 && player.treasures.is_empty()));
    assert_eq!((state.red_blue_action, state.green_purple_action), (ActionCard::A1, ActionCard::A3));
}

#[test]
fn vi_2_three_players_leave_out_one_2_3_and_4_of_each_colour() {
    let state = fresh(3, 0).next;
    assert_eq!(state.decks.iter().map(|deck| deck.deck).collect::<Vec<_>>(), [Deck::Single]);
    assert_eq!(all_treasures(&state).len(), 20);
    for colour in Colour::ALL {
        assert_eq!(points_of(&state, colour), [1, 2, 3, 4, 5]);
    }
    let options = Options { treasure_values: Some([4, 3, 99, 2, 4, 4, 0, 2].to_vec()), ..Options::default() };
    let state = fresh_with(&options, 3, 0).next;
    for colour in Colour::ALL {
        assert_eq!(points_of(&state, colour), [0, 2, 4, 4, 99], "one of each, not all");
    }
}

#[test]
fn vi_2_four_or_five_players_have_two_decks_of_16() {
    for seats in [4, 5] {
        let state = fresh(seats, 0).next;
        assert_eq!(state.decks.iter().map(|deck| deck.deck).collect::<Vec<_>>(), [Deck::RedBlue, Deck::GreenPurple]);
        for deck in &state.decks {
            assert_eq!(deck.face_down.len() + 1, 16);
            let colours = deck.turned_up.iter().chain(&deck.face_down).map(|treasure| treasure.colour);
            assert!(colours.into_iter().all(|colour| deck.deck.colours().contains(&colour)));
        }
    }
}

#[test]
fn vi_3_each_deck_is_shuffled_and_its_top_turned_up() {
    // An identical shuffle answers each draw with the last place. Here the first draw of each shuffle differs.
    let mut draws = Vec::new();
    for (items, first) in [(16, 0), (16, 9), (48, 47)] {
        draws.push((items, first));
        draws.extend(identity(items - 1));
    }
    draws.push((4, 2));
    let seats = SeatCount::new(4).unwrap();
    let step = State::setup(State::NEWEST_RULES, &Options::default(), seats, &mut Scripted::new(draws)).unwrap();
    let [red_blue, green_purple] = &step.next.decks[..] else { panic!("two decks") };
    assert_eq!(red_blue.turned_up, Some(treasure("b5")), "swapped with the last place");
    assert_eq!(red_blue.face_down[..], treasures("r2 r2 r3 r3 r4 r4 r5 b1 b2 b2 b3 b3 b4 b4 r1"));
    assert_eq!(green_purple.turned_up, Some(treasure("g1")));
    assert_eq!(green_purple.face_down[..], treasures("g2 g2 g3 g3 g4 g4 g5 p1 p5 p2 p3 p3 p4 p4 p2"));
    assert_eq!(step.next.first_seat, Seat(2), "the first player is drawn last");
    let order = treasures("b5 r2 r2 r3 r3 r4 r4 r5 b1 b2 b2 b3 b3 b4 b4 r1");
    let expected = [
        Event::DeckShuffled { deck: Deck::RedBlue, size: 16, order: Some(order) },
        Event::TreasureTurnedUp { deck: Deck::RedBlue, treasure: treasure("b5") },
    ];
    assert_eq!(step.events[..2], expected);
    assert!(matches!(step.events[2], Event::DeckShuffled { deck: Deck::GreenPurple, size: 16, .. }));
    assert_eq!(step.events[3], Event::TreasureTurnedUp { deck: Deck::GreenPurple, treasure: treasure("g1") });
}

#[test]
fn vi_3_the_single_deck_of_three_players() {
    let step = fresh(3, 0);
    let order = treasures("r1 r2 r3 r4 r5 b1 b2 b3 b4 b5 g1 g2 g3 g4 g5 p1 p2 p3 p4 p5");
    assert_eq!(step.next.decks[0].turned_up, Some(order[0]));
    assert_eq!(step.next.decks[0].face_down[..], order[1..]);
    let expected = [
        Event::DeckShuffled { deck: Deck::Single, size: 20, order: Some(order) },
        Event::TreasureTurnedUp { deck: Deck::Single, treasure: treasure("r1") },
    ];
    assert_eq!(step.events[..2], expected);
}

#[test]
fn vi_4_hands_are_blocks_from_the_top_and_the_rest_is_set_aside() {
    for (seats, hand, aside) in [(3, 12, 12), (4, 12, 0), (5, 9, 3)] {
        let step = fresh(seats, 0);
        let mut dealt = Island::all().into_iter();
        let mut expected = alloc::vec![Event::IslandsShuffled { order: Some(Island::all().to_vec()) }];
        for seat in step.next.seats().seats() {
            let block: Vec<Island> = dealt.by_ref().take(hand).collect();
            assert_eq!(step.next.player(seat).hand, block.iter().copied().collect());
            expected.push(Event::HandDealt { seat, count: hand as u8, islands: Some(block) });
        }
        let rest: Vec<Island> = dealt.collect();
        assert_eq!(rest.len(), aside);
        assert_eq!(step.next.set_aside, rest.iter().copied().collect());
        expected.push(Event::IslandsSetAside { count: aside as u8, islands: Some(rest) });
        expected.push(Event::RoundStarted { round: 1, first_seat: Seat(0) });
        assert!(step.events.ends_with(&expected), "{:?}", step.events);
        assert_eq!(step.next.supply, 22);
    }
}

#[test]
fn vi_4_the_islands_are_shuffled() {
    // Only the first draw moves something: the last island, purple 12, comes to place 5.
    let mut draws: Vec<(u32, u32)> = identity(20).collect();
    draws.push((48, 4));
    draws.extend(identity(47));
    draws.push((3, 0));
    let seats = SeatCount::new(3).unwrap();
    let state = State::setup(State::NEWEST_RULES, &Options::default(), seats, &mut Scripted::new(draws)).unwrap().next;
    let hand: Vec<Island> = state.players[0].hand.iter().collect();
    assert_eq!(hand, islands("r1 r2 r3 r4 r6 r7 r8 r9 r10 r11 r12 p12"));
    assert!(state.set_aside.contains(island("r5")));
}

#[test]
fn vi_5_the_first_player_is_drawn_after_the_shuffles() {
    for seats in 3..=5 {
        for first in 0..seats {
            let step = fresh(seats, first);
            assert_eq!(step.next.first_seat, Seat(first));
            assert_eq!(step.events.last(), Some(&Event::RoundStarted { round: 1, first_seat: Seat(first) }));
            assert_eq!((step.next.phase, step.next.turn, step.next.trick), (Phase::Pass, None, 0));
            let everybody: SeatSet = step.next.seats().seats().collect();
            assert_eq!(step.next.to_act(), everybody);
        }
    }
}
