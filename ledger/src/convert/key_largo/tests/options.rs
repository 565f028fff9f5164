//! Options and tables.

use divelog_engine::key_largo::*;
use divelog_proto::games::key_largo::v1 as pb;

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
    }
}

#[test]
fn own_tables_come_back_as_they_are() {
    assert_eq!(options_from_proto(&options_to_proto(&own_tables())), Ok(own_tables()));
}

/// KL-R1
#[test]
fn tables_left_out_are_written_into_the_log() {
    for (encounters, bar) in [(false, None), (true, own_tables().bar)] {
        let options = Options { encounters, bar, ..Options::default() };
        let written = options_to_proto(&options);
        let read = options_from_proto(&written).unwrap();
        assert_eq!(read.encounters, encounters);
        assert!(read.wreck_cards.is_some() && read.bar.is_some() && read.dolphins.is_some() && read.shop.is_some());
        assert_eq!(Tables::of(&read), Tables::of(&options));
        assert_eq!(options_to_proto(&read), written);
    }
}

#[test]
fn nothing_set_is_the_printed_game() {
    assert_eq!(options_from_proto(&pb::Options::default()), Ok(Options::default()));
}

#[test]
fn a_table_of_wreck_cards_is_whole() {
    let whole = || options_to_proto(&Options::default()).wreck_cards.unwrap();
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
