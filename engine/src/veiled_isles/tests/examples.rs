//! The worked examples of the rule book.

use super::super::ActionCard::{A1, A2, A3, A4};
use super::super::{Action, ActionCard, Deck, Event, Half, Phase, Prize, Rules, State};
use super::table::{
    Table, act, act_with, bonus_taken, colours, island, islands, legal, refusal, set, treasure, treasures, unshuffled,
    won,
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
fn vi_example_7_four_players_steal_lowest_and_action() {
    // Éric is seat 0, Stéphanie 1 with a visible red 4, Nicolas 2, Marilou 3.
    let table =
        Table::of(4).cards(A1, A3).up("r2 p1").face_down(0, "b1 b2 b3 b4").face_down(1, "g1 g2 g3 g4").pile(1, "b5 r4");
    let step = table.plays("r10 r8 r3 g9").played();
    let [red, green] = won(&step.events)[..] else { panic!("two colours") };
    assert_eq!((red.winner, red.islands, red.prize), (Seat(0), 3, Prize::Treasure(Deck::RedBlue)));
    assert_eq!((green.winner, green.prize), (Seat(3), Prize::Action(A3)));
    let step = act(&step.next, 0, Action::StealTreasure { seat: Seat(1) });
    assert_eq!(step.next.player(Seat(0)).treasures[..], treasures("r4"));
    assert_eq!(step.next.player(Seat(1)).treasures[..], treasures("b5"));
    assert_eq!(bonus_taken(&step.events), [(2, 3, 3)], "nobody has lost green");
    assert_eq!(step.events.last(), Some(&Event::ActionActivated { seat: Seat(3), action: A3 }));
    let state = act(&step.next, 3, Action::PeekDeck { deck: Deck::GreenPurple }).next;
    let step = act(&state, 3, Action::Reorder { order: [0, 1, 2].to_vec() });
    let under = |deck, text| Event::TreasurePutUnder { deck, treasure: treasure(text) };
    assert!(step.events.contains(&under(Deck::RedBlue, "r2")) && step.events.contains(&under(Deck::GreenPurple, "p1")));
    assert_eq!(step.next.decks[0].face_down.last(), Some(&treasure("r2")));
    assert_eq!(step.next.decks[1].face_down.last(), Some(&treasure("p1")));
}

#[test]
fn vi_example_8_a_tie_and_the_visible_treasures() {
    let steal = |seat| Action::StealTreasure { seat: Seat(seat) };
    let table = |rules| Table::of(4).rules(rules).up("r2 g1").pile(1, "r4").pile(2, "r5");
    let state = |rules| table(rules).plays("r8+1 r9 r3 b5").played().next;
    assert_eq!(legal(&state(Rules::V2), 0), [Action::TakeTreasure, steal(2)]);
    assert_eq!(refusal(&state(Rules::V2), 0, steal(1)), ("VI-R4", "NOT_LOWER"));
    assert_eq!(legal(&state(Rules::V1), 0), [Action::TakeTreasure, steal(1), steal(2)]);
}

#[test]
fn vi_example_9_passing_the_highest_of_the_colour_held_most() {
    let pass = |text| Action::Pass { island: island(text) };
    let state = Table::of(3).passing().hand(0, "r2 r9 r4 b12").hand(1, "g1 g5 p2 p7").hand(2, "b3").ready();
    assert_eq!(legal(&state, 0), [pass("r9")]);
    assert_eq!(refusal(&state, 0, pass("b12")), ("VI-6", "NOT_MOST_HELD"));
    assert_eq!(legal(&state, 1), [pass("g5"), pass("p7")], "two colours are held equally often");
    let state = act(&act(&act(&state, 0, pass("r9")).next, 1, pass("p7")).next, 2, pass("b3")).next;
    assert_eq!(state.player(Seat(2)).hand, set("r9"), "the right neighbour is the seat before");
}

/// Four players; seat 0 wins blue with the 9, no blue treasure is up, and this action is activated.
fn blue_wins(card: ActionCard, table: impl FnOnce(Table) -> Table) -> State {
    let other = if card == A3 { A1 } else { A3 };
    let step = table(Table::of(4).cards(card, other).up("r1 g1")).plays("b9 b2 p9 p2").played();
    assert_eq!(step.events.last(), Some(&Event::ActionActivated { seat: Seat(0), action: card }));
    step.next
}

#[test]
fn vi_example_10_a1_steals_from_a_player_who_has_2() {
    let steal = |seat| Action::StealBonus { seat: Seat(seat) };
    // Seats 1 and 3 have taken 2 each for the lowest blue and purple.
    let state = blue_wins(A1, |table| table.bonus(0, 3).bonus(2, 1));
    assert_eq!([1, 2, 3].map(|seat| state.player(Seat(seat)).bonus), [2, 1, 2]);
    assert_eq!(legal(&state, 0), [steal(1), steal(3)]);
    assert_eq!(act(&state, 0, steal(3)).next.player(Seat(0)).bonus, 5);
    let mut poor = state;
    (poor.players[1].bonus, poor.players[3].bonus, poor.supply) = (1, 1, poor.supply + 2);
    assert_eq!(legal(&poor, 0), [Action::DrawBonus]);
    assert_eq!(act(&poor, 0, Action::DrawBonus).next.player(Seat(0)).bonus, 5);
}

#[test]
fn vi_example_11_a2_swaps_two_islands() {
    let hands =
        |table: Table| table.hand(0, "r1 r2 r3").hand(2, "g1 g2 g3").hand(1, "r4 r5 r6").hand(3, "r7 r8 r9").more(0);
    let state = blue_wins(A2, hands);
    let state = act_with(&state, 0, Action::SwapWith { seat: Seat(2) }, &[(3, 2), (2, 0)]).next;
    assert_eq!(state.player(Seat(0)).hand, set("r1 r2 r3 g1 g3"));
    let state = act(&state, 0, Action::GiveBack { islands: islands("r1 g3") }).next;
    assert_eq!((state.player(Seat(0)).hand, state.player(Seat(2)).hand), (set("r2 r3 g1"), set("r1 g2 g3")));
}

#[test]
fn vi_example_12_a3_puts_three_treasures_in_another_order() {
    let state = blue_wins(A3, |table| table.face_down(0, "r2 b3 r4 b5 r5"));
    let state = act(&state, 0, Action::PeekDeck { deck: Deck::RedBlue }).next;
    let step = act(&state, 0, Action::Reorder { order: [2, 0, 1].to_vec() });
    assert_eq!(step.next.decks[0].face_down[..3], treasures("r4 r2 b3"));
    // Purple is won without a purple treasure as well: its winner steals bonus cards, and the trick is cleared up.
    let step = act(&step.next, 2, Action::StealBonus { seat: Seat(1) });
    assert_eq!(step.next.decks[0].turned_up, Some(treasure("r4")));
}

#[test]
fn vi_example_13_a4_takes_the_purple_9() {
    let state =
        blue_wins(A4, |table| table.hand(0, "r1 r2").hand(1, "r3 r4").hand(2, "r5 r6").hand(3, "r7 r8").more(0));
    let state = act(&state, 0, Action::TakePlayed { seat: Seat(2) }).next;
    let state = act(&state, 0, Action::DiscardIsland { island: island("r1") }).next;
    assert_eq!(state.player(Seat(0)).hand, set("r2 p9"));
    assert!(state.discarded.contains(island("r1")) && !state.discarded.contains(island("p9")));
}
