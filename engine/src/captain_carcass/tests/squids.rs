//! CC-13: squids and their demand, with fisherman and beastmaster.

use super::super::{Action, Diver, Event, GameEnd, Phase, Skip, Suit};
use super::table::{Table, card, draw, end, has_incident, net, place, play, play_with, refusal, skipped, unshuffled};
use crate::Seat;

const ONLY_DRAW: [Action; 1] = [Action::Draw];
const BOTH: [Action; 2] = [Action::Draw, Action::Surface];

#[test]
fn cc_13_two_more_cards_must_enter_before_surfacing() {
    let state = Table::of(2).row("key 3").pile("squid 4, siren 7, anchor 4, chest 5").ready();
    let step = draw(&state);
    assert_eq!(step.events[2], Event::SquidAsked { seat: Seat(0), asks: 2, squid_demand: 2 });
    let mut state = step.next;
    for (demand, choices) in [(2, &ONLY_DRAW[..]), (1, &ONLY_DRAW), (0, &BOTH)] {
        assert_eq!((state.squid_demand, &state.choices()[..]), (demand, choices));
        if demand > 0 {
            assert_eq!(refusal(&state, 0, Action::Surface), ("CC-13", "SQUID_DEMAND"));
        }
        state = draw(&state).next;
    }
    assert_eq!(state.row_names(), "key 3, squid 4, siren 7, anchor 4, chest 5");
}

#[test]
fn cc_13_every_card_that_enters_counts_wherever_it_comes_from() {
    let squid = || Table::of(2).row("squid 4").demand(2).graveyard("siren 4").hold(0, "siren 5").hold(1, "map 6");
    let netted = play(&draw(&squid().pile("net 3, key 7").ready()).next, net(Suit::Siren)).next;
    assert_eq!((netted.squid_demand, netted.row_names().as_str()), (0, "squid 4, net 3, siren 5"));
    let mapped = play(&draw(&squid().pile("map 3, key 7").ready()).next, place("siren 4")).next;
    assert_eq!((mapped.squid_demand, mapped.row_names().as_str()), (0, "squid 4, map 3, siren 4"));
    let harpooned = draw(&squid().pile("harpoon 3, key 7").ready()).next;
    let harpooned = play(&harpooned, super::table::harpoon(1, Suit::Map)).next;
    assert_eq!((harpooned.squid_demand, harpooned.row_names().as_str()), (0, "squid 4, harpoon 3, map 6"));
    assert_eq!(harpooned.phase, Phase::Map, "the demand is met, the effect comes all the same");
}

#[test]
fn cc_13_a_card_that_goes_straight_to_a_hold_does_not_count() {
    let table = || Table::of(2).row("squid 4").demand(2);
    let state = draw(&table().diver(0, Diver::Casanova).pile("siren 7, key 7").ready()).next;
    assert_eq!((state.squid_demand, state.choices()), (2, ONLY_DRAW.to_vec()));
    let state = draw(&table().diver(0, Diver::Fisherman).pile("squid 7, key 7").ready()).next;
    assert_eq!((state.squid_demand, state.choices()), (2, ONLY_DRAW.to_vec()));
}

#[test]
fn cc_13_an_incident_ends_the_demand_with_the_turn() {
    let state = Table::of(2).row("squid 4").demand(2).pile("squid 5, key 7").ready();
    let step = draw(&state);
    assert!(has_incident(&step));
    assert_eq!((step.next.turn, step.next.squid_demand), (Seat(1), 0));
}

#[test]
fn cc_13_the_demand_is_void_when_the_last_card_leaves_the_draw_pile() {
    let state = Table::of(2).row("squid 4").demand(4).pile("siren 7").ready();
    let step = draw(&state);
    assert_eq!(step.events[1], Event::DemandVoided { seat: Seat(0), squid_demand: 4 });
    assert_eq!((step.next.squid_demand, step.next.choices()), (0, [Action::Surface].to_vec()));
    // Also when that card goes straight to a hold.
    let state = Table::of(2).diver(0, Diver::Casanova).row("squid 4").demand(1).pile("siren 7").ready();
    assert_eq!(draw(&state).next.choices(), [Action::Surface]);
    // Without a demand there is nothing to say.
    let step = draw(&Table::of(2).row("squid 4").pile("siren 7").ready());
    assert!(!step.events.iter().any(|event| matches!(event, Event::DemandVoided { .. })));
}

#[test]
fn cc_13_later_squids_ask_for_nothing() {
    let step = draw(&Table::of(2).pile("squid 4").ready());
    assert_eq!(skipped(&step, Suit::Squid), Some(Skip::EmptyDrawPile));
    assert_eq!(step.next.choices(), [Action::Surface]);
    assert!(end(&play(&step.next, Action::Surface)).is_some_and(|(cause, _)| cause == GameEnd::DrawPileEmpty));
    // A squid that the last card brings in.
    let state = Table::of(2).pile("net 4").hold(0, "squid 7").ready();
    let step = play(&draw(&state).next, net(Suit::Squid));
    assert_eq!((skipped(&step, Suit::Squid), step.next.squid_demand), (Some(Skip::EmptyDrawPile), 0));
}

#[test]
fn cc_13_squids_from_holds_and_graveyard_ask_too() {
    let state = Table::of(2).pile("net 4, siren 7").hold(0, "squid 7").ready();
    let state = play(&draw(&state).next, net(Suit::Squid)).next;
    assert_eq!((state.squid_demand, state.choices()), (2, ONLY_DRAW.to_vec()));
    let state = Table::of(2).pile("map 4, siren 7").graveyard("squid 2, key 2").ready();
    let state = play(&play_with(&state, Action::Draw, &unshuffled(2)).next, place("squid 2")).next;
    assert_eq!(state.squid_demand, 2);
}

#[test]
fn cc_d15_the_fishermans_squid_goes_straight_to_the_hold() {
    // Before any incident: a squid lies in the row already.
    let state = Table::of(2).diver(0, Diver::Fisherman).row("squid 4").pile("squid 7, key 7").ready();
    let step = draw(&state);
    assert_eq!(step.events[1], Event::WentStraightToHold { seat: Seat(0), card: card("squid 7") });
    assert_eq!(step.next.hold_of(0), "squid 7");
    assert_eq!((step.next.row_names().as_str(), step.next.squid_demand), ("squid 4", 0));
    assert_eq!(step.next.choices(), BOTH);
    // Only from the draw pile, and only the owner's.
    let state = Table::of(2).diver(0, Diver::Fisherman).pile("net 4, siren 7").hold(0, "squid 7").ready();
    let state = play(&draw(&state).next, net(Suit::Squid)).next;
    assert_eq!((state.row_names().as_str(), state.squid_demand), ("net 4, squid 7", 2));
    let state = draw(&Table::of(2).diver(1, Diver::Fisherman).pile("squid 7, key 7").ready()).next;
    assert_eq!((state.row_names().as_str(), state.squid_demand), ("squid 7", 2));
}

#[test]
fn cc_d16_against_a_beastmaster_squids_ask_for_four() {
    for (seats, beastmaster, asks) in [(2, 1, 4), (3, 2, 4), (2, 0, 2)] {
        let table = Table::of(seats).diver(beastmaster, Diver::Beastmaster);
        let step = draw(&table.pile("squid 4, siren 7, anchor 4, chest 5, key 5, key 6").ready());
        assert_eq!(step.events[2], Event::SquidAsked { seat: Seat(0), asks, squid_demand: asks });
        let mut state = step.next;
        for demand in (1..=asks).rev() {
            assert_eq!((state.squid_demand, state.choices()), (demand, ONLY_DRAW.to_vec()));
            state = draw(&state).next;
        }
        assert_eq!(state.choices(), BOTH);
    }
}
