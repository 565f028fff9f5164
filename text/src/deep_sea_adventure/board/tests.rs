//! Boards with literal expected text.

use divelog_proto::games::deep_sea_adventure::v1::Dice;

use super::super::fixtures::{pile, shown};
use super::*;
use crate::Paint;

fn screen(width: usize) -> Screen {
    Screen::plain(width)
}

fn explorer(seat: u32, position: u32) -> Explorer {
    Explorer { seat, position, turns_taken: 1, ..Default::default() }
}

fn mid_game() -> View {
    View {
        round: 2,
        phase: Phase::Search.into(),
        turn: Some(0),
        first_seat: 1,
        air: 17,
        path: vec![pile(&[1]), pile(&[1]), pile(&[]), pile(&[2]), pile(&[3, 4, 4]), pile(&[4])],
        explorers: vec![
            Explorer { load: vec![pile(&[1]), pile(&[2, 2])], ..explorer(0, 3) },
            Explorer {
                turned_back: true,
                load: vec![pile(&[1])],
                points: 7,
                scored: vec![shown(1, 3), shown(2, 4)],
                ..explorer(1, 5)
            },
            Explorer { back: true, turned_back: true, ..explorer(2, 0) },
        ],
        last_dice: Some(Dice { first: 1, second: 3 }),
        back_order: vec![2],
        ..View::default()
    }
}

#[test]
fn a_round_in_full_swing() {
    let seating = Seating::new(["Ana", "Ben", ""]);
    let expected = "\
Round 2 of 3   air 17/25 [#################........]   last dice 1+3

space         1      2      3      4      5      6
chip          1      1      ·      2  3+4+4      4
explorer                   #0            #1

In the submarine: #2 (back)

   seat  name  where      going  load           points  scored
>  #0    Ana   space 3    down   [0] 1 [1] 2+2  0       -
   #1    Ben   space 5    up     [0] 1          7       1=3 2=4
   #2    -     submarine  back   -              0       -

Ana (seat 0) is to search space 3.
Chips show their level, =value where known; · is a blank; [n] counts a load.";
    assert_eq!(draw(&mid_game(), false, &seating, screen(100)), expected);
}

#[test]
fn the_path_wraps_at_the_width() {
    let expected = "\
space         1      2      3
chip          1      1      ·
explorer                   #0

space         4      5      6
chip          2  3+4+4      4
explorer            #1";
    assert_eq!(path(&mid_game(), screen(30)), expected);
}

#[test]
fn the_auditor_sees_values_on_the_path() {
    let mut view = mid_game();
    view.path = vec![Stack { chips: vec![shown(1, 0)] }, Stack { chips: vec![shown(4, 12), shown(4, 15)] }];
    view.explorers.clear();
    let expected = "\
space             1          2
chip            1=0  4=12+4=15
explorer";
    assert_eq!(path(&view, screen(100)), expected);
}

#[test]
fn air_below_zero_is_an_empty_bar() {
    let view = View { round: 3, air: -2, ..Default::default() };
    assert_eq!(headline(&view, screen(100)), "Round 3 of 3   air -2/25 [.........................]");
    let painted = headline(&view, Screen { paint: Paint::new(true), ..screen(100) });
    assert!(painted.contains("\u{1b}[1m\u{1b}[31mair -2/25"), "{painted}");
}

#[test]
fn the_turn_follows_the_phase() {
    let seating = Seating::default();
    let mut view =
        View { phase: Phase::Dive.into(), turn: Some(0), explorers: vec![explorer(0, 0)], ..Default::default() };
    let turn = |view: &View| turn(view, &seating, screen(100));
    assert_eq!(turn(&view), "seat 0 is to dive.");
    view.phase = Phase::Search.into();
    view.explorers[0].position = 1;
    assert_eq!(turn(&view), "seat 0 is to search space 1.");
    view.phase = Phase::Over.into();
    view.turn = None;
    assert_eq!(turn(&view), "The game is over.");
}

#[test]
fn a_view_that_makes_no_sense_is_still_drawn() {
    let view = View { turn: Some(9), phase: 99, explorers: vec![explorer(4_000_000_000, 77)], ..Default::default() };
    assert!(draw(&view, false, &Seating::default(), screen(1)).contains("(the path is empty)"));
}

#[test]
fn a_standstill_that_comes_near_is_announced() {
    let seating = Seating::new(["Ana", "Ben", ""]);
    let drawn =
        |idle_turns, turn_is_idle| draw(&View { idle_turns, turn_is_idle, ..mid_game() }, false, &seating, screen(120));
    let after = " after 2 such turns in a row.";
    assert!(!drawn(0, true).contains("such turns"));
    let one = format!("\nThe turn before has changed nothing, nor has this one so far; the round ends{after}");
    assert!(drawn(1, true).contains(&one), "{}", drawn(1, true));
    let two = format!("\nThe 2 turns before have changed nothing, but this one has; the round ends{after}");
    assert!(drawn(2, false).contains(&two), "{}", drawn(2, false));
}
