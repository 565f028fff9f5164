//! The encounter cards that can be played now (KL-26), as far as the viewer sees the hand.

use divelog_proto::games::key_largo::v1::{CardKind, Depth, Encounter, Phase, Place, Player};

use super::{
    super::{
        super::{
            encounters::{self, Info},
            names, numbers,
        },
        Scene, encounter_cards,
    },
    Words, dive, market,
};

/// KL-E22
const TRAFFICKED: usize = 5;

pub fn words(scene: Scene, player: &Player) -> Vec<Words> {
    let place = match scene.view.phase() {
        Phase::Sabotage | Phase::Dive | Phase::Monster => Place::Dive,
        Phase::Bar => Place::Bar,
        Phase::Dolphins => Place::Dolphins,
        Phase::Shop => Place::Shop,
        Phase::Market => Place::Market,
        Phase::Program | Phase::PlaceBoat | Phase::Over | Phase::Unspecified => return vec![],
    };
    if player.encounters.is_empty() || player.encounter_played.is_some() {
        return vec![];
    }
    let cards = encounter_cards(&player.encounters);
    if cards.iter().any(|card| encounters::find(*card).is_none()) {
        return vec![super::words("play ENCOUNTER ...", "a card of this place, if it is in hand")];
    }
    let here = cards.into_iter().filter_map(encounters::find).filter(|info| info.place == place);
    here.filter_map(|info| playable(info, scene, player)).collect()
}

/// The words of a card, if its own conditions are met.
fn playable(info: &Info, scene: Scene, player: &Player) -> Option<Words> {
    let visit = scene.view.visit.unwrap_or_default();
    let bought = [visit.hoses, visit.tridents, visit.weights];
    let choice = match info.card {
        Encounter::Saboteur => saboteur(scene, player),
        Encounter::Volunteer => volunteer(scene, player),
        Encounter::HastyBuyer => hasty_buyer(scene),
        Encounter::Drunkard => any_of(scene.wrecks_left()),
        Encounter::Dupe if !visit.sold => any_of(market::saleable(player).filter_map(|card| card.id)),
        Encounter::Trafficker => trafficker(player, visit.sold),
        Encounter::Jeweller => jeweller(player),
        _ => None,
    };
    let may = match info.card {
        Encounter::Regular => scene.view.phase() == Phase::Monster,
        Encounter::AttentiveDiver => attentive_diver(scene, player),
        Encounter::NoviceDiver | Encounter::ExpertDiver => visit.recruits == 0,
        Encounter::Cutpurse => visit.pickpockets == 0,
        Encounter::Discounter => bought.contains(&2),
        Encounter::GoodFriend => bought == [0; 3],
        Encounter::GoldDigger => !visit.sold,
        _ => choice.is_some() || info.needs.is_empty(),
    };
    let about = match choice {
        Some(choice) => format!("{choice}: {}", info.effect),
        None => info.effect.to_owned(),
    };
    may.then(|| super::words(&info.usage(), about))
}

/// KL-E4, KL-R7
fn saboteur(scene: Scene, player: &Player) -> Option<String> {
    let others = scene.view.players.iter().filter(|other| other.seat != player.seat);
    let targets: Vec<String> = others
        .flat_map(|other| scene.taking_part(other).into_iter().map(|(diver, _)| format!("{} {diver}", other.seat)))
        .collect();
    (scene.view.phase() == Phase::Sabotage && !targets.is_empty()).then(|| targets.join(", "))
}

/// KL-E1
fn volunteer(scene: Scene, player: &Player) -> Option<String> {
    let wreck = scene.wreck(player.boat?)?;
    let divers = scene.taking_part(player).into_iter().map(|(diver, _)| diver);
    let may = scene.view.phase() == Phase::Dive && wreck.depth() == Depth::Shallow && !wreck.cards.is_empty();
    any_of(divers).filter(|_| may)
}

/// KL-E2, KL-R8
fn hasty_buyer(scene: Scene) -> Option<String> {
    let drawn = scene.view.dive.as_ref().filter(|_| scene.view.phase() == Phase::Dive)?.drawn.iter();
    any_of(drawn.filter(|card| names::ware(card.kind()).is_some()).filter_map(|card| card.id))
}

/// KL-E5
fn attentive_diver(scene: Scene, player: &Player) -> bool {
    scene.view.phase() == Phase::Dive
        && scene.view.dive.as_ref().is_some_and(|dive| {
            let left = scene.wreck(dive.wreck).map(|wreck| wreck.cards.len());
            left == Some(1)
                && dive.set_aside.is_empty()
                && dive.last_diver.is_some()
                && dive::all_have_drawn(scene, player)
        })
}

/// KL-E22, KL-R10: before the sale a card must be left for it.
fn trafficker(player: &Player, sold: bool) -> Option<String> {
    let most = market::saleable(player).count().saturating_sub(usize::from(!sold)).min(TRAFFICKED);
    let cards = any_of(market::saleable(player).filter_map(|card| card.id))?;
    (most > 0).then(|| format!("up to {most} of {cards}"))
}

/// KL-E23
fn jeweller(player: &Player) -> Option<String> {
    any_of(player.hand.iter().filter(|card| card.kind() == CardKind::Diamond).filter_map(|card| card.id))
}

fn any_of(list: impl IntoIterator<Item = u32>) -> Option<String> {
    Some(numbers(list)).filter(|text| !text.is_empty())
}
