//! Stub.
pub mod board;
pub mod events;
pub mod words;
