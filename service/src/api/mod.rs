//! gRPC in, domain out. Handlers only convert: what is decided is decided in `session` and in the engine.

mod admin;
mod audit;
mod errors;
mod fields;
mod games;
mod resource;
mod rulebook;
mod submit_stream;
mod transparency;
mod watch;

pub use admin::Admin;
pub use audit::Audit;
pub use games::Play;
pub use transparency::Publish;
