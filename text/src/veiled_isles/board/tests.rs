//! Boards with literal expected text.

use divelog_proto::games::veiled_isles::v1::{ColourWon, Deck, PlayedIsland, Treasure, TreasureDeck, colour_won};

use super::super::fixtures::{deck, island, mid_trick, player, seating, treasure};
use super::*;
use crate::Lang;

#[test]
fn a_trick_as_a_player_sees_it() {
    let expected = "\
Round 1 of 2, trick 3; first player: Ben (seat 1); bonus cards in the supply: 14

deck          turned up  face down
red-blue      red=4      13
green-purple  purple=1   15
Treasures of each colour: 1 2 2 3 3 4 4 5

A1  red/blue      steal 2 bonus cards from a player who has 2 or more; if nobody has, draw 2
A3  green/purple  look at the top 3 face-down treasures of a deck and put them back in any order

seat          #1        #2        #3        #0
island   green-△       △-8       ...       ...
bonus         +2

   seat  name  hand  visible  pile  bonus  round 1  round 2  total
   #0    Ana   10    -        0     2      0        -        0
   #1    Ben   9     red=3    2     0      8        -        8
   #2    -     9     -        0     0      0        -        0
>  #3    Dora  10    -        0     3      1        -        1

pile of #1  blue=5 red=3

Hand of Ana (seat 0):
  red-2 red-11
  purple-7

Discarded in this round:
  red-1
  blue-12

Dora (seat 3) is to play an island, with one half left open.
△ is a sail: red-△ shows the sea half, △-8 the coast half; (8) is under a sail but known to you;
[red-8] was taken by A4; red=4 is a treasure worth 4, the last of a pile is visible.";
    assert_eq!(draw(&mid_trick(), false, &seating(), Screen::plain(100)), expected);
}

#[test]
fn everything_wraps_at_the_width() {
    let mut view = mid_trick();
    view.players[0].hand.extend((1..=6).map(|number| island(Colour::Blue, number)));
    let drawn = draw(&view, false, &seating(), Screen::plain(40));
    let expected = "\
Round 1 of 2, trick 3; first player: Ben
(seat 1); bonus cards in the supply: 14

deck          turned up  face down
red-blue      red=4      13
green-purple  purple=1   15
Treasures of each colour: 1 2 2 3 3 4 4
5

A1  red/blue      steal 2 bonus cards
                  from a player who has
                  2 or more; if nobody
                  has, draw 2
A3  green/purple  look at the top 3
                  face-down treasures of
                  a deck and put them
                  back in any order

seat          #1        #2        #3
island   green-△       △-8       ...
bonus         +2

seat          #0
island       ...
bonus
";
    assert!(drawn.starts_with(expected), "{drawn}");
    let expected = "\
Hand of Ana (seat 0):
  red-2 red-11
  blue-1 blue-2 blue-3 blue-4 blue-5
  blue-6
  purple-7
";
    assert!(drawn.contains(expected), "{drawn}");
}

#[test]
fn an_auditor_sees_everything() {
    let mut view = mid_trick();
    view.decks[1].face_down = vec![treasure(Colour::Green, 2), treasure(Colour::Purple, 5)];
    view.set_aside_size = 2;
    view.set_aside = vec![island(Colour::Green, 1), island(Colour::Green, 9)];
    view.players[3].hand = vec![island(Colour::Blue, 3)];
    let drawn = draw(&view, false, &seating(), Screen::plain(100));
    for part in [
        "\ngreen-purple, top first  green=2 purple=5\n",
        "\nHand of Ana (seat 0):\n",
        "\nHand of Dora (seat 3):\n  blue-3\n",
        "\nSet aside:\n  green-1 green-9\n",
    ] {
        assert!(drawn.contains(part), "{part} is not in:\n{drawn}");
    }
}

#[test]
fn a_private_look_counts_the_places() {
    let mut view = mid_trick();
    view.phase = Phase::Reorder.into();
    view.peeked_deck = Some(Deck::RedBlue.into());
    assert_eq!(peeked(&view, Screen::plain(100)), "");
    view.peeked = vec![treasure(Colour::Red, 1), treasure(Colour::Blue, 5), treasure(Colour::Red, 2)];
    assert_eq!(peeked(&view, Screen::plain(100)), "Next in the red/blue deck: [0] red=1 [1] blue=5 [2] red=2");
}

/// Three players who pass, as seat 0 sees it after having passed.
fn passing() -> View {
    let mut view = View { phase: Phase::Pass.into(), trick: 0, turn: None, set_aside_size: 12, ..mid_trick() };
    view.decks = vec![deck(Deck::Single, Some(treasure(Colour::Red, 4)), 19)];
    view.players = vec![player(0, 11), player(1, 12), player(2, 12)];
    view.players[0].has_passed = true;
    view.players[0].passing = Some(island(Colour::Red, 12));
    view.players[0].hand = vec![island(Colour::Red, 2)];
    view.discarded.clear();
    view
}

#[test]
fn islands_are_passed() {
    let expected = "\
Round 1 of 2, islands are passed; first player: Ben (seat 1); bonus cards in the supply: 14

deck    turned up  face down
single  red=4      19
Treasures of each colour: 1 2 2 3 3 4 4 5, less one 2, one 3 and one 4

A1  red/blue      steal 2 bonus cards from a player who has 2 or more; if nobody has, draw 2
A3  green/purple  look at the top 3 face-down treasures of a deck and put them back in any order

   seat  name  hand  visible  pile  bonus  round 1  round 2  total
   #0    Ana   11    -        0     0      0        -        0
>  #1    Ben   12    -        0     0      0        -        0
>  #2    -     12    -        0     0      0        -        0

Hand of Ana (seat 0) (passing red-12):
  red-2

Set aside unseen: 12 islands

Ben (seat 1), seat 2 are to pass an island to the right neighbour.
";
    let drawn = draw(&passing(), false, &seating(), Screen::plain(100));
    assert!(drawn.starts_with(expected), "{drawn}");
}

/// A name of 60 letters, an island that is passed, French names, prizes and treasures to come: at 80 columns all of it fits.
#[test]
fn long_names_and_titles_are_broken() {
    let seating = Seating::new(["Maximilian".repeat(6)]);
    let screen = Screen { lang: Lang::Fr, ..Screen::plain(80) };
    let mut view = passing();
    view.peeked_deck = Some(Deck::GreenPurple.into());
    view.peeked = [Colour::Purple, Colour::Green, Colour::Purple].map(|colour| treasure(colour, 5)).into();
    for colour in COLOURS {
        let prize = colour_won::Prize::Treasure(Deck::GreenPurple.into());
        view.colours_won.push(ColourWon {
            colours: vec![colour.into()],
            winner: 1,
            value: 12,
            islands: 2,
            prize: Some(prize),
            ..Default::default()
        });
    }
    let drawn = draw(&view, false, &seating, screen);
    let wide: Vec<&str> = drawn.lines().filter(|line| width(line) > 80).collect();
    assert_eq!(wide, [""; 0], "{drawn}");
    for text in [
        "(seat 0)\n(passing red-12 (12 rouge)):\n",
        "\nNext in the green/purple deck (paquet vert/violet):\n  [0] purple=5 [1] green=5",
    ] {
        assert!(drawn.contains(text), "{text}: {drawn}");
    }
}

#[test]
fn a_game_that_is_over_or_abandoned_asks_nobody() {
    let mut view = mid_trick();
    view.round = 2;
    for one in &mut view.players {
        *one = Player { scores: vec![20 + one.seat, 3], points: 3, ..player(one.seat, 0) };
    }
    view.phase = Phase::Over.into();
    view.turn = None;
    let drawn = draw(&view, false, &seating(), Screen::plain(100));
    let expected = "
  seat  name  hand  visible  pile  bonus  round 1  round 2  total
  #0    Ana   0     -        0     0      20       3        23
  #1    Ben   0     -        0     0      21       3        24
  #2    -     0     -        0     0      22       3        25
  #3    Dora  0     -        0     0      23       3        26
";
    assert!(drawn.starts_with("Round 2 of 2, played to its end; "), "{drawn}");
    assert!(drawn.contains(expected), "{drawn}");
    assert!(drawn.contains("\n\nThe game is over.\n"), "{drawn}");

    for view in [mid_trick(), passing()] {
        let drawn = draw(&view, true, &seating(), Screen::plain(100));
        assert!(drawn.contains("\n\nThe game is abandoned.\n"), "{drawn}");
        assert!(!drawn.contains("\n>") && !drawn.contains("is to"), "{drawn}");
    }
}

#[test]
fn french_names_stand_beside_the_english_ones() {
    let drawn = draw(&mid_trick(), false, &seating(), Screen { lang: Lang::Fr, ..Screen::plain(100) });
    for part in [
        "Round 1 of 2, trick (pli) 3; first player (Premier joueur): Ben (seat 1); bonus cards (Bonus) in",
        "\nred-blue (rouge/bleu)       red=4      13\n",
        "\nA1  red/blue (rouge/bleu)       steal 2 bonus cards (Bonus) from a player",
        "\n△ is a sail (Voile): red-△ shows the sea (Mer) half, △-8 the coast (Côte) half;",
    ] {
        assert!(drawn.contains(part), "{part} is not in:\n{drawn}");
    }
}

#[test]
fn colours_are_painted_after_padding() {
    let screen = Screen { paint: Paint::new(true), ..Screen::plain(100) };
    let drawn = draw(&mid_trick(), false, &seating(), screen);
    assert!(drawn.contains("\u{1b}[32m   green-△\u{1b}[0m       △-8       ..."), "{drawn}");
    assert!(drawn.contains("\n  \u{1b}[31mred-2 red-11\u{1b}[0m\n  \u{1b}[35mpurple-7\u{1b}[0m"), "{drawn}");
}

#[test]
fn a_view_that_makes_no_sense_is_still_drawn() {
    let nonsense = Player {
        hand: vec![Island { colour: 77, number: u32::MAX }],
        treasures: vec![Treasure { colour: -1, points: u32::MAX }],
        scores: vec![u32::MAX; 9],
        played: Some(PlayedIsland { show: 9, veiled: true, ..Default::default() }),
        ..player(u32::MAX, u32::MAX)
    };
    for phase in -1..=12 {
        let view = View {
            phase,
            round: u32::MAX,
            turn: Some(9),
            first_seat: 8,
            decks: vec![TreasureDeck { deck: 99, ..Default::default() }],
            players: vec![nonsense.clone()],
            colours_won: vec![ColourWon::default()],
            give_back_count: Some(u32::MAX),
            ..Default::default()
        };
        assert!(draw(&view, false, &Seating::default(), Screen::plain(1)).contains("?=4294967295"));
        assert!(!draw(&View { phase, ..Default::default() }, false, &seating(), Screen::plain(0)).is_empty());
    }
}
