//! The words of the market.

use divelog_proto::games::key_largo::v1::{Card, CardKind, Player, Visit, Ware};

use super::{
    super::{
        super::{
            names::{self, Name, WARES},
            numbers, prices,
        },
        Scene,
    },
    Words,
};

pub fn words(scene: Scene, player: &Player) -> Vec<Words> {
    let visit = scene.view.visit.unwrap_or_default();
    if visit.sold {
        return vec![];
    }
    if !is_seen(player) {
        return vec![super::words("sell CARD ...", "cards of one kind")];
    }
    WARES.iter().filter_map(|ware| sale(player, &visit, ware)).collect()
}

/// KL-22, KL-R10
pub fn done(scene: Scene, player: &Player) -> Vec<Words> {
    let sold = scene.view.visit.unwrap_or_default().sold;
    if sold || is_seen(player) && saleable(player).next().is_none() {
        vec![super::done()]
    } else if is_seen(player) {
        vec![]
    } else {
        vec![super::words("done", "ends the visit, once a card is sold that can be")]
    }
}

/// Whether the viewer sees the hand; an empty one counts.
pub fn is_seen(player: &Player) -> bool {
    player.hand.iter().all(|card| card.kind() != CardKind::Unspecified)
}

/// The cards that the market buys.
pub fn saleable(player: &Player) -> impl Iterator<Item = &Card> {
    player.hand.iter().filter(|card| names::ware(card.kind()).is_some())
}

/// KL-22, KL-23, KL-E21: the sale of one ware, if there is anything of it.
fn sale(player: &Player, visit: &Visit, ware: &Name<Ware>) -> Option<Words> {
    let required = visit.dupe.and_then(|dupe| dupe.id);
    if required.is_some() && visit.dupe_ware() != ware.value {
        return None;
    }
    let cards = saleable(player).filter(|card| names::ware(card.kind()) == Some(ware.value));
    let ids = numbers(cards.filter_map(|card| card.id).filter(|id| Some(*id) != required));
    let present = usize::try_from(visit.present).unwrap_or(usize::MAX);
    let price = prices::ware(ware.value, present, player.encounter_played())?;
    let choice = match (required, ids.is_empty()) {
        (None, true) => return None,
        (None, false) => format!("any of {ids}"),
        (Some(required), true) => required.to_string(),
        (Some(required), false) => format!("{required}, and any of {ids}"),
    };
    Some(super::words("sell CARD ...", format!("{} at ${price} a unit: {choice}", ware.word)))
}
