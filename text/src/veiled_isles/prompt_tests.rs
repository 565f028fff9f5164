//! Each phase with its question and the words to choose from.

use divelog_proto::games::veiled_isles::v1::{Deck, PlayedIsland};

use super::super::fixtures::{self, deck, island, lifted, treasure};
use super::*;

fn player(seat: u32, colour: Colour, number: u32) -> Player {
    Player { played: Some(lifted(colour, number, 0)), ..fixtures::player(seat, 5) }
}

fn view_in(phase: Phase) -> View {
    View {
        phase: phase.into(),
        turn: Some(0),
        supply: 9,
        decks: vec![
            deck(Deck::RedBlue, Some(treasure(Colour::Red, 4)), 9),
            deck(Deck::GreenPurple, Some(treasure(Colour::Purple, 1)), 9),
        ],
        players: vec![player(0, Colour::Red, 9), player(1, Colour::Red, 3), player(2, Colour::Blue, 5)],
        ..Default::default()
    }
}

fn say(view: &View) -> String {
    question(view, false, &Seating::new(["Ana", "Ben", ""]), Screen::plain(100))
}

#[test]
fn playing() {
    let mut view = view_in(Phase::Play);
    assert_eq!(say(&view), "Ana (seat 0) is to play an island:\n  play ISLAND sea|coast (the half left open)");
    view.players[0].bonus = 4;
    assert_eq!(
        say(&view),
        "Ana (seat 0) is to play an island:\n  \
         play ISLAND sea|coast [0-4] (the half left open, bonus cards; number and bonus 12 at most)"
    );
}

#[test]
fn passing() {
    let mut view = view_in(Phase::Pass);
    view.turn = None;
    // Two of green and of purple: the highest of either.
    view.players[0].hand = vec![
        island(Colour::Red, 12),
        island(Colour::Green, 2),
        island(Colour::Green, 7),
        island(Colour::Purple, 3),
        island(Colour::Purple, 4),
    ];
    view.players[1].has_passed = true;
    let expected = "\
Ana (seat 0), seat 2 are to pass the highest island of the colour of which they hold the most to the
right neighbour:
  #0: pass green-7 or pass purple-4";
    assert_eq!(say(&view), expected);
    assert_eq!(seats(&view, false), [0, 2]);
    assert_eq!(seats(&view, true), [0u32; 0]);
}

#[test]
fn treasures() {
    let mut view = view_in(Phase::Treasure);
    let task = "Ana (seat 0) is to take a treasure for having won red:\n  take (red=4)";
    // Neither a treasure of another colour nor that of a player of another colour can be stolen.
    view.players[1].treasures = vec![treasure(Colour::Red, 5), treasure(Colour::Green, 2)];
    view.players[2].treasures = vec![treasure(Colour::Red, 3)];
    assert_eq!(say(&view), task);
    view.players[1].treasures.pop();
    assert_eq!(say(&view), format!("{task}\n  steal 1 (red=5)"));
}

#[test]
fn actions() {
    let mut rich = view_in(Phase::StealBonus);
    rich.players[2].bonus = 2;
    let mut give = view_in(Phase::GiveBack);
    (give.give_back_to, give.give_back_count) = (Some(1), Some(2));
    let mut reorder = view_in(Phase::Reorder);
    reorder.peeked_deck = Some(Deck::GreenPurple.into());
    let mut take = view_in(Phase::TakePlayed);
    take.players[1].played = take.players[1].played.map(|played| PlayedIsland { taken: true, ..played });
    let cases = [
        (rich, "steal 2 bonus cards (A1):\n  steal-bonus 2 (has 2)"),
        (view_in(Phase::StealBonus), "steal 2 bonus cards (A1):\n  draw-bonus (2 from the supply)"),
        (view_in(Phase::SwapWith), "choose whose islands to take at random (A2):\n  swap 1\n  swap 2"),
        (give, "give 2 islands to Ben (seat 1) (A2):\n  give ISLAND ISLAND"),
        (view_in(Phase::PeekDeck), "choose a deck to look at (A3):\n  peek red-blue\n  peek green-purple"),
        (
            reorder,
            "put the top of the green/purple deck back in any order (A3):\n  \
             reorder 0 1 2 (places as they are now; name them with the new top first)",
        ),
        (take, "take an island of this trick (A4):\n  take-played 0 (red-9)\n  take-played 2 (blue-5)"),
        (view_in(Phase::DiscardIsland), "discard an island (A4):\n  discard ISLAND"),
    ];
    for (view, task) in cases {
        assert_eq!(say(&view), format!("Ana (seat 0) is to {task}"));
    }
}

#[test]
fn nobody_is_asked() {
    let over = View { phase: Phase::Over.into(), turn: None, ..view_in(Phase::Over) };
    assert_eq!(say(&over), "The game is over.");
    let abandoned = question(&view_in(Phase::Play), true, &Seating::default(), Screen::plain(100));
    assert_eq!(abandoned, "The game is abandoned.");
}

#[test]
fn a_phase_from_the_future_points_to_the_list() {
    let view = View { phase: 99, ..view_in(Phase::Play) };
    assert_eq!(say(&view), "Ana (seat 0) is to do what this client does not know: `divelog game legal` lists it.");
}
