//! Parts of boards.

use divelog_proto::games::key_largo::v1::{Half, Ware};

use super::*;

#[test]
fn lists_wrap_on_a_narrow_screen() {
    let text = drawn(&dive_in_full_swing(), 60);
    // Tables are never cut, so only the players' names could be wider.
    assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
    let expected = "\
wreck   0   1   2   3   4   5
depth   s   s   s   m   m   m
cards   5   -   5   5   4   5
boat   #0              #2
wreck   6   7   8   9  10
depth   m   d   d   d   d
cards   5   5   5   5   5
boat";
    let tables = tables();
    let view = dive_in_full_swing();
    let seating = seating();
    let context =
        BoardContext { view: &view, tables: &tables, abandoned: false, seating: &seating, screen: Screen::plain(30) };
    assert_eq!(wrecks::section(context), expected);
}

#[test]
fn the_programme_shows_what_has_been_revealed() {
    let mut view = revealed([Place::Bar, Place::Bar, Place::Market], Phase::Bar, 0);
    view.half = Half::Afternoon.into();
    view.players[1].afternoon = Some(Place::Bar.into());
    view.players[1].morning = Some(Place::Dive.into());
    view.visit = Some(Visit { present: 2, recruits: 1, ..Default::default() });
    view.players[0].encounter_played = Some(Encounter::InseparableBrothers.into());
    view.looks = vec![
        Look { seat: 0, wreck: 7, cards: vec![gold(3), monster(Depth::Deep)] },
        Look { seat: 0, wreck: 8, cards: vec![] },
    ];
    let text = drawn(&view, 100);
    let expected = "
so far  2 present; 1 diver recruited; 0 pickpockets hired; no round bought
        inseparable-brothers is played: hire two of one kind
seen    Ana (seat 0) has just looked into wreck 7: gold 3, monster; shuffled since
seen    Ana (seat 0) has just looked into wreck 8

Ana (seat 0) is at the bar.
";
    assert!(text.contains(expected), "{text}");
    assert!(text.starts_with("Day 1 of 10, Friday afternoon   first player Ben (seat 1)\n"), "{text}");
    assert!(text.contains("bar       #0 #1  diver $100, pickpocket $70, round $20\n"), "{text}");
}

#[test]
fn a_round_under_way_shows_the_first_wreck_and_asks_for_the_second() {
    let mut view = revealed([Place::Bar, Place::Shop, Place::Market], Phase::SecondWreck, 0);
    view.visit = Some(Visit { present: 1, round_bought: true, ..Default::default() });
    view.looks = vec![Look { seat: 0, wreck: 7, cards: vec![gold(3), monster(Depth::Deep)] }];
    let text = drawn(&view, 100);
    let expected = "
so far  1 present; 0 divers recruited; 0 pickpockets hired; round bought
seen    Ana (seat 0) has just looked into wreck 7: gold 3, monster; shuffled since

Ana (seat 0) may ask about a second wreck.
";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn what_unsold_units_are_worth_is_shown_where_it_is_a_figure() {
    let mut view = first_day();
    view.players[0].hand = vec![with_id(gold(3), 22)];
    assert!(!drawn(&view, 100).contains("at the end"));
    view.tables.as_mut().unwrap().unsold_unit = Some(35);
    let text = drawn(&view, 100);
    assert!(text.contains("\nunsold   $35 a unit at the end\n"), "{text}");
    assert!(text.contains("  $105\n"), "3 units in the hand: {text}");
}

#[test]
fn shop_and_market_say_what_was_done() {
    let so_far = |phase, visit| {
        let mut view = revealed([Place::Shop, Place::Market, Place::Market], phase, 0);
        view.visit = Some(visit);
        let text = drawn(&view, 100);
        text.lines().find(|line| line.starts_with("so far")).unwrap_or_default().to_owned()
    };
    let shop = Visit { present: 1, hoses: 2, tridents: 1, ..Default::default() };
    assert_eq!(so_far(Phase::Shop, shop), "so far  1 present; bought 2 hoses, 1 trident, 0 weights");
    let market =
        Visit { present: 2, dupe: Some(back(Depth::Deep)), dupe_ware: Some(Ware::Gold.into()), ..Default::default() };
    assert_eq!(
        so_far(Phase::Market, market),
        "so far  2 present; nothing sold in the sale; a deep card counts as gold"
    );
    assert_eq!(so_far(Phase::Market, Visit { sold: true, ..market }).split("; ").nth(1), Some("the sale is made"));
}

#[test]
fn a_monster_is_an_alarm() {
    let mut view = dive_in_full_swing();
    view.phase = Phase::Monster.into();
    view.dive = view.dive.map(|dive| Dive {
        monster: Some(monster(Depth::Medium)),
        last_diver: Some(1),
        diver_fled: true,
        set_aside: vec![monster(Depth::Medium)],
        ..dive
    });
    let text = draw(&view, false, &seating(), Screen { paint: Paint::new(true), ..Screen::plain(100) });
    assert!(text.contains("\u{1b}[1m\u{1b}[31mseat 2 has met a monster.\u{1b}[0m"), "{text}");
    let plain = drawn(&view, 200);
    let so_far = "drawn gold 3 (card 22); a diver has fled; 1 monster set aside; diver 1 has met a monster\n";
    assert!(plain.contains(so_far), "{plain}");
}

#[test]
fn an_auditor_sees_everything() {
    let mut view = dive_in_full_swing();
    view.wrecks[0].cards = vec![gold(2), monster(Depth::Shallow)];
    view.removed = vec![gold(4), gold(2)];
    view.encounter_deck = vec![Encounter::Dupe.into(), Encounter::BarTourist.into()];
    view.players[0].hand = vec![with_id(gold(4), 29)];
    let text = drawn(&view, 120);
    for line in [
        "in 0  gold 2, monster",
        "removed  gold 4, gold 2",
        "#0    29    gold      4      medium   $80",
        "encounters  2 cards in the deck; in hand #0 1, #2 2; played family, drunkard; from the top dupe, bar-tourist",
    ] {
        assert!(text.lines().any(|drawn| drawn == line), "{line}\nis not in\n{text}");
    }
}
