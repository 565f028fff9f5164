//! The options of a new game, as typed: `--option KEY=VALUE` for single ones, `--options JSON` for all at once.
//!
//! What a kind's options are is read from the protos, so a new option needs no change here.

use std::io::Read as _;

use divelog_proto::v1::{GameKind, GameOptions};
use prost_reflect::{DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, Value as Field};
use serde_json::{Map, Value};

use crate::{
    errors::CliError,
    output::json::{self, Named},
};

/// The largest options document that is read.
const MAX_BYTES: u64 = 256 * 1024;

/// The options that the flags ask for; they also choose the kind. `document` is JSON, `-` for stdin or `@FILE`.
pub fn options(kind: GameKind, document: Option<&str>, single: &[String]) -> Result<GameOptions, CliError> {
    let code_name = divelog_text::code_name(kind);
    let descriptor = descriptor(code_name)?;
    let mut fields = match document {
        Some(source) => read_document(source)?,
        None => Map::new(),
    };
    for option in single {
        let Some((key, value)) = option.split_once('=') else {
            return Err(CliError::usage_with(format!("{option:?} is not an option"), "--option takes KEY=VALUE"));
        };
        let name = key.trim().to_ascii_lowercase().replace('-', "_");
        let field = descriptor.get_field_by_name(&name).ok_or_else(|| unknown(key, &descriptor, code_name))?;
        let value = field_value(&field, value.trim()).map_err(|problem| {
            CliError::usage_with(format!("the option {name} cannot be {value:?}"), format!("it takes {problem}"))
        })?;
        if fields.insert(name.clone(), value).is_some() {
            return Err(CliError::usage(format!("the option {name} is given twice")));
        }
    }
    let whole = Map::from_iter([(code_name.to_owned(), Value::Object(fields))]);
    json::from_value(Value::Object(whole)).map_err(|problem| {
        CliError::usage_with(
            format!("these are not options of {code_name}: {problem}"),
            format!("`divelog game kinds {code_name}` lists them"),
        )
    })
}

/// Options in the words that `--option` takes, those at their default left out.
pub fn words(options: &GameOptions) -> String {
    let whole = json::dynamic(options).ok();
    let kind = whole.as_ref().and_then(|whole| whole.fields().next());
    let Some((_, Field::Message(options))) = kind else { return String::new() };
    let words: Vec<String> =
        options.fields().map(|(field, value)| format!("{}={}", field.name(), field_words(&field, value))).collect();
    words.join(" ")
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

fn message_words(message: &DynamicMessage) -> String {
    serde_json::to_string(&json::Shown(message)).unwrap_or_else(|_| "{...}".into())
}

/// What distinguishes a value: `sudden_death` of `VARIANT_SUDDEN_DEATH`.
fn short_name(descriptor: &EnumDescriptor, name: &str) -> String {
    let prefix = descriptor.default_value().name().trim_end_matches("UNSPECIFIED").to_owned();
    name.strip_prefix(&prefix).unwrap_or(name).to_ascii_lowercase()
}

/// The Options message of a kind.
fn descriptor(code_name: &str) -> Result<MessageDescriptor, CliError> {
    let field = json::descriptor(GameOptions::NAME).ok().and_then(|all| all.get_field_by_name(code_name));
    match field.map(|field| field.kind()) {
        Some(Kind::Message(descriptor)) => Ok(descriptor),
        _ => Err(CliError::Unsupported(format!("this client does not know the options of {code_name}"))),
    }
}

fn unknown(key: &str, descriptor: &MessageDescriptor, code_name: &str) -> CliError {
    let names: Vec<String> = descriptor.fields().map(|field| field.name().to_owned()).collect();
    let known = if names.is_empty() { "it has none".into() } else { format!("it has: {}", names.join(", ")) };
    CliError::usage_with(format!("{code_name} has no option {key:?}"), known)
}

fn read_document(source: &str) -> Result<Map<String, Value>, CliError> {
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
            "--options takes the fields of the kind's Options message, such as {\"variant\":\"VARIANT_SUDDEN_DEATH\"}",
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

/// A typed value as the JSON of a field; the error says what the field takes.
fn field_value(field: &FieldDescriptor, text: &str) -> Result<Value, String> {
    if field.is_list() && !text.starts_with('[') {
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        let items: Result<Vec<Value>, String> = items.map(|item| one_value(field, item)).collect();
        return items.map(Value::Array).map_err(|what| format!("a list with commas, each {what}"));
    }
    if field.is_list() { as_json(text) } else { one_value(field, text) }
}

fn one_value(field: &FieldDescriptor, text: &str) -> Result<Value, String> {
    match field.kind() {
        Kind::Bool => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Ok(true.into()),
            "false" | "no" | "off" => Ok(false.into()),
            _ => Err("true or false".into()),
        },
        Kind::Enum(descriptor) => enum_value(&descriptor, text),
        Kind::Message(_) => as_json(text),
        Kind::String => Ok(text.into()),
        _ => text.parse::<i64>().map(Value::from).map_err(|_| "a whole number".into()),
    }
}

fn as_json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|problem| format!("JSON ({problem})"))
}

/// A value by its full name, or by what distinguishes it: `sudden_death` for `VARIANT_SUDDEN_DEATH`.
fn enum_value(descriptor: &EnumDescriptor, text: &str) -> Result<Value, String> {
    let typed = text.to_ascii_uppercase().replace('-', "_");
    let zero = descriptor.default_value();
    let prefix = zero.name().trim_end_matches("UNSPECIFIED").to_owned();
    let chosen = descriptor.values().find(|value| value.name() == typed || value.name() == format!("{prefix}{typed}"));
    chosen.map(|value| value.name().into()).ok_or_else(|| {
        let named = descriptor.values().filter(|value| value.number() != 0);
        let names: Vec<String> = named.map(|value| short_name(descriptor, value.name())).collect();
        format!("one of {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_options() {
        for name in divelog_text::code_names() {
            let kind = divelog_text::kind_by_code_name(name).unwrap();
            assert!(options(kind, None, &[]).is_ok(), "{name}");
        }
    }
}
