//! Chance from a seed for this crate's tests, such as the simulation.

use std::sync::{Arc, Mutex};

use divelog_engine::Chance;

/// SplitMix64. Clones draw from the same row of numbers. Written here because seeds that found a defect name this very row:
/// it must not change with a crate.
#[derive(Clone)]
pub struct TestRng(Arc<Mutex<u64>>);

impl TestRng {
    pub fn new(seed: u64) -> TestRng {
        TestRng(Arc::new(Mutex::new(seed)))
    }

    pub fn next(&self) -> u64 {
        let mut state = self.0.lock().unwrap();
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to `bound - 1`.
    pub fn below(&self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True once in so many times; never for 0.
    pub fn once_in(&self, times: usize) -> bool {
        times > 0 && self.below(times) == 0
    }

    pub fn pick<T: Clone>(&self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

impl Chance for TestRng {
    fn below(&mut self, bound: u32) -> u32 {
        TestRng::below(self, bound as usize) as u32
    }
}
