//! Offers, events and views for the wire: everything seen is written, and what is hidden is absent.

use divelog_engine::{
    Seat, SeatSet,
    veiled_isles::{
        Action, ActionCard, ColourSet, ColourWon, Deck, DeckView, Event, Offer, Phase, PlayedView, PlayerView, Prize,
        Treasure, VeiledIsland, View,
    },
};
use pb::event::Event as Wire;

use super::*;

const RED_4: Treasure = Treasure { colour: Colour::Red, points: 4 };

fn wire_red_4() -> pb::Treasure {
    pb::Treasure { colour: pb::Colour::Red.into(), points: 4 }
}

fn wire(event: Event) -> Wire {
    event_to_proto(&event).event.unwrap()
}

#[test]
fn offers_are_single_or_families() {
    use pb::legal_action::LegalAction;
    let (red_8, blue_2) = (island(Colour::Red, 8), island(Colour::Blue, 2));
    let cases = [
        (
            Offer::Single(Action::DrawBonus),
            LegalAction::Action(pb::Action { action: Some(pb::action::Action::DrawBonus(pb::DrawBonus {})) }),
        ),
        (
            Offer::Play { island: red_8, max_bonus: 3 },
            LegalAction::PlayFamily(pb::PlayFamily { island: Some(wire_island(pb::Colour::Red, 8)), max_bonus: 3 }),
        ),
        (
            Offer::GiveBack { islands: [blue_2, red_8].into_iter().collect(), count: 2 },
            LegalAction::GiveBackFamily(pb::GiveBackFamily {
                islands: vec![wire_island(pb::Colour::Red, 8), wire_island(pb::Colour::Blue, 2)],
                count: 2,
            }),
        ),
    ];
    for (offer, legal) in cases {
        assert_eq!(offer_to_proto(&offer).legal_action, Some(legal));
    }
}

#[test]
fn hidden_cards_are_absent_from_events() {
    let (seat, from, to) = (Seat(0), Seat(0), Seat(1));
    let deck = Deck::RedBlue;
    let wire_deck = pb::Deck::RedBlue.into();
    let cases = [
        (
            Event::DeckShuffled { deck, size: 16, order: None },
            Wire::DeckShuffled(pb::DeckShuffled { deck: wire_deck, size: 16, order: vec![] }),
        ),
        (Event::IslandsShuffled { order: None }, Wire::IslandsShuffled(pb::IslandsShuffled { order: vec![] })),
        (
            Event::HandDealt { seat, count: 12, islands: None },
            Wire::HandDealt(pb::HandDealt { seat: 0, count: 12, islands: vec![] }),
        ),
        (Event::PassChosen { seat, island: None }, Wire::PassChosen(pb::PassChosen { seat: 0, island: None })),
        (
            Event::IslandPassed { from, to, island: None },
            Wire::IslandPassed(pb::IslandPassed { from: 0, to: 1, island: None }),
        ),
        (
            Event::IslandPlayed {
                seat,
                island: VeiledIsland { colour: None, number: Some(8) },
                show: Half::Coast,
                bonus: 2,
            },
            Wire::IslandPlayed(pb::IslandPlayed {
                seat: 0,
                island: Some(pb::VeiledIsland { colour: None, number: Some(8) }),
                show: pb::Half::Coast.into(),
                bonus: 2,
            }),
        ),
        (
            Event::DeckPeeked { seat, deck, treasures: None },
            Wire::DeckPeeked(pb::DeckPeeked { seat: 0, deck: wire_deck, treasures: vec![] }),
        ),
        (
            Event::DeckReordered { seat, deck, order: None },
            Wire::DeckReordered(pb::DeckReordered { seat: 0, deck: wire_deck, order: vec![] }),
        ),
    ];
    for (event, expected) in cases {
        assert_eq!(wire(event), expected);
    }
}

#[test]
fn seen_cards_are_written() {
    let deck = Deck::Single;
    let cases = [
        (
            Event::DeckPeeked { seat: Seat(2), deck, treasures: Some(vec![RED_4; 3]) },
            Wire::DeckPeeked(pb::DeckPeeked {
                seat: 2,
                deck: pb::Deck::Single.into(),
                treasures: vec![wire_red_4(); 3],
            }),
        ),
        (
            Event::DeckReordered { seat: Seat(2), deck, order: Some(vec![2, 0, 1]) },
            Wire::DeckReordered(pb::DeckReordered { seat: 2, deck: pb::Deck::Single.into(), order: vec![2, 0, 1] }),
        ),
        (
            Event::IslandsTaken {
                seat: Seat(1),
                from: Seat(2),
                count: 1,
                islands: Some(vec![island(Colour::Purple, 12)]),
            },
            Wire::IslandsTaken(pb::IslandsTaken {
                seat: 1,
                from: 2,
                count: 1,
                islands: vec![wire_island(pb::Colour::Purple, 12)],
            }),
        ),
        (
            Event::ColourWon(ColourWon {
                colours: [Colour::Purple, Colour::Green].into_iter().collect(),
                islands: 2,
                winner: Seat(2),
                value: 9,
                lowest: Some(Seat(1)),
                prize: Prize::Action(ActionCard::A3),
            }),
            Wire::ColourWon(pb::ColourWon {
                colours: vec![pb::Colour::Green.into(), pb::Colour::Purple.into()],
                islands: 2,
                winner: 2,
                value: 9,
                lowest: Some(1),
                prize: Some(pb::colour_won::Prize::Action(pb::ActionCard::A3.into())),
            }),
        ),
        (
            Event::GameEnded { totals: vec![30, 31, 31], winners: SeatSet::only(Seat(1)).with(Seat(2)) },
            Wire::GameEnded(pb::GameEnded { totals: vec![30, 31, 31], winners: vec![1, 2] }),
        ),
    ];
    for (event, expected) in cases {
        assert_eq!(wire(event), expected);
    }
}

fn view(phase: Phase) -> View {
    let player = PlayerView {
        seat: Seat(1),
        hand_size: 11,
        hand: None,
        has_passed: false,
        passing: None,
        treasures: vec![RED_4],
        bonus: 3,
        played: Some(PlayedView {
            island: VeiledIsland { colour: Some(Colour::Green), number: None },
            show: Half::Sea,
            bonus: 1,
            veiled: true,
            taken: false,
        }),
        scores: vec![17],
        points: 5,
    };
    View {
        round: 2,
        trick: 3,
        phase,
        turn: Some(Seat(1)),
        first_seat: Seat(2),
        red_blue_action: ActionCard::A4,
        green_purple_action: ActionCard::A2,
        treasure_values: [1, 2, 2, 3, 3, 4, 4, 5],
        decks: vec![DeckView { deck: Deck::Single, turned_up: None, face_down_size: 18, face_down: None }],
        supply: 18,
        players: vec![player],
        discarded: vec![island(Colour::Blue, 1)],
        set_aside_size: 12,
        set_aside: None,
        prize_colours: ColourSet::EMPTY,
        colours_won: vec![],
        peeked: None,
    }
}

#[test]
fn a_view_with_what_is_hidden_left_out() {
    let player = pb::Player {
        seat: 1,
        hand_size: 11,
        treasures: vec![wire_red_4()],
        bonus: 3,
        played: Some(pb::PlayedIsland {
            island: Some(pb::VeiledIsland { colour: Some(pb::Colour::Green.into()), number: None }),
            show: pb::Half::Sea.into(),
            bonus: 1,
            veiled: true,
            taken: false,
        }),
        scores: vec![17],
        points: 5,
        ..Default::default()
    };
    let expected = pb::View {
        round: 2,
        trick: 3,
        phase: pb::Phase::Play.into(),
        turn: Some(1),
        first_seat: 2,
        red_blue_action: pb::ActionCard::A4.into(),
        green_purple_action: pb::ActionCard::A2.into(),
        treasure_values: vec![1, 2, 2, 3, 3, 4, 4, 5],
        decks: vec![pb::TreasureDeck {
            deck: pb::Deck::Single.into(),
            turned_up: None,
            face_down_size: 18,
            face_down: vec![],
        }],
        supply: 18,
        players: vec![player],
        discarded: vec![wire_island(pb::Colour::Blue, 1)],
        set_aside_size: 12,
        ..Default::default()
    };
    assert_eq!(view_to_proto(&view(Phase::Play)), expected);
}

#[test]
fn what_a_phase_knows_is_in_the_view() {
    let give_back = view_to_proto(&view(Phase::GiveBack { to: Seat(0), count: 2 }));
    assert_eq!(give_back.phase(), pb::Phase::GiveBack);
    assert_eq!((give_back.give_back_to, give_back.give_back_count), (Some(0), Some(2)));
    assert_eq!(give_back.peeked_deck, None);

    let mut looking = view(Phase::Reorder { deck: Deck::GreenPurple });
    looking.peeked = Some(vec![RED_4]);
    let looking = view_to_proto(&looking);
    assert_eq!((looking.phase(), looking.peeked_deck()), (pb::Phase::Reorder, pb::Deck::GreenPurple));
    assert_eq!(looking.peeked, vec![wire_red_4()]);
    assert_eq!((looking.give_back_to, looking.give_back_count), (None, None));
}
