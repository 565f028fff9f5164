//! KL-E4 and KL-R7: the saboteur.

use super::super::{Action, Encounter, Event, Phase, Place, Play, State};
use super::table::{
    MONSTER, Table, asked, gold, hoses, plain, play, play_all, play_with, refusal, trident, unshuffled,
};
use crate::Seat;

use Encounter::{AttentiveDiver, HastyBuyer, Saboteur, Volunteer};
use Place::{Bar, Dive};

fn draw(diver: u32) -> Action {
    Action::DrawCard { diver }
}

fn volunteer(diver: u32) -> Action {
    Action::PlayEncounter(Play::Volunteer { diver })
}

fn hasty(treasure: u32) -> Action {
    Action::PlayEncounter(Play::HastyBuyer { treasure })
}

fn sabotage(seat: u32, diver: u32) -> Action {
    Action::PlayEncounter(Play::Saboteur { seat, diver })
}

/// Seats 0 and 1 dive on medium wrecks, seat 2 is at the bar; seat 0 may play a saboteur first.
fn two_boats(table: Table) -> State {
    let state = table.go(&[Dive, Dive, Bar]);
    play(&play(&state, 0, Action::PlaceBoat { wreck: 3 }).next, 1, Action::PlaceBoat { wreck: 4 }).next
}

fn two_teams() -> Table {
    Table::with_encounters(3).divers(0, &[hoses(1), hoses(1)]).divers(1, &[hoses(1), hoses(0), trident(hoses(2))])
}

#[test]
fn kl_e4_a_sabotaged_diver_does_not_take_part() {
    let state = two_boats(two_teams().holds(0, &[Saboteur]).wreck(4, &[MONSTER, gold(2), gold(3)]));
    assert_eq!(asked(&state), (Phase::Sabotage, [0].into()));
    let step = play(&state, 0, sabotage(1, 2));
    let played = Event::EncounterPlayed {
        seat: Seat(0),
        encounter: Saboteur,
        target_seat: Some(Seat(1)),
        diver: Some(2),
        wreck: None,
        dupe: None,
        ware: None,
    };
    assert_eq!(step.events, [played]);
    let state = step.next;
    assert!(state.players[1].divers[2].sabotaged);
    assert_eq!(asked(&state), (Phase::Dive, [0].into()), "the window is closed");
    assert_eq!(refusal(&state, 0, plain(AttentiveDiver)), ("KL-26", "NOT_IN_HAND"));
    let state = play_with(&finish_dive(&state, 0, 2), 0, Action::Surface, unshuffled(5)).next;
    // The target's trident is not there either.
    assert_eq!(refusal(&state, 1, draw(2)), ("KL-E4", "SABOTAGED"));
    let state = play(&state, 1, draw(0)).next;
    assert_eq!(refusal(&state, 1, Action::UseTrident { diver: 2 }), ("KL-E4", "SABOTAGED"));
    let state = play(&state, 1, Action::Flee).next;
    assert_eq!(state.players[1].divers.len(), 2);
    let state = play_with(&state, 1, Action::Surface, unshuffled(3)).next;
    let state = play(&state, 2, Action::Done).next;
    assert!(state.players[1].divers.iter().all(|diver| !diver.sabotaged), "for this half-day only");
}

/// Seat 0 meets the monsters of a medium wreck in the order of the tables, and loses so many divers.
fn finish_dive(state: &State, seat: u8, divers: usize) -> State {
    (0..divers).fold(state.clone(), |state, _| play_all(&state, seat, [draw(0), Action::Flee]))
}

#[test]
fn kl_r18_the_moment_for_a_saboteur_ends_by_playing_or_passing() {
    let state = two_boats(two_teams().holds(0, &[Saboteur]));
    let step = play(&state, 0, Action::Pass);
    assert_eq!(step.events, [Event::SabotagePassed { seat: Seat(0) }]);
    assert_eq!(asked(&step.next), (Phase::Dive, [0].into()));
    assert_eq!(refusal(&step.next, 0, sabotage(1, 0)), ("KL-E4", "TOO_LATE"));
}

#[test]
fn kl_r7_all_on_wrecks_with_any_encounter_card_are_asked_in_turn() {
    let table = two_teams().first(1).holds(0, &[Encounter::Family]).holds(1, &[Saboteur]).holds(2, &[Saboteur]);
    let state = table.go(&[Dive, Dive, Bar]);
    let state = play(&play(&state, 1, Action::PlaceBoat { wreck: 3 }).next, 0, Action::PlaceBoat { wreck: 4 }).next;
    assert_eq!(asked(&state), (Phase::Sabotage, [1].into()));
    let state = play(&state, 1, sabotage(0, 1)).next;
    assert_eq!(asked(&state), (Phase::Sabotage, [0].into()), "whatever the card is");
    let state = play(&state, 0, Action::Pass).next;
    assert_eq!(asked(&state), (Phase::Dive, [1].into()), "seat 2 is not on a wreck");
}

#[test]
fn kl_r7_who_is_on_a_wreck_is_asked_also_where_there_is_no_target() {
    let state = Table::with_encounters(3).holds(0, &[Saboteur]).go(&[Dive, Bar, Bar]);
    let state = play(&state, 0, Action::PlaceBoat { wreck: 0 }).next;
    assert_eq!(asked(&state), (Phase::Sabotage, [0].into()));
    for seat in [1, 2] {
        assert_eq!(refusal(&state, 0, sabotage(seat, 0)), ("KL-R7", "NOT_TAKING_PART"));
    }
    play(&state, 0, Action::Pass);
}

#[test]
fn kl_r7_without_encounter_cards_there_is_no_window() {
    assert_eq!(asked(&two_boats(two_teams())), (Phase::Dive, [0].into()));
    let state = Table::of(3).go(&[Dive, Bar, Bar]);
    assert_eq!(asked(&play(&state, 0, Action::PlaceBoat { wreck: 0 }).next), (Phase::Dive, [0].into()));
}

#[test]
fn kl_r7_the_target_could_take_part_and_was_not_sabotaged() {
    let state = two_boats(two_teams().holds(0, &[Saboteur]).holds(1, &[Saboteur]));
    assert_eq!(refusal(&state, 0, sabotage(0, 1)), ("KL-E4", "OWN_DIVER"));
    assert_eq!(refusal(&state, 0, sabotage(1, 1)), ("KL-R7", "NOT_TAKING_PART"), "stays aboard");
    assert_eq!(refusal(&state, 0, sabotage(2, 0)), ("KL-R7", "NOT_TAKING_PART"), "at the bar");
    for action in [sabotage(3, 0), sabotage(1, 3), plain(Saboteur)] {
        assert_eq!(refusal(&state, 0, action), ("MALFORMED", "MALFORMED_ACTION"));
    }
    let mut twice = state.clone();
    twice.players[1].divers[0].sabotaged = true;
    assert_eq!(refusal(&twice, 0, sabotage(1, 0)), ("KL-R7", "ALREADY_SABOTAGED"));
    play(&twice, 0, sabotage(1, 2));
}

#[test]
fn kl_r7_a_seat_whose_divers_are_all_sabotaged_keeps_its_window_and_then_only_surfaces() {
    let table = Table::with_encounters(3).holds(0, &[Saboteur]).holds(1, &[AttentiveDiver, Volunteer]);
    let state = table.go(&[Dive, Dive, Bar]);
    let state = play(&play(&state, 0, Action::PlaceBoat { wreck: 0 }).next, 1, Action::PlaceBoat { wreck: 1 }).next;
    let state = play(&state, 0, sabotage(1, 0)).next;
    assert_eq!(asked(&state), (Phase::Sabotage, [1].into()));
    let state = play(&state, 1, Action::Pass).next;
    let state = play_all(&state, 0, [draw(0), Action::Surface]);
    assert_eq!(asked(&state), (Phase::Dive, [1].into()));
    assert_eq!(refusal(&state, 1, draw(0)), ("KL-E4", "SABOTAGED"));
    assert_eq!(refusal(&state, 1, volunteer(0)), ("KL-E4", "SABOTAGED"));
    assert_eq!(refusal(&state, 1, plain(AttentiveDiver)), ("KL-E5", "NOT_ONE_CARD"));
    let mut one_card = state.clone();
    one_card.wrecks[1].cards.truncate(1);
    assert_eq!(refusal(&one_card, 1, plain(AttentiveDiver)), ("KL-E5", "NOBODY_DREW"));
    let step = play(&state, 1, Action::Surface);
    assert_eq!(step.next.wrecks[1].cards.len(), 5);
}

#[test]
fn kl_26_a_saboteur_is_the_one_card_of_the_half_day_and_the_only_one_of_the_window() {
    let state = two_boats(two_teams().holds(0, &[Saboteur, HastyBuyer]));
    assert_eq!(refusal(&state, 0, hasty(0)), ("KL-26", "OWN_ACTION"));
    let state = play(&state, 0, sabotage(1, 0)).next;
    let mut drawn = play(&state, 0, draw(0)).next;
    drawn.phase = Phase::Dive;
    assert_eq!(refusal(&drawn, 0, hasty(20)), ("KL-26", "ONE_PER_HALF_DAY"));
}
