//! KL-4 to KL-7 and KL-R2: programmes, half-days and evenings.

use super::super::{Action, Depth, Event, Half, Options, Phase, Place, State};
use super::table::{Table, asked, cash, fresh, gold, hoses, is_offered, only, play, refusal};
use crate::{Game, Seat};

use Place::{Bar, Dive, Dolphins, Market, Shop};

fn program(morning: Place, afternoon: Place) -> Action {
    Action::Program { morning, afternoon }
}

fn boats(events: &[Event]) -> alloc::vec::Vec<(u8, u8)> {
    only(events, |event| match event {
        Event::BoatPlaced { seat, wreck } => Some((seat.0, *wreck)),
        _ => None,
    })
}

#[test]
fn kl_4_two_different_places_are_chosen() {
    let state = fresh(&Options::default(), 3, 0).next;
    for morning in Place::ALL {
        for afternoon in Place::ALL {
            let action = program(morning, afternoon);
            if morning == afternoon {
                assert_eq!(refusal(&state, 1, action), ("KL-4", "SAME_PLACE"));
            } else {
                assert_eq!(play(&state, 1, action).next.players[1].programme, Some([morning, afternoon]));
            }
        }
    }
    assert_eq!(state.legal_actions(Seat(0)).len(), 20);
}

#[test]
fn kl_4_players_choose_in_any_order_and_once() {
    let state = fresh(&Options::default(), 3, 0).next;
    let state = play(&state, 2, program(Bar, Shop)).next;
    assert_eq!(asked(&state), (Phase::Program, [0, 1].into()));
    assert_eq!(refusal(&state, 2, program(Bar, Market)), ("TURN", "NOT_ASKED"));
    let state = play(&state, 0, program(Bar, Shop)).next;
    assert_eq!(asked(&state), (Phase::Program, [1].into()));
    let step = play(&state, 1, program(Shop, Bar));
    let programmed = Event::Programmed { seat: Seat(1), morning: Some(Shop), afternoon: Some(Bar) };
    let revealed = Event::PlacesRevealed { half: Half::Morning, places: [Bar, Shop, Bar].into() };
    assert_eq!(step.events, [programmed, revealed]);
    assert_eq!(asked(&step.next), (Phase::Bar, [0].into()));
}

#[test]
fn kl_5_boats_are_placed_and_actions_done_clockwise_from_the_first_player() {
    let state = Table::of(4).first(2).go(&[Dive, Bar, Dive, Shop]);
    assert_eq!(asked(&state), (Phase::PlaceBoat, [2].into()));
    let step = play(&state, 2, Action::PlaceBoat { wreck: 1 });
    assert_eq!(boats(&step.events), [(2, 1)]);
    assert_eq!(asked(&step.next), (Phase::PlaceBoat, [0].into()));
    let state = play(&step.next, 0, Action::PlaceBoat { wreck: 0 }).next;
    assert_eq!(asked(&state), (Phase::Dive, [2].into()), "all boats before the first action");
    let state = play(&play(&state, 2, Action::DrawCard { diver: 0 }).next, 2, Action::Surface).next;
    assert_eq!(asked(&state), (Phase::Shop, [3].into()));
    let state = play(&state, 3, Action::Done).next;
    assert_eq!(asked(&state), (Phase::Dive, [0].into()));
    let state = play(&play(&state, 0, Action::DrawCard { diver: 0 }).next, 0, Action::Surface).next;
    assert_eq!(asked(&state), (Phase::Bar, [1].into()));
}

#[test]
fn kl_5_the_afternoon_is_revealed_when_the_morning_is_over_and_boats_leave() {
    let state = Table::of(3).go(&[Dive, Dolphins, Dolphins]);
    let state = play(&state, 0, Action::PlaceBoat { wreck: 0 }).next;
    let state = play(&state, 0, Action::DrawCard { diver: 0 }).next;
    assert!(state.players[0].divers[0].has_drawn);
    let step = play(&state, 0, Action::Surface);
    let state = step.next;
    assert_eq!(
        step.events[..2],
        [Event::Surfaced { seat: Seat(0), wreck: 0 }, Event::DolphinsPaid { seat: Seat(1), amount: 40 },]
    );
    assert_eq!(
        step.events[3..],
        [
            Event::HalfDayEnded { half: Half::Morning },
            Event::PlacesRevealed { half: Half::Afternoon, places: [Bar, Bar, Bar].into() },
        ]
    );
    assert_eq!((state.half, state.players[0].boat), (Half::Afternoon, None));
    assert!(!state.players[0].divers[0].has_drawn);
    assert_eq!(asked(&state), (Phase::Bar, [0].into()));
}

#[test]
fn kl_6_in_the_evening_the_first_player_card_goes_left_and_the_day_advances() {
    for (first, next) in [(0, 1), (1, 2), (2, 0)] {
        let step = Table::of(3).first(first).afternoon().go_step(&[Dolphins, Dolphins, Dolphins]);
        let ends =
            [Event::HalfDayEnded { half: Half::Afternoon }, Event::DayStarted { day: 2, first_seat: Seat(next) }];
        assert_eq!(step.events[step.events.len() - 2..], ends);
        let state = step.next;
        assert_eq!((state.day, state.first_seat, state.half), (2, Seat(next), Half::Morning));
        assert_eq!(asked(&state), (Phase::Program, [0, 1, 2].into()));
        assert!(state.players.iter().all(|player| player.programme.is_none()));
    }
}

#[test]
fn kl_6_a_day_in_which_nobody_is_asked_anything_passes_at_once() {
    let mut state = fresh(&Options::default(), 3, 0).next;
    for seat in 0..2 {
        state = play(&state, seat, program(Dolphins, Market)).next;
    }
    let state = play(&state, 2, program(Market, Dolphins)).next;
    assert_eq!((state.day, asked(&state)), (2, (Phase::Program, [0, 1, 2].into())));
    assert_eq!([0, 1, 2].map(|seat| cash(&state, seat)), [140, 140, 140]);
}

#[test]
fn kl_7_present_are_all_who_have_the_place_whether_or_not_they_do_anything() {
    // Seats 1 and 2 have nothing to sell and are not even asked; seat 0 sells as one of three.
    let state = Table::of(3).hand(0, Depth::Shallow, &[super::table::goods(1)]).go(&[Market, Market, Market]);
    assert_eq!(state.present(Market), 3);
    let state = play(&state, 0, Action::Sell { cards: super::table::held(&state, 0) }).next;
    assert_eq!(cash(&state, 0), 120);
    let state = Table::of(4).go(&[Bar, Shop, Bar, Bar]);
    assert_eq!(Place::ALL.map(|place| state.present(place)), [0, 3, 0, 1, 0]);
}

fn dives_are_lost(state: &State, events: &[Event], seats: &[u8]) {
    let lost = only(events, |event| match event {
        Event::DiveLost { seat } => Some(seat.0),
        _ => None,
    });
    assert_eq!(lost, seats);
    assert!(seats.iter().all(|seat| state.players[usize::from(*seat)].boat.is_none()));
}

#[test]
fn kl_r2_a_player_without_a_diver_may_choose_dive_and_nothing_happens() {
    let state = Table::of(3).divers(0, &[]).ready();
    assert!(is_offered(&state, 0, &program(Dive, Bar)));
    let step = Table::of(3).divers(0, &[]).go_step(&[Dive, Bar, Bar]);
    dives_are_lost(&step.next, &step.events, &[0]);
    assert_eq!(asked(&step.next), (Phase::Bar, [1].into()));
}

#[test]
fn kl_r2_a_player_for_whom_no_wreck_is_free_is_skipped() {
    // One shallow wreck is left, and the player before takes it.
    let table = || Table::of(3).only_wrecks(&[0, 4]);
    let state = table().go(&[Dive, Dive, Bar]);
    let step = play(&state, 0, Action::PlaceBoat { wreck: 0 });
    dives_are_lost(&step.next, &step.events, &[1]);
    assert_eq!(asked(&step.next), (Phase::Dive, [0].into()));
    // With a hose there is somewhere to go.
    let state = table().divers(1, &[hoses(1)]).go(&[Dive, Dive, Bar]);
    let state = play(&state, 0, Action::PlaceBoat { wreck: 0 }).next;
    assert_eq!(asked(&state), (Phase::PlaceBoat, [1].into()));
}

#[test]
fn kl_r2_who_is_skipped_is_not_asked_for_a_saboteur_or_a_dive() {
    let held = [super::super::Encounter::Saboteur];
    let table = Table::with_encounters(3).only_wrecks(&[4]).holds(0, &held).hand(0, Depth::Shallow, &[gold(1)]);
    let step = table.go_step(&[Dive, Bar, Bar]);
    dives_are_lost(&step.next, &step.events, &[0]);
    assert_eq!(asked(&step.next), (Phase::Bar, [1].into()));
}
