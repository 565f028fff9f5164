//! A waker for this crate's tests that counts how often its task was woken.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

#[derive(Default)]
pub struct WakeUps(AtomicUsize);

impl Wake for WakeUps {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl WakeUps {
    pub fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}
