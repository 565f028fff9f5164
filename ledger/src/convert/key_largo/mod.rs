//! Key Largo between the wire and the engine.

mod action;
mod event;
mod options;
mod pieces;
mod view;

#[cfg(test)]
mod tests;

pub(super) use action::{action_from_proto, action_to_proto, offer_to_proto};
pub(super) use event::event_to_proto;
pub(super) use options::{options_from_proto, options_to_proto};
pub(super) use view::view_to_proto;
