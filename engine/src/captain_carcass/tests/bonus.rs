//! CC-14: key and chest, with plunderer and treasure hunter.

use super::super::{Action, Diver, Event, Phase, Skip, Suit};
use super::table::{Table, cards, play, play_with, plunder, refusal, skipped, unshuffled};
use crate::Seat;

const SURFACE: Action = Action::Surface;

#[test]
fn cc_14_as_many_cards_as_the_row_held_come_from_the_shuffled_graveyard() {
    let state =
        Table::of(2).row("key 3, siren 5, chest 4").graveyard("net 2, map 2, anchor 2, drone 2, squid 2").ready();
    let draws = [(5, 0), (4, 3), (3, 2), (2, 1)];
    let step = play_with(&state, SURFACE, &draws);
    let expected = [
        Event::Surfaced { seat: Seat(0), cards: cards("key 3, siren 5, chest 4") },
        Event::BonusEarned { seat: Seat(0), count: 3 },
        Event::GraveyardShuffled { size: 5, order: cards("squid 2, map 2, anchor 2, drone 2, net 2") },
        Event::BonusTaken { seat: Seat(0), cards: cards("squid 2, map 2, anchor 2") },
        Event::TurnStarted { seat: Seat(1) },
    ];
    assert_eq!(step.events, expected);
    assert_eq!(step.next.hold_of(0), "anchor 2, squid 2, map 2, key 3, chest 4, siren 5");
    assert_eq!(step.next.graveyard_names(), "drone 2, net 2");
}

#[test]
fn cc_14_all_of_a_smaller_graveyard() {
    let state = Table::of(2).row("chest 4, key 3, siren 5").graveyard("net 2, map 2").ready();
    let step = play_with(&state, SURFACE, &unshuffled(2));
    assert_eq!(step.next.hold_of(0), "map 2, key 3, chest 4, net 2, siren 5");
    assert_eq!(step.next.graveyard_names(), "");
    let empty = Table::of(2).row("chest 4, key 3").ready();
    let step = play(&empty, SURFACE);
    assert_eq!(skipped(&step, Suit::Chest), Some(Skip::EmptyGraveyard));
    assert_eq!(step.next.turn, Seat(1));
}

#[test]
fn cc_14_both_must_lie_in_the_row() {
    for (row, hold) in [("key 3, siren 5", "chest 4"), ("chest 3, siren 5", "key 4"), ("siren 5", "key 4, chest 4")] {
        let state = Table::of(2).row(row).hold(0, hold).graveyard("net 2, map 2").ready();
        let step = play(&state, SURFACE);
        assert!(!step.events.iter().any(|event| matches!(event, Event::BonusEarned { .. })), "{row}");
        assert_eq!(step.next.graveyard_names(), "net 2, map 2");
    }
}

#[test]
fn cc_14_cards_gained_have_no_effect() {
    let state = Table::of(2).row("key 3, chest 4").hold(1, "siren 9").graveyard("knife 2, squid 2").ready();
    let step = play_with(&state, SURFACE, &unshuffled(2));
    assert_eq!((step.next.turn, step.next.phase, step.next.squid_demand), (Seat(1), Phase::Explore, 0));
    assert_eq!(step.next.hold_of(1), "siren 9");
}

#[test]
fn cc_d3_the_plunderer_takes_the_bonus_at_random_from_an_opponents_hold() {
    let state = Table::of(4)
        .diver(0, Diver::Plunderer)
        .row("key 3, chest 4, siren 5")
        .hold(0, "net 7")
        .hold(1, "anchor 3, anchor 5, map 2, siren 9")
        .hold(3, "drone 2")
        .graveyard("net 2, map 3, anchor 2")
        .ready();
    let step = play(&state, SURFACE);
    let surfaced = Event::Surfaced { seat: Seat(0), cards: cards("key 3, chest 4, siren 5") };
    assert_eq!(step.events, [surfaced, Event::BonusEarned { seat: Seat(0), count: 3 }]);
    let state = step.next;
    assert_eq!((state.phase, state.turn, state.plunder_count), (Phase::Plunder, Seat(0), 3));
    assert_eq!(state.hold_of(0), "key 3, chest 4, net 7, siren 5", "the exploration comes first");
    assert_eq!(state.choices(), [plunder(1), plunder(3)]);
    assert_eq!(refusal(&state, 0, plunder(0)), ("CC-D3", "OWN_SEAT"));
    assert_eq!(refusal(&state, 0, plunder(2)), ("CC-D3", "EMPTY_HOLD"));
    assert_eq!(refusal(&state, 0, plunder(4)), ("MALFORMED", "MALFORMED_ACTION"));
    assert_eq!(refusal(&state, 0, Action::Draw), ("PHASE", "WRONG_PHASE"));
    // Of four cards the second, of three left the last, of two left the first.
    let step = play_with(&state, plunder(1), &[(4, 1), (3, 2), (2, 0)]);
    let taken = cards("anchor 5, siren 9, anchor 3");
    assert_eq!(step.events[0], Event::Plundered { seat: Seat(0), victim: Seat(1), cards: taken });
    assert_eq!(step.next.hold_of(1), "map 2");
    assert_eq!(step.next.hold_of(0), "anchor 3, anchor 5, key 3, chest 4, net 7, siren 5, siren 9");
    assert_eq!(step.next.graveyard_names(), "net 2, map 3, anchor 2", "the graveyard is left alone");
    assert_eq!((step.next.turn, step.next.phase, step.next.plunder_count), (Seat(1), Phase::Explore, 0));
    // A hold that is short is taken whole, and drawn all the same.
    let step = play_with(&state, plunder(3), &[(1, 0)]);
    assert_eq!(step.next.hold_of(3), "");
}

#[test]
fn cc_d3_no_opponent_with_cards_no_bonus() {
    let state = Table::of(2).diver(0, Diver::Plunderer).row("key 3, chest 4").graveyard("net 2").ready();
    let step = play(&state, SURFACE);
    assert_eq!(skipped(&step, Suit::Chest), Some(Skip::NoOpponentHasCards));
    assert_eq!((step.next.turn, step.next.graveyard_names().as_str()), (Seat(1), "net 2"));
}

#[test]
fn cc_d4_the_treasure_hunters_bonus_is_doubled() {
    let graveyard = "net 2, map 2, anchor 2, drone 2, squid 2";
    let table = |owner| Table::of(2).diver(owner, Diver::TreasureHunter).row("key 3, chest 4").graveyard(graveyard);
    let step = play_with(&table(0).ready(), SURFACE, &unshuffled(5));
    assert_eq!(step.events[1], Event::BonusEarned { seat: Seat(0), count: 4 });
    assert_eq!(step.next.graveyard_names(), "squid 2");
    assert_eq!(play_with(&table(1).ready(), SURFACE, &unshuffled(5)).next.graveyard.len(), 3);
    let state =
        Table::of(2).diver(0, Diver::TreasureHunter).row("key 3, chest 4, siren 5").graveyard(graveyard).ready();
    assert_eq!(play_with(&state, SURFACE, &unshuffled(5)).next.graveyard.len(), 0, "six asked, five there");
}
