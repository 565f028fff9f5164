//! KL-T1 to KL-T4 and KL-R1: the printed figures, and games with their own.

use alloc::{vec, vec::Vec};

use super::super::tables::price;
use super::super::{BarPrices, DepthCards, Options, Rules, ShopPrices, State, Tables};
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
    let (bar, shop) = (Tables::reconstructed(State::NEWEST_RULES).bar, Tables::reconstructed(State::NEWEST_RULES).shop);
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
    let tables = Tables::reconstructed(State::NEWEST_RULES);
    let count = |cards: &DepthCards| {
        cards.monsters as usize
            + [&cards.diamonds, &cards.gold, &cards.goods, &cards.antiques].map(Vec::len).iter().sum::<usize>()
    };
    assert_eq!(tables.wreck_cards.each_ref().map(count), [20, 30, 30]);
    assert_eq!(tables.wreck_cards.each_ref().map(|cards| cards.monsters), [0, 5, 9]);
}

#[test]
fn kl_t1_an_unsold_unit_is_worth_20_version_2() {
    let [old, new] = [Rules::V1, Rules::V2].map(Tables::reconstructed);
    assert_eq!((old.unsold_unit, new.unsold_unit, new.unsold_unit()), (None, Some(20), 20));
    assert_eq!(new.wreck_cards, old.wreck_cards);
}

#[test]
fn kl_t2_the_bar() {
    let BarPrices { diver, pickpocket } = Tables::reconstructed(State::NEWEST_RULES).bar;
    assert_eq!([1, 2, 3, 4, 5].map(|present| price(&diver, present)), [80, 100, 120, 120, 120]);
    assert_eq!([1, 2, 3, 4, 5].map(|present| price(&pickpocket, present)), [60, 70, 80, 80, 80]);
}

#[test]
fn kl_t3_the_dolphins() {
    assert_eq!(Tables::reconstructed(State::NEWEST_RULES).dolphins, [40, 50, 60, 20, 20, 20, 20, 40, 50, 60]);
}

#[test]
fn kl_t4_the_shop() {
    let ShopPrices { hose, trident, weight } = Tables::reconstructed(State::NEWEST_RULES).shop;
    assert_eq!([1, 2, 3, 4, 5].map(|present| price(&hose, present)), [20, 30, 40, 40, 40]);
    assert_eq!([1, 2, 3, 4, 5].map(|present| price(&trident, present)), [30, 40, 60, 60, 60]);
    assert_eq!([1, 2, 3, 4, 5].map(|present| price(&weight, present)), [20, 30, 40, 40, 40]);
}

#[test]
fn kl_r1_a_table_not_given_keeps_its_default() {
    let printed = Tables::reconstructed(State::NEWEST_RULES);
    assert_eq!(Tables::of(State::NEWEST_RULES, &Options::default()), Ok(printed.clone()));
    let bar = BarPrices { diver: vec![0], pickpocket: vec![1, 2, 3, 4, 5] };
    let tables = Tables::of(State::NEWEST_RULES, &Options { bar: Some(bar.clone()), ..Options::default() }).unwrap();
    assert_eq!(tables, Tables { bar, ..printed.clone() });
    let dolphins = vec![0; 10];
    let tables =
        Tables::of(State::NEWEST_RULES, &Options { dolphins: Some(dolphins.clone()), ..Options::default() }).unwrap();
    assert_eq!(tables, Tables { dolphins, ..printed.clone() });
    let shop = ShopPrices { hose: vec![9], trident: vec![8], weight: vec![10_000] };
    let tables = Tables::of(State::NEWEST_RULES, &Options { shop: Some(shop.clone()), ..Options::default() }).unwrap();
    assert_eq!(tables, Tables { shop, ..printed.clone() });
    let diamonds = |count| DepthCards { diamonds: vec![7; count], ..DepthCards::default() };
    let wreck_cards = [20, 30, 30].map(diamonds);
    let options = Options { wreck_cards: Some(wreck_cards.clone()), ..Options::default() };
    assert_eq!(Tables::of(State::NEWEST_RULES, &options), Ok(Tables { wreck_cards, ..printed }));
    let state = fresh(&options, 3, 0).next;
    assert!(state.faces.iter().all(|face| *face == diamond(7)));
}

#[test]
fn kl_r1_what_an_unsold_unit_is_worth_is_a_figure_version_2() {
    let of = |unsold_unit| Options { unsold_unit, ..Options::default() };
    assert_eq!(Tables::reconstructed(Rules::V2).unsold_unit, Some(20));
    for figure in [0, 1, 20, 10_000] {
        let tables = Tables::of(Rules::V2, &of(Some(figure))).unwrap();
        assert_eq!((tables.unsold_unit, tables.unsold_unit()), (Some(figure), figure));
        assert_eq!(Tables { unsold_unit: Some(20), ..tables }, Tables::reconstructed(Rules::V2));
    }
    for figure in [10_001, u32::MAX] {
        let sentence = alloc::format!("the worth of an unsold unit: {figure} is more than the largest figure, 10000");
        assert_eq!(refused(of(Some(figure))), ("KL-R1", "OUT_OF_RANGE", sentence));
    }
}

#[test]
fn kl_r1_version_1_takes_no_worth_of_an_unsold_unit() {
    let tables = Tables::of(Rules::V1, &Options::default()).unwrap();
    assert_eq!((tables.unsold_unit, tables.unsold_unit()), (None, 20));
    // The figure that it has anyway, too, and before anything is said of its size.
    for figure in [20, 0, 10_001] {
        let options = Options { unsold_unit: Some(figure), ..Options::default() };
        let seats = SeatCount::new(3).unwrap();
        let violation = State::setup(Rules::V1, &options, seats, &mut Scripted::new([])).unwrap_err();
        assert_eq!((violation.rule, violation.reason), ("KL-R1", "LATER_VERSION"));
        let sentence = "by rules version 1 an unsold unit is always worth $20: leave unsold_unit out";
        assert_eq!(violation.sentence, sentence);
    }
}

#[test]
fn kl_r1_the_last_figure_of_a_row_serves_for_more() {
    assert_eq!([1, 2, 5].map(|present| price(&[7], present)), [7, 7, 7]);
    assert_eq!([1, 2, 3, 4, 5].map(|present| price(&[1, 2, 3, 4, 5], present)), [1, 2, 3, 4, 5]);
}

#[test]
fn kl_r1_wreck_cards_must_be_20_30_and_30() {
    for (depth, right, count) in [(0, 20, 19), (0, 20, 21), (1, 30, 29), (1, 30, 31), (2, 30, 0), (2, 30, 31)] {
        let mut cards = Tables::reconstructed(State::NEWEST_RULES).wreck_cards;
        cards[depth] = DepthCards { gold: vec![1; count], ..DepthCards::default() };
        let name = ["shallow", "medium", "deep"][depth];
        let sentence = alloc::format!("there are {right} {name} wreck cards, not {count}");
        assert_eq!(
            refused(Options { wreck_cards: Some(cards), ..Options::default() }),
            ("KL-R1", "WRECK_CARDS", sentence)
        );
    }
    let mut cards = Tables::reconstructed(State::NEWEST_RULES).wreck_cards;
    cards[2].monsters = u32::MAX;
    assert_eq!(refused(Options { wreck_cards: Some(cards), ..Options::default() }).1, "WRECK_CARDS");
}

#[test]
fn kl_r1_figures_are_from_0_to_10_000() {
    for list in 0..4 {
        for (figure, right) in [(0, true), (10_000, true), (10_001, false), (u32::MAX, false)] {
            let mut cards = Tables::reconstructed(State::NEWEST_RULES).wreck_cards;
            let deep = &mut cards[2];
            [&mut deep.diamonds, &mut deep.gold, &mut deep.goods, &mut deep.antiques][list][1] = figure;
            let options = Options { wreck_cards: Some(cards), ..Options::default() };
            if right {
                Tables::of(State::NEWEST_RULES, &options).unwrap();
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
    Tables::of(State::NEWEST_RULES, &Options { dolphins: Some(days.clone()), ..Options::default() }).unwrap();
    days[9] = 10_001;
    let options = Options { dolphins: Some(days), ..Options::default() };
    assert_eq!(refused(options).1, "OUT_OF_RANGE");
}

#[test]
fn kl_r1_price_rows_have_one_to_five_figures() {
    for length in [1, 5] {
        for options in rows(vec![10_000; length]) {
            Tables::of(State::NEWEST_RULES, &options).unwrap();
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

/// The cells of a row of the book's tables, without its name.
fn row(name: &str) -> Vec<&'static str> {
    const BOOK: &str = include_str!("../../../../docs/rules/key-largo.md");
    let (_, tables) = BOOK.split_once("\n## Tables\n").unwrap();
    let (tables, _) = tables.split_once("\n## ").unwrap();
    let mut rows = tables.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let (_, cells) = rows.find(|(first, _)| *first == name).unwrap_or_else(|| panic!("no row {name}"));
    cells.trim_end_matches('|').split('|').map(str::trim).collect()
}

/// The figures of a cell.
fn figures(cell: &str) -> Vec<u32> {
    cell.split_whitespace().map(|figure| figure.trim_matches('*').parse().unwrap()).collect()
}

/// The figures of a row with one in each cell.
fn prices(name: &str) -> Vec<u32> {
    row(name).into_iter().flat_map(figures).collect()
}

/// The tables of a game that brings none of its own.
fn default_tables() -> Tables {
    Tables::clone(&fresh(&Options::default(), 3, 0).next.tables)
}

#[test]
fn kl_t1_the_books_table_is_the_one_that_is_played() {
    for (cards, name) in default_tables().wreck_cards.iter().zip(["shallow", "medium", "deep"]) {
        let [all, monsters, lists @ ..] = &row(name)[..] else { panic!("{name} has too few cells") };
        let lists: Vec<Vec<u32>> = lists.iter().map(|cell| figures(cell)).collect();
        assert_eq!(figures(monsters), [cards.monsters], "{name}");
        assert_eq!(lists, [&cards.diamonds, &cards.gold, &cards.goods, &cards.antiques].map(Vec::clone), "{name}");
        let count = cards.monsters as usize + lists.iter().map(Vec::len).sum::<usize>();
        assert_eq!(figures(all), [count as u32], "{name}");
    }
}

#[test]
fn kl_t2_to_kl_t4_the_books_tables_are_those_that_are_played() {
    let Tables { bar, dolphins, shop, .. } = default_tables();
    for (name, figures) in [
        ("diver", &bar.diver),
        ("pickpocket", &bar.pickpocket),
        ("dolphins, $", &dolphins),
        ("hose", &shop.hose),
        ("trident", &shop.trident),
        ("weight", &shop.weight),
    ] {
        assert_eq!(prices(name), *figures, "{name}");
    }
    let together: Vec<u32> = shop.hose.iter().zip(&shop.trident).map(|(hose, trident)| hose + trident).collect();
    assert_eq!(prices("hose and trident"), together);
}
