//! Versions of a game's rules.
//!
//! A change that would alter the replay of an old log is a new version. Each game has its versions in `versions.rs` of its
//! folder, as a closed choice, with a method for each thing that differs between them, so that rules ask by name
//! (`rules.equal_value_is_robbed()`) and never by number.

use core::fmt::Debug;

/// The versions of a game's rules.
pub trait RulesVersion: Copy + Eq + Debug + 'static {
    /// All versions, oldest first; their numbers are 1, 2, 3 …
    const ALL: &'static [Self];

    /// The version that new games get.
    const NEWEST: Self = Self::ALL[Self::ALL.len() - 1];

    /// The number in record 0.
    fn number(self) -> u16;

    /// The version of a number, if this build has it.
    fn of(number: u16) -> Option<Self> {
        Self::ALL.iter().copied().find(|version| version.number() == number)
    }
}
