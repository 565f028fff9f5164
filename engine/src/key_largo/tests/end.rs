//! KL-24 and KL-R14: the end of the game.

use super::super::{Depth, Event, Half, Phase, Place};
use super::table::{Table, antiques, asked, diamond, gold, goods};
use crate::{Game, Seat, SeatSet, Viewer};

const LAST: [Place; 3] = [Place::Dolphins; 3];

#[test]
fn kl_24_fortune_is_cash_and_unsold_treasure() {
    let table = Table::of(3)
        .cash(0, 10)
        .hand(0, Depth::Medium, &[gold(2), goods(3), antiques(4), diamond(100)])
        .cash(1, 500)
        .hand(2, Depth::Deep, &[diamond(250)]);
    let state = table.ready();
    assert_eq!([0, 1, 2].map(|seat| state.fortune(Seat(seat))), [10 + 20 * 9 + 100, 500, 350]);
}

#[test]
fn kl_24_the_game_ends_after_the_second_sunday_and_the_richest_wins() {
    let table =
        Table::of(3).day(10).afternoon().first(1).cash(0, 10).cash(1, 200).hand(0, Depth::Deep, &[diamond(250)]);
    let step = table.go_step(&LAST);
    let state = step.next;
    assert_eq!(asked(&state), (Phase::Over, [].into()));
    let winners = SeatSet::only(Seat(0));
    assert_eq!(
        step.events[step.events.len() - 2..],
        [Event::HalfDayEnded { half: Half::Afternoon }, Event::GameEnded { fortunes: [320, 260, 160].into(), winners },]
    );
    let outcome = state.outcome().unwrap();
    assert_eq!(outcome.winners, winners);
    let standings: alloc::vec::Vec<_> = outcome.standings.iter().map(|s| (s.points, s.rank)).collect();
    assert_eq!(standings, [(320, 1), (260, 2), (160, 3)]);
    assert_eq!((state.day, state.turn), (10, state.first_seat));
}

#[test]
fn kl_24_equal_fortunes_share_the_win() {
    let table = Table::of(3).day(10).afternoon().cash(0, 60).hand(0, Depth::Shallow, &[gold(2)]).cash(2, 0);
    let outcome = table.go(&LAST).outcome().unwrap();
    assert_eq!(outcome.winners, SeatSet::only(Seat(0)).with(Seat(1)));
    assert_eq!(outcome.standings.iter().map(|s| s.rank).collect::<alloc::vec::Vec<_>>(), [1, 1, 3]);
}

#[test]
fn kl_24_before_that_there_is_no_outcome() {
    for day in 1..10 {
        let state = Table::of(3).day(day).afternoon().go(&LAST);
        assert_eq!((state.outcome(), state.day), (None, day + 1));
    }
}

#[test]
fn kl_r14_money_is_public() {
    let state = Table::of(3).cash(0, 7).cash(1, 8).cash(2, 9).ready();
    for viewer in [Viewer::Seat(Seat(0)), Viewer::Seat(Seat(2)), Viewer::Spectator, Viewer::Auditor] {
        let cash: alloc::vec::Vec<u32> = state.view(viewer).players.iter().map(|player| player.cash).collect();
        assert_eq!(cash, [7, 8, 9]);
    }
}
