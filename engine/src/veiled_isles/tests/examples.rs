//! The worked examples of the rule book.

use super::super::ActionCard::{A1, A2, A3};
use super::super::{Action, Deck, Event, Half, Phase, Prize};
use super::table::{
    Table, act, act_with, bonus_taken, colours, island, legal, refusal, treasure, treasures, unshuffled, won,
};
use crate::Seat;

#[test]
fn vi_example_1_three_players_and_a_red_treasure() {
    let step = Table::of(3).cards(A1, A3).up("r3").plays("r4 p7 g9").played();
    assert_eq!((step.next.phase, step.next.turn), (Phase::Treasure, Some(Seat(0))));
    let step = act(&step.next, 0, Action::TakeTreasure);
    assert_eq!(step.next.player(Seat(0)).treasures[..], treasures("r3"));
    assert_eq!(bonus_taken(&step.events), [(1, 2, 2)]);
    assert_eq!(step.events.last(), Some(&Event::ActionActivated { seat: Seat(2), action: A3 }));
}

#[test]
fn vi_example_2_a_7_with_3_bonus_cards_and_a_10_with_3() {
    let state = Table::of(3).hand(0, "b7 r10").bonus(0, 3).ready();
    let play = |text, bonus| Action::Play { island: island(text), show: Half::Coast, bonus };
    let step = act(&state, 0, play("b7", 3));
    assert_eq!(step.next.player(Seat(0)).played.unwrap().value(), 10);
    assert_eq!(refusal(&state, 0, play("r10", 3)), ("VI-7", "OVER_TWELVE"));
}

#[test]
fn vi_example_3_a_tie_for_red() {
    let step = Table::of(4).up("r1 g1").plays("r8+1 r9 r3 b5").played();
    let [red, blue] = won(&step.events)[..] else { panic!("two colours") };
    assert_eq!((red.colours, red.winner, red.value, red.lowest), (colours("r"), Seat(0), 9, Some(Seat(2))));
    assert_eq!((blue.colours, blue.winner), (colours("b"), Seat(3)));
    let step = act(&step.next, 0, Action::TakeTreasure);
    assert_eq!(bonus_taken(&step.events), [(2, 3, 3)]);
}

#[test]
fn vi_example_4_take_or_steal() {
    let steal = Action::StealTreasure { seat: Seat(1) };
    let table = |pile| Table::of(4).up("r2 g1").pile(1, pile).plays("r9 r2 b1 p1").played().next;
    assert_eq!(legal(&table("g1 r4"), 0), [Action::TakeTreasure, steal.clone()]);
    let green = table("r4 g1");
    assert_eq!(legal(&green, 0), [Action::TakeTreasure]);
    assert_eq!(refusal(&green, 0, steal), ("VI-10", "OTHER_TREASURE"));
}

#[test]
fn vi_example_5_the_supply_has_one_bonus_card_and_three_are_due() {
    let step = Table::of(4).up("r1 g1").plays("b9 b2 b5 p5").supply(1).played();
    assert_eq!(bonus_taken(&step.events), [(1, 3, 1)]);
    assert_eq!((step.next.supply, step.next.player(Seat(1)).bonus), (0, 1));
}

#[test]
fn vi_example_6_five_players_the_last_trick_and_a2() {
    let state = Table::of(5).cards(A2, A3).more(0).up("r1 g1").plays("b9 b2 b5 r5 b1").played().next;
    let step = act_with(&state, 3, Action::TakeTreasure, &unshuffled(5));
    assert!(step.events.contains(&Event::ActionSkipped { seat: Seat(0), action: A2 }));
    assert_eq!((step.next.round, step.next.phase), (2, Phase::Pass));
}

#[test]
fn vi_example_7_five_players_steal_lowest_and_action() {
    // Éric is seat 0, Stéphanie 1 with a visible red 4, Nicolas 2, Marilou 3; a fifth loses green.
    let table =
        Table::of(5).cards(A1, A3).up("r2 p1").face_down(0, "b1 b2 b3 b4").face_down(1, "g1 g2 g3 g4").pile(1, "b5 r4");
    let step = table.plays("r10 r8 r3 g9 g4").played();
    let [red, green] = won(&step.events)[..] else { panic!("two colours") };
    assert_eq!((red.winner, red.islands, red.prize), (Seat(0), 3, Prize::Treasure(Deck::RedBlue)));
    assert_eq!((green.winner, green.prize), (Seat(3), Prize::Action(A3)));
    let step = act(&step.next, 0, Action::StealTreasure { seat: Seat(1) });
    assert_eq!(step.next.player(Seat(0)).treasures[..], treasures("r4"));
    assert_eq!(step.next.player(Seat(1)).treasures[..], treasures("b5"));
    assert_eq!(bonus_taken(&step.events), [(2, 3, 3), (4, 2, 2)]);
    assert_eq!(step.events.last(), Some(&Event::ActionActivated { seat: Seat(3), action: A3 }));
    let state = act(&step.next, 3, Action::PeekDeck { deck: Deck::GreenPurple }).next;
    let step = act(&state, 3, Action::Reorder { order: [0, 1, 2].to_vec() });
    let under = |deck, text| Event::TreasurePutUnder { deck, treasure: treasure(text) };
    assert!(step.events.contains(&under(Deck::RedBlue, "r2")) && step.events.contains(&under(Deck::GreenPurple, "p1")));
    assert_eq!(step.next.decks[0].face_down.last(), Some(&treasure("r2")));
    assert_eq!(step.next.decks[1].face_down.last(), Some(&treasure("p1")));
}
