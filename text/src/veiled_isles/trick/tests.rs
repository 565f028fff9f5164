//! Tricks with literal expected text.

use divelog_proto::games::veiled_isles::v1::ColourWon;

use super::super::fixtures::{lifted, mid_trick, whole};
use super::*;

#[test]
fn what_is_under_the_own_sail_is_in_brackets() {
    let mut view = mid_trick();
    view.players[0].played = Some(whole(Colour::Purple, 7, Half::Sea));
    view.players[3].played = Some(whole(Colour::Red, 12, Half::Coast));
    let expected = "\
seat             #1           #2           #3           #0
island      green-△          △-8     (red)-12   purple-(7)
bonus            +2";
    assert_eq!(row(&view, None, Screen::plain(100)), expected);
}

#[test]
fn a_trick_that_is_resolved() {
    let mut view = mid_trick();
    view.phase = Phase::Treasure.into();
    view.players[0].played = Some(lifted(Colour::Red, 2, 0));
    view.players[1].played = Some(lifted(Colour::Red, 8, 1));
    view.players[2].played = Some(PlayedIsland { taken: true, ..lifted(Colour::Green, 8, 0) });
    view.players[3].played = Some(lifted(Colour::Red, 9, 0));
    view.colours_won = vec![
        ColourWon {
            colours: vec![Colour::Red.into()],
            islands: 3,
            winner: 1,
            value: 9,
            lowest: Some(0),
            prize: Some(colour_won::Prize::Treasure(Deck::RedBlue.into())),
        },
        ColourWon {
            colours: vec![Colour::Green.into()],
            islands: 1,
            winner: 2,
            value: 8,
            lowest: None,
            prize: Some(colour_won::Prize::Action(ActionCard::A3.into())),
        },
    ];
    let expected = "\
seat            #1          #2          #3          #0
island       red-8   [green-8]       red-9       red-2
bonus           +1

won    by  value  prize                    islands  lowest
red    #1  9      treasure, red/blue deck  3        #0
green  #2  8      action A3                1        -";
    let screen = Screen::plain(100);
    assert_eq!(format!("{}\n\n{}", row(&view, None, screen), won(&view, screen)), expected);
}
