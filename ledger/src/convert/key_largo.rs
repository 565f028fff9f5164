//! Stub.
use divelog_engine::key_largo::{Action, Event, Offer, Options, View};
use divelog_proto::games::key_largo::v1 as pb;
pub(super) fn options_to_proto(_: &Options) -> pb::Options { todo!() }
pub(super) fn options_from_proto(_: &pb::Options) -> Result<Options, String> { todo!() }
pub(super) fn action_to_proto(_: &Action) -> pb::Action { todo!() }
pub(super) fn action_from_proto(_: &pb::Action) -> Result<Action, String> { todo!() }
pub(super) fn offer_to_proto(_: &Offer) -> pb::LegalAction { todo!() }
pub(super) fn event_to_proto(_: &Event) -> pb::Event { todo!() }
pub(super) fn view_to_proto(_: &View) -> pb::View { todo!() }
