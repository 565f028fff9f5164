//! Stub.
use divelog_proto::games::key_largo::v1 as pb;
use crate::{boards::Seating, output::Screen};
pub fn draw(_: &pb::View, _: bool, _: &Seating, _: Screen) -> String { todo!() }
