//! The dive or the visit under way, and the wrecks that somebody has just looked into.

use divelog_proto::games::key_largo::v1::{Dive, Look, Phase, Player, Visit};

use super::{
    super::{
        card, counted, encounters, faces,
        names::{self, WARES},
    },
    Scene,
};
use crate::table;

pub fn section(scene: Scene) -> String {
    let mut rows = Vec::new();
    rows.extend(scene.view.dive.as_ref().map(|dive| ("so far".into(), self::dive(dive, scene))));
    rows.extend(scene.view.visit.as_ref().map(|visit| ("so far".into(), self::visit(visit, scene))));
    if let Some(player) = scene.acting().filter(|player| player.encounter_played.is_some()) {
        rows.push((String::new(), played(player, scene)));
    }
    rows.extend(scene.view.looks.iter().map(|look| ("seen".into(), self::look(look, scene))));
    if rows.is_empty() { String::new() } else { table::paragraphs(&rows, scene.screen) }
}

fn dive(dive: &Dive, scene: Scene) -> String {
    let lang = scene.screen.lang;
    let left = scene.wreck(dive.wreck).map_or(0, |wreck| wreck.cards.len());
    let mut parts = vec![format!("wreck {} has {} left", dive.wreck, counted(left, "card", "cards"))];
    if !dive.drawn.is_empty() {
        let drawn: Vec<String> = dive.drawn.iter().map(|drawn| card(drawn, lang)).collect();
        parts.push(format!("drawn {}", drawn.join(", ")));
    }
    if dive.diver_fled {
        parts.push("a diver has fled".into());
    }
    if !dive.set_aside.is_empty() {
        parts.push(format!("{} set aside", counted(dive.set_aside.len(), "monster", "monsters")));
    }
    let mut text = parts.join("; ");
    if dive.monster.is_some() {
        let diver = dive.last_diver.map_or_else(|| "a diver".into(), |diver| format!("diver {diver}"));
        text.push_str(&format!("; {diver} has met a {}", lang.name("monster", "monstre")));
    }
    text
}

fn visit(visit: &Visit, scene: Scene) -> String {
    let mut parts = vec![format!("{} present", visit.present)];
    match scene.view.phase() {
        Phase::Bar | Phase::SecondWreck => {
            parts.push(counted(visit.recruits, "diver recruited", "divers recruited"));
            parts.push(counted(visit.pickpockets, "pickpocket hired", "pickpockets hired"));
            parts.push(if visit.round_bought { "round bought".into() } else { "no round bought".into() });
        }
        Phase::Shop => {
            parts.push(format!(
                "bought {}, {}, {}",
                counted(visit.hoses, "hose", "hoses"),
                counted(visit.tridents, "trident", "tridents"),
                counted(visit.weights, "weight", "weights"),
            ));
        }
        _ => parts.push(if visit.sold { "the sale is made".into() } else { "nothing sold in the sale".into() }),
    }
    if let Some(dupe) = &visit.dupe {
        let ware = names::text(&WARES, visit.dupe_ware(), scene.screen.lang);
        parts.push(format!("{} counts as {ware}", card(dupe, scene.screen.lang)));
    }
    parts.join("; ")
}

fn played(player: &Player, scene: Scene) -> String {
    let card = encounters::text(player.encounter_played(), scene.screen.lang);
    match encounters::find(player.encounter_played()) {
        Some(info) => format!("{card} is played: {}", info.effect),
        None => format!("{card} is played"),
    }
}

fn look(look: &Look, scene: Scene) -> String {
    let who = scene.seating.full(look.seat);
    match faces(&look.cards, scene.screen.lang) {
        Some(faces) => format!("{who} has just looked into wreck {}: {faces}; shuffled since", look.wreck),
        None => format!("{who} has just looked into wreck {}", look.wreck),
    }
}
