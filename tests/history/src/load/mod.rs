//! A seeded random load from many clients on a real server, with kills and stops in the middle.
//!
//! A run is a number of rounds. A round has a data folder of its own, settings drawn from its seed, some seconds of load,
//! final checks without faults, in which every request id is repeated and every log is read, and a verdict by [`crate::check`].

mod auditors;
mod calls;
mod client;
mod controller;
mod creators;
mod final_checks;
mod forkers;
mod link;
mod players;
mod recorder;
mod round;
mod server;
mod settings;
mod streams;
mod tables;
mod watchers;

pub use round::{Round, RoundError, RoundResult};
pub use settings::{Role, RoundSettings};

use std::sync::{Mutex, MutexGuard};

/// Locks. A client that has panicked while it held the lock has found a fault of this program: then no verdict can be
/// trusted, so the others fail too.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no client has panicked")
}
