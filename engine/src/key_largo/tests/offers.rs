//! The families of legal actions: how many they stand for, which, and what they admit.

use alloc::{vec, vec::Vec};

use super::super::{Action, CardId, CardSet, Offer, Play, Ware};
use crate::Offer as _;

fn cards(ids: impl IntoIterator<Item = u8>) -> CardSet {
    ids.into_iter().map(CardId).collect()
}

/// All actions of an offer: as many as it counts, all different, all admitted.
fn all(offer: &Offer) -> Vec<Action> {
    let actions: Vec<Action> = (0..offer.count()).map(|number| offer.nth(number)).collect();
    for (place, action) in actions.iter().enumerate() {
        assert!(offer.admits(action), "{action:?}");
        assert!(!actions[..place].contains(action), "{action:?} twice");
    }
    actions
}

fn sell(ids: &[u32]) -> Action {
    Action::Sell { cards: ids.to_vec() }
}

fn traffic(ids: &[u32]) -> Action {
    Action::PlayEncounter(Play::Trafficker { treasures: ids.to_vec() })
}

#[test]
fn a_single_offer_is_its_action() {
    let offer = Offer::Single(Action::Recruit);
    assert_eq!(all(&offer), [Action::Recruit]);
    assert!(!offer.admits(&Action::Done));
}

#[test]
fn rounds_are_pairs_in_order() {
    let offer = Offer::BuyRound { wrecks: vec![1, 4, 9] };
    let round = |a, b| Action::BuyRound { wrecks: vec![a, b] };
    assert_eq!(all(&offer), [round(1, 4), round(1, 9), round(4, 1), round(4, 9), round(9, 1), round(9, 4)]);
    for wrecks in [vec![], vec![1], vec![1, 1], vec![1, 2], vec![1, 4, 9], vec![1, 260]] {
        assert!(!offer.admits(&Action::BuyRound { wrecks }));
    }
}

#[test]
fn sales_are_subsets() {
    let offer = Offer::Sell { ware: Ware::Gold, required: None, cards: cards([3, 20, 79]) };
    let expected: [&[u32]; 7] = [&[3], &[20], &[3, 20], &[79], &[3, 79], &[20, 79], &[3, 20, 79]];
    assert_eq!(all(&offer), expected.map(sell));
    assert!(offer.admits(&sell(&[79, 3])), "in any order");
    for ids in [&[][..], &[4], &[3, 4], &[3, 3], &[3, 259]] {
        assert!(!offer.admits(&sell(ids)), "{ids:?}");
    }
}

#[test]
fn sales_with_a_dupe_include_it() {
    let offer = Offer::Sell { ware: Ware::Gold, required: Some(CardId(40)), cards: cards([3, 79]) };
    let expected: [&[u32]; 4] = [&[40], &[3, 40], &[40, 79], &[3, 40, 79]];
    assert_eq!(all(&offer), expected.map(sell));
    for ids in [&[][..], &[3], &[3, 79], &[40, 40], &[40, 41]] {
        assert!(!offer.admits(&sell(ids)), "{ids:?}");
    }
}

#[test]
fn sales_of_more_cards_than_bits_are_counted_as_far_as_a_number_goes() {
    let offer = Offer::Sell { ware: Ware::Gold, required: None, cards: cards(0..80) };
    assert_eq!(offer.count(), u64::MAX);
    assert_eq!(offer.nth(u64::MAX - 1), sell(&(0..64).collect::<Vec<_>>()));
    assert!(offer.admits(&sell(&(0..80).collect::<Vec<_>>())));
    let offer = Offer::Sell { ware: Ware::Gold, required: None, cards: cards(0..63) };
    assert_eq!(offer.count(), (1 << 63) - 1);
    let offer = Offer::Sell { ware: Ware::Gold, required: None, cards: cards(0..64) };
    assert_eq!(offer.count(), u64::MAX);
}

#[test]
fn a_dupe_is_each_card_as_either_other_kind() {
    let offer = Offer::Dupe { treasures: vec![(CardId(5), Ware::Gold), (CardId(6), Ware::Antiques)] };
    let dupe = |treasure, ware| Action::PlayEncounter(Play::Dupe { treasure, ware });
    let expected = [dupe(5, Ware::Goods), dupe(5, Ware::Antiques), dupe(6, Ware::Gold), dupe(6, Ware::Goods)];
    assert_eq!(all(&offer), expected);
    assert!(!offer.admits(&dupe(5, Ware::Gold)) && !offer.admits(&dupe(7, Ware::Gold)));
}

#[test]
fn a_trafficker_takes_subsets_up_to_a_size() {
    let offer = Offer::Trafficker { treasures: cards([1, 2, 3]), most: 2 };
    let expected: [&[u32]; 6] = [&[1], &[2], &[3], &[1, 2], &[1, 3], &[2, 3]];
    assert_eq!(all(&offer), expected.map(traffic));
    assert!(offer.admits(&traffic(&[3, 1])), "in any order");
    for ids in [&[][..], &[1, 2, 3], &[4], &[1, 1]] {
        assert!(!offer.admits(&traffic(ids)), "{ids:?}");
    }
    assert_eq!(all(&Offer::Trafficker { treasures: cards([9]), most: 1 }), [traffic(&[9])]);
    assert_eq!(all(&Offer::Trafficker { treasures: cards(10..18), most: 5 }).len(), 8 + 28 + 56 + 70 + 56);
    let whole = Offer::Trafficker { treasures: cards(0..80), most: 5 };
    assert_eq!(whole.count(), 80 + 3_160 + 82_160 + 1_581_580 + 24_040_016);
    assert_eq!(whole.nth(whole.count() - 1), traffic(&[75, 76, 77, 78, 79]));
}

#[test]
fn a_jeweller_takes_one_diamond() {
    let offer = Offer::Jeweller { diamonds: cards([25, 59]) };
    let jeweller = |diamond| Action::PlayEncounter(Play::Jeweller { diamond });
    assert_eq!(all(&offer), [25, 59].map(jeweller));
    assert!(!offer.admits(&jeweller(26)) && !offer.admits(&jeweller(25 + 256)));
}
