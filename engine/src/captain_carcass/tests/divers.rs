//! Divers of sirens, knives and harpoons. The others stand with the suits that they change.

use super::super::{Action, Diver, Event, Phase, Skip, Suit};
use super::table::{Table, card, cards, draw, harpoon, has_incident, knife, net, play, refusal, skipped};
use crate::Seat;

const MISFIRE_KEY: Action = Action::Misfire { suit: Suit::Key };

#[test]
fn cc_d2_casanovas_siren_goes_straight_to_the_hold() {
    // Before any incident: a siren lies in the row already.
    let state = Table::of(2).diver(0, Diver::Casanova).row("siren 5").pile("siren 7, key 7").ready();
    let step = draw(&state);
    let siren = card("siren 7");
    let expected = [
        Event::Drew { seat: Seat(0), card: siren, draw_pile_size: 1 },
        Event::WentStraightToHold { seat: Seat(0), card: siren },
    ];
    assert_eq!(step.events, expected);
    assert_eq!((step.next.hold_of(0).as_str(), step.next.row_names().as_str()), ("siren 7", "siren 5"));
    assert_eq!(step.next.choices(), [Action::Draw, Action::Surface]);
}

#[test]
fn cc_d2_only_from_the_draw_pile_and_only_the_owners() {
    let state = Table::of(2).diver(0, Diver::Casanova).pile("net 4, key 7").hold(0, "siren 7").ready();
    let state = play(&draw(&state).next, net(Suit::Siren)).next;
    assert_eq!((state.row_names().as_str(), state.hold_of(0).as_str()), ("net 4, siren 7", ""));
    let state = Table::of(2).diver(1, Diver::Casanova).row("siren 5").pile("siren 7, key 7").ready();
    assert!(has_incident(&draw(&state)));
    let state = Table::of(2).diver(0, Diver::Casanova).pile("squid 7, key 7").ready();
    assert_eq!(draw(&state).next.row_names(), "squid 7", "other suits enter");
}

#[test]
fn cc_d6_the_master_gunner_removes_the_whole_stack() {
    let table = |owner| {
        Table::of(2).diver(owner, Diver::MasterGunner).pile("knife 5, key 7").hold(1, "net 3, net 4, net 6, key 2")
    };
    let step = play(&draw(&table(0).ready()).next, knife(1, Suit::Net));
    let removed = cards("net 3, net 4, net 6");
    assert_eq!(step.events, [Event::Knifed { seat: Seat(0), victim: Seat(1), cards: removed, to_hold_of: None }]);
    assert_eq!((step.next.hold_of(1).as_str(), step.next.graveyard_names().as_str()), ("key 2", "net 6, net 4, net 3"));
    let step = play(&draw(&table(1).ready()).next, knife(1, Suit::Net));
    assert_eq!(step.next.hold_of(1), "key 2, net 3, net 4", "the owner is no better off against others");
}

#[test]
fn cc_d7_the_card_goes_to_the_scavengers_hold() {
    let table = |owner| Table::of(2).diver(owner, Diver::Scavenger).pile("knife 5, key 7").hold(1, "net 3, net 6");
    let step = play(&draw(&table(0).ready()).next, knife(1, Suit::Net));
    let cards = cards("net 6");
    assert_eq!(step.events, [Event::Knifed { seat: Seat(0), victim: Seat(1), cards, to_hold_of: Some(Seat(0)) }]);
    assert_eq!((step.next.hold_of(0).as_str(), step.next.hold_of(1).as_str()), ("net 6", "net 3"));
    assert_eq!((step.next.graveyard_names().as_str(), step.next.phase), ("", Phase::Explore));
    let step = play(&draw(&table(1).ready()).next, knife(1, Suit::Net));
    assert_eq!(step.next.graveyard_names(), "net 6");
}

#[test]
fn cc_d8_an_opponents_knife_misfires() {
    let state = Table::of(3)
        .diver(2, Diver::Misfire)
        .pile("knife 5, siren 7")
        .hold(0, "key 3, key 6, net 2")
        .hold(1, "siren 9")
        .ready();
    let state = draw(&state).next;
    assert_eq!(state.phase, Phase::Misfire);
    assert_eq!(state.choices(), [MISFIRE_KEY, Action::Misfire { suit: Suit::Net }]);
    assert_eq!(refusal(&state, 0, Action::Misfire { suit: Suit::Siren }), ("CC-D8", "NOT_IN_HOLD"));
    assert_eq!(refusal(&state, 0, knife(1, Suit::Siren)), ("PHASE", "WRONG_PHASE"));
    let step = play(&state, MISFIRE_KEY);
    assert_eq!(step.events, [Event::Misfired { seat: Seat(0), owner: Seat(2), card: card("key 6") }]);
    assert_eq!((step.next.hold_of(0).as_str(), step.next.hold_of(1).as_str()), ("key 3, net 2", "siren 9"));
    assert_eq!((step.next.graveyard_names().as_str(), step.next.phase), ("key 6", Phase::Explore));
}

#[test]
fn cc_d8_it_applies_whether_or_not_anybody_has_cards_to_aim_at() {
    let state = Table::of(2).diver(1, Diver::Misfire).pile("knife 5, siren 7").hold(0, "key 3").ready();
    assert_eq!(draw(&state).next.choices(), [MISFIRE_KEY]);
    let state = Table::of(2).diver(1, Diver::Misfire).pile("knife 5, siren 7").hold(1, "key 3").ready();
    let step = draw(&state);
    assert_eq!(skipped(&step, Suit::Knife), Some(Skip::EmptyHold));
    assert_eq!((step.next.phase, step.next.hold_of(1).as_str()), (Phase::Explore, "key 3"));
}

#[test]
fn cc_d8_the_owners_own_knife_works() {
    let state =
        Table::of(2).diver(0, Diver::Misfire).pile("knife 5, siren 7").hold(0, "key 3").hold(1, "net 3").ready();
    assert_eq!(draw(&state).next.choices(), [knife(1, Suit::Net)]);
}

#[test]
fn cc_d10_the_swordsman_may_take_a_suit_they_have() {
    let table = |owner| {
        let table = Table::of(2).diver(owner, Diver::Swordsman).pile("harpoon 5, siren 7");
        table.hold(0, "key 2").hold(1, "key 7, map 3")
    };
    let state = draw(&table(0).ready()).next;
    assert_eq!(state.choices(), [harpoon(1, Suit::Map), harpoon(1, Suit::Key)]);
    assert_eq!(play(&state, harpoon(1, Suit::Key)).next.row_names(), "harpoon 5, key 7");
    assert_eq!(draw(&table(1).ready()).next.choices(), [harpoon(1, Suit::Map)]);
    // Where every suit is the swordsman's own, there is still something to take.
    let state = Table::of(2).diver(0, Diver::Swordsman).pile("harpoon 5, siren 7").hold(0, "key 2").hold(1, "key 3");
    assert_eq!(draw(&state.ready()).next.choices(), [harpoon(1, Suit::Key)]);
    let state = Table::of(2).diver(0, Diver::Swordsman).pile("harpoon 5, siren 7").hold(0, "key 2").ready();
    assert_eq!(skipped(&draw(&state), Suit::Harpoon), Some(Skip::NoSuitToTake));
}

#[test]
fn cc_d11_a_parried_harpoon_takes_only_the_owners_highest_squid() {
    let state = Table::of(3)
        .diver(2, Diver::Parry)
        .pile("harpoon 5, siren 7")
        .hold(0, "squid 3")
        .hold(1, "squid 7, map 3")
        .hold(2, "squid 2, squid 6, key 4")
        .ready();
    let state = draw(&state).next;
    assert_eq!(state.choices(), [harpoon(2, Suit::Squid)], "although seat 0 has a squid");
    for aim in [harpoon(1, Suit::Map), harpoon(1, Suit::Squid), harpoon(2, Suit::Key), harpoon(1, Suit::Anchor)] {
        assert_eq!(refusal(&state, 0, aim), ("CC-D11", "PARRIED"));
    }
    assert_eq!(refusal(&state, 0, harpoon(0, Suit::Squid)), ("CC-18", "OWN_SEAT"));
    let step = play(&state, harpoon(2, Suit::Squid));
    assert_eq!(step.next.row_names(), "harpoon 5, squid 6");
    assert_eq!(step.next.squid_demand, 2, "its effect is applied");
    assert_eq!(step.next.hold_of(2), "squid 2, key 4");
}

#[test]
fn cc_d11_without_a_squid_the_harpoon_leaves_for_the_graveyard() {
    let state = Table::of(3)
        .diver(2, Diver::Parry)
        .row("siren 5")
        .pile("harpoon 5, siren 7")
        .hold(1, "squid 7, map 3")
        .hold(2, "key 4")
        .graveyard("net 2")
        .ready();
    let step = draw(&state);
    assert_eq!(step.events[2], Event::HarpoonParried { seat: Seat(0), owner: Seat(2), card: card("harpoon 5") });
    assert_eq!((step.next.row_names().as_str(), step.next.graveyard_names().as_str()), ("siren 5", "harpoon 5, net 2"));
    assert_eq!((step.next.hold_of(1).as_str(), step.next.hold_of(2).as_str()), ("squid 7, map 3", "key 4"));
    assert_eq!(step.next.choices(), [Action::Draw, Action::Surface]);
}

#[test]
fn cc_d11_the_owners_own_harpoon_works() {
    let state = Table::of(2).diver(0, Diver::Parry).pile("harpoon 5, siren 7").hold(1, "map 3").ready();
    assert_eq!(draw(&state).next.choices(), [harpoon(1, Suit::Map)]);
}
