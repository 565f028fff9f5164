//! The printed figures: the options that change them, the check of those, and the edition `reconstructed` (KL-T1 to KL-T4).

use alloc::{format, string::String, vec, vec::Vec};

use super::{Depth, Rules};
use crate::{Canonical, RulesVersion, Sink, Violation};

/// KL-R1: the largest price, unit or diamond.
const LARGEST: u32 = 10_000;
/// KL-24: what a unit of unsold gold, goods or antiques is worth, unless the tables say otherwise.
const UNSOLD_UNIT: u32 = 20;
/// KL-R1: the most figures of a price row.
const PRICES: usize = 5;
/// KL-3: how many days a game has.
pub(super) const DAYS: u8 = 10;

/// The options of a game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Whether encounter cards are used (KL-25).
    pub encounters: bool,
    /// KL-T1, shallow, medium and deep; the reconstructed table if absent.
    pub wreck_cards: Option<[DepthCards; 3]>,
    /// KL-T2; the reconstructed table if absent.
    pub bar: Option<BarPrices>,
    /// KL-T3, one figure for each of the ten days; the reconstructed table if absent.
    pub dolphins: Option<Vec<u32>>,
    /// KL-T4; the reconstructed table if absent.
    pub shop: Option<ShopPrices>,
    /// KL-24: what a unit of unsold gold, goods and antiques is worth, printed on the cards; the reconstructed figure if
    /// absent. Not in version 1 of the rules.
    pub unsold_unit: Option<u32>,
}

/// The wreck cards of one depth (KL-T1).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DepthCards {
    /// How many monsters.
    pub monsters: u32,
    /// One value in $ for each diamond.
    pub diamonds: Vec<u32>,
    /// One number of units for each gold card.
    pub gold: Vec<u32>,
    /// One number of units for each goods card.
    pub goods: Vec<u32>,
    /// One number of units for each antiques card.
    pub antiques: Vec<u32>,
}

/// Prices at the bar (KL-T2): a figure for one present, for two, and so on; the last serves for more.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BarPrices {
    /// To recruit a diver.
    pub diver: Vec<u32>,
    /// To hire a pickpocket.
    pub pickpocket: Vec<u32>,
}

/// Prices in the shop (KL-T4): a figure for one present, for two, and so on; the last serves for more.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShopPrices {
    /// A hose.
    pub hose: Vec<u32>,
    /// A trident.
    pub trident: Vec<u32>,
    /// A weight.
    pub weight: Vec<u32>,
}

/// The tables that a game is played with, checked (KL-R1).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tables {
    /// KL-T1: shallow, medium and deep.
    pub wreck_cards: [DepthCards; 3],
    /// KL-T2.
    pub bar: BarPrices,
    /// KL-T3, by day.
    pub dolphins: Vec<u32>,
    /// KL-T4.
    pub shop: ShopPrices,
    /// KL-24: what a unit of unsold gold, goods and antiques is worth. Absent in version 1 of the rules, where it is no figure
    /// of the tables.
    pub unsold_unit: Option<u32>,
}

impl Tables {
    /// KL-R1: the tables of a game by these rules with these options.
    pub fn of(rules: Rules, options: &Options) -> Result<Tables, Violation> {
        let printed = Tables::reconstructed(rules);
        let tables = Tables {
            wreck_cards: options.wreck_cards.clone().unwrap_or(printed.wreck_cards),
            bar: options.bar.clone().unwrap_or(printed.bar),
            dolphins: options.dolphins.clone().unwrap_or(printed.dolphins),
            shop: options.shop.clone().unwrap_or(printed.shop),
            unsold_unit: options.unsold_unit.or(printed.unsold_unit),
        };
        if tables.unsold_unit.is_some() && !rules.unsold_unit_is_a_figure() {
            let version = rules.number();
            let sentence = format!(
                "by rules version {version} an unsold unit is always worth ${UNSOLD_UNIT}: leave unsold_unit out"
            );
            refuse("LATER_VERSION", sentence)?;
        }
        tables.check()?;
        Ok(tables)
    }

    /// KL-24: what a unit of unsold gold, goods or antiques is worth.
    pub fn unsold_unit(&self) -> u32 {
        self.unsold_unit.unwrap_or(UNSOLD_UNIT)
    }

    /// The edition called `reconstructed`, with the figures that the tables have by these rules.
    pub fn reconstructed(rules: Rules) -> Tables {
        let depth = |monsters, diamonds: &[u32], gold: &[u32], wares: &[u32]| DepthCards {
            monsters,
            diamonds: diamonds.to_vec(),
            gold: gold.to_vec(),
            goods: wares.to_vec(),
            antiques: wares.to_vec(),
        };
        Tables {
            wreck_cards: [
                depth(0, &[], &[1, 1, 1, 2, 2, 2], &[1, 1, 1, 2, 2, 2, 3]),
                depth(5, &[100, 100], &[2, 2, 3, 3, 3, 4, 4], &[2, 2, 3, 3, 3, 4, 4, 5]),
                depth(9, &[150, 200, 200, 250], &[4, 4, 5, 5, 6], &[4, 5, 5, 6, 6, 7]),
            ],
            bar: BarPrices { diver: vec![80, 100, 120], pickpocket: vec![60, 70, 80] },
            dolphins: vec![40, 50, 60, 20, 20, 20, 20, 40, 50, 60],
            shop: ShopPrices { hose: vec![20, 30, 40], trident: vec![30, 40, 60], weight: vec![20, 30, 40] },
            unsold_unit: rules.unsold_unit_is_a_figure().then_some(UNSOLD_UNIT),
        }
    }

    fn check(&self) -> Result<(), Violation> {
        for (cards, depth) in self.wreck_cards.iter().zip(Depth::ALL) {
            let lists = [&cards.diamonds, &cards.gold, &cards.goods, &cards.antiques];
            let count = lists.iter().fold(u64::from(cards.monsters), |count, list| count + list.len() as u64);
            if count != depth.cards() as u64 {
                let (depth, right) = (depth.name(), depth.cards());
                return refuse("WRECK_CARDS", format!("there are {right} {depth} wreck cards, not {count}"));
            }
            for (list, name) in lists.into_iter().zip(["diamonds", "gold", "goods", "antiques"]) {
                in_range(list, format_args!("{} {name}", depth.name()))?;
            }
        }
        let rows = [
            ("diver", &self.bar.diver),
            ("pickpocket", &self.bar.pickpocket),
            ("hose", &self.shop.hose),
            ("trident", &self.shop.trident),
            ("weight", &self.shop.weight),
        ];
        for (name, row) in rows {
            if !(1..=PRICES).contains(&row.len()) {
                let sentence = format!("the prices of a {name} are one to {PRICES} figures, not {}", row.len());
                return refuse("PRICE_ROW", sentence);
            }
            in_range(row, format_args!("the prices of a {name}"))?;
        }
        if self.dolphins.len() != usize::from(DAYS) {
            let sentence = format!("the dolphins pay on {DAYS} days, so {} figures do not fit", self.dolphins.len());
            return refuse("DAYS", sentence);
        }
        in_range(&self.dolphins, format_args!("the pay of the dolphins"))?;
        in_range(self.unsold_unit.as_slice(), format_args!("the worth of an unsold unit"))
    }
}

fn in_range(figures: &[u32], what: core::fmt::Arguments<'_>) -> Result<(), Violation> {
    match figures.iter().find(|figure| **figure > LARGEST) {
        Some(figure) => refuse("OUT_OF_RANGE", format!("{what}: {figure} is more than the largest figure, {LARGEST}")),
        None => Ok(()),
    }
}

fn refuse(reason: &'static str, sentence: String) -> Result<(), Violation> {
    Err(Violation::new("KL-R1", reason, sentence))
}

/// KL-R1: the figure for a number of players present, at least one.
pub(super) fn price(row: &[u32], present: u8) -> u32 {
    let figure = row.get(usize::from(present.saturating_sub(1))).or(row.last());
    *figure.expect("a checked row has a figure")
}

fn encode_figures<S: Sink>(figures: &[u32], sink: &mut S) {
    sink.len(figures.len());
    // A checked figure fits: the largest is 10,000.
    figures.iter().for_each(|figure| sink.u16(*figure as u16));
}

impl Canonical for Tables {
    fn encode<S: Sink>(&self, sink: &mut S) {
        for cards in &self.wreck_cards {
            sink.u8(cards.monsters as u8);
            for list in [&cards.diamonds, &cards.gold, &cards.goods, &cards.antiques] {
                encode_figures(list, sink);
            }
        }
        for row in [&self.bar.diver, &self.bar.pickpocket, &self.dolphins] {
            encode_figures(row, sink);
        }
        for row in [&self.shop.hose, &self.shop.trident, &self.shop.weight] {
            encode_figures(row, sink);
        }
        // Version 1 of the rules has no such figure.
        if let Some(unit) = self.unsold_unit {
            sink.u16(unit as u16);
        }
    }
}
