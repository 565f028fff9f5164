//! As the service's `sync`, but of loom.
//!
//! Loom has no sequential consistency: what is stored last need not be what another thread loads next. What changes a value
//! always sees the last one, so here loads and stores do so too. That is what sequential consistency promises to code whose
//! every atomic step asks for it, and the modelled code asks for nothing else.

use std::sync::atomic::Ordering::{self, AcqRel, Acquire, SeqCst};
/// Loom's has no `Weak`. Counting references is not modelled.
pub(crate) use std::sync::{Arc, Weak};

pub(crate) use loom::sync::Mutex;
use loom::sync::atomic;

#[derive(Debug)]
pub(crate) struct AtomicUsize(atomic::AtomicUsize);

impl AtomicUsize {
    pub fn new(value: usize) -> AtomicUsize {
        AtomicUsize(atomic::AtomicUsize::new(value))
    }

    pub fn load(&self, order: Ordering) -> usize {
        self.fetch_add(0, order)
    }

    pub fn fetch_add(&self, value: usize, order: Ordering) -> usize {
        assert_eq!(order, SeqCst);
        self.0.fetch_add(value, AcqRel)
    }

    pub fn fetch_sub(&self, value: usize, order: Ordering) -> usize {
        self.fetch_add(value.wrapping_neg(), order)
    }

    pub fn fetch_update(
        &self,
        set: Ordering,
        fetch: Ordering,
        next: impl Fn(usize) -> Option<usize>,
    ) -> Result<usize, usize> {
        assert_eq!(set, SeqCst);
        let mut value = self.load(fetch);
        while let Some(next) = next(value) {
            match self.0.compare_exchange(value, next, AcqRel, Acquire) {
                Ok(before) => return Ok(before),
                Err(now) => value = now,
            }
        }
        Err(value)
    }
}

#[derive(Debug)]
pub(crate) struct AtomicBool(atomic::AtomicBool);

impl AtomicBool {
    pub fn new(value: bool) -> AtomicBool {
        AtomicBool(atomic::AtomicBool::new(value))
    }

    pub fn store(&self, value: bool, order: Ordering) {
        self.swap(value, order);
    }

    pub fn swap(&self, value: bool, order: Ordering) -> bool {
        assert_eq!(order, SeqCst);
        self.0.swap(value, AcqRel)
    }
}
