//! CC-20, and the divers and variants of scoring.

use alloc::vec::Vec;

use super::super::{Action, Diver, Event, GameEnd, Phase, State, Variant};
use super::table::{Table, end, play};
use crate::{Game, Seat, SeatSet};

/// The last turn: seat 0 surfaces with nothing, and the game ends.
fn ended(table: Table) -> State {
    let step = play(&table.pile("").ready(), Action::Surface);
    assert_eq!(end(&step).map(|(cause, _)| cause), Some(GameEnd::DrawPileEmpty));
    let outcome = step.next.outcome().unwrap();
    let points = outcome.standings.iter().map(|standing| standing.points as i32).collect();
    let expected = Event::GameEnded { cause: GameEnd::DrawPileEmpty, points, winners: outcome.winners };
    assert_eq!(step.events.last(), Some(&expected));
    step.next
}

fn points(state: &State) -> Vec<i64> {
    state.outcome().unwrap().standings.iter().map(|standing| standing.points).collect()
}

fn ranks(state: &State) -> Vec<u8> {
    state.outcome().unwrap().standings.iter().map(|standing| standing.rank).collect()
}

fn winners(state: &State) -> Vec<u8> {
    state.outcome().unwrap().winners.iter().map(|seat| seat.0).collect()
}

#[test]
fn cc_20_the_highest_card_of_each_suit_scores() {
    let state = ended(Table::of(3).hold(0, "key 2, key 5, siren 4, siren 9, siren 6").hold(1, "map 7, net 7"));
    assert_eq!(points(&state), [14, 14, 0]);
}

#[test]
fn cc_20_most_points_win_then_most_cards_then_all_who_are_equal() {
    let state = ended(Table::of(3).hold(0, "key 5").hold(1, "key 6").hold(2, "map 4, map 2"));
    assert_eq!((ranks(&state), winners(&state)), ([2, 1, 3].to_vec(), [1].to_vec()));
    let state = ended(Table::of(3).hold(0, "key 5").hold(1, "map 5, map 3").hold(2, "net 2, siren 4"));
    assert_eq!((ranks(&state), winners(&state)), ([3, 2, 1].to_vec(), [2].to_vec()));
    let state = ended(Table::of(4).hold(0, "key 5").hold(1, "map 5").hold(2, "net 2").hold(3, "anchor 5"));
    assert_eq!((ranks(&state), winners(&state)), ([1, 1, 4, 1].to_vec(), [0, 1, 3].to_vec()));
    let state = ended(Table::of(2));
    assert_eq!((ranks(&state), winners(&state)), ([1, 1].to_vec(), [0, 1].to_vec()), "nobody has anything");
}

#[test]
fn cc_20_there_is_no_outcome_before_the_end() {
    let state = Table::of(2).hold(0, "key 5").ready();
    assert_eq!(state.outcome(), None);
    assert_eq!(state.to_act(), SeatSet::only(Seat(0)));
    let over = Table::of(2).hold(0, "key 5").over().ready();
    assert!(over.outcome().is_some() && over.to_act().is_empty());
    assert_eq!(over.phase, Phase::Over);
}

#[test]
fn cc_d1_a_scoring_siren_is_worth_5_more() {
    let scales = |table: Table| table.diver(0, Diver::GoldenScales);
    let state = ended(scales(Table::of(2)).hold(0, "siren 4, siren 8, key 2").hold(1, "siren 9, key 7"));
    assert_eq!(points(&state), [15, 16], "one siren scores, and only the owner's is golden");
    assert_eq!(points(&ended(scales(Table::of(2)).hold(0, "key 2"))), [2, 0]);
    let piled = scales(Table::of(2)).variant(Variant::PileOfTreasure).hold(0, "siren 4, siren 8, key 2");
    assert_eq!(points(&ended(piled)), [24, 0], "every siren scores");
}

#[test]
fn cc_v2_every_card_of_the_hold_scores() {
    let table = Table::of(2).variant(Variant::PileOfTreasure).hold(0, "key 2, key 5, siren 4").hold(1, "siren 9");
    assert_eq!(points(&ended(table)), [11, 9]);
}

#[test]
fn cc_v4_each_missing_suit_costs_5() {
    let all = "anchor 2, squid 2, map 2, key 2, chest 2, knife 2, drone 2, net 2, harpoon 2, siren 4";
    let table = Table::of(3).variant(Variant::AllHandsOnDeck).hold(0, all).hold(1, "key 7, key 6, siren 9");
    let state = ended(table);
    assert_eq!(points(&state), [22, 16 - 40, -50]);
    assert_eq!(ranks(&state), [1, 2, 3]);
    let golden = Table::of(2).variant(Variant::AllHandsOnDeck).diver(0, Diver::GoldenScales).hold(0, "siren 9");
    assert_eq!(points(&ended(golden)), [14 - 45, -50]);
}

const SIXTY: &str = "anchor 7, squid 7, map 7, key 7, chest 7, knife 7, drone 7, net 7, siren 4";

#[test]
fn cc_v6_who_has_60_or_more_cannot_win() {
    let waves = || Table::of(3).variant(Variant::BeneathTheWaves).hold(0, SIXTY);
    let state = ended(waves().hold(1, "key 4").hold(2, "map 3"));
    assert_eq!((points(&state), winners(&state)), ([60, 4, 3].to_vec(), [1].to_vec()));
    assert_eq!(ranks(&state), [3, 1, 2]);
    // One point less, and the first player wins.
    let fifty_nine = SIXTY.replace("net 7", "net 6");
    let state = ended(Table::of(2).variant(Variant::BeneathTheWaves).hold(0, &fifty_nine).hold(1, "map 3"));
    assert_eq!((points(&state), winners(&state)), ([59, 3].to_vec(), [0].to_vec()));
    // The tie-break holds among those who can win.
    let state = ended(waves().hold(1, "key 4").hold(2, "map 4, map 3"));
    assert_eq!((ranks(&state), winners(&state)), ([3, 2, 1].to_vec(), [2].to_vec()));
}

#[test]
fn cc_v6_nobody_wins_if_nobody_is_below_60() {
    let other = "anchor 6, squid 6, map 6, key 6, chest 6, knife 6, drone 6, net 6, harpoon 7, siren 9";
    let state = ended(Table::of(2).variant(Variant::BeneathTheWaves).hold(0, SIXTY).hold(1, other));
    assert_eq!((points(&state), winners(&state)), ([60, 64].to_vec(), [].to_vec()));
    assert_eq!(ranks(&state), [2, 1]);
}

#[test]
fn cc_v6_golden_scales_count() {
    let table = Table::of(2).variant(Variant::BeneathTheWaves).diver(0, Diver::GoldenScales);
    let state = ended(table.hold(0, &SIXTY.replace("net 7, ", "")).hold(1, "key 3"));
    assert_eq!((points(&state), winners(&state)), ([58, 3].to_vec(), [0].to_vec()));
    let table = Table::of(2).variant(Variant::BeneathTheWaves).diver(0, Diver::GoldenScales);
    let state = ended(table.hold(0, &SIXTY.replace("net 7, siren 4", "siren 6")).hold(1, "key 3"));
    assert_eq!((points(&state), winners(&state)), ([60, 3].to_vec(), [1].to_vec()));
}
