//! DSA-12 and the table "who sees what": views and events for seats, spectators and auditors, before and after the end.

use alloc::{vec, vec::Vec};

use super::super::pieces::{Face, FaceStack};
use super::super::{Action, Dice, Event, Phase, State, View};
use super::table::{TURN_BACK, Table, fresh, play, stack};
use crate::{Game, Seat, Viewer};

const EVERYBODY: [Viewer; 4] = [Viewer::Seat(Seat(0)), Viewer::Seat(Seat(1)), Viewer::Spectator, Viewer::Auditor];

fn everything() -> Table {
    Table::of(3)
        .path(&[&[0], &[], &[4, 9, 15]])
        .at(0, 3)
        .turned_back(0)
        .load(0, &[&[8], &[1, 2]])
        .back(1)
        .load(1, &[&[14]])
        .scored(1, &[3, 12])
        .air(7)
}

fn levels(stacks: &[FaceStack]) -> Vec<Vec<u8>> {
    stacks.iter().map(|stack| stack.iter().map(|face| face.level).collect()).collect()
}

/// Whether all values of these stacks are shown, or none; a mixture fails.
fn values_are_shown(stacks: &[FaceStack]) -> bool {
    let shown = stacks.iter().flatten().filter(|face| face.value.is_some()).count();
    assert!(shown == 0 || shown == stacks.iter().flatten().count(), "a mixture: {stacks:?}");
    shown > 0
}

fn open_information(view: &View) {
    assert_eq!(levels(&view.path), [&[1][..], &[], &[2, 3, 4]]);
    assert_eq!(levels(&view.explorers[0].load), [&[3][..], &[1, 1]]);
    assert_eq!(levels(&view.explorers[1].load), [[4]]);
    let explorers: Vec<_> = view.explorers.iter().map(|e| (e.seat.0, e.position, e.turned_back, e.back)).collect();
    assert_eq!(explorers, [(0, 3, true, false), (1, 0, true, true), (2, 0, false, false)]);
    assert_eq!((view.air, view.first_seat), (7, Seat(0)));
    assert_eq!(view.last_dice, Some(Dice([2, 3])));
    assert_eq!(view.back_order, [Seat(1)]);
    let scored = [Face { level: 1, value: Some(3) }, Face { level: 4, value: Some(12) }];
    assert_eq!(view.explorers[1].scored, scored);
    assert_eq!(view.explorers[1].points, 15);
}

#[test]
fn dsa_12_who_sees_what() {
    for (over, viewer, sees_values) in [
        (false, EVERYBODY[0], false),
        (false, EVERYBODY[1], false),
        (false, EVERYBODY[2], false),
        (false, EVERYBODY[3], true),
        (true, EVERYBODY[0], true),
        (true, EVERYBODY[1], true),
        (true, EVERYBODY[2], true),
        (true, EVERYBODY[3], true),
    ] {
        for round in 1..=3 {
            let table = everything().round(round);
            let mut state: State = if over { table.over().ready() } else { table.ready() };
            state.last_dice = Some(Dice([2, 3]));
            let view = state.view(viewer);
            open_information(&view);
            assert_eq!((view.round, view.turn), (round, (!over).then_some(Seat(0))));
            assert_eq!(view.phase, if over { Phase::Over } else { Phase::Dive });
            let [one, two, _] = &view.explorers[..] else { panic!("three explorers") };
            for (what, stacks) in [("path", &view.path), ("load", &one.load), ("load of one back", &two.load)] {
                assert_eq!(values_are_shown(stacks), sees_values, "{what}, {viewer:?}, round {round}, over: {over}");
            }
        }
    }
}

#[test]
fn dsa_12_values_shown_are_the_right_ones() {
    let view = everything().ready().view(Viewer::Auditor);
    assert_eq!(view.path[2], stack(&[4, 9, 15]).faces());
    assert_eq!(view.explorers[0].load[1], stack(&[1, 2]).faces());
}

#[test]
fn dsa_12_the_carrier_does_not_see_what_they_pick_up() {
    let state = Table::of(2).at(0, 20).search().ready();
    let step = play(&state, Action::PickUp, &[]);
    for viewer in EVERYBODY {
        let value = (viewer == Viewer::Auditor).then_some(9);
        let Some(Event::PickedUp { stack, .. }) = State::redact(State::NEWEST_RULES, &step.events[0], viewer) else {
            panic!("everybody sees that something was picked up");
        };
        assert_eq!(stack[..], [Face { level: 3, value }], "{viewer:?}");
        assert_eq!(step.next.view(viewer).explorers[0].load[0][..], [Face { level: 3, value }], "{viewer:?}");
    }
}

#[test]
fn dsa_12_chips_are_shown_when_they_are_scored_not_when_their_carrier_is_back() {
    let state = Table::of(2).at(0, 1).load(0, &[&[13]]).at(1, 9).load(1, &[&[0]]).ready();
    let back = play(&state, TURN_BACK, &[3, 3]).next;
    assert!(back.explorers[0].back);
    let spectator = back.view(Viewer::Spectator);
    assert_eq!(spectator.explorers[0].load[0][0].value, None);
    assert_eq!(spectator.explorers[0].points, 0);

    let last = Table::of(2).at(0, 1).load(0, &[&[13]]).back(1).ready();
    let scored = play(&last, TURN_BACK, &[3, 3]);
    let face = Face { level: 4, value: Some(13) };
    assert_eq!(scored.next.view(Viewer::Spectator).explorers[0].scored, [face]);
    let event = Event::Scored { seat: Seat(0), chips: vec![face], points: 13 };
    assert!(scored.events.contains(&event));
    assert_eq!(State::redact(State::NEWEST_RULES, &event, Viewer::Spectator), Some(event));
}

#[test]
fn dsa_12_no_event_shows_a_value_that_is_not_scored() {
    let faces = stack(&[0, 5, 15]).faces();
    let backs: FaceStack = faces.iter().map(|face| face.hidden()).collect();
    let seat = Seat(0);
    for (event, redacted) in [
        (Event::PathLaid { spaces: vec![faces.clone()] }, Event::PathLaid { spaces: vec![backs.clone()] }),
        (
            Event::PickedUp { seat, space: 1, stack: faces.clone() },
            Event::PickedUp { seat, space: 1, stack: backs.clone() },
        ),
        (
            Event::PutDown { seat, space: 1, load_index: 0, stack: faces.clone() },
            Event::PutDown { seat, space: 1, load_index: 0, stack: backs.clone() },
        ),
        (Event::Lost { seat, chips: faces.to_vec() }, Event::Lost { seat, chips: backs.to_vec() }),
        (Event::PilesLaid { piles: vec![faces] }, Event::PilesLaid { piles: vec![backs] }),
    ] {
        for viewer in EVERYBODY {
            let expected = if viewer == Viewer::Auditor { &event } else { &redacted };
            assert_eq!(State::redact(State::NEWEST_RULES, &event, viewer).as_ref(), Some(expected), "{viewer:?}");
        }
    }
}

#[test]
fn dsa_12_the_open_events_are_the_same_for_everybody() {
    let step = fresh(2, 0);
    for event in &step.events[1..] {
        for viewer in EVERYBODY {
            assert_eq!(State::redact(State::NEWEST_RULES, event, viewer).as_ref(), Some(event));
        }
    }
}
