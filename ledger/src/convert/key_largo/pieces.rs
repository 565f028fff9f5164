//! Places, depths, cards and divers: what actions, events and views have in common.

use divelog_engine::key_largo::{Card, CardKind, Depth, Diver, Encounter, Half, Item, Place, Stock, Ware};
use divelog_proto::games::key_largo::v1 as pb;

pub(super) fn place(place: Place) -> pb::Place {
    match place {
        Place::Dive => pb::Place::Dive,
        Place::Bar => pb::Place::Bar,
        Place::Dolphins => pb::Place::Dolphins,
        Place::Shop => pb::Place::Shop,
        Place::Market => pb::Place::Market,
    }
}

pub(super) fn half(half: Half) -> pb::Half {
    match half {
        Half::Morning => pb::Half::Morning,
        Half::Afternoon => pb::Half::Afternoon,
    }
}

pub(super) fn depth(depth: Depth) -> pb::Depth {
    match depth {
        Depth::Shallow => pb::Depth::Shallow,
        Depth::Medium => pb::Depth::Medium,
        Depth::Deep => pb::Depth::Deep,
    }
}

pub(super) fn item(item: Item) -> pb::Item {
    match item {
        Item::Hose => pb::Item::Hose,
        Item::Trident => pb::Item::Trident,
        Item::Weight => pb::Item::Weight,
    }
}

pub(super) fn ware(ware: Ware) -> pb::Ware {
    match ware {
        Ware::Gold => pb::Ware::Gold,
        Ware::Goods => pb::Ware::Goods,
        Ware::Antiques => pb::Ware::Antiques,
    }
}

pub(super) fn encounter(encounter: Encounter) -> pb::Encounter {
    match encounter {
        Encounter::Volunteer => pb::Encounter::Volunteer,
        Encounter::HastyBuyer => pb::Encounter::HastyBuyer,
        Encounter::Regular => pb::Encounter::Regular,
        Encounter::Saboteur => pb::Encounter::Saboteur,
        Encounter::AttentiveDiver => pb::Encounter::AttentiveDiver,
        Encounter::BarTourist => pb::Encounter::BarTourist,
        Encounter::Drunkard => pb::Encounter::Drunkard,
        Encounter::NoviceDiver => pb::Encounter::NoviceDiver,
        Encounter::ExpertDiver => pb::Encounter::ExpertDiver,
        Encounter::Cutpurse => pb::Encounter::Cutpurse,
        Encounter::InseparableBrothers => pb::Encounter::InseparableBrothers,
        Encounter::DolphinsTourist => pb::Encounter::DolphinsTourist,
        Encounter::Family => pb::Encounter::Family,
        Encounter::ShopTourist => pb::Encounter::ShopTourist,
        Encounter::HoseSeller => pb::Encounter::HoseSeller,
        Encounter::TridentSeller => pb::Encounter::TridentSeller,
        Encounter::WeightSeller => pb::Encounter::WeightSeller,
        Encounter::Discounter => pb::Encounter::Discounter,
        Encounter::GoodFriend => pb::Encounter::GoodFriend,
        Encounter::MarketTourist => pb::Encounter::MarketTourist,
        Encounter::Dupe => pb::Encounter::Dupe,
        Encounter::Trafficker => pb::Encounter::Trafficker,
        Encounter::Jeweller => pb::Encounter::Jeweller,
        Encounter::GoldDigger => pb::Encounter::GoldDigger,
    }
}

/// Encounter cards of which some or all may be hidden.
pub(super) fn encounters(cards: &[Option<Encounter>]) -> Vec<i32> {
    cards.iter().map(|card| card.map_or(pb::Encounter::Unspecified, encounter).into()).collect()
}

pub(super) fn card(card: &Card) -> pb::Card {
    let kind = card.face.map_or(pb::CardKind::Unspecified, |face| match face.kind {
        CardKind::Monster => pb::CardKind::Monster,
        CardKind::Diamond => pb::CardKind::Diamond,
        CardKind::Gold => pb::CardKind::Gold,
        CardKind::Goods => pb::CardKind::Goods,
        CardKind::Antiques => pb::CardKind::Antiques,
    });
    pb::Card {
        depth: depth(card.depth).into(),
        kind: kind.into(),
        value: card.face.map(|face| face.value.into()),
        id: card.id.map(|id| id.0.into()),
    }
}

pub(super) fn cards(cards: &[Card]) -> Vec<pb::Card> {
    cards.iter().map(card).collect()
}

pub(super) fn diver(diver: &Diver) -> pb::Diver {
    pb::Diver {
        hoses: diver.hoses.into(),
        trident: diver.trident,
        weight: diver.weight,
        sabotaged: diver.sabotaged,
        has_drawn: diver.has_drawn,
    }
}

pub(super) fn stock(stock: &Stock) -> pb::Stock {
    let [hoses, tridents, weights] = stock.items.map(u32::from);
    pb::Stock { divers: stock.divers.into(), hoses, tridents, weights }
}

pub(super) fn place_from_proto(number: i32, field: &str) -> Result<Place, String> {
    chosen(&Place::ALL.map(|each| (each, place(each).into(), place(each).as_str_name())), number, field)
}

pub(super) fn depth_from_proto(number: i32, field: &str) -> Result<Depth, String> {
    chosen(&Depth::ALL.map(|each| (each, depth(each).into(), depth(each).as_str_name())), number, field)
}

pub(super) fn item_from_proto(number: i32, field: &str) -> Result<Item, String> {
    chosen(&Item::ALL.map(|each| (each, item(each).into(), item(each).as_str_name())), number, field)
}

pub(super) fn ware_from_proto(number: i32, field: &str) -> Result<Ware, String> {
    chosen(&Ware::ALL.map(|each| (each, ware(each).into(), ware(each).as_str_name())), number, field)
}

pub(super) fn encounter_from_proto(number: i32, field: &str) -> Result<Encounter, String> {
    chosen(&Encounter::ALL.map(|each| (each, encounter(each).into(), encounter(each).as_str_name())), number, field)
}

/// The value with this number, among all of its kind with their numbers and names.
fn chosen<T: Copy>(all: &[(T, i32, &str)], number: i32, field: &str) -> Result<T, String> {
    all.iter().find(|(_, known, _)| *known == number).map(|(value, _, _)| *value).ok_or_else(|| {
        let wrong = if number == 0 { "is not set".into() } else { format!("is {number}, which means nothing") };
        let names: Vec<&str> = all.iter().map(|(_, _, name)| *name).collect();
        format!("{field} {wrong}: it is one of {}", names.join(", "))
    })
}
