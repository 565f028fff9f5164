//! Options and tables.

use divelog_engine::{RulesVersion, key_largo::*};
use divelog_proto::games::key_largo::v1 as pb;

use super::super::options::tables;
use super::super::{options_from_proto, options_to_proto};

fn own_tables() -> Options {
    let cards = |monsters| DepthCards {
        monsters,
        diamonds: vec![1],
        gold: vec![2, u32::MAX],
        goods: vec![],
        antiques: vec![3, 3, 3],
    };
    Options {
        encounters: true,
        wreck_cards: Some([cards(0), cards(1), cards(u32::MAX)]),
        bar: Some(BarPrices { diver: vec![1, 2], pickpocket: vec![3] }),
        dolphins: Some(vec![9; 10]),
        shop: Some(ShopPrices { hose: vec![], trident: vec![4], weight: vec![5, 6, 7] }),
        unsold_unit: Some(8),
    }
}

#[test]
fn own_tables_come_back_as_they_are() {
    for rules in Rules::ALL {
        assert_eq!(options_from_proto(&options_to_proto(*rules, &own_tables())), Ok(own_tables()));
    }
}

/// KL-R1
#[test]
fn tables_left_out_are_written_into_the_log() {
    for (encounters, bar) in [(false, None), (true, own_tables().bar)] {
        let options = Options { encounters, bar, ..Options::default() };
        for rules in Rules::ALL {
            let written = options_to_proto(*rules, &options);
            let read = options_from_proto(&written).unwrap();
            assert_eq!(read.encounters, encounters);
            assert!(read.wreck_cards.is_some() && read.bar.is_some() && read.dolphins.is_some() && read.shop.is_some());
            assert_eq!(Tables::of(*rules, &read), Tables::of(*rules, &options));
            assert_eq!(options_to_proto(*rules, &read), written);
        }
    }
}

/// KL-24, KL-R1: version 1 has no such figure, and its logs do not change.
#[test]
fn what_an_unsold_unit_is_worth_is_written_from_version_2_on() {
    let written = |rules, unsold_unit| options_to_proto(rules, &Options { unsold_unit, ..Options::default() });
    assert_eq!(written(Rules::V1, None).unsold_unit, None);
    assert_eq!(written(Rules::V2, None).unsold_unit, Some(20));
    assert_eq!(written(Rules::V2, Some(0)).unsold_unit, Some(0));
    assert_eq!(tables(&Tables::reconstructed(Rules::V1)).unsold_unit, None);
    assert_eq!(tables(&Tables::reconstructed(Rules::V2)).unsold_unit, Some(20));
    let (old, new) = (written(Rules::V1, None), written(Rules::V2, None));
    assert_eq!(pb::Options { unsold_unit: Some(20), ..old }, new, "nothing else differs");
}

#[test]
fn nothing_set_is_the_printed_game() {
    assert_eq!(options_from_proto(&pb::Options::default()), Ok(Options::default()));
}

#[test]
fn a_table_of_wreck_cards_is_whole() {
    let whole = || options_to_proto(Rules::V2, &Options::default()).wreck_cards.unwrap();
    let cases = [
        ("shallow", pb::WreckCards { shallow: None, ..whole() }),
        ("medium", pb::WreckCards { medium: None, ..whole() }),
        ("deep", pb::WreckCards { deep: None, ..whole() }),
    ];
    for (depth, cards) in cases {
        let options = pb::Options { wreck_cards: Some(cards), ..Default::default() };
        assert_eq!(
            options_from_proto(&options),
            Err(format!(
                "wreck_cards.{depth} is not set: the table has shallow, medium and deep, or is left out whole"
            ))
        );
    }
}
