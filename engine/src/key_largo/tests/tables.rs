//! KL-T1 to KL-T4 and KL-R1: the printed figures, and games with their own.

use alloc::{vec, vec::Vec};

use super::super::tables::price;
use super::super::{BarPrices, DepthCards, Options, ShopPrices, State, Tables};
use super::table::{diamond, fresh};
use crate::contract::Scripted;
use crate::{Game, SeatCount};

fn refused(options: Options) -> (&'static str, &'static str, alloc::string::String) {
    // No chance is scripted: options are judged before the first draw.
    let violation =
        State::setup(State::NEWEST_RULES, &options, SeatCount::new(3).unwrap(), &mut Scripted::new([])).unwrap_err();
    (violation.rule, violation.reason, violation.sentence)
}

fn rows(row: Vec<u32>) -> [Options; 5] {
    let (bar, shop) = (Tables::reconstructed().bar, Tables::reconstructed().shop);
    let with_bar = |bar| Options { bar: Some(bar), ..Options::default() };
    let with_shop = |shop| Options { shop: Some(shop), ..Options::default() };
    [
        with_bar(BarPrices { diver: row.clone(), ..bar.clone() }),
        with_bar(BarPrices { pickpocket: row.clone(), ..bar }),
        with_shop(ShopPrices { hose: row.clone(), ..shop.clone() }),
        with_shop(ShopPrices { trident: row.clone(), ..shop.clone() }),
        with_shop(ShopPrices { weight: row, ..shop }),
    ]
}

#[test]
fn kl_t1_has_20_30_and_30_cards() {
    let tables = Tables::reconstructed();
    let count = |cards: &DepthCards| {
        cards.monsters as usize
            + [&cards.diamonds, &cards.gold, &cards.goods, &cards.antiques].map(Vec::len).iter().sum::<usize>()
    };
    assert_eq!(tables.wreck_cards.each_ref().map(count), [20, 30, 30]);
    assert_eq!(tables.wreck_cards.each_ref().map(|cards| cards.monsters), [0, 5, 9]);
}

#[test]
fn kl_t2_the_bar() {
    let BarPrices { diver, pickpocket } = Tables::reconstructed().bar;
    assert_eq!([1, 2, 3, 4, 5].map(|present| price(&diver, present)), [80, 100, 120, 120, 120]);
    assert_eq!([1, 2, 3, 4, 5].map(|present| price(&pickpocket, present)), [60, 70, 80, 80, 80]);
}

#[test]
fn kl_t3_the_dolphins() {
    assert_eq!(Tables::reconstructed().dolphins, [40, 50, 60, 20, 20, 20, 20, 40, 50, 60]);
}

#[test]
fn kl_t4_the_shop() {
    let ShopPrices { hose, trident, weight } = Tables::reconstructed().shop;
    assert_eq!([1, 2, 3, 4, 5].map(|present| price(&hose, present)), [20, 30, 40, 40, 40]);
    assert_eq!([1, 2, 3, 4, 5].map(|present| price(&trident, present)), [30, 40, 60, 60, 60]);
    assert_eq!([1, 2, 3, 4, 5].map(|present| price(&weight, present)), [20, 30, 40, 40, 40]);
}

#[test]
fn kl_r1_a_table_not_given_keeps_its_default() {
    let printed = Tables::reconstructed();
    assert_eq!(Tables::of(&Options::default()), Ok(printed.clone()));
    let bar = BarPrices { diver: vec![0], pickpocket: vec![1, 2, 3, 4, 5] };
    let tables = Tables::of(&Options { bar: Some(bar.clone()), ..Options::default() }).unwrap();
    assert_eq!(tables, Tables { bar, ..printed.clone() });
    let dolphins = vec![0; 10];
    let tables = Tables::of(&Options { dolphins: Some(dolphins.clone()), ..Options::default() }).unwrap();
    assert_eq!(tables, Tables { dolphins, ..printed.clone() });
    let shop = ShopPrices { hose: vec![9], trident: vec![8], weight: vec![10_000] };
    let tables = Tables::of(&Options { shop: Some(shop.clone()), ..Options::default() }).unwrap();
    assert_eq!(tables, Tables { shop, ..printed.clone() });
    let diamonds = |count| DepthCards { diamonds: vec![7; count], ..DepthCards::default() };
    let wreck_cards = [20, 30, 30].map(diamonds);
    let options = Options { wreck_cards: Some(wreck_cards.clone()), ..Options::default() };
    assert_eq!(Tables::of(&options), Ok(Tables { wreck_cards, ..printed }));
    let state = fresh(&options, 3, 0).next;
    assert!(state.faces.iter().all(|face| *face == diamond(7)));
}

#[test]
fn kl_r1_the_last_figure_of_a_row_serves_for_more() {
    assert_eq!([1, 2, 5].map(|present| price(&[7], present)), [7, 7, 7]);
    assert_eq!([1, 2, 3, 4, 5].map(|present| price(&[1, 2, 3, 4, 5], present)), [1, 2, 3, 4, 5]);
}

#[test]
fn kl_r1_wreck_cards_must_be_20_30_and_30() {
    for (depth, right, count) in [(0, 20, 19), (0, 20, 21), (1, 30, 29), (1, 30, 31), (2, 30, 0), (2, 30, 31)] {
        let mut cards = Tables::reconstructed().wreck_cards;
        cards[depth] = DepthCards { gold: vec![1; count], ..DepthCards::default() };
        let name = ["shallow", "medium", "deep"][depth];
        let sentence = alloc::format!("there are {right} {name} wreck cards, not {count}");
        assert_eq!(
            refused(Options { wreck_cards: Some(cards), ..Options::default() }),
            ("KL-R1", "WRECK_CARDS", sentence)
        );
    }
    let mut cards = Tables::reconstructed().wreck_cards;
    cards[2].monsters = u32::MAX;
    assert_eq!(refused(Options { wreck_cards: Some(cards), ..Options::default() }).1, "WRECK_CARDS");
}

#[test]
fn kl_r1_figures_are_from_0_to_10_000() {
    for list in 0..4 {
        for (figure, right) in [(0, true), (10_000, true), (10_001, false), (u32::MAX, false)] {
            let mut cards = Tables::reconstructed().wreck_cards;
            let deep = &mut cards[2];
            [&mut deep.diamonds, &mut deep.gold, &mut deep.goods, &mut deep.antiques][list][1] = figure;
            let options = Options { wreck_cards: Some(cards), ..Options::default() };
            if right {
                Tables::of(&options).unwrap();
            } else {
                let name = ["diamonds", "gold", "goods", "antiques"][list];
                let sentence = alloc::format!("deep {name}: {figure} is more than the largest figure, 10000");
                assert_eq!(refused(options), ("KL-R1", "OUT_OF_RANGE", sentence));
            }
        }
    }
    for options in rows(vec![1, 10_001]) {
        assert_eq!(refused(options).1, "OUT_OF_RANGE");
    }
    let mut days = vec![10_000; 10];
    Tables::of(&Options { dolphins: Some(days.clone()), ..Options::default() }).unwrap();
    days[9] = 10_001;
    let options = Options { dolphins: Some(days), ..Options::default() };
    assert_eq!(refused(options).1, "OUT_OF_RANGE");
}

#[test]
fn kl_r1_price_rows_have_one_to_five_figures() {
    for length in [1, 5] {
        for options in rows(vec![10_000; length]) {
            Tables::of(&options).unwrap();
        }
    }
    for length in [0, 6] {
        for (options, name) in
            rows(vec![1; length]).into_iter().zip(["diver", "pickpocket", "hose", "trident", "weight"])
        {
            let sentence = alloc::format!("the prices of a {name} are one to 5 figures, not {length}");
            assert_eq!(refused(options), ("KL-R1", "PRICE_ROW", sentence));
        }
    }
}

#[test]
fn kl_r1_the_dolphins_pay_on_ten_days() {
    for length in [0, 9, 11] {
        let options = Options { dolphins: Some(vec![1; length]), ..Options::default() };
        let sentence = alloc::format!("the dolphins pay on 10 days, so {length} figures do not fit");
        assert_eq!(refused(options), ("KL-R1", "DAYS", sentence));
    }
}
