//! The versions of the rules of Deep Sea Adventure, and what differs between them.

use super::State;
use crate::{CarryOver, RulesVersion};

/// A version of the rules. The state holds it, but no canonical bytes do: record 0 names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    /// The first version.
    V1,
    /// DSA-R3: a lost stack of three is a pile of its own.
    V2,
}

impl RulesVersion for Rules {
    const ALL: &'static [Rules] = &[Rules::V1, Rules::V2];

    fn number(self) -> u16 {
        match self {
            Rules::V1 => 1,
            Rules::V2 => 2,
        }
    }
}

impl Rules {
    /// DSA-R3: whether a carried stack of three that is lost becomes a pile of its own, unopened.
    pub(super) fn lost_stacks_of_three_stay_whole(self) -> bool {
        self != Rules::V1
    }
}

/// Actions and events have the same form in every version.
impl CarryOver for State {}
