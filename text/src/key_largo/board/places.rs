//! Who is where, and the prices there (KL-7): those that apply, or all of them while the places are secret.

use divelog_proto::games::key_largo::v1::{Phase, Place};

use super::{
    super::{
        mark,
        names::{ITEMS, PLACES, WARES},
        prices,
    },
    Scene,
};
use crate::{
    strings::{pad, width},
    table,
};

pub fn section(scene: Scene) -> String {
    if scene.over() {
        return String::new();
    }
    let rows = PLACES.map(|place| (place.text(scene.screen.lang), who(scene, place.value), place.value));
    let place_width = rows.iter().map(|(name, _, _)| width(name)).max().unwrap_or(0);
    let who_width = rows.iter().map(|(_, who, _)| width(who)).max().unwrap_or(0);
    let rows = rows.map(|(name, who, place)| {
        let head = format!("{}  {}", pad(&name, place_width), pad(&who, who_width));
        (head.trim_end().to_owned(), figures(scene, place))
    });
    table::paragraphs(&rows, scene.screen)
}

fn who(scene: Scene, place: Place) -> String {
    let marks: Vec<String> = scene.at(place).map(|player| mark(player.seat)).collect();
    if marks.is_empty() && !secret(scene) { "-".into() } else { marks.join(" ") }
}

fn secret(scene: Scene) -> bool {
    scene.view.phase() == Phase::Program
}

/// What a place costs or pays. Where nobody is, nothing can be bought in this half-day.
fn figures(scene: Scene, place: Place) -> String {
    let present = scene.present(place);
    if present == 0 && !secret(scene) {
        return String::new();
    }
    let lang = scene.screen.lang;
    let figure = |row: &[u32]| if secret(scene) { all_of(row) } else { one_of(prices::at(row, present)) };
    match place {
        Place::Dive => boats(scene),
        Place::Bar => {
            let (diver, pickpocket) = (lang.name("diver", "scaphandrier"), lang.name("pickpocket", "tire-bourse"));
            let (diver_row, pickpocket_row) = (prices::diver_row(scene.tables), prices::pickpocket_row(scene.tables));
            let round = format!("{} ${}", lang.name("round", "tournée"), prices::ROUND);
            format!("{diver} {}, {pickpocket} {}, {round}", figure(diver_row), figure(pickpocket_row))
        }
        Place::Dolphins => pay(scene),
        Place::Shop => {
            let items =
                ITEMS.map(|item| format!("{} {}", item.text(lang), figure(prices::item_row(scene.tables, item.value))));
            items.join(", ")
        }
        Place::Market => {
            let wares = WARES.map(|ware| format!("{} {}", ware.text(lang), figure(prices::ware_row(ware.value))));
            format!("{} a unit", wares.join(", "))
        }
        Place::Unspecified => String::new(),
    }
}

/// By the number present: `$80/100/120`.
fn all_of(row: &[u32]) -> String {
    let figures: Vec<String> = row.iter().map(u32::to_string).collect();
    if figures.is_empty() { "?".into() } else { format!("${}", figures.join("/")) }
}

fn one_of(price: Option<u32>) -> String {
    price.map_or_else(|| "?".into(), |price| format!("${price}"))
}

fn boats(scene: Scene) -> String {
    let boats = scene
        .at(Place::Dive)
        .filter_map(|player| player.boat.map(|wreck| format!("{} on wreck {wreck}", mark(player.seat))));
    let boats: Vec<String> = boats.collect();
    boats.join(", ")
}

/// KL-T3: today's pay, and that of the days to come.
fn pay(scene: Scene) -> String {
    let days = scene.tables.dolphins.as_ref().map_or(&[][..], |dolphins| &dolphins.days);
    let passed = usize::try_from(scene.view.day.saturating_sub(1)).unwrap_or(usize::MAX);
    match days.get(passed..) {
        Some([today]) => format!("${today} today"),
        Some([today, rest @ ..]) => {
            let rest: Vec<String> = rest.iter().map(u32::to_string).collect();
            format!("${today} today, then {}", rest.join(" "))
        }
        _ => "?".into(),
    }
}
