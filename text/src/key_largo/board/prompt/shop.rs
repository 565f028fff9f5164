//! The words of the shop.

use divelog_proto::games::key_largo::v1::{Diver, Encounter, Item, Player, Visit};

use super::{
    super::{
        super::{
            names::{ITEMS, Name},
            numbers, prices,
        },
        Scene,
    },
    Words,
};

/// KL-20
const PURCHASES: u32 = 2;

pub fn words(scene: Scene, player: &Player) -> Vec<Words> {
    let visit = scene.view.visit.unwrap_or_default();
    ITEMS.iter().filter_map(|item| buy(scene, player, &visit, item)).collect()
}

/// KL-20, KL-21
fn buy(scene: Scene, player: &Player, visit: &Visit, item: &Name<Item>) -> Option<Words> {
    let present = usize::try_from(visit.present).unwrap_or(usize::MAX);
    let bought = bought(visit, item.value);
    let price = prices::item(scene.tables, item.value, present, player.encounter_played(), bought)?;
    let room = (0u32..).zip(&player.divers).filter(|(_, diver)| has_room(diver, item.value));
    let room = numbers(room.map(|(at, _)| at));
    let may = may_buy_one_more(player, visit, item.value)
        && in_reserve(scene, item.value) > 0
        && !room.is_empty()
        && price <= player.cash;
    may.then(|| super::words(&format!("buy {} DIVER", item.word), format!("${price}: {room}")))
}

fn bought(visit: &Visit, item: Item) -> u32 {
    match item {
        Item::Hose => visit.hoses,
        Item::Trident => visit.tridents,
        Item::Weight => visit.weights,
        Item::Unspecified => 0,
    }
}

fn in_reserve(scene: Scene, item: Item) -> u32 {
    let reserve = scene.view.reserve.unwrap_or_default();
    match item {
        Item::Hose => reserve.hoses,
        Item::Trident => reserve.tridents,
        Item::Weight => reserve.weights,
        Item::Unspecified => 0,
    }
}

/// KL-21
fn has_room(diver: &Diver, item: Item) -> bool {
    match item {
        Item::Hose => diver.hoses < 2,
        Item::Trident => !diver.trident,
        Item::Weight => !diver.weight,
        Item::Unspecified => false,
    }
}

/// KL-20: two items, and with an encounter one more of a certain kind, not necessarily as the last one.
fn may_buy_one_more(player: &Player, visit: &Visit, item: Item) -> bool {
    let total = visit.hoses.saturating_add(visit.tridents).saturating_add(visit.weights);
    if total != PURCHASES {
        return total < PURCHASES;
    }
    let seller = |extra| item == extra || bought(visit, extra) > 0;
    match player.encounter_played() {
        Encounter::HoseSeller => seller(Item::Hose),
        Encounter::TridentSeller => seller(Item::Trident),
        Encounter::WeightSeller => seller(Item::Weight),
        Encounter::Discounter => bought(visit, item) == PURCHASES,
        _ => false,
    }
}
