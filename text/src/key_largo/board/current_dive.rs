//! The dive or the visit under way, and the wrecks that somebody has just looked into.

use divelog_proto::games::key_largo::v1::{Dive, Look, Phase, Player, Visit};

use super::{
    super::{
        card, counted, encounters, faces,
        names::{self, WARES},
    },
    BoardContext,
};
use crate::table;

pub fn section(context: BoardContext) -> String {
    let mut rows = Vec::new();
    rows.extend(context.view.dive.as_ref().map(|dive| ("so far".into(), self::dive(dive, context))));
    rows.extend(context.view.visit.as_ref().map(|visit| ("so far".into(), self::visit(visit, context))));
    if let Some(player) = context.acting().filter(|player| player.encounter_played.is_some()) {
        rows.push((String::new(), played(player, context)));
    }
    rows.extend(context.view.looks.iter().map(|look| ("seen".into(), self::look(look, context))));
    if rows.is_empty() { String::new() } else { table::paragraphs(&rows, context.screen) }
}

fn dive(dive: &Dive, context: BoardContext) -> String {
    let lang = context.screen.lang;
    let left = context.wreck(dive.wreck).map_or(0, |wreck| wreck.cards.len());
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

fn visit(visit: &Visit, context: BoardContext) -> String {
    let mut parts = vec![format!("{} present", visit.present)];
    match context.view.phase() {
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
        let ware = names::text(&WARES, visit.dupe_ware(), context.screen.lang);
        parts.push(format!("{} counts as {ware}", card(dupe, context.screen.lang)));
    }
    parts.join("; ")
}

fn played(player: &Player, context: BoardContext) -> String {
    let card = encounters::text(player.encounter_played(), context.screen.lang);
    match encounters::find(player.encounter_played()) {
        Some(info) => format!("{card} is played: {}", info.effect),
        None => format!("{card} is played"),
    }
}

fn look(look: &Look, context: BoardContext) -> String {
    let who = context.seating.full(look.seat);
    match faces(&look.cards, context.screen.lang) {
        Some(faces) => format!("{who} has just looked into wreck {}: {faces}; shuffled since", look.wreck),
        None => format!("{who} has just looked into wreck {}", look.wreck),
    }
}
