//! Actions and legal actions.

use divelog_engine::key_largo::*;
use divelog_proto::games::key_largo::v1 as pb;

use super::super::{action_from_proto, action_to_proto, offer_to_proto};

/// Every form of every action, with every value of what it names.
fn every_action() -> Vec<Action> {
    // A card that needs more can be written so too, and the rules refuse it.
    let plain = Encounter::ALL.into_iter().map(Play::Plain);
    let plays = plain
        .chain([
            Play::Volunteer { diver: 1 },
            Play::HastyBuyer { treasure: 17 },
            Play::Saboteur { seat: 2, diver: u32::MAX },
            Play::Drunkard { wreck: 3 },
            Play::Trafficker { treasures: vec![31, 12, 17] },
            Play::Trafficker { treasures: vec![] },
            Play::Jeweller { diamond: 40 },
        ])
        .chain(Ware::ALL.map(|ware| Play::Dupe { treasure: 12, ware }));
    let programs = Place::ALL
        .into_iter()
        .flat_map(|morning| Place::ALL.into_iter().map(move |afternoon| Action::Program { morning, afternoon }));
    let mut actions = vec![
        Action::PlaceBoat { wreck: u32::MAX },
        Action::Pass,
        Action::DrawCard { diver: 0 },
        Action::UseWeight { diver: 256 },
        Action::Surface,
        Action::UseTrident { diver: 2 },
        Action::Flee,
        Action::Recruit,
        Action::BuyRound { wrecks: vec![7, 3] },
        Action::BuyRound { wrecks: vec![] },
        Action::FirstWreck { wreck: 0 },
        Action::FirstWreck { wreck: u32::MAX },
        Action::SecondWreck { wreck: 0 },
        Action::SecondWreck { wreck: 256 },
        Action::NoSecondWreck,
        Action::Sell { cards: vec![300, 12, 12] },
        Action::Done,
    ];
    actions.extend(programs);
    actions.extend(Depth::ALL.map(|depth| Action::HirePickpocket { seat: 4, depth }));
    actions.extend(Item::ALL.map(|item| Action::Buy { item, diver: 1 }));
    actions.extend(plays.map(Action::PlayEncounter));
    actions
}

#[test]
fn every_action_comes_back() {
    for action in every_action() {
        assert_eq!(action_from_proto(&action_to_proto(&action)), Ok(action));
    }
}

fn refused(action: pb::action::Action) -> String {
    action_from_proto(&pb::Action { action: Some(action) }).unwrap_err()
}

/// KL-18: the forms of version 1 and of later versions are kept apart.
#[test]
fn a_round_has_the_form_of_one_version() {
    let round = |wrecks: &[u32], wreck| pb::action::Action::BuyRound(pb::BuyRound { wrecks: wrecks.to_vec(), wreck });
    let read = |round| action_from_proto(&pb::Action { action: Some(round) });
    assert_eq!(read(round(&[3], None)), Ok(Action::BuyRound { wrecks: vec![3] }));
    assert_eq!(read(round(&[], Some(3))), Ok(Action::FirstWreck { wreck: 3 }));
    let both = "buy_round has wreck and wrecks: it is wrecks by rules version 1, and wreck from version 2 on";
    assert_eq!(refused(round(&[3, 7], Some(3))), both);
}

#[test]
fn empty_actions_are_refused() {
    let empty = action_from_proto(&pb::Action { action: None }).unwrap_err();
    assert!(empty.starts_with("the key_largo action is empty: program, place_boat, "), "{empty}");
    let empty = refused(pb::action::Action::PlayEncounter(pb::PlayEncounter { card: None }));
    assert!(empty.starts_with("play_encounter is empty: plain, volunteer, "), "{empty}");
}

#[test]
fn unknown_and_unset_numbers_are_refused() {
    use pb::action::Action as Wire;
    use pb::play_encounter::Card;
    let places = "it is one of PLACE_DIVE, PLACE_BAR, PLACE_DOLPHINS, PLACE_SHOP, PLACE_MARKET";
    let play = |card| Wire::PlayEncounter(pb::PlayEncounter { card: Some(card) });
    let cases = [
        (Wire::Program(pb::Program { morning: 0, afternoon: 1 }), format!("program.morning is not set: {places}")),
        (
            Wire::Program(pb::Program { morning: 1, afternoon: 6 }),
            format!("program.afternoon is 6, which means nothing: {places}"),
        ),
        (
            Wire::HirePickpocket(pb::HirePickpocket { seat: 1, depth: -1 }),
            "hire_pickpocket.depth is -1, which means nothing: it is one of DEPTH_SHALLOW, DEPTH_MEDIUM, DEPTH_DEEP"
                .into(),
        ),
        (
            Wire::Buy(pb::Buy { item: 0, diver: 1 }),
            "buy.item is not set: it is one of ITEM_HOSE, ITEM_TRIDENT, ITEM_WEIGHT".into(),
        ),
        (
            play(Card::Dupe(pb::Dupe { treasure: 12, ware: 260 })),
            "play_encounter.dupe.ware is 260, which means nothing: it is one of WARE_GOLD, WARE_GOODS, WARE_ANTIQUES"
                .into(),
        ),
    ];
    for (action, sentence) in cases {
        assert_eq!(refused(action), sentence);
    }
    for number in [0, 25] {
        let sentence = refused(play(Card::Plain(number)));
        assert!(sentence.starts_with("play_encounter.plain is"), "{sentence}");
        assert!(sentence.contains("ENCOUNTER_VOLUNTEER, "), "{sentence}");
    }
}

#[test]
fn families_list_their_cards_ascending() {
    use pb::legal_action::LegalAction as Wire;
    let set = |ids: &[u8]| ids.iter().map(|id| CardId(*id)).collect::<CardSet>();
    let cases = [
        (Offer::Single(Action::Done), Wire::Action(action_to_proto(&Action::Done))),
        (Offer::BuyRound { wrecks: vec![1, 4] }, Wire::BuyRound(pb::BuyRoundFamily { wrecks: vec![1, 4] })),
        (
            Offer::Sell { ware: Ware::Goods, required: Some(CardId(7)), cards: set(&[31, 12]) },
            Wire::Sell(pb::SellFamily { ware: pb::Ware::Goods.into(), required: Some(7), cards: vec![12, 31] }),
        ),
        (
            Offer::Dupe { treasures: vec![(CardId(30), Ware::Gold), (CardId(2), Ware::Goods)] },
            Wire::Dupe(pb::DupeFamily { treasures: vec![2, 30] }),
        ),
        (
            Offer::Trafficker { treasures: set(&[79, 0]), most: 2 },
            Wire::Trafficker(pb::TraffickerFamily { treasures: vec![0, 79], most: 2 }),
        ),
        (Offer::Jeweller { diamonds: set(&[40]) }, Wire::Jeweller(pb::JewellerFamily { diamonds: vec![40] })),
    ];
    for (offer, wire) in cases {
        assert_eq!(offer_to_proto(&offer), pb::LegalAction { legal_action: Some(wire) });
    }
}
