//! Boards with literal expected text.

mod parts;

use divelog_proto::games::key_largo::v1::{Card, CardKind, Dive, Diver, Look, Stock, Visit};

use super::super::fixtures::*;
use super::*;
use crate::{Lang, Paint};

fn seating() -> Seating {
    Seating::new(["Ana", "Ben", ""])
}

fn drawn(view: &View, width: usize) -> String {
    draw(view, false, &seating(), Screen::plain(width))
}

fn gold(value: u32) -> Card {
    shown(Depth::Medium, CardKind::Gold, value)
}

fn monster(depth: Depth) -> Card {
    shown(depth, CardKind::Monster, 0)
}

#[test]
fn the_first_programme() {
    let mut view = first_day();
    view.asked = vec![0, 2];
    view.players[1].programmed = true;
    let expected = "\
Day 1 of 10, Friday   first player Ben (seat 1)

dive
bar       diver $80/100/120, pickpocket $60/70/80, round $20
dolphins  $40 today, then 50 60 20 20 20 20 40 50 60
shop      hose $20/30/40, trident $30/40/60, weight $20/30/40
market    gold $30, goods $40/30/20, antiques $20/30/40 a unit

wreck   0   1   2   3   4   5   6   7   8   9  10
depth   s   s   s   m   m   m   m   d   d   d   d
cards   5   5   5   5   5   5   5   5   5   5   5
boat

   seat  name  cash  morning   afternoon  treasures  fortune
>  #0    Ana   $100  -         -          -          -
   #1    Ben   $100  (secret)  (secret)   -          -
>  #2    -     $100  -         -          -          -

divers #0  [0] no equipment
divers #1  [0] no equipment
divers #2  [0] no equipment

shallow  15 of 20 cards: gold 1 1 1 2 2 2; goods 1 1 1 2 2 2 3; antiques 1 1 1 2
         2 2 3
medium   20 of 30 cards: 5 monsters; diamond 100 100; gold 2 2 3 3 3 4 4; goods
         2 2 3 3 3 4 4 5; antiques 2 2 3 3 3 4 4 5
deep     20 of 30 cards: 9 monsters; diamond 150 200 200 250; gold 4 4 5 5 6;
         goods 4 5 5 6 6 7; antiques 4 5 5 6 6 7
reserve  12 divers, 20 hoses, 10 tridents, 10 weights

Ana (seat 0), seat 2 are to choose two different places for the day.
s shallow, m medium, d deep; #n seat n; [n] diver n.";
    assert_eq!(drawn(&view, 80), expected);
}

/// Seat 2 dives and sees its own cards.
fn dive_in_full_swing() -> View {
    let mut view = revealed([Place::Dive, Place::Bar, Place::Dive], Phase::Dive, 2);
    view.encounters = true;
    view.day = 2;
    view.encounter_deck = vec![0; 20];
    view.encounters_played = vec![Encounter::Family.into(), Encounter::Drunkard.into()];
    for (seat, wreck) in [(0, 0), (2, 4)] {
        view.players[seat].boat = Some(wreck);
        view.wrecks[wreck as usize].boat = Some(seat as u32);
    }
    view.wrecks[1].cards.clear();
    view.wrecks[4].cards.truncate(4);
    view.players[0].encounters = vec![0];
    view.players[1].hand = vec![back(Depth::Shallow), back(Depth::Shallow), back(Depth::Deep)];
    let acting = &mut view.players[2];
    acting.encounters = vec![Encounter::HastyBuyer.into(), Encounter::ExpertDiver.into()];
    acting.afternoon = Some(Place::Market.into());
    acting.divers = vec![
        Diver { hoses: 1, weight: true, has_drawn: true, ..Default::default() },
        Diver { hoses: 2, trident: true, ..Default::default() },
        Diver { trident: true, ..Default::default() },
    ];
    acting.hand = vec![
        with_id(gold(3), 22),
        with_id(shown(Depth::Deep, CardKind::Diamond, 150), 61),
        with_id(shown(Depth::Shallow, CardKind::Goods, 2), 4),
    ];
    acting.fortune = Some(350);
    view.dive = Some(Dive {
        wreck: 4,
        drawn: vec![with_id(gold(3), 22)],
        last_was_treasure: true,
        last_diver: Some(0),
        ..Default::default()
    });
    view.sold = vec![shown(Depth::Shallow, CardKind::Gold, 1), shown(Depth::Shallow, CardKind::Gold, 2)];
    view.monsters_killed = vec![monster(Depth::Medium)];
    view.reserve = Some(Stock { divers: 10, hoses: 17, tridents: 7, weights: 9 });
    view.gone = Some(Stock { tridents: 1, ..Default::default() });
    view
}

#[test]
fn a_dive_in_full_swing() {
    let expected = "\
Day 2 of 10, Saturday morning   first player Ben (seat 1)

dive      #0 #2  #0 on wreck 0, #2 on wreck 4
bar       #1     diver $80, pickpocket $60, round $20
dolphins  -
shop      -
market    -

wreck   0   1   2   3   4   5   6   7   8   9  10
depth   s   s   s   m   m   m   m   d   d   d   d
cards   5   -   5   5   4   5   5   5   5   5   5
boat   #0              #2

   seat  name  cash  morning  afternoon  treasures  fortune
   #0    Ana   $100  dive     (secret)   -          -
   #1    Ben   $100  bar      (secret)   2s 1d      -
>  #2    -     $100  dive     market     1s 1m 1d   $350

divers #0  [0] no equipment
divers #1  [0] no equipment
divers #2  [0] 1 hose, weight (has drawn) [1] 2 hoses, trident [2] trident

hand  card  treasure  units  depth    unsold
#2    61    diamond   -      deep     $150
#2    22    gold      3      medium   $60
#2    4     goods     2      shallow  $40

encounters  20 cards in the deck; in hand #0 1, #2 2; played family, drunkard
#2          hasty-buyer, dive: sell a card just drawn at the best price
#2          expert-diver, bar: the diver recruited brings a hose

shallow  15 of 20 cards: gold 1 1 1 2 2 2; goods 1 1 1 2 2 2 3; antiques 1 1 1 2 2 2 3
         out: gold 1 2 sold
medium   20 of 30 cards: 5 monsters; diamond 100 100; gold 2 2 3 3 3 4 4; goods 2 2 3 3 3 4 4 5;
         antiques 2 2 3 3 3 4 4 5
         out: 1 monster killed
deep     20 of 30 cards: 9 monsters; diamond 150 200 200 250; gold 4 4 5 5 6; goods 4 5 5 6 6 7;
         antiques 4 5 5 6 6 7
reserve  10 divers, 17 hoses, 7 tridents, 9 weights
lost     1 trident

so far  wreck 4 has 4 cards left; drawn gold 3 (card 22)

seat 2 dives.
s shallow, m medium, d deep; #n seat n; [n] diver n.";
    assert_eq!(drawn(&dive_in_full_swing(), 100), expected);
}

#[test]
fn french_names_stand_beside_the_english_ones() {
    let screen = Screen { lang: Lang::Fr, ..Screen::plain(100) };
    let text = draw(&dive_in_full_swing(), false, &seating(), screen);
    let expected = [
        "Day 2 of 10, Saturday (samedi) morning (matin)   first player Ben (seat 1)",
        "bar (Bar de la Sirène)           #1     diver (scaphandrier) $80, pickpocket (tire-bourse) $60,",
        "market (Marché des Trouvailles)  -",
        "#2    22    gold (or)             3      medium   $60",
        "#2                       hasty-buyer (acheteur pressé), dive: sell a card just drawn at the best",
        "so far  wreck 4 has 4 cards left; drawn gold (or) 3 (card 22)",
    ];
    for line in expected {
        assert!(text.lines().any(|drawn| drawn == line), "{line}\nis not in\n{text}");
    }
}

/// The same as somebody else sees it.
#[test]
fn others_see_backs_only() {
    let mut view = dive_in_full_swing();
    let acting = &mut view.players[2];
    acting.hand = vec![back(Depth::Shallow), back(Depth::Medium), back(Depth::Deep)];
    acting.encounters = vec![0, 0];
    acting.afternoon = None;
    acting.fortune = None;
    view.dive = view.dive.map(|dive| Dive { drawn: vec![back(Depth::Medium)], ..dive });
    let text = drawn(&view, 100);
    for line in [
        ">  #2    -     $100  dive     (secret)   1s 1m 1d   -",
        "encounters  20 cards in the deck; in hand #0 1, #2 2; played family, drunkard",
        "so far  wreck 4 has 4 cards left; drawn a medium card",
    ] {
        assert!(text.lines().any(|drawn| drawn == line), "{line}\nis not in\n{text}");
    }
    assert!(!text.contains("unsold"), "{text}");
}

#[test]
fn a_game_that_is_over() {
    let mut view = View { day: 10, phase: Phase::Over.into(), turn: None, asked: vec![], ..first_day() };
    for (player, fortune) in view.players.iter_mut().zip([420, 300, 420]) {
        player.fortune = Some(fortune);
    }
    let text = drawn(&view, 100);
    assert!(text.starts_with("After the second Sunday\n\nwreck "), "{text}");
    assert!(text.contains("\nThe game is over.\n") && text.contains("  $420"), "{text}");
}

#[test]
fn an_abandoned_game_asks_nobody() {
    let text = draw(&dive_in_full_swing(), true, &seating(), Screen::plain(100));
    assert!(text.contains("\nThe game is abandoned: nobody is asked.\n"), "{text}");
    assert!(!text.contains("surface") && !text.contains('>'), "{text}");
}

#[test]
fn a_view_that_makes_no_sense_is_still_drawn() {
    let mut view = View {
        phase: 99,
        half: -1,
        day: u32::MAX,
        first_seat: u32::MAX,
        turn: Some(7),
        asked: vec![u32::MAX],
        encounters: true,
        dive: Some(Dive { wreck: 77, monster: Some(Card::default()), ..Default::default() }),
        visit: Some(Visit { present: u32::MAX, hoses: u32::MAX, tridents: u32::MAX, ..Default::default() }),
        looks: vec![Look { seat: 9, wreck: 99, cards: vec![Card::default()] }],
        ..Default::default()
    };
    assert!(drawn(&view, 1).contains("(there are no wrecks)"));
    view.players = vec![Player {
        seat: 7,
        cash: u32::MAX,
        boat: Some(77),
        place: Some(99),
        hand: vec![Card { kind: 3, value: Some(u32::MAX), ..Default::default() }],
        encounters: vec![99],
        encounter_played: Some(99),
        fortune: Some(u64::MAX),
        ..Default::default()
    }];
    view.wrecks = vec![Wreck { wreck: u32::MAX, depth: 99, cards: vec![Card::default()], boat: Some(u32::MAX) }];
    for phase in 0..=12 {
        view.phase = phase;
        assert!(drawn(&view, 40).contains("s shallow"));
        view.tables = Some(tables());
    }
}
