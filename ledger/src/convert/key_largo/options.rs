//! The options and the tables of printed figures (KL-R1).

use divelog_engine::key_largo::{BarPrices, DepthCards, Options, Rules, ShopPrices, Tables};
use divelog_proto::games::key_largo::v1 as pb;

/// The options with every table and figure that these rules have spelled out, so that a log means the same when the edition
/// changes.
pub(super) fn options_to_proto(rules: Rules, options: &Options) -> pb::Options {
    let printed = Tables::reconstructed(rules);
    pb::Options {
        encounters: options.encounters,
        wreck_cards: Some(wreck_cards(options.wreck_cards.as_ref().unwrap_or(&printed.wreck_cards))),
        bar: Some(bar(options.bar.as_ref().unwrap_or(&printed.bar))),
        dolphins: Some(dolphins(options.dolphins.as_ref().unwrap_or(&printed.dolphins))),
        shop: Some(shop(options.shop.as_ref().unwrap_or(&printed.shop))),
        unsold_unit: options.unsold_unit.or(printed.unsold_unit),
    }
}

pub(super) fn options_from_proto(options: &pb::Options) -> Result<Options, String> {
    Ok(Options {
        encounters: options.encounters,
        wreck_cards: options.wreck_cards.as_ref().map(wreck_cards_from_proto).transpose()?,
        bar: options.bar.as_ref().map(|bar| BarPrices { diver: bar.diver.clone(), pickpocket: bar.pickpocket.clone() }),
        dolphins: options.dolphins.as_ref().map(|dolphins| dolphins.days.clone()),
        shop: options.shop.as_ref().map(|shop| ShopPrices {
            hose: shop.hose.clone(),
            trident: shop.trident.clone(),
            weight: shop.weight.clone(),
        }),
        unsold_unit: options.unsold_unit,
    })
}

pub(super) fn tables(tables: &Tables) -> pb::Tables {
    pb::Tables {
        wreck_cards: Some(wreck_cards(&tables.wreck_cards)),
        bar: Some(bar(&tables.bar)),
        dolphins: Some(dolphins(&tables.dolphins)),
        shop: Some(shop(&tables.shop)),
        unsold_unit: tables.unsold_unit,
    }
}

fn wreck_cards([shallow, medium, deep]: &[DepthCards; 3]) -> pb::WreckCards {
    pb::WreckCards {
        shallow: Some(depth_cards(shallow)),
        medium: Some(depth_cards(medium)),
        deep: Some(depth_cards(deep)),
    }
}

fn depth_cards(cards: &DepthCards) -> pb::DepthCards {
    pb::DepthCards {
        monsters: cards.monsters,
        diamonds: cards.diamonds.clone(),
        gold: cards.gold.clone(),
        goods: cards.goods.clone(),
        antiques: cards.antiques.clone(),
    }
}

fn bar(prices: &BarPrices) -> pb::BarPrices {
    pb::BarPrices { diver: prices.diver.clone(), pickpocket: prices.pickpocket.clone() }
}

fn dolphins(days: &[u32]) -> pb::DolphinsPay {
    pb::DolphinsPay { days: days.to_vec() }
}

fn shop(prices: &ShopPrices) -> pb::ShopPrices {
    pb::ShopPrices { hose: prices.hose.clone(), trident: prices.trident.clone(), weight: prices.weight.clone() }
}

/// A table is given whole: a depth that is left out could be meant as the printed one or as none.
fn wreck_cards_from_proto(cards: &pb::WreckCards) -> Result<[DepthCards; 3], String> {
    let given = |cards: &Option<pb::DepthCards>, depth: &str| {
        cards.as_ref().map(depth_cards_from_proto).ok_or_else(|| {
            format!("wreck_cards.{depth} is not set: the table has shallow, medium and deep, or is left out whole")
        })
    };
    Ok([given(&cards.shallow, "shallow")?, given(&cards.medium, "medium")?, given(&cards.deep, "deep")?])
}

fn depth_cards_from_proto(cards: &pb::DepthCards) -> DepthCards {
    DepthCards {
        monsters: cards.monsters,
        diamonds: cards.diamonds.clone(),
        gold: cards.gold.clone(),
        goods: cards.goods.clone(),
        antiques: cards.antiques.clone(),
    }
}
