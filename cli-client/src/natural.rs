//! JSON and `KEY=VALUE` as people write them, made into the JSON of a message: names of fields and of enum values in any
//! spelling, and a message that holds one list alone, such as the pay of the dolphins, as that list.
//!
//! Everything is read from the protos, so a new option or action needs no change here.

use divelog_text::spelling::{letters, short_name};
use prost_reflect::{EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value};
use thiserror::Error;

/// What does not fit, and what would.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{at} cannot be {given}: it takes {takes}")]
pub struct Mismatch {
    /// The field, such as `chosen.divers`.
    pub at: String,
    /// What stands there.
    pub given: String,
    /// What it takes.
    pub takes: String,
}

/// The JSON of a message. The path is that of the message, empty at the top.
pub fn message(fields: Map<String, Value>, descriptor: &MessageDescriptor, path: &str) -> Result<Value, Mismatch> {
    let mut known = Map::new();
    for (key, value) in fields {
        let Some(field) = field_named(descriptor, &key) else {
            let at = if path.is_empty() { format!("{key:?}") } else { format!("{path}.{key}") };
            return Err(Mismatch { at, given: "a field".into(), takes: names_of(descriptor) });
        };
        let at = join(path, field.name());
        let again = known.contains_key(field.name());
        if again {
            return Err(Mismatch { at, given: "given twice".into(), takes: "one value".into() });
        }
        if let Some(value) = self::field(&field, value, &at)? {
            known.insert(field.name().to_owned(), value);
        }
    }
    Ok(Value::Object(known))
}

/// The field that a typed name means.
pub fn field_named(descriptor: &MessageDescriptor, typed: &str) -> Option<FieldDescriptor> {
    descriptor.fields().find(|field| letters(field.name()) == letters(typed))
}

/// The names of the fields, for a sentence.
pub fn names_of(descriptor: &MessageDescriptor) -> String {
    let names: Vec<String> = descriptor.fields().map(|field| field.name().to_owned()).collect();
    if names.is_empty() { "nothing".into() } else { names.join(", ") }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The JSON of a field; none if it is as if the field was left out.
pub fn field(field: &FieldDescriptor, value: Value, at: &str) -> Result<Option<Value>, Mismatch> {
    if value.is_null() {
        return Ok(None);
    }
    if field.is_map() {
        return Ok(Some(value));
    }
    if !field.is_list() {
        return single(field, value, at);
    }
    let items = match value {
        Value::Array(items) => items,
        Value::String(text) => items_of(field, &text, at)?,
        Value::Number(_) => vec![value],
        other => return Err(mismatch(field, &other, at)),
    };
    let items: Result<Vec<Value>, Mismatch> =
        items.into_iter().map(|item| Ok(single(field, item, at)?.unwrap_or(Value::Null))).collect();
    items.map(|items| Some(Value::Array(items)))
}

/// The items of a typed list. One that is empty is a slip of the hand, and what was meant is not known.
fn items_of(field: &FieldDescriptor, text: &str, at: &str) -> Result<Vec<Value>, Mismatch> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let items: Vec<&str> = text.split(',').map(str::trim).collect();
    if let Some(place) = items.iter().position(|item| item.is_empty()) {
        let given = format!("{text:?}: item {} of the list is empty", place + 1);
        return Err(Mismatch { at: at.to_owned(), given, takes: shape(field, None) });
    }
    Ok(items.into_iter().map(Value::from).collect())
}

/// One value of a field that may be a list.
fn single(field: &FieldDescriptor, value: Value, at: &str) -> Result<Option<Value>, Mismatch> {
    let read = match (field.kind(), &value) {
        (Kind::Message(descriptor), _) => return part(field, &descriptor, value, at),
        (Kind::Enum(descriptor), Value::String(text)) => enum_value(&descriptor, text),
        (Kind::Bool, Value::String(text)) => truth(text).map(Value::from),
        (Kind::Bool, Value::Bool(_)) | (Kind::Enum(_), Value::Number(_)) => Some(value.clone()),
        (Kind::Bool | Kind::Enum(_), _) => None,
        (Kind::String | Kind::Bytes, _) => Some(value.clone()),
        // The bounds are checked where the message is built.
        (_, Value::String(text)) => text.trim().parse::<i128>().ok().map(|_| text.trim().into()),
        (_, Value::Number(number)) => (number.is_i64() || number.is_u64()).then(|| value.clone()),
        _ => None,
    };
    read.map(Some).ok_or_else(|| mismatch(field, &value, at))
}

/// A message within a message.
fn part(
    field: &FieldDescriptor,
    descriptor: &MessageDescriptor,
    value: Value,
    at: &str,
) -> Result<Option<Value>, Mismatch> {
    let mut fields = descriptor.fields();
    match (value, fields.next(), fields.next()) {
        (Value::Object(map), ..) => message(map, descriptor, at).map(Some),
        // That it is there is all that such a message says.
        (Value::Bool(true), None, _) => Ok(Some(Value::Object(Map::new()))),
        (Value::Bool(false), None, _) => Ok(None),
        (Value::String(text), None, _) => match truth(&text) {
            Some(there) => part(field, descriptor, there.into(), at),
            None => Err(mismatch(field, &text.into(), at)),
        },
        (value, Some(only), None) => {
            let inner = self::field(&only, value, at)?;
            Ok(inner.map(|inner| Value::Object(Map::from_iter([(only.name().to_owned(), inner)]))))
        }
        (value, ..) => Err(mismatch(field, &value, at)),
    }
}

fn mismatch(field: &FieldDescriptor, value: &Value, at: &str) -> Mismatch {
    Mismatch { at: at.to_owned(), given: value.to_string(), takes: shape(field, None) }
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// A value by its full name or by what distinguishes it: `sudden_death`, `Sudden-Death` and `VARIANT_SUDDEN_DEATH` are one.
fn enum_value(descriptor: &EnumDescriptor, text: &str) -> Option<Value> {
    let typed = letters(text);
    let named = descriptor
        .values()
        .find(|value| letters(value.name()) == typed || letters(&short_name(descriptor, value.name())) == typed);
    // Where no value has that name, none is the one that is not set.
    let named = named.or_else(|| (typed == "none").then(|| descriptor.default_value()));
    named.map(|value| value.name().into())
}

/// What a field takes, in words. The protos do not say how many values a list must have: that is added where it is known.
pub fn shape(field: &FieldDescriptor, list_length: Option<usize>) -> String {
    let mut one = match field.kind() {
        Kind::Bool => "true or false".to_owned(),
        Kind::String => "text".into(),
        Kind::Enum(descriptor) => {
            let named = descriptor.values().filter(|value| value.number() != 0);
            let names: Vec<String> = named.map(|value| short_name(&descriptor, value.name())).collect();
            format!("one of {}", names.join(", "))
        }
        Kind::Message(descriptor) => {
            let mut fields = descriptor.fields();
            match (fields.next(), fields.next()) {
                (None, _) => "true or false".into(),
                (Some(only), None) => shape(&only, list_length),
                _ => format!("JSON like {}", skeleton(&descriptor)),
            }
        }
        _ => "a whole number".into(),
    };
    if field.is_list() {
        one = match list_length {
            Some(length) => format!("a list of {length} with commas between, each {one}"),
            None => format!("a list with commas between, each {one}"),
        };
    }
    one
}

/// The form of a message, with spaces where a line may be broken.
fn skeleton(descriptor: &MessageDescriptor) -> String {
    let fields = descriptor.fields().map(|field| {
        let one = match field.kind() {
            Kind::Message(inner) => skeleton(&inner),
            Kind::Enum(_) | Kind::String => "\"NAME\"".into(),
            Kind::Bool => "true".into(),
            _ => "N".into(),
        };
        format!("\"{}\":{}", field.name(), if field.is_list() { format!("[{one},...]") } else { one })
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::output::json;

    fn options(kind: &str) -> MessageDescriptor {
        json::descriptor(&format!("divelog.games.{kind}.v1.Options")).unwrap()
    }

    fn read(kind: &str, value: Value) -> Result<Value, String> {
        let Value::Object(fields) = value else { panic!("an object") };
        message(fields, &options(kind), "").map_err(|mismatch| mismatch.to_string())
    }

    #[test]
    fn values_of_enums_have_many_spellings() {
        for typed in ["VARIANT_SUDDEN_DEATH", "sudden_death", "Sudden-Death", "sudden death", "variant-sudden-death"] {
            assert_eq!(
                read("captain_carcass", json!({ "variant": typed })),
                Ok(json!({ "variant": "VARIANT_SUDDEN_DEATH" })),
                "{typed}"
            );
        }
        assert_eq!(read("captain_carcass", json!({ "variant": 3 })), Ok(json!({ "variant": 3 })));
        assert_eq!(
            read("captain_carcass", json!({ "variant": "none" })),
            Ok(json!({ "variant": "VARIANT_UNSPECIFIED" }))
        );
        let error = read("captain_carcass", json!({ "variant": "sudden" })).unwrap_err();
        assert!(error.starts_with("variant cannot be \"sudden\": it takes one of thieves_island, "), "{error}");
    }

    #[test]
    fn a_message_of_one_list_is_that_list() {
        let chosen = json!({ "chosen": { "divers": ["DIVER_CASANOVA", "DIVER_CAPTAINS_HOOK"] } });
        for typed in [
            json!({ "chosen": ["casanova", "captain's hook"] }),
            json!({ "chosen": "Casanova, captains-hook" }),
            json!({ "Chosen": { "divers": ["DIVER_CASANOVA", "diver-captains-hook"] } }),
        ] {
            assert_eq!(read("captain_carcass", typed.clone()), Ok(chosen.clone()), "{typed}");
        }
        let days = json!({ "dolphins": { "days": [40, 50] } });
        assert_eq!(read("key_largo", json!({ "dolphins": [40, 50] })), Ok(days.clone()));
        assert_eq!(read("key_largo", days.clone()), Ok(days));
        assert_eq!(
            read("key_largo", json!({ "dolphins": "40, 50" })),
            Ok(json!({ "dolphins": { "days": ["40", "50"] } }))
        );
    }

    #[test]
    fn a_message_without_fields_is_there_or_not() {
        for there in [json!(true), json!("yes"), json!({})] {
            assert_eq!(read("captain_carcass", json!({ "dealt": there })), Ok(json!({ "dealt": {} })));
        }
        for not_there in [json!(false), json!("no"), json!(null)] {
            assert_eq!(read("captain_carcass", json!({ "dealt": not_there })), Ok(json!({})));
        }
    }

    #[test]
    fn a_list_has_no_holes() {
        for (typed, place) in [("casanova,,parry", 2), (",parry", 1), ("casanova, parry,", 3), ("casanova, ", 2)] {
            let error = read("captain_carcass", json!({ "chosen": typed })).unwrap_err();
            let expected = format!("chosen cannot be {typed:?}: item {place} of the list is empty: it takes a list");
            assert!(error.starts_with(&expected), "{error}");
        }
        for nothing in ["", " "] {
            assert_eq!(
                read("captain_carcass", json!({ "chosen": nothing })),
                Ok(json!({ "chosen": { "divers": [] } }))
            );
        }
        assert!(read("captain_carcass", json!({ "chosen": ["casanova", ""] })).is_err());
        assert!(read("captain_carcass", json!({ "chosen": ["casanova", null] })).is_err());
        assert!(read("key_largo", json!({ "dolphins": [40, null] })).is_err());
    }

    #[test]
    fn what_does_not_fit_is_named_with_what_would() {
        let cases = [
            (
                "captain_carcass",
                json!({ "chosen": ["casnova"] }),
                "chosen cannot be \"casnova\": it takes a list with commas between, each one of golden",
            ),
            ("captain_carcass", json!({ "dealt": "maybe" }), "dealt cannot be \"maybe\": it takes true or false"),
            ("key_largo", json!({ "dolphins": "40,x" }), "dolphins cannot be \"x\": it takes a list with commas"),
            ("key_largo", json!({ "dolphins": [4.5] }), "dolphins cannot be 4.5: it takes a list"),
            ("key_largo", json!({ "encounters": 1 }), "encounters cannot be 1: it takes true or false"),
            ("key_largo", json!({ "bar": [1] }), "bar cannot be [1]: it takes JSON like {\"diver\":[N,...], "),
            ("key_largo", json!({ "bar": { "beer": 1 } }), "bar.beer cannot be a field: it takes diver, pickpocket"),
            ("key_largo", json!({ "bar": {}, "Bar": {} }), "bar cannot be given twice"),
            ("key_largo", json!({ "sharks": 1 }), "\"sharks\" cannot be a field: it takes encounters, "),
        ];
        for (kind, value, expected) in cases {
            let error = read(kind, value.clone()).unwrap_err();
            assert!(error.starts_with(expected), "{value}: {error}");
        }
    }
}
