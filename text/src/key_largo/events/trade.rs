//! What happens at the bar, in the shop and at the market.

use divelog_proto::games::key_largo::v1::{
    Bought, CardStolen, CardsSold, Encounter, PickpocketHired, Recruited, RoundBought, SaleWay, WreckSeen,
};

use super::{
    super::{
        card, faces, listed,
        names::{self, DEPTHS, ITEMS, WARES, ware},
    },
    Describer,
};

pub fn recruited(recruited: &Recruited, describe: Describer) -> String {
    let (who, diver) = (describe.who(recruited.seat), describe.lang.name("diver", "scaphandrier"));
    let hose = if recruited.with_hose { ", who brings a hose" } else { "" };
    format!("{who} recruits a {diver} for ${}{hose}.", recruited.price)
}

pub fn pickpocket_hired(hired: &PickpocketHired, describe: Describer) -> String {
    let (who, pickpocket) = (describe.who(hired.seat), describe.lang.name("pickpocket", "tire-bourse"));
    let (depth, victim) = (names::text(&DEPTHS, hired.depth(), describe.lang), describe.who(hired.victim));
    format!("{who} hires a {pickpocket} for ${} to steal a {depth} card from {victim}.", hired.price)
}

pub fn card_stolen(stolen: &CardStolen, describe: Describer) -> String {
    let card = card(&stolen.card.unwrap_or_default(), describe.lang);
    format!("{} takes {card} from {}.", describe.who(stolen.thief), describe.who(stolen.victim))
}

pub fn round_bought(bought: &RoundBought, describe: Describer) -> String {
    let (who, round) = (describe.who(bought.seat), describe.lang.name("round", "tournée"));
    let wrecks: Vec<String> = bought.wrecks.iter().map(|&wreck| describe.wreck(wreck)).collect();
    format!("{who} buys a {round} for ${} and asks about {}.", bought.price, listed(&wrecks))
}

pub fn wreck_seen(seen: &WreckSeen, describe: Describer) -> String {
    let (who, wreck) = (describe.who(seen.seat), describe.wreck(seen.wreck));
    match faces(&seen.cards, describe.lang) {
        Some(faces) => format!("{who} looks into {wreck}: {faces}."),
        None => format!("{who} looks into {wreck}."),
    }
}

pub fn bought(bought: &Bought, describe: Describer) -> String {
    let (who, item) = (describe.who(bought.seat), names::text(&ITEMS, bought.item(), describe.lang));
    format!("{who} buys a {item} for ${}, and diver {} carries it.", bought.price, bought.diver)
}

pub fn cards_sold(sold: &CardsSold, describe: Describer) -> String {
    let cards: Vec<String> = sold.cards.iter().map(|sold| card(sold, describe.lang)).collect();
    // With a dupe a card sells as what it is not (KL-E21).
    let as_another = sold.ware.is_some() && sold.cards.iter().any(|card| ware(card.kind()) != Some(sold.ware()));
    let kind =
        if as_another { format!(" as {}", names::text(&WARES, sold.ware(), describe.lang)) } else { String::new() };
    let buyer = match sold.way() {
        SaleWay::Market | SaleWay::Unspecified => String::new(),
        SaleWay::HastyBuyer => format!(" to {}", describe.encounter(Encounter::HastyBuyer)),
        SaleWay::Trafficker => format!(" to {}", describe.encounter(Encounter::Trafficker)),
        SaleWay::Jeweller => format!(" to {}", describe.encounter(Encounter::Jeweller)),
    };
    let unit = if sold.unit_price > 0 { format!(" at ${} a unit", sold.unit_price) } else { String::new() };
    format!("{} sells {}{kind}{buyer}{unit} for ${}.", describe.who(sold.seat), listed(&cards), sold.income)
}
