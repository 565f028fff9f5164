//! Stub.
use divelog_proto::games::key_largo::v1 as pb;
use crate::{args::Lang, boards::Seating};
pub fn sentence(_: &pb::Event, _: &Seating, _: Lang) -> Option<String> { todo!() }
