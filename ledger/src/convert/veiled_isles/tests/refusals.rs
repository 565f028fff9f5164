//! Input that cannot be read: each with the sentence that says why.

use pb::action::Action as Wire;

use super::*;

fn refusal(action: Wire) -> String {
    action_from_proto(&pb::Action { action: Some(action) }).unwrap_err()
}

#[test]
fn an_empty_action() {
    let sentence = action_from_proto(&pb::Action::default()).unwrap_err();
    assert_eq!(
        sentence,
        "the veiled_isles action is empty: pass, play, take_treasure, steal_treasure, steal_bonus, draw_bonus, \
         swap_with, give_back, peek_deck, reorder, take_played or discard_island is expected"
    );
}

#[test]
fn islands() {
    let cases = [
        (None, "is missing: an island with a colour and a number from 1 to 12 is expected"),
        (Some(wire_island(pb::Colour::Unspecified, 8)), ".colour is not set: red, blue, green or purple is expected"),
        (
            Some(pb::Island { colour: 5, number: 8 }),
            ".colour has the unknown value 5: red, blue, green or purple is expected",
        ),
        (
            Some(pb::Island { colour: -1, number: 8 }),
            ".colour has the unknown value -1: red, blue, green or purple is expected",
        ),
        (Some(wire_island(pb::Colour::Red, 0)), ".number is 0: a number from 1 to 12 is expected"),
        (Some(wire_island(pb::Colour::Red, 13)), ".number is 13: a number from 1 to 12 is expected"),
        // 257 would be 1 if it were cut to a byte.
        (Some(wire_island(pb::Colour::Red, 257)), ".number is 257: a number from 1 to 12 is expected"),
        (Some(wire_island(pb::Colour::Red, u32::MAX)), ".number is 4294967295: a number from 1 to 12 is expected"),
    ];
    for (island, sentence) in cases {
        let gap = if island.is_none() { " " } else { "" };
        let in_field = |field: &str| format!("{field}{gap}{sentence}");
        assert_eq!(refusal(Wire::Pass(pb::Pass { island })), in_field("pass.island"));
        let play = pb::Play { island, show: pb::Half::Sea.into(), bonus: 0 };
        assert_eq!(refusal(Wire::Play(play)), in_field("play.island"));
        assert_eq!(refusal(Wire::DiscardIsland(pb::DiscardIsland { island })), in_field("discard_island.island"));
        if let Some(island) = island {
            let islands = vec![wire_island(pb::Colour::Blue, 1), island];
            assert_eq!(refusal(Wire::GiveBack(pb::GiveBack { islands })), in_field("give_back.islands[1]"));
        }
    }
}

#[test]
fn halves_and_decks() {
    let play = |show| Wire::Play(pb::Play { island: Some(wire_island(pb::Colour::Red, 8)), show, bonus: 0 });
    let peek = |deck| Wire::PeekDeck(pb::PeekDeck { deck });
    let cases = [
        (play(0), "play.show is not set: sea or coast, the half left open, is expected"),
        (play(3), "play.show has the unknown value 3: sea or coast, the half left open, is expected"),
        (peek(0), "peek_deck.deck is not set: single (three players), red_blue or green_purple is expected"),
        (
            peek(4),
            "peek_deck.deck has the unknown value 4: single (three players), red_blue or green_purple is expected",
        ),
    ];
    for (action, sentence) in cases {
        assert_eq!(refusal(action), sentence);
    }
}

#[test]
fn seats_that_are_no_seats_anywhere() {
    // 256 would be seat 0 if it were cut to a byte.
    for seat in [256, u32::MAX] {
        let cases = [
            (Wire::StealTreasure(pb::StealTreasure { seat }), "steal_treasure.seat"),
            (Wire::StealBonus(pb::StealBonus { seat }), "steal_bonus.seat"),
            (Wire::SwapWith(pb::SwapWith { seat }), "swap_with.seat"),
            (Wire::TakePlayed(pb::TakePlayed { seat }), "take_played.seat"),
        ];
        for (action, field) in cases {
            assert_eq!(refusal(action), format!("{field} is {seat}: a seat from 0 to 4 is expected"));
        }
    }
}

#[test]
fn options() {
    let red_blue = pb::Options { red_blue_action: 5, ..Default::default() };
    let green_purple = pb::Options { green_purple_action: -3, ..Default::default() };
    let cases = [
        (red_blue, "red_blue_action has the unknown value 5: A1, A2, A3 or A4 is expected"),
        (green_purple, "green_purple_action has the unknown value -3: A1, A2, A3 or A4 is expected"),
    ];
    for (options, sentence) in cases {
        assert_eq!(options_from_proto(&options).unwrap_err(), sentence);
    }
}
