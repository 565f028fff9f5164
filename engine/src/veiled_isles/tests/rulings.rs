//! VI-R3 to VI-R13: what the rulebook leaves open. VI-R1 and VI-R2 are tested with the options.

use alloc::{format, vec::Vec};

use super::super::ActionCard::{A1, A2, A3, A4};
use super::super::{Action, Deck, Event, Half, Island, Phase, Prize, Rules, State};
use super::table::{
    Table, act, act_with, bonus_taken, colours, fresh, island, legal, refusal, treasures, unshuffled, won,
};
use crate::{Game, Offer, RulesVersion, Seat};

#[test]
fn vi_r3_bonus_cards_are_played_with_the_island_not_later() {
    let state = Table::of(3).hand(0, "r5").bonus(0, 2).ready();
    let state = act(&state, 0, Action::Play { island: island("r5"), show: Half::Sea, bonus: 0 }).next;
    assert!(state.legal_actions(Seat(0)).is_empty());
    assert_eq!(state.player(Seat(0)).bonus, 2);
    let again = Action::Play { island: island("r5"), show: Half::Sea, bonus: 2 };
    assert_eq!(refusal(&state, 0, again), ("TURN", "NOT_ASKED"));
}

/// The first player and the next played 9, the first with a bonus card; a red 4 lies before each of two other players of red.
fn tied_for_red(rules: Rules) -> State {
    let table = Table::of(5).rules(rules).up("r1 g1").pile(1, "r4").pile(2, "r4");
    table.plays("r8+1 r9 r3 b1 b2").played().next
}

fn steal(seat: u8) -> Action {
    Action::StealTreasure { seat: Seat(seat) }
}

#[test]
fn vi_r4_the_winner_of_a_tie_may_rob_the_other_in_version_1() {
    let state = tied_for_red(Rules::V1);
    assert_eq!(legal(&state, 0), [Action::TakeTreasure, steal(1), steal(2)]);
    let step = act(&state, 0, steal(1));
    assert_eq!(step.next.player(Seat(0)).treasures[..], treasures("r4"));
}

#[test]
fn vi_r4_only_a_strictly_lower_value_is_robbed_in_version_2() {
    let state = tied_for_red(Rules::V2);
    assert_eq!(legal(&state, 0), [Action::TakeTreasure, steal(2)]);
    assert_eq!(refusal(&state, 0, steal(1)), ("VI-R4", "NOT_LOWER"));
    let step = act(&state, 0, steal(2));
    assert_eq!(step.next.player(Seat(0)).treasures[..], treasures("r4"));
    assert_eq!(step.next.player(Seat(1)).treasures[..], treasures("r4"));
}

/// One comparison of equal values is not decided by who is nearer: the one for stealing.
#[test]
fn vi_9_equal_values_are_ordered_in_all_but_stealing_in_version_2() {
    let order = |rules| {
        let step = Table::of(5).rules(rules).up("r1 g1").pile(1, "r4").plays("r8+1 r9 r9 b1 b2").played();
        let [red, ..] = won(&step.events)[..] else { panic!("red was played") };
        (red.winner, red.lowest, legal(&step.next, 0).contains(&steal(1)))
    };
    assert_eq!(order(Rules::V1), (Seat(0), Some(Seat(2)), true));
    assert_eq!(order(Rules::V2), (Seat(0), Some(Seat(2)), false));
}

#[test]
fn vi_r4_bonus_cards_count_in_version_2() {
    // Each case: what the first player and the next play, and whether the first may rob the next.
    for (plays, robbed) in [
        ("r9 r8", true),
        ("r9 r8+1", false),
        ("r8+1 r9", false),
        ("r5+4 r6+3", false),
        ("r6+4 r9", true),
        ("r7+3 r8+1", true),
        ("r10+2 r12", false),
    ] {
        let table = Table::of(4).rules(Rules::V2).up("r1 g1").pile(1, "r4");
        let state = table.plays(&format!("{plays} b1 b2")).played().next;
        assert_eq!(state.turn, Some(Seat(0)), "{plays}: a tie is won by the nearer");
        assert_eq!(legal(&state, 0).contains(&steal(1)), robbed, "{plays}");
        assert_eq!(legal(&state, 0).len(), 1 + usize::from(robbed), "{plays}");
        if !robbed {
            assert_eq!(refusal(&state, 0, steal(1)), ("VI-R4", "NOT_LOWER"), "{plays}");
        }
    }
}

#[test]
fn vi_r4_a_tie_is_won_by_the_nearer_and_the_last_of_equals_is_lowest_in_version_2() {
    for rules in Rules::ALL {
        let step = Table::of(4).rules(*rules).up("r1 g1").plays("r3 r8+1 r2+1 r9").played();
        let [red] = won(&step.events)[..] else { panic!("one colour") };
        assert_eq!((red.winner, red.value, red.lowest), (Seat(1), 9, Some(Seat(2))), "{rules:?}");
        let step = act(&step.next, 1, Action::TakeTreasure);
        assert_eq!(bonus_taken(&step.events), [(2, 4, 4)], "{rules:?}");
    }
}

#[test]
fn vi_r4_what_is_wrong_by_vi_10_is_said_first_in_version_2() {
    let table = |pile| Table::of(4).rules(Rules::V2).up("r1 g1").pile(1, pile).plays("r8+1 r9 b1 b2").played().next;
    assert_eq!(refusal(&table("r4"), 0, steal(1)), ("VI-R4", "NOT_LOWER"));
    assert_eq!(refusal(&table("r4 g1"), 0, steal(1)), ("VI-10", "OTHER_TREASURE"));
    assert_eq!(refusal(&table(""), 0, steal(1)), ("VI-10", "NO_TREASURE"));
    assert_eq!(refusal(&table("r4"), 0, steal(2)), ("VI-10", "OTHER_COLOUR"));
}

#[test]
fn vi_r5_a2_and_a4_are_skipped_when_the_hands_are_empty() {
    for (card, skipped) in [(A1, false), (A2, true), (A3, false), (A4, true)] {
        let other = if card == A2 { A4 } else { A2 };
        let state = Table::of(4).cards(card, other).more(0).up("r1 g1").plays("b9 b2 p9 g2").played().next;
        // Seat 3 takes the green treasure; then blue is for seat 0.
        let draws = if skipped { unshuffled(4) } else { Vec::new() };
        let step = act_with(&state, 3, Action::TakeTreasure, &draws);
        assert_eq!(step.events.contains(&Event::ActionSkipped { seat: Seat(0), action: card }), skipped, "{card:?}");
        assert_eq!(step.events.contains(&Event::ActionActivated { seat: Seat(0), action: card }), !skipped, "{card:?}");
        // The other card, that of purple, is skipped after it.
        let purple = Event::ActionSkipped { seat: Seat(2), action: other };
        assert_eq!(step.events.contains(&purple), skipped);
        assert_eq!(step.next.round, if skipped { 2 } else { 1 });
    }
}

#[test]
fn vi_r6_a3_looks_below_the_treasure_turned_up_or_at_the_top_if_it_is_taken() {
    let table = || Table::of(4).cards(A3, A1).up("r1 g1").face_down(0, "r2 b2 r3 b3");
    let peek = Action::PeekDeck { deck: Deck::RedBlue };
    let seen = Some(treasures("r2 b2 r3"));
    let peeked = Event::DeckPeeked { seat: Seat(0), deck: Deck::RedBlue, treasures: seen };
    let state = table().plays("b9 b2 p9 p2").played().next;
    assert!(state.decks[0].turned_up.is_some());
    assert_eq!(act(&state, 0, peek.clone()).events[0], peeked);
    let state = table().plays("b9 r2 p9 p2").played().next;
    let state = act(&state, 1, Action::TakeTreasure).next;
    assert!(state.decks[0].turned_up.is_none());
    assert_eq!(act(&state, 0, peek).events[0], peeked);
}

/// Plays games with chance that always answers the same, taking every treasure that can be taken.
fn play_through(seats: u8, mut each: impl FnMut(&State)) {
    struct Lowest;
    impl crate::Chance for Lowest {
        fn below(&mut self, _bound: u32) -> u32 {
            0
        }
    }
    let mut state = fresh(seats, seats - 1).next;
    while let Some(seat) = state.to_act().iter().next() {
        let action = state.legal_actions(seat)[0].nth(0);
        state = state.apply(seat, &action, &mut Lowest).unwrap().next;
        each(&state);
    }
}

#[test]
fn vi_r7_the_first_player_goes_on_rotating_into_round_2() {
    for seats in 3..=5 {
        let mut firsts: Vec<(u8, u8, Seat)> = Vec::new();
        play_through(seats, |state| {
            let now = (state.round, state.trick, state.first_seat);
            if state.phase == Phase::Play && firsts.last() != Some(&now) {
                firsts.push(now);
            }
        });
        let tricks = if seats == 5 { 9 } else { 12 };
        assert_eq!(firsts.len(), 2 * tricks);
        for (number, (round, trick, first)) in firsts.into_iter().enumerate() {
            assert_eq!(usize::from(first.0), (usize::from(seats) - 1 + number) % usize::from(seats));
            assert_eq!((usize::from(round), usize::from(trick)), (number / tricks + 1, number % tricks + 1));
        }
    }
}

#[test]
fn vi_r8_in_the_other_pair_each_colour_stands_alone() {
    let step = Table::of(3).up("r1").plays("r4 b9 b2").played();
    let got: Vec<_> = won(&step.events).iter().map(|won| (won.colours, won.winner.0, won.islands)).collect();
    assert_eq!(got, [(colours("r"), 0, 1), (colours("b"), 1, 2)]);
}

#[test]
fn vi_r9_a_deck_never_runs_out() {
    for seats in 3..=5 {
        play_through(seats, |state| {
            for deck in &state.decks {
                assert!(deck.face_down.len() >= 3, "A3 always finds three");
                assert!(deck.turned_up.is_some() || state.phase != Phase::Play);
            }
        });
    }
}

#[test]
fn vi_r10_played_bonus_cards_are_back_only_after_the_actions() {
    // All 22 cards are out: 3 in the trick, the others with seat 0, who therefore can draw none.
    let table = Table::of(4).cards(A1, A3).up("r1 g1").bonus(0, 19).supply(0);
    let step = table.plays("b9 b2+3 p9 p2").played();
    assert_eq!(bonus_taken(&step.events), [(1, 2, 0), (3, 2, 0)]);
    assert!(step.events.contains(&Event::ActionSkipped { seat: Seat(0), action: A1 }));
    let state = act(&step.next, 2, Action::PeekDeck { deck: Deck::RedBlue }).next;
    assert_eq!(state.supply, 0);
    assert_eq!(act(&state, 2, Action::Reorder { order: [0, 1, 2].to_vec() }).next.supply, 3);
}

#[test]
fn vi_r11_numbers_end_at_12_and_equal_sums_share_the_win() {
    assert_eq!(Island::all().iter().map(|island| island.number()).max(), Some(12));
    let mut state = Table::of(4).ready();
    state.phase = Phase::Over;
    state.players.iter_mut().for_each(|player| player.scores.extend([3, 4]));
    assert_eq!(state.outcome().unwrap().winners.iter().count(), 4);
}

#[test]
fn vi_r12_an_action_card_is_activated_at_most_once_in_a_trick() {
    // Every colour on top, every choice of colours played; numbers do not matter for that.
    let letters = ["r", "b", "g", "p"];
    for seats in 3..=4usize {
        let tops: &[&str] = if seats == 3 { &["r1", "b1", "g1", "p1"] } else { &["r1 g1", "r1 p1", "b1 g1", "b1 p1"] };
        for top in tops {
            for choice in 0..4usize.pow(seats as u32) {
                let colour = |seat: usize| letters[choice / 4usize.pow(seat as u32) % 4];
                let plays: Vec<_> = (0..seats).map(|seat| format!("{}{}", colour(seat), seat + 1)).collect();
                let step = Table::of(seats as u8).up(top).plays(&plays.join(" ")).played();
                let actions = won(&step.events).into_iter().map(|won| won.prize);
                let mut actions: Vec<_> = actions.filter(|prize| matches!(prize, Prize::Action(_))).collect();
                actions.dedup();
                let activated = won(&step.events).iter().filter(|won| matches!(won.prize, Prize::Action(_))).count();
                assert_eq!(actions.len(), activated, "{plays:?} with {top} on top");
            }
        }
    }
}

#[test]
fn vi_r13_taking_an_island_by_a4_changes_nothing_of_the_trick() {
    let state = Table::of(4).cards(A4, A3).up("r1 g1").plays("b9 b2 p9 p2").played().next;
    let before = state.colours_won();
    let state = act(&state, 0, Action::TakePlayed { seat: Seat(2) }).next;
    assert_eq!(state.colours_won(), before);
    let kept = state.player(Seat(0)).hand.iter().next().unwrap();
    let state = act(&state, 0, Action::DiscardIsland { island: kept }).next;
    assert_eq!(
        (state.phase, state.turn),
        (Phase::PeekDeck, Some(Seat(2))),
        "who lost the island activates all the same"
    );
}
