//! VI-9 and VI-11 to VI-14: who wins a colour, who takes bonus cards, what a colour brings, and in which order.

use alloc::{format, vec::Vec};

use super::super::ActionCard::{A1, A2, A3};
use super::super::{Action, Deck, Event, Phase, Prize};
use super::table::{Table, act, bonus_taken, colours, treasure, winners, won};
use crate::Seat;

#[test]
fn vi_9_the_highest_value_wins_its_colour() {
    for (seats, first, plays, expected) in [
        (4, 0, "r1 r2 r3 r4", &[("r", 3)][..]),
        (4, 0, "r4 r3 r2 r1", &[("r", 0)]),
        (4, 2, "r4 r3 r2 r1", &[("r", 2)]),
        (4, 0, "r1 b1 g1 p1", &[("r", 0), ("b", 1), ("g", 2), ("p", 3)]),
        (5, 0, "p12 b1 b2 p11 g5", &[("b", 2), ("g", 4), ("p", 0)]),
        // Equal values: the nearer to the first player, who is the nearest.
        (4, 0, "r8+1 r9 b1 b2", &[("r", 0), ("b", 3)]),
        (4, 1, "r8+1 r9 b1 b2", &[("r", 1), ("b", 0)]),
        (4, 3, "b1 r9 r8+1 r7+2", &[("r", 0), ("b", 3)]),
        (5, 4, "b1 r7+2 r9 r8+1 b2", &[("r", 0), ("b", 3)]),
    ] {
        let step = Table::of(seats).first(first).plays(plays).played();
        let expected: Vec<_> = expected.iter().map(|(letters, seat)| (colours(letters), *seat)).collect();
        assert_eq!(winners(&step.events), expected, "{plays}, first {first}");
    }
}

#[test]
fn vi_9_a_colour_played_once_is_won_by_its_player() {
    let step = Table::of(4).plays("r12 r11 r10 p1").played();
    let purple = won(&step.events)[1];
    assert_eq!((purple.colours, purple.winner, purple.value, purple.islands), (colours("p"), Seat(3), 1, 1));
    assert_eq!(purple.lowest, None);
}

#[test]
fn vi_11_the_lowest_of_two_or_more_takes_as_many_bonus_cards_as_islands() {
    for (plays, expected) in [
        ("b1 b2 b3 b4", &[(0, 4, 4)][..]),
        ("b1 b2 p3 p4", &[(0, 2, 2), (2, 2, 2)]),
        ("b12 p2 p3 p4", &[(1, 3, 3)]),
        // Equal values: the one further from the first player is the lower.
        ("b2+1 b3 b12 p1", &[(1, 3, 3)]),
        ("b3 b2+1 b12 p1", &[(1, 3, 3)]),
        ("b3 b12 b2+1 p1", &[(2, 3, 3)]),
    ] {
        // No treasure is won, so nobody is asked before.
        let taken = bonus_taken(&Table::of(4).up("r1 g1").plays(plays).played().events);
        assert_eq!(taken, expected, "{plays}");
    }
}

#[test]
fn vi_11_a_colour_played_once_brings_no_bonus_card() {
    let state = Table::of(4).up("r1 g1").plays("r1 b1 g1 p1").played().next;
    let step = act(&act(&state, 0, Action::TakeTreasure).next, 2, Action::TakeTreasure);
    assert_eq!(bonus_taken(&step.events), []);
    assert!(step.next.players.iter().all(|player| player.bonus == 0));
}

#[test]
fn vi_11_bonus_cards_end_with_the_supply_clockwise_by_the_taking_seat() {
    // Seat 2 is first: seat 3 takes before seat 1.
    for (supply, expected) in [
        (9, [(3, 2, 2), (1, 2, 2)]),
        (3, [(3, 2, 2), (1, 2, 1)]),
        (2, [(3, 2, 2), (1, 2, 0)]),
        (0, [(3, 2, 0), (1, 2, 0)]),
    ] {
        let step = Table::of(4).first(2).plays("b9 b2 p9 p2").supply(supply).played();
        assert_eq!(bonus_taken(&step.events), expected);
        let held = [1, 3].map(|seat| step.next.player(Seat(seat)).bonus);
        assert_eq!(held, [expected[1].2, expected[0].2]);
        assert_eq!(step.next.supply, supply - held[0] - held[1]);
    }
}

#[test]
fn vi_12_a_colour_on_no_deck_activates_the_action_of_its_card() {
    let table = || Table::of(4).cards(A1, A2).up("r1 g1");
    let step = table().plays("b1 p1 p2 b2").played();
    let prizes: Vec<_> = won(&step.events).iter().map(|won| (won.winner, won.prize)).collect();
    assert_eq!(prizes, [(Seat(3), Prize::Action(A1)), (Seat(2), Prize::Action(A2))]);
    assert_eq!((step.next.phase, step.next.turn), (Phase::SwapWith, Some(Seat(2))));
    assert_eq!(step.events.last(), Some(&Event::ActionActivated { seat: Seat(2), action: A2 }));

    let step = table().plays("r1 r2 g1 g2").played();
    let prizes: Vec<_> = won(&step.events).iter().map(|won| (won.winner, won.prize)).collect();
    assert_eq!(prizes, [(Seat(1), Prize::Treasure(Deck::RedBlue)), (Seat(3), Prize::Treasure(Deck::GreenPurple))]);
}

#[test]
fn vi_13_treasures_then_bonus_cards_then_actions_clockwise_from_the_first_player() {
    // First player 2. Blue is won by 2 (action), green by 0 (treasure), red by 3 (treasure), purple by 1 (action).
    let step = Table::of(5).first(2).cards(A3, A1).up("r1 g1").plays("b9 r9 b2 g9 p9").played();
    assert_eq!((step.next.phase, step.next.turn), (Phase::Treasure, Some(Seat(3))));
    assert_eq!(bonus_taken(&step.events), [], "no bonus card before the treasures");
    let step = act(&step.next, 3, Action::TakeTreasure);
    assert_eq!((step.next.phase, step.next.turn), (Phase::Treasure, Some(Seat(0))));
    assert_eq!(step.events, [Event::TreasureTaken { seat: Seat(3), deck: Deck::RedBlue, treasure: treasure("r1") }]);
    let step = act(&step.next, 0, Action::TakeTreasure);
    let expected = [
        Event::TreasureTaken { seat: Seat(0), deck: Deck::GreenPurple, treasure: treasure("g1") },
        Event::BonusTaken { seat: Seat(4), due: 2, taken: 2 },
        Event::ActionActivated { seat: Seat(2), action: A3 },
    ];
    assert_eq!(step.events, expected);
    let step = act(&step.next, 2, Action::PeekDeck { deck: Deck::RedBlue });
    let step = act(&step.next, 2, Action::Reorder { order: [2, 1, 0].to_vec() });
    assert_eq!(step.events[1], Event::ActionActivated { seat: Seat(1), action: A1 });
    assert_eq!((step.next.phase, step.next.turn), (Phase::StealBonus, Some(Seat(1))));
    let step = act(&step.next, 1, Action::StealBonus { seat: Seat(4) });
    assert_eq!((step.next.phase, step.next.trick, step.next.turn), (Phase::Play, 2, Some(Seat(3))));
}

#[test]
fn vi_10_what_is_on_top_is_what_was_turned_up_when_the_sails_were_lifted() {
    // Red was on top when the sails were lifted: that it is taken does not make blue's or red's prize another.
    let step = Table::of(4).up("r1 g1").plays("r5 r6 b5 b6").played();
    let step = act(&step.next, 1, Action::TakeTreasure);
    assert_eq!(step.next.decks[0].turned_up, None);
    assert_eq!(
        (step.next.phase, step.next.turn),
        (Phase::StealBonus, Some(Seat(3))),
        "blue's action, and red's no more"
    );
}

#[test]
fn vi_14_three_players_two_colours_of_a_card_count_as_one_when_neither_is_on_top() {
    for (up, plays, expected) in [
        ("r1", "r4 p7 g9", &[("r", 0, 1), ("gp", 2, 2)][..]),
        ("b1", "r4 p7 g9", &[("r", 0, 1), ("gp", 2, 2)]),
        ("g1", "r4 p7 g9", &[("rb", 0, 1), ("g", 2, 1), ("p", 1, 1)]),
        ("p1", "r4 b7 r9", &[("rb", 2, 3)]),
        ("p1", "p4 g7 p9", &[("g", 1, 1), ("p", 2, 2)]),
        ("r1", "p9 g8+1 p1", &[("gp", 0, 3)]),
        ("r1", "g2 g8 g1", &[("gp", 1, 3)]),
    ] {
        let step = Table::of(3).up(up).plays(plays).played();
        let got: Vec<_> = won(&step.events).iter().map(|won| (won.colours, won.winner.0, won.islands)).collect();
        let expected: Vec<_> =
            expected.iter().map(|(letters, seat, islands)| (colours(letters), *seat, *islands)).collect();
        assert_eq!(got, expected, "{plays} with {up} on top");
    }
}

#[test]
fn vi_14_the_merged_colour_has_one_winner_one_lowest_and_one_action() {
    let step = Table::of(3).cards(A1, A3).up("r1").plays("p3 g9 p7").played();
    let merged = won(&step.events)[0];
    assert_eq!((merged.winner, merged.lowest, merged.prize), (Seat(1), Some(Seat(0)), Prize::Action(A3)));
    assert_eq!(bonus_taken(&step.events), [(0, 3, 3)]);
    assert_eq!((step.next.phase, step.next.turn), (Phase::PeekDeck, Some(Seat(1))));
}

#[test]
fn vi_14_is_for_three_players_only() {
    // No red or blue on top is impossible with two decks; with four players green and purple stay apart anyway.
    for seats in [4, 5] {
        let more = if seats == 5 { " b2" } else { "" };
        let plays = format!("r4 p7 g9 b1{more}");
        let step = Table::of(seats).up("r1 g1").plays(&plays).played();
        assert!(won(&step.events).iter().all(|won| won.colours.iter().count() == 1));
    }
}
