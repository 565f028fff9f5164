//! `docs/log-format.md` lists every event of every game with its number, and the places in which they come: whoever writes a
//! verifier of their own has nothing else.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{collections::BTreeMap, fs, path::Path};

use divelog_engine::{Chance, Game, Kind, Offer, RulesVersion, SeatCount, SeededChance};

/// Games of random players for each number of seats.
const GAMES: u8 = 12;
/// No game is longer; each has a maximum of its own.
const ACTIONS: usize = 20_000;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(path)).unwrap()
}

/// The page's sections about a game by a version of its rules: that of version 1, and of each later one what differs.
fn sections(page: &str, kind: Kind, version: u16) -> Vec<&str> {
    let heading = format!("\n### {}, rules version", kind.title());
    let is_of = |section: &&str| {
        let versions = section.lines().next().unwrap().trim_start_matches('s').split_whitespace();
        let numbers: Vec<u16> = versions.filter_map(|word| word.parse().ok()).collect();
        assert!(!numbers.is_empty(), "a heading names versions: {section:.40}");
        numbers.into_iter().any(|number| number <= version)
    };
    let sections: Vec<&str> = page.split(&heading).skip(1).map(|rest| rest.split("\n#").next().unwrap()).collect();
    sections.into_iter().filter(is_of).collect()
}

/// The events of the section's table: names by numbers.
fn listed(section: &str) -> BTreeMap<u8, &str> {
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | `"));
    let mut listed = BTreeMap::new();
    for (name, bytes) in rows {
        let number = u8::from_str_radix(&bytes[..2], 16).unwrap_or_else(|_| panic!("{name} has no number: {bytes}"));
        assert_eq!(listed.insert(number, name), None, "two events have the number {number:02x}");
    }
    listed
}

/// The variants of a game's events, in the order of its source.
fn variants(source: &str) -> Vec<&str> {
    let (_, body) = source.split_once("pub enum Event {\n").expect("the events are an enum");
    let body = body.split("\n}").next().unwrap();
    let names = body.lines().filter_map(|line| line.strip_prefix("    "));
    names
        .filter(|line| line.starts_with(|first: char| first.is_ascii_uppercase()))
        .map(|line| line.split(|char: char| !char.is_ascii_alphanumeric()).next().unwrap())
        .collect()
}

/// The events that random games cause: names by the numbers that their bytes begin with.
fn caused<G: Game>(rules: G::Rules) -> BTreeMap<u8, String> {
    let mut caused = BTreeMap::new();
    let mut note = |events: &[G::Event]| {
        for event in events {
            let mut bytes = Vec::new();
            G::encode_event(rules, event, &mut bytes);
            let name =
                format!("{event:?}").split(|char: char| !char.is_ascii_alphanumeric()).next().unwrap().to_owned();
            let known = caused.entry(bytes[0]).or_insert_with(|| name.clone());
            assert_eq!(*known, name, "two events have the number {:02x}", bytes[0]);
        }
    };
    for seed in 0..GAMES {
        for seats in (2..=6).filter_map(SeatCount::new) {
            let mut chance = SeededChance::new([seed; 32]);
            let Ok(step) = G::setup(rules, &G::Options::default(), seats, &mut chance) else { continue };
            note(&step.events);
            let mut state = step.next;
            for _ in 0..ACTIONS {
                let asked = state.to_act();
                let Some(seat) = asked.iter().next() else { break };
                let offers = state.legal_actions(seat);
                let offer = &offers[chance.below(offers.len() as u32) as usize];
                let below = u32::try_from(offer.count()).unwrap_or(u32::MAX);
                let action = offer.nth(chance.below(below).into());
                note(&state.act(seat, &action, &mut chance).unwrap());
            }
            assert!(state.outcome().is_some(), "a game of {ACTIONS} actions");
        }
    }
    caused
}

fn check<G: Game>(kind: Kind, module: &str) {
    let page = read("docs/log-format.md");
    let source = read(&format!("engine/src/{module}/event.rs"));
    let mut variants = variants(&source);
    variants.sort_unstable();
    for rules in G::Rules::ALL {
        let sections = sections(&page, kind, rules.number());
        let listed: BTreeMap<u8, &str> = sections.iter().flat_map(|section| listed(section)).collect();
        let mut names: Vec<&str> = listed.values().copied().collect();
        names.sort_unstable();
        if *rules == G::Rules::NEWEST {
            assert_eq!(names, variants, "{}: the tables and the enum", kind.title());
        }
        let caused = caused::<G>(*rules);
        assert!(caused.len() > variants.len() / 2, "{}: random games cause {caused:?} only", kind.title());
        for (number, name) in caused {
            assert_eq!(listed.get(&number), Some(&name.as_str()), "{}: number {number:02x}", kind.title());
        }
        // Where in a record they come: outside the table every event has its place.
        let lines = sections.iter().flat_map(|section| section.lines());
        let order: String = lines.filter(|line| !line.starts_with('|')).collect();
        for name in &names {
            assert!(order.contains(&format!("`{name}`")), "{}: where does {name} come?", kind.title());
        }
    }
}

macro_rules! tests {
    (() $( $name:ident = $number:literal, $module:ident; )*) => {
        $(
            #[test]
            fn $module() {
                check::<divelog_engine::$module::State>(Kind::$name, stringify!($module));
            }
        )*
    };
}

divelog_engine::with_games!([tests], ());
