//! Deep Sea Adventure: 2 to 6 explorers dive for treasure and share the air of one submarine.
//!
//! The rules are numbered in `docs/rules/deep-sea-adventure.md`; comments and tests name them (`DSA-8`).

mod action;
mod by_seat;
mod event;
mod list;
mod pieces;
mod round_end;
mod rules;
mod state;
#[cfg(test)]
pub(crate) mod tests;
mod versions;
mod view;

pub use action::Action;
pub use event::{Event, RoundEnd};
pub use pieces::{Chip, Dice, Face, FaceStack, Stack};
pub use state::{Explorer, Options, Phase, State};
pub use versions::Rules;
pub use view::{ExplorerView, View};

/// The name for people.
pub const TITLE: &str = "Deep Sea Adventure";

/// DSA-0: the fewest and the most seats.
pub const SEATS: core::ops::RangeInclusive<u8> = 2..=6;
/// The rule that says so.
pub const SEAT_RULE: &str = "DSA-0";

/// No game has more actions than this.
///
/// A turn that begins with a load uses air, so a round has at most 25 of those. Any other turn moves its explorer down
/// (at most 32 spaces each), picks something up (and the next turn begins with a load), or is idle, and by DSA-R7 at
/// most five idle turns come between two others: 3 rounds × 2 actions × 6 × (25 + 6·32 + 31).
pub const MAX_ACTIONS: usize = 9_000;
