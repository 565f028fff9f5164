//! Canonical bytes, pinned. If one of these fails, digests of old logs would change: that is a new rules version.

use alloc::{sync::Arc, vec};

use super::super::state::Look;
use super::super::{
    Action, BarPrices, Card, CardId, Depth, DepthCards, Diver, DrawCause, Encounter, Event, Half, Item, Phase, Place,
    Rules, SaleWay, ShopPrices, State, Stock, Tables, Ware,
};
use super::table::{MONSTER, Table, antiques, diamond, gold, play_with, unshuffled};
use crate::canonical::pinned::{hex, unspaced};
use crate::{Game, RulesVersion, Seat, SeatSet};

fn small_tables() -> Tables {
    let cards = |monsters, diamonds: &[u32]| DepthCards {
        monsters,
        diamonds: diamonds.into(),
        gold: vec![1, 2],
        goods: vec![],
        antiques: vec![10_000],
    };
    Tables {
        wreck_cards: [cards(0, &[]), cards(5, &[100]), cards(30, &[])],
        bar: BarPrices { diver: vec![80, 100, 120], pickpocket: vec![60] },
        dolphins: vec![40, 0],
        shop: ShopPrices { hose: vec![20], trident: vec![30, 40], weight: vec![0] },
        unsold_unit: None,
    }
}

const SMALL_TABLES: &str = "
    00 0000 0002 0001 0002 0000 0001 2710
    05 0001 0064 0002 0001 0002 0000 0001 2710
    1e 0000 0002 0001 0002 0000 0001 2710
    0003 0050 0064 0078 0001 003c
    0002 0028 0000
    0001 0014 0002 001e 0028 0001 0000";

#[test]
fn tables_have_the_pinned_bytes() {
    assert_eq!(hex(&small_tables()), unspaced(SMALL_TABLES));
    // Version 2 of the rules has one figure more.
    let tables = Tables { unsold_unit: Some(10_000), ..small_tables() };
    assert_eq!(hex(&tables), unspaced(&alloc::format!("{SMALL_TABLES} 2710")));
}

#[test]
fn a_small_state_has_the_pinned_bytes() {
    for rules in Rules::ALL {
        small_state(*rules);
    }
}

fn small_state(rules: Rules) {
    let mut state = Table::with_encounters_by(rules, 3).ready();
    state.tables = small_tables().into();
    let faces = Arc::make_mut(&mut state.faces);
    *faces = [MONSTER; 80];
    (faces[0], faces[79]) = (diamond(250), antiques(7));
    state.day = 9;
    (state.half, state.phase) = (Half::Afternoon, Phase::Market);
    (state.first_seat, state.turn) = (Seat(1), Seat(2));
    state.wrecks.truncate(4);
    state.wrecks[0].cards = [3, 1].map(CardId).into_iter().collect();
    state.wrecks[1].cards.clear();
    state.players[0].cash = 0x0001_0002;
    state.players[0].programme = Some([Place::Dive, Place::Market]);
    state.players[0].boat = Some(3);
    let diver = Diver { hoses: 2, trident: true, weight: false, sabotaged: false, has_drawn: true };
    state.players[0].divers =
        [diver, Diver { weight: true, sabotaged: true, ..Diver::default() }].into_iter().collect();
    state.players[0].hand = [79, 0].map(CardId).into_iter().collect();
    state.players[0].encounters = [Encounter::GoldDigger, Encounter::Dupe].into_iter().collect();
    state.players[0].played = Some(Encounter::Volunteer);
    state.players[1].divers.clear();
    state.reserve = Stock { divers: 12, items: [20, 10, 9] };
    state.gone = Stock { divers: 1, items: [2, 3, 4] };
    state.encounter_deck = [Encounter::Family, Encounter::Regular].into_iter().collect();
    state.encounters_played = [Encounter::Jeweller].into_iter().collect();
    state.sold.insert(CardId(17));
    state.killed.insert(CardId(50));
    state.dive.drawn.insert(CardId(79));
    state.dive.last_was_treasure = true;
    state.dive.last_diver = Some(1);
    state.dive.monster = Some(CardId(51));
    state.dive.set_aside = [53, 52].map(CardId).into_iter().collect();
    state.visit.recruits = 2;
    state.visit.pickpockets = 1;
    state.visit.bought = [1, 0, 2];
    state.visit.sold = true;
    state.visit.dupe = Some((CardId(79), Ware::Goods));
    state.look = Some(Look { seat: Seat(2), wrecks: [3, 0].into_iter().collect() });
    let before = alloc::format!("01 {SMALL_TABLES} 0050 02 00fa {} 05 0007", "010000".repeat(78));
    let pinned = "09 02 09 01 02
        0004 01 0002 0301 01 0000 01 0005 0a0b0c0d0e 02 0005 1415161718
        0003
        00010002 01 05 03 0002 02 01 00 00 01 00 00 01 01 00 0002 004f 0002 1815 01
        00000064 00 00 ff 0000 0000 0000 00
        00000064 00 00 ff 0001 00 00 00 00 00 0000 0000 00
        0c 140a09 01 020304
        0002 0d03 0001 17
        0001 11 0001 32
        0001 4f 01 00 01 33 0002 3534
        02 01 00 010002 01 4f 02
        01 02 0002 0300";
    assert_eq!(hex(&state), unspaced(&alloc::format!("{before} {pinned}")));
    state.look = None;
    state.visit = Default::default();
    state.dive = Default::default();
    let end = "0000 00 00 ff ff 0000 00 00 00 000000 00 ff 00 00";
    let pinned = pinned.split_once("0001 4f 01 00").unwrap().0;
    assert_eq!(hex(&state), unspaced(&alloc::format!("{before} {pinned} {end}")));
}

#[test]
fn a_round_under_way_has_the_pinned_bytes() {
    let state = Table::of(3).go(&[Place::Bar; 3]);
    let state = play_with(&state, 0, Action::FirstWreck { wreck: 3 }, unshuffled(5)).next;
    let bytes = hex(&state);
    let tail = "0000 00 00 ff ff 0000 00 00 01 000000 00 ff 00 01 00 0001 03";
    assert!(bytes.ends_with(&unspaced(tail)), "{bytes}");
    // Phase 11, on the first morning of seat 0, before the list of wrecks.
    assert!(bytes.contains(&unspaced("01 01 0b 00 00 000b 01 0005")), "{bytes}");
}

#[test]
fn every_event_has_the_pinned_bytes() {
    let (seat, other) = (Seat(4), Seat(1));
    let card = Card { depth: Depth::Deep, face: Some(gold(6)), id: Some(CardId(63)) };
    let monster = Card { depth: Depth::Medium, face: Some(MONSTER), id: Some(CardId(20)) };
    let (back, open) = (card.hidden(), card.without_id());
    let played = |encounter, target_seat, diver, wreck, dupe, ware| Event::EncounterPlayed {
        seat,
        encounter,
        target_seat,
        diver,
        wreck,
        dupe,
        ware,
    };
    let events = [
        (
            Event::GameStarted { encounters: true, tables: small_tables().into() },
            alloc::format!("01 01 {SMALL_TABLES}"),
        ),
        (
            Event::WrecksLaid { wrecks: [3, 4, 4], cards: vec![card, back] },
            "02 03 04 04 0002 03 3f 03 0006 03 ff 00 0000".into(),
        ),
        (Event::EncountersShuffled { deck: vec![Some(Encounter::Dupe), None] }, "03 0002 15 00".into()),
        (Event::DayStarted { day: 10, first_seat: seat }, "04 0a 04".into()),
        (Event::Programmed { seat, morning: Some(Place::Dive), afternoon: Some(Place::Market) }, "05 04 01 05".into()),
        (Event::Programmed { seat, morning: None, afternoon: None }, "05 04 00 00".into()),
        (
            Event::PlacesRevealed { half: Half::Afternoon, places: vec![Place::Bar, Place::Dolphins, Place::Shop] },
            "06 02 0003 02 03 04".into(),
        ),
        (Event::BoatPlaced { seat, wreck: 15 }, "07 04 0f".into()),
        (Event::DiveLost { seat }, "08 04".into()),
        (Event::SabotagePassed { seat }, "09 04".into()),
        (played(Encounter::Saboteur, Some(other), Some(2), None, None, None), "0a 04 04 01 02 ff 00 00".into()),
        (played(Encounter::Drunkard, None, None, Some(9), None, None), "0a 04 07 ff ff 09 00 00".into()),
        (
            played(Encounter::Dupe, None, None, None, Some(card), Some(Ware::Antiques)),
            "0a 04 15 ff ff ff 01 03 3f 03 0006 03".into(),
        ),
        (Event::WeightUsed { seat, diver: 1 }, "0b 04 01".into()),
        (
            Event::CardDrawn { seat, diver: 2, wreck: 14, cause: DrawCause::AttentiveDiver, card },
            "0c 04 02 0e 06 03 3f 03 0006".into(),
        ),
        (Event::MonsterKilled { seat, trident_of: 1, wreck: 6, card: monster }, "0d 04 01 06 02 14 01 0000".into()),
        (Event::DiverFled { seat, diver: 0, hoses: 2, weight: true }, "0e 04 00 02 01".into()),
        (Event::MonstersReturned { wreck: 6, cards: vec![monster] }, "0f 06 0001 02 14 01 0000".into()),
        (Event::WreckShuffled { wreck: 6, cards: vec![card] }, "10 06 0001 03 3f 03 0006".into()),
        (Event::WreckGone { wreck: 6 }, "11 06".into()),
        (Event::Surfaced { seat, wreck: 6 }, "12 04 06".into()),
        (Event::Recruited { seat, price: 120, with_hose: true }, "13 04 00000078 01".into()),
        (
            Event::PickpocketHired { seat, victim: other, depth: Depth::Medium, price: 60 },
            "14 04 01 02 0000003c".into(),
        ),
        (Event::CardStolen { thief: seat, victim: other, card }, "15 04 01 03 3f 03 0006".into()),
        (Event::RoundBought { seat, wrecks: vec![9, 2], price: 20 }, "16 04 0002 09 02 00000014".into()),
        (Event::WreckSeen { seat, wreck: 9, cards: vec![open] }, "17 04 09 0001 03 ff 03 0006".into()),
        (Event::DolphinsPaid { seat, amount: 40 }, "18 04 00000028".into()),
        (Event::EncounterDrawn { seat, encounter: Some(Encounter::GoldDigger) }, "19 04 18".into()),
        (Event::Bought { seat, item: Item::Weight, diver: 2, price: 20 }, "1a 04 03 02 00000014".into()),
        (
            Event::CardsSold {
                seat,
                way: SaleWay::Market,
                cards: vec![card],
                ware: Some(Ware::Gold),
                unit_price: 30,
                income: 180,
            },
            "1b 04 01 0001 03 3f 03 0006 01 0000001e 000000b4".into(),
        ),
        (
            Event::CardsSold { seat, way: SaleWay::Jeweller, cards: vec![], ware: None, unit_price: 0, income: 250 },
            "1b 04 04 0000 00 00000000 000000fa".into(),
        ),
        (Event::VisitEnded { seat, place: Place::Shop }, "1c 04 04".into()),
        (Event::HalfDayEnded { half: Half::Morning }, "1d 01".into()),
        (Event::SecondWreckNamed { seat, wreck: 9 }, "1f 04 09".into()),
        (Event::SecondWreckDeclined { seat }, "20 04".into()),
    ];
    for (event, pinned) in events {
        for rules in Rules::ALL {
            assert_eq!(by(*rules, &event), unspaced(&pinned), "{event:?}");
        }
    }
    let ended = Event::GameEnded { fortunes: vec![1, 65_536], winners: SeatSet::only(other) };
    assert_eq!(by(Rules::V1, &ended), unspaced("1e 0002 00000001 00010000 02"));
    assert_eq!(by(Rules::V2, &ended), unspaced("1e 0002 0000000000000001 0000000000010000 02"));
}

/// The bytes of an event by a version of the rules, in hex.
fn by(rules: Rules, event: &Event) -> alloc::string::String {
    let mut bytes = vec![];
    State::encode_event(rules, event, &mut bytes);
    bytes.iter().map(|byte| alloc::format!("{byte:02x}")).collect()
}
