//! VI-15 and VI-20: the end of a round and of the game.

use alloc::vec::Vec;

use super::super::{Action, Event, Phase, Score, State};
use super::table::{Table, act_with, unshuffled};
use crate::{Game, Seat, SeatSet, Step};

/// The last trick of a round: seat 0 wins blue, whose action is skipped; seat 1 takes the red treasure.
fn last_trick(round: u8, table: impl FnOnce(Table) -> Table) -> Step<State> {
    use super::super::ActionCard::{A2, A4};
    let table = table(Table::of(3).round(round).more(0).cards(A2, A4).up("r3").first(2));
    let state = table.plays("r2 b9 r8").played().next;
    assert_eq!((state.phase, state.turn), (Phase::Treasure, Some(Seat(1))));
    let draws = if round == 1 { unshuffled(3) } else { Vec::new() };
    act_with(&state, 1, Action::TakeTreasure, &draws)
}

#[test]
fn vi_20_treasures_and_pairs_of_bonus_cards_score() {
    let step = last_trick(1, |table| table.pile(0, "r5 g4 p1").bonus(0, 5).pile(1, "b2").bonus(1, 4).bonus(2, 1));
    let score = |seat, treasure_points, bonus_points| Score { seat: Seat(seat), treasure_points, bonus_points };
    // Seat 2 is the lowest red and gets 2 more bonus cards.
    let scores = [score(0, 10, 2), score(1, 5, 2), score(2, 0, 1)].to_vec();
    assert!(step.events.contains(&Event::RoundScored { round: 1, scores }));
    let scored: Vec<u16> = step.next.players.iter().map(|player| player.scores[0]).collect();
    assert_eq!(scored, [12, 7, 1]);
}

#[test]
fn vi_15_the_last_trick_is_cleared_up_before_scoring() {
    let step = last_trick(1, |table| table);
    let place = |wanted: fn(&Event) -> bool| step.events.iter().position(wanted).unwrap();
    let turned_up = place(|event| matches!(event, Event::TreasureTurnedUp { .. }));
    let cleared = place(|event| matches!(event, Event::TrickCleared { .. }));
    let scored = place(|event| matches!(event, Event::RoundScored { .. }));
    assert!(turned_up < cleared && cleared < scored);
}

#[test]
fn vi_20_everything_but_the_first_player_is_set_up_again() {
    let step = last_trick(1, |table| table.pile(0, "r5").bonus(0, 5));
    let state = step.next;
    assert_eq!((state.round, state.trick, state.phase, state.turn), (2, 0, Phase::Pass, None));
    assert_eq!(state.first_seat, Seat(0), "after seat 2");
    assert_eq!(step.events.last(), Some(&Event::RoundStarted { round: 2, first_seat: Seat(0) }));
    assert_eq!((state.supply, state.decks[0].face_down.len()), (22, 19));
    assert!(state.discarded.is_empty());
    for player in &state.players {
        assert_eq!((player.hand.len(), player.treasures.len(), player.bonus, player.played), (12, 0, 0, None));
        assert_eq!(player.scores.len(), 1);
    }
    let everybody: SeatSet = state.seats().seats().collect();
    assert_eq!(state.to_act(), everybody, "they pass again");
}

#[test]
fn vi_20_the_highest_sum_of_both_rounds_wins() {
    let step = last_trick(2, |table| table.scores(0, &[10]).scores(1, &[20]).scores(2, &[21]).pile(0, "r5"));
    let state = step.next;
    assert_eq!((state.phase, state.turn, state.to_act()), (Phase::Over, None, SeatSet::EMPTY));
    let winners = SeatSet::only(Seat(1));
    // Seat 1 took the red 3; seat 2 has one pair of bonus cards.
    assert_eq!(step.events.last(), Some(&Event::GameEnded { totals: [15, 23, 22].to_vec(), winners }));
    let outcome = state.outcome().unwrap();
    assert_eq!(outcome.winners, winners);
    let standings: Vec<(i64, u8)> = outcome.standings.iter().map(|standing| (standing.points, standing.rank)).collect();
    assert_eq!(standings, [(15, 3), (23, 1), (22, 2)]);
}

#[test]
fn vi_20_equal_sums_share_the_win() {
    let step = last_trick(2, |table| table.scores(0, &[18]).scores(1, &[20]).scores(2, &[1]).pile(0, "r5"));
    let outcome = step.next.outcome().unwrap();
    assert_eq!(outcome.winners, SeatSet::only(Seat(0)).with(Seat(1)));
    assert_eq!(outcome.standings.iter().map(|standing| standing.rank).collect::<Vec<_>>(), [1, 1, 3]);
}

#[test]
fn vi_20_there_is_no_outcome_before_the_end() {
    assert_eq!(last_trick(1, |table| table).next.outcome(), None);
}
