//! Canonical bytes, pinned. If one of these fails, digests of old logs would change: that is a new rules version.

use alloc::vec;

use super::super::{Diver, Event, GameEnd, Phase, Skip, Source, Suit, Variant};
use super::table::{Table, card, cards};
use crate::canonical::pinned::{hex, unspaced};
use crate::{Seat, SeatSet};

#[test]
fn a_small_state_has_the_pinned_bytes() {
    let mut state = Table::of(2)
        .variant(Variant::BottomFeeder)
        .saboteuse(1, 0)
        .turn(1)
        .hold(0, "siren 9, siren 4, anchor 2")
        .row("squid 5")
        .row_from(Source::OpponentHold, "net 7")
        .demand(2)
        .open_net("net 7", 1)
        .pile("chest 3, key 6")
        .graveyard("map 2")
        .phase(Phase::Net)
        .drone_shows(1)
        .ready();
    state.first_seat = Seat(0);
    let pinned = "07 05 01 00
        0002
        00 ff 0003 0102 0a04 0a09
        11 00 0000
        0002 020501 080704
        01 02
        0001 0807 01
        0002 0503 0406
        0001 0302
        01 00 00";
    assert_eq!(hex(&state), unspaced(pinned));
    let state = Table::of(2).pile("").map_shows(3).plunder(4).fresh_turn().ready();
    let pinned = "00 08 00 00 0002 00ff0000 00ff0000 0000 00 00 0000 0000 0000 00 03 04";
    assert_eq!(hex(&state), unspaced(pinned));
}

#[test]
fn phases_sources_and_names_have_the_pinned_numbers() {
    use Phase::*;
    let phases = [NameVictim, Explore, Knife, Harpoon, Net, Misfire, Map, Plunder, Over];
    for (number, phase) in phases.into_iter().enumerate() {
        assert_eq!(phase as usize, number);
    }
    let sources = [Source::DrawPile, Source::Graveyard, Source::OwnHold, Source::OpponentHold];
    for (number, source) in sources.into_iter().enumerate() {
        assert_eq!(source as usize, number);
    }
    for (number, diver) in Diver::ALL.iter().enumerate() {
        assert_eq!(usize::from(diver.number()), number + 1);
    }
    assert_eq!((Diver::GoldenScales.number(), Diver::Saboteuse.number()), (1, 17));
    assert_eq!((Variant::ThievesIsland.number(), Variant::BottomFeeder.number()), (1, 7));
    for (number, suit) in Suit::ALL.into_iter().enumerate() {
        assert_eq!(suit as usize, number);
    }
}

#[test]
fn every_event_has_the_pinned_bytes() {
    let (seat, other, key) = (Seat(3), Seat(1), card("key 6"));
    let two = cards("anchor 2, siren 9");
    let events = [
        (Event::DiversGiven { divers: vec![Diver::Parry, Diver::Saboteuse], dealt: true }, "01 0002 0b 11 01"),
        (
            Event::PilesLaid { draw_pile_size: 2, graveyard_size: 1, draw_pile: two.clone(), graveyard: vec![key] },
            "02 02 01 0002 0102 0a09 0001 0406",
        ),
        (Event::FirstSeatDrawn { seat }, "03 03"),
        (Event::VictimNamed { seat, victim: other }, "04 03 01"),
        (Event::TurnStarted { seat }, "05 03"),
        (Event::Drew { seat, card: key, draw_pile_size: 49 }, "06 03 0406 31"),
        (Event::DemandVoided { seat, squid_demand: 2 }, "07 03 02"),
        (Event::WentStraightToHold { seat, card: key }, "08 03 0406"),
        (Event::Entered { seat, card: key, source: Source::DrawPile, squid_demand: 1 }, "09 03 0406 01 01"),
        (Event::Entered { seat, card: key, source: Source::OpponentHold, squid_demand: 0 }, "09 03 0406 04 00"),
        (Event::SquidAsked { seat, asks: 4, squid_demand: 5 }, "0a 03 04 05"),
        (Event::EffectSkipped { seat, suit: Suit::Siren, skip: Skip::EmptyGraveyard }, "0b 03 0a 01"),
        (Event::EffectSkipped { seat, suit: Suit::Anchor, skip: Skip::EmptyDrawPile }, "0b 03 01 02"),
        (Event::EffectSkipped { seat, suit: Suit::Anchor, skip: Skip::EmptyHold }, "0b 03 01 03"),
        (Event::EffectSkipped { seat, suit: Suit::Anchor, skip: Skip::NoOpponentHasCards }, "0b 03 01 04"),
        (Event::EffectSkipped { seat, suit: Suit::Anchor, skip: Skip::NoSuitToTake }, "0b 03 01 05"),
        (Event::GraveyardShuffled { size: 2, order: two.clone() }, "0c 02 0002 0102 0a09"),
        (Event::MapShowed { seat, count: 2, cards: two.clone() }, "0d 03 02 0002 0102 0a09"),
        (Event::PlacedFromMap { seat, card: key }, "0e 03 0406"),
        (Event::DroneShowed { seat, count: 2, cards: two.clone() }, "0f 03 02 0002 0102 0a09"),
        (Event::Knifed { seat, victim: other, cards: vec![key], to_hold_of: None }, "10 03 01 0001 0406 ff"),
        (Event::Knifed { seat, victim: other, cards: vec![key], to_hold_of: Some(seat) }, "10 03 01 0001 0406 03"),
        (Event::Misfired { seat, owner: other, card: key }, "11 03 01 0406"),
        (Event::Netted { seat, card: key, second: true }, "12 03 0406 01"),
        (Event::Harpooned { seat, victim: other, card: key }, "13 03 01 0406"),
        (Event::HarpoonParried { seat, owner: other, card: key }, "14 03 01 0406"),
        (Event::IncidentCaused { seat, card: key }, "15 03 0406"),
        (Event::Saved { seat, cards: two.clone() }, "16 03 0002 0102 0a09"),
        (Event::Lost { seat, cards: two.clone(), to_hold_of: None }, "17 03 0002 0102 0a09 ff"),
        (Event::Lost { seat, cards: two.clone(), to_hold_of: Some(other) }, "17 03 0002 0102 0a09 01"),
        (Event::Surfaced { seat, cards: vec![] }, "18 03 0000"),
        (Event::BonusEarned { seat, count: 6 }, "19 03 06"),
        (Event::BonusTaken { seat, cards: two.clone() }, "1a 03 0002 0102 0a09"),
        (Event::Plundered { seat, victim: other, cards: two }, "1b 03 01 0002 0102 0a09"),
        (
            Event::GameEnded {
                cause: GameEnd::DrawPileEmpty,
                points: vec![258, -3],
                winners: SeatSet::only(Seat(0)).with(other),
            },
            "1c 01 0002 00000102 fffffffd 03",
        ),
        (
            Event::GameEnded { cause: GameEnd::SuddenDeath, points: vec![50], winners: SeatSet::EMPTY },
            "1c 02 0001 00000032 00",
        ),
    ];
    for (event, pinned) in events {
        assert_eq!(hex(&event), unspaced(pinned), "{event:?}");
    }
}
