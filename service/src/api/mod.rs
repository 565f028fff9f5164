//! gRPC in, domain out. Every call comes through the door; handlers only convert: what is decided is decided in `session`
//! and in the engine.

mod admin;
mod audit;
mod call;
mod door;
mod errors;
mod games;
mod pull;
mod responses;
mod rulebook;
mod submit_stream;
mod transparency;
mod unreadable;
mod validate;
mod watch;

#[cfg(test)]
mod tests;

pub use admin::AdminHandlers;
pub use audit::AuditHandlers;
pub use door::{Door, DoorLayer};
pub use games::GameHandlers;
pub use transparency::TransparencyHandlers;
