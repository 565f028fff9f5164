//! Checks from outside whether a server kept its promises.
//!
//! [`history`] is what clients asked and were answered, as plain data. [`check`] compares it with the final logs of all games
//! and names everything that does not agree; it does no I/O, reads no clock and starts no task, so that a simulation can
//! use it as well as the load against a real server that [`load`] makes. `docs/testing-concurrency.md` says how to run it.
#![warn(missing_docs)]

pub mod check;
mod choices;
pub mod history;
pub mod load;

pub use check::{Finding, Kind, Report, check};
pub use choices::Choices;
