//! The worked examples of the rule book.

use super::super::{Action, Diver, Event, Suit, Variant};
use super::table::{Table, cards, draw, harpoon, has_incident, knife, net, place, play, play_with, unshuffled};
use crate::{Game, Seat, SeatSet};

#[test]
fn cc_example_1_an_anchor_saves_what_lies_before_it() {
    let state = Table::of(2).fresh_turn().pile("siren 5, knife 3, anchor 4, siren 6, key 7").ready();
    let mut state = state;
    for _ in 0..3 {
        state = draw(&state).next;
    }
    assert_eq!(state.row_names(), "siren 5, knife 3, anchor 4", "no opponent has cards");
    let next = draw(&state).next;
    assert_eq!(next.hold_of(0), "knife 3, siren 5");
    assert_eq!(next.graveyard_names(), "siren 6, anchor 4");
}

#[test]
fn cc_example_2_a_net_without_effect_is_the_first_card_for_a_squid() {
    let state = Table::of(2).fresh_turn().pile("squid 4, net 3, key 7").ready();
    let state = draw(&draw(&state).next).next;
    assert_eq!((state.squid_demand, state.choices()), (1, [Action::Draw].to_vec()));
}

#[test]
fn cc_example_3_a_map_and_the_key_it_places_meet_the_demand() {
    let state = Table::of(2).fresh_turn().pile("squid 4, map 3, siren 7").graveyard("key 2, net 2").ready();
    let state = play_with(&draw(&state).next, Action::Draw, &unshuffled(2)).next;
    let state = play(&state, place("key 2")).next;
    assert_eq!((state.squid_demand, state.choices()), (0, [Action::Draw, Action::Surface].to_vec()));
}

#[test]
fn cc_example_4_four_cards_and_a_bonus_of_three() {
    let state = Table::of(2).row("key 3, drone 4, chest 5, siren 6").graveyard("net 2, map 2, anchor 2").ready();
    let next = play_with(&state, Action::Surface, &unshuffled(3)).next;
    assert_eq!(next.hold_of(0), "anchor 2, map 2, key 3, chest 5, drone 4, net 2, siren 6");
    assert_eq!(next.graveyard_names(), "");
}

#[test]
fn cc_example_5_a_harpoon_may_not_take_a_suit_you_have() {
    let state = Table::of(2).pile("harpoon 5, siren 7").hold(0, "squid 3").hold(1, "squid 7, net 3").ready();
    assert_eq!(draw(&state).next.choices(), [harpoon(1, Suit::Net)]);
}

#[test]
fn cc_example_6_netting_an_anchor_onto_an_anchor() {
    let state = Table::of(2).row("siren 5, key 4, anchor 3").pile("net 3, siren 7").hold(0, "anchor 6").ready();
    let step = play(&draw(&state).next, net(Suit::Anchor));
    assert!(has_incident(&step));
    assert_eq!(step.next.hold_of(0), "key 4, siren 5");
    assert_eq!(step.next.graveyard_names(), "anchor 6, net 3, anchor 3");
}

#[test]
fn cc_example_7_equal_points_and_more_cards() {
    // 41 points each: 12 cards against 14.
    let one = "anchor 7, squid 7, map 7, key 7, chest 7, net 6, anchor 2, squid 2, map 2, key 2, chest 2, net 2";
    let two = "knife 7, drone 7, harpoon 7, siren 9, net 7, map 4, \
               knife 3, knife 4, drone 3, drone 4, harpoon 3, harpoon 4, siren 4, siren 5";
    let state = Table::of(2).hold(0, one).hold(1, two).over().ready();
    assert_eq!([state.points(Seat(0)), state.points(Seat(1))], [41, 41]);
    assert_eq!([state.hold(Seat(0)).len(), state.hold(Seat(1)).len()], [12, 14]);
    assert_eq!(state.outcome().unwrap().winners, SeatSet::only(Seat(1)));
}

#[test]
fn cc_example_8_a_drone_shows_the_card_that_would_cause_an_incident() {
    let state = Table::of(2).row("siren 5").pile("drone 3, siren 8, key 7").ready();
    let step = draw(&state);
    assert!(step.events.contains(&Event::DroneShowed { seat: Seat(0), count: 1, cards: cards("siren 8") }));
    assert!(has_incident(&draw(&step.next)));
    let next = play(&step.next, Action::Surface).next;
    assert_eq!(next.hold_of(0), "drone 3, siren 5");
    assert_eq!((next.turn, next.draw_pile_names().as_str()), (Seat(1), "siren 8, key 7"));
}

#[test]
fn cc_example_9_a_knife_takes_the_highest_key() {
    let state = Table::of(3).pile("knife 4, siren 8, key 6").hold(1, "key 7, key 3, siren 5").ready();
    let state = draw(&state).next;
    assert_eq!(state.choices(), [knife(1, Suit::Key), knife(1, Suit::Siren)]);
    let next = play(&state, knife(1, Suit::Key)).next;
    assert_eq!((next.hold_of(1).as_str(), next.graveyard_names().as_str()), ("key 3, siren 5", "key 7"));
    assert_eq!([state.points(Seat(1)), next.points(Seat(1))], [7 + 5, 3 + 5]);
}

#[test]
fn cc_example_10_casanova_puts_a_second_siren_into_the_hold() {
    let state = Table::of(2).diver(0, Diver::Casanova).row("siren 5").pile("siren 9, key 7").ready();
    let step = draw(&state);
    assert!(!has_incident(&step));
    assert_eq!((step.next.hold_of(0).as_str(), step.next.row_names().as_str()), ("siren 9", "siren 5"));
    assert_eq!((step.next.turn, step.next.choices()), (Seat(0), [Action::Draw, Action::Surface].to_vec()));
}

#[test]
fn cc_example_11_in_strange_lands_a_repeated_value_causes_the_incident() {
    let state = Table::of(2).variant(Variant::StrangeLands).row("key 3").pile("key 7, chest 7, net 4").ready();
    let state = draw(&state).next;
    assert_eq!(state.row_names(), "key 3, key 7");
    let step = draw(&state);
    assert!(has_incident(&step));
    assert_eq!((step.next.hold_of(0).as_str(), step.next.graveyard.len()), ("", 3));
}
