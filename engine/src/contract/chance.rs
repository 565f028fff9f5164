//! Chance for tests: answers given in advance, a counter of draws, and seeded chance for each use.

use alloc::collections::VecDeque;

use crate::{Chance, ChanceKey, SeededChance};

/// Answers given in advance, each with the bound that it expects. Asking otherwise, or too much, or too little, fails
/// the test.
pub(crate) struct Scripted(VecDeque<(u32, u32)>);

impl Scripted {
    /// Draws as pairs of bound and answer.
    pub(crate) fn new(draws: impl IntoIterator<Item = (u32, u32)>) -> Scripted {
        Scripted(draws.into_iter().collect())
    }
}

impl Chance for Scripted {
    fn below(&mut self, bound: u32) -> u32 {
        let Some((expected, answer)) = self.0.pop_front() else {
            panic!("a draw below {bound} that the script does not have");
        };
        assert_eq!(bound, expected, "the bound of a draw");
        assert!(answer < bound, "the script answers {answer} to a draw below {bound}");
        answer
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        // A second panic while one unwinds would abort and hide the first.
        if !std::thread::panicking() {
            assert!(self.0.is_empty(), "draws that nobody made: {:?}", self.0);
        }
    }
}

/// Seeded chance that counts its draws.
pub(super) struct Counted {
    key: ChanceKey,
    /// Made at the first draw: most actions that the suite tries draw nothing.
    inner: Option<SeededChance>,
    pub(super) draws: u64,
}

impl Counted {
    /// Chance for one use of one seed. Uses are apart, as records are in a log, so that an action can be tried with
    /// exactly the chance that it will be played with.
    pub(super) fn new(seed: u64, purpose: Purpose, number: u64) -> Counted {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_be_bytes());
        key[8] = purpose as u8;
        key[16..24].copy_from_slice(&number.to_be_bytes());
        Counted { key, inner: None, draws: 0 }
    }
}

impl Chance for Counted {
    fn below(&mut self, bound: u32) -> u32 {
        self.draws += 1;
        self.inner.get_or_insert_with(|| SeededChance::new(self.key)).below(bound)
    }
}

/// What chance is used for.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Options,
    Setup,
    Action,
    Player,
    Checks,
}

#[test]
#[should_panic(expected = "a draw below 6 that the script does not have")]
fn a_script_that_runs_out_fails() {
    Scripted::new([]).below(6);
}

#[test]
#[should_panic(expected = "draws that nobody made: [(6, 1)]")]
fn a_script_with_draws_left_over_fails() {
    drop(Scripted::new([(6, 1)]));
}

#[test]
#[should_panic(expected = "the bound of a draw")]
fn a_script_asked_with_another_bound_fails() {
    Scripted::new([(6, 1)]).below(8);
}
