//! The words of the wrecks.

use divelog_proto::games::key_largo::v1::{Dive, Player};

use super::{
    super::{super::numbers, Scene, reaches},
    Words, words,
};

/// KL-8
pub fn place_boat(scene: Scene, player: &Player) -> Vec<Words> {
    let free = scene.view.wrecks.iter().filter(|wreck| {
        let within_reach = player.divers.iter().any(|diver| reaches(diver, wreck.depth()));
        !wreck.cards.is_empty() && wreck.boat.is_none() && within_reach
    });
    vec![words("boat WRECK", numbers(free.map(|wreck| wreck.wreck)))]
}

/// KL-10, KL-13
pub fn draws(scene: Scene, player: &Player) -> Vec<Words> {
    let Some(dive) = &scene.view.dive else { return vec![words("draw DIVER", "")] };
    if is_empty(scene, dive) {
        return vec![];
    }
    let divers = scene.taking_part(player);
    let dry = numbers(divers.iter().filter(|(_, diver)| !diver.has_drawn).map(|(at, _)| *at));
    let weights = numbers(divers.iter().filter(|(_, diver)| diver.weight).map(|(at, _)| *at));
    let mut list = Vec::new();
    if !dry.is_empty() {
        list.push(words("draw DIVER", dry));
    }
    if dive.last_was_treasure && !weights.is_empty() {
        list.push(words("weight DIVER", format!("{weights}: one card more")));
    }
    list
}

/// KL-R4
pub fn surface(scene: Scene, player: &Player) -> Vec<Words> {
    let may = match &scene.view.dive {
        Some(dive) => dive.diver_fled || is_empty(scene, dive) || all_have_drawn(scene, player),
        None => true,
    };
    if may { vec![words("surface", "ends the dive")] } else { vec![] }
}

/// KL-12, KL-R3
pub fn monster(scene: Scene, player: &Player) -> Vec<Words> {
    let divers = scene.taking_part(player);
    let tridents = numbers(divers.iter().filter(|(_, diver)| diver.trident).map(|(at, _)| *at));
    if tridents.is_empty() {
        vec![words("flee", "the diver is lost with all equipment")]
    } else {
        vec![words("trident DIVER", format!("{tridents}: kills it, and the diver draws again"))]
    }
}

pub fn all_have_drawn(scene: Scene, player: &Player) -> bool {
    scene.taking_part(player).iter().all(|(_, diver)| diver.has_drawn)
}

fn is_empty(scene: Scene, dive: &Dive) -> bool {
    scene.wreck(dive.wreck).is_none_or(|wreck| wreck.cards.is_empty())
}
