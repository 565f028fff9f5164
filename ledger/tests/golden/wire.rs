//! Messages as the text of a playthrough, by the protos' own descriptions.

use std::sync::LazyLock;

use divelog_engine::{AnyAction, AnyEvent, AnyOptions, Kind, Outcome};
use divelog_ledger::convert;
use divelog_proto::v1 as pb;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, SerializeOptions, Value};

/// All fields, in the order of the protos and under their names.
const PRINT: SerializeOptions =
    SerializeOptions::new().use_proto_field_name(true).stringify_64_bit_integers(false).skip_default_fields(false);

static POOL: LazyLock<DescriptorPool> =
    LazyLock::new(|| DescriptorPool::decode(divelog_proto::FILE_DESCRIPTOR_SET).unwrap());

/// What a message of `divelog.v1` is made of.
pub fn descriptor(name: &str) -> MessageDescriptor {
    POOL.get_message_by_name(&format!("divelog.v1.{name}")).unwrap()
}

/// The message of one kind of game inside a `GameOptions`, `GameAction`, ….
pub fn of_kind(name: &str, kind: Kind) -> MessageDescriptor {
    let field = descriptor(name).get_field_by_name(kind.code_name()).unwrap();
    field.kind().as_message().unwrap().clone()
}

/// The only field that is set, which is what a message with nothing but a oneof has.
fn case(message: &DynamicMessage) -> (String, DynamicMessage) {
    let (field, value) = message.fields().next().expect("one case is set");
    let Value::Message(inner) = value else { panic!("the case {} is no message", field.name()) };
    (field.name().to_owned(), inner.clone())
}

fn dynamic(name: &str, message: &impl Message) -> DynamicMessage {
    DynamicMessage::decode(descriptor(name), message.encode_to_vec().as_slice()).unwrap()
}

fn print(message: &DynamicMessage) -> String {
    let mut text = Vec::new();
    message.serialize_with_options(&mut serde_json::Serializer::new(&mut text), &PRINT).unwrap();
    String::from_utf8(text).unwrap()
}

/// `name {fields}` of the case inside a kind's case.
fn line(name: &str, message: &impl Message) -> String {
    let (_, of_kind) = case(&dynamic(name, message));
    let (case, inner) = case(&of_kind);
    format!("{case} {}", print(&inner))
}

pub fn event_line(event: &AnyEvent) -> String {
    line("GameEvent", &convert::event_to_proto(event))
}

pub fn action_line(action: &AnyAction) -> String {
    line("GameAction", &convert::action_to_proto(action))
}

pub fn outcome(outcome: &Outcome) -> String {
    print(&dynamic("Outcome", &convert::outcome_to_proto(outcome)))
}

fn read<M: Message + Default>(name: &str, kind: Kind, json: &str) -> Result<M, String> {
    let whole = format!("{{\"{}\":{json}}}", kind.code_name());
    let mut reader = serde_json::Deserializer::from_str(&whole);
    let message = DynamicMessage::deserialize(descriptor(name), &mut reader).map_err(|problem| problem.to_string())?;
    message.transcode_to().map_err(|problem| problem.to_string())
}

/// The options as a message: what was asked for, without defaults.
pub fn options_message(kind: Kind, json: &str) -> Result<pb::GameOptions, String> {
    read("GameOptions", kind, json)
}

pub fn options(kind: Kind, json: &str) -> Result<AnyOptions, String> {
    convert::options_from_proto(Some(&options_message(kind, json)?))
}

/// The action of `name {fields}`.
pub fn action(kind: Kind, line: &str) -> Result<AnyAction, String> {
    let (name, json) = line.split_once(' ').ok_or("an action is a name and JSON")?;
    let message: pb::GameAction = read("GameAction", kind, &format!("{{\"{name}\":{json}}}"))?;
    convert::action_from_proto(kind, Some(&message))
}
