//! VI-16 to VI-19: the actions A1 to A4. Blue is won by seat 0, the red/blue card is the one activated.

use alloc::vec::Vec;

use super::super::ActionCard::{A1, A2, A3, A4};
use super::super::{Action, ActionCard, Deck, Event, Offer, Phase, State};
use super::table::{Table, act, act_with, island, islands, legal, refusal, set, treasures};
use crate::{Game, Offer as _, Seat};

/// A trick in which seat 0 activates this action and seat 1 takes 2 bonus cards, seat 3 another 2.
fn activated(card: ActionCard, table: impl FnOnce(Table) -> Table) -> State {
    let other = if card == A3 { A1 } else { A3 };
    let step = table(Table::of(4).cards(card, other).up("r1 g1")).plays("b9 b2 p9 p2").played();
    assert_eq!(step.events.last(), Some(&Event::ActionActivated { seat: Seat(0), action: card }));
    assert_eq!(step.next.turn, Some(Seat(0)));
    step.next
}

fn steal(seat: u8) -> Action {
    Action::StealBonus { seat: Seat(seat) }
}

#[test]
fn vi_16_a1_steals_2_bonus_cards() {
    let state = activated(A1, |table| table.bonus(0, 3).bonus(2, 1));
    assert_eq!(state.phase, Phase::StealBonus);
    assert_eq!(legal(&state, 0), [steal(1), steal(3)]);
    let step = act(&state, 0, steal(3));
    assert_eq!(step.events[0], Event::BonusStolen { seat: Seat(0), from: Seat(3), count: 2 });
    assert_eq!([0, 1, 2, 3].map(|seat: usize| step.next.players[seat].bonus), [5, 2, 1, 0]);
    assert_eq!(refusal(&state, 0, steal(0)), ("VI-16", "OWN_SEAT"));
    assert_eq!(refusal(&state, 0, steal(2)), ("VI-16", "FEWER_THAN_TWO"));
    assert_eq!(refusal(&state, 0, Action::DrawBonus), ("VI-16", "SOMEBODY_HAS_TWO"));
    assert_eq!(refusal(&state, 0, steal(4)), ("MALFORMED", "MALFORMED_ACTION"));
}

#[test]
fn vi_16_a1_draws_from_the_supply_where_nobody_else_has_2() {
    // The supply gives nothing for the lowest, so the others have what the table says.
    for (supply_before_actions, drawn) in [(9, 2), (2, 2), (1, 1)] {
        let mut state = activated(A1, |table| table.bonus(0, 7).bonus(1, 1).bonus(3, 1));
        state.players[1].bonus = 1;
        state.players[3].bonus = 1;
        state.supply = supply_before_actions;
        assert_eq!(legal(&state, 0), [Action::DrawBonus]);
        assert_eq!(refusal(&state, 0, steal(1)), ("VI-16", "FEWER_THAN_TWO"));
        let step = act(&state, 0, Action::DrawBonus);
        assert_eq!(step.events[0], Event::BonusDrawn { seat: Seat(0), count: drawn });
        assert_eq!(step.next.player(Seat(0)).bonus, 7 + drawn);
        assert_eq!(step.next.supply, supply_before_actions - drawn);
    }
}

#[test]
fn vi_16_a1_is_skipped_where_there_is_nothing_to_take() {
    let step = Table::of(4).cards(A1, A3).plays("b9 b2 p9 p2").bonus(0, 4).bonus(1, 1).supply(0).played();
    assert!(step.events.contains(&Event::ActionSkipped { seat: Seat(0), action: A1 }));
    assert_eq!((step.next.phase, step.next.turn), (Phase::PeekDeck, Some(Seat(2))), "the next winner is asked");
}

#[test]
fn vi_16_bonus_cards_played_in_this_trick_do_not_count() {
    let step = Table::of(4).cards(A1, A3).plays("b9 b2+3 p9 p2").bonus(1, 1).supply(0).played();
    assert!(step.events.contains(&Event::ActionSkipped { seat: Seat(0), action: A1 }));
}

#[test]
fn vi_17_a2_takes_2_islands_at_random_and_gives_2_back() {
    let hands =
        |table: Table| table.hand(0, "r1 r2 r3").hand(2, "g1 g2 g3").more(0).hand(1, "r4 r5 r6").hand(3, "r7 r8 r9");
    let state = activated(A2, hands);
    assert_eq!(legal(&state, 0), [1, 2, 3].map(|seat| Action::SwapWith { seat: Seat(seat) }));
    assert_eq!(refusal(&state, 0, Action::SwapWith { seat: Seat(0) }), ("VI-17", "OWN_SEAT"));
    assert_eq!(refusal(&state, 0, Action::SwapWith { seat: Seat(4) }), ("MALFORMED", "MALFORMED_ACTION"));

    // A draw for each: g3 of three, then g1 of the two left.
    let step = act_with(&state, 0, Action::SwapWith { seat: Seat(2) }, &[(3, 2), (2, 0)]);
    let drawn = Some(islands("g3 g1"));
    assert_eq!(step.events, [Event::IslandsTaken { seat: Seat(0), from: Seat(2), count: 2, islands: drawn }]);
    let state = step.next;
    assert_eq!(state.phase, Phase::GiveBack { to: Seat(2), count: 2 });
    assert_eq!(state.player(Seat(0)).hand, set("r1 r2 r3 g1 g3"));
    assert_eq!(state.player(Seat(2)).hand, set("g2"));

    // Any two of the hand, which includes those taken, in any order.
    let give = |text: &str| Action::GiveBack { islands: islands(text) };
    assert_eq!(state.legal_actions(Seat(0)), [Offer::GiveBack { islands: set("r1 r2 r3 g1 g3"), count: 2 }]);
    assert_eq!(legal(&state, 0).len(), 10);
    for (given, ascending) in [("r1 g3", "r1 g3"), ("g3 r1", "r1 g3"), ("g3 g1", "g1 g3"), ("r2 r3", "r2 r3")] {
        let step = act(&state, 0, give(given));
        let islands = Some(islands(ascending));
        assert_eq!(step.events[0], Event::IslandsGivenBack { seat: Seat(0), to: Seat(2), count: 2, islands });
        let (mine, theirs) = (step.next.player(Seat(0)).hand, step.next.player(Seat(2)).hand);
        assert_eq!((mine.len(), theirs.len()), (3, 3));
        assert!(set(given).iter().all(|island| theirs.contains(island) && !mine.contains(island)));
    }
    for (given, answer) in [
        ("r1 r1", ("MALFORMED", "MALFORMED_ACTION")),
        ("r1 g3 r1", ("MALFORMED", "MALFORMED_ACTION")),
        ("", ("VI-17", "WRONG_COUNT")),
        ("r1", ("VI-17", "WRONG_COUNT")),
        ("r1 r2 r3", ("VI-17", "WRONG_COUNT")),
        ("r1 g2", ("VI-17", "NOT_IN_HAND")),
        ("r1 p12", ("VI-17", "NOT_IN_HAND")),
    ] {
        assert_eq!(refusal(&state, 0, give(given)), answer, "{given}");
    }
}

#[test]
fn vi_17_a2_swaps_1_for_1_when_hands_are_down_to_one() {
    let state = activated(A2, |table| table.hand(0, "r1").hand(1, "r2").hand(2, "r3").hand(3, "r4").more(0));
    let step = act_with(&state, 0, Action::SwapWith { seat: Seat(3) }, &[(1, 0)]);
    assert_eq!(step.next.phase, Phase::GiveBack { to: Seat(3), count: 1 });
    let give = |text: &str| Action::GiveBack { islands: islands(text) };
    assert_eq!(legal(&step.next, 0), [give("r1"), give("r4")]);
    assert_eq!(refusal(&step.next, 0, give("r1 r4")), ("VI-17", "WRONG_COUNT"));
    let after = act(&step.next, 0, give("r1")).next;
    assert_eq!((after.player(Seat(0)).hand, after.player(Seat(3)).hand), (set("r4"), set("r1")));
}

#[test]
fn vi_17_the_family_has_every_choice_once() {
    let offer = Offer::GiveBack { islands: set("r1 r2 b1 p12"), count: 2 };
    let all: Vec<Action> = (0..offer.count()).map(|number| offer.nth(number)).collect();
    let choices = ["r1 r2", "r1 b1", "r1 p12", "r2 b1", "r2 p12", "b1 p12"];
    assert_eq!(all, choices.map(|text| Action::GiveBack { islands: islands(text) }));
    for (text, admitted) in
        [("p12 r1", true), ("r1", false), ("r1 r1", false), ("r1 r2 b1", false), ("r1 g1", false), ("", false)]
    {
        assert_eq!(offer.admits(&Action::GiveBack { islands: islands(text) }), admitted, "{text}");
    }
    let thirteen: Vec<_> = (1..=12).map(|number| island(&alloc::format!("g{number}"))).chain([island("p1")]).collect();
    assert_eq!(Offer::GiveBack { islands: thirteen.into_iter().collect(), count: 2 }.count(), 78);
}

#[test]
fn vi_18_a3_looks_at_three_treasures_and_puts_them_back_in_any_order() {
    let state = activated(A3, |table| table.face_down(0, "r2 b3 r4 b5 r5").face_down(1, "g5 p4 g3 p2"));
    let peek = |deck| Action::PeekDeck { deck };
    assert_eq!(legal(&state, 0), [peek(Deck::RedBlue), peek(Deck::GreenPurple)]);
    assert_eq!(refusal(&state, 0, peek(Deck::Single)), ("MALFORMED", "MALFORMED_ACTION"));
    let step = act(&state, 0, peek(Deck::RedBlue));
    let seen = Some(treasures("r2 b3 r4"));
    assert_eq!(step.events, [Event::DeckPeeked { seat: Seat(0), deck: Deck::RedBlue, treasures: seen }]);
    assert_eq!(step.next.phase, Phase::Reorder { deck: Deck::RedBlue });

    let state = step.next;
    assert_eq!(legal(&state, 0).len(), 6);
    for (order, top) in [
        ([0, 1, 2], "r2 b3 r4 b5 r5"),
        ([0, 2, 1], "r2 r4 b3 b5 r5"),
        ([1, 0, 2], "b3 r2 r4 b5 r5"),
        ([1, 2, 0], "b3 r4 r2 b5 r5"),
        ([2, 0, 1], "r4 r2 b3 b5 r5"),
        ([2, 1, 0], "r4 b3 r2 b5 r5"),
    ] {
        let action = Action::Reorder { order: order.to_vec() };
        assert!(legal(&state, 0).contains(&action));
        let step = act(&state, 0, action);
        let expected = order.iter().map(|place| *place as u8).collect();
        assert_eq!(step.events[0], Event::DeckReordered { seat: Seat(0), deck: Deck::RedBlue, order: Some(expected) });
        assert_eq!(step.next.decks[0].face_down[..], treasures(top));
        assert_eq!(step.next.decks[1], state.decks[1]);
    }
    for order in [&[][..], &[0, 1], &[0, 1, 2, 3], &[0, 1, 2, 2], &[0, 1, 1], &[0, 1, 3], &[1, 2, 3], &[0, 1, u32::MAX]]
    {
        let action = Action::Reorder { order: order.to_vec() };
        assert_eq!(refusal(&state, 0, action), ("MALFORMED", "MALFORMED_ACTION"), "{order:?}");
    }
}

#[test]
fn vi_18_three_players_have_the_single_deck() {
    let state = Table::of(3).cards(A1, A3).up("r1").plays("r9 g2 p9").played().next;
    let state = act(&state, 0, Action::TakeTreasure).next;
    assert_eq!(legal(&state, 2), [Action::PeekDeck { deck: Deck::Single }]);
    for deck in [Deck::RedBlue, Deck::GreenPurple] {
        assert_eq!(refusal(&state, 2, Action::PeekDeck { deck }), ("MALFORMED", "MALFORMED_ACTION"));
    }
    assert_eq!(
        act(&state, 2, Action::PeekDeck { deck: Deck::Single }).next.phase,
        Phase::Reorder { deck: Deck::Single }
    );
}

#[test]
fn vi_19_a4_takes_a_played_island_and_discards_one() {
    let state =
        activated(A4, |table| table.hand(0, "r1 r2").hand(1, "r3 r4").hand(2, "r5 r6").hand(3, "r7 r8").more(0));
    let take = |seat| Action::TakePlayed { seat: Seat(seat) };
    let discard = |text| Action::DiscardIsland { island: island(text) };
    assert_eq!(legal(&state, 0), [take(0), take(1), take(2), take(3)], "the own one included");
    assert_eq!(refusal(&state, 0, take(4)), ("MALFORMED", "MALFORMED_ACTION"));
    for (seat, text) in [(0, "b9"), (1, "b2"), (2, "p9"), (3, "p2")] {
        let step = act(&state, 0, take(seat));
        assert_eq!(step.events, [Event::PlayedTaken { seat: Seat(0), from: Seat(seat), island: island(text) }]);
        assert_eq!(step.next.phase, Phase::DiscardIsland);
        // The one just taken may be discarded too.
        let mut hand: Vec<_> = [island("r1"), island("r2"), island(text)].to_vec();
        hand.sort_unstable();
        let offered: Vec<Action> = hand.iter().map(|island| Action::DiscardIsland { island: *island }).collect();
        assert_eq!(legal(&step.next, 0), offered);
        for other in ["r3", "p12"] {
            assert_eq!(refusal(&step.next, 0, discard(other)), ("VI-19", "NOT_IN_HAND"));
        }
        for discarded in ["r1", text] {
            let after = act(&step.next, 0, discard(discarded));
            assert_eq!(after.events[0], Event::IslandDiscarded { seat: Seat(0), island: island(discarded) });
            assert!(after.next.discarded.contains(island(discarded)));
            assert_eq!(after.next.player(Seat(0)).hand.len(), 2);
            assert_eq!(after.next.player(Seat(0)).hand.contains(island(text)), discarded != text);
        }
    }
}

#[test]
fn vi_19_an_island_that_was_taken_is_not_discarded_with_the_trick() {
    let state = activated(A4, |table| table.hand(0, "r1").hand(1, "r2").hand(2, "r3").hand(3, "r4").more(0));
    let state = act(&state, 0, Action::TakePlayed { seat: Seat(2) }).next;
    let state = act(&state, 0, Action::DiscardIsland { island: island("r1") }).next;
    // Purple is resolved all the same: its winner looks at a deck.
    assert_eq!((state.phase, state.turn), (Phase::PeekDeck, Some(Seat(2))));
    let state = act(&state, 2, Action::PeekDeck { deck: Deck::RedBlue }).next;
    let step = act(&state, 2, Action::Reorder { order: [0, 1, 2].to_vec() });
    assert!(
        step.events
            .iter()
            .any(|event| matches!(event, Event::TrickCleared { islands: all, .. } if *all == islands("b9 b2 p2")))
    );
    assert_eq!(step.next.discarded, set("r1 b9 b2 p2"));
    assert_eq!(step.next.player(Seat(0)).hand, set("p9"));
}
