//! What `divelogd` counts without a lock, built for [loom], which tries the interleavings of a few threads. The models are
//! in `tests/`; no program uses this crate.
//!
//! Here are the names of the service's crate that the modelled files need. Their own tests need the real atomics, so none of
//! it is built as a test.

#[cfg(not(test))]
#[path = "../../src/transport/budget/mod.rs"]
pub mod budget;
#[cfg(not(test))]
mod sync;

#[cfg(not(test))]
mod lock {
    use loom::sync::{Mutex, MutexGuard};

    /// Locks.
    pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().expect("a panic ends the model")
    }
}

/// An answer that is unread; nothing of it is modelled.
pub struct Unread;
