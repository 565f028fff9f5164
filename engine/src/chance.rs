//! Chance: the one way in which luck enters a game.
//!
//! Bounded draws and shuffles are written here rather than taken from a library, because libraries change theirs between
//! versions and an old log must always replay. The vectors in the tests pin them.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// A source of luck.
pub trait Chance {
    /// A number from 0 to `bound - 1`, each equally likely. `bound` is at least 1.
    fn below(&mut self, bound: u32) -> u32;
}

/// A source of 32-bit words, each value equally likely. Every one of them is a [`Chance`].
pub trait Words {
    /// The next word.
    fn next_word(&mut self) -> u32;
}

/// Lemire's multiply-and-reject draw: unbiased, and nearly always one word.
///
/// A bound of 1 draws a word too, so that how much chance is used never depends on how forced a draw is.
impl<W: Words> Chance for W {
    fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "a draw needs at least one possible result");
        let mut product = u64::from(self.next_word()) * u64::from(bound);
        if (product as u32) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u32) < threshold {
                product = u64::from(self.next_word()) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }
}

/// Fisher–Yates from the last place down: one draw for every item but one.
pub fn shuffle<T>(items: &mut [T], chance: &mut dyn Chance) {
    for last in (1..items.len()).rev() {
        let bound = u32::try_from(last + 1).expect("no deck has 2^32 cards");
        items.swap(last, chance.below(bound) as usize);
    }
}

/// The key of one record's chance.
pub type ChanceKey = [u8; 32];

/// Chance from ChaCha20, the 32-byte key being the whole seed.
#[derive(Clone, Debug)]
pub struct SeededChance(ChaCha20Rng);

impl SeededChance {
    /// Chance that this key determines.
    pub fn new(key: ChanceKey) -> SeededChance {
        SeededChance(ChaCha20Rng::from_seed(key))
    }
}

impl Words for SeededChance {
    fn next_word(&mut self) -> u32 {
        self.0.next_u32()
    }
}

#[cfg(test)]
mod tests {
    use alloc::{string::String, vec::Vec};

    use super::*;

    fn shuffled_sixty(key: ChanceKey) -> String {
        let mut deck: Vec<u8> = (0..60).collect();
        shuffle(&mut deck, &mut SeededChance::new(key));
        hex::encode(deck)
    }

    /// Words given in advance; running out is a failure of the test.
    struct Given(Vec<u32>);

    impl Words for Given {
        fn next_word(&mut self) -> u32 {
            self.0.remove(0)
        }
    }

    #[test]
    fn the_zero_key_gives_the_published_chacha20_stream() {
        let mut chance = SeededChance::new([0; 32]);
        let words: Vec<u8> = (0..4).flat_map(|_| chance.next_word().to_le_bytes()).collect();
        let published =
            [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90, 0x40, 0x5d, 0x6a, 0xe5, 0x53, 0x86, 0xbd, 0x28];
        assert_eq!(words, published);
    }

    #[test]
    fn shuffles_give_the_pinned_vectors() {
        assert_eq!(
            shuffled_sixty([0; 32]),
            "0d30132324341d0f35061a15321f182f3716011e0704110e0b003a273103082e1b2c252622381039022a14201712362d0a0c1c19292b053b09332128"
        );
        let mut key = [0; 32];
        key[0] = 0x2a;
        assert_eq!(
            shuffled_sixty(key),
            "3003391c322e1b0b041d3117253823000633111a210f1f01103b203a190a2f020c27360d132c15160e292a24221e353712052b080734262d28141809"
        );
    }

    #[test]
    fn a_draw_that_would_be_biased_is_made_again() {
        // For bound 3 exactly one word in 2^32 is rejected: 0, whose product's low half lies below 2^32 mod 3 = 1.
        let mut words = Given(alloc::vec![0, 0, 0xffff_ffff, 7]);
        assert_eq!(words.below(3), 2);
        assert_eq!(words.0, [7], "two rejected words and one accepted were taken");
        // For bound 6 the threshold is 4: the words 0 and 0x2aaaaaab (low half 2) go, 0x55555556 (low half 4) stays.
        let mut words = Given(alloc::vec![0, 0x2aaa_aaab, 0x5555_5556]);
        assert_eq!(words.below(6), 2);
        assert!(words.0.is_empty());
    }

    #[test]
    fn powers_of_two_never_reject_and_a_bound_of_one_takes_a_word() {
        let mut words = Given(alloc::vec![0, 0x8000_0000, 0xffff_ffff, 123]);
        assert_eq!([words.below(2), words.below(2), words.below(2), words.below(1)], [0, 1, 1, 0]);
    }

    #[test]
    fn every_small_bound_is_reached_evenly() {
        let mut chance = SeededChance::new([7; 32]);
        for bound in 1..=13u32 {
            let mut counts = [0u32; 13];
            for _ in 0..bound * 1000 {
                counts[chance.below(bound) as usize] += 1;
            }
            for count in &counts[..bound as usize] {
                assert!((800..1200).contains(count), "bound {bound}: {counts:?}");
            }
        }
    }
}
