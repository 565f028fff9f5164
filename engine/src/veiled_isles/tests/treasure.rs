//! VI-10 and VI-15: taking and stealing treasure, and clearing up.

use alloc::vec::Vec;

use super::super::ActionCard::{A1, A4};
use super::super::{Action, Deck, Event, Phase};
use super::table::{Table, act, islands, legal, refusal, set, treasure, treasures};
use crate::{Game, Seat, SeatSet};

fn steal(seat: u8) -> Action {
    Action::StealTreasure { seat: Seat(seat) }
}

#[test]
fn vi_10_the_winner_takes_the_treasure_onto_the_pile() {
    let state = Table::of(4).up("r3 g2").pile(1, "b1 r1").plays("r4 r8 b1 b2").played().next;
    assert_eq!(state.to_act(), SeatSet::only(Seat(1)));
    let step = act(&state, 1, Action::TakeTreasure);
    assert_eq!(step.next.player(Seat(1)).treasures[..], treasures("b1 r1 r3"));
    let taken = Event::TreasureTaken { seat: Seat(1), deck: Deck::RedBlue, treasure: treasure("r3") };
    assert_eq!(step.events[0], taken);
}

#[test]
fn vi_10_or_steals_the_visible_treasure_of_a_lower_one_of_the_colour() {
    let table = Table::of(5).up("b1 g2").pile(0, "g5 r4").pile(2, "r5").pile(4, "r2 r3").first(3);
    let state = table.up("r1 g2").plays("r9 r2 r1 b1 b2").played().next;
    // Seats 3, 4 and 0 played red; seat 2's red treasure is that of a player of blue.
    assert_eq!(legal(&state, 3), [Action::TakeTreasure, steal(0), steal(4)]);
    let step = act(&state, 3, steal(4));
    assert_eq!(step.next.player(Seat(3)).treasures[..], treasures("r3"));
    assert_eq!(step.next.player(Seat(4)).treasures[..], treasures("r2"), "the next one is visible");
    let stolen = Event::TreasureStolen { seat: Seat(3), from: Seat(4), treasure: treasure("r3") };
    assert_eq!(step.events[0], stolen);
    assert_eq!(step.next.decks[0].turned_up, Some(treasure("r1")), "it stays until the trick is cleared up");
    assert_eq!(step.next.phase, Phase::StealBonus);
}

#[test]
fn vi_10_what_cannot_be_stolen() {
    let table = Table::of(5).up("r1 g2").pile(0, "r4").pile(1, "r4 g4").pile(3, "r5").pile(4, "r2");
    let state = table.plays("r9 r2 r3 b1 b2").played().next;
    assert_eq!(legal(&state, 0), [Action::TakeTreasure]);
    assert_eq!(refusal(&state, 0, steal(0)), ("VI-10", "OWN_SEAT"));
    assert_eq!(refusal(&state, 0, steal(1)), ("VI-10", "OTHER_TREASURE"));
    assert_eq!(refusal(&state, 0, steal(2)), ("VI-10", "NO_TREASURE"));
    assert_eq!(refusal(&state, 0, steal(3)), ("VI-10", "OTHER_COLOUR"));
    assert_eq!(refusal(&state, 0, steal(4)), ("VI-10", "OTHER_COLOUR"));
    assert_eq!(refusal(&state, 0, steal(5)), ("MALFORMED", "MALFORMED_ACTION"));
}

#[test]
fn vi_10_without_the_colour_on_a_deck_nothing_is_stolen() {
    let state = Table::of(4).up("b1 g2").pile(1, "r4").plays("r9 r2 p1 p2").played().next;
    assert_eq!((state.phase, state.turn), (Phase::StealBonus, Some(Seat(0))));
    assert_eq!(refusal(&state, 0, steal(1)), ("PHASE", "WRONG_PHASE"));
}

#[test]
fn vi_10_the_choice_is_asked_even_where_only_one_answer_is_legal() {
    let state = Table::of(4).up("r1 g2").plays("r9 p1 p2 b1").played().next;
    assert_eq!((state.phase, legal(&state, 0)), (Phase::Treasure, alloc::vec![Action::TakeTreasure]));
}

#[test]
fn vi_15_clearing_up() {
    // A1 is skipped, so that one action ends the trick: nobody has 2 bonus cards, and the supply is empty.
    let table = Table::of(4).first(3).cards(A1, A4).up("r3 g2").face_down(0, "b4 r5 b5 r4").face_down(1, "p4 g5 p1 g4");
    let state = table.plays("r4+1 r8 b2+1 b1").supply(0).pile(3, "r2").played().next;
    assert_eq!(state.player(Seat(3)).bonus, 0);
    let step = act(&state, 0, steal(3));
    let expected = [
        Event::TreasureStolen { seat: Seat(0), from: Seat(3), treasure: treasure("r2") },
        Event::BonusTaken { seat: Seat(3), due: 2, taken: 0 },
        Event::BonusTaken { seat: Seat(2), due: 2, taken: 0 },
        Event::ActionSkipped { seat: Seat(1), action: A1 },
        Event::TreasurePutUnder { deck: Deck::RedBlue, treasure: treasure("r3") },
        Event::TreasureTurnedUp { deck: Deck::RedBlue, treasure: treasure("b4") },
        Event::TreasurePutUnder { deck: Deck::GreenPurple, treasure: treasure("g2") },
        Event::TreasureTurnedUp { deck: Deck::GreenPurple, treasure: treasure("p4") },
        Event::TrickCleared { islands: islands("r4 r8 b2 b1"), bonus: 2, first_seat: Seat(0) },
        Event::TrickStarted { trick: 2, first_seat: Seat(0) },
    ];
    assert_eq!(step.events, expected);
    let state = step.next;
    assert_eq!(state.decks[0].face_down[..], treasures("r5 b5 r4 r3"));
    assert_eq!(state.decks[1].face_down[..], treasures("g5 p1 g4 g2"));
    assert_eq!((state.discarded, state.supply), (set("r4 r8 b2 b1"), 2));
    assert_eq!((state.first_seat, state.turn, state.trick, state.phase), (Seat(0), Some(Seat(0)), 2, Phase::Play));
    assert!(state.players.iter().all(|player| player.played.is_none()));
}

#[test]
fn vi_15_a_treasure_that_was_taken_does_not_go_under_its_deck() {
    let table = Table::of(4).up("r3 g2").face_down(0, "b4 r5 b5 r4").supply(0);
    let state = table.plays("r4 r8 r2 r1").played().next;
    let step = act(&state, 1, Action::TakeTreasure);
    let under: Vec<&Event> =
        step.events.iter().filter(|event| matches!(event, Event::TreasurePutUnder { .. })).collect();
    assert_eq!(under, [&Event::TreasurePutUnder { deck: Deck::GreenPurple, treasure: treasure("g2") }]);
    assert_eq!(step.next.decks[0].turned_up, Some(treasure("b4")));
    assert_eq!(step.next.decks[0].face_down[..], treasures("r5 b5 r4"));
}
