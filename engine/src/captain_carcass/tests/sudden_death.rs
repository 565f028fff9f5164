//! CC-V3 and CC-R9: 50 points win at once, in whatever way the cards came.

use super::super::{Action, Diver, Event, GameEnd, Phase, State, Suit, Variant};
use super::table::{Table, draw, end, harpoon, knife, net, play, play_with, plunder};
use crate::{Game, Seat, SeatSet, Step};

/// 45 points: a siren from 5 on makes 50.
const FORTY_FIVE: &str = "anchor 7, squid 7, map 7, key 7, chest 7, knife 7, drone 3";

fn table() -> Table {
    Table::of(3).variant(Variant::SuddenDeath)
}

fn wins(step: &Step<State>, seat: u8) {
    assert_eq!(end(step), Some((GameEnd::SuddenDeath, SeatSet::only(Seat(seat)))));
    assert!(matches!(step.events.last(), Some(Event::GameEnded { .. })), "nothing happens afterwards");
    assert_eq!((step.next.phase, step.next.to_act()), (Phase::Over, SeatSet::EMPTY));
    assert_eq!(step.next.outcome().unwrap().winners, SeatSet::only(Seat(seat)));
}

#[test]
fn cc_v3_surfacing_with_50_points_wins() {
    let step = play(&table().hold(0, FORTY_FIVE).row("siren 5").ready(), Action::Surface);
    wins(&step, 0);
    let step = play(&table().hold(0, FORTY_FIVE).row("siren 4").ready(), Action::Surface);
    assert_eq!((end(&step), step.next.turn), (None, Seat(1)), "49 are not enough");
    let step = play(&Table::of(2).hold(0, FORTY_FIVE).row("siren 5").ready(), Action::Surface);
    assert_eq!(end(&step), None, "without the variant nothing happens");
}

#[test]
fn cc_v3_the_exploration_is_a_move_of_its_own_before_the_bonus() {
    let hold = "anchor 7, squid 7, map 7, knife 7, drone 7";
    let state = table().hold(0, hold).row("key 7, chest 7, siren 4").graveyard("net 7, siren 9").ready();
    let step = play(&state, Action::Surface);
    wins(&step, 0);
    assert_eq!(step.next.graveyard_names(), "net 7, siren 9", "no bonus any more");
    assert!(!step.events.iter().any(|event| matches!(event, Event::BonusEarned { .. })));
}

#[test]
fn cc_v3_a_bonus_is_a_move() {
    let state = table().hold(0, "anchor 7, squid 7, map 7, knife 7").row("key 7, chest 7").graveyard("siren 9").ready();
    wins(&play_with(&state, Action::Surface, &[]), 0);
    let state = table().hold(0, "anchor 7, squid 7, map 7, knife 7").row("key 7, chest 7");
    let state = state.diver(0, Diver::Plunderer).hold(1, "siren 9").ready();
    let state = play(&state, Action::Surface).next;
    wins(&play_with(&state, plunder(1), &[(1, 0)]), 0);
}

#[test]
fn cc_v3_what_goes_straight_to_a_hold_is_a_move_and_the_row_stays() {
    let state = table().diver(0, Diver::Casanova).hold(0, FORTY_FIVE).row("squid 3, net 4").demand(1);
    let step = draw(&state.pile("siren 5, key 2").ready());
    wins(&step, 0);
    assert_eq!(step.next.row_names(), "squid 3, net 4");
    let state = table().diver(0, Diver::Fisherman).hold(0, &FORTY_FIVE.replace("squid 7", "siren 9")).row("net 4");
    let step = draw(&state.pile("squid 3, key 2").ready());
    wins(&step, 0);
    assert_eq!(step.next.row_names(), "net 4");
}

#[test]
fn cc_v3_a_scavengers_knife_is_a_move_and_the_row_stays() {
    let state = table().diver(0, Diver::Scavenger).hold(0, FORTY_FIVE).hold(2, "siren 8").row("net 4");
    let step = play(&draw(&state.pile("knife 3, key 2").ready()).next, knife(2, Suit::Siren));
    wins(&step, 0);
    assert_eq!(step.next.row_names(), "net 4, knife 3");
}

#[test]
fn cc_v3_what_an_incident_saves_is_a_move() {
    let state = table().hold(0, FORTY_FIVE).row("siren 5, anchor 2").pile("siren 4, key 2").ready();
    let step = draw(&state);
    wins(&step, 0);
    assert_eq!(step.next.row_names(), "", "the incident is completed first");
    assert_eq!(step.next.graveyard_names(), "siren 4, anchor 2");
}

#[test]
fn cc_v3_what_a_saboteuse_gets_is_a_move() {
    let state = table().saboteuse(2, 0).hold(2, FORTY_FIVE).row("siren 4").pile("siren 5, key 2").ready();
    wins(&draw(&state), 2);
}

#[test]
fn cc_v3_cards_that_leave_a_hold_or_enter_the_row_decide_nothing() {
    let hold = || table().hold(0, FORTY_FIVE).hold(1, "siren 9");
    let step = play(&draw(&hold().pile("harpoon 3, key 2").ready()).next, harpoon(1, Suit::Siren));
    assert_eq!(end(&step), None, "the siren lies in the row, not in the hold");
    wins(&play(&step.next, Action::Surface), 0);
    let step = play(&draw(&hold().pile("net 3, key 2").ready()).next, net(Suit::Drone));
    assert_eq!(end(&step), None);
}

#[test]
fn cc_v3_divers_count() {
    let state =
        table().diver(0, Diver::GoldenScales).hold(0, "anchor 7, squid 7, map 7, key 7, chest 7").row("knife 6");
    assert_eq!(end(&play(&state.ready(), Action::Surface)), None, "41 points");
    let state = table()
        .diver(0, Diver::GoldenScales)
        .hold(0, "anchor 7, squid 7, map 7, key 7, chest 7")
        .row("knife 6, siren 4");
    wins(&play(&state.ready(), Action::Surface), 0);
}

#[test]
fn cc_v3_otherwise_cc_20_decides_at_the_end() {
    let state = table().pile("").hold(0, "key 7").hold(1, "map 6, net 6").ready();
    let step = play(&state, Action::Surface);
    assert_eq!(end(&step), Some((GameEnd::DrawPileEmpty, SeatSet::only(Seat(1)))));
}

#[test]
fn cc_v3_the_last_turn_can_still_bring_sudden_death() {
    let state = table().pile("").hold(0, FORTY_FIVE).row("siren 5").ready();
    wins(&play(&state, Action::Surface), 0);
}

#[test]
fn cc_r9_two_reach_50_by_one_incident_and_the_higher_score_wins() {
    // The anchor saves a siren for seat 0; the saboteuse gets anchor, siren and whatever was lost.
    let incident = |saved: &str, lost: &str| {
        let row = alloc::format!("{saved}, anchor 2");
        let table = table().saboteuse(2, 0).hold(0, FORTY_FIVE).hold(2, &FORTY_FIVE.replace("key 7", "net 7"));
        draw(&table.row(&row).pile(&alloc::format!("{lost}, key 2")).ready())
    };
    wins(&incident("siren 5", "siren 6"), 2);
    wins(&incident("siren 7", "siren 6"), 0);
}

#[test]
fn cc_r9_on_equal_points_more_cards_win_and_after_that_both() {
    let hold = |seat_0: &str, seat_2: &str| {
        let table = table().saboteuse(2, 0).hold(0, seat_0).hold(2, seat_2);
        draw(&table.row("siren 5, anchor 2").pile("siren 6, key 2").ready())
    };
    // Seat 0 gets one card and stands at 50; seat 2 gets two and stands at 50 as well.
    let other = "anchor 7, squid 7, map 7, net 7, chest 7, knife 7, drone 2";
    wins(&hold(FORTY_FIVE, other), 2);
    wins(&hold(&alloc::format!("{FORTY_FIVE}, drone 2, key 2"), other), 0);
    let step = hold(&alloc::format!("{FORTY_FIVE}, drone 2"), other);
    let both = SeatSet::only(Seat(0)).with(Seat(2));
    assert_eq!(end(&step), Some((GameEnd::SuddenDeath, both)));
}

#[test]
fn cc_v3_open_choices_are_forgotten() {
    let state = table().diver(0, Diver::CaptainsHook).diver(1, Diver::Scavenger).turn(1).hold(1, FORTY_FIVE);
    let state = state.hold(0, "siren 9").row("squid 3").demand(2).drone_shows(1).pile("knife 3, key 2").ready();
    let step = play(&draw(&state).next, knife(0, Suit::Siren));
    wins(&step, 1);
    let next = &step.next;
    assert_eq!((next.squid_demand, next.drone_count, next.turned_up), (0, 0, false));
}
