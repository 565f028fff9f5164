//! CC-12 and CC-16: map and drone, with navigator and mystic.

use alloc::vec::Vec;

use super::super::{Action, Diver, Event, Phase, Skip, Source, Suit};
use super::table::{Table, card, cards, draw, has_incident, place, play, play_with, refusal, skipped, unshuffled};
use crate::Seat;

#[test]
fn cc_12_the_graveyard_is_shuffled_and_three_cards_are_shown() {
    let state = Table::of(2).pile("map 3, siren 7").graveyard("net 2, key 2, siren 4, chest 2, anchor 2").ready();
    // The first draw swaps the bottom card to the top.
    let draws = [(5, 0), (4, 3), (3, 2), (2, 1)];
    let step = play_with(&state, Action::Draw, &draws);
    let order = cards("anchor 2, key 2, siren 4, chest 2, net 2");
    assert_eq!(step.events[2], Event::GraveyardShuffled { size: 5, order });
    let shown = cards("anchor 2, key 2, siren 4");
    assert_eq!(step.events[3], Event::MapShowed { seat: Seat(0), count: 3, cards: shown });
    assert_eq!(step.next.phase, Phase::Map);
    assert_eq!(step.next.choices(), [place("anchor 2"), place("key 2"), place("siren 4")]);
    assert_eq!(step.next.graveyard.len(), 5, "they still count in the graveyard");
    for other in ["chest 2", "net 2", "siren 9", "map 3"] {
        assert_eq!(refusal(&step.next, 0, place(other)), ("CC-12", "NOT_SHOWN"));
    }
    let step = play(&step.next, place("key 2"));
    let key = card("key 2");
    assert_eq!(step.events[0], Event::PlacedFromMap { seat: Seat(0), card: key });
    let entered = Event::Entered { seat: Seat(0), card: key, source: Source::Graveyard, squid_demand: 0 };
    assert_eq!(step.events[1], entered);
    assert_eq!(step.next.row_names(), "map 3, key 2");
    assert_eq!(step.next.graveyard_names(), "anchor 2, siren 4, chest 2, net 2");
    assert_eq!((step.next.phase, step.next.map_count), (Phase::Explore, 0));
}

#[test]
fn cc_12_the_cards_are_shown_in_the_order_of_suits_whatever_lies_on_top() {
    let state = Table::of(2).pile("map 3, siren 7").graveyard("siren 4, key 5, key 2").ready();
    let step = play_with(&state, Action::Draw, &unshuffled(3));
    let shown = cards("key 2, key 5, siren 4");
    assert_eq!(step.events[3], Event::MapShowed { seat: Seat(0), count: 3, cards: shown });
}

#[test]
fn cc_12_as_many_as_there_are() {
    for (graveyard, shown) in [("siren 4, net 2", 2), ("siren 4", 1)] {
        let state = Table::of(2).pile("map 3, siren 7").graveyard(graveyard).ready();
        let next = play_with(&state, Action::Draw, &unshuffled(shown)).next;
        assert_eq!((next.phase, next.choices().len()), (Phase::Map, shown as usize), "one answer is asked too");
    }
}

#[test]
fn cc_12_empty_graveyard_no_effect() {
    let step = draw(&Table::of(2).pile("map 3, siren 7").ready());
    assert_eq!(skipped(&step, Suit::Map), Some(Skip::EmptyGraveyard));
    assert_eq!(step.next.phase, Phase::Explore);
}

#[test]
fn cc_12_one_must_be_placed_even_into_an_incident() {
    let state = Table::of(2).row("key 5").pile("map 3, siren 7").graveyard("map 2, key 2").ready();
    let state = play_with(&state, Action::Draw, &unshuffled(2)).next;
    for action in [Action::Draw, Action::Surface] {
        assert_eq!(refusal(&state, 0, action), ("PHASE", "WRONG_PHASE"));
    }
    for (placed, graveyard) in [("map 2", "map 2, map 3, key 5, key 2"), ("key 2", "key 2, map 3, key 5, map 2")] {
        let step = play(&state, place(placed));
        assert!(has_incident(&step));
        assert_eq!(step.next.graveyard_names(), graveyard);
        assert_eq!((step.next.turn, step.next.map_count), (Seat(1), 0));
    }
}

#[test]
fn cc_d5_the_navigators_map_shows_the_whole_graveyard_unshuffled() {
    let graveyard = "siren 4, net 2, key 2, chest 2, anchor 2";
    let state = Table::of(2).diver(0, Diver::Navigator).pile("map 3, siren 7").graveyard(graveyard).ready();
    let step = draw(&state);
    let shown = cards("anchor 2, key 2, chest 2, net 2, siren 4");
    assert_eq!(step.events[2..], [Event::MapShowed { seat: Seat(0), count: 5, cards: shown.clone() }]);
    let choices: Vec<Action> = shown.into_iter().map(|card| Action::PlaceFromMap { card }).collect();
    assert_eq!(step.next.choices(), choices);
    let next = play(&step.next, place("chest 2")).next;
    assert_eq!(next.graveyard_names(), "siren 4, net 2, key 2, anchor 2");
    // An opponent's map is as usual.
    let state = Table::of(2).diver(1, Diver::Navigator).pile("map 3, siren 7").graveyard(graveyard).ready();
    assert_eq!(play_with(&state, Action::Draw, &unshuffled(5)).next.choices().len(), 3);
    // Neither is an empty graveyard of use to a navigator.
    let state = Table::of(2).diver(0, Diver::Navigator).pile("map 3, siren 7").ready();
    assert_eq!(skipped(&draw(&state), Suit::Map), Some(Skip::EmptyGraveyard));
}

#[test]
fn cc_16_the_drone_shows_the_top_card_and_the_player_draws_or_surfaces() {
    let state = Table::of(2).pile("drone 3, siren 7, key 7").ready();
    let step = draw(&state);
    assert_eq!(step.events[2], Event::DroneShowed { seat: Seat(0), count: 1, cards: cards("siren 7") });
    assert_eq!(step.next.choices(), [Action::Draw, Action::Surface]);
    assert_eq!(step.next.draw_pile_names(), "siren 7, key 7", "it stays where it is");
    assert_eq!(draw(&step.next).next.row_names(), "drone 3, siren 7");
    assert_eq!(play(&step.next, Action::Surface).next.draw_pile_names(), "siren 7, key 7");
}

#[test]
fn cc_16_what_was_seen_stays_visible_until_the_next_draw_or_the_end_of_the_turn() {
    let shown = Table::of(2).row("drone 3").drone_shows(1).pile("net 4, siren 7").hold(0, "key 5");
    let state = shown.ready();
    assert_eq!(draw(&state).next.drone_count, 0);
    assert_eq!(play(&state, Action::Surface).next.drone_count, 0);
    // A drone that a net brings in is seen while the hook's second card is chosen.
    let hook = Table::of(2).diver(0, Diver::CaptainsHook).pile("net 4, siren 7").hold(0, "drone 5, key 5").ready();
    let state = play(&draw(&hook).next, Action::Net { suit: Suit::Drone }).next;
    assert_eq!((state.phase, state.drone_count), (Phase::Net, 1));
    let state = play(&state, Action::Net { suit: Suit::Key }).next;
    assert_eq!((state.phase, state.drone_count), (Phase::Explore, 1));
}

#[test]
fn cc_16_empty_draw_pile_no_effect() {
    let step = draw(&Table::of(2).pile("drone 3").ready());
    assert_eq!(skipped(&step, Suit::Drone), Some(Skip::EmptyDrawPile));
    assert_eq!((step.next.drone_count, step.next.choices()), (0, [Action::Surface].to_vec()));
}

#[test]
fn cc_d9_the_mystics_drone_shows_the_next_three_in_order() {
    for (pile, shown) in [
        ("drone 3, siren 7, key 7, anchor 4, net 5", "siren 7, key 7, anchor 4"),
        ("drone 3, siren 7, key 7", "siren 7, key 7"),
        ("drone 3, siren 7", "siren 7"),
    ] {
        let step = draw(&Table::of(2).diver(0, Diver::Mystic).pile(pile).ready());
        let cards = cards(shown);
        let count = cards.len() as u8;
        assert_eq!(step.events[2], Event::DroneShowed { seat: Seat(0), count, cards });
        assert_eq!(step.next.draw_pile_names(), pile.strip_prefix("drone 3, ").unwrap());
        assert_eq!(step.next.drone_count, count);
        let next = draw(&step.next).next;
        assert_eq!(next.drone_count, 0, "after the next card nothing is shown any more");
    }
    let other = Table::of(2).diver(1, Diver::Mystic).pile("drone 3, siren 7, key 7").ready();
    assert_eq!(draw(&other).next.drone_count, 1, "an opponent's drone shows one");
    let last = Table::of(2).diver(0, Diver::Mystic).pile("drone 3").ready();
    assert_eq!(skipped(&draw(&last), Suit::Drone), Some(Skip::EmptyDrawPile));
}
