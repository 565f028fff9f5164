//! Cards and tables for tests.

use divelog_proto::games::veiled_isles::v1::{
    ActionCard, Colour, Deck, Half, Island, Phase, PlayedIsland, Player, Treasure, TreasureDeck, VeiledIsland, View,
};

use crate::Seating;

pub fn island(colour: Colour, number: u32) -> Island {
    Island { colour: colour.into(), number }
}

pub fn treasure(colour: Colour, points: u32) -> Treasure {
    Treasure { colour: colour.into(), points }
}

pub fn seating() -> Seating {
    Seating::new(["Ana", "Ben", "", "Dora"])
}

pub fn player(seat: u32, hand_size: u32) -> Player {
    Player { seat, hand_size, ..Default::default() }
}

pub fn deck(deck: Deck, turned_up: Option<Treasure>, face_down_size: u32) -> TreasureDeck {
    TreasureDeck { deck: deck.into(), turned_up, face_down_size, face_down: vec![] }
}

/// An island under a sail, as those see it who did not play it.
pub fn veiled(open: Colour, bonus: u32) -> PlayedIsland {
    let island = VeiledIsland { colour: Some(open.into()), number: None };
    PlayedIsland { island: Some(island), show: Half::Sea.into(), bonus, veiled: true, taken: false }
}

pub fn whole(colour: Colour, number: u32, show: Half) -> PlayedIsland {
    let island = VeiledIsland { colour: Some(colour.into()), number: Some(number) };
    PlayedIsland { island: Some(island), show: show.into(), veiled: true, ..Default::default() }
}

pub fn lifted(colour: Colour, number: u32, bonus: u32) -> PlayedIsland {
    PlayedIsland { veiled: false, bonus, ..whole(colour, number, Half::Sea) }
}

/// Four players in the third trick, as seat 0 sees it: seat 1 has led, seat 3 is next.
pub fn mid_trick() -> View {
    let number_open = VeiledIsland { colour: None, number: Some(8) };
    View {
        round: 1,
        trick: 3,
        phase: Phase::Play.into(),
        turn: Some(3),
        first_seat: 1,
        red_blue_action: ActionCard::A1.into(),
        green_purple_action: ActionCard::A3.into(),
        treasure_values: vec![1, 2, 2, 3, 3, 4, 4, 5],
        decks: vec![
            deck(Deck::RedBlue, Some(treasure(Colour::Red, 4)), 13),
            deck(Deck::GreenPurple, Some(treasure(Colour::Purple, 1)), 15),
        ],
        supply: 14,
        players: vec![
            Player {
                hand: vec![island(Colour::Red, 2), island(Colour::Red, 11), island(Colour::Purple, 7)],
                bonus: 2,
                ..player(0, 10)
            },
            Player {
                played: Some(veiled(Colour::Green, 2)),
                treasures: vec![treasure(Colour::Blue, 5), treasure(Colour::Red, 3)],
                points: 8,
                ..player(1, 9)
            },
            Player {
                played: Some(PlayedIsland {
                    island: Some(number_open),
                    show: Half::Coast.into(),
                    ..veiled(Colour::Red, 0)
                }),
                ..player(2, 9)
            },
            Player { bonus: 3, points: 1, ..player(3, 10) },
        ],
        discarded: vec![island(Colour::Red, 1), island(Colour::Blue, 12)],
        ..Default::default()
    }
}
