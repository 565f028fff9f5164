//! Nothing is left out: every game, every option, every number of seats, every action and event has a playthrough.

use std::{collections::BTreeSet, fs};

use divelog_engine::Kind;
use prost::Message;
use prost_reflect::{DynamicMessage, Kind as FieldKind, MessageDescriptor, Value};

use crate::file::{self, Golden};
use crate::{play, wire};

/// What a kind has since a rules version after its first: the version, the message, and the names in it.
const LATER: [(&str, u16, &str, &[&str]); 3] = [
    ("key_largo", 2, "GameOptions", &["unsold_unit"]),
    ("key_largo", 2, "GameAction", &["second_wreck", "no_second_wreck"]),
    ("key_largo", 2, "GameEvent", &["second_wreck_named", "second_wreck_declined"]),
];

/// What a kind does not have yet in a rules version.
fn not_yet(kind: Kind, version: u16, message: &str) -> BTreeSet<String> {
    let later =
        LATER.iter().filter(|(name, since, of, _)| (*name, *of) == (kind.code_name(), message) && version < *since);
    later.flat_map(|(.., names)| names.iter().map(|name| (*name).to_owned())).collect()
}

/// A kind in a rules version, with its playthroughs.
struct OfVersion {
    kind: Kind,
    version: u16,
    title: String,
    goldens: Vec<Golden>,
}

/// Every kind in every rules version.
fn goldens() -> Vec<OfVersion> {
    let texts = file::paths().map(|path| fs::read_to_string(path).unwrap());
    let all: Vec<Golden> = texts.map(|text| Golden::parse(&text).unwrap()).collect();
    let versions = Kind::ALL.iter().flat_map(|kind| (1..=kind.rules_version()).map(|version| (*kind, version)));
    versions
        .map(|(kind, version)| {
            let of_version = all.iter().filter(|golden| golden.kind == kind && golden.rules_version == version);
            let title = format!("{}, rules version {version}", kind.title());
            OfVersion { kind, version, title, goldens: of_version.cloned().collect() }
        })
        .collect()
}

/// Every option there is: `field` for a message or number, `field=VALUE` for each value of an enum, `field=true`.
fn possible(options: &MessageDescriptor, path: &str, found: &mut BTreeSet<String>) {
    for field in options.fields() {
        let path = format!("{path}{}", field.name());
        match field.kind() {
            FieldKind::Enum(values) => {
                let values = values.values().filter(|value| value.number() != 0);
                found.extend(values.map(|value| format!("{path}={}", value.name())));
            }
            FieldKind::Message(inner) if !field.is_list() => {
                found.insert(path.clone());
                possible(&inner, &format!("{path}."), found);
            }
            FieldKind::Bool => {
                found.insert(format!("{path}=true"));
            }
            _ => {
                found.insert(path);
            }
        }
    }
}

/// Which of them a message uses.
fn used(options: &DynamicMessage, path: &str, found: &mut BTreeSet<String>) {
    for (field, value) in options.fields() {
        let path = format!("{path}{}", field.name());
        let values: Vec<&Value> = match value {
            Value::List(values) => values.iter().collect(),
            single => vec![single],
        };
        for value in values {
            match (value, field.kind()) {
                (Value::EnumNumber(number), FieldKind::Enum(values)) => {
                    let name = values.get_value(*number).expect("a known value");
                    found.insert(format!("{path}={}", name.name()));
                }
                (Value::Bool(flag), _) => drop(found.insert(format!("{path}={flag}"))),
                (Value::Message(inner), _) if !field.is_list() => {
                    found.insert(path.clone());
                    used(inner, &format!("{path}."), found);
                }
                _ => drop(found.insert(path.clone())),
            }
        }
    }
}

#[test]
fn every_option_of_every_game_has_one() {
    for OfVersion { kind, version, title, goldens } in goldens() {
        let mut wanted = BTreeSet::new();
        possible(&wire::of_kind("GameOptions", kind), "", &mut wanted);
        let mut found = BTreeSet::new();
        let mut plain = false;
        for golden in goldens {
            let message = wire::options_message(kind, &golden.options).unwrap();
            let all = DynamicMessage::decode(wire::descriptor("GameOptions"), message.encode_to_vec().as_slice());
            let all = all.unwrap();
            let of_kind = all.get_field_by_name(kind.code_name()).unwrap().into_owned();
            let Value::Message(of_kind) = of_kind else { panic!("options are a message") };
            plain |= of_kind.fields().next().is_none();
            used(&of_kind, "", &mut found);
        }
        assert!(plain, "{title}: no playthrough without options");
        let not_yet = not_yet(kind, version, "GameOptions");
        assert!(not_yet.is_subset(&wanted), "{title}: {not_yet:?} are not all options");
        let missing = &(&wanted - &found) - &not_yet;
        assert!(missing.is_empty(), "{title}: no playthrough with {missing:?}");
    }
}

#[test]
fn every_number_of_seats_has_one() {
    for OfVersion { kind, title, goldens, .. } in goldens() {
        let seats: BTreeSet<u8> = goldens.iter().map(|golden| golden.seats.get()).collect();
        let missing: Vec<u8> = kind.seats().filter(|count| !seats.contains(count)).collect();
        assert!(missing.is_empty(), "{title}: no playthrough with {missing:?} seats");
    }
}

#[test]
fn every_action_and_event_occurs_in_one() {
    for OfVersion { kind, version, title, goldens } in goldens() {
        let steps: Vec<_> = goldens.into_iter().flat_map(|golden| golden.steps).collect();
        let choices = steps.iter().filter_map(|step| step.choice.as_ref()?.1.split_once(' '));
        let actions: BTreeSet<String> = choices.map(|(name, _)| name.to_owned()).collect();
        let events: BTreeSet<String> = steps.iter().flat_map(|step| step.events.iter().cloned()).collect();
        for (message, seen) in [("GameAction", actions), ("GameEvent", events)] {
            let cases = wire::of_kind(message, kind);
            let all: BTreeSet<String> = cases.fields().map(|field| field.name().to_owned()).collect();
            let not_yet = not_yet(kind, version, message);
            assert!(not_yet.is_subset(&all), "{title}: {not_yet:?} are not all in {message}");
            assert!(not_yet.is_disjoint(&seen), "{title} has {not_yet:?}");
            let missing = &(&all - &seen) - &not_yet;
            assert!(missing.is_empty(), "{title}: no playthrough has a {message} {missing:?}");
        }
    }
}

/// Otherwise nothing would show that the versions are kept apart.
#[test]
fn every_rules_version_has_one_that_the_version_before_would_play_otherwise() {
    for OfVersion { version, title, goldens, .. } in goldens() {
        let differs = |golden: &Golden| !play::is_same_by(golden, version - 1);
        let found = version == 1 || goldens.iter().any(differs);
        assert!(found, "{title} and the version before play all of them the same");
        // The comparison finds nothing where there is nothing.
        assert!(goldens.iter().all(|golden| play::is_same_by(golden, version)), "{title}");
    }
}
