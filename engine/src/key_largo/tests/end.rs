//! KL-24 and KL-R14: the end of the game.

use alloc::{vec, vec::Vec};

use super::super::{Depth, DepthCards, Event, Half, Options, Phase, Place};
use super::table::{Table, antiques, asked, diamond, fresh, gold, goods};
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
fn kl_24_an_unsold_unit_is_worth_what_the_tables_say_version_2() {
    for (unit, fortune) in [(0, 110), (20, 110 + 180), (35, 110 + 315)] {
        let options = Options { unsold_unit: Some(unit), ..Options::default() };
        let table = Table::at(fresh(&options, 3, 0).next).cash(0, 10);
        let table = table.hand(0, Depth::Medium, &[gold(2), goods(3), antiques(4), diamond(100)]);
        let state = table.day(10).afternoon().cash(1, 0).cash(2, 0).go(&[Place::Bar; 3]);
        assert_eq!(state.fortune(Seat(0)), fortune);
        assert_eq!(state.view(Viewer::Seat(Seat(0))).players[0].fortune, Some(fortune));
        assert_eq!(state.view(Viewer::Spectator).tables.unsold_unit, Some(unit));
    }
}

#[test]
fn kl_24_the_largest_fortune_there_can_be_is_counted_in_full_version_2() {
    let all = |count| DepthCards { gold: vec![10_000; count], ..DepthCards::default() };
    let wreck_cards = Some([20, 30, 30].map(all));
    let options = Options { wreck_cards, unsold_unit: Some(10_000), ..Options::default() };
    let mut state = fresh(&options, 5, 0).next;
    let owned: Vec<_> = state.wrecks.iter_mut().flat_map(|wreck| core::mem::take(&mut wreck.cards)).collect();
    state.players[3].hand = owned.into_iter().collect();
    let step = Table::at(state).day(10).afternoon().go_step(&[Place::Dolphins; 5]);
    let fortune = 80 * 10_000 * 10_000 + 160;
    let Some(Event::GameEnded { fortunes, winners }) = step.events.last() else { panic!("{:?}", step.events) };
    assert_eq!((fortunes[3], *winners), (fortune, SeatSet::only(Seat(3))));
    assert_eq!(step.next.outcome().unwrap().standings[3].points, fortune as i64);
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
