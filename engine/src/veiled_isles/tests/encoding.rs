//! Canonical bytes, pinned. If one of these fails, digests of old logs would change: that is a new rules version.

use alloc::vec;

use super::super::ActionCard::{A1, A2, A3, A4};
use super::super::state::Played;
use super::super::{ColourWon, Deck, Event, Half, LiftedIsland, Phase, Prize, Score};
use super::table::{Table, colours, island, islands, treasure, treasures};
use crate::canonical::pinned::{hex, unspaced};
use crate::{Seat, SeatSet};

#[test]
fn a_small_state_has_the_pinned_bytes() {
    let table = Table::of(3).round(2).first(1).cards(A2, A4).up("p9").face_down(0, "r1 b99").more(0);
    let mut state = table.hand(0, "p12 r1").pile(0, "g5 b4").bonus(0, 3).scores(0, &[300]).supply(16).ready();
    state.players[1].played = Some(Played { island: island("b7"), show: Half::Coast, bonus: 2, taken: true });
    state.players[2].passing = Some(island("g1"));
    state.discarded = islands("r2 p11").into_iter().collect();
    state.set_aside = islands("b1").into_iter().collect();
    state.prize_colours = colours("bp");
    let pinned = "02 04 0102020303040405 02 01 PHASE 01 01
        0001 01 01 0409 0002 0101 0263
        10
        0003
        0002 002f ff 0002 0305 0204 03 00 0001 012c
        0000 ff 0000 00 01 12 02 02 01 0000
        0000 18 0000 00 00 0000
        0002 012e
        0001 0c
        0a";
    for (phase, bytes) in [
        (Phase::Pass, "01"),
        (Phase::Play, "02"),
        (Phase::Treasure, "03"),
        (Phase::StealBonus, "04"),
        (Phase::SwapWith, "05"),
        (Phase::GiveBack { to: Seat(2), count: 1 }, "06 02 01"),
        (Phase::PeekDeck, "07"),
        (Phase::Reorder { deck: Deck::GreenPurple }, "08 03"),
        (Phase::TakePlayed, "09"),
        (Phase::DiscardIsland, "0a"),
        (Phase::Over, "0b"),
    ] {
        state.phase = phase;
        assert_eq!(hex(&state), unspaced(&pinned.replace("PHASE", bytes)), "{phase:?}");
    }
    state.turn = None;
    state.decks[0].turned_up = None;
    let pinned = pinned.replace("PHASE 01 01", "0b ff 01").replace("01 01 0409", "01 00");
    assert_eq!(hex(&state), unspaced(&pinned));
}

#[test]
fn every_event_has_the_pinned_bytes() {
    let (seat, from, to) = (Seat(4), Seat(3), Seat(2));
    let (deck, red_4) = (Deck::RedBlue, treasure("r4"));
    let won = ColourWon {
        colours: colours("gp"),
        islands: 3,
        winner: seat,
        value: 11,
        lowest: Some(to),
        prize: Prize::Action(A3),
    };
    let alone = ColourWon { islands: 1, lowest: None, prize: Prize::Treasure(Deck::Single), ..won };
    let events = [
        (Event::DeckShuffled { deck, size: 2, order: Some(treasures("b1 r99")) }, "01 02 02 01 0002 0201 0163"),
        (Event::DeckShuffled { deck: Deck::Single, size: 20, order: None }, "01 01 14 00"),
        (Event::TreasureTurnedUp { deck: Deck::GreenPurple, treasure: treasure("p0") }, "02 03 0400"),
        (Event::IslandsShuffled { order: Some(islands("p12 r1")) }, "03 01 0002 2f00"),
        (Event::IslandsShuffled { order: None }, "03 00"),
        (Event::HandDealt { seat, count: 2, islands: Some(islands("r12 b1")) }, "04 04 02 01 0002 0b0c"),
        (Event::HandDealt { seat, count: 9, islands: None }, "04 04 09 00"),
        (Event::IslandsSetAside { count: 1, islands: Some(islands("g1")) }, "05 01 01 0001 18"),
        (Event::IslandsSetAside { count: 3, islands: None }, "05 03 00"),
        (Event::RoundStarted { round: 2, first_seat: seat }, "06 02 04"),
        (Event::PassChosen { seat, island: Some(island("p1")) }, "07 04 24"),
        (Event::PassChosen { seat, island: None }, "07 04 ff"),
        (Event::IslandPassed { from, to, island: Some(island("r2")) }, "08 03 02 01"),
        (Event::IslandPassed { from, to, island: None }, "08 03 02 ff"),
        (Event::TrickStarted { trick: 12, first_seat: seat }, "09 0c 04"),
        (Event::IslandPlayed { seat, island: island("p12").whole(), show: Half::Sea, bonus: 0 }, "0a 04 040c 01 00"),
        (
            Event::IslandPlayed {
                seat,
                island: island("b3").whole().under_sail(Half::Coast),
                show: Half::Coast,
                bonus: 9,
            },
            "0a 04 0003 02 09",
        ),
        (
            Event::SailsLifted { islands: vec![LiftedIsland { seat, island: island("b3"), bonus: 9, value: 12 }] },
            "0b 0001 04 0e 09 0c",
        ),
        (Event::ColourWon(won), "0c 0c 03 04 0b 02 02 03"),
        (Event::ColourWon(alone), "0c 0c 01 04 0b ff 01 01"),
        (Event::TreasureTaken { seat, deck, treasure: red_4 }, "0d 04 02 0104"),
        (Event::TreasureStolen { seat, from, treasure: red_4 }, "0e 04 03 0104"),
        (Event::BonusTaken { seat, due: 3, taken: 1 }, "0f 04 03 01"),
        (Event::ActionActivated { seat, action: A4 }, "10 04 04"),
        (Event::ActionSkipped { seat, action: A1 }, "11 04 01"),
        (Event::BonusStolen { seat, from, count: 2 }, "12 04 03 02"),
        (Event::BonusDrawn { seat, count: 1 }, "13 04 01"),
        (Event::IslandsTaken { seat, from, count: 1, islands: Some(islands("r1")) }, "14 04 03 01 01 0001 00"),
        (Event::IslandsTaken { seat, from, count: 2, islands: None }, "14 04 03 02 00"),
        (Event::IslandsGivenBack { seat, to, count: 1, islands: Some(islands("r1")) }, "15 04 02 01 01 0001 00"),
        (Event::IslandsGivenBack { seat, to, count: 2, islands: None }, "15 04 02 02 00"),
        (Event::DeckPeeked { seat, deck, treasures: Some(treasures("r1 b2 r3")) }, "16 04 02 01 0003 0101 0202 0103"),
        (Event::DeckPeeked { seat, deck, treasures: None }, "16 04 02 00"),
        (Event::DeckReordered { seat, deck, order: Some(vec![2, 0, 1]) }, "17 04 02 01 0003 020001"),
        (Event::DeckReordered { seat, deck, order: None }, "17 04 02 00"),
        (Event::PlayedTaken { seat, from, island: island("g12") }, "18 04 03 23"),
        (Event::IslandDiscarded { seat, island: island("g12") }, "19 04 23"),
        (Event::TreasurePutUnder { deck, treasure: red_4 }, "1a 02 0104"),
        (Event::TrickCleared { islands: islands("r1 p12"), bonus: 5, first_seat: seat }, "1b 0002 002f 05 04"),
        (
            Event::RoundScored { round: 1, scores: vec![Score { seat, treasure_points: 260, bonus_points: 11 }] },
            "1c 01 0001 04 0104 0b",
        ),
        (Event::GameEnded { totals: vec![1, 300, 2], winners: SeatSet::only(Seat(1)) }, "1d 0003 0001 012c 0002 02"),
    ];
    for (event, bytes) in events {
        assert_eq!(hex(&event), unspaced(bytes), "{event:?}");
    }
}
