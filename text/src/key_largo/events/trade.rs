//! What happens at the bar, in the shop and at the market.

use divelog_proto::games::key_largo::v1::{
    Bought, CardStolen, CardsSold, Encounter, PickpocketHired, Recruited, RoundBought, SaleWay, WreckSeen,
};

use super::{
    super::{
        card, faces, listed,
        names::{self, DEPTHS, ITEMS, WARES, ware},
    },
    Teller,
};

pub fn recruited(recruited: &Recruited, tell: Teller) -> String {
    let (who, diver) = (tell.who(recruited.seat), tell.lang.name("diver", "scaphandrier"));
    let hose = if recruited.with_hose { ", who brings a hose" } else { "" };
    format!("{who} recruits a {diver} for ${}{hose}.", recruited.price)
}

pub fn pickpocket_hired(hired: &PickpocketHired, tell: Teller) -> String {
    let (who, pickpocket) = (tell.who(hired.seat), tell.lang.name("pickpocket", "tire-bourse"));
    let (depth, victim) = (names::text(&DEPTHS, hired.depth(), tell.lang), tell.who(hired.victim));
    format!("{who} hires a {pickpocket} for ${} to steal a {depth} card from {victim}.", hired.price)
}

pub fn card_stolen(stolen: &CardStolen, tell: Teller) -> String {
    let card = card(&stolen.card.unwrap_or_default(), tell.lang);
    format!("{} takes {card} from {}.", tell.who(stolen.thief), tell.who(stolen.victim))
}

pub fn round_bought(bought: &RoundBought, tell: Teller) -> String {
    let (who, round) = (tell.who(bought.seat), tell.lang.name("round", "tournée"));
    let wrecks: Vec<String> = bought.wrecks.iter().map(|&wreck| tell.wreck(wreck)).collect();
    format!("{who} buys a {round} for ${} and asks about {}.", bought.price, listed(&wrecks))
}

pub fn wreck_seen(seen: &WreckSeen, tell: Teller) -> String {
    let (who, wreck) = (tell.who(seen.seat), tell.wreck(seen.wreck));
    match faces(&seen.cards, tell.lang) {
        Some(faces) => format!("{who} looks into {wreck}: {faces}."),
        None => format!("{who} looks into {wreck}."),
    }
}

pub fn bought(bought: &Bought, tell: Teller) -> String {
    let (who, item) = (tell.who(bought.seat), names::text(&ITEMS, bought.item(), tell.lang));
    format!("{who} buys a {item} for ${}, and diver {} carries it.", bought.price, bought.diver)
}

pub fn cards_sold(sold: &CardsSold, tell: Teller) -> String {
    let cards: Vec<String> = sold.cards.iter().map(|sold| card(sold, tell.lang)).collect();
    // With a dupe a card sells as what it is not (KL-E21).
    let as_another = sold.ware.is_some() && sold.cards.iter().any(|card| ware(card.kind()) != Some(sold.ware()));
    let kind = if as_another { format!(" as {}", names::text(&WARES, sold.ware(), tell.lang)) } else { String::new() };
    let buyer = match sold.way() {
        SaleWay::Market | SaleWay::Unspecified => String::new(),
        SaleWay::HastyBuyer => format!(" to {}", tell.encounter(Encounter::HastyBuyer)),
        SaleWay::Trafficker => format!(" to {}", tell.encounter(Encounter::Trafficker)),
        SaleWay::Jeweller => format!(" to {}", tell.encounter(Encounter::Jeweller)),
    };
    let unit = if sold.unit_price > 0 { format!(" at ${} a unit", sold.unit_price) } else { String::new() };
    format!("{} sells {}{kind}{buyer}{unit} for ${}.", tell.who(sold.seat), listed(&cards), sold.income)
}
