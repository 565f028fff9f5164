//! What things cost and bring by the number of players present (KL-7, KL-16 to KL-23), with the encounters that change
//! it. The market's figures, the round's and the encounters' are printed in the rules; the others come with the view.

use divelog_proto::games::key_largo::v1::{Encounter, Item, Tables, Ware};

/// KL-18
pub const ROUND: u32 = 20;
/// KL-24: a unit of unsold gold, goods or antiques.
pub const UNSOLD_UNIT: u32 = 20;
/// KL-E8
const NOVICE: u32 = 60;
/// KL-E10
const CUTPURSE: u32 = 30;
/// KL-E18
const DISCOUNT: u32 = 20;
/// KL-E24
const GOLD_DIGGER: u32 = 40;

/// KL-16
pub fn diver(tables: &Tables, present: usize, played: Encounter) -> Option<u32> {
    if played == Encounter::NoviceDiver { Some(NOVICE) } else { at(diver_row(tables), present) }
}

/// KL-17
pub fn pickpocket(tables: &Tables, present: usize, played: Encounter) -> Option<u32> {
    if played == Encounter::Cutpurse { Some(CUTPURSE) } else { at(pickpocket_row(tables), present) }
}

/// KL-20, of which `bought` are bought in this visit.
pub fn item(tables: &Tables, item: Item, present: usize, played: Encounter, bought: u32) -> Option<u32> {
    let present = if played == Encounter::GoodFriend { 1 } else { present };
    let reduced = played == Encounter::Discounter && bought == 2;
    let price = at(item_row(tables, item), present)?;
    Some(price.saturating_sub(if reduced { DISCOUNT } else { 0 }))
}

/// KL-23: for a unit.
pub fn ware(ware: Ware, present: usize, played: Encounter) -> Option<u32> {
    if ware == Ware::Gold && played == Encounter::GoldDigger { Some(GOLD_DIGGER) } else { at(ware_row(ware), present) }
}

/// The prices by the number present.
pub fn diver_row(tables: &Tables) -> &[u32] {
    tables.bar.as_ref().map_or(&[], |bar| &bar.diver)
}

/// The prices by the number present.
pub fn pickpocket_row(tables: &Tables) -> &[u32] {
    tables.bar.as_ref().map_or(&[], |bar| &bar.pickpocket)
}

/// The prices by the number present.
pub fn item_row(tables: &Tables, item: Item) -> &[u32] {
    tables.shop.as_ref().map_or(&[], |shop| match item {
        Item::Hose => &shop.hose,
        Item::Trident => &shop.trident,
        Item::Weight => &shop.weight,
        Item::Unspecified => &[],
    })
}

/// The prices of a unit by the number present.
pub fn ware_row(ware: Ware) -> &'static [u32] {
    match ware {
        Ware::Gold => &[30],
        Ware::Goods => &[40, 30, 20],
        Ware::Antiques => &[20, 30, 40],
        Ware::Unspecified => &[],
    }
}

/// The figure for a number present; the last serves for more (KL-R1).
pub fn at(row: &[u32], present: usize) -> Option<u32> {
    row.get(present.saturating_sub(1)).or(row.last()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use divelog_proto::games::key_largo::v1::{BarPrices, ShopPrices};

    fn tables() -> Tables {
        Tables {
            bar: Some(BarPrices { diver: vec![80, 100, 120], pickpocket: vec![60, 70, 80] }),
            shop: Some(ShopPrices { hose: vec![20, 30, 40], trident: vec![30, 40, 60], weight: vec![15] }),
            ..Default::default()
        }
    }

    #[test]
    fn the_number_present_makes_the_price() {
        let none = Encounter::Unspecified;
        let bar = |present| (diver(&tables(), present, none), pickpocket(&tables(), present, none));
        assert_eq!([bar(1), bar(2)], [(Some(80), Some(60)), (Some(100), Some(70))]);
        assert_eq!([bar(3), bar(5)], [(Some(120), Some(80)); 2]);
        assert_eq!(item(&tables(), Item::Weight, 4, none, 0), Some(15));
        assert_eq!([1, 2, 3, 4].map(|present| ware(Ware::Goods, present, none)), [40, 30, 20, 20].map(Some));
        assert_eq!([1, 2, 3, 4].map(|present| ware(Ware::Antiques, present, none)), [20, 30, 40, 40].map(Some));
        assert_eq!(ware(Ware::Gold, 2, none), Some(30));
    }

    #[test]
    fn encounters_change_prices() {
        assert_eq!(diver(&tables(), 3, Encounter::NoviceDiver), Some(60));
        assert_eq!(pickpocket(&tables(), 3, Encounter::Cutpurse), Some(30));
        assert_eq!(item(&tables(), Item::Hose, 3, Encounter::GoodFriend, 0), Some(20));
        assert_eq!(item(&tables(), Item::Hose, 3, Encounter::Discounter, 2), Some(20));
        assert_eq!(item(&tables(), Item::Weight, 3, Encounter::Discounter, 2), Some(0));
        assert_eq!(item(&tables(), Item::Trident, 3, Encounter::Discounter, 0), Some(60));
        assert_eq!(ware(Ware::Gold, 2, Encounter::GoldDigger), Some(40));
        assert_eq!(ware(Ware::Goods, 1, Encounter::GoldDigger), Some(40));
    }

    #[test]
    fn missing_tables_have_no_price() {
        assert_eq!(diver(&Tables::default(), 1, Encounter::Unspecified), None);
        assert_eq!(item(&tables(), Item::Unspecified, 1, Encounter::Unspecified, 0), None);
    }
}
