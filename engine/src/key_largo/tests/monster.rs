//! KL-12 and KL-R3: tridents and flight.

use super::super::{Action, Card, CardId, Depth, DrawCause, Event, Phase};
use super::table::{
    MONSTER, Table, asked, faces, gold, hoses, is_offered, play, play_all, refusal, trident, weight, wreck_faces,
};
use crate::{Game, Offer as _, Seat};

fn draw(diver: u32) -> Action {
    Action::DrawCard { diver }
}

fn use_trident(diver: u32) -> Action {
    Action::UseTrident { diver }
}

#[test]
fn kl_12_a_trident_kills_the_monster_and_the_diver_draws_again_at_once() {
    let state = Table::of(3).divers(0, &[trident(hoses(1))]).wreck(3, &[MONSTER, gold(2), gold(3)]).dive_on(3);
    let step = play(&state, 0, draw(0));
    let monster = Card { depth: Depth::Medium, face: Some(MONSTER), id: Some(CardId(20)) };
    let met = Event::CardDrawn { seat: Seat(0), diver: 0, wreck: 3, cause: DrawCause::Turn, card: monster };
    assert_eq!(step.events, [met]);
    assert_eq!(asked(&step.next), (Phase::Monster, [0].into()));
    let step = play(&step.next, 0, use_trident(0));
    let card = Card { depth: Depth::Medium, face: Some(gold(2)), id: Some(CardId(21)) };
    assert_eq!(
        step.events,
        [
            Event::MonsterKilled { seat: Seat(0), trident_of: 0, wreck: 3, card: monster },
            Event::CardDrawn { seat: Seat(0), diver: 0, wreck: 3, cause: DrawCause::Replacement, card },
        ]
    );
    let state = step.next;
    assert_eq!(faces(&state, 0), [gold(2)]);
    assert_eq!((state.gone.items, state.reserve.items), ([0, 1, 0], [20, 10, 10]));
    assert!(state.killed.contains(CardId(20)));
    assert_eq!(refusal(&state, 0, draw(0)), ("KL-10", "HAS_DRAWN"));
    let state = play(&state, 0, Action::Surface).next;
    assert_eq!(wreck_faces(&state, 3), [gold(3)], "the monster does not come back");
}

#[test]
fn kl_12_a_trident_of_any_diver_on_the_wreck_serves() {
    let team = [hoses(1), trident(hoses(1)), trident(hoses(0))];
    let state = Table::of(3).divers(0, &team).wreck(3, &[MONSTER, gold(2), gold(3)]).dive_on(3);
    let state = play(&state, 0, draw(0)).next;
    assert_eq!(refusal(&state, 0, use_trident(0)), ("KL-12", "NO_TRIDENT"));
    assert_eq!(refusal(&state, 0, use_trident(2)), ("KL-9", "STAYS_ABOARD"));
    let next = play(&state, 0, use_trident(1)).next;
    assert!(!next.players[0].divers[1].trident && !next.players[0].divers[1].has_drawn);
    assert_eq!(next.dive.last_diver, Some(0), "the diver who met it draws");
}

#[test]
fn kl_12_a_killed_monster_that_was_the_last_card_is_not_replaced() {
    let state = Table::of(3).divers(0, &[trident(weight(hoses(1)))]).wreck(3, &[MONSTER]).dive_on(3);
    let step = play(&play(&state, 0, draw(0)).next, 0, use_trident(0));
    assert_eq!(asked(&step.next), (Phase::Dive, [0].into()));
    assert!(faces(&step.next, 0).is_empty());
    assert_eq!(refusal(&step.next, 0, Action::UseWeight { diver: 0 }), ("KL-13", "NO_TREASURE"));
    let step = play(&step.next, 0, Action::Surface);
    assert!(step.events.contains(&Event::WreckGone { wreck: 3 }));
}

#[test]
fn kl_12_without_a_trident_the_diver_and_all_equipment_leave_the_game() {
    let team = [hoses(1), weight(hoses(2)), trident(hoses(0))];
    let state = Table::of(3).divers(0, &team).wreck(3, &[MONSTER, gold(2)]).dive_on(3);
    let state = play(&state, 0, draw(1)).next;
    let step = play(&state, 0, Action::Flee);
    assert_eq!(step.events, [Event::DiverFled { seat: Seat(0), diver: 1, hoses: 2, weight: true }]);
    let state = step.next;
    assert_eq!(state.players[0].divers[..], [hoses(1), trident(hoses(0))]);
    assert_eq!((state.gone.divers, state.gone.items), (1, [2, 0, 1]));
    assert_eq!((state.reserve.divers, state.reserve.items), (12, [20, 10, 10]));
    assert_eq!(state.dive.set_aside[..], [CardId(20)]);
    assert_eq!(wreck_faces(&state, 3), [gold(2)], "the monster stays aside for now");
    assert!(is_offered(&state, 0, &draw(0)) && is_offered(&state, 0, &Action::Surface));
    let drawn = play(&state, 0, draw(0)).next;
    assert_eq!(faces(&drawn, 0), [gold(2)]);
}

#[test]
fn kl_12_a_dive_with_no_diver_left_ends_by_surfacing() {
    let state = Table::of(3).divers(0, &[hoses(1)]).wreck(3, &[MONSTER, gold(2)]).dive_on(3);
    let state = play_all(&state, 0, [draw(0), Action::Flee]);
    assert_eq!(asked(&state), (Phase::Dive, [0].into()));
    let offers = state.legal_actions(Seat(0));
    assert_eq!(offers.len(), 1);
    assert!(offers[0].admits(&Action::Surface));
}

#[test]
fn kl_r3_a_trident_that_is_there_must_be_used_and_the_player_picks_whose() {
    let team = [trident(hoses(1)), trident(hoses(1))];
    let state = Table::of(3).divers(0, &team).wreck(3, &[MONSTER, gold(2)]).dive_on(3);
    let state = play(&state, 0, draw(0)).next;
    assert_eq!(refusal(&state, 0, Action::Flee), ("KL-R3", "TRIDENT_THERE"));
    assert_eq!(state.legal_actions(Seat(0)).len(), 2);
    for diver in [0, 1] {
        let team = play(&state, 0, use_trident(diver)).next.players[0].divers.clone();
        assert_eq!([team[0].trident, team[1].trident], [diver != 0, diver != 1]);
    }
    // A trident that stays aboard does not count.
    let team = [hoses(1), trident(hoses(0))];
    let state = Table::of(3).divers(0, &team).wreck(3, &[MONSTER, gold(2)]).dive_on(3);
    play(&play(&state, 0, draw(0)).next, 0, Action::Flee);
}
