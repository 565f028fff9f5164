//! Locks without regard to poisoning: what they guard are counts, each changed in one step, and a panic in one task must not
//! hide what the others have measured.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
