//! CC-6 to CC-10: the turn.

use super::super::{Action, Event, GameEnd, Phase, Source, Suit};
use super::table::{Table, card, cards, draw, end, has_incident, net, play, play_with, refusal, unshuffled};
use crate::{Seat, SeatSet};

const SEAT: Seat = Seat(0);

#[test]
fn cc_6_a_turn_starts_with_an_explicit_draw() {
    let state = Table::of(2).fresh_turn().pile("siren 6, key 7").ready();
    assert_eq!(state.choices(), [Action::Draw]);
    assert_eq!(refusal(&state, 0, Action::Surface), ("CC-6", "NOTHING_TURNED_UP"));
    let step = draw(&state);
    let siren = card("siren 6");
    let entered = Event::Entered { seat: SEAT, card: siren, source: Source::DrawPile, squid_demand: 0 };
    assert_eq!(step.events, [Event::Drew { seat: SEAT, card: siren, draw_pile_size: 1 }, entered]);
    assert_eq!(step.next.choices(), [Action::Draw, Action::Surface]);
    assert_eq!((step.next.row_names().as_str(), step.next.draw_pile_names().as_str()), ("siren 6", "key 7"));
}

#[test]
fn cc_6_after_each_card_and_its_effect_the_player_draws_again_or_surfaces() {
    let mut state =
        Table::of(2).fresh_turn().pile("siren 6, anchor 3, key 7, chest 2, drone 3, map 2, siren 7").ready();
    for _ in 0..6 {
        state = draw(&state).next;
        assert_eq!(state.choices(), [Action::Draw, Action::Surface]);
        assert_eq!(state.turn, SEAT);
    }
    assert_eq!(state.row_names(), "siren 6, anchor 3, key 7, chest 2, drone 3, map 2");
}

#[test]
fn cc_6_the_next_turn_starts_again() {
    let state = Table::of(3).row("drone 3, key 7").drone_shows(1).ready();
    let step = play(&state, Action::Surface);
    let next = &step.next;
    assert_eq!(step.events.last(), Some(&Event::TurnStarted { seat: Seat(1) }));
    assert_eq!((next.turn, next.phase, next.turned_up, next.drone_count), (Seat(1), Phase::Explore, false, 0));
    assert_eq!(next.row_names(), "");
    assert_eq!(next.choices(), [Action::Draw]);
}

#[test]
fn cc_7_a_repeated_suit_loses_the_row_and_the_card_and_ends_the_turn() {
    let state = Table::of(2).row("key 4, siren 5, chest 3").pile("siren 9, key 7").graveyard("net 2").ready();
    let step = draw(&state);
    let expected = [
        Event::Drew { seat: SEAT, card: card("siren 9"), draw_pile_size: 1 },
        Event::IncidentCaused { seat: SEAT, card: card("siren 9") },
        Event::Lost { seat: SEAT, cards: cards("key 4, siren 5, chest 3, siren 9"), to_hold_of: None },
        Event::TurnStarted { seat: Seat(1) },
    ];
    assert_eq!(step.events, expected);
    assert_eq!(step.next.row_names(), "");
    assert_eq!(step.next.hold_of(0), "");
    assert_eq!(step.next.graveyard_names(), "siren 9, chest 3, siren 5, key 4, net 2", "the last one lies on top");
}

#[test]
fn cc_7_the_effect_of_the_card_is_not_applied() {
    for name in ["squid 4", "map 4", "knife 4", "drone 4", "net 4", "harpoon 4"] {
        let state = Table::of(2)
            .row(&name.replace('4', "5"))
            .pile(&alloc::format!("{name}, key 7"))
            .graveyard("siren 4, siren 5")
            .hold(0, "key 2")
            .hold(1, "siren 8")
            .ready();
        let next = draw(&state).next;
        assert_eq!((next.turn, next.phase, next.squid_demand), (Seat(1), Phase::Explore, 0), "{name}");
        assert_eq!((next.hold_of(0).as_str(), next.hold_of(1).as_str()), ("key 2", "siren 8"), "{name}");
    }
}

#[test]
fn cc_7_the_same_value_of_another_suit_is_no_incident() {
    let state = Table::of(2).row("key 5").pile("siren 5").ready();
    assert!(!has_incident(&draw(&state)));
}

#[test]
fn cc_7_cards_from_graveyard_and_holds_cause_incidents_too() {
    let base = || Table::of(2).row("siren 5").hold(0, "siren 6").hold(1, "siren 7").graveyard("siren 8");
    let mapped = play_with(&base().pile("map 3, key 7").ready(), Action::Draw, &[]).next;
    assert!(has_incident(&play(&mapped, super::table::place("siren 8"))));
    let netted = draw(&base().pile("net 3, key 7").ready()).next;
    assert!(has_incident(&play(&netted, net(Suit::Siren))));
    let harpooned = draw(&base().hold(0, "").pile("harpoon 3, key 7").ready()).next;
    assert!(has_incident(&play(&harpooned, super::table::harpoon(1, Suit::Siren))));
}

#[test]
fn cc_8_a_card_goes_to_the_end_of_the_row_and_acts_wherever_it_comes_from() {
    // Turned up: a net. From the own hold: a harpoon. From an opponent's hold: a map. From the graveyard: a drone.
    let state = Table::of(2)
        .row("key 5")
        .pile("net 3, siren 7, siren 8")
        .hold(0, "harpoon 4")
        .hold(1, "map 6")
        .graveyard("drone 2, anchor 2")
        .ready();
    let state = draw(&state).next;
    assert_eq!(state.phase, Phase::Net);
    let state = play(&state, net(Suit::Harpoon)).next;
    assert_eq!(state.phase, Phase::Harpoon);
    let state = play_with(&state, super::table::harpoon(1, Suit::Map), &unshuffled(2)).next;
    assert_eq!(state.phase, Phase::Map);
    let state = play(&state, super::table::place("drone 2")).next;
    assert_eq!(state.row_names(), "key 5, net 3, harpoon 4, map 6, drone 2");
    let sources: alloc::vec::Vec<Source> = state.exploration.iter().map(|explored| explored.source).collect();
    use Source::*;
    assert_eq!(sources, [DrawPile, DrawPile, OwnHold, OpponentHold, Graveyard]);
    assert_eq!((state.phase, state.drone_count), (Phase::Explore, 1));
}

#[test]
fn cc_8_an_effect_is_mandatory() {
    let state = Table::of(2).pile("net 3, siren 7").hold(0, "key 4").ready();
    let state = draw(&state).next;
    for action in [Action::Draw, Action::Surface] {
        assert_eq!(refusal(&state, 0, action), ("PHASE", "WRONG_PHASE"));
    }
}

#[test]
fn cc_8_key_and_chest_do_nothing_before_surfacing() {
    let state = Table::of(2).row("key 3").pile("chest 4, siren 7").graveyard("siren 4, net 2").ready();
    let step = draw(&state);
    assert_eq!(step.events.len(), 2, "drawn and entered: {:?}", step.events);
    assert_eq!(step.next.graveyard_names(), "siren 4, net 2");
}

#[test]
fn cc_9_surfacing_moves_the_row_to_the_hold_and_ends_the_turn() {
    let state = Table::of(2).row("siren 5, map 3").hold(0, "siren 8, key 2").graveyard("net 2").ready();
    let step = play(&state, Action::Surface);
    let surfaced = Event::Surfaced { seat: SEAT, cards: cards("siren 5, map 3") };
    assert_eq!(step.events, [surfaced, Event::TurnStarted { seat: Seat(1) }]);
    assert_eq!(step.next.hold_of(0), "map 3, key 2, siren 5, siren 8");
    assert_eq!(step.next.graveyard_names(), "net 2");
}

#[test]
fn cc_10_the_turn_that_empties_the_draw_pile_is_played_to_its_end() {
    let state = Table::of(2).row("key 5").pile("net 3").hold(0, "siren 9").hold(1, "anchor 4").ready();
    let step = draw(&state);
    assert_eq!((end(&step), step.next.phase), (None, Phase::Net), "its effect too");
    let step = play(&step.next, net(Suit::Siren));
    assert_eq!(end(&step), None);
    assert_eq!(step.next.choices(), [Action::Surface]);
    assert_eq!(refusal(&step.next, 0, Action::Draw), ("CC-10", "EMPTY_DRAW_PILE"));
    let step = play(&step.next, Action::Surface);
    assert_eq!(end(&step), Some((GameEnd::DrawPileEmpty, SeatSet::only(SEAT))));
    assert_eq!(step.next.phase, Phase::Over);
    assert_eq!(
        step.events.last(),
        Some(&Event::GameEnded {
            cause: GameEnd::DrawPileEmpty,
            points: [17, 4].to_vec(),
            winners: SeatSet::only(SEAT)
        })
    );
}

#[test]
fn cc_10_an_incident_with_the_last_card_ends_the_game_too() {
    let state = Table::of(2).row("key 5").pile("key 6").hold(1, "anchor 4").ready();
    let step = draw(&state);
    assert_eq!(end(&step), Some((GameEnd::DrawPileEmpty, SeatSet::only(Seat(1)))));
    assert_eq!(step.next.graveyard_names(), "key 6, key 5");
}

#[test]
fn cc_10_the_key_chest_bonus_of_the_last_turn_is_taken() {
    let state = Table::of(2).row("key 5").pile("chest 6").graveyard("siren 9").ready();
    let step = play(&draw(&state).next, Action::Surface);
    assert_eq!(step.next.hold_of(0), "key 5, chest 6, siren 9");
    assert!(end(&step).is_some());
}
