//! gRPC in, domain out. Handlers only convert: what is decided is decided in `session` and in the engine.

mod admin;
mod audit;
mod errors;
mod games;
mod responses;
mod rulebook;
mod submit_stream;
mod transparency;
mod validate;
mod watch;

pub use admin::AdminHandlers;
pub use audit::AuditHandlers;
pub use games::GameHandlers;
pub use transparency::TransparencyHandlers;
