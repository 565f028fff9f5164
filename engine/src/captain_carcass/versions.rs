//! The versions of the rules of Captain Carcass, and what differs between them.

use super::State;
use crate::{CarryOver, RulesVersion};

/// A version of the rules. The state holds it, but no canonical bytes do: record 0 names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    /// The first version.
    V1,
}

impl RulesVersion for Rules {
    const ALL: &'static [Rules] = &[Rules::V1];

    fn number(self) -> u16 {
        match self {
            Rules::V1 => 1,
        }
    }
}

/// There is nothing to carry over.
impl CarryOver for State {}
