//! Locks without regard to poisoning: what they guard is changed in single steps, each complete before anything can panic,
//! and a panic in one call must not take all others down.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Locks.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits to be woken.
pub(crate) fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

/// Waits while something holds, but not longer than this.
pub(crate) fn wait_while<'a, T>(
    condition: &Condvar,
    guard: MutexGuard<'a, T>,
    at_most: Duration,
    holds: impl FnMut(&mut T) -> bool,
) -> MutexGuard<'a, T> {
    condition.wait_timeout_while(guard, at_most, holds).unwrap_or_else(PoisonError::into_inner).0
}
