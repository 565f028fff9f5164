//! Boards with literal expected text.

use divelog_proto::games::captain_carcass::v1::{ExploredCard, Variant};

use super::super::fixtures::{card, cards};
use super::*;
use crate::{Lang, Paint};

fn explored(token: &str, source: Source) -> ExploredCard {
    ExploredCard { card: card(token), source: source.into() }
}

fn mid_game() -> View {
    View {
        variant: Variant::SuddenDeath.into(),
        phase: Phase::Knife.into(),
        asked: Some(0),
        turn: 0,
        first_seat: 1,
        players: vec![
            Player {
                seat: 0,
                diver: Diver::Mystic.into(),
                hold: cards("anchor-7 anchor-5 squid-3 siren-9"),
                points: 19,
                ..Default::default()
            },
            Player {
                seat: 1,
                diver: Diver::Saboteuse.into(),
                victim: Some(2),
                hold: cards("key-6 key-4 key-3 net-3"),
                points: 9,
            },
            Player { seat: 2, diver: Diver::SafeHarbor.into(), ..Default::default() },
        ],
        exploration: vec![
            explored("squid-5", Source::DrawPile),
            explored("net-5", Source::DrawPile),
            explored("drone-7", Source::OwnHold),
            explored("knife-4", Source::DrawPile),
        ],
        turned_up: true,
        squid_demand: 1,
        draw_pile_size: 31,
        graveyard_size: 12,
        drone_count: 3,
        ..Default::default()
    }
}

fn seating() -> Seating {
    Seating::new(["Ana", "Ben", ""])
}

fn board(view: &View, width: usize) -> String {
    draw(view, false, &seating(), Screen::plain(width))
}

#[test]
fn a_turn_in_full_swing() {
    let expected = "\
Turn of Ana (seat 0)   draw pile 31   graveyard 12   #1 began

Exploration
place  1          2          3         4
card   squid-5    net-5      drone-7   knife-4
from   draw pile  draw pile  own hold  draw pile

squid  asks for 1 card more before Ana (seat 0) may surface
drone  shows Ana (seat 0) 3 cards of the draw pile

   seat  name  points  cards
>  #0    Ana   19      4
   #1    Ben   9       4
   #2    -     0       0

hold     #0   #1     #2
anchor   7 5  -      -
squid    3    -      -
map      -    -      -
key      -    6 4 3  -
chest    -    -      -
knife    -    -      -
drone    -    -      -
net      -    3      -
harpoon  -    -      -
siren    9    -      -

#0       mystic: the drone shows three cards
#1       saboteuse: gets what seat 2 loses in incidents
#2       safe harbor: on an incident the anchor and the two cards after it are collected too
variant  sudden death: 50 points win at once

Ana (seat 0) is to use the knife.
A card is suit-value; a hold lists the values of each suit, the highest first.";
    assert_eq!(board(&mid_game(), 100), expected);
}

#[test]
fn a_game_that_begins() {
    let view = View {
        phase: Phase::NameVictim.into(),
        asked: Some(1),
        players: vec![
            Player { seat: 0, ..Default::default() },
            Player { seat: 1, diver: Diver::Saboteuse.into(), ..Default::default() },
        ],
        draw_pile_size: 50,
        graveyard_size: 10,
        ..Default::default()
    };
    let text = board(&view, 80);
    let start = "First turn: Ana (seat 0)   draw pile 50   graveyard 10   #0 began\n\nExploration\n(empty)\n\n  ";
    assert!(text.starts_with(start), "{text}");
    let end = "\n\n#1  saboteuse: gets what one opponent loses in incidents\n\n\
               Ben (seat 1) is to name the victim of the saboteuse.\n";
    assert!(text.contains(end), "{text}");
}

#[test]
fn a_narrow_screen_breaks_rows_and_lists() {
    let expected = "\
Turn of Ana (seat 0)
draw pile 31
graveyard 12
#1 began

Exploration
place  1          2          3
card   squid-5    net-5      drone-7
from   draw pile  draw pile  own hold

place  4
card   knife-4
from   draw pile

squid  asks for 1 card more before Ana
       (seat 0) may surface
drone  shows Ana (seat 0) 3 cards of the
       draw pile
";
    let text = board(&mid_game(), 40);
    assert!(text.starts_with(expected), "{text}");
    for line in text.lines() {
        assert!(line.chars().count() <= 40, "{line}");
    }
}

#[test]
fn private_looks_and_piles_are_shown_to_those_who_see_them() {
    let mut view = mid_game();
    let notes = |view: &View| notes(view, &seating(), Screen::plain(80));
    view.squid_demand = 0;
    view.map_count = 3;
    let hidden = "\
drone  shows Ana (seat 0) 3 cards of the draw pile
map    shows Ana (seat 0) 3 cards of the graveyard";
    assert_eq!(notes(&view), hidden);

    view.drone_cards = cards("key-5 siren-8 map-2");
    view.map_cards = cards("anchor-2 net-2 siren-4");
    let for_the_player = "\
drone  shows key-5, siren-8, map-2
map    shows anchor-2, net-2, siren-4";
    assert_eq!(notes(&view), for_the_player);

    view.draw_pile = cards("key-5 siren-8 map-2 net-7");
    view.graveyard = cards("net-2 anchor-2 siren-4 key-2");
    let for_an_auditor = "\
drone      shows key-5, siren-8, map-2
map        shows anchor-2, net-2, siren-4
draw pile  key-5, siren-8, map-2, net-7
graveyard  net-2, anchor-2, siren-4, key-2";
    assert_eq!(notes(&view), for_an_auditor);
}

#[test]
fn open_nets_are_named() {
    let nets = cards("net-5 net-7").into_iter().zip([1, 2]);
    let open_nets = nets.map(|(card, catches)| OpenNet { card: Some(card), catches }).collect();
    let view = View { open_nets, ..Default::default() };
    let expected = "nets  net-7 still brings in 2 cards; then net-5 still brings in 1 card";
    assert_eq!(notes(&view, &seating(), Screen::plain(80)), expected);
}

#[test]
fn holds_break_between_players() {
    let full = "key-7 key-6 key-5 key-4 key-3 key-2";
    let view = View {
        players: (0..4).map(|seat| Player { seat, hold: cards(full), ..Default::default() }).collect(),
        ..Default::default()
    };
    let text = holds(&view, Screen::plain(40));
    assert!(text.starts_with("hold     #0           #1\nanchor   -            -\n"), "{text}");
    assert!(text.contains("\n\nhold     #2           #3\n"), "{text}");
    assert!(text.contains("\nkey      7 6 5 4 3 2  7 6 5 4 3 2\n"), "{text}");
}

#[test]
fn suits_have_hues() {
    let screen = Screen { paint: Paint::new(true), ..Screen::plain(80) };
    let text = exploration(&mid_game(), screen);
    assert!(text.contains("\u{1b}[32msquid-5  \u{1b}[0m"), "{text}");
    assert!(holds(&mid_game(), screen).contains("\u{1b}[36m7 5\u{1b}[0m  \u{1b}[2m-    \u{1b}[0m"));
}

#[test]
fn french_names_stand_beside_the_english_ones() {
    let text = draw(&mid_game(), false, &seating(), Screen { lang: Lang::Fr, ..Screen::plain(80) });
    let start = "\
Turn of Ana (seat 0)
draw pile (pioche Butin) 31
graveyard (Cimetière marin) 12
#1 began

Exploration
place  1                        2              3
card   squid-5 (Calamar géant)  net-5 (Filet)  drone-7 (Drone explorateur)
from   draw pile                draw pile      own hold
";
    assert!(text.starts_with(start), "{text}");
    assert!(text.contains("\nhold (Cale)                #0   #1     #2\nanchor (Ancre)             7 5  -      -\n"));
}

#[test]
fn a_game_that_is_over_asks_nobody() {
    let mut view = View { phase: Phase::Over.into(), asked: None, squid_demand: 0, drone_count: 0, ..mid_game() };
    view.exploration.clear();
    view.draw_pile_size = 0;
    view.graveyard = cards("net-2 anchor-2");
    let text = board(&view, 80);
    assert!(text.starts_with("Last turn: Ana (seat 0)   draw pile 0   graveyard 12   #1 began\n"), "{text}");
    assert!(text.contains("\n\ngraveyard  net-2, anchor-2\n\n  seat  name  points  cards\n  #0    Ana   19      4\n"));
    assert!(text.contains("\n\nThe game is over.\n"), "{text}");
}

#[test]
fn an_abandoned_game_asks_nobody() {
    let text = draw(&mid_game(), true, &seating(), Screen::plain(80));
    assert!(!text.contains('>') && !text.contains("is to"), "{text}");
    assert!(text.contains("\n\nThe game is over.\n"), "{text}");
}

#[test]
fn a_view_that_makes_no_sense_is_still_drawn() {
    let odd = Card { suit: i32::MIN, value: u32::MAX };
    let player = Player { seat: 4_000_000_000, diver: 99, victim: Some(77), hold: vec![odd], points: i32::MIN };
    let view = View {
        variant: -1,
        phase: 99,
        asked: Some(9),
        turn: u32::MAX,
        players: vec![player.clone(), player],
        exploration: vec![ExploredCard { card: Some(odd), source: 99 }, ExploredCard { card: None, source: 0 }],
        squid_demand: u32::MAX,
        drone_count: u32::MAX,
        ..Default::default()
    };
    for width in [0, 1, 40, 1000] {
        let text = draw(&view, false, &Seating::default(), Screen::plain(width));
        assert!(text.contains("?-2147483648-4294967295"), "{text}");
        assert!(text.contains("diver 99:"), "{text}");
    }
    assert!(draw(&View::default(), false, &Seating::default(), Screen::plain(40)).contains("(empty)"));
}
