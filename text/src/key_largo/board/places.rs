//! Who is where, and the prices there (KL-7): those that apply, or all of them while the places are secret.

use divelog_proto::games::key_largo::v1::{Phase, Place};

use super::{
    super::{
        mark,
        names::{ITEMS, PLACES, WARES},
        prices,
    },
    BoardContext,
};
use crate::{
    strings::{pad, width},
    table,
};

pub fn section(context: BoardContext) -> String {
    if context.over() {
        return String::new();
    }
    let rows = PLACES.map(|place| (place.text(context.screen.lang), who(context, place.value), place.value));
    let place_width = rows.iter().map(|(name, _, _)| width(name)).max().unwrap_or(0);
    let who_width = rows.iter().map(|(_, who, _)| width(who)).max().unwrap_or(0);
    let rows = rows.map(|(name, who, place)| {
        let head = format!("{}  {}", pad(&name, place_width), pad(&who, who_width));
        (head.trim_end().to_owned(), figures(context, place))
    });
    table::paragraphs(&rows, context.screen)
}

fn who(context: BoardContext, place: Place) -> String {
    let marks: Vec<String> = context.at(place).map(|player| mark(player.seat)).collect();
    if marks.is_empty() && !secret(context) { "-".into() } else { marks.join(" ") }
}

fn secret(context: BoardContext) -> bool {
    context.view.phase() == Phase::Program
}

/// What a place costs or pays. Where nobody is, nothing can be bought in this half-day.
fn figures(context: BoardContext, place: Place) -> String {
    let present = context.present(place);
    if present == 0 && !secret(context) {
        return String::new();
    }
    let lang = context.screen.lang;
    let figure = |row: &[u32]| if secret(context) { all_of(row) } else { one_of(prices::at(row, present)) };
    match place {
        Place::Dive => boats(context),
        Place::Bar => {
            let (diver, pickpocket) = (lang.name("diver", "scaphandrier"), lang.name("pickpocket", "tire-bourse"));
            let (diver_row, pickpocket_row) =
                (prices::diver_row(context.tables), prices::pickpocket_row(context.tables));
            let round = format!("{} ${}", lang.name("round", "tournée"), prices::ROUND);
            format!("{diver} {}, {pickpocket} {}, {round}", figure(diver_row), figure(pickpocket_row))
        }
        Place::Dolphins => pay(context),
        Place::Shop => {
            let items = ITEMS
                .map(|item| format!("{} {}", item.text(lang), figure(prices::item_row(context.tables, item.value))));
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

fn boats(context: BoardContext) -> String {
    let boats = context
        .at(Place::Dive)
        .filter_map(|player| player.boat.map(|wreck| format!("{} on wreck {wreck}", mark(player.seat))));
    let boats: Vec<String> = boats.collect();
    boats.join(", ")
}

/// KL-T3: today's pay, and that of the days to come.
fn pay(context: BoardContext) -> String {
    let days = context.tables.dolphins.as_ref().map_or(&[][..], |dolphins| &dolphins.days);
    let passed = usize::try_from(context.view.day.saturating_sub(1)).unwrap_or(usize::MAX);
    match days.get(passed..) {
        Some([today]) => format!("${today} today"),
        Some([today, rest @ ..]) => {
            let rest: Vec<String> = rest.iter().map(u32::to_string).collect();
            format!("${today} today, then {}", rest.join(" "))
        }
        _ => "?".into(),
    }
}
