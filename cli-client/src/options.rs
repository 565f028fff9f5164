//! The options of a new game, as typed: `--option KEY=VALUE` for single ones, `--options JSON` for all at once; and options
//! in the words that these flags take.
//!
//! What a kind's options are is read from the protos, so a new option needs no change here.

use std::io::Read as _;

use divelog_ledger::convert;
use divelog_proto::v1::{GameKind, GameOptions};
use divelog_text::{rule_book, spelling::short_name};
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage as _, Value as Field};
use serde_json::{Map, Value};

use crate::{
    errors::CliError,
    natural::{self, Mismatch},
    output::json::{self, Named},
};

/// The largest options document that is read.
const MAX_BYTES: u64 = 256 * 1024;

/// The options that the flags ask for; they also choose the kind. `document` is what [`read_document`] has read.
pub fn options(kind: GameKind, document: Map<String, Value>, single: &[String]) -> Result<GameOptions, CliError> {
    let code_name = divelog_text::code_name(kind);
    let descriptor = descriptor(code_name)?;
    let mut fields = document;
    for option in single {
        let Some((key, value)) = option.split_once('=') else {
            return Err(CliError::usage_with(format!("{option:?} is not an option"), "--option takes KEY=VALUE"));
        };
        let field =
            natural::field_named(&descriptor, key.trim()).ok_or_else(|| unknown(key.trim(), &descriptor, code_name))?;
        let name = field.name();
        if fields.keys().any(|given| natural::field_named(&descriptor, given).is_some_and(|given| given == field)) {
            return Err(CliError::usage(format!("the option {name} is given twice")));
        }
        let value = value_of(&field, value.trim()).map_err(|problem| {
            CliError::usage_with(
                format!("the option {name} cannot be {value:?}: it is not JSON: {problem}"),
                format!("it takes {}", shape_of(kind, &field)),
            )
        })?;
        fields.insert(name.to_owned(), value);
    }
    if let Some(key) = fields.keys().find(|key| natural::field_named(&descriptor, key).is_none()) {
        return Err(unknown(key, &descriptor, code_name));
    }
    let fields = natural::message(fields, &descriptor, "").map_err(|Mismatch { at, given, takes }| {
        // Of a whole option more is known than of a field within.
        let takes = descriptor.get_field_by_name(&at).map_or(takes, |field| shape_of(kind, &field));
        CliError::usage_with(format!("the option {at} cannot be {given}"), format!("it takes {takes}"))
    })?;
    let whole = Map::from_iter([(code_name.to_owned(), fields)]);
    json::from_value(Value::Object(whole)).map_err(|problem| {
        CliError::usage_with(
            format!("these are not options of {code_name}: {problem}"),
            format!("`divelog game kinds {code_name}` lists them"),
        )
    })
}

/// The fields of an options document: JSON itself, `-` for stdin or `@FILE`.
pub fn read_document(source: &str) -> Result<Map<String, Value>, CliError> {
    let (text, what) = match source.strip_prefix('@') {
        Some(path) => {
            let file = std::fs::File::open(path)
                .map_err(|source| CliError::io(format!("cannot read the options file {path}"), source))?;
            (read_limited(file, path)?, path)
        }
        None if source == "-" => (read_limited(std::io::stdin().lock(), "stdin")?, "stdin"),
        None => (source.to_owned(), "--options"),
    };
    serde_json::from_str(&text).map_err(|problem| {
        CliError::usage_with(
            format!("{what} is not a JSON object: {problem}"),
            "--options takes the fields of the kind's Options message, such as {\"variant\":\"sudden_death\"}",
        )
    })
}

fn read_limited(reader: impl std::io::Read, name: &str) -> Result<String, CliError> {
    let mut text = String::new();
    reader
        .take(MAX_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|source| CliError::io(format!("cannot read the options from {name}"), source))?;
    if text.len() as u64 > MAX_BYTES {
        return Err(CliError::usage(format!("the options in {name} are longer than {MAX_BYTES} bytes")));
    }
    Ok(text)
}

fn unknown(key: &str, descriptor: &MessageDescriptor, code_name: &str) -> CliError {
    let has = natural::names_of(descriptor);
    CliError::usage_with(format!("{code_name} has no option {key:?}"), format!("it has: {has}"))
}

fn shape_of(kind: GameKind, option: &FieldDescriptor) -> String {
    let kind = convert::kind_from_proto(kind.into());
    let list_length = kind.and_then(|kind| rule_book::list_length(kind, option.name()));
    natural::shape(option, list_length)
}

/// A typed value: JSON where it looks like it, otherwise the text, which its field makes sense of.
fn value_of(field: &FieldDescriptor, text: &str) -> Result<Value, serde_json::Error> {
    let is_json = !matches!(field.kind(), Kind::String) && text.starts_with(['{', '[', '"']);
    if is_json { serde_json::from_str(text) } else { Ok(text.into()) }
}

/// Options in the words that `--option` takes. Without `all` those at their default are left out.
pub fn words(options: &GameOptions, all: bool) -> String {
    let kind = json::dynamic(options).ok().as_ref().and_then(of_kind);
    let Some(options) = kind else { return String::new() };
    let defaults = if all { None } else { defaults_like(&options) };
    // That a message is there may be all that it says, so what is not set is not the same as what is empty.
    let differs = |field: &FieldDescriptor, value: &Field| {
        !defaults.as_ref().is_some_and(|defaults| defaults.has_field(field) && *defaults.get_field(field) == *value)
    };
    let fields = options.fields().filter(|(field, value)| differs(field, value));
    let words: Vec<String> =
        fields.map(|(field, value)| format!("{}={}", field.name(), field_words(&field, value))).collect();
    words.join(" ")
}

/// The default of an option in words; none if it is not set, or newer than this client.
pub fn default_words(code_name: &str, option: &str) -> Option<String> {
    let empty = DynamicMessage::new(descriptor(code_name).ok()?);
    let field = empty.descriptor().get_field_by_name(option)?;
    let defaults = defaults_like(&empty)?;
    let is_set = defaults.has_field(&field) || (!field.supports_presence() && !field.is_list() && !is_enum(&field));
    is_set.then(|| field_words(&field, &defaults.get_field(&field)))
}

fn is_enum(field: &FieldDescriptor) -> bool {
    matches!(field.kind(), Kind::Enum(_))
}

/// What an option takes, in words; none if it is newer than this client.
pub fn shape(code_name: &str, option: &str) -> Option<String> {
    let field = descriptor(code_name).ok()?.get_field_by_name(option)?;
    Some(shape_of(divelog_text::kind_by_code_name(code_name)?, &field))
}

/// The options within the message of all kinds.
fn of_kind(whole: &DynamicMessage) -> Option<DynamicMessage> {
    match whole.fields().next() {
        Some((_, Field::Message(options))) => Some(options.clone()),
        _ => None,
    }
}

/// The defaults of a kind, as the rules fill them in.
fn defaults_like(options: &DynamicMessage) -> Option<DynamicMessage> {
    let descriptor = options.descriptor();
    let all = json::descriptor(GameOptions::NAME).ok()?;
    let field = all.fields().find(|field| matches!(field.kind(), Kind::Message(message) if message == descriptor))?;
    let whole = Map::from_iter([(field.name().to_owned(), Value::Object(Map::new()))]);
    let empty: GameOptions = json::from_value(Value::Object(whole)).ok()?;
    let rules = convert::options_from_proto(Some(&empty)).ok()?;
    let filled = convert::options_to_proto(rules.kind().rules_version(), &rules);
    of_kind(&json::dynamic(&filled).ok()?)
}

fn field_words(field: &FieldDescriptor, value: &Field) -> String {
    match (value, field.kind()) {
        (Field::List(items), _) => items.iter().map(|item| field_words(field, item)).collect::<Vec<_>>().join(","),
        (Field::EnumNumber(number), Kind::Enum(descriptor)) => match descriptor.get_value(*number) {
            Some(value) => short_name(&descriptor, value.name()),
            None => number.to_string(),
        },
        (Field::Message(message), _) => message_words(message),
        (Field::Bool(yes), _) => yes.to_string(),
        (Field::String(text), _) => text.clone(),
        (Field::I32(number), _) => number.to_string(),
        (Field::I64(number), _) => number.to_string(),
        (Field::U32(number), _) => number.to_string(),
        (Field::U64(number), _) => number.to_string(),
        // No option has another type today; a newer one is still printed.
        (other, _) => format!("{other:?}"),
    }
}

/// A message as [`natural`] reads it: one that says only that it is there, one list, or JSON.
fn message_words(message: &DynamicMessage) -> String {
    let descriptor = message.descriptor();
    let mut fields = descriptor.fields();
    match (fields.next(), fields.next()) {
        (None, _) => "true".into(),
        (Some(only), None) => field_words(&only, &message.get_field(&only)),
        _ => serde_json::to_string(&json::Shown(message)).unwrap_or_else(|_| "{...}".into()),
    }
}

/// The Options message of a kind.
fn descriptor(code_name: &str) -> Result<MessageDescriptor, CliError> {
    let field = json::descriptor(GameOptions::NAME).ok().and_then(|all| all.get_field_by_name(code_name));
    match field.map(|field| field.kind()) {
        Some(Kind::Message(descriptor)) => Ok(descriptor),
        _ => Err(CliError::Unsupported(format!("this client does not know the options of {code_name}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(kind: GameKind, single: &[&str]) -> Result<GameOptions, CliError> {
        let single: Vec<String> = single.iter().map(|option| option.to_string()).collect();
        options(kind, Map::new(), &single)
    }

    fn document(kind: GameKind, text: &str) -> Result<GameOptions, CliError> {
        options(kind, read_document(text).unwrap(), &[])
    }

    #[test]
    fn every_kind_has_options() {
        for name in divelog_text::code_names() {
            let kind = divelog_text::kind_by_code_name(name).unwrap();
            assert!(typed(kind, &[]).is_ok(), "{name}");
        }
    }

    #[test]
    fn words_and_documents_say_the_same() {
        let ten = "40,50,60,70,80,90,100,110,120,130";
        let cases = [
            (GameKind::CaptainCarcass, "chosen=casanova,parry", r#"{"chosen":["DIVER_CASANOVA","Parry"]}"#),
            (GameKind::CaptainCarcass, "dealt=true", r#"{"dealt":{}}"#),
            (GameKind::CaptainCarcass, "variant=sudden-death", r#"{"variant":"sudden_death"}"#),
            (GameKind::KeyLargo, &format!("dolphins={ten}"), &format!(r#"{{"dolphins":[{ten}]}}"#)),
            (GameKind::KeyLargo, r#"dolphins={"days":[1,2]}"#, r#"{"dolphins":"1,2"}"#),
            (GameKind::KeyLargo, r#"bar={"diver":[1],"pickpocket":[2]}"#, r#"{"bar":{"diver":1,"pickpocket":"2"}}"#),
            (GameKind::VeiledIsles, "red-blue-action=A2", r#"{"redBlueAction":"action_card_a2"}"#),
            (GameKind::VeiledIsles, "treasure_values=1,2,3,4", r#"{"treasure_values":[1,2,3,4]}"#),
        ];
        for (kind, single, whole) in cases {
            let options = typed(kind, &[single]).unwrap();
            assert_eq!(options, document(kind, whole).unwrap(), "{single}");
            let words = words(&options, true);
            let words: Vec<&str> = words.split(' ').filter(|word| !word.ends_with("unspecified")).collect();
            assert_eq!(typed(kind, &words).unwrap(), options, "{single}: what is printed can be typed");
        }
    }

    #[test]
    fn what_cannot_be_read_names_what_can() {
        let cases = [
            (
                GameKind::CaptainCarcass,
                "chosen=nobody",
                "it takes a list with commas between, each one of golden_scales, casanova, ",
            ),
            (GameKind::CaptainCarcass, "variant=x", "it takes one of thieves_island, "),
            (GameKind::KeyLargo, "dolphins=40,x", "it takes a list of 10 with commas between, each a whole number"),
            (GameKind::KeyLargo, "dolphins=[40,", "it takes a list of 10 with commas between, each a whole number"),
            (GameKind::VeiledIsles, "treasure_values=1,,2", "it takes a list of 8 with commas between, each a whole"),
            (GameKind::KeyLargo, "sharks=1", "it has: encounters, wreck_cards, bar, dolphins, shop, unsold_unit"),
        ];
        for (kind, option, expected) in cases {
            let Err(CliError::Usage { hint, .. }) = typed(kind, &[option]) else { panic!("{option}") };
            assert!(hint.starts_with(expected), "{option}: {hint}");
        }
        let kind = GameKind::KeyLargo;
        let twice = options(kind, read_document(r#"{"Encounters":true}"#).unwrap(), &["encounters=no".into()]);
        assert_eq!(twice.unwrap_err().to_string(), "the option encounters is given twice");
        assert!(typed(kind, &["dolphins=99999999999"]).is_err(), "more than the field holds");
        assert!(document(kind, r#"{"dolphins":{"nights":[1]}}"#).unwrap_err().to_string().contains("dolphins.nights"));
    }

    #[test]
    fn only_what_differs_from_the_rules_is_shown() {
        let filled = |kind, single: &[&str]| {
            let options = typed(kind, single).unwrap();
            let options = convert::options_from_proto(Some(&options)).unwrap();
            convert::options_to_proto(options.kind().rules_version(), &options)
        };
        let key_largo = filled(GameKind::KeyLargo, &[]);
        assert_eq!(words(&key_largo, false), "");
        assert!(words(&key_largo, true).contains("wreck_cards="), "{}", words(&key_largo, true));
        let paid = filled(GameKind::KeyLargo, &["dolphins=9,9,9,9,9,9,9,9,9,9", "encounters=yes"]);
        assert_eq!(words(&paid, false), "encounters=true dolphins=9,9,9,9,9,9,9,9,9,9");
        let isles = filled(GameKind::VeiledIsles, &["red_blue_action=a1", "green_purple_action=a4"]);
        assert_eq!(words(&isles, false), "green_purple_action=a4");
        let divers = filled(GameKind::CaptainCarcass, &["chosen=casanova,parry"]);
        assert_eq!(words(&divers, false), "chosen=casanova,parry");
        assert_eq!(words(&filled(GameKind::CaptainCarcass, &["dealt=true"]), false), "dealt=true");
    }

    /// Sets a game with the fewest seats up by a version, with one option at its example and the others at their default.
    fn set_up(kind: divelog_engine::Kind, version: u16, option: &str) -> Result<(), divelog_engine::Violation> {
        let wire = convert::kind_to_proto(kind);
        let options = convert::options_from_proto(Some(&typed(wire, &[option]).unwrap())).unwrap();
        let seats = divelog_engine::SeatCount::new(usize::from(*kind.seats().start())).unwrap();
        let mut chance = divelog_engine::SeededChance::new([1; 32]);
        divelog_engine::AnyGame::setup(version, &options, seats, &mut chance).map(|_| ())
    }

    #[test]
    fn an_option_is_refused_by_the_versions_before_the_one_that_brought_it() {
        let mut refused = 0;
        for kind in divelog_engine::Kind::ALL {
            for option in rule_book::options(*kind) {
                for version in 1..=kind.rules_version() {
                    let result = set_up(*kind, version, &option.example);
                    let is_there = option.rules_version <= u32::from(version);
                    assert_eq!(result.is_ok(), is_there, "{}, version {version}: {option:?}", kind.title());
                    refused += u32::from(!is_there);
                }
            }
        }
        assert!(refused > 0, "no option is newer than version 1");
    }

    #[test]
    fn a_list_of_a_fixed_length_has_no_other() {
        let mut lists = 0;
        for kind in divelog_engine::Kind::ALL {
            for option in rule_book::options(*kind) {
                let Some(length) = rule_book::list_length(*kind, &option.name) else { continue };
                assert_eq!(option.example.split(',').count(), length, "{option:?}");
                let shape = shape(kind.code_name(), &option.name).unwrap();
                assert!(shape.starts_with(&format!("a list of {length} with commas between")), "{shape}");
                let longer = format!("{},1", option.example);
                assert!(set_up(*kind, kind.rules_version(), &longer).is_err(), "{longer}");
                let (shorter, _) = option.example.rsplit_once(',').unwrap();
                assert!(set_up(*kind, kind.rules_version(), shorter).is_err(), "{shorter}");
                lists += 1;
            }
        }
        assert_eq!(lists, 2, "the pay of the dolphins, and the values of treasures");
    }

    #[test]
    fn each_option_has_its_default() {
        let default = |kind: &str, option| default_words(kind, option);
        assert_eq!(default("key_largo", "encounters").as_deref(), Some("false"));
        assert!(default("key_largo", "dolphins").unwrap().split(',').count() == 10);
        assert_eq!(default("captain_carcass", "variant"), None);
        assert_eq!(default("captain_carcass", "dealt"), None);
        assert_eq!(default("veiled_isles", "green_purple_action").as_deref(), Some("a3"));
        assert_eq!(default("veiled_isles", "treasure_values").as_deref(), Some("1,2,2,3,3,4,4,5"));
        assert_eq!(default("veiled_isles", "newer"), None);
    }
}
