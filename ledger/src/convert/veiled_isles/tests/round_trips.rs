//! Actions and options there and back.

use divelog_engine::{
    Seat,
    veiled_isles::{Action, ActionCard, Deck, Options},
};

use super::*;

/// Every shape of every action, legal or not: that is not for the conversion to check.
fn actions() -> Vec<Action> {
    let mut actions = vec![Action::TakeTreasure, Action::DrawBonus];
    for island in all_islands() {
        actions.extend([Action::Pass { island }, Action::DiscardIsland { island }]);
        for show in HALVES {
            actions.extend([0, 1, 22, u32::MAX].map(|bonus| Action::Play { island, show, bonus }));
        }
    }
    for seat in [0, 1, 4, 5, u8::MAX].map(Seat) {
        actions.extend([
            Action::StealTreasure { seat },
            Action::StealBonus { seat },
            Action::SwapWith { seat },
            Action::TakePlayed { seat },
        ]);
    }
    let hand: Vec<Island> = all_islands().collect();
    actions.extend([0, 1, 2, 48].map(|count| Action::GiveBack { islands: hand[..count].to_vec() }));
    actions.push(Action::GiveBack { islands: vec![hand[9], hand[3], hand[9]] });
    actions.extend([Deck::Single, Deck::RedBlue, Deck::GreenPurple].map(|deck| Action::PeekDeck { deck }));
    let orders = [&[][..], &[2, 0, 1], &[0, 0, u32::MAX, 4]];
    actions.extend(orders.map(|order| Action::Reorder { order: order.to_vec() }));
    actions
}

#[test]
fn every_action_comes_back() {
    for action in actions() {
        assert_eq!(action_from_proto(&action_to_proto(&action)), Ok(action));
    }
}

#[test]
fn options_that_say_everything_come_back() {
    let cards = [ActionCard::A1, ActionCard::A2, ActionCard::A3, ActionCard::A4];
    for red_blue in cards {
        for green_purple in cards {
            // In an order of their own, too few, and beyond what the rules allow: all as it was given.
            for values in [&[5, 4, 4, 3, 3, 2, 2, 1][..], &[7], &[u32::MAX; 9]] {
                let options = Options {
                    red_blue_action: Some(red_blue),
                    green_purple_action: Some(green_purple),
                    treasure_values: Some(values.to_vec()),
                };
                assert_eq!(options_from_proto(&options_to_proto(&options)), Ok(options));
            }
        }
    }
}

#[test]
fn options_left_out_are_written_with_their_defaults() {
    let written = pb::Options {
        red_blue_action: pb::ActionCard::A1.into(),
        green_purple_action: pb::ActionCard::A3.into(),
        treasure_values: vec![1, 2, 2, 3, 3, 4, 4, 5],
    };
    assert_eq!(options_from_proto(&pb::Options::default()), Ok(Options::default()));
    assert_eq!(options_to_proto(&Options::default()), written);
    // What was written once is written in the same way ever after.
    assert_eq!(options_to_proto(&options_from_proto(&written).unwrap()), written);

    let one_chosen = Options { red_blue_action: Some(ActionCard::A4), ..Default::default() };
    let written = pb::Options { red_blue_action: pb::ActionCard::A4.into(), ..written };
    assert_eq!(options_to_proto(&one_chosen), written);
}
