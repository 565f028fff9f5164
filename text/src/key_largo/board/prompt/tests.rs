//! The words that can be typed, by phase.

use divelog_proto::games::key_largo::v1::{
    Card, CardKind, Depth, Dive, Diver, Encounter, Place, Stock, View, Visit, Ware,
};

use super::super::super::fixtures::*;
use super::*;
use crate::{Screen, Seating};

/// What is asked, wide enough not to be wrapped.
fn said(view: &View) -> String {
    let tables = view.tables.clone().unwrap_or_default();
    let seating = Seating::default();
    section(Scene { view, tables: &tables, abandoned: false, seating: &seating, screen: Screen::plain(200) })
}

fn gold(id: u32) -> Card {
    with_id(shown(Depth::Medium, CardKind::Gold, 3), id)
}

fn hold(view: &mut View, seat: usize, cards: &[Encounter]) {
    view.players[seat].encounters = cards.iter().map(|card| (*card).into()).collect();
}

fn play(view: &mut View, seat: usize, card: Encounter) {
    view.players[seat].encounter_played = Some(card.into());
}

fn diving(phase: Phase) -> View {
    let mut view = revealed([Place::Dive, Place::Dive, Place::Bar], phase, 0);
    for (seat, wreck) in [(0, 0), (1, 3)] {
        view.players[seat].boat = Some(wreck);
        view.wrecks[wreck as usize].boat = Some(seat as u32);
    }
    view.players[0].divers = vec![Diver { weight: true, ..Default::default() }, Diver::default()];
    view.players[1].divers = vec![Diver::default(), Diver { hoses: 1, ..Default::default() }];
    view.dive = Some(Dive::default());
    view
}

#[test]
fn boats_go_to_free_wrecks_within_reach() {
    let mut view = revealed([Place::Dive; 3], Phase::PlaceBoat, 0);
    view.wrecks[0].boat = Some(1);
    view.wrecks[1].cards.clear();
    assert_eq!(said(&view), "seat 0 is to place the boat:\nboat WRECK  2");
    view.players[0].divers[0].hoses = 1;
    assert_eq!(said(&view), "seat 0 is to place the boat:\nboat WRECK  2 3 4 5 6");
    view.players[0].divers.push(Diver { hoses: 2, ..Default::default() });
    assert_eq!(said(&view), "seat 0 is to place the boat:\nboat WRECK  2 3 4 5 6 7 8 9 10");
}

#[test]
fn saboteurs_see_their_targets() {
    let mut view = diving(Phase::Sabotage);
    hold(&mut view, 0, &[Encounter::Saboteur, Encounter::Regular]);
    let title = "seat 0 may play a saboteur before the dives:";
    assert_eq!(
        said(&view),
        format!(
            "{title}\n\
             play saboteur SEAT DIVER  1 1: another player's diver misses this dive\n\
             pass                      without a saboteur"
        )
    );
    view.players[1].divers[1].sabotaged = true;
    assert_eq!(said(&view), format!("{title}\npass  without a saboteur"));
    hold(&mut view, 0, &[Encounter::Unspecified]);
    assert_eq!(
        said(&view),
        format!(
            "{title}\n\
             play ENCOUNTER ...  a card of this place, if it is in hand\n\
             pass                without a saboteur"
        )
    );
}

#[test]
fn dives_go_on_until_all_have_drawn() {
    let mut view = diving(Phase::Dive);
    assert_eq!(said(&view), "seat 0 dives:\ndraw DIVER  0 1");
    view.players[0].divers[0].has_drawn = true;
    view.dive = Some(Dive { last_was_treasure: true, last_diver: Some(0), drawn: vec![gold(7)], ..Default::default() });
    assert_eq!(said(&view), "seat 0 dives:\ndraw DIVER    1\nweight DIVER  0: one card more");
    view.players[0].divers[1].has_drawn = true;
    assert_eq!(said(&view), "seat 0 dives:\nweight DIVER  0: one card more\nsurface       ends the dive");
    view.wrecks[0].cards.clear();
    assert_eq!(said(&view), "seat 0 dives:\nsurface  ends the dive");
}

#[test]
fn after_a_flight_the_rest_may_surface() {
    let mut view = diving(Phase::Dive);
    view.dive = Some(Dive { diver_fled: true, ..Default::default() });
    assert_eq!(said(&view), "seat 0 dives:\ndraw DIVER  0 1\nsurface     ends the dive");
    view.players[0].divers.clear();
    assert_eq!(said(&view), "seat 0 dives:\nsurface  ends the dive");
}

#[test]
fn dive_encounters_wait_for_their_moment() {
    let mut view = diving(Phase::Dive);
    hold(&mut view, 0, &[Encounter::Volunteer, Encounter::HastyBuyer]);
    let volunteer = "play volunteer DIVER  0 1: on a shallow wreck, one more card";
    assert_eq!(said(&view), format!("seat 0 dives:\ndraw DIVER            0 1\n{volunteer}"));
    view.dive = Some(Dive { drawn: vec![gold(7)], ..Default::default() });
    assert!(said(&view).ends_with("play hasty-buyer CARD  7: sell a card just drawn at the best price"));

    hold(&mut view, 0, &[Encounter::AttentiveDiver, Encounter::Regular]);
    assert_eq!(said(&view), "seat 0 dives:\ndraw DIVER  0 1");
    view.players[0].divers.iter_mut().for_each(|diver| diver.has_drawn = true);
    view.dive = Some(Dive { last_diver: Some(1), ..Default::default() });
    view.wrecks[0].cards.truncate(1);
    assert_eq!(
        said(&view),
        "seat 0 dives:\nplay attentive-diver  draw the wreck's last card too\nsurface               ends the dive"
    );
    play(&mut view, 0, Encounter::Volunteer);
    assert_eq!(said(&view), "seat 0 dives:\nsurface  ends the dive");
}

#[test]
fn monsters_meet_tridents() {
    let mut view = diving(Phase::Monster);
    assert_eq!(said(&view), "seat 0 has met a monster:\nflee  the diver is lost with all equipment");
    view.players[0].divers[1].trident = true;
    hold(&mut view, 0, &[Encounter::Volunteer, Encounter::Regular]);
    assert_eq!(
        said(&view),
        "seat 0 has met a monster:\n\
         trident DIVER  1: kills it, and the diver draws again\n\
         play regular   a monster goes back into the wreck; draw again"
    );
}

fn at_bar() -> View {
    let mut view = revealed([Place::Bar, Place::Bar, Place::Dolphins], Phase::Bar, 0);
    view.visit = Some(Visit { present: 2, ..Default::default() });
    view.players[2].hand = vec![back(Depth::Shallow), back(Depth::Deep), back(Depth::Deep)];
    view
}

#[test]
fn the_bar_sells_each_thing_once() {
    let mut view = at_bar();
    let (recruit, round, done) = (
        "recruit                $100: one more diver",
        "round WRECK WRECK      $20: two of 0 1 2 3 4 5 6 7 8 9 10",
        "done                   ends the visit",
    );
    let pickpocket = "pickpocket SEAT DEPTH  $70: 2 shallow, 2 deep";
    assert_eq!(said(&view), format!("seat 0 is at the bar:\n{recruit}\n{pickpocket}\n{round}\n{done}"));
    view.visit = Some(Visit { present: 2, recruits: 1, round_bought: true, ..Default::default() });
    assert_eq!(said(&view), format!("seat 0 is at the bar:\n{pickpocket}\n{done}"));
    play(&mut view, 0, Encounter::InseparableBrothers);
    assert_eq!(said(&view), format!("seat 0 is at the bar:\n{recruit}\n{pickpocket}\n{done}"));
    view.players[0].cash = 0;
    assert_eq!(said(&view), "seat 0 is at the bar:\ndone  ends the visit");
}

#[test]
fn the_bar_needs_something_to_sell() {
    let mut view = at_bar();
    view.players[2].hand.clear();
    view.players[0].divers = vec![Diver::default(); 3];
    view.wrecks.iter_mut().skip(1).for_each(|wreck| wreck.cards.clear());
    assert_eq!(said(&view), "seat 0 is at the bar:\nround WRECK  $20: 0\ndone         ends the visit");
    view.wrecks[0].cards.clear();
    hold(&mut view, 0, &[Encounter::Drunkard, Encounter::BarTourist]);
    assert_eq!(said(&view), "seat 0 is at the bar:\nplay bar-tourist  no effect\ndone              ends the visit");
    view.players[0].divers.clear();
    view.reserve = Some(Stock::default());
    assert!(!said(&view).contains("recruit"));
}

#[test]
fn the_shop_lists_who_has_room() {
    let mut view = revealed([Place::Shop; 3], Phase::Shop, 0);
    view.visit = Some(Visit { present: 3, ..Default::default() });
    view.players[0].divers = vec![Diver { hoses: 2, weight: true, ..Default::default() }, Diver::default()];
    assert_eq!(
        said(&view),
        "seat 0 is in the shop:\n\
         buy hose DIVER     $40: 1\n\
         buy trident DIVER  $60: 0 1\n\
         buy weight DIVER   $40: 1\n\
         done               ends the visit"
    );
    view.players[0].cash = 45;
    view.reserve = Some(Stock { weights: 1, ..Default::default() });
    assert_eq!(said(&view), "seat 0 is in the shop:\nbuy weight DIVER  $40: 1\ndone              ends the visit");
}

#[test]
fn a_third_item_needs_an_encounter() {
    let mut view = revealed([Place::Shop; 3], Phase::Shop, 0);
    view.visit = Some(Visit { present: 1, hoses: 2, ..Default::default() });
    hold(&mut view, 0, &[Encounter::Discounter, Encounter::GoodFriend]);
    assert_eq!(
        said(&view),
        "seat 0 is in the shop:\n\
         play discounter  after two alike, a third for $20 less\n\
         done             ends the visit"
    );
    play(&mut view, 0, Encounter::Discounter);
    assert_eq!(said(&view), "seat 0 is in the shop:\nbuy hose DIVER  $0: 0\ndone            ends the visit");
    play(&mut view, 0, Encounter::TridentSeller);
    assert_eq!(said(&view), "seat 0 is in the shop:\nbuy trident DIVER  $30: 0\ndone               ends the visit");
    // The seller's hose may have been one of the two: any item may follow.
    play(&mut view, 0, Encounter::HoseSeller);
    assert!(said(&view).contains("buy weight DIVER   $20: 0"));
    view.visit = Some(Visit { present: 1, hoses: 2, weights: 1, ..Default::default() });
    assert_eq!(said(&view), "seat 0 is in the shop:\ndone  ends the visit");
}

fn at_market() -> View {
    let mut view = revealed([Place::Market; 3], Phase::Market, 0);
    view.visit = Some(Visit { present: 2, ..Default::default() });
    let card = |kind, id| with_id(shown(Depth::Deep, kind, 5), id);
    view.players[0].hand =
        vec![gold(12), gold(17), card(CardKind::Goods, 31), with_id(shown(Depth::Deep, CardKind::Diamond, 200), 66)];
    view
}

#[test]
fn the_market_buys_one_kind() {
    let mut view = at_market();
    assert_eq!(
        said(&view),
        "seat 0 is at the market:\n\
         sell CARD ...  gold at $30 a unit: any of 12 17\n\
         sell CARD ...  goods at $30 a unit: any of 31"
    );
    hold(&mut view, 0, &[Encounter::Trafficker, Encounter::Jeweller]);
    let plays = "play jeweller CARD        66: sell a diamond at its value";
    assert!(said(&view).ends_with(&format!(
        "play trafficker CARD ...  up to 2 of 12 17 31: sell up to five cards more at $30 a unit\n{plays}"
    )));
    view.visit = Some(Visit { present: 2, sold: true, ..Default::default() });
    assert!(said(&view).contains("up to 3 of 12 17 31"));
    assert!(said(&view).ends_with("\ndone                      ends the visit"));
}

#[test]
fn a_dupe_must_be_in_the_sale() {
    let mut view = at_market();
    play(&mut view, 0, Encounter::Dupe);
    let dupe =
        |ware: Ware| Visit { present: 2, dupe: Some(gold(17)), dupe_ware: Some(ware.into()), ..Default::default() };
    view.visit = Some(dupe(Ware::Goods));
    assert_eq!(said(&view), "seat 0 is at the market:\nsell CARD ...  goods at $30 a unit: 17, and any of 31");
    view.visit = Some(dupe(Ware::Antiques));
    assert_eq!(said(&view), "seat 0 is at the market:\nsell CARD ...  antiques at $30 a unit: 17");
}

#[test]
fn a_market_without_wares_can_be_left() {
    let mut view = at_market();
    view.players[0].hand.drain(..3);
    assert_eq!(said(&view), "seat 0 is at the market:\ndone  ends the visit");
    view.players[0].hand = vec![back(Depth::Deep)];
    assert_eq!(
        said(&view),
        "seat 0 is at the market:\n\
         sell CARD ...  cards of one kind\n\
         done           ends the visit, once a card is sold that can be"
    );
}

#[test]
fn the_dolphins_have_time_for_an_encounter() {
    let mut view = revealed([Place::Dolphins; 3], Phase::Dolphins, 1);
    hold(&mut view, 1, &[Encounter::Family, Encounter::Dupe]);
    assert_eq!(
        said(&view),
        "seat 1 is at the dolphins:\nplay family  the day's pay once more\ndone         ends the visit"
    );
}

#[test]
fn what_a_newer_server_asks_is_still_described() {
    let view = View { phase: 99, turn: Some(1), ..first_day() };
    assert_eq!(said(&view), "seat 1 is asked what this client does not know:");
    let view = View { phase: 99, asked: vec![], ..first_day() };
    assert_eq!(said(&view), "Nobody is asked.");
}
