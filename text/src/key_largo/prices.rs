//! What things cost and bring by the number of players present (KL-7, KL-16 to KL-24), as the board lists them. The
//! market's figures and the round's are printed in the rules; the others come with the view.

use divelog_proto::games::key_largo::v1::{Item, Tables, Ware};

/// KL-18
pub const ROUND: u32 = 20;
/// KL-24: a unit of unsold gold, goods or antiques, by rules whose tables do not say it.
const UNSOLD_UNIT: u32 = 20;

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

/// KL-24: what a unit of unsold gold, goods or antiques is worth.
pub fn unsold_unit(tables: &Tables) -> u32 {
    tables.unsold_unit.unwrap_or(UNSOLD_UNIT)
}

/// The figure for a number present; the last serves for more (KL-R1).
pub fn at(row: &[u32], present: usize) -> Option<u32> {
    row.get(present.saturating_sub(1)).or(row.last()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use divelog_proto::games::key_largo::v1::{BarPrices, ShopPrices};

    #[test]
    fn the_number_present_makes_the_price() {
        let tables = Tables {
            bar: Some(BarPrices { diver: vec![80, 100, 120], pickpocket: vec![60, 70, 80] }),
            shop: Some(ShopPrices { hose: vec![20, 30, 40], trident: vec![30, 40, 60], weight: vec![15] }),
            ..Default::default()
        };
        assert_eq!([1, 2, 3, 5].map(|present| at(diver_row(&tables), present)), [80, 100, 120, 120].map(Some));
        assert_eq!([1, 2, 3, 5].map(|present| at(pickpocket_row(&tables), present)), [60, 70, 80, 80].map(Some));
        assert_eq!(at(item_row(&tables, Item::Weight), 4), Some(15));
        assert_eq!([1, 2, 3, 4].map(|present| at(ware_row(Ware::Goods), present)), [40, 30, 20, 20].map(Some));
        assert_eq!(at(ware_row(Ware::Gold), 2), Some(30));
        assert_eq!(unsold_unit(&tables), 20);
        assert_eq!(unsold_unit(&Tables { unsold_unit: Some(35), ..tables }), 35);
    }

    #[test]
    fn missing_tables_have_no_price() {
        assert_eq!(at(diver_row(&Tables::default()), 1), None);
        assert_eq!(at(item_row(&Tables::default(), Item::Hose), 1), None);
    }
}
