//! Messages as JSON and back, by reflection on the service's own descriptors: whatever the protos say, this prints.
//!
//! Field names are those of the protos, 64-bit integers are numbers, enums are names, bytes are base64. Fields at their
//! default are printed too, so that a program finds `"revision": 0`; what has presence and is absent is left out.

use std::sync::LazyLock;

use divelog_proto::v1;
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
    result.map_err(unprintable)
}

fn unprintable(error: serde_json::Error) -> CliError {
    CliError::Protocol(format!("it cannot be shown as JSON: {error}"))
}

/// Reads a message from JSON text. The error says what is wrong and where.
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
