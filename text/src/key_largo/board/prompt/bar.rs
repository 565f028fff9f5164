//! The words of the bar.

use divelog_proto::games::key_largo::v1::{Encounter, Player, Visit};

use super::{
    super::{
        super::{
            names::DEPTHS,
            numbers,
            prices::{self, ROUND},
        },
        Scene,
    },
    Words,
};

/// KL-16
const TEAM: usize = 3;

pub fn words(scene: Scene, player: &Player) -> Vec<Words> {
    let visit = scene.view.visit.unwrap_or_default();
    [recruit(scene, player, &visit), pickpocket(scene, player, &visit), round(scene, player, &visit)]
        .into_iter()
        .flatten()
        .collect()
}

fn present(visit: &Visit) -> usize {
    usize::try_from(visit.present).unwrap_or(usize::MAX)
}

/// KL-15, KL-E11: one of each, and with the inseparable brothers two of one of them.
fn may_hire(player: &Player, hired: u32, of_the_others: u32) -> bool {
    let brothers = player.encounter_played() == Encounter::InseparableBrothers;
    hired == 0 || brothers && hired == 1 && of_the_others < 2
}

/// KL-16
fn recruit(scene: Scene, player: &Player, visit: &Visit) -> Option<Words> {
    let price = prices::diver(scene.tables, present(visit), player.encounter_played())?;
    let reserve = scene.view.reserve.unwrap_or_default();
    let may = may_hire(player, visit.recruits, visit.pickpockets)
        && player.divers.len() < TEAM
        && reserve.divers > 0
        && price <= player.cash;
    may.then(|| super::words("recruit", format!("${price}: one more diver")))
}

/// KL-17
fn pickpocket(scene: Scene, player: &Player, visit: &Visit) -> Option<Words> {
    let price = prices::pickpocket(scene.tables, present(visit), player.encounter_played())?;
    let victims: Vec<String> = scene
        .view
        .players
        .iter()
        .filter(|other| other.seat != player.seat)
        .flat_map(|other| {
            let depths = DEPTHS.iter().filter(|depth| other.hand.iter().any(|card| card.depth() == depth.value));
            depths.map(|depth| format!("{} {}", other.seat, depth.word))
        })
        .collect();
    let may = may_hire(player, visit.pickpockets, visit.recruits) && !victims.is_empty() && price <= player.cash;
    may.then(|| super::words("pickpocket SEAT DEPTH", format!("${price}: {}", victims.join(", "))))
}

/// KL-18
fn round(scene: Scene, player: &Player, visit: &Visit) -> Option<Words> {
    let left = scene.wrecks_left();
    if visit.round_bought || player.cash < ROUND {
        return None;
    }
    match left.as_slice() {
        [] => None,
        [last] => Some(super::words("round WRECK", format!("${ROUND}: {last}"))),
        _ => Some(super::words("round WRECK WRECK", format!("${ROUND}: two of {}", numbers(left)))),
    }
}
