//! Each spelling, there and back, and the errors for words that mean nothing.

use divelog_proto::games::veiled_isles::v1::{GiveBackFamily, PlayFamily};

use super::super::{COLOURS, fixtures::island};
use super::*;

fn typed(text: &str) -> Result<Message, ParseError> {
    parse(&text.split_whitespace().collect::<Vec<_>>())
}

fn every_action() -> Vec<Action> {
    let mut actions = vec![Action::TakeTreasure(TakeTreasure {}), Action::DrawBonus(DrawBonus {})];
    for card in COLOURS.into_iter().flat_map(|colour| (1..=12).map(move |number| island(colour, number))) {
        actions.push(Action::Pass(Pass { island: Some(card) }));
        actions.push(Action::DiscardIsland(DiscardIsland { island: Some(card) }));
        for show in [Half::Sea, Half::Coast] {
            for bonus in [0, 1, 11, u32::MAX] {
                actions.push(Action::Play(Play { island: Some(card), show: show.into(), bonus }));
            }
        }
    }
    for seat in [0, 4, u32::MAX] {
        actions.push(Action::StealTreasure(StealTreasure { seat }));
        actions.push(Action::StealBonus(StealBonus { seat }));
        actions.push(Action::SwapWith(SwapWith { seat }));
        actions.push(Action::TakePlayed(TakePlayed { seat }));
    }
    let (red_2, blue_9) = (island(Colour::Red, 2), island(Colour::Blue, 9));
    actions.push(Action::GiveBack(GiveBack { islands: vec![red_2] }));
    actions.push(Action::GiveBack(GiveBack { islands: vec![blue_9, red_2, blue_9] }));
    for deck in [Deck::Single, Deck::RedBlue, Deck::GreenPurple] {
        actions.push(Action::PeekDeck(PeekDeck { deck: deck.into() }));
    }
    actions.push(Action::Reorder(Reorder { order: vec![2, 0, 1] }));
    actions.push(Action::Reorder(Reorder { order: vec![7] }));
    actions
}

#[test]
fn every_action_has_words_that_mean_it() {
    for action in every_action() {
        let action = Message { action: Some(action) };
        assert_eq!(typed(&of(&action)).unwrap(), action, "{}", of(&action));
    }
}

#[test]
fn each_spelling_is_understood() {
    let cases = [
        ("pass red-11", "pass red-11"),
        ("pass red 11", "pass red-11"),
        ("pass r11", "pass red-11"),
        ("pass violet-3", "pass purple-3"),
        ("play red-8 sea", "play red-8 sea"),
        ("play red8 coast 2", "play red-8 coast 2"),
        ("play b-8 number +2", "play blue-8 coast 2"),
        ("play green 8 show colour with bonus 2", "play green-8 sea 2"),
        ("play green-8 sea with 2 bonus", "play green-8 sea 2"),
        ("play green-8 côte 0", "play green-8 coast"),
        ("take", "take"),
        ("take the treasure", "take"),
        ("take-treasure", "take"),
        ("steal 2", "steal 2"),
        ("steal from #2", "steal 2"),
        ("steal treasure from seat 2", "steal 2"),
        ("steal-treasure 0", "steal 0"),
        ("steal-bonus 1", "steal-bonus 1"),
        ("steal bonus from 1", "steal-bonus 1"),
        ("draw-bonus", "draw-bonus"),
        ("draw", "draw-bonus"),
        ("draw bonus", "draw-bonus"),
        ("swap 3", "swap 3"),
        ("swap with seat 3", "swap 3"),
        ("swap-with 3", "swap 3"),
        ("give red-2 blue-9", "give red-2 blue-9"),
        ("give back red 2 and blue 9", "give red-2 blue-9"),
        ("give-back red-2,blue-9", "give red-2 blue-9"),
        ("peek red-blue", "peek red-blue"),
        ("peek red/blue", "peek red-blue"),
        ("peek red blue", "peek red-blue"),
        ("peek-deck the purple deck", "peek green-purple"),
        ("look single", "peek single"),
        ("peek", "peek single"),
        ("reorder 2 0 1", "reorder 2 0 1"),
        ("reorder 2,0,1", "reorder 2 0 1"),
        ("take-played 1", "take-played 1"),
        ("take played 1", "take-played 1"),
        ("take island from 1", "take-played 1"),
        ("discard red-4", "discard red-4"),
        ("discard-island red4", "discard red-4"),
    ];
    for (text, words) in cases {
        assert_eq!(of(&typed(text).unwrap()), words, "{text}");
    }
}

#[test]
fn other_words_list_what_is_wrong_and_possible() {
    let cases = [
        ("", "\"\" is not an action of Veiled Isles"),
        ("fly", "\"fly\" is not an action of Veiled Isles"),
        ("take 2", "\"take 2\" is not an action of Veiled Isles"),
        ("draw 2", "\"draw 2\" is not an action of Veiled Isles"),
        ("pass", "pass needs an island, such as `pass red-8`"),
        ("pass 8", "\"8\" is not an island: a colour and a number from 1 to 12, such as red-8"),
        ("pass pink-8", "\"pink-8\" is not an island: a colour and a number from 1 to 12, such as red-8"),
        ("pass red", "\"red\" is not an island: a colour and a number from 1 to 12, such as red-8"),
        ("pass red-0", "\"red-0\" is not an island: a colour and a number from 1 to 12, such as red-8"),
        ("pass red 13", "\"red 13\" is not an island: a colour and a number from 1 to 12, such as red-8"),
        ("pass red-8-9", "\"red-8-9\" is not an island: a colour and a number from 1 to 12, such as red-8"),
        (
            "pass red-99999999999",
            "\"red-99999999999\" is not an island: a colour and a number from 1 to 12, such as red-8",
        ),
        ("pass red-8 blue-9", "pass takes one island, so \"blue-9\" is too much"),
        ("play", "play needs an island and the half left open, such as `play red-8 sea`"),
        ("play red-8", "play needs an island and the half left open, such as `play red-8 sea`"),
        ("play red-8 2", "\"2\" is not a half of an island: sea or coast is to be left open"),
        ("play red-8 sea two", "\"two\" is not a number of bonus cards"),
        ("play red-8 sea -1", "\"-1\" is not a number of bonus cards"),
        ("play red-8 sea 1 2 3", "\"1 2 3\" is too much after the half left open"),
        ("steal", "steal needs a seat, such as `steal 2`"),
        ("steal Ben", "\"Ben\" is not a seat: they count from 0"),
        ("steal-bonus", "steal-bonus needs a seat, such as `steal-bonus 2`"),
        ("swap 1 2", "swap takes one seat, not \"1 2\""),
        ("take-played", "take-played needs a seat, such as `take-played 2`"),
        ("give", "give needs islands, such as `give red-8 blue-2`"),
        ("give back", "give needs islands, such as `give red-8 blue-2`"),
        ("peek yellow", "\"yellow\" is not a deck: red-blue, green-purple or, with three players, single"),
        ("reorder", "reorder needs the old places, the new top first, such as `reorder 2 0 1`"),
        ("reorder 2 top 1", "\"top\" is not a place: they count from 0"),
        ("discard", "discard needs an island, such as `discard red-8`"),
    ];
    for (text, message) in cases {
        let error = typed(text).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(matches!(error, ParseError::Words { hint, .. } if hint == POSSIBLE), "{text}");
    }
}

#[test]
fn families_say_what_can_be_typed() {
    use legal_action::LegalAction as Legal;
    let red_8 = Some(island(Colour::Red, 8));
    let give = GiveBackFamily { islands: vec![island(Colour::Red, 2), island(Colour::Blue, 9)], count: 1 };
    let take = Message { action: Some(Action::TakeTreasure(TakeTreasure {})) };
    let cases = [
        (Some(Legal::Action(take)), Some("take")),
        (Some(Legal::PlayFamily(PlayFamily { island: red_8, max_bonus: 0 })), Some("play red-8 sea|coast")),
        (Some(Legal::PlayFamily(PlayFamily { island: red_8, max_bonus: 4 })), Some("play red-8 sea|coast [0-4]")),
        (Some(Legal::GiveBackFamily(give)), Some("give: any 1 of red-2 blue-9")),
        (Some(Legal::Action(Message { action: None })), None),
        (None, None),
    ];
    for (legal_action, words) in cases {
        assert_eq!(of_legal(&LegalAction { legal_action }).as_deref(), words);
    }
}

#[test]
fn an_action_with_parts_missing_still_has_words() {
    let play = Action::Play(Play { island: None, show: 9, bonus: 0 });
    assert_eq!(of(&Message { action: Some(play) }), "play ? ?");
    assert_eq!(of(&Message { action: None }), "(nothing)");
}
