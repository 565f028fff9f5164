//! KL-R16: what a thief learns from a stolen card's id, by each version of the rules.

use alloc::{vec, vec::Vec};

use super::super::{Action, Depth, Event, Offer, Options, Place, Rules, State, View};
use super::table::{faces, gold, play_with, unshuffled};
use crate::contract::Scripted;
use crate::{Game, Seat, SeatCount, Step, Viewer};

use Place::{Bar, Dive, Dolphins, Shop};

const THIEF: Viewer = Viewer::Seat(Seat(1));

/// The draws of a shuffle that leaves everything where it lies, but for places 0 and 5, which change what they have.
fn tops_of_wrecks_0_and_1_changed(cards: u32) -> impl Iterator<Item = (u32, u32)> {
    unshuffled(cards).map(|(bound, answer)| (bound, if bound == 6 { 0 } else { answer }))
}

/// A new game in which the gold of one unit lies on top of this wreck, 0 or 1, and the gold of two on top of the other. Of two
/// shuffles of the ids that are equally likely, each game has the one by which both cards are called as in the other game.
fn new_game(rules: Rules, gold_of_one_lies_on: u8) -> Step<State> {
    let shallow = || -> Vec<(u32, u32)> {
        match gold_of_one_lies_on {
            0 => unshuffled(20).collect(),
            _ => tops_of_wrecks_0_and_1_changed(20).collect(),
        }
    };
    let deeper = || [30, 30].into_iter().flat_map(unshuffled);
    let mut draws: Vec<(u32, u32)> = shallow().into_iter().chain(deeper()).chain([(3, 0)]).collect();
    if rules != Rules::V1 {
        draws.extend(shallow().into_iter().chain(deeper()));
    }
    State::setup(rules, &Options::default(), SeatCount::new(3).unwrap(), &mut Scripted::new(draws)).unwrap()
}

/// All that the thief is shown of a game in which seat 0 draws the tops of wrecks 0 and 1, and seat 1 has the gold of one unit
/// stolen: every event, and every view and list of legal actions on the way.
fn shown_to_the_thief(rules: Rules, gold_of_one_lies_on: u8) -> (Vec<Event>, Vec<(View, Vec<Offer>)>) {
    let Step { next: mut state, mut events } = new_game(rules, gold_of_one_lies_on);
    let seen = |state: &State| (state.view(THIEF), state.legal_actions(Seat(1)));
    let mut views = vec![seen(&state)];
    let mut act = |state: &State, seat: u8, action: Action, draws: Vec<(u32, u32)>| {
        let step = play_with(state, seat, action, draws);
        events.extend(step.events);
        views.push(seen(&step.next));
        step.next
    };
    for (day, dives_on) in [(1u8, 0), (2, 1)] {
        assert_eq!(state.day, day);
        let own = Action::Program { morning: Dive, afternoon: Shop };
        let other = Action::Program { morning: Shop, afternoon: if day == 1 { Dolphins } else { Bar } };
        for (seat, programme) in [(0, own), (1, other.clone()), (2, other)] {
            state = act(&state, seat, programme, vec![]);
        }
        state = act(&state, 0, Action::PlaceBoat { wreck: dives_on }, vec![]);
        // Clockwise from the first player, who is seat 0 on the first day and seat 1 on the second.
        for seat in [day - 1, day, day + 1].map(|seat| seat % 3) {
            if seat == 0 {
                state = act(&state, 0, Action::DrawCard { diver: 0 }, vec![]);
                state = act(&state, 0, Action::Surface, vec![]);
            } else {
                state = act(&state, seat, Action::Done, vec![]);
            }
        }
        if day == 1 {
            state = act(&state, 0, Action::Done, vec![]);
        }
    }
    let of_one = faces(&state, 0).iter().position(|face| *face == gold(1)).unwrap() as u32;
    state = act(&state, 1, Action::HirePickpocket { seat: 0, depth: Depth::Shallow }, vec![(2, of_one)]);
    assert_eq!((faces(&state, 0), faces(&state, 1)), (vec![gold(2)], vec![gold(1)]));
    let events = events.iter().filter_map(|event| State::redact(rules, event, THIEF)).collect();
    (events, views)
}

fn stolen(events: &[Event]) -> u8 {
    let ids = events.iter().filter_map(|event| match event {
        Event::CardStolen { card, .. } => card.id,
        _ => None,
    });
    ids.map(|id| id.0).next().unwrap()
}

#[test]
fn kl_r16_a_thief_does_not_learn_which_wreck_a_card_came_from_version_2() {
    assert_eq!(shown_to_the_thief(Rules::V2, 0), shown_to_the_thief(Rules::V2, 1));
}

#[test]
fn kl_r16_an_id_tells_a_thief_the_wreck_version_1() {
    let [(events, views), (other_events, other_views)] = [0, 1].map(|wreck| shown_to_the_thief(Rules::V1, wreck));
    assert_eq!((stolen(&events), stolen(&other_events)), (0, 5), "the places where wrecks 0 and 1 begin");
    assert_eq!(views[..views.len() - 1], other_views[..views.len() - 1], "nothing showed it before");
}
