//! Actions and legal actions.

use divelog_engine::key_largo::{Action, CardId, CardSet, Offer, Play};
use divelog_proto::games::key_largo::v1 as pb;

use super::pieces::{
    depth, depth_from_proto, encounter, encounter_from_proto, item, item_from_proto, place, place_from_proto, ware,
    ware_from_proto,
};

pub(super) fn action_to_proto(action: &Action) -> pb::Action {
    use pb::action::Action as Wire;
    let action = match action {
        Action::Program { morning, afternoon } => {
            Wire::Program(pb::Program { morning: place(*morning).into(), afternoon: place(*afternoon).into() })
        }
        Action::PlaceBoat { wreck } => Wire::PlaceBoat(pb::PlaceBoat { wreck: *wreck }),
        Action::Pass => Wire::Pass(pb::Pass {}),
        Action::DrawCard { diver } => Wire::DrawCard(pb::DrawCard { diver: *diver }),
        Action::UseWeight { diver } => Wire::UseWeight(pb::UseWeight { diver: *diver }),
        Action::Surface => Wire::Surface(pb::Surface {}),
        Action::UseTrident { diver } => Wire::UseTrident(pb::UseTrident { diver: *diver }),
        Action::Flee => Wire::Flee(pb::Flee {}),
        Action::Recruit => Wire::Recruit(pb::Recruit {}),
        Action::HirePickpocket { seat, depth: back } => {
            Wire::HirePickpocket(pb::HirePickpocket { seat: *seat, depth: depth(*back).into() })
        }
        Action::BuyRound { wrecks } => Wire::BuyRound(pb::BuyRound { wrecks: wrecks.clone(), wreck: None }),
        Action::FirstWreck { wreck } => Wire::BuyRound(pb::BuyRound { wrecks: Vec::new(), wreck: Some(*wreck) }),
        Action::SecondWreck { wreck } => Wire::SecondWreck(pb::SecondWreck { wreck: *wreck }),
        Action::NoSecondWreck => Wire::NoSecondWreck(pb::NoSecondWreck {}),
        Action::Buy { item: bought, diver } => Wire::Buy(pb::Buy { item: item(*bought).into(), diver: *diver }),
        Action::Sell { cards } => Wire::Sell(pb::Sell { cards: cards.clone() }),
        Action::PlayEncounter(play) => Wire::PlayEncounter(pb::PlayEncounter { card: Some(play_to_proto(play)) }),
        Action::Done => Wire::Done(pb::Done {}),
    };
    pb::Action { action: Some(action) }
}

fn play_to_proto(play: &Play) -> pb::play_encounter::Card {
    use pb::play_encounter::Card as Wire;
    match play {
        Play::Plain(card) => Wire::Plain(encounter(*card).into()),
        Play::Volunteer { diver } => Wire::Volunteer(pb::Volunteer { diver: *diver }),
        Play::HastyBuyer { treasure } => Wire::HastyBuyer(pb::HastyBuyer { treasure: *treasure }),
        Play::Saboteur { seat, diver } => Wire::Saboteur(pb::Saboteur { seat: *seat, diver: *diver }),
        Play::Drunkard { wreck } => Wire::Drunkard(pb::Drunkard { wreck: *wreck }),
        Play::Dupe { treasure, ware: counted } => {
            Wire::Dupe(pb::Dupe { treasure: *treasure, ware: ware(*counted).into() })
        }
        Play::Trafficker { treasures } => Wire::Trafficker(pb::Trafficker { treasures: treasures.clone() }),
        Play::Jeweller { diamond } => Wire::Jeweller(pb::Jeweller { diamond: *diamond }),
    }
}

pub(super) fn action_from_proto(action: &pb::Action) -> Result<Action, String> {
    use pb::action::Action as Wire;
    let action = action.action.as_ref().ok_or(
        "the key_largo action is empty: program, place_boat, pass, draw_card, use_weight, surface, use_trident, flee, \
         recruit, hire_pickpocket, buy_round, buy, sell, play_encounter, done, second_wreck or no_second_wreck is expected",
    )?;
    Ok(match action {
        Wire::Program(program) => Action::Program {
            morning: place_from_proto(program.morning, "program.morning")?,
            afternoon: place_from_proto(program.afternoon, "program.afternoon")?,
        },
        Wire::PlaceBoat(boat) => Action::PlaceBoat { wreck: boat.wreck },
        Wire::Pass(_) => Action::Pass,
        Wire::DrawCard(draw) => Action::DrawCard { diver: draw.diver },
        Wire::UseWeight(weight) => Action::UseWeight { diver: weight.diver },
        Wire::Surface(_) => Action::Surface,
        Wire::UseTrident(trident) => Action::UseTrident { diver: trident.diver },
        Wire::Flee(_) => Action::Flee,
        Wire::Recruit(_) => Action::Recruit,
        Wire::HirePickpocket(hire) => {
            Action::HirePickpocket { seat: hire.seat, depth: depth_from_proto(hire.depth, "hire_pickpocket.depth")? }
        }
        Wire::BuyRound(round) => round_from_proto(round)?,
        Wire::SecondWreck(second) => Action::SecondWreck { wreck: second.wreck },
        Wire::NoSecondWreck(_) => Action::NoSecondWreck,
        Wire::Buy(buy) => Action::Buy { item: item_from_proto(buy.item, "buy.item")?, diver: buy.diver },
        Wire::Sell(sell) => Action::Sell { cards: sell.cards.clone() },
        Wire::PlayEncounter(play) => Action::PlayEncounter(play_from_proto(play)?),
        Wire::Done(_) => Action::Done,
    })
}

/// A round has another form in version 1 of the rules: the rules refuse the one that is not theirs.
fn round_from_proto(round: &pb::BuyRound) -> Result<Action, String> {
    match round.wreck {
        None => Ok(Action::BuyRound { wrecks: round.wrecks.clone() }),
        Some(wreck) if round.wrecks.is_empty() => Ok(Action::FirstWreck { wreck }),
        Some(_) => {
            Err("buy_round has wreck and wrecks: it is wrecks by rules version 1, and wreck from version 2 on".into())
        }
    }
}

fn play_from_proto(play: &pb::PlayEncounter) -> Result<Play, String> {
    use pb::play_encounter::Card as Wire;
    let card = play.card.as_ref().ok_or(
        "play_encounter is empty: plain, volunteer, hasty_buyer, saboteur, drunkard, dupe, trafficker or jeweller is \
         expected",
    )?;
    Ok(match card {
        Wire::Plain(number) => Play::Plain(encounter_from_proto(*number, "play_encounter.plain")?),
        Wire::Volunteer(volunteer) => Play::Volunteer { diver: volunteer.diver },
        Wire::HastyBuyer(buyer) => Play::HastyBuyer { treasure: buyer.treasure },
        Wire::Saboteur(saboteur) => Play::Saboteur { seat: saboteur.seat, diver: saboteur.diver },
        Wire::Drunkard(drunkard) => Play::Drunkard { wreck: drunkard.wreck },
        Wire::Dupe(dupe) => {
            Play::Dupe { treasure: dupe.treasure, ware: ware_from_proto(dupe.ware, "play_encounter.dupe.ware")? }
        }
        Wire::Trafficker(trafficker) => Play::Trafficker { treasures: trafficker.treasures.clone() },
        Wire::Jeweller(jeweller) => Play::Jeweller { diamond: jeweller.diamond },
    })
}

pub(super) fn offer_to_proto(offer: &Offer) -> pb::LegalAction {
    use pb::legal_action::LegalAction as Wire;
    let legal_action = match offer {
        Offer::Single(action) => Wire::Action(action_to_proto(action)),
        Offer::BuyRound { wrecks } => {
            Wire::BuyRound(pb::BuyRoundFamily { wrecks: wrecks.iter().map(|wreck| (*wreck).into()).collect() })
        }
        Offer::Sell { ware: sold, required, cards } => Wire::Sell(pb::SellFamily {
            ware: ware(*sold).into(),
            required: required.map(|card| card.0.into()),
            cards: ids(*cards),
        }),
        Offer::Dupe { treasures } => {
            let cards: CardSet = treasures.iter().map(|(card, _)| *card).collect();
            Wire::Dupe(pb::DupeFamily { treasures: ids(cards) })
        }
        Offer::Trafficker { treasures, most } => {
            Wire::Trafficker(pb::TraffickerFamily { treasures: ids(*treasures), most: (*most).into() })
        }
        Offer::Jeweller { diamonds } => Wire::Jeweller(pb::JewellerFamily { diamonds: ids(*diamonds) }),
    };
    pb::LegalAction { legal_action: Some(legal_action) }
}

/// Ascending.
fn ids(cards: CardSet) -> Vec<u32> {
    cards.iter().map(|CardId(id)| id.into()).collect()
}
