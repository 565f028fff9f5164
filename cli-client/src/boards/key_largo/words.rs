//! Stub.
use divelog_proto::games::key_largo::v1 as pb;
use crate::errors::CliError;
pub fn parse(_: &[&str]) -> Result<pb::Action, CliError> { todo!() }
pub fn of(_: &pb::Action) -> String { todo!() }
pub fn of_legal(_: &pb::LegalAction) -> Option<String> { todo!() }
