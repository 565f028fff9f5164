//! The choices of a run, all from one seed.

use divelog_engine::Words;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// A source of choices. It is a [`divelog_engine::Chance`] too, so that it can choose among legal actions.
#[derive(Clone, Debug)]
pub struct Choices(ChaCha8Rng);

impl Choices {
    /// Choices that the seed determines; different `stream`s of a seed are independent.
    pub fn new(seed: u64, stream: u64) -> Choices {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Choices(rng)
    }

    /// A number below `bound`, or 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // The bias is far below anything that a load could notice.
        if bound == 0 { 0 } else { (self.word() % bound as u64) as usize }
    }

    /// A number from `least` to `most`.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below((most - least + 1) as usize) as u64
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, percent: u64) -> bool {
        (self.below(100) as u64) < percent
    }

    /// One of some.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// Any 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }
}

impl Words for Choices {
    fn next_word(&mut self) -> u32 {
        self.0.next_u32()
    }
}
