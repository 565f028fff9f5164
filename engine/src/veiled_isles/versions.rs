//! The versions of the rules of Veiled Isles, and what differs between them.

use super::State;
use crate::{CarryOver, RulesVersion};

/// A version of the rules. The state holds it, but no canonical bytes do: record 0 names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    /// The first version.
    V1,
    /// VI-R4: only a strictly lower value is robbed.
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
    /// VI-R4: whether who wins a tie may steal the treasure of one who played the same value.
    pub(super) fn an_equal_value_is_robbed(self) -> bool {
        self == Rules::V1
    }
}

/// Actions and events have the same form in every version.
impl CarryOver for State {}
