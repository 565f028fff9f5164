//! CC-15, CC-17, CC-18, CC-19: knife, net, harpoon and siren.

use super::super::{Action, Event, Phase, Skip, Source, Suit};
use super::table::{Table, card, cards, draw, harpoon, has_incident, knife, net, play, refusal, skipped};
use crate::Seat;

#[test]
fn cc_15_the_knife_sends_the_highest_card_of_an_opponents_suit_to_the_graveyard() {
    let state = Table::of(3)
        .pile("knife 5, siren 7")
        .hold(0, "key 7")
        .hold(1, "net 3, net 6, siren 4")
        .hold(2, "net 7")
        .graveyard("map 2")
        .ready();
    let state = draw(&state).next;
    assert_eq!(state.phase, Phase::Knife);
    assert_eq!(state.choices(), [knife(1, Suit::Net), knife(1, Suit::Siren), knife(2, Suit::Net)]);
    let step = play(&state, knife(1, Suit::Net));
    let knifed = Event::Knifed { seat: Seat(0), victim: Seat(1), cards: cards("net 6"), to_hold_of: None };
    assert_eq!(step.events, [knifed]);
    assert_eq!(step.next.hold_of(1), "net 3, siren 4");
    assert_eq!(step.next.graveyard_names(), "net 6, map 2");
    assert_eq!((step.next.phase, step.next.row_names().as_str()), (Phase::Explore, "knife 5"));
}

#[test]
fn cc_15_the_player_may_have_the_suit_themselves() {
    let state = draw(&Table::of(2).pile("knife 5, siren 7").hold(0, "net 3").hold(1, "net 6").ready()).next;
    assert_eq!(state.choices(), [knife(1, Suit::Net)]);
}

#[test]
fn cc_15_no_opponent_with_cards_no_effect() {
    let step = draw(&Table::of(3).pile("knife 5, siren 7").hold(0, "net 3").ready());
    assert_eq!(skipped(&step, Suit::Knife), Some(Skip::NoOpponentHasCards));
    assert_eq!((step.next.phase, step.next.row_names().as_str()), (Phase::Explore, "knife 5"));
}

#[test]
fn cc_15_refusals() {
    let state = draw(&Table::of(3).pile("knife 5, siren 7").hold(0, "net 3").hold(1, "key 6").ready()).next;
    assert_eq!(refusal(&state, 0, knife(0, Suit::Net)), ("CC-15", "OWN_SEAT"));
    assert_eq!(refusal(&state, 0, knife(1, Suit::Net)), ("CC-15", "NOT_IN_HOLD"));
    assert_eq!(refusal(&state, 0, knife(2, Suit::Key)), ("CC-15", "NOT_IN_HOLD"));
    assert_eq!(refusal(&state, 0, knife(3, Suit::Key)), ("MALFORMED", "MALFORMED_ACTION"));
}

#[test]
fn cc_17_the_net_brings_in_the_highest_card_of_an_own_suit() {
    let state = Table::of(2).row("anchor 3").pile("net 5, siren 7").hold(0, "key 2, key 6, siren 4").hold(1, "map 3");
    let state = draw(&state.ready()).next;
    assert_eq!(state.phase, Phase::Net);
    assert_eq!(state.choices(), [net(Suit::Key), net(Suit::Siren)]);
    assert_eq!(refusal(&state, 0, net(Suit::Map)), ("CC-17", "NOT_IN_HOLD"));
    let step = play(&state, net(Suit::Key));
    let key = card("key 6");
    let netted = Event::Netted { seat: Seat(0), card: key, second: false };
    let entered = Event::Entered { seat: Seat(0), card: key, source: Source::OwnHold, squid_demand: 0 };
    assert_eq!(step.events, [netted, entered]);
    assert_eq!(step.next.row_names(), "anchor 3, net 5, key 6");
    assert_eq!(step.next.hold_of(0), "key 2, siren 4");
    assert_eq!(step.next.choices(), [Action::Draw, Action::Surface]);
}

#[test]
fn cc_17_the_net_must_bring_in_a_card_even_into_an_incident() {
    let state = draw(&Table::of(2).row("key 3").pile("net 5, siren 7").hold(0, "key 6").ready()).next;
    assert_eq!(state.choices(), [net(Suit::Key)]);
    let step = play(&state, net(Suit::Key));
    assert!(has_incident(&step));
    assert_eq!(step.next.graveyard_names(), "key 6, net 5, key 3");
    assert_eq!(step.next.hold_of(0), "", "the card from the hold is lost");
}

#[test]
fn cc_17_a_net_cannot_be_netted_in() {
    let state = draw(&Table::of(2).pile("net 5, siren 7").hold(0, "net 6").ready()).next;
    assert!(has_incident(&play(&state, net(Suit::Net))));
}

#[test]
fn cc_17_empty_hold_no_effect() {
    let step = draw(&Table::of(2).pile("net 5, siren 7").hold(1, "key 6").ready());
    assert_eq!(skipped(&step, Suit::Net), Some(Skip::EmptyHold));
    assert_eq!(step.next.choices(), [Action::Draw, Action::Surface]);
    assert!(step.next.open_nets.is_empty());
}

#[test]
fn cc_18_the_harpoon_takes_the_highest_card_of_a_suit_that_the_player_lacks() {
    let state = Table::of(3)
        .pile("harpoon 5, siren 7")
        .hold(0, "key 2")
        .hold(1, "key 7, map 3, map 6")
        .hold(2, "siren 9, key 3")
        .graveyard("")
        .ready();
    let state = draw(&state).next;
    assert_eq!(state.phase, Phase::Harpoon);
    assert_eq!(state.choices(), [harpoon(1, Suit::Map), harpoon(2, Suit::Siren)]);
    let step = play(&state, harpoon(1, Suit::Map));
    let map = card("map 6");
    assert_eq!(step.events[0], Event::Harpooned { seat: Seat(0), victim: Seat(1), card: map });
    let entered = Event::Entered { seat: Seat(0), card: map, source: Source::OpponentHold, squid_demand: 0 };
    assert_eq!(step.events[1], entered);
    assert_eq!(step.next.row_names(), "harpoon 5, map 6");
    assert_eq!(step.next.hold_of(1), "map 3, key 7");
}

#[test]
fn cc_18_what_counts_is_the_hold_not_the_row() {
    // The row has a siren: to take one is allowed, and an incident.
    let state = draw(&Table::of(2).row("siren 4").pile("harpoon 5, siren 7").hold(1, "siren 9").ready()).next;
    assert_eq!(state.choices(), [harpoon(1, Suit::Siren)]);
    let step = play(&state, harpoon(1, Suit::Siren));
    assert!(has_incident(&step));
    assert_eq!(step.next.graveyard_names(), "siren 9, harpoon 5, siren 4");
    assert_eq!(step.next.hold_of(1), "");
}

#[test]
fn cc_18_no_such_suit_no_effect() {
    for theirs in ["", "key 7", "key 7, map 3"] {
        let state = Table::of(2).pile("harpoon 5, siren 7").hold(0, "key 2, map 2").hold(1, theirs).ready();
        let step = draw(&state);
        assert_eq!(skipped(&step, Suit::Harpoon), Some(Skip::NoSuitToTake));
        assert_eq!((step.next.phase, step.next.row_names().as_str()), (Phase::Explore, "harpoon 5"));
    }
}

#[test]
fn cc_18_refusals() {
    let state = Table::of(3).pile("harpoon 5, siren 7").hold(0, "key 2").hold(1, "key 7, map 3").ready();
    let state = draw(&state).next;
    assert_eq!(refusal(&state, 0, harpoon(0, Suit::Key)), ("CC-18", "OWN_SEAT"));
    assert_eq!(refusal(&state, 0, harpoon(1, Suit::Siren)), ("CC-18", "NOT_IN_HOLD"));
    assert_eq!(refusal(&state, 0, harpoon(2, Suit::Map)), ("CC-18", "NOT_IN_HOLD"));
    assert_eq!(refusal(&state, 0, harpoon(2, Suit::Key)), ("CC-18", "NOT_IN_HOLD"), "before the own suit");
    assert_eq!(refusal(&state, 0, harpoon(1, Suit::Key)), ("CC-18", "SUIT_YOU_HAVE"));
    assert_eq!(refusal(&state, 0, harpoon(3, Suit::Map)), ("MALFORMED", "MALFORMED_ACTION"));
}

#[test]
fn cc_19_a_siren_has_no_effect() {
    let state = Table::of(2).pile("siren 5, key 7").hold(0, "key 2").hold(1, "map 3").graveyard("net 2").ready();
    let step = draw(&state);
    assert_eq!(step.events.len(), 2, "drawn and entered: {:?}", step.events);
    assert_eq!(step.next.choices(), [Action::Draw, Action::Surface]);
}
