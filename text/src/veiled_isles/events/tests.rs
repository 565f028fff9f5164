//! Each event with its sentence, with and without what may be hidden.

use divelog_proto::games::veiled_isles::v1::{
    ActionActivated, ActionSkipped, BonusDrawn, BonusStolen, Colour, Deck, DeckPeeked, DeckShuffled, HandDealt,
    IslandDiscarded, IslandPassed, IslandsGivenBack, IslandsShuffled, IslandsTaken, PassChosen, RoundStarted,
    SailsLifted, Score, TreasurePutUnder, TreasureStolen, TreasureTaken, TreasureTurnedUp, TrickStarted, VeiledIsland,
};

use super::super::fixtures::{island, treasure};
use super::*;

fn describe(event: Event, lang: Lang) -> String {
    let seating = Seating::new(["Ana", ""]);
    sentence(&Message { event: Some(event) }, &seating, lang).unwrap()
}

fn check<const N: usize>(cases: [(Event, &str); N]) {
    for (event, text) in cases {
        assert_eq!(describe(event, Lang::En), text);
    }
}

const RED_BLUE: i32 = Deck::RedBlue as i32;

fn red_8() -> Island {
    island(Colour::Red, 8)
}

fn red_4() -> Option<Treasure> {
    Some(treasure(Colour::Red, 4))
}

fn played(colour: Option<Colour>, number: Option<u32>, show: Half, bonus: u32) -> Event {
    let island = Some(VeiledIsland { colour: colour.map(i32::from), number });
    Event::IslandPlayed(IslandPlayed { seat: 0, island, show: show.into(), bonus })
}

#[test]
fn the_set_up() {
    let hands = vec![red_8(), island(Colour::Blue, 2)];
    let order = vec![treasure(Colour::Red, 4), treasure(Colour::Blue, 1)];
    check([
        (
            Event::DeckShuffled(DeckShuffled { deck: RED_BLUE, size: 16, order: vec![] }),
            "The red/blue deck of 16 cards is shuffled.",
        ),
        (
            Event::DeckShuffled(DeckShuffled { deck: Deck::Single.into(), size: 2, order }),
            "The treasure deck of 2 cards is shuffled: red=4 blue=1 (top first).",
        ),
        (
            Event::TreasureTurnedUp(TreasureTurnedUp { deck: RED_BLUE, treasure: red_4() }),
            "A red treasure worth 4 is turned up on the red/blue deck.",
        ),
        (Event::IslandsShuffled(IslandsShuffled { order: vec![] }), "The islands are shuffled."),
        (Event::IslandsShuffled(IslandsShuffled { order: hands.clone() }), "The islands are shuffled: red-8, blue-2."),
        (Event::HandDealt(HandDealt { seat: 1, count: 12, islands: vec![] }), "seat 1 is dealt 12 islands."),
        (
            Event::HandDealt(HandDealt { seat: 0, count: 2, islands: hands.clone() }),
            "Ana (seat 0) is dealt 2 islands: red-8, blue-2.",
        ),
        (Event::IslandsSetAside(IslandsSetAside { count: 0, islands: vec![] }), "No islands are left to set aside."),
        (Event::IslandsSetAside(IslandsSetAside { count: 3, islands: vec![] }), "3 islands are set aside unseen."),
        (
            Event::IslandsSetAside(IslandsSetAside { count: 2, islands: hands }),
            "2 islands are set aside unseen: red-8, blue-2.",
        ),
        (
            Event::RoundStarted(RoundStarted { round: 1, first_seat: 0 }),
            "Round 1 begins; Ana (seat 0) is first player.",
        ),
        (Event::PassChosen(PassChosen { seat: 0, island: None }), "Ana (seat 0) chooses an island to pass."),
        (Event::PassChosen(PassChosen { seat: 0, island: Some(red_8()) }), "Ana (seat 0) chooses red-8 to pass."),
        (
            Event::IslandPassed(IslandPassed { from: 0, to: 2, island: None }),
            "Ana (seat 0) passes an island to seat 2.",
        ),
        (
            Event::IslandPassed(IslandPassed { from: 1, to: 0, island: Some(red_8()) }),
            "seat 1 passes red-8 to Ana (seat 0).",
        ),
    ]);
}

#[test]
fn a_trick() {
    let lifted = vec![
        LiftedIsland { seat: 1, island: Some(red_8()), bonus: 1, value: 9 },
        LiftedIsland { seat: 0, island: Some(island(Colour::Blue, 3)), bonus: 0, value: 3 },
    ];
    let merged = ColourWon {
        colours: vec![Colour::Green.into(), Colour::Purple.into()],
        islands: 2,
        winner: 0,
        value: 9,
        lowest: Some(1),
        prize: Some(colour_won::Prize::Action(ActionCard::A3.into())),
    };
    let alone = ColourWon {
        colours: vec![Colour::Red.into()],
        islands: 1,
        lowest: None,
        prize: Some(colour_won::Prize::Treasure(RED_BLUE)),
        ..merged.clone()
    };
    check([
        (Event::TrickStarted(TrickStarted { trick: 3, first_seat: 1 }), "Trick 3 begins; seat 1 plays first."),
        (
            played(Some(Colour::Red), None, Half::Sea, 2),
            "Ana (seat 0) plays a red island with a sail over the coast, and 2 bonus cards.",
        ),
        (played(None, Some(8), Half::Coast, 0), "Ana (seat 0) plays an island numbered 8 with a sail over the sea."),
        (
            played(Some(Colour::Red), Some(8), Half::Sea, 1),
            "Ana (seat 0) plays red-8 with a sail over the coast, and 1 bonus card.",
        ),
        (played(Some(Colour::Red), Some(8), Half::Coast, 0), "Ana (seat 0) plays red-8 with a sail over the sea."),
        (
            Event::SailsLifted(SailsLifted { islands: lifted }),
            "The sails are lifted: seat 1 red-8 +1 = 9, Ana (seat 0) blue-3.",
        ),
        (Event::ColourWon(merged), "Ana (seat 0) wins green/purple with 9, for action A3; seat 1 is the lowest of 2."),
        (Event::ColourWon(alone), "Ana (seat 0) wins red with 9, for a treasure."),
        (
            Event::TreasureTaken(TreasureTaken { seat: 0, deck: RED_BLUE, treasure: red_4() }),
            "Ana (seat 0) takes the red treasure worth 4 from the red/blue deck.",
        ),
        (
            Event::TreasureStolen(TreasureStolen { seat: 0, from: 1, treasure: red_4() }),
            "Ana (seat 0) steals the red treasure worth 4 from seat 1.",
        ),
        (Event::BonusTaken(BonusTaken { seat: 1, due: 3, taken: 3 }), "seat 1 takes 3 bonus cards."),
        (
            Event::BonusTaken(BonusTaken { seat: 1, due: 3, taken: 1 }),
            "seat 1 takes 1 bonus card: 3 due, but the supply has no more.",
        ),
        (
            Event::TreasurePutUnder(TreasurePutUnder { deck: RED_BLUE, treasure: red_4() }),
            "The red treasure worth 4 goes under the red/blue deck.",
        ),
        (
            Event::TrickCleared(TrickCleared {
                islands: vec![red_8(), island(Colour::Blue, 3)],
                bonus: 1,
                first_seat: 0,
            }),
            "The trick is over: red-8, blue-3 are discarded and 1 bonus card goes back to the supply; Ana (seat 0) \
             becomes first player.",
        ),
        (
            Event::TrickCleared(TrickCleared { islands: vec![red_8()], bonus: 0, first_seat: 1 }),
            "The trick is over: red-8 is discarded; seat 1 becomes first player.",
        ),
    ]);
}

#[test]
fn actions() {
    let islands = vec![red_8(), island(Colour::Blue, 2)];
    let a2 = ActionCard::A2.into();
    check([
        (
            Event::ActionActivated(ActionActivated { seat: 0, action: a2 }),
            "Ana (seat 0) activates action A2: take 2 islands at random from a player's hand and give 2 back.",
        ),
        (
            Event::ActionSkipped(ActionSkipped { seat: 0, action: a2 }),
            "Ana (seat 0) has won action A2, but it can do nothing and is skipped.",
        ),
        (
            Event::BonusStolen(BonusStolen { seat: 0, from: 1, count: 2 }),
            "Ana (seat 0) steals 2 bonus cards from seat 1.",
        ),
        (Event::BonusDrawn(BonusDrawn { seat: 0, count: 1 }), "Ana (seat 0) draws 1 bonus card from the supply."),
        (
            Event::IslandsTaken(IslandsTaken { seat: 0, from: 1, count: 2, islands: vec![] }),
            "Ana (seat 0) takes 2 islands at random from seat 1.",
        ),
        (
            Event::IslandsTaken(IslandsTaken { seat: 0, from: 1, count: 2, islands: islands.clone() }),
            "Ana (seat 0) takes 2 islands at random from seat 1: red-8, blue-2.",
        ),
        (
            Event::IslandsGivenBack(IslandsGivenBack { seat: 0, to: 1, count: 1, islands: vec![] }),
            "Ana (seat 0) gives 1 island to seat 1.",
        ),
        (
            Event::IslandsGivenBack(IslandsGivenBack { seat: 0, to: 1, count: 2, islands }),
            "Ana (seat 0) gives 2 islands to seat 1: red-8, blue-2.",
        ),
        (
            Event::DeckPeeked(DeckPeeked { seat: 0, deck: RED_BLUE, treasures: vec![] }),
            "Ana (seat 0) looks at the top face-down treasures of the red/blue deck.",
        ),
        (
            Event::DeckPeeked(DeckPeeked { seat: 0, deck: RED_BLUE, treasures: vec![treasure(Colour::Blue, 5); 2] }),
            "Ana (seat 0) looks at the top face-down treasures of the red/blue deck: blue=5 blue=5 (top first).",
        ),
        (
            Event::DeckReordered(DeckReordered { seat: 0, deck: RED_BLUE, order: vec![] }),
            "Ana (seat 0) puts them back on the red/blue deck.",
        ),
        (
            Event::DeckReordered(DeckReordered { seat: 0, deck: RED_BLUE, order: vec![2, 0, 1] }),
            "Ana (seat 0) puts them back on the red/blue deck: old places 2 0 1, the new top first.",
        ),
        (
            Event::PlayedTaken(PlayedTaken { seat: 0, from: 1, island: Some(red_8()) }),
            "Ana (seat 0) takes red-8 of seat 1 into the hand.",
        ),
        (
            Event::PlayedTaken(PlayedTaken { seat: 0, from: 0, island: Some(red_8()) }),
            "Ana (seat 0) takes red-8 back into the hand.",
        ),
        (Event::IslandDiscarded(IslandDiscarded { seat: 0, island: Some(red_8()) }), "Ana (seat 0) discards red-8."),
    ]);
}

#[test]
fn ends() {
    let scores = vec![
        Score { seat: 0, treasure_points: 13, bonus_points: 1 },
        Score { seat: 1, treasure_points: 9, bonus_points: 0 },
    ];
    check([
        (
            Event::RoundScored(RoundScored { round: 1, scores }),
            "Round 1 is scored: Ana (seat 0) 14 (13 treasure + 1 bonus), seat 1 9 (9 treasure + 0 bonus).",
        ),
        (
            Event::GameEnded(GameEnded { totals: vec![30, 12], winners: vec![0] }),
            "The game is over: Ana (seat 0) 30, seat 1 12. Ana (seat 0) wins.",
        ),
        (
            Event::GameEnded(GameEnded { totals: vec![9, 9], winners: vec![0, 1] }),
            "The game is over: Ana (seat 0) 9, seat 1 9. Ana (seat 0), seat 1 share the win.",
        ),
    ]);
}

#[test]
fn french_names_stand_beside_the_english_ones() {
    let cases = [
        (
            played(Some(Colour::Red), Some(8), Half::Sea, 1),
            "Ana (seat 0) plays red-8 (8 rouge) with a sail (Voile) over the coast (Côte), and 1 bonus card (Bonus).",
        ),
        (
            played(Some(Colour::Purple), None, Half::Sea, 0),
            "Ana (seat 0) plays a purple (violet) island with a sail (Voile) over the coast (Côte).",
        ),
        (
            Event::TreasureTaken(TreasureTaken { seat: 0, deck: RED_BLUE, treasure: red_4() }),
            "Ana (seat 0) takes the red treasure worth 4 (Trésor rouge 4) from the red/blue deck (paquet rouge/bleu).",
        ),
        (
            Event::IslandPassed(IslandPassed { from: 0, to: 1, island: None }),
            "Ana (seat 0) passes an island (Île) to seat 1.",
        ),
    ];
    for (event, text) in cases {
        assert_eq!(describe(event, Lang::Fr), text);
    }
}

#[test]
fn an_event_newer_than_this_client_has_no_sentence() {
    assert_eq!(sentence(&Message { event: None }, &Seating::default(), Lang::En), None);
}

#[test]
fn events_with_parts_missing_or_unknown_are_still_described() {
    check([
        (Event::IslandPlayed(IslandPlayed::default()), "Ana (seat 0) plays an island under a sail."),
        (Event::ColourWon(ColourWon::default()), "Ana (seat 0) wins ? with 0, for ?."),
        (
            Event::TreasureTaken(TreasureTaken { seat: u32::MAX, deck: 99, treasure: None }),
            "seat 4294967295 takes the treasure from the deck unknown to this client.",
        ),
        (
            Event::ActionActivated(ActionActivated { seat: 0, action: 9 }),
            "Ana (seat 0) activates action ?: (unknown to this client).",
        ),
        (
            Event::RoundScored(RoundScored {
                round: 1,
                scores: vec![Score { seat: 0, treasure_points: u32::MAX, bonus_points: 1 }],
            }),
            "Round 1 is scored: Ana (seat 0) 4294967295 (4294967295 treasure + 1 bonus).",
        ),
    ]);
}
