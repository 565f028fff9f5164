//! CC-V1, CC-V5 and CC-V7. CC-V3 has a file of its own, the others stand with scoring.

use super::super::{Action, Diver, Event, Phase, Suit, Variant};
use super::table::{Table, card, cards, draw, harpoon, has_incident, knife, net, place, play};
use crate::Seat;

#[test]
fn cc_v1_lost_cards_go_to_the_hold_of_the_next_seat() {
    for (seats, turn, next) in [(2, 0, 1), (2, 1, 0), (4, 3, 0), (3, 1, 2)] {
        let table = Table::of(seats).variant(Variant::ThievesIsland).turn(turn);
        let step = draw(&table.row("siren 5, anchor 4, key 3").pile("key 5, net 4").ready());
        let lost = cards("anchor 4, key 3, key 5");
        assert!(step.events.contains(&Event::Lost { seat: Seat(turn), cards: lost, to_hold_of: Some(Seat(next)) }));
        assert_eq!(step.next.hold_of(next), "anchor 4, key 3, key 5");
        assert_eq!((step.next.hold_of(turn).as_str(), step.next.graveyard_names().as_str()), ("siren 5", ""));
        assert_eq!(step.next.turn, Seat(next), "the turn goes on as always");
    }
}

#[test]
fn cc_v1_knife_misfire_and_parry_still_feed_the_graveyard() {
    let table = || Table::of(2).variant(Variant::ThievesIsland).hold(0, "net 4").hold(1, "key 4");
    let state = draw(&table().pile("knife 3, siren 7").ready()).next;
    assert_eq!(play(&state, knife(1, Suit::Key)).next.graveyard_names(), "key 4");
    let state = draw(&table().diver(1, Diver::Misfire).pile("knife 3, siren 7").ready()).next;
    assert_eq!(play(&state, Action::Misfire { suit: Suit::Net }).next.graveyard_names(), "net 4");
    let state = draw(&table().diver(1, Diver::Parry).pile("harpoon 3, siren 7").ready()).next;
    assert_eq!(state.graveyard_names(), "harpoon 3");
}

#[test]
fn cc_v5_a_repeated_value_causes_the_incident() {
    let strange = || Table::of(2).variant(Variant::StrangeLands);
    assert!(has_incident(&draw(&strange().row("key 5").pile("siren 5, net 4").ready())));
    let step = draw(&strange().row("siren 5").pile("siren 6, net 4").ready());
    assert!(!has_incident(&step));
    assert_eq!(step.next.row_names(), "siren 5, siren 6");
}

#[test]
fn cc_v5_it_is_so_for_cards_from_anywhere() {
    let strange = || Table::of(2).variant(Variant::StrangeLands).row("anchor 5");
    let netted = draw(&strange().pile("net 3, key 7").hold(0, "key 5, anchor 4").ready()).next;
    assert!(has_incident(&play(&netted, net(Suit::Key))));
    assert!(!has_incident(&play(&netted, net(Suit::Anchor))));
    let state = strange().pile("map 3, key 7").graveyard("anchor 2, siren 5").diver(0, Diver::Navigator).ready();
    let state = draw(&state).next;
    assert!(!has_incident(&play(&state, place("anchor 2"))));
    assert!(has_incident(&play(&state, place("siren 5"))));
    let state = draw(&strange().pile("harpoon 3, key 7").hold(1, "anchor 6, net 3").ready()).next;
    assert!(!has_incident(&play(&state, harpoon(1, Suit::Anchor))));
    assert!(has_incident(&play(&state, harpoon(1, Suit::Net))), "the net 3 repeats the harpoon 3");
}

#[test]
fn cc_v5_a_second_card_of_a_suit_acts_again() {
    let strange = || Table::of(2).variant(Variant::StrangeLands);
    let state = draw(&strange().row("knife 4").pile("knife 3, siren 7").hold(1, "key 7").ready()).next;
    assert_eq!(state.phase, Phase::Knife);
    let state = draw(&strange().row("drone 4").pile("drone 3, siren 7").ready()).next;
    assert_eq!(state.drone_count, 1);
}

#[test]
fn cc_v7_knife_and_harpoon_take_the_lowest_card() {
    let bottom = || Table::of(2).variant(Variant::BottomFeeder).hold(1, "key 3, key 5, key 7");
    let step = play(&draw(&bottom().pile("knife 3, siren 7").ready()).next, knife(1, Suit::Key));
    assert_eq!((step.next.hold_of(1).as_str(), step.next.graveyard_names().as_str()), ("key 5, key 7", "key 3"));
    let step = play(&draw(&bottom().pile("harpoon 3, siren 7").ready()).next, harpoon(1, Suit::Key));
    assert_eq!((step.next.hold_of(1).as_str(), step.next.row_names().as_str()), ("key 5, key 7", "harpoon 3, key 3"));
}

#[test]
fn cc_v7_misfire_and_parry_too() {
    let bottom = || Table::of(2).variant(Variant::BottomFeeder);
    let table = bottom().diver(1, Diver::Misfire).hold(0, "key 3, key 5").pile("knife 3, siren 7");
    let step = play(&draw(&table.ready()).next, Action::Misfire { suit: Suit::Key });
    assert_eq!(step.events, [Event::Misfired { seat: Seat(0), owner: Seat(1), card: card("key 3") }]);
    let table = bottom().diver(1, Diver::Parry).hold(1, "squid 3, squid 5, key 2").pile("harpoon 3, siren 7");
    let step = play(&draw(&table.ready()).next, harpoon(1, Suit::Squid));
    assert_eq!(
        (step.next.hold_of(1).as_str(), step.next.row_names().as_str()),
        ("squid 5, key 2", "harpoon 3, squid 3")
    );
}

#[test]
fn cc_v7_the_net_still_takes_the_highest() {
    let table = Table::of(2).variant(Variant::BottomFeeder).hold(0, "key 3, key 5").pile("net 3, siren 7");
    assert_eq!(play(&draw(&table.ready()).next, net(Suit::Key)).next.row_names(), "net 3, key 5");
}
