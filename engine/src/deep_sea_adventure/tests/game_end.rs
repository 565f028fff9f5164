//! DSA-19 and DSA-R8: who wins.

use alloc::vec::Vec;

use super::super::{Action, Event, Phase};
use super::table::{Table, play};
use crate::{Game, Seat, SeatSet};

/// Ranks of a game over after these scored chips, one list for each seat.
fn ranks(scored: &[&[u8]]) -> Vec<u8> {
    let mut table = Table::of(scored.len() as u8).round(3).over();
    for (seat, values) in scored.iter().enumerate() {
        table = table.scored(seat as u8, values);
    }
    let outcome = table.ready().outcome().unwrap();
    let firsts = outcome.standings.iter().filter(|standing| standing.rank == 1).map(|standing| standing.seat);
    assert_eq!(outcome.winners, firsts.collect());
    outcome.standings.iter().map(|standing| standing.rank).collect()
}

#[test]
fn dsa_19_the_highest_total_wins() {
    assert_eq!(ranks(&[&[15], &[8, 8], &[0]]), [2, 1, 3]);
}

#[test]
fn dsa_19_the_game_ends_after_round_3() {
    for (round, over) in [(1, false), (2, false), (3, true)] {
        let state = Table::of(2).round(round).scored(1, &[9, 4]).at(0, 3).air(0).search().ready();
        assert_eq!(state.outcome(), None);
        let step = play(&state, Action::Leave, &[]);
        assert_eq!(step.next.phase == Phase::Over, over);
        assert_eq!(step.next.outcome().is_some(), over);
        assert_eq!(step.next.to_act().is_empty(), over);
        let ended = Event::GameEnded { totals: [0, 13].to_vec(), winners: SeatSet::only(Seat(1)) };
        assert_eq!(step.events.last() == Some(&ended), over);
    }
}

#[test]
fn dsa_19_chips_scored_in_round_3_count() {
    let state = Table::of(2).round(3).scored(0, &[5]).back(1).load(1, &[&[6]]).at(0, 3).air(0).search().ready();
    let outcome = play(&state, Action::Leave, &[]).next.outcome().unwrap();
    assert_eq!(outcome.winners, SeatSet::only(Seat(1)));
    assert_eq!(outcome.standings.iter().map(|standing| standing.points).collect::<Vec<_>>(), [5, 6]);
}

#[test]
fn dsa_19_a_tie_goes_down_the_levels() {
    for (scored, expected, why) in [
        ([&[12, 12][..], &[15, 9]], [1, 2], "level 4: two against one"),
        ([&[12, 11, 2][..], &[13, 8, 4]], [2, 1], "level 4 and 3 alike; level 2: none against one"),
        ([&[11, 7][..], &[10, 8]], [2, 1], "level 3: one against two"),
        ([&[7, 3][..], &[5, 5]], [2, 1], "level 2: one against two"),
        ([&[7, 3, 1][..], &[7, 2, 2, 0]], [2, 1], "level 1: two against three"),
        ([&[0][..], &[]], [1, 2], "no points each, but one chip of level 1"),
    ] {
        assert_eq!(ranks(&scored), expected, "{why}");
    }
}

#[test]
fn dsa_19_still_tied_they_share_the_win() {
    assert_eq!(ranks(&[&[12, 3], &[4], &[13, 2], &[]]), [1, 3, 1, 4]);
    assert_eq!(ranks(&[&[], &[]]), [1, 1]);
}

#[test]
fn dsa_r8_a_higher_level_outweighs_any_number_of_lower_ones() {
    assert_eq!(ranks(&[&[3, 3, 2, 2, 1, 1], &[12]]), [2, 1]);
}

#[test]
fn dsa_r8_full_ties_share_the_first_rank_and_the_next_rank_counts_them() {
    assert_eq!(ranks(&[&[1], &[12, 0], &[13], &[13], &[12, 0]]), [5, 3, 1, 1, 3]);
}
