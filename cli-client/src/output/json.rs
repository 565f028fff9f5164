//! Messages as JSON and back, by reflection on the service's own descriptors: whatever the protos say, this prints.
//!
//! Field names are those of the protos, 64-bit integers are numbers, enums are names, bytes are base64. Fields at their
//! default are printed too, so that a program finds `"revision": 0`; what has presence and is absent is left out.

use std::{fmt::Write as _, sync::LazyLock};

use divelog_proto::v1;
use divelog_text::strings::acts_on_a_terminal;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, SerializeOptions};
use serde::{
    Serialize, Serializer,
    ser::{Error as _, SerializeMap as _},
};
use serde_json::Value;

use crate::errors::CliError;

/// A message type that knows its full proto name.
pub trait Named {
    /// Such as `divelog.v1.Game`.
    const NAME: &'static str;
}

macro_rules! named {
    ($($message:ident),* $(,)?) => {
        $(impl Named for v1::$message {
            const NAME: &'static str = concat!("divelog.v1.", stringify!($message));
        })*
    };
}

named!(
    AbandonGameResponse,
    Bundle,
    CreateGameResponse,
    ForkGameResponse,
    PrepareGameResponse,
    GameAction,
    GameEvent,
    GameKindInfo,
    GameOptions,
    GameSummary,
    GetGameResponse,
    InclusionProof,
    KeptRefusal,
    LegalAction,
    ListGameKindsResponse,
    ListGamesResponse,
    ListLegalActionsResponse,
    ListRefusalsResponse,
    LogHeader,
    OpenDrawResponse,
    Outcome,
    ReadLogResponse,
    ReplayGameResponse,
    StoredRecord,
    SubmitActionResponse,
    VerifyFailure,
    VerifyGameResponse,
    WatchGameResponse,
);

const OPTIONS: SerializeOptions =
    SerializeOptions::new().use_proto_field_name(true).stringify_64_bit_integers(false).skip_default_fields(false);

static POOL: LazyLock<Option<DescriptorPool>> =
    LazyLock::new(|| DescriptorPool::decode(divelog_proto::FILE_DESCRIPTOR_SET).ok());

/// The description of a message, by its full name.
pub fn descriptor(name: &str) -> Result<MessageDescriptor, String> {
    POOL.as_ref()
        .and_then(|pool| pool.get_message_by_name(name))
        .ok_or_else(|| format!("this build has no description of {name}"))
}

/// A message as its description sees it.
pub fn dynamic<M: Message + Named>(message: &M) -> Result<DynamicMessage, String> {
    DynamicMessage::decode(descriptor(M::NAME)?, message.encode_to_vec().as_slice()).map_err(|error| error.to_string())
}

/// A message that serde can print.
struct Printable<'a, M>(&'a M);

impl<M: Message + Named> Serialize for Printable<'_, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Shown(&dynamic(self.0).map_err(S::Error::custom)?).serialize(serializer)
    }
}

/// The same for a message that is known only by its description.
pub struct Shown<'a>(pub &'a DynamicMessage);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize_with_options(serializer, &OPTIONS)
    }
}

/// A whole log in one document: what `log show -o json` prints and `log verify --file` reads.
pub struct LogDocument<'a> {
    /// What is known beside the records.
    pub header: &'a v1::LogHeader,
    /// The records, in order.
    pub records: &'a [v1::StoredRecord],
}

impl Serialize for LogDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let records: Vec<_> = self.records.iter().map(Printable).collect();
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("header", &Printable(self.header))?;
        map.serialize_entry("records", &records)?;
        map.end()
    }
}

impl LogDocument<'_> {
    /// The document as indented JSON.
    pub fn pretty(&self) -> Result<String, CliError> {
        printed(serde_json::to_string_pretty(self))
    }
}

/// A message as an indented document.
pub fn pretty<M: Message + Named>(message: &M) -> Result<String, CliError> {
    printed(serde_json::to_string_pretty(&Printable(message)))
}

/// A message on one line.
pub fn compact<M: Message + Named>(message: &M) -> Result<String, CliError> {
    printed(serde_json::to_string(&Printable(message)))
}

/// A message as a JSON value, for a part of something larger.
pub fn to_value<M: Message + Named>(message: &M) -> Result<Value, CliError> {
    serde_json::to_value(Printable(message)).map_err(unprintable)
}

fn printed(result: serde_json::Result<String>) -> Result<String, CliError> {
    result.map(|text| safe(&text)).map_err(unprintable)
}

/// JSON text without what a terminal would act on. Such characters stand in strings only, where JSON has an escape for each;
/// serde_json writes that escape for the oldest of them alone.
pub fn safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        // The line breaks are those of an indented document.
        if c != '\n' && acts_on_a_terminal(c) {
            let mut units = [0; 2];
            // Writing to a string cannot fail.
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(c);
        }
    }
    safe
}

fn unprintable(error: serde_json::Error) -> CliError {
    CliError::Protocol(format!("it cannot be shown as JSON: {error}"))
}

/// Reads a message from JSON text. The error says what is wrong and where.
#[cfg(test)]
pub fn parse<M: Message + Named + Default>(text: &str) -> Result<M, String> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let message = DynamicMessage::deserialize(descriptor(M::NAME)?, &mut deserializer).map_err(|e| e.to_string())?;
    deserializer.end().map_err(|e| e.to_string())?;
    message.transcode_to().map_err(|e| e.to_string())
}

/// Reads a message from a JSON value.
pub fn from_value<M: Message + Named + Default>(value: Value) -> Result<M, String> {
    DynamicMessage::deserialize(descriptor(M::NAME)?, value)
        .map_err(|e| e.to_string())?
        .transcode_to()
        .map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use divelog_proto::{games::deep_sea_adventure::v1 as dsa, v1::game_action};

    #[test]
    fn defaults_are_printed_and_integers_are_numbers() {
        let response = v1::ListLegalActionsResponse::default();
        assert_eq!(compact(&response).unwrap(), r#"{"legal_actions":[],"revision":0,"to_act":[]}"#);
    }

    #[test]
    fn bytes_are_base64_and_enums_are_names() {
        let response = v1::GetGameResponse {
            game: Some(v1::Game {
                kind: v1::GameKind::DeepSeaAdventure.into(),
                head_hash: vec![0xff, 0xef].into(),
                create_time: Some(prost_types::Timestamp { seconds: 1, nanos: 0 }),
                ..Default::default()
            }),
            view: None,
        };
        let value = to_value(&response).unwrap();
        assert_eq!(value["game"]["kind"], "GAME_KIND_DEEP_SEA_ADVENTURE");
        assert_eq!(value["game"]["head_hash"], "/+8=");
        assert_eq!(value["game"]["create_time"], "1970-01-01T00:00:01Z");
        assert!(value.get("view").is_none());
    }

    #[test]
    fn nothing_that_a_terminal_acts_on_is_printed() {
        let name = "A\u{1b}[2J\u{7f}\u{9b}31m\u{202e}\u{2066}\u{200f}\u{61c}\u{feff}\n\tZoë 🐙";
        let response = v1::ListGamesResponse { games: vec![], next_page_token: name.into() };
        for text in [compact(&response).unwrap(), pretty(&response).unwrap()] {
            assert!(text.chars().all(|c| c == '\n' || !acts_on_a_terminal(c)), "{text:?}");
            for escape in [r"\u001b[2J", r"\u007f", r"\u009b31m", r"\u202e\u2066\u200f\u061c", r"\n\tZoë 🐙"] {
                assert!(text.contains(escape), "{escape}: {text}");
            }
            let read: v1::ListGamesResponse = parse(&text).unwrap();
            assert_eq!(read, response, "nothing is lost");
        }
        let value = serde_json::json!({ "k\u{9b}": "\u{202e}" });
        assert_eq!(safe(&value.to_string()), r#"{"k\u009b":"\u202e"}"#);
    }

    #[test]
    fn actions_are_read_from_json() {
        let action: v1::GameAction = parse(r#"{"deep_sea_adventure":{"dive":{"turn_back":true}}}"#).unwrap();
        let dive = dsa::action::Action::Dive(dsa::Dive { turn_back: true });
        assert_eq!(action.action, Some(game_action::Action::DeepSeaAdventure(dsa::Action { action: Some(dive) })));
    }

    #[test]
    fn bad_json_is_described_precisely() {
        let error = parse::<v1::GameAction>(r#"{"deep_sea_adventure":{"fly":{}}}"#).unwrap_err();
        assert!(error.contains("fly"), "{error}");
        let error = parse::<v1::GameAction>("{").unwrap_err();
        assert!(error.contains("line 1 column 1"), "{error}");
        assert!(parse::<v1::GameAction>("{} {}").is_err());
    }
}
