//! The session on one thread, under a scheduler that a seed decides for: which task goes on, which read of the disk is done
//! next, how far the writer is, which caller goes away, and when the machine crashes.
//!
//! | file | what it holds |
//! |---|---|
//! | `scheduler` | tasks, polled in any order; the session's runtime on top of it |
//! | `world` | one seed: runs of a server on one disk, calls, crashes, and final checks without faults |
//! | `calls` | what callers ask |
//! | `history` | what they observed, and whether all of it can be true |
//! | `tests` | many seeds; injected defects |
//!
//! The session is the real one, with the real queue to the writer, its real staging of a group, and a log in memory
//! (`store::manual_writer`), which refuses a group late now and then. More seeds: `DIVELOG_SIMULATION_SEEDS=100000`; one
//! seed again: `DIVELOG_SIMULATION_SEED=4711`. Chance is `crate::test_rng`.

mod calls;
mod history;
mod scheduler;
mod tests;
mod world;

use std::cell::Cell;

/// A defect that the session once had. Injected on a thread, it shows that the simulation finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// A creation takes the place of a copy that was loaded meanwhile, and the writer compares nothing.
    TwoCopies,
    /// A record that comes while the writer is being woken waits for another one to come.
    LostWakeUp,
    /// A creation is its caller's work, and its id is not freed when the caller goes away.
    CreationOfItsCaller,
}

thread_local! {
    static INJECTED: Cell<Option<Defect>> = const { Cell::new(None) };
}

/// Whether this thread has the defect.
pub fn injected(defect: Defect) -> bool {
    INJECTED.get() == Some(defect)
}

fn inject(defect: Option<Defect>) {
    INJECTED.set(defect);
}
