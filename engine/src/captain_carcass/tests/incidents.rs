//! CC-11: anchors, and the divers that decide what an incident saves and where the rest goes.

use super::super::{Diver, Event, Source, State, Suit};
use super::table::{Table, cards, draw, has_incident, net, play};
use crate::{Seat, Step};

/// What an incident saved and lost.
fn saved_and_lost(step: &Step<State>) -> (alloc::vec::Vec<super::super::Card>, alloc::vec::Vec<super::super::Card>) {
    assert!(has_incident(step));
    let mut both = (alloc::vec![], alloc::vec![]);
    for event in &step.events {
        match event {
            Event::Saved { cards, .. } => both.0.clone_from(cards),
            Event::Lost { cards, .. } => both.1.clone_from(cards),
            _ => {}
        }
    }
    both
}

fn incident(table: Table, saved: &str, lost: &str) -> State {
    let step = draw(&table.ready());
    assert_eq!(saved_and_lost(&step), (cards(saved), cards(lost)));
    step.next
}

#[test]
fn cc_11_the_cards_before_the_anchor_are_collected() {
    let table = Table::of(2).row("siren 5, key 3, anchor 4, chest 6").pile("key 5, net 4").hold(0, "siren 4");
    let next = incident(table, "siren 5, key 3", "anchor 4, chest 6, key 5");
    assert_eq!(next.hold_of(0), "key 3, siren 4, siren 5");
    assert_eq!(next.graveyard_names(), "key 5, chest 6, anchor 4");
    assert_eq!(next.turn, Seat(1));
}

#[test]
fn cc_11_a_first_anchor_saves_nothing() {
    let table = Table::of(2).row("anchor 4, siren 5").pile("siren 6, net 4");
    let step = draw(&table.ready());
    assert_eq!(saved_and_lost(&step), (cards(""), cards("anchor 4, siren 5, siren 6")));
    assert!(!step.events.iter().any(|event| matches!(event, Event::Saved { .. })));
}

#[test]
fn cc_11_an_anchor_in_the_hold_is_no_protection() {
    incident(Table::of(2).row("siren 5").pile("siren 6, net 4").hold(0, "anchor 7"), "", "siren 5, siren 6");
}

#[test]
fn cc_11_the_anchor_that_causes_the_incident_has_not_entered() {
    incident(
        Table::of(2).row("key 5, anchor 3, siren 5").pile("anchor 6, net 4"),
        "key 5",
        "anchor 3, siren 5, anchor 6",
    );
}

#[test]
fn cc_d12_the_miser_collects_the_net_and_what_it_brought_in() {
    let row = |owner| {
        let table = Table::of(2).diver(owner, Diver::Miser).row("siren 5, net 3");
        table.row_from(Source::OwnHold, "key 6").row("chest 4").pile("chest 5, map 4")
    };
    incident(row(0), "net 3, key 6", "siren 5, chest 4, chest 5");
    incident(row(1), "", "siren 5, net 3, key 6, chest 4, chest 5");
}

#[test]
fn cc_d12_what_did_not_enter_is_lost() {
    let state = Table::of(2).diver(0, Diver::Miser).row("siren 5").pile("net 3, map 4").hold(0, "siren 8").ready();
    let step = play(&draw(&state).next, net(Suit::Siren));
    assert_eq!(saved_and_lost(&step), (cards("net 3"), cards("siren 5, siren 8")));
}

#[test]
fn cc_d12_only_what_the_net_brought_in_directly() {
    // The net brings in a harpoon, the harpoon a siren.
    let table = Table::of(2).diver(0, Diver::Miser).row("net 3").row_from(Source::OwnHold, "harpoon 4");
    let table = table.row_from(Source::OpponentHold, "siren 9").row("key 4").pile("key 5, map 4");
    incident(table, "net 3, harpoon 4", "siren 9, key 4, key 5");
    // A net that brought in nothing: the card after it was turned up.
    let table = Table::of(2).diver(0, Diver::Miser).row("net 3, siren 9").pile("siren 5, map 4");
    incident(table, "net 3", "siren 9, siren 5");
}

#[test]
fn cc_d12_a_net_from_elsewhere_is_collected_too() {
    let table = Table::of(2).diver(0, Diver::Miser).row("map 3").row_from(Source::Graveyard, "net 2");
    let table = table.row_from(Source::OwnHold, "key 4").pile("map 5, map 4");
    incident(table, "net 2, key 4", "map 3, map 5");
}

#[test]
fn cc_d14_safe_harbor_saves_the_anchor_and_two_cards_after_it() {
    let row = |owner| Table::of(2).diver(owner, Diver::SafeHarbor).row("siren 5, anchor 4, key 3, chest 6, map 4");
    incident(row(0).pile("key 5, net 4"), "siren 5, anchor 4, key 3, chest 6", "map 4, key 5");
    incident(row(1).pile("key 5, net 4"), "siren 5", "anchor 4, key 3, chest 6, map 4, key 5");
    let short = |row: &str| Table::of(2).diver(0, Diver::SafeHarbor).row(row).pile("siren 7, net 4");
    incident(short("siren 5, anchor 4, key 3"), "siren 5, anchor 4, key 3", "siren 7");
    incident(short("siren 5, anchor 4"), "siren 5, anchor 4", "siren 7");
    incident(short("siren 5, key 3"), "", "siren 5, key 3, siren 7");
}

#[test]
fn cc_d17_what_the_victim_loses_goes_to_the_saboteuse() {
    let row = || Table::of(3).row("siren 5, anchor 4, key 3").pile("key 5, net 4").hold(1, "siren 4");
    let step = draw(&row().saboteuse(1, 0).ready());
    let lost = cards("anchor 4, key 3, key 5");
    assert!(step.events.contains(&Event::Lost { seat: Seat(0), cards: lost, to_hold_of: Some(Seat(1)) }));
    assert_eq!(step.next.hold_of(1), "anchor 4, key 3, key 5, siren 4");
    assert_eq!((step.next.hold_of(0).as_str(), step.next.graveyard_names().as_str()), ("siren 5", ""));
    // Nobody else's incidents: not those of another opponent, not the owner's.
    let step = draw(&row().saboteuse(1, 2).ready());
    assert_eq!(step.next.graveyard_names(), "key 5, key 3, anchor 4");
    let step = draw(&row().saboteuse(0, 1).ready());
    assert_eq!(step.next.graveyard_names(), "key 5, key 3, anchor 4");
}
