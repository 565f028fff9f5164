//! Calling a divelog server, for every program that does: where it is ([`Endpoint`]), a connection with deadlines
//! ([`Connection`]), what may be sent twice ([`METHODS`]), and what an error says ([`ErrorDetails`]).
//!
//! The only sentences for people here are those about a bad address: all others, and hints, belong to the program that shows
//! them.

mod connection;
mod details;
mod endpoint;
mod error;
mod methods;
mod retry;
#[cfg(test)]
mod tests;

pub use connection::{Connection, MAX_MESSAGE_BYTES};
pub use details::{ErrorDetails, code_name};
pub use endpoint::{Endpoint, EndpointError};
pub use error::CallError;
pub use methods::{METHODS, Method, Repeat, ServerStream, Unary};
