//! The versions of the rules of Key Largo, and what differs between them.

use crate::RulesVersion;

/// A version of the rules. The state holds it, but no canonical bytes do: record 0 names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    /// The first version.
    V1,
    /// The second: a round's wrecks are named one after the other, what unsold treasures are worth is a figure of the
    /// tables, no card raises a price, and ids do not tell a card's wreck.
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
    /// KL-18: the second wreck of a round is named once the first one has been seen, and not together with it.
    pub fn second_wreck_is_named_after_the_first(self) -> bool {
        self == Rules::V2
    }

    /// KL-24: what a unit of unsold gold, goods or antiques is worth is a figure of the tables, and not fixed.
    pub(super) fn unsold_unit_is_a_figure(self) -> bool {
        self == Rules::V2
    }

    /// KL-R20: a price that a card names holds only where it is lower than that of the tables.
    pub(super) fn a_card_never_raises_a_price(self) -> bool {
        self == Rules::V2
    }

    /// KL-R16: which id a card has is shuffled, and not the place where it was laid.
    pub(super) fn ids_are_shuffled(self) -> bool {
        self == Rules::V2
    }
}
